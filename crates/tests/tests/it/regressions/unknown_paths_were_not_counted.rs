//! Requests with a valid key to unknown paths, and with unknown methods, read the database without being counted. Bodies for
//! `/mcp` that hold no message were read without being counted.

use axum::http::Method;
use posthouse_domain::plan::Plan;
use posthouse_tests::{ServerOptions, TestServer, http::Api};

#[tokio::test]
async fn requests_to_unknown_paths_count_for_the_key() {
    for (method, path, code) in
        [(Method::GET, "/v1/nothing", "not_found"), (Method::PUT, "/v1/threads", "method_not_allowed")]
    {
        let options = ServerOptions::default().configure(|config| config.plans.team.requests_per_minute = Some(3));
        let server = TestServer::start(options).await;
        let key = server.workspace(Plan::Team).await;
        let api = server.api(&key);
        for _ in 0..3 {
            api.send(method.clone(), path, None).await.error(code);
        }
        api.send(method.clone(), path, None).await.error("rate_limited");
        api.get("/v1/threads").await.error("rate_limited");
        server.anonymous().send(method.clone(), path, None).await.error(code);
        server.advance(60_000).await;
        api.get("/v1/threads").await.expect(200);
        server.finish().await;
    }
}

#[tokio::test]
async fn requests_without_a_message_count_for_the_key() {
    for (method, body, status) in [(Method::POST, "{", 400), (Method::POST, "[1", 400), (Method::GET, "", 405)] {
        let options = ServerOptions::default().configure(|config| config.plans.team.requests_per_minute = Some(3));
        let server = TestServer::start(options).await;
        let key = server.workspace(Plan::Team).await;
        let api = server.api(&key);
        let send = async |api: &Api| api.raw(method.clone(), "/mcp", "application/json", body).await.status;
        for _ in 0..3 {
            assert_eq!(send(&api).await, status, "{method} {body}");
        }
        assert_eq!(send(&api).await, 429, "{method} {body}");
        api.get("/v1/threads").await.error("rate_limited");
        for other in [server.anonymous(), server.anonymous().with_key("ph_wrong")] {
            assert_eq!(send(&other).await, status, "the body is checked before the key");
        }
        server.finish().await;
    }
}
