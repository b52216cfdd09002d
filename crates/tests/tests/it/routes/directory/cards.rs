//! The card of an own agent: its bundle, each limit, its visibility and standing, and its events.

use posthouse_domain::{auth::Scope, plan::Plan};
use posthouse_tests::http::Api;
use serde_json::{Value, json};

use super::{Agent, open};
use crate::routes::signup::SignupFixture;

async fn events(api: &Api) -> Vec<Value> {
    let types = "agent.updated,agent.revoked,agent.deleted,agent.reported";
    api.get(&format!("/v1/events?types={types}")).await.expect(200).data().to_vec()
}

#[tokio::test]
async fn a_card_is_created_changed_and_deleted() {
    let server = open().await;
    let agent = Agent::open(&server, "bot").await;
    let before = agent.api.get(&agent.path()).await.expect(200).json;
    assert_eq!((&before["status"], &before["card"]), (&json!("no_card"), &Value::Null));
    assert_eq!((&before["visibility"], &before["assurance"]), (&json!("private"), &json!("workspace")));
    assert_eq!(before["inbox"]["address"], json!(agent.address));
    assert!(before["keys"]["server"]["kid"].is_string(), "{before}");
    assert_eq!(before["identity"], json!({ "enabled": true, "sign_in_ready": true }));
    agent.api.delete(&agent.path()).await.error("not_found");
    let created = agent.card(json!({})).await;
    assert_eq!((&created["card"]["name"], &created["status"]), (&json!("bot"), &json!("active")));
    let skill = json!({ "id": "quote", "name": "Quotes", "description": "Prices.", "tags": ["sales"], "oasf": 10201 });
    let change = json!({
        "name": "Sales bot", "description": "Answers questions about prices.", "documentation_url": "https://acme.example/d",
        "capabilities": { "skills": [skill], "accepts_types": ["task", "message", "task"], "languages": ["de-CH", "en"] },
    });
    let changed = agent.card(change).await["card"].clone();
    assert_eq!(changed["skills"], json!([skill]));
    let accepts = json!({
        "types": ["message", "task"], "languages": ["de-CH", "en"], "input_modes": ["text/plain", "application/json"],
    });
    assert_eq!(changed["accepts"], accepts);
    assert_eq!((&changed["format_version"], &changed["minimal"]), (&json!("1"), &json!(false)));
    assert_eq!((&changed["listing"], changed.get("urls")), (&Value::Null, None));
    assert_eq!(changed["channels"], json!({ "relay": { "address": agent.address }, "a2a": null }));
    // Omitted members stay, capabilities are replaced as a whole, and null clears.
    let cleared = json!({ "description": null, "documentation_url": null, "capabilities": {} });
    let cleared = agent.card(cleared).await["card"].clone();
    assert_eq!((&cleared["name"], &cleared["description"]), (&json!("Sales bot"), &Value::Null));
    assert_eq!((&cleared["skills"], &cleared["accepts"]["types"]), (&json!([]), &json!(["message"])));
    agent.api.delete(&agent.path()).await.expect(204);
    agent.api.delete(&agent.path()).await.error("not_found");
    assert_eq!(agent.api.get(&agent.path()).await.expect(200)["status"], "no_card");
    let events = events(&agent.api).await;
    let types: Vec<&str> = events.iter().map(|event| event["type"].as_str().unwrap()).collect();
    assert_eq!(types, ["agent.updated", "agent.updated", "agent.updated", "agent.deleted"]);
    assert_eq!(events[1]["data"]["card"], changed);
    assert_eq!(events[3]["data"]["inbox"]["id"], json!(agent.id));
    server.finish().await;
}

#[tokio::test]
async fn every_limit_of_a_card_is_checked() {
    let server = open().await;
    let agent = Agent::open(&server, "bot").await;
    let skill = |id: &str| json!({ "id": id, "name": "S" });
    let cases = [
        (json!({ "name": "" }), "name"),
        (json!({ "name": "x".repeat(81) }), "name"),
        (json!({ "description": "x".repeat(1_001) }), "description"),
        (json!({ "documentation_url": "http://acme.example" }), "documentation_url"),
        (json!({ "documentation_url": "javascript:alert(1)" }), "documentation_url"),
        (json!({ "visibility": "secret" }), "visibility"),
        (json!({ "handle": "a" }), "handle"),
        (json!({ "nme": "x" }), "nme"),
        (
            json!({ "capabilities": { "skills": (0..21).map(|n| skill(&format!("a{n}"))).collect::<Vec<_>>() } }),
            "capabilities.skills",
        ),
        (json!({ "capabilities": { "skills": [skill("A")] } }), "capabilities.skills[0].id"),
        (json!({ "capabilities": { "skills": [skill("a"), skill("a")] } }), "capabilities.skills[1].id"),
        (json!({ "capabilities": { "accepts_types": [] } }), "capabilities.accepts_types"),
        (json!({ "capabilities": { "accepts_types": ["mail"] } }), "capabilities.accepts_types[0]"),
        (json!({ "capabilities": { "languages": ["english_us"] } }), "capabilities.languages[0]"),
        (json!({ "capabilities": { "input_modes": ["text"] } }), "capabilities.input_modes[0]"),
        (json!({ "capabilities": { "skill": [] } }), "capabilities.skill"),
        (json!({ "name": "<b>x</b>" }), "name"),
        (json!({ "description": "See https://evil.example" }), "description"),
        (json!({ "description": "Write to a@b.example" }), "description"),
        (json!({ "description": "\u{202e}gnp.exe" }), "description"),
        (json!({ "capabilities": { "skills": [{ "id": "a", "name": "&lt;b&gt;" }] } }), "capabilities.skills[0].name"),
    ];
    for (change, field) in cases {
        agent.api.patch(&agent.path(), change).await.invalid_fields(&[field]);
    }
    agent.api.patch(&agent.path(), json!({ "routing": "direct_preferred" })).await.error("routing_unavailable");
    agent.api.patch(&agent.path(), json!({ "handle": "bot" })).await.error("invalid_handle");
    assert_eq!(agent.api.get(&agent.path()).await.expect(200)["status"], "no_card", "nothing was stored");
    agent.card(json!({ "routing": "relay" })).await;
    server.finish().await;
}

#[tokio::test]
async fn a_card_becomes_public_with_an_org_wide_key_within_the_plan() {
    let server = super::open_with(|config| config.app.plans.free.public_listings = Some(1)).await;
    let owner = server.workspace(Plan::Free).await;
    let one = Agent::of(server.api(&owner), "one").await;
    let inbox = server.key(&owner, "full", Scope::Inbox(one.id.parse().unwrap())).await;
    let scoped = server.api(&inbox);
    let public = json!({ "visibility": "public" });
    scoped.patch(&one.path(), json!({ "visibility": "workspace" })).await.expect(200);
    scoped.patch(&one.path(), public.clone()).await.error("forbidden");
    let wide = server.api(&server.key(&owner, "full", Scope::Workspace).await);
    wide.patch(&one.path(), public.clone()).await.error("forbidden");
    assert_eq!(one.card(public.clone()).await["card"]["listing"]["state"], "pending");
    // A key of the inbox still manages the card.
    scoped.patch(&one.path(), json!({ "indexable": true })).await.expect(200);
    let two = Agent::of(server.api(&owner), "two").await;
    scoped.patch(&two.path(), json!({})).await.error("not_found");
    let refused = two.api.patch(&two.path(), public.clone()).await.error("plan_limit_public_listings");
    assert_eq!(refused["error"]["details"]["max"], 1);
    one.card(json!({ "visibility": "private" })).await;
    two.card(public).await;
    assert_eq!(one.api.get("/v1/account").await.expect(200)["limits"]["public_listings"], 1);
    server.settle().await;
    server.finish().await;
}

#[tokio::test]
async fn cards_are_not_public_while_the_public_directory_is_off() {
    let server = super::open_with(|config| config.app.agents.public_directory = false).await;
    let agent = Agent::open(&server, "bot").await;
    agent.api.patch(&agent.path(), json!({ "visibility": "public" })).await.error("visibility_unavailable");
    agent.api.get("/v1/directory/search?scope=public").await.error("public_directory_disabled");
    agent.card(json!({ "visibility": "workspace" })).await;
    server.anonymous().get(&format!("/v1/public/agents/{}", agent.address)).await.error("public_directory_disabled");
    server.finish().await;
}

#[tokio::test]
async fn cards_of_an_unclaimed_workspace_are_private() {
    let fixture = SignupFixture::open_with(|config| config.app.agents.public_directory = true).await;
    let agent = fixture.sign_up(json!({})).await;
    let path = format!("/v1/inboxes/{}/agent", agent.id);
    let bundle = agent.api.patch(&path, json!({ "name": "Bot" })).await.expect(200);
    assert_eq!(bundle["assurance"], "unclaimed");
    for visibility in ["workspace", "public"] {
        agent.api.patch(&path, json!({ "visibility": visibility })).await.error("unclaimed_workspace");
    }
    agent.api.put("/v1/directory/handle", json!({ "handle": "acme" })).await.error("unclaimed_workspace");
    fixture.close().await;
}

#[tokio::test]
async fn an_inbox_or_identity_is_created_with_its_card() {
    let server = open().await;
    let owner = server.workspace(Plan::Team).await;
    let api = server.api(&owner);
    let card = json!({ "description": "Helps.", "visibility": "workspace" });
    for (path, name) in [("/v1/inboxes", "Ann"), ("/v1/identities", "Ben")] {
        let body = json!({ "display_name": name, "client_id": name, "card": card });
        let created = api.post(path, body.clone()).await.expect(201);
        let bundle = api.get(&format!("/v1/inboxes/{}/agent", created.text("id"))).await.expect(200);
        assert_eq!((&bundle["card"]["name"], &bundle["card"]["description"]), (&json!(name), &json!("Helps.")));
        let again = json!({ "client_id": name, "card": { "name": "Other" } });
        api.post(path, again).await.expect(200);
        let after = api.get(&format!("/v1/inboxes/{}/agent", created.text("id"))).await.expect(200);
        assert_eq!(after["card"]["name"], json!(name));
        api.post(path, json!({ "card": { "name": "<b>" } })).await.invalid_fields(&["card.name"]);
    }
    let identity = api.get("/v1/directory/search?q=ben").await.expect(200);
    assert_eq!(identity.data()[0]["channels"]["relay"], Value::Null, "no mail reaches an identity");
    let before = api.get("/v1/inboxes").await.expect(200).data().len();
    let writer = server.api(&server.key(&owner, "inboxes:write,inboxes:read", Scope::Org).await);
    writer.post("/v1/inboxes", json!({ "card": {} })).await.error("insufficient_permissions");
    assert_eq!(api.get("/v1/inboxes").await.expect(200).data().len(), before, "no half");
    server.finish().await;
}

#[tokio::test]
async fn an_agent_is_revoked_and_restored() {
    let server = open().await;
    let agent = Agent::open(&server, "bot").await;
    let (revoke, restore) = (format!("{}/revoke", agent.path()), format!("{}/restore", agent.path()));
    agent.api.post(&revoke, json!({})).await.error("not_found");
    agent.card(json!({ "visibility": "workspace" })).await;
    let reason = "The prompt leaked.";
    let revoked = agent.api.post(&revoke, json!({ "reason": reason })).await.expect(200).json;
    assert_eq!((&revoked["status"], &revoked["card"]["status"]), (&json!("revoked"), &json!("revoked")));
    assert_eq!(revoked["card"]["revoked_at"], posthouse_tests::clock::START);
    assert_eq!(agent.search("").await, [] as [String; 0], "searches find active cards");
    agent.api.post(&revoke, json!({ "reason": "Again." })).await.expect(200);
    let restored = agent.api.post_empty(&restore).await.expect(200).json;
    assert_eq!((&restored["status"], &restored["card"]["revoked_at"]), (&json!("active"), &Value::Null));
    assert_eq!(agent.search("").await, std::slice::from_ref(&agent.address));
    let events = events(&agent.api).await;
    let types: Vec<&str> = events.iter().map(|event| event["type"].as_str().unwrap()).collect();
    assert_eq!(types, ["agent.updated", "agent.revoked", "agent.updated"]);
    assert_eq!(events[1]["data"]["reason"], reason);
    let oasf = agent.api.get(&format!("{}/oasf", agent.path())).await.expect(200).json;
    assert_eq!((&oasf["schema_version"], &oasf["name"]), (&json!("0.7.0"), &json!("bot")));
    assert_eq!(oasf["locators"][0], json!({ "type": "email", "url": format!("mailto:{}", agent.address) }));
    // Another workspace sees nothing of it.
    let other = Agent::open(&server, "other").await;
    for path in [agent.path(), format!("{}/oasf", agent.path())] {
        other.api.get(&path).await.error("not_found");
    }
    other.api.post(&revoke, json!({})).await.error("not_found");
    other.api.delete(&agent.path()).await.error("not_found");
    server.finish().await;
}
