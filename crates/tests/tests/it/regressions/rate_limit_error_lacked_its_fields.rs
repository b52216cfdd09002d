//! The response "too many requests" was the only one without the rate limit header fields.

use posthouse_domain::plan::Plan;
use posthouse_tests::{TestServer, server::ServerOptions};

#[tokio::test]
async fn a_rate_limit_error_includes_the_rate_limit_fields() {
    let options = ServerOptions::default().configure(|config| config.plans.free.requests_per_minute = Some(1));
    let server = TestServer::start(options).await;
    let api = server.api(&server.workspace(Plan::Free).await);
    api.get("/v1/account").await.expect(200);
    let refused = api.get("/v1/account").await.error("rate_limited");
    assert_eq!(refused.header("ratelimit-policy"), Some("\"key-minute\";q=1;w=60"));
    assert_eq!(refused.header("ratelimit"), Some("\"key-minute\";r=0;t=60"));
    assert_eq!(refused.header("retry-after"), Some("60"));
    server.finish().await;
}
