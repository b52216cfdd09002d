//! Handles of workspaces: claiming, renaming with redirects, releasing, look-alikes.

use posthouse_domain::{
    auth::Scope,
    plan::Plan,
    time::{DAY_MS, Time},
};
use posthouse_tests::TestServer;
use serde_json::{Value, json};

use super::{Agent, open};

const PATH: &str = "/v1/directory/handle";

fn claim(handle: &str) -> Value {
    json!({ "handle": handle })
}

#[tokio::test]
async fn a_handle_is_claimed_renamed_and_released() {
    let server = open().await;
    let agent = Agent::open(&server, "bot").await;
    let empty = json!({ "handle": null, "previous": [] });
    assert_eq!(agent.api.get(PATH).await.expect(200).json, empty);
    let claimed = agent.api.put(PATH, claim("Acme")).await.expect(200).json;
    assert_eq!(claimed, json!({ "handle": "@acme", "previous": [] }));
    assert_eq!(agent.api.put(PATH, claim("acme")).await.expect(200).json, claimed, "nothing changes");
    agent.card(json!({ "handle": "Sales" })).await;
    server.clock.advance(1_000);
    let renamed = agent.api.put(PATH, claim("acme-bots")).await.expect(200).json;
    let until = Time::parse(posthouse_tests::clock::START).unwrap().plus_ms(1_000 + 90 * DAY_MS).to_string();
    let previous = json!([{ "handle": "@acme", "redirect_until": until }]);
    assert_eq!(renamed, json!({ "handle": "@acme-bots", "previous": previous }));
    let found = agent.api.get("/v1/directory/resolve?handle=@acme/sales").await.expect(200);
    assert_eq!(
        (&found["redirected_from"], &found["card"]["handle"]),
        (&json!("@acme/sales"), &json!("@acme-bots/sales"))
    );
    let found = agent.api.get("/v1/directory/resolve?handle=@acme-bots/sales").await.expect(200);
    assert_eq!(found.json.get("redirected_from"), None);
    server.clock.advance(90 * DAY_MS);
    agent.api.get("/v1/directory/resolve?handle=@acme/sales").await.error("agent_not_found");
    assert_eq!(agent.api.get(PATH).await.expect(200)["previous"], json!([]));
    // Its own workspace may take it back.
    assert_eq!(agent.api.put(PATH, claim("acme")).await.expect(200)["handle"], "@acme");
    let released = agent.api.delete(PATH).await.expect(200).json;
    assert_eq!(released, empty, "a released handle ends the redirects to it");
    agent.api.put(PATH, claim("acme")).await.error("handle_taken");
    agent.api.get("/v1/directory/resolve?handle=@acme/sales").await.error("agent_not_found");
    assert_eq!(agent.api.get(&agent.path()).await.expect(200)["handle"], Value::Null);
    server.finish().await;
}

#[tokio::test]
async fn a_handle_is_given_to_one_workspace_only() {
    let server = open().await;
    let (one, other) = (Agent::open(&server, "one").await, Agent::open(&server, "other").await);
    one.api.put(PATH, claim("acme")).await.expect(200);
    other.api.put(PATH, claim("acme")).await.error("handle_taken");
    other.api.put(PATH, claim("acrne")).await.error("handle_taken");
    other.api.put(PATH, claim("acme-x")).await.expect(200);
    one.api.put(PATH, claim("other-name")).await.expect(200);
    other.api.put(PATH, claim("acme")).await.error("handle_taken");
    server.clock.advance(91 * DAY_MS);
    other.api.put(PATH, claim("acme")).await.error("handle_taken");
    one.api.delete(PATH).await.expect(200);
    other.api.put(PATH, claim("other-name")).await.error("handle_taken");
    for reserved in ["admin", "support", "supp0rt", "bi11ing", "posthouse", "posthouse-sales"] {
        other.api.put(PATH, claim(reserved)).await.error("handle_reserved");
    }
    server.finish().await;
}

#[tokio::test]
async fn a_wrong_handle_is_refused() {
    let server = open().await;
    let agent = Agent::open(&server, "bot").await;
    for wrong in ["-acme", "acme-", "@acme", "ac me", "ac/me", "äcme", "ac_me"] {
        agent.api.put(PATH, claim(wrong)).await.error("invalid_handle");
    }
    for wrong in [json!(""), json!("a".repeat(65)), json!(5), Value::Null] {
        agent.api.put(PATH, json!({ "handle": wrong })).await.invalid_fields(&["handle"]);
    }
    agent.api.put(PATH, json!({})).await.invalid_fields(&["handle"]);
    agent.api.put(PATH, claim(&"a".repeat(64))).await.expect(200);
    agent.api.patch(&agent.path(), json!({ "handle": "b".repeat(15) })).await.error("invalid_handle");
    agent.card(json!({ "handle": "b".repeat(14) })).await;
    server.finish().await;
}

#[tokio::test]
async fn only_an_org_wide_key_changes_the_handle() {
    let server = open().await;
    let owner = server.workspace(Plan::Team).await;
    let inbox = server.inbox(&owner).await;
    for scope in [Scope::Workspace, Scope::Inbox(inbox.id)] {
        let api = server.api(&server.key(&owner, "full", scope).await);
        api.put(PATH, claim("acme")).await.error("forbidden");
        api.delete(PATH).await.error("forbidden");
        api.get(PATH).await.expect(200);
    }
    let reader = server.api(&server.key(&owner, "read_only", Scope::Org).await);
    reader.put(PATH, claim("acme")).await.error("insufficient_permissions");
    server.finish().await;
}

#[tokio::test]
async fn a_directory_that_is_off_says_so_everywhere() {
    let server = super::open_with(|config| config.app.agents.directory = false).await;
    let agent = Agent::open(&server, "bot").await;
    refuses_everything(&server, &agent).await;
    server.finish().await;
}

async fn refuses_everything(server: &TestServer, agent: &Agent) {
    let api = &agent.api;
    api.get(PATH).await.error("directory_disabled");
    api.put(PATH, claim("acme")).await.error("directory_disabled");
    api.delete(PATH).await.error("directory_disabled");
    api.get("/v1/directory/search").await.error("directory_disabled");
    api.get(&format!("/v1/directory/resolve?address={}", agent.address)).await.error("directory_disabled");
    api.post("/v1/directory/verify", json!({ "address": agent.address })).await.error("directory_disabled");
    let report = json!({ "address": agent.address, "reason": "spam" });
    let reply = api.post("/v1/directory/reports", report).await.error("directory_disabled");
    assert!(reply.header("retry-after").is_some());
    api.get(&agent.path()).await.error("directory_disabled");
    api.patch(&agent.path(), json!({})).await.error("directory_disabled");
    api.delete(&agent.path()).await.error("directory_disabled");
    api.post("/v1/inboxes", json!({ "card": {} })).await.error("directory_disabled");
    for path in ["/v1/public/agents", "/directory", "/sitemap.xml"] {
        server.anonymous().get(path).await.error("public_directory_disabled");
    }
}
