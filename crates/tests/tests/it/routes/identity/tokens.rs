//! `POST /v1/inboxes/:id/identity-token`, and the documents that verify its tokens.

use posthouse_domain::{auth::Scope, signing_key::SigningPurpose};
use posthouse_mail::jose::{jwk::PublicJwk, jws::CompactJws};
use serde_json::{Value, json};

use super::{IdentityFixture, claims};

/// Returns whether a published key verifies a token.
async fn is_verified(fixture: &IdentityFixture, token: &str) -> bool {
    let keys = fixture.server.anonymous().get("/oidc/.well-known/jwks.json").await.expect(200);
    let jws = CompactJws::parse(token).unwrap();
    let keys = keys["keys"].as_array().unwrap();
    let key = keys.iter().find(|key| key["kid"] == jws.header["kid"]).map(|key| key.as_object().unwrap());
    key.is_some_and(|key| jws.is_signed_by(&PublicJwk::parse(key).unwrap()))
}

#[tokio::test]
async fn a_token_has_the_documented_claims() {
    let fixture = IdentityFixture::open().await;
    let app = fixture.app("verify_only").await;
    let reply = fixture.mint(&app, json!({ "nonce": "n-1", "scope": "profile email" })).await.expect(201);
    assert_eq!(reply.header("cache-control"), Some("no-store"));
    let token = reply.text("id_token").to_owned();
    let found = claims(&token);
    let issuer = reply.text("issuer").to_owned();
    assert!(issuer.ends_with("/oidc"), "{issuer}");
    let iat = found["iat"].as_i64().unwrap();
    let expected = json!({
        "iss": issuer, "aud": app.client_id, "sub": reply["sub"], "jti": reply["jti"], "iat": iat, "exp": iat + 300,
        "nonce": "n-1", "email": fixture.inbox.address, "email_verified": true, "name": "Ann",
        "preferred_username": "ann", format!("{issuer}/claims/agent"): true, format!("{issuer}/claims/mailbox"): true,
    });
    assert_eq!(found, expected);
    assert_eq!((reply["token_type"].as_str(), reply["expires_in"].as_i64()), (Some("id_token"), Some(300)));
    assert_eq!((reply.text("audience"), reply.text("scope")), (app.client_id.as_str(), "openid email profile"));
    let header = CompactJws::parse(&token).unwrap().header;
    assert_eq!((header["alg"].as_str(), header["typ"].as_str()), (Some("ES256"), Some("JWT")));
    assert!(is_verified(&fixture, &token).await);
    assert!(!token.contains('='), "{token}");
    fixture.server.finish().await;
}

#[tokio::test]
async fn scopes_decide_what_an_app_learns() {
    let fixture = IdentityFixture::open().await;
    let app = fixture.app_with("verify_only", json!({ "allowed_scopes": "openid email workspace" })).await;
    let minted = async |more: Value| claims(fixture.mint(&app, more).await.expect(201).text("id_token"));
    let default = minted(json!({})).await;
    assert_eq!((&default["email"], default.get("name")), (&json!(fixture.inbox.address), None));
    let all = minted(json!({ "scope": "openid email profile workspace" })).await;
    assert!(all.get("name").is_none() && all.get("preferred_username").is_none(), "profile is not allowed");
    let only = minted(json!({ "scope": "workspace" })).await;
    assert!(only.get("email").is_none());
    let namespace = format!("{}/claims", only["iss"].as_str().unwrap());
    assert!(only.get(format!("{namespace}/workspace")).is_none(), "the workspace doesn't share its name");
    let reply = fixture.mint(&app, json!({ "scope": "openid profile" })).await.expect(201);
    assert_eq!(reply.text("scope"), "openid");
    let owner = fixture.server.owner_session(&fixture.key).await;
    let share = json!({ "ai_disclosure": { "share_workspace_name": true } });
    owner.patch("/platform/org", share).await.expect(200);
    let shared = minted(json!({ "scope": "workspace" })).await;
    let workspace = json!({ "id": fixture.key.workspace.to_string(), "name": "Test workspace" });
    assert_eq!(shared[format!("{namespace}/workspace")], workspace);
    fixture.server.finish().await;
}

#[tokio::test]
async fn an_identity_never_has_an_email_claim() {
    let fixture = IdentityFixture::open().await;
    let app = fixture.app("verify_only").await;
    let identity = fixture.api.post("/v1/identities", json!({ "username": "zoe" })).await.expect(201);
    assert_eq!(identity["identity_enabled"], true);
    let id = identity.text("id");
    let reply = fixture.mint_of(id, &app, json!({ "scope": "openid email profile" })).await.expect(201);
    let found = claims(reply.text("id_token"));
    assert!(found.get("email").is_none() && found.get("email_verified").is_none(), "{found}");
    assert_eq!(
        (found["name"].as_str(), found["preferred_username"].as_str()),
        (identity["address"].as_str(), Some("zoe"))
    );
    let namespace = format!("{}/claims", found["iss"].as_str().unwrap());
    assert_eq!(
        (&found[format!("{namespace}/agent")], &found[format!("{namespace}/mailbox")]),
        (&json!(true), &json!(false))
    );
    fixture.server.finish().await;
}

#[tokio::test]
async fn subjects_are_pairwise_or_public_and_never_repeat() {
    let fixture = IdentityFixture::open().await;
    let (one, two) = (fixture.app("verify_only").await, fixture.app("verify_only").await);
    let sub = async |app: &super::TestApp, agent: &str| {
        fixture.mint_of(agent, app, json!({})).await.expect(201).text("sub").to_owned()
    };
    let ann = fixture.inbox.id.to_string();
    let bob = fixture.api.post("/v1/identities", json!({ "client_id": "bob" })).await.expect(201).text("id").to_owned();
    let first = sub(&one, &ann).await;
    assert_eq!(first, sub(&one, &ann).await, "the same agent");
    let mut all = vec![first, sub(&two, &ann).await, sub(&one, &bob).await, sub(&two, &bob).await];
    // An agent that is created again is another agent, and so is an app.
    fixture.api.delete(&format!("/v1/identities/{bob}")).await.expect(204);
    let bob = fixture.api.post("/v1/identities", json!({ "client_id": "bob" })).await.expect(201).text("id").to_owned();
    fixture.developer.delete(&format!("/v1/identity/clients/{}", one.id)).await.expect(204);
    let one = fixture.app("verify_only").await;
    all.extend([sub(&one, &ann).await, sub(&one, &bob).await, sub(&two, &bob).await]);
    let unique: std::collections::HashSet<&String> = all.iter().collect();
    assert_eq!(unique.len(), all.len(), "{all:?}");
    assert!(all.iter().all(|sub| !sub.contains(&ann) && !sub.contains(&bob)));
    let public = fixture.app_with("verify_only", json!({ "subject_type": "public" })).await;
    assert_eq!(sub(&public, &ann).await, ann);
    fixture.server.finish().await;
}

#[tokio::test]
async fn the_form_of_a_request_is_checked() {
    let fixture = IdentityFixture::open().await;
    let app = fixture.app("verify_only").await;
    for (name, value) in [
        ("expires_in", json!(29)),
        ("expires_in", json!(301)),
        ("nonce", json!("")),
        ("nonce", json!("n".repeat(257))),
        ("scope", json!("openid admin")),
        ("audience", json!("")),
        ("bogus", json!(1)),
    ] {
        fixture.mint(&app, json!({ name: value })).await.invalid_fields(&[name]);
    }
    for seconds in [30, 300] {
        let reply = fixture.mint(&app, json!({ "expires_in": seconds, "nonce": "n".repeat(256) })).await.expect(201);
        let found = claims(reply.text("id_token"));
        assert_eq!(found["exp"].as_i64().unwrap() - found["iat"].as_i64().unwrap(), seconds);
    }
    let unknown = super::TestApp { client_id: "appc_unknown".to_owned(), ..app.clone() };
    fixture.mint(&unknown, json!({})).await.error("not_found");
    let client = format!("/v1/identity/clients/{}", app.id);
    fixture.developer.patch(&client, json!({ "enabled": false })).await.expect(200);
    fixture.mint(&app, json!({})).await.error("client_disabled");
    fixture.developer.delete(&client).await.expect(204);
    fixture.mint(&app, json!({})).await.error("not_found");
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_key_of_another_inbox_sees_no_agent() {
    let fixture = IdentityFixture::open().await;
    let app = fixture.app("verify_only").await;
    let other = fixture.server.inbox(&fixture.key).await;
    let narrow = fixture.server.key(&fixture.key, "identity:sign,identity:manage,inboxes:read", Scope::Inbox(other.id));
    let api = fixture.server.api(&narrow.await);
    api.post(&fixture.path("identity-token"), json!({ "audience": app.client_id })).await.error("not_found");
    api.get(&fixture.path("identity")).await.error("not_found");
    api.get(&fixture.path("identity/sign-ins")).await.error("not_found");
    api.patch(&fixture.path("identity"), json!({ "enabled": false })).await.error("not_found");
    let own = format!("/v1/inboxes/{}/identity-token", other.id);
    api.post(&own, json!({ "audience": app.client_id })).await.expect(201);
    fixture.developer.post(&own, json!({ "audience": app.client_id })).await.error("not_found");
    fixture.server.finish().await;
}

#[tokio::test]
async fn an_agent_gets_60_tokens_a_minute() {
    let fixture = IdentityFixture::open().await;
    let app = fixture.app("verify_only").await;
    for _ in 0..60 {
        fixture.mint(&app, json!({})).await.expect(201);
    }
    let refused = fixture.mint(&app, json!({})).await.error("rate_limited");
    assert_eq!(refused["error"]["details"]["limit"], "identity_tokens_per_agent");
    fixture.server.advance(60_000).await;
    fixture.mint(&app, json!({})).await.expect(201);
    fixture.server.finish().await;
}

#[tokio::test]
async fn tokens_verify_across_a_rotation_of_the_keys() {
    let fixture = IdentityFixture::open().await;
    let app = fixture.app("verify_only").await;
    let before = fixture.mint(&app, json!({})).await.expect(201).text("id_token").to_owned();
    posthouse_app::signing::keys::rotate(fixture.server.service(), SigningPurpose::Identity).await.unwrap();
    fixture.server.advance(11 * 60_000).await;
    let after = fixture.mint(&app, json!({})).await.expect(201).text("id_token").to_owned();
    let kid = |token: &str| CompactJws::parse(token).unwrap().header["kid"].clone();
    assert_ne!(kid(&before), kid(&after));
    assert!(is_verified(&fixture, &before).await && is_verified(&fixture, &after).await);
    let revoked = kid(&after).as_str().unwrap().to_owned();
    posthouse_app::signing::keys::revoke(fixture.server.service(), &revoked).await.unwrap();
    assert!(!is_verified(&fixture, &after).await, "a revoked key is not published");
    fixture.server.finish().await;
}

#[tokio::test]
async fn discovery_names_the_endpoints() {
    let fixture = IdentityFixture::open().await;
    let anonymous = fixture.server.anonymous();
    let document = anonymous.get("/oidc/.well-known/openid-configuration").await.expect(200);
    let issuer = document.text("issuer").to_owned();
    for (member, path) in [
        ("authorization_endpoint", "/authorize"),
        ("token_endpoint", "/token"),
        ("userinfo_endpoint", "/userinfo"),
        ("jwks_uri", "/.well-known/jwks.json"),
    ] {
        assert_eq!(document.text(member), format!("{issuer}{path}"));
    }
    assert_eq!(document["code_challenge_methods_supported"], json!(["S256"]));
    assert_eq!(document["authorization_response_iss_parameter_supported"], true);
    assert_eq!(document["id_token_signing_alg_values_supported"], json!(["ES256"]));
    assert_eq!(document.header("access-control-allow-origin"), Some("*"));
    for path in ["/.well-known/oauth-authorization-server/oidc", "/oidc/.well-known/oauth-authorization-server"] {
        assert_eq!(anonymous.get(path).await.expect(200).json, document.json);
    }
    let keys = anonymous.get("/oidc/.well-known/jwks.json").await.expect(200);
    assert!(keys["keys"][0].get("d").is_none() && keys["keys"].as_array().unwrap().len() == 1);
    fixture.server.finish().await;
}
