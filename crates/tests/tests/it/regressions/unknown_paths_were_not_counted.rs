//! Requests with a valid key to unknown paths, and with unknown methods, read the database without being counted.

use axum::http::Method;
use posthouse_domain::plan::Plan;
use posthouse_tests::{ServerOptions, TestServer};

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
