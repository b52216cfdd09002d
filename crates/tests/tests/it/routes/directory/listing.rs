//! The listing check, and everything that hides a listing at once.

use posthouse_domain::plan::Plan;
use posthouse_store::{Tx, statements};
use serde_json::{Value, json};

use super::{Agent, open};
use posthouse_tests::TestServer;

statements! {
    SUSPEND = "UPDATE workspaces SET status = $2 WHERE id = $1";
}

async fn listing(agent: &Agent) -> Value {
    agent.api.get(&agent.path()).await.expect(200)["card"]["listing"].clone()
}

/// Asserts that nobody finds a listed agent any more, or that everyone does.
async fn assert_public(server: &TestServer, agent: &Agent, is_public: bool) {
    let status = if is_public { 200 } else { 404 };
    let anybody = server.anonymous();
    for path in [
        format!("/v1/public/agents/{}", agent.address),
        format!("/v1/public/agents/{}/agent-card.json", agent.address),
        format!("/v1/public/agents/{}/oasf.json", agent.address),
        format!("/v1/public/agents/{}/keys.json", agent.address),
        format!("/directory/{}", agent.address),
    ] {
        assert_eq!(anybody.get(&path).await.status, status, "{path}");
    }
    let found = super::addresses(&anybody.get("/v1/public/agents").await.expect(200).json);
    assert_eq!(found.contains(&agent.address), is_public);
    let index = anybody.get("/directory").await.expect(200);
    assert_eq!(index.body_text().contains(&agent.address), is_public);
    let sitemap = anybody.get("/sitemap.xml").await.expect(200);
    assert_eq!(sitemap.body_text().contains(&agent.address), is_public);
    // Each round would use up the limit of one client otherwise.
    server.clock.advance(60_000);
}

#[tokio::test]
async fn a_public_card_is_listed_after_its_check() {
    let server = open().await;
    let agent = Agent::open(&server, "bot").await;
    agent.card(json!({ "name": "Sales bot", "indexable": true })).await;
    assert_eq!(listing(&agent).await, Value::Null);
    let pending = agent.card(json!({ "visibility": "public" })).await["card"]["listing"].clone();
    assert_eq!(pending, json!({ "state": "pending", "reason": null, "problems": [], "listed_at": null }));
    server.settle().await;
    let listed = listing(&agent).await;
    assert_eq!((&listed["state"], &listed["listed_at"].is_string()), (&json!("listed"), &true));
    assert_public(&server, &agent, true).await;
    agent.card(json!({ "visibility": "workspace" })).await;
    assert_eq!(listing(&agent).await, Value::Null);
    assert_public(&server, &agent, false).await;
    server.finish().await;
}

#[tokio::test]
async fn look_alike_names_are_not_listed() {
    let server = open().await;
    let (acme, other) = (Agent::open(&server, "acme").await, Agent::open(&server, "other").await);
    acme.handle("acme", "sales").await;
    acme.list(&server, "Acme").await;
    assert_eq!(listing(&acme).await["state"], "listed", "its own handle");
    for (name, problem) in [
        ("Acme", "similar_handle"),
        ("A c m e", "similar_handle"),
        ("Acrne", "similar_handle"),
        ("Аcme", "mixed_scripts"),
        ("Support", "reserved_name"),
        ("Posthouse Security", "reserved_name"),
    ] {
        let bundle = other.list(&server, name).await;
        let listing = &bundle["card"]["listing"];
        assert_eq!((&listing["state"], &listing["reason"]), (&json!("hidden"), &json!("listing_check")), "{name}");
        assert!(listing["problems"].as_array().unwrap().contains(&json!(problem)), "{name}: {listing}");
        assert_eq!(bundle["card"]["visibility"], "public");
    }
    assert_public(&server, &other, false).await;
    assert_eq!(other.list(&server, "Acme Partner").await["card"]["listing"]["state"], "listed");
    acme.card(json!({ "visibility": "private" })).await;
    assert_eq!(other.list(&server, "Acme").await["card"]["listing"]["state"], "listed", "only listed handles count");
    server.finish().await;
}

#[tokio::test]
async fn every_stop_hides_a_listing_at_once() {
    let server = open().await;
    let owner = server.workspace(Plan::Team).await;
    let agent = Agent::of(server.api(&owner), "bot").await;
    agent.card(json!({ "indexable": true })).await;
    agent.list(&server, "Sales bot").await;
    assert_public(&server, &agent, true).await;
    let workspace = owner.workspace;
    for (status, is_public) in [("suspended", false), ("active", true)] {
        let set = move |tx: &mut Tx| tx.exec(&SUSPEND, posthouse_store::p![workspace, status]);
        server.store().write(set).await.unwrap();
        assert_public(&server, &agent, is_public).await;
    }
    agent.api.post(&format!("{}/revoke", agent.path()), json!({})).await.expect(200);
    assert_public(&server, &agent, false).await;
    agent.api.post_empty(&format!("{}/restore", agent.path())).await.expect(200);
    assert_public(&server, &agent, true).await;
    let address: posthouse_mail::address::Address = posthouse_mail::address::Address::parse(&agent.address).unwrap();
    let app = &server.service();
    posthouse_app::agents::operator::suspend(app, &address, Some("Impersonation.".to_owned())).await.unwrap();
    assert_public(&server, &agent, false).await;
    let bundle = agent.api.get(&agent.path()).await.expect(200);
    assert_eq!((&bundle["status"], &bundle["card"]["listing"]["reason"]), (&json!("suspended"), &json!("operator")));
    agent.api.post_empty(&format!("{}/restore", agent.path())).await.error("agent_suspended");
    // Neither a new card nor a change undoes it.
    agent.api.delete(&agent.path()).await.expect(204);
    assert_eq!(agent.api.get(&agent.path()).await.expect(200)["status"], "suspended");
    agent.card(json!({ "indexable": true })).await;
    agent.list(&server, "New bot").await;
    assert_public(&server, &agent, false).await;
    posthouse_app::agents::operator::restore(app, &address).await.unwrap();
    assert_public(&server, &agent, true).await;
    agent.api.delete(&format!("/v1/inboxes/{}", agent.id)).await.expect(204);
    assert_public(&server, &agent, false).await;
    let other = Agent::open(&server, "other").await;
    other.api.get(&format!("/v1/directory/resolve?address={}", agent.address)).await.error("agent_not_found");
    server.finish().await;
}

#[tokio::test]
async fn a_changed_text_is_checked_again() {
    let server = open().await;
    let agent = Agent::open(&server, "bot").await;
    agent.list(&server, "Sales bot").await;
    assert_eq!(agent.card(json!({ "indexable": true })).await["card"]["listing"]["state"], "listed");
    let changed = agent.card(json!({ "name": "Admin" })).await;
    assert_eq!(changed["card"]["listing"]["state"], "pending");
    server.anonymous().get(&format!("/v1/public/agents/{}", agent.address)).await.error("agent_not_found");
    server.settle().await;
    assert_eq!(listing(&agent).await["reason"], "listing_check");
    server.finish().await;
}
