//! `/v1/identity/clients`.

use posthouse_domain::{auth::Scope, plan::Plan};
use serde_json::{Value, json};

use super::{CALLBACK, IdentityFixture, oauth_error};
use crate::routes::signup::SignupFixture;

const PATH: &str = "/v1/identity/clients";

#[tokio::test]
async fn an_app_is_created_read_changed_and_deleted() {
    let fixture = IdentityFixture::open().await;
    let body = json!({
        "name": "Travel desk", "type": "confidential", "redirect_uris": [CALLBACK, "http://localhost:3000/cb"],
        "homepage_url": "https://travel.example",
    });
    let created = fixture.developer.post(PATH, body).await.expect(201);
    let (client, secret) = (created["client"].clone(), created["client_secret"].as_str().unwrap().to_owned());
    let expected = json!({
        "id": client["id"], "client_id": client["client_id"], "name": "Travel desk", "type": "confidential",
        "redirect_uris": [CALLBACK, "http://localhost:3000/cb"], "allowed_scopes": "openid email profile",
        "subject_type": "pairwise", "homepage_url": "https://travel.example", "secret_prefix": &secret[..10],
        "enabled": true, "last_used_at": null, "created_at": posthouse_tests::clock::START,
        "updated_at": posthouse_tests::clock::START,
    });
    assert_eq!(client, expected);
    assert!(client["client_id"].as_str().unwrap().starts_with("appc_") && secret.len() == 45);
    let one = format!("{PATH}/{}", client["id"].as_str().unwrap());
    assert_eq!(fixture.developer.get(&one).await.expect(200).json, expected);
    let list = fixture.developer.get(PATH).await.expect(200);
    assert_eq!((list.data(), &list["next_cursor"]), (&[expected.clone()][..], &Value::Null));

    fixture.server.clock.advance(1_000);
    let change = json!({
        "name": "Trips", "redirect_uris": ["https://trips.example/cb"], "allowed_scopes": "openid workspace",
        "homepage_url": null, "enabled": false,
    });
    let changed = fixture.developer.patch(&one, change).await.expect(200);
    assert_eq!(changed["name"], "Trips");
    assert_eq!(changed["allowed_scopes"], "openid workspace");
    assert_eq!((&changed["homepage_url"], &changed["enabled"]), (&Value::Null, &json!(false)));
    assert_ne!(changed["updated_at"], changed["created_at"]);
    fixture.developer.delete(&one).await.expect(204);
    fixture.developer.get(&one).await.error("not_found");
    fixture.developer.delete(&one).await.error("not_found");
    fixture.server.finish().await;
}

#[tokio::test]
async fn the_form_of_an_app_is_checked() {
    let fixture = IdentityFixture::open().await;
    let create = async |change: Value| {
        let mut body = json!({ "name": "App", "type": "public", "redirect_uris": [CALLBACK] });
        body.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        fixture.developer.post(PATH, body).await
    };
    for uri in [
        "http://app.example/cb",
        "https://app.example/cb#fragment",
        "https://*.example/cb",
        "javascript:alert(1)",
        "https://user:pass@app.example/",
        "",
    ] {
        create(json!({ "redirect_uris": [uri] })).await.invalid_fields(&["redirect_uris[0]"]);
    }
    create(json!({ "redirect_uris": [] })).await.invalid_fields(&["redirect_uris"]);
    create(json!({ "redirect_uris": vec![CALLBACK; 11] })).await.invalid_fields(&["redirect_uris"]);
    create(json!({ "redirect_uris": null })).await.invalid_fields(&["redirect_uris"]);
    create(json!({ "type": "verify_only" })).await.invalid_fields(&["redirect_uris"]);
    create(json!({ "allowed_scopes": "email profile" })).await.invalid_fields(&["allowed_scopes"]);
    create(json!({ "allowed_scopes": "openid admin" })).await.invalid_fields(&["allowed_scopes"]);
    create(json!({ "allowed_scopes": "" })).await.invalid_fields(&["allowed_scopes"]);
    create(json!({ "homepage_url": "ftp://x" })).await.invalid_fields(&["homepage_url"]);
    create(json!({ "name": "" })).await.invalid_fields(&["name"]);
    let listed = create(json!({ "allowed_scopes": ["openid", "workspace"] })).await.expect(201);
    assert_eq!(listed["client"]["allowed_scopes"], "openid workspace");
    assert!(listed.json.get("client_secret").is_none(), "a public app has no secret");
    let one = format!("{PATH}/{}", listed["client"]["id"].as_str().unwrap());
    for (name, value) in [("type", json!("confidential")), ("subject_type", json!("public"))] {
        fixture.developer.patch(&one, json!({ name: value })).await.invalid_fields(&[name]);
    }
    fixture.developer.post_empty(&format!("{one}/secret")).await.error("not_found");
    let verifier = create(json!({ "type": "verify_only", "redirect_uris": null })).await.expect(201);
    let one = format!("{PATH}/{}", verifier["client"]["id"].as_str().unwrap());
    let uris = json!({ "redirect_uris": [CALLBACK] });
    fixture.developer.patch(&one, uris).await.invalid_fields(&["redirect_uris"]);
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_new_secret_replaces_the_old_one_at_once() {
    let fixture = IdentityFixture::open().await;
    let app = fixture.app("confidential").await;
    let rotated = fixture.developer.post_empty(&format!("{PATH}/{}/secret", app.id)).await.expect(200);
    let secret = rotated["client_secret"].as_str().unwrap().to_owned();
    assert_ne!(Some(&secret), app.secret.as_ref());
    assert_eq!(rotated["client"]["secret_prefix"], secret[..10]);
    let assertion = fixture.mint(&app, json!({})).await.expect(201).text("id_token").to_owned();
    let grant = [("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"), ("assertion", assertion.as_str())];
    oauth_error(&fixture.token(&app, &grant).await, 401, "invalid_client");
    let app = super::TestApp { secret: Some(secret), ..app };
    fixture.token(&app, &grant).await.expect(200);
    fixture.server.finish().await;
}

#[tokio::test]
async fn apps_belong_to_a_workspace_and_have_a_limit() {
    let fixture = IdentityFixture::open().await;
    let app = fixture.app("public").await;
    let one = format!("{PATH}/{}", app.id);
    fixture.api.get(&one).await.error("not_found");
    fixture.api.patch(&one, json!({ "enabled": false })).await.error("not_found");
    fixture.api.delete(&one).await.error("not_found");
    assert_eq!(fixture.api.get(PATH).await.expect(200).data(), [] as [Value; 0]);
    let narrow = fixture.server.key(&fixture.key, "full", Scope::Inbox(fixture.inbox.id)).await;
    fixture.server.api(&narrow).get(PATH).await.error("forbidden");
    let other = fixture.server.workspace(Plan::Team).await;
    let api = fixture.server.api(&other);
    let body = json!({ "name": "App", "type": "verify_only" });
    for _ in 0..100 {
        api.post(PATH, body.clone()).await.expect(201);
    }
    let refused = api.post(PATH, body).await.error("plan_limit_identity_clients");
    assert_eq!(refused["error"]["details"]["max"], 100);
    let mut seen = 0;
    let mut cursor = String::new();
    loop {
        let page = api.get(&format!("{PATH}?limit=30{cursor}")).await.expect(200);
        seen += page.data().len();
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    assert_eq!(seen, 100);
    fixture.server.finish().await;
}

#[tokio::test]
async fn an_unclaimed_workspace_has_no_apps() {
    let fixture = SignupFixture::open().await;
    let agent = fixture.sign_up(json!({})).await;
    let body = json!({ "name": "App", "type": "verify_only" });
    agent.api.post(PATH, body).await.error("unclaimed_workspace");
    fixture.close().await;
}
