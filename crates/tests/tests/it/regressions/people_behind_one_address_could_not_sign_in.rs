//! Thirty links and proofs of one client address used up its quarter of an hour, also those of people who signed in: an office
//! behind one address was locked out after fifteen sign-ins.

use posthouse_app::settings::DeliveryMode;
use posthouse_domain::plan::Plan;
use posthouse_tests::{ServerOptions, TestServer};
use serde_json::json;

#[tokio::test]
async fn only_sign_ins_that_fail_count_for_a_client() {
    let options = ServerOptions::default().configure(|config| config.delivery.mode = DeliveryMode::Capture);
    let server = TestServer::start(options).await;
    let key = server.workspace(Plan::Team).await;
    for _ in 0..40 {
        server.sign_in(&key, "owner@example.org").await;
    }
    for _ in 0..30 {
        server.anonymous().post("/platform/auth/verify", json!({ "token": "x" })).await.error("invalid_token");
    }
    let refused = server.anonymous().post("/platform/auth/verify", json!({ "token": "x" })).await.error("rate_limited");
    assert_eq!(refused["error"]["details"]["limit"], "sign_ins_per_client");
    server.finish().await;
}
