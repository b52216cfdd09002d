//! Forged, altered and misdirected identity tokens at the token endpoint (RFC 8725).

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use posthouse_app::signing::sign;
use posthouse_domain::signing_key::SigningPurpose;
use posthouse_mail::jose::{
    jws::{JwsHeader, sign_compact},
    key::Es256Key,
};
use serde_json::{Value, json};

use super::{IdentityFixture, TestApp, claims, oauth_error};

const ASSERTION: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";

async fn exchange(fixture: &IdentityFixture, app: &TestApp, token: &str) -> posthouse_tests::http::ApiResponse {
    fixture.token(app, &[("grant_type", ASSERTION), ("assertion", token)]).await
}

fn part(value: &Value) -> String {
    URL_SAFE_NO_PAD.encode(value.to_string())
}

#[tokio::test]
async fn only_a_signature_of_the_service_counts() {
    let fixture = IdentityFixture::open().await;
    let app = fixture.app("confidential").await;
    let genuine = fixture.mint(&app, json!({})).await.expect(201).text("id_token").to_owned();
    let claims = claims(&genuine);
    let header: Value =
        serde_json::from_slice(&URL_SAFE_NO_PAD.decode(genuine.split('.').next().unwrap()).unwrap()).unwrap();
    let kid = header["kid"].as_str().unwrap();
    let [_, body, signature] = genuine.split('.').collect::<Vec<_>>()[..] else { panic!("{genuine}") };
    let own = Es256Key::generate().unwrap();
    let mut changed = claims.clone();
    changed["sub"] = "another agent".into();
    let with = |name: &str, value: Value| {
        let mut header = header.clone();
        header[name] = value;
        part(&header)
    };
    let jwk = own.public().to_json();
    let service = sign::signer(fixture.server.service(), SigningPurpose::AgentMessages).await.unwrap();
    let forged = [
        ("no signature", format!("{}.{body}.", with("alg", json!("none")))),
        ("a cut signature", format!("{}.{body}.{}", part(&header), &signature[..signature.len() - 2])),
        ("none in another case", format!("{}.{body}.", with("alg", json!("NoNe")))),
        ("a symmetric algorithm", format!("{}.{body}.{signature}", with("alg", json!("HS256")))),
        ("an unknown algorithm", format!("{}.{body}.{signature}", with("alg", json!("ES384")))),
        ("the algorithm of other keys", format!("{}.{body}.{signature}", with("alg", json!("EdDSA")))),
        ("changed claims", format!("{}.{}.{signature}", part(&header), part(&changed))),
        ("a foreign key", sign_compact(&own, JwsHeader { typ: "JWT", kid }, &claims).unwrap()),
        (
            "an unknown key",
            sign_compact(&own, JwsHeader { typ: "JWT", kid: &own.public().thumbprint() }, &claims).unwrap(),
        ),
        ("a key in the header", format!("{}.{body}.{signature}", with("jwk", jwk))),
        ("a critical extension", format!("{}.{body}.{signature}", with("crit", json!(["exp"])))),
        ("another type", format!("{}.{body}.{signature}", with("typ", json!("at+jwt")))),
        ("a key of another purpose", service.sign("JWT", &claims).unwrap()),
        ("white space", format!("{} .{body}.{signature}", part(&header))),
        ("four parts", format!("{genuine}.x")),
        ("a long text", "a".repeat(10_000)),
        ("nothing", ".".to_owned()),
    ];
    for (what, token) in forged {
        let reply = exchange(&fixture, &app, &token).await;
        assert_eq!(reply.status, 400, "{what}: {reply}");
        oauth_error(&reply, 400, "invalid_grant");
    }
    exchange(&fixture, &app, &genuine).await.expect(200);
    fixture.server.finish().await;
}

#[tokio::test]
async fn claims_of_the_service_itself_are_checked_too() {
    let fixture = IdentityFixture::open().await;
    let app = fixture.app("confidential").await;
    let genuine = claims(fixture.mint(&app, json!({})).await.expect(201).text("id_token"));
    let signer = sign::signer(fixture.server.service(), SigningPurpose::Identity).await.unwrap();
    let now = genuine["iat"].as_i64().unwrap();
    let changed = |changes: Value| {
        let mut claims = genuine.clone();
        claims.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        signer.sign("JWT", &claims).unwrap()
    };
    for (what, changes) in [
        ("expired", json!({ "iat": now - 600, "exp": now })),
        ("from the future", json!({ "iat": now + 31, "exp": now + 300 })),
        ("not valid yet", json!({ "nbf": now + 60 })),
        ("another issuer", json!({ "iss": "https://evil.example/oidc" })),
        ("the issuer with a slash", json!({ "iss": format!("{}/", genuine["iss"].as_str().unwrap()) })),
        ("another audience", json!({ "aud": "appc_other" })),
        ("several audiences", json!({ "aud": [app.client_id, "appc_other"] })),
        ("an id that no agent requested", json!({ "jti": "0199a000-0000-7000-8000-000000000000" })),
        ("without an id", json!({ "jti": null })),
    ] {
        let reply = exchange(&fixture, &app, &changed(changes)).await;
        assert_eq!(reply.status, 400, "{what}: {reply}");
        oauth_error(&reply, 400, "invalid_grant");
    }
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_token_for_one_app_is_refused_for_another() {
    let fixture = IdentityFixture::open().await;
    let (one, two) = (fixture.app("confidential").await, fixture.app("confidential").await);
    let token = fixture.mint(&one, json!({})).await.expect(201).text("id_token").to_owned();
    oauth_error(&exchange(&fixture, &two, &token).await, 400, "invalid_grant");
    exchange(&fixture, &one, &token).await.expect(200);
    fixture.server.finish().await;
}

#[tokio::test]
async fn an_old_token_is_refused() {
    let fixture = IdentityFixture::open().await;
    let app = fixture.app("confidential").await;
    let token = fixture.mint(&app, json!({ "expires_in": 30 })).await.expect(201).text("id_token").to_owned();
    fixture.server.clock.advance(30_000);
    oauth_error(&exchange(&fixture, &app, &token).await, 400, "invalid_grant");
    fixture.server.finish().await;
}

#[tokio::test]
async fn the_token_of_a_sign_in_in_a_browser_is_not_exchanged() {
    let fixture = IdentityFixture::open().await;
    let app = fixture.app("confidential").await;
    let code = fixture.code(&app, &[]).await;
    let token = fixture.redeem(&app, &code).await.expect(200).text("id_token").to_owned();
    oauth_error(&exchange(&fixture, &app, &token).await, 400, "invalid_grant");
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_token_signed_with_a_revoked_key_is_refused() {
    let fixture = IdentityFixture::open().await;
    let app = fixture.app("confidential").await;
    let kid = sign::signer(fixture.server.service(), SigningPurpose::Identity).await.unwrap().kid().to_owned();
    fixture.server.clock.advance(1_000);
    let token = fixture.mint(&app, json!({})).await.expect(201).text("id_token").to_owned();
    // A token of before too: who stole the key chooses its times.
    fixture.server.clock.advance(5_000);
    posthouse_app::signing::keys::revoke(fixture.server.service(), &kid).await.unwrap();
    fixture.server.clock.advance(1_000);
    let later = fixture.mint(&app, json!({})).await.expect(201).text("id_token").to_owned();
    exchange(&fixture, &app, &later).await.expect(200);
    oauth_error(&exchange(&fixture, &app, &token).await, 400, "invalid_grant");
    fixture.server.finish().await;
}
