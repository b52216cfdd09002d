//! The switch, the apps and the history of an agent; events.

use posthouse_app::jobs::reconcile;
use serde_json::{Value, json};

use super::{IdentityFixture, claims};

#[tokio::test]
async fn the_history_lists_tokens_and_sign_ins() {
    let fixture = IdentityFixture::open().await;
    let app = fixture.app_with("confidential", json!({ "homepage_url": "https://travel.example" })).await;
    let empty = fixture.api.get(&fixture.path("identity")).await.expect(200);
    let id = fixture.inbox.id.to_string();
    assert_eq!(empty.json, json!({ "inbox_id": id, "kind": "mailbox", "enabled": true, "apps": [] }));
    let minted = fixture.mint(&app, json!({})).await.expect(201);
    fixture.server.clock.advance(1_000);
    let grant = [("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"), ("assertion", minted.text("id_token"))];
    fixture.token(&app, &grant).await.expect(200);
    fixture.server.clock.advance(1_000);
    let code = fixture.code(&app, &[]).await;
    let signed_in = fixture.redeem(&app, &code).await.expect(200);
    let history = fixture.api.get(&fixture.path("identity/sign-ins")).await.expect(200);
    let lines: Vec<(&str, &str)> =
        history.data().iter().map(|line| (line["event"].as_str().unwrap(), line["flow"].as_str().unwrap())).collect();
    assert_eq!(lines, [("signed_in", "authorization_code"), ("signed_in", "jwt_bearer"), ("token_issued", "headless")]);
    let last = &history.data()[2];
    let expected = json!({
        "id": last["id"], "inbox_id": id, "client_id": app.client_id, "client_name": "Travel desk",
        "event": "token_issued", "flow": "headless", "jti": minted["jti"], "ip": "127.0.0.1",
        "created_at": posthouse_tests::clock::START,
    });
    assert_eq!(*last, expected);
    let token = claims(signed_in.text("id_token"));
    assert_eq!((&history.data()[0]["jti"], &history.data()[1]["jti"]), (&token["jti"], &minted["jti"]));
    let page = fixture.api.get(&fixture.path("identity/sign-ins?limit=2")).await.expect(200);
    let cursor = page.text("next_cursor");
    let rest = fixture.api.get(&fixture.path(&format!("identity/sign-ins?limit=2&cursor={cursor}"))).await.expect(200);
    assert_eq!((page.data().len(), rest.data()), (2, &[last.clone()][..]));
    let apps = fixture.api.get(&fixture.path("identity")).await.expect(200);
    let expected = json!([{
        "client_id": app.client_id, "name": "Travel desk", "homepage_url": "https://travel.example",
        "last_signed_in_at": history.data()[0]["created_at"], "sign_ins": 2,
    }]);
    assert_eq!(apps["apps"], expected);
    fixture.server.finish().await;
}

#[tokio::test]
async fn events_show_the_agent_the_app_and_the_token() {
    let fixture = IdentityFixture::open().await;
    let app = fixture.app("confidential").await;
    let minted = fixture.mint(&app, json!({})).await.expect(201);
    let code = fixture.code(&app, &[]).await;
    fixture.redeem(&app, &code).await.expect(200);
    let types = "types=identity.token_issued,identity.signed_in";
    let events = fixture.api.get(&format!("/v1/events?{types}&inbox_id={}", fixture.inbox.id)).await.expect(200);
    let (issued, signed_in) = (&events.data()[0], &events.data()[1]);
    assert_eq!((&issued["type"], &signed_in["type"]), (&json!("identity.token_issued"), &json!("identity.signed_in")));
    let data = &issued["data"];
    assert_eq!(data["inbox"]["address"], fixture.inbox.address);
    let client = json!({ "client_id": app.client_id, "name": "Travel desk", "homepage_url": null });
    assert_eq!(data["client"], client);
    for member in ["jti", "sub", "expires_at"] {
        assert_eq!(data[member], minted[member], "{member}");
    }
    assert_eq!((&data["flow"], &signed_in["data"]["flow"]), (&json!("headless"), &json!("authorization_code")));
    let used = fixture.developer.get(&format!("/v1/identity/clients/{}", app.id)).await.expect(200);
    assert_ne!(used["last_used_at"], Value::Null);
    let of_developer = fixture.developer.get(&format!("/v1/events?{types}")).await.expect(200);
    assert_eq!(of_developer.data(), [] as [Value; 0], "the events belong to the agent's workspace");
    fixture.server.finish().await;
}

#[tokio::test]
async fn old_history_is_deleted() {
    let fixture = IdentityFixture::open().await;
    let app = fixture.app("verify_only").await;
    fixture.mint(&app, json!({})).await.expect(201);
    let waiting = fixture.waiting(&fixture.app("public").await, &[]).await;
    fixture.server.advance(91 * 24 * 3_600_000).await;
    reconcile::run(fixture.server.service()).await.unwrap();
    let history = fixture.api.get(&fixture.path("identity/sign-ins")).await.expect(200);
    assert_eq!(history.data(), [] as [Value; 0]);
    fixture.server.anonymous().get(&waiting.page).await.expect(400);
    fixture.server.finish().await;
}
