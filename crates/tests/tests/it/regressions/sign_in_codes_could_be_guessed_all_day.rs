//! Five codes could be tried for each link, and any number of links requested, so a code could be guessed in time. And a wrong
//! code for an address of a member took longer than one for a stranger's, because only the first was counted.

use posthouse_app::settings::DeliveryMode;
use posthouse_domain::{plan::Plan, user::WRONG_CODES_PER_DAY};
use posthouse_tests::{ServerOptions, TestServer};
use serde_json::json;

const OWNER: &str = "owner@example.org";
const QUARTER_MS: i64 = 15 * 60_000;

/// Tries wrong codes for an address until the day's are used up.
async fn use_up(server: &TestServer, email: &str) {
    for at in 0..WRONG_CODES_PER_DAY {
        if at % 25 == 0 {
            server.advance(QUARTER_MS).await;
        }
        if at % 5 == 0 {
            server.request_link(email).await;
        }
        let guess = json!({ "email": email, "code": "x" });
        server.anonymous().post("/platform/auth/verify", guess).await.error("invalid_token");
    }
    server.advance(QUARTER_MS).await;
}

async fn refusals(server: &TestServer) -> String {
    let metrics = server.anonymous().get("/metrics").await.expect(200);
    let text = String::from_utf8(metrics.bytes.clone()).unwrap();
    let line =
        text.lines().find(|line| line.starts_with("posthouse_limit_refusals_total{limit=\"wrong_sign_in_codes\"}"));
    line.map(|line| line.rsplit(' ').next().unwrap().to_owned()).unwrap_or_default()
}

#[tokio::test]
async fn wrong_codes_are_limited_by_day_and_links_still_work() {
    let options = ServerOptions::default().configure(|config| config.delivery.mode = DeliveryMode::Capture);
    let server = TestServer::start(options).await;
    let key = server.workspace(Plan::Team).await;
    let verify = async |body| server.anonymous().post("/platform/auth/verify", body).await;
    use_up(&server, OWNER).await;
    server.request_link(OWNER).await;
    let mail = server.sign_in_mail(&key, OWNER).await;
    verify(json!({ "email": OWNER, "code": mail.code })).await.error("invalid_token");
    assert_eq!(refusals(&server).await, "1");
    verify(json!({ "token": mail.token })).await.expect(200);
    // Strangers' addresses are counted in the same way, so that they take as long.
    use_up(&server, "stranger@example.org").await;
    verify(json!({ "email": "stranger@example.org", "code": "x" })).await.error("invalid_token");
    assert_eq!(refusals(&server).await, "2");
    // The next day, codes work again.
    server.advance(24 * 3_600_000).await;
    server.request_link(OWNER).await;
    let mail = server.sign_in_mail(&key, OWNER).await;
    verify(json!({ "email": OWNER, "code": mail.code })).await.expect(200);
    server.finish().await;
}
