//! The sitemap contained the page of a temporary inbox until its mail was wiped, although the page was gone when it expired.

use serde_json::json;

use crate::routes::directory::{Agent, open};

#[tokio::test]
async fn the_sitemap_contains_no_expired_inbox() {
    let server = open().await;
    let agent = Agent::open(&server, "bot").await;
    let body =
        json!({ "ttl_seconds": 60, "card": { "name": "Sales desk", "visibility": "public", "indexable": true } });
    let address = agent.api.post("/v1/inboxes", body).await.expect(201).text("address").to_owned();
    server.settle().await;
    let sitemap = async || server.anonymous().get("/sitemap.xml").await.expect(200).body_text();
    assert!(sitemap().await.contains(&address));
    server.clock.advance(60_000);
    server.anonymous().get(&format!("/directory/{address}")).await.error("agent_not_found");
    assert!(!sitemap().await.contains(&address));
    server.settle().await;
    server.finish().await;
}
