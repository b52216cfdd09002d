//! `/platform/waiting-sign-ins`.

use serde_json::json;

use crate::routes::identity::IdentityFixture;

#[tokio::test]
async fn members_see_the_sign_ins_that_wait_for_their_agents() {
    let fixture = IdentityFixture::open().await;
    let path = "/platform/waiting-sign-ins";
    let app = fixture.app("public").await;
    let owner = fixture.server.owner_session(&fixture.key).await;
    let stranger = fixture.server.owner_session(&fixture.developer_key).await;
    assert_eq!(owner.get(path).await.expect(200).json, json!({ "data": [] }));
    let identity = fixture.api.post("/v1/identities", json!({ "username": "ghost" })).await.expect(201);
    let first = fixture.waiting(&app, &[("login_hint", Some(&fixture.inbox.address))]).await;
    let second = fixture.waiting(&app, &[("login_hint", Some(identity.text("address")))]).await;
    fixture.waiting(&app, &[]).await;
    let list = owner.get(path).await.expect(200);
    let shown = |at: usize, name: &str| list.data()[at][name].as_str().unwrap().to_owned();
    assert_eq!(list.data().len(), 2, "{list}");
    assert_eq!((shown(0, "code"), shown(0, "inbox_id")), (second.code.clone(), identity.text("id").to_owned()));
    assert_eq!((shown(1, "code"), shown(1, "address")), (first.code.clone(), fixture.inbox.address.clone()));
    assert_eq!((shown(1, "client_name"), shown(1, "redirect_host")), ("Travel desk".into(), "app.example".into()));
    assert_eq!(stranger.get(path).await.expect(200).json, json!({ "data": [] }));
    fixture.api.get(path).await.error("unauthorized");

    fixture.approve(&first).await.expect(200);
    fixture.api.delete(&format!("/v1/identities/{}", identity.text("id"))).await.expect(204);
    assert_eq!(owner.get(path).await.expect(200).json, json!({ "data": [] }));
    fixture.waiting(&app, &[("login_hint", Some(&fixture.inbox.address))]).await;
    assert_eq!(owner.get(path).await.expect(200).data().len(), 1);
    fixture.server.clock.advance(600_000);
    assert_eq!(owner.get(path).await.expect(200).json, json!({ "data": [] }), "it waits for ten minutes");
    fixture.server.finish().await;
}
