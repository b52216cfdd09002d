//! Errors of the token and userinfo endpoints have the form of OAuth 2.0, whichever check refuses.

use reqwest::Method;
use serde_json::json;

use super::{FORM, IdentityFixture, form, oauth_error};

#[tokio::test]
async fn every_refusal_has_the_form_of_oauth() {
    let fixture = IdentityFixture::open().await;
    let anonymous = fixture.server.anonymous();
    let large = format!("x={}", "x".repeat(64 * 1024));
    oauth_error(&anonymous.post("/oidc/token", json!({})).await, 415, "invalid_request");
    oauth_error(&anonymous.raw(Method::POST, "/oidc/token", FORM, large).await, 413, "invalid_request");
    // A method that an endpoint doesn't have is no request of OAuth.
    anonymous.get("/oidc/token").await.error("method_not_allowed");
    anonymous.delete("/oidc/userinfo").await.error("method_not_allowed");
    fixture.server.finish().await;
}

#[tokio::test]
async fn unknown_parameters_of_the_query_are_ignored() {
    let fixture = IdentityFixture::open().await;
    let app = fixture.app("confidential").await;
    let assertion = fixture.mint(&app, json!({})).await.expect(201).text("id_token").to_owned();
    let pairs = [("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"), ("assertion", assertion.as_str())];
    let api = fixture.basic(&app.client_id, app.secret.as_deref().unwrap());
    let tokens = api.raw(Method::POST, "/oidc/token?x=1&client_id=other", FORM, form(&pairs)).await.expect(200);
    let api = fixture.server.anonymous().with_key(tokens.text("access_token"));
    api.get("/oidc/userinfo?x=1&schema=openid").await.expect(200);
    for path in ["/oidc/.well-known/openid-configuration?v=2", "/oidc/.well-known/jwks.json?v=2"] {
        fixture.server.anonymous().get(path).await.expect(200);
    }
    fixture.server.finish().await;
}

#[tokio::test]
async fn targets_of_an_exchange_may_be_repeated() {
    let fixture = IdentityFixture::open().await;
    let app = fixture.app("confidential").await;
    let metadata = fixture.server.anonymous().get("/oidc/.well-known/openid-configuration").await.expect(200);
    let issuer = metadata.text("issuer");
    for (targets, is_known) in [
        (vec![("resource", issuer), ("resource", issuer), ("audience", issuer)], true),
        (vec![("resource", issuer), ("resource", "https://other.example")], false),
        (vec![("audience", "other")], false),
    ] {
        let token = fixture.mint(&app, json!({})).await.expect(201).text("id_token").to_owned();
        let mut pairs = vec![
            ("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"),
            ("subject_token", token.as_str()),
            ("subject_token_type", "urn:ietf:params:oauth:token-type:id_token"),
        ];
        pairs.extend(targets);
        let reply = fixture.token(&app, &pairs).await;
        if is_known {
            reply.expect(200);
        } else {
            oauth_error(&reply, 400, "invalid_target");
        }
    }
    fixture.server.finish().await;
}
