//! Waiting sign-ins of an agent, and approvals in advance.

use posthouse_domain::auth::Scope;
use posthouse_tests::http::Api;
use serde_json::{Value, json};

use super::{IdentityFixture, claims, returned, value};

#[tokio::test]
async fn an_agent_sees_the_sign_ins_that_name_it_and_looks_others_up() {
    let fixture = IdentityFixture::open().await;
    let app = fixture.app("public").await;
    let path = fixture.path("identity/approvals");
    let named = fixture.waiting(&app, &[("login_hint", Some(&fixture.inbox.address))]).await;
    let other = fixture.waiting(&app, &[("login_hint", Some("nobody@agents.localhost"))]).await;
    let list = fixture.api.get(&path).await.expect(200);
    let expected = json!({
        "code": named.code, "client_id": app.client_id, "client_name": "Travel desk", "homepage_url": null,
        "redirect_host": "app.example", "scope": "openid email profile", "ip": "127.0.0.1", "user_agent": null,
        "created_at": posthouse_tests::clock::START, "expires_at": list.data()[0]["expires_at"],
    });
    assert_eq!((list.data(), &list["clients"]), (&[expected][..], &json!([])));
    let typed = other.code.replace('-', "").to_lowercase();
    let found = fixture.api.get(&format!("{path}?code={typed}")).await.expect(200);
    let codes: Vec<&str> = found.data().iter().map(|one| one["code"].as_str().unwrap()).collect();
    assert_eq!(codes, [named.code.as_str(), other.code.as_str()]);
    fixture.api.post(&format!("{path}/{typed}"), json!({ "approve": true })).await.expect(200);
    fixture.api.post(&format!("{path}/{typed}"), json!({})).await.invalid_fields(&["approve"]);
    fixture.server.finish().await;
}

#[tokio::test]
async fn wrong_codes_are_limited() {
    let fixture = IdentityFixture::open().await;
    let app = fixture.app("public").await;
    let waiting = fixture.waiting(&app, &[]).await;
    let path = fixture.path("identity/approvals/BCDF-GHJK");
    for _ in 0..30 {
        fixture.api.post(&path, json!({ "approve": true })).await.error("not_found");
    }
    let refused = fixture.api.post(&path, json!({ "approve": true })).await.error("rate_limited");
    assert_eq!(refused["error"]["details"]["limit"], "wrong_approval_codes");
    fixture.approve(&waiting).await.error("rate_limited");
    // Other keys of the workspace go on.
    let scope = Scope::Inbox(fixture.inbox.id);
    let other = fixture.server.api(&fixture.server.key(&fixture.key, "identity:sign", scope).await);
    let path = fixture.path(&format!("identity/approvals/{}", waiting.code));
    other.post(&path, json!({ "approve": true })).await.expect(200);
    fixture.server.finish().await;
}

#[tokio::test]
async fn permissions_divide_signing_and_managing() {
    let fixture = IdentityFixture::open().await;
    let app = fixture.app("public").await;
    let path = fixture.path("identity/approvals");
    let scope = Scope::Inbox(fixture.inbox.id);
    let signer = fixture.server.api(&fixture.server.key(&fixture.key, "identity:sign", scope).await);
    let waiting = fixture.waiting(&app, &[]).await;
    let body = json!({ "clients": [app.client_id] });
    signer.put(&path, body.clone()).await.error("insufficient_permissions");
    signer.post(&format!("{path}/{}", waiting.code), json!({ "approve": true })).await.expect(200);
    let manager = fixture.server.api(&fixture.server.key(&fixture.key, "identity:manage", scope).await);
    assert_eq!(manager.put(&path, body).await.expect(200).json, json!({ "clients": [app.client_id] }));
    manager.get(&path).await.error("insufficient_permissions");
    assert_eq!(signer.get(&path).await.expect(200)["clients"], json!([app.client_id]));
    let verifier = fixture.app("verify_only").await;
    for wrong in ["appc_unknown", verifier.client_id.as_str()] {
        let body = json!({ "clients": [app.client_id, wrong] });
        manager.put(&path, body).await.invalid_fields(&["clients[1]"]);
    }
    assert_eq!(manager.put(&path, json!({ "clients": [] })).await.expect(200)["clients"], json!([]));
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_member_signs_an_agent_in_without_a_code_where_it_is_approved_in_advance() {
    let fixture = IdentityFixture::open().await;
    let app = fixture.app("confidential").await;
    let owner = fixture.server.owner_session(&fixture.key).await;
    let hint = [("login_hint", Some(fixture.inbox.address.as_str()))];
    let waits = async |browser: &Api, changes: &[(&str, Option<&str>)]| {
        let reply = fixture.authorize_as(browser, &app, changes).await.expect(303);
        reply.header("location").unwrap().contains("/oidc/authorize/")
    };
    assert!(waits(&owner, &hint).await, "not approved yet");
    let path = fixture.path("identity/approvals");
    fixture.api.put(&path, json!({ "clients": [app.client_id] })).await.expect(200);
    let back = returned(&fixture.authorize_as(&owner, &app, &hint).await);
    let tokens = fixture.redeem(&app, &value(&back, "code")).await.expect(200);
    assert_ne!(tokens["id_token"], Value::Null);
    let silent = [hint[0], ("prompt", Some("none"))];
    assert_eq!(value(&returned(&fixture.authorize_as(&owner, &app, &silent).await), "state"), "s-1");
    // Nobody else gets in with the same request.
    let stranger = fixture.server.workspace(posthouse_domain::plan::Plan::Team).await;
    let stranger = fixture.server.owner_session(&stranger).await;
    assert!(waits(&fixture.server.anonymous(), &hint).await, "without a session");
    assert!(waits(&stranger, &hint).await, "a member of another workspace");
    assert!(waits(&fixture.server.anonymous().with_key(&fixture.key.secret), &hint).await, "an API key");
    assert!(waits(&owner, &[]).await, "without a hint");
    assert!(waits(&owner, &[hint[0], ("prompt", Some("consent"))]).await, "the app wants an approval");
    // `auth_time` is when the member signed in, and `max_age` counts from there.
    let token = claims(tokens.text("id_token"));
    let signed_in = token["auth_time"].as_i64().unwrap();
    fixture.server.advance(100_000).await;
    let fresh = [hint[0], ("max_age", Some("100"))];
    let back = returned(&fixture.authorize_as(&owner, &app, &fresh).await);
    let tokens = fixture.redeem(&app, &value(&back, "code")).await.expect(200);
    let token = claims(tokens.text("id_token"));
    assert_eq!(token["auth_time"].as_i64(), Some(signed_in), "{token}");
    assert!(token["iat"].as_i64().unwrap() >= signed_in + 100);
    for age in ["0", "1", "99"] {
        assert!(waits(&owner, &[hint[0], ("max_age", Some(age))]).await, "{age}");
        let silent = [hint[0], ("max_age", Some(age)), ("prompt", Some("none"))];
        let back = returned(&fixture.authorize_as(&owner, &app, &silent).await);
        assert_eq!(value(&back, "error"), "login_required");
    }
    for wrong in ["-1", "1.5", "soon", "+1"] {
        let back = returned(&fixture.authorize_as(&owner, &app, &[hint[0], ("max_age", Some(wrong))]).await);
        assert_eq!(value(&back, "error"), "invalid_request", "{wrong}");
    }
    assert!(!waits(&owner, &[hint[0], ("max_age", Some(&"9".repeat(40)))]).await, "any age");
    fixture.api.patch(&fixture.path("identity"), json!({ "enabled": false })).await.expect(200);
    assert!(waits(&owner, &hint).await, "the agent is switched off");
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_member_approves_in_the_dashboard() {
    let fixture = IdentityFixture::open().await;
    let app = fixture.app("confidential").await;
    let owner = fixture.server.owner_session(&fixture.key).await;
    let waiting = fixture.waiting(&app, &[]).await;
    let path = fixture.path(&format!("identity/approvals/{}", waiting.code));
    owner.post(&path, json!({ "approve": true })).await.expect(200);
    let back = returned(&fixture.server.anonymous().get(&waiting.page).await);
    fixture.redeem(&app, &value(&back, "code")).await.expect(200);
    fixture.server.finish().await;
}
