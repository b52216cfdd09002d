//! The 429 of a look-up, search, verification or report stated the rest of the general limit only, and public documents
//! stated no limit at all.

use serde_json::json;

use crate::routes::directory::{Agent, open};

#[tokio::test]
async fn every_response_that_counts_states_its_own_limit() {
    let server = open().await;
    let agent = Agent::open(&server, "bot").await;
    agent.card(json!({})).await;
    let resolve = format!("/v1/directory/resolve?address={}", agent.address);
    let report = json!({ "address": agent.address, "reason": "other" });
    let verify = json!({ "address": agent.address });
    let first = [
        (agent.api.get(&resolve).await, "resolves_per_minute", 120, 60),
        (agent.api.get("/v1/directory/search").await, "searches_per_minute", 30, 60),
        (agent.api.post("/v1/directory/verify", verify).await, "verifications_per_minute", 300, 60),
        (agent.api.post("/v1/directory/reports", report.clone()).await, "reports_per_day", 10, 86_400),
        (server.anonymous().get("/v1/public/agents").await, "public_requests_per_minute", 300, 60),
    ];
    for (reply, policy, max, window) in &first {
        let has = |name: &str, item: String| reply.header(name).unwrap().split(", ").any(|one| one.starts_with(&item));
        assert!(has("ratelimit-policy", format!("\"{policy}\";q={max};w={window}")), "{reply}");
        assert!(has("ratelimit", format!("\"{policy}\";r={};t=", max - 1)), "{reply}");
    }
    for _ in 0..119 {
        agent.api.get(&resolve).await.expect(200);
    }
    for _ in 0..9 {
        agent.api.post("/v1/directory/reports", report.clone()).await.expect(202);
    }
    for _ in 0..299 {
        server.anonymous().get("/directory").await.expect(200);
    }
    let refused = [
        (agent.api.get(&resolve).await, "resolves_per_minute"),
        (agent.api.post("/v1/directory/reports", report).await, "reports_per_day"),
        (server.anonymous().get("/v1/public/agents").await, "public_requests_per_minute"),
    ];
    for (reply, policy) in refused {
        let reply = reply.error("rate_limited");
        let fields = reply.header("ratelimit").unwrap().to_owned();
        assert!(fields.contains(&format!("\"{policy}\";r=0;t={}", reply.header("retry-after").unwrap())), "{reply}");
        assert_eq!(fields.matches(policy).count(), 1, "{fields}");
        assert!(reply.header("ratelimit-policy").unwrap().contains(policy));
    }
    server.finish().await;
}
