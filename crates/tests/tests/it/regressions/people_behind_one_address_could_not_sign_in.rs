//! Thirty links and proofs of one client address used up its quarter of an hour, also those of people who signed in: an office
//! behind one address was locked out after fifteen sign-ins. A neighbor's thirty requests for addresses of strangers made the
//! sign-in mail of a member vanish, and thirty wrong links locked out the one of a good link.

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

#[tokio::test]
async fn a_neighbor_keeps_no_member_out() {
    let options = ServerOptions::default().configure(|config| config.delivery.mode = DeliveryMode::Capture);
    let server = TestServer::start(options).await;
    let key = server.workspace(Plan::Team).await;
    for n in 0..40 {
        server.request_link(&format!("s{n}@company{n}.example")).await;
    }
    let metrics = server.service().metrics.text();
    assert!(metrics.contains("posthouse_limit_refusals_total{limit=\"sign_ins_per_client\"} 10"), "{metrics}");
    for _ in 0..40 {
        let _ = server.anonymous().post("/platform/auth/verify", json!({ "token": "x" })).await;
    }
    let wrong = json!({ "email": "s@company.example", "code": "000000" });
    for _ in 0..30 {
        server.anonymous().post("/platform/auth/verify", wrong.clone()).await.error("invalid_token");
    }
    let refused = server.anonymous().post("/platform/auth/verify", wrong).await.error("rate_limited");
    assert!(refused["error"]["fix"].as_str().unwrap().contains("Open the link"), "{refused}");
    server.sign_in(&key, "owner@example.org").await;
    server.finish().await;
}
