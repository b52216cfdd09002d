//! A part that is switched off answered 400 to a malformed request, and 404 to an unknown inbox, before it said that it is off.

use posthouse_tests::{ServerOptions, TestServer};
use reqwest::Method;
use serde_json::{Value, json};

use crate::routes::directory::Agent;

#[tokio::test]
async fn what_is_off_says_so_whatever_the_request() {
    let options = ServerOptions::default().configure(|config| {
        config.app.agents.directory = false;
        config.app.agents.agent_keys = false;
    });
    let server = TestServer::start(options).await;
    let agent = Agent::open(&server, "bot").await;
    let directory = [
        (Method::GET, "/v1/inboxes/nobody/agent", None),
        (Method::PATCH, "/v1/inboxes/nobody/agent", Some(json!({ "name": 5 }))),
        (Method::DELETE, "/v1/inboxes/nobody/agent", None),
        (Method::POST, "/v1/inboxes/nobody/agent/revoke", Some(json!({ "why": 1 }))),
        (Method::POST, "/v1/inboxes/nobody/agent/restore", None),
        (Method::GET, "/v1/inboxes/nobody/agent/oasf", None),
        (Method::GET, "/v1/directory/handle", None),
        (Method::PUT, "/v1/directory/handle", Some(json!({}))),
        (Method::DELETE, "/v1/directory/handle", None),
        (Method::GET, "/v1/directory/resolve", None),
        (Method::GET, "/v1/directory/search?limit=0", None),
        (Method::POST, "/v1/directory/verify", Some(json!({}))),
        (Method::POST, "/v1/directory/reports", Some(json!({}))),
    ];
    let public = [
        (Method::GET, "/v1/public/agents?limit=0", None),
        (Method::GET, "/v1/public/agents/nobody", None),
        (Method::GET, "/v1/public/agents/nobody/agent-card.json", None),
        (Method::GET, "/v1/public/agents/nobody/oasf.json", None),
        (Method::GET, "/v1/public/agents/nobody/keys.json", None),
        (Method::GET, "/v1/public/handles/a_b/c", None),
        (Method::GET, "/directory?page=1", None),
        (Method::GET, "/directory/nobody", None),
        (Method::GET, "/sitemap.xml?page=1", None),
    ];
    let keys = [
        (Method::GET, "/v1/inboxes/nobody/agent/keys", None),
        (Method::POST, "/v1/inboxes/nobody/agent/keys", Some(json!({ "public_jwk": {} }))),
        (Method::POST, "/v1/inboxes/nobody/agent/keys/x/retire", None),
        (Method::POST, "/v1/inboxes/nobody/agent/keys/x/revoke", Some(json!({ "why": 1 }))),
    ];
    for (code, requests) in [
        ("directory_disabled", &directory[..]),
        ("public_directory_disabled", &public[..]),
        ("agent_keys_disabled", &keys[..]),
    ] {
        for (method, path, body) in requests {
            let refused = agent.api.send(method.clone(), path, body.clone()).await.error(code);
            assert_eq!(refused.header("retry-after"), Some("3600"), "{method} {path}");
        }
    }
    // Who may not use a route isn't told more.
    server.anonymous().get("/v1/directory/search").await.error("unauthorized");
    // What only mentions the directory still works without it.
    agent.api.post("/v1/inboxes", json!({})).await.expect(201);
    let before = agent.api.get("/v1/inboxes").await.expect(200).data().len();
    agent.api.post("/v1/inboxes", json!({ "card": { "name": "Bot" } })).await.error("directory_disabled");
    let after: Vec<Value> = agent.api.get("/v1/inboxes").await.expect(200).data().to_vec();
    assert_eq!(after.len(), before, "{after:?}");
    server.finish().await;
}
