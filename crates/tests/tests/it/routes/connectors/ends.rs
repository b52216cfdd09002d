//! The end of a connector's access: with its person, its inboxes, and by people of the workspace.

use posthouse_domain::plan::Plan;
use serde_json::json;

use super::*;

impl ConnectorFixture {
    /// Returns the id of the only connector.
    async fn only(&self) -> String {
        let listed = self.owner.get("/platform/connectors").await.expect(200);
        assert_eq!(listed.data().len(), 1, "{listed}");
        listed.data()[0]["id"].as_str().unwrap().to_owned()
    }
}

#[tokio::test]
async fn the_person_or_an_owner_revokes_a_connector() {
    let fixture = ConnectorFixture::open().await;
    let tokens = fixture.connect(&json!({})).await;
    let path = format!("/platform/connectors/{}", fixture.only().await);
    let ana = fixture.join("ana@example.org").await;
    assert_eq!(ana.get("/platform/connectors").await.expect(200).data().len(), 1);
    ana.delete(&path).await.error("forbidden");
    let other = fixture.server.workspace(Plan::Team).await;
    let stranger = fixture.server.owner_session(&other).await;
    stranger.delete(&path).await.error("not_found");
    assert!(stranger.get("/platform/connectors").await.expect(200).data().is_empty());
    fixture.authenticate(&tokens.access).await.unwrap();
    fixture.owner.delete(&path).await.expect(204);
    fixture.has_ended(&tokens, "revoked").await;
    fixture.owner.delete(&path).await.error("not_found");

    // One's own needs no owner.
    let body = fixture.approval(&fixture.request(&[]));
    let decided = ana.post("/platform/connector-requests", body).await.expect(200);
    let own = decided["connector"]["id"].as_str().unwrap().to_owned();
    ana.delete(&format!("/platform/connectors/{own}")).await.expect(204);
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_connector_ends_with_the_membership() {
    let fixture = ConnectorFixture::open().await;
    let ana = fixture.join("ana@example.org").await;
    let body = fixture.approval(&fixture.request(&[]));
    let decided = ana.post("/platform/connector-requests", body.clone()).await.expect(200);
    let code = parameter(decided.text("return_to"), "code").unwrap();
    let tokens = TestTokens::of(&fixture.exchange(&code, &[]).await.expect(200));
    fixture.authenticate(&tokens.access).await.unwrap();
    let unused = ana.post("/platform/connector-requests", body).await.expect(200);
    let unused = parameter(unused.text("return_to"), "code").unwrap();
    let members = fixture.owner.get("/platform/members").await.expect(200);
    let member = members.data().iter().find(|one| one["email"] == "ana@example.org").unwrap();
    let path = format!("/platform/members/{}", member["id"].as_str().unwrap());
    fixture.owner.delete(&path).await.expect(204);
    oauth_error(fixture.exchange(&unused, &[]).await, "invalid_grant");
    fixture.has_ended(&tokens, "member_removed").await;
    assert_eq!(fixture.events().await.len(), 4);
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_connector_ends_with_its_last_inbox() {
    let fixture = ConnectorFixture::open().await;
    let temporary = fixture.server.inbox_with(&fixture.key, json!({ "ttl_seconds": 3_600 })).await;
    let ids = json!([fixture.inbox.id.to_string(), temporary.id.to_string()]);
    let tokens = fixture.connect(&json!({ "inbox_ids": ids })).await;
    let api = fixture.server.api(&fixture.key);
    api.delete(&format!("/v1/inboxes/{}", temporary.id)).await.expect(204);
    let shown = fixture.call(&tokens.access, "listInboxes", Arguments::default()).await.unwrap();
    assert_eq!(shown["data"][0]["id"], fixture.inbox.id.to_string());
    let listed = fixture.owner.get("/platform/connectors").await.expect(200);
    assert_eq!(listed.data()[0]["inbox_ids"], json!([fixture.inbox.id.to_string()]));
    api.delete(&format!("/v1/inboxes/{}", fixture.inbox.id)).await.expect(204);
    fixture.has_ended(&tokens, "inbox_deleted").await;
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_stop_holds_the_mail_of_a_connector() {
    let fixture = ConnectorFixture::open().await;
    let tokens = fixture.connect(&json!({})).await;
    fixture.server.api(&fixture.key).post("/v1/emergency-stop", json!({})).await.expect(200);
    let id = fixture.inbox.id.to_string();
    let body = json!({ "to": "dana@example.com", "subject": "Hello", "text": "Hello" }).to_string();
    let send = Arguments { body: body.into(), ..path(&[("id", &id)]) };
    let refusal = fixture.call(&tokens.access, "sendMessage", send).await.unwrap_err();
    assert_eq!(refusal.code, posthouse_domain::ErrorCode::WorkspaceStopped);
    fixture.call(&tokens.access, "listInboxes", Arguments::default()).await.unwrap();
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_workspace_has_a_hundred_connectors_at_most() {
    let fixture = ConnectorFixture::open().await;
    for _ in 0..100 {
        fixture.code(&json!({})).await;
    }
    let refused = fixture.decide(fixture.approval(&fixture.request(&[]))).await.error("forbidden");
    assert_eq!(refused["error"]["fix"], "Revoke a connector first.");
    let page = fixture.owner.get("/platform/connectors?limit=100").await.expect(200);
    assert_eq!(page.data().len(), 100);
    let (mut shown, mut query) = (Vec::new(), "?limit=40".to_owned());
    loop {
        let part = fixture.owner.get(&format!("/platform/connectors{query}")).await.expect(200);
        shown.extend(part.data().to_vec());
        let Some(cursor) = part["next_cursor"].as_str() else { break };
        query = format!("?limit=40&cursor={cursor}");
    }
    assert_eq!(shown, page.data(), "pages of 40 show the same");
    let id = page.data()[0]["id"].as_str().unwrap();
    fixture.owner.delete(&format!("/platform/connectors/{id}")).await.expect(204);
    fixture.code(&json!({})).await;
    fixture.server.finish().await;
}
