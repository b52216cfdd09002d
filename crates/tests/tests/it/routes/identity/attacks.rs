//! Attacks on the browser flow (RFC 9700 §4, RFC 9207), one test each.

use serde_json::json;

use super::{CALLBACK, IdentityFixture, VERIFIER, oauth_error, returned, value};

#[tokio::test]
async fn a_replayed_code_ends_what_was_issued_for_it() {
    let fixture = IdentityFixture::open().await;
    let app = fixture.app("confidential").await;
    let code = fixture.code(&app, &[]).await;
    let token = fixture.redeem(&app, &code).await.expect(200).text("access_token").to_owned();
    fixture.userinfo(&token).await.expect(200);
    oauth_error(&fixture.redeem(&app, &code).await, 400, "invalid_grant");
    oauth_error(&fixture.userinfo(&token).await, 401, "invalid_token");
    // The code is still known after the sign-in has expired.
    let code = fixture.code(&app, &[]).await;
    let token = fixture.redeem(&app, &code).await.expect(200).text("access_token").to_owned();
    fixture.server.advance(30 * 60_000).await;
    oauth_error(&fixture.redeem(&app, &code).await, 400, "invalid_grant");
    oauth_error(&fixture.userinfo(&token).await, 401, "invalid_token");
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_stolen_code_is_useless_to_another_app() {
    let fixture = IdentityFixture::open().await;
    let (victim, attacker) = (fixture.app("confidential").await, fixture.app("confidential").await);
    let code = fixture.code(&victim, &[]).await;
    oauth_error(&fixture.redeem(&attacker, &code).await, 400, "invalid_grant");
    fixture.redeem(&victim, &code).await.expect(200);
    fixture.server.finish().await;
}

#[tokio::test]
async fn an_injected_code_fails_without_its_verifier() {
    let fixture = IdentityFixture::open().await;
    for kind in ["confidential", "public"] {
        let app = fixture.app(kind).await;
        let code = fixture.code(&app, &[]).await;
        let grant = [("grant_type", "authorization_code"), ("code", code.as_str()), ("redirect_uri", CALLBACK)];
        oauth_error(&fixture.token(&app, &grant).await, 400, "invalid_grant");
        for wrong in [&VERIFIER.replace('d', "e"), "short", &"a".repeat(129)] {
            let pairs = [&grant[..], &[("code_verifier", wrong)]].concat();
            oauth_error(&fixture.token(&app, &pairs).await, 400, "invalid_grant");
        }
        fixture.redeem(&app, &code).await.expect(200);
    }
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_sign_in_without_a_challenge_accepts_no_verifier() {
    let fixture = IdentityFixture::open().await;
    let app = fixture.app("confidential").await;
    let code = fixture.code(&app, &[("code_challenge", None), ("code_challenge_method", None)]).await;
    oauth_error(&fixture.redeem(&app, &code).await, 400, "invalid_grant");
    let grant = [("grant_type", "authorization_code"), ("code", code.as_str()), ("redirect_uri", CALLBACK)];
    fixture.token(&app, &grant).await.expect(200);
    fixture.server.finish().await;
}

#[tokio::test]
async fn the_redirect_uri_is_the_same_to_the_byte() {
    let fixture = IdentityFixture::open().await;
    let second = "https://app.example/other";
    let app = fixture.app_with("confidential", json!({ "redirect_uris": [CALLBACK, second] })).await;
    let code = fixture.code(&app, &[]).await;
    for wrong in
        [second, &CALLBACK[..CALLBACK.len() - 1], "https://app.example/callback/", "HTTPS://app.example/callback"]
    {
        let pairs = [
            ("grant_type", "authorization_code"),
            ("code", code.as_str()),
            ("redirect_uri", wrong),
            ("code_verifier", VERIFIER),
        ];
        oauth_error(&fixture.token(&app, &pairs).await, 400, "invalid_grant");
    }
    let without = [("grant_type", "authorization_code"), ("code", code.as_str()), ("code_verifier", VERIFIER)];
    oauth_error(&fixture.token(&app, &without).await, 400, "invalid_request");
    fixture.redeem(&app, &code).await.expect(200);
    fixture.server.finish().await;
}

#[tokio::test]
async fn every_response_names_the_issuer_against_mix_up() {
    let fixture = IdentityFixture::open().await;
    let app = fixture.app("public").await;
    let issuer = fixture.server.anonymous().get("/oidc/.well-known/openid-configuration").await.expect(200);
    let issuer = issuer.text("issuer").to_owned();
    let refused = returned(&fixture.authorize(&app, &[("response_type", Some("token"))]).await);
    let waiting = fixture.waiting(&app, &[]).await;
    fixture.approve(&waiting).await.expect(200);
    let back = returned(&fixture.server.anonymous().get(&waiting.page).await);
    assert_eq!((value(&refused, "iss"), value(&back, "iss")), (issuer.clone(), issuer));
    fixture.server.finish().await;
}

#[tokio::test]
async fn an_approval_reaches_only_the_browser_that_shows_its_code() {
    let fixture = IdentityFixture::open().await;
    let app = fixture.app("public").await;
    let (victim, attacker) = (fixture.waiting(&app, &[]).await, fixture.waiting(&app, &[]).await);
    assert_ne!(victim.code, attacker.code);
    fixture.approve(&victim).await.expect(200);
    let anonymous = fixture.server.anonymous();
    anonymous.get(&attacker.page).await.expect(200);
    // The code that is shown leads to no page, and the page's secret is no code.
    anonymous.get(&format!("/oidc/authorize/{}", victim.code)).await.expect(400);
    let secret = attacker.page.rsplit('/').next().unwrap();
    oauth_error(&fixture.redeem(&app, secret).await, 400, "invalid_grant");
    returned(&anonymous.get(&victim.page).await);
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_code_is_worthless_before_its_browser_got_it() {
    let fixture = IdentityFixture::open().await;
    let app = fixture.app("public").await;
    let waiting = fixture.waiting(&app, &[]).await;
    // A program that knows the page can compute the code, but not redeem it before the approval.
    let secret = waiting.page.rsplit('/').next().unwrap();
    let digest = <sha2::Sha256 as sha2::Digest>::digest(format!("posthouse: authorization code\n{secret}"));
    let code = base64::Engine::encode(&base64::engine::general_purpose::URL_SAFE_NO_PAD, digest);
    oauth_error(&fixture.redeem(&app, &code).await, 400, "invalid_grant");
    fixture.approve(&waiting).await.expect(200);
    oauth_error(&fixture.redeem(&app, &code).await, 400, "invalid_grant");
    assert_eq!(value(&returned(&fixture.server.anonymous().get(&waiting.page).await), "code"), code);
    fixture.redeem(&app, &code).await.expect(200);
    fixture.server.finish().await;
}

#[tokio::test]
async fn secrets_are_not_stored_in_plain_text() {
    let fixture = IdentityFixture::open().await;
    let app = fixture.app("confidential").await;
    let waiting = fixture.waiting(&app, &[]).await;
    fixture.approve(&waiting).await.expect(200);
    let code = value(&returned(&fixture.server.anonymous().get(&waiting.page).await), "code");
    let token = fixture.redeem(&app, &code).await.expect(200).text("access_token").to_owned();
    let page = waiting.page.rsplit('/').next().unwrap().to_owned();
    fixture.server.settle().await;
    for secret in [app.secret.clone().unwrap(), code, token, page] {
        for line in fixture.server.log.lines() {
            assert!(!line.to_string().contains(&secret), "{line}");
        }
    }
    fixture.server.finish().await;
}
