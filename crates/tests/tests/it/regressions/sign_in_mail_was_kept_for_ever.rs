//! Mail of the service to people, with their addresses, was never deleted.

use posthouse_app::settings::DeliveryMode;
use posthouse_domain::{plan::Plan, time::DAY_MS};
use posthouse_tests::{ServerOptions, TestServer};

#[tokio::test]
async fn sign_in_mail_is_deleted_after_30_days() {
    let options = ServerOptions::default().configure(|config| config.delivery.mode = DeliveryMode::Capture);
    let server = TestServer::start(options).await;
    let key = server.workspace(Plan::Team).await;
    server.request_link("owner@example.org").await;
    let outbox = async || server.api(&key).get("/dev/outbox").await.expect(200).data().len();
    server.clock.advance(29 * DAY_MS);
    posthouse_app::jobs::reconcile::run(server.service()).await.unwrap();
    assert_eq!(outbox().await, 1);
    server.clock.advance(2 * DAY_MS);
    posthouse_app::jobs::reconcile::run(server.service()).await.unwrap();
    assert_eq!(outbox().await, 0);
    server.finish().await;
}
