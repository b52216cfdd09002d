//! Look-ups by address and handle, in the form for each caller.

use serde_json::{Value, json};

use super::{Agent, open};

async fn resolve(by: &Agent, query: &str) -> Value {
    by.api.get(&format!("/v1/directory/resolve?{query}")).await.expect(200).json["card"].clone()
}

#[tokio::test]
async fn a_card_has_a_full_a_minimal_and_a_public_form() {
    let server = open().await;
    let (agent, other) = (Agent::open(&server, "bot").await, Agent::open(&server, "other").await);
    let by_address = format!("address={}", agent.address.to_uppercase());
    let query = format!("/v1/directory/resolve?{by_address}");
    other.api.get(&query).await.error("agent_not_found");
    agent.api.get(&query).await.error("agent_not_found");
    agent.card(json!({ "name": "Bot", "description": "Helps." })).await;
    let full = resolve(&agent, &by_address).await;
    assert_eq!(
        (&full["minimal"], &full["description"], &full["listing"]),
        (&json!(false), &json!("Helps."), &Value::Null)
    );
    let minimal = resolve(&other, &by_address).await;
    let keys =
        json!({ "server": format!("{}/oidc/.well-known/agent-keys.json", server.config().app.base_url), "agent": [] });
    let expected = json!({
        "format_version": "1", "address": agent.address, "name": "Bot", "status": "active", "assurance": "workspace",
        "badges": [], "revoked_at": null, "accepts": { "types": ["message"] }, "keys": keys, "minimal": true,
    });
    assert_eq!(minimal, expected);
    agent.card(json!({ "visibility": "workspace" })).await;
    assert_eq!(resolve(&other, &by_address).await, expected);
    agent.list(&server, "Bot").await;
    let public = resolve(&other, &by_address).await;
    assert_eq!((&public["minimal"], &public["description"]), (&json!(false), &json!("Helps.")));
    assert_eq!(public.get("listing"), None);
    let base = &server.config().app.base_url;
    let address = &agent.address;
    let urls = json!({
        "page": format!("{base}/directory/{address}"), "a2a": format!("{base}/v1/public/agents/{address}/agent-card.json"),
        "oasf": format!("{base}/v1/public/agents/{address}/oasf.json"),
        "keys": format!("{base}/v1/public/agents/{address}/keys.json"),
    });
    assert_eq!(public["urls"], urls);
    assert_eq!(public["channels"]["a2a"], urls["a2a"]);
    let full = resolve(&agent, &by_address).await;
    assert_eq!((&full["listing"]["state"], full.get("urls")), (&json!("listed"), None));
    server.finish().await;
}

#[tokio::test]
async fn others_find_a_handle_only_while_it_is_listed() {
    let server = open().await;
    let (agent, other) = (Agent::open(&server, "bot").await, Agent::open(&server, "other").await);
    agent.handle("acme", "sales").await;
    let by_handle = "/v1/directory/resolve?handle=%40acme%2FSales";
    assert_eq!(agent.api.get(by_handle).await.expect(200)["card"]["address"], json!(agent.address));
    let refused = other.api.get(by_handle).await.error("agent_not_found").json;
    let unknown = other.api.get("/v1/directory/resolve?handle=@nobody/sales").await.error("agent_not_found").json;
    assert_eq!(refused["error"]["message"], unknown["error"]["message"], "every miss is the same");
    agent.list(&server, "Bot").await;
    other.api.get(by_handle).await.expect(200);
    agent.card(json!({ "handle": null })).await;
    other.api.get(by_handle).await.error("agent_not_found");
    let second = Agent::of(agent.api.clone(), "second").await;
    second.card(json!({ "handle": "sales" })).await;
    agent.api.patch(&agent.path(), json!({ "handle": "sales" })).await.error("handle_taken");
    server.finish().await;
}

#[tokio::test]
async fn a_look_up_names_exactly_one_agent() {
    let server = open().await;
    let agent = Agent::open(&server, "bot").await;
    let get = async |query: &str| agent.api.get(&format!("/v1/directory/resolve{query}")).await;
    get("").await.invalid_fields(&["address"]);
    get("?address=a@b.example&handle=@acme/bot").await.invalid_fields(&["address"]);
    get("?address=no").await.invalid_fields(&["address"]);
    for nobody in ["nobody", "abc", "a@b@c", "a b@x.example"] {
        get(&format!("?address={nobody}")).await.error("agent_not_found");
    }
    get("?handle=a").await.invalid_fields(&["handle"]);
    get("?handle=acme/bot").await.error("invalid_handle");
    get("?handle=@acme").await.error("agent_not_found");
    get("?address=dana@example.com").await.error("agent_not_found");
    server.finish().await;
}

#[tokio::test]
async fn look_ups_and_searches_have_limits_of_their_own() {
    let server = open().await;
    let agent = Agent::open(&server, "bot").await;
    agent.card(json!({})).await;
    let path = format!("/v1/directory/resolve?address={}", agent.address);
    for _ in 0..120 {
        agent.api.get(&path).await.expect(200);
    }
    let refused = agent.api.get(&path).await.error("rate_limited");
    assert_eq!(refused["error"]["details"]["limit"], "resolves_per_minute");
    for _ in 0..30 {
        agent.search("").await;
    }
    let refused = agent.api.get("/v1/directory/search").await.error("rate_limited");
    assert_eq!(refused["error"]["details"]["limit"], "searches_per_minute");
    server.clock.advance(60_000);
    agent.api.get(&path).await.expect(200);
    server.finish().await;
}
