//! The browser flow: the authorization endpoint and the waiting page.

use posthouse_domain::time::MINUTE_MS;
use serde_json::json;

use super::{CALLBACK, IdentityFixture, VERIFIER, claims, form, post_form, returned, value};

#[tokio::test]
async fn a_browser_waits_for_the_agent_and_returns_to_the_app() {
    let fixture = IdentityFixture::open().await;
    let app = fixture.app("confidential").await;
    let waiting = fixture.waiting(&app, &[]).await;
    assert_eq!(waiting.code.len(), 9, "{}", waiting.code);
    let anonymous = fixture.server.anonymous();
    let page = anonymous.get(&waiting.page).await.expect(200);
    let policy = page.header("content-security-policy").unwrap().to_owned();
    assert!(policy.starts_with("default-src 'none'") && policy.contains("frame-ancestors 'none'"), "{policy}");
    assert_eq!((page.header("refresh"), page.header("cache-control")), (Some("3"), Some("no-store")));
    assert_eq!((page.header("referrer-policy"), page.header("x-robots-tag")), (Some("no-referrer"), Some("noindex")));
    let html = String::from_utf8(page.bytes).unwrap();
    assert!(html.contains("Travel desk") && html.contains("app.example") && !html.contains("<script"), "{html}");

    let decided = fixture.approve(&waiting).await.expect(200);
    let expected = json!({
        "code": waiting.code, "client_id": app.client_id, "client_name": "Travel desk", "approved": true,
    });
    assert_eq!(decided.json, expected);
    fixture.approve(&waiting).await.error("not_found");
    let back = returned(&anonymous.get(&waiting.page).await);
    assert_eq!(value(&back, "state"), "s-1");
    assert!(value(&back, "iss").ends_with("/oidc"));
    let again = returned(&anonymous.get(&waiting.page).await);
    assert_eq!(again, back, "reloading the page returns the same code");

    let tokens = fixture.redeem(&app, &value(&back, "code")).await.expect(200);
    assert_eq!((tokens.text("token_type"), tokens["expires_in"].as_i64()), ("Bearer", Some(3_600)));
    assert_eq!((tokens.header("cache-control"), tokens.header("pragma")), (Some("no-store"), Some("no-cache")));
    let token = claims(tokens.text("id_token"));
    assert_eq!((&token["nonce"], &token["aud"]), (&json!("n-1"), &json!(app.client_id)));
    assert_eq!(token["auth_time"], token["iat"], "approved in this second");
    let info = fixture.userinfo(tokens.text("access_token")).await.expect(200);
    for member in ["sub", "email", "email_verified", "name", "preferred_username"] {
        assert_eq!(info[member], token[member], "{member}");
    }
    assert!(info.json.get("aud").is_none() && info.json.get("nonce").is_none());
    anonymous.get(&waiting.page).await.expect(400);
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_denied_sign_in_returns_an_error() {
    let fixture = IdentityFixture::open().await;
    let app = fixture.app("public").await;
    let waiting = fixture.waiting(&app, &[]).await;
    let path = fixture.path(&format!("identity/approvals/{}", waiting.code));
    assert_eq!(fixture.api.post(&path, json!({ "approve": false })).await.expect(200)["approved"], false);
    let back = returned(&fixture.server.anonymous().get(&waiting.page).await);
    assert_eq!((value(&back, "error"), value(&back, "state")), ("access_denied".to_owned(), "s-1".to_owned()));
    fixture.server.finish().await;
}

#[tokio::test]
async fn problems_of_app_or_redirect_uri_are_shown_and_never_redirected() {
    let fixture = IdentityFixture::open().await;
    let app = fixture.app("confidential").await;
    let verifier = fixture.app("verify_only").await;
    let longer = format!("{CALLBACK}/");
    let shorter = &CALLBACK[..CALLBACK.len() - 1];
    let in_case = CALLBACK.replace("app", "App");
    let with_query = format!("{CALLBACK}?x=1");
    for changes in [
        vec![("client_id", None)],
        vec![("client_id", Some("appc_unknown"))],
        vec![("client_id", Some(verifier.client_id.as_str()))],
        vec![("redirect_uri", None)],
        vec![("redirect_uri", Some(longer.as_str()))],
        vec![("redirect_uri", Some(shorter))],
        vec![("redirect_uri", Some(in_case.as_str()))],
        vec![("redirect_uri", Some(with_query.as_str()))],
        vec![("redirect_uri", Some("https://evil.example/callback"))],
        vec![("redirect_uri", Some("https://app.example/callback@evil.example"))],
        vec![("redirect_uri", Some("javascript:alert(1)"))],
        vec![("redirect_uri", Some(CALLBACK)), ("redirect_uri", Some("https://evil.example/"))],
        vec![("client_id", Some(app.client_id.as_str())), ("client_id", Some("x"))],
    ] {
        let reply = fixture.authorize(&app, &changes).await.expect(400);
        assert_eq!(reply.header("location"), None, "{changes:?}");
        assert_eq!(reply.header("content-type"), Some("text/html; charset=utf-8"));
    }
    // What strangers choose is shown as text.
    let reply = fixture.authorize(&app, &[("redirect_uri", Some("https://x.example/<script>"))]).await.expect(400);
    assert!(!String::from_utf8(reply.bytes).unwrap().contains("<script"));
    fixture.server.finish().await;
}

#[tokio::test]
async fn problems_of_the_request_return_to_the_app() {
    let fixture = IdentityFixture::open().await;
    let (secret, public) = (fixture.app("confidential").await, fixture.app("public").await);
    for (app, changes, code) in [
        (&secret, vec![("response_type", Some("token"))], "unsupported_response_type"),
        (&secret, vec![("response_type", Some("code id_token"))], "unsupported_response_type"),
        (&secret, vec![("response_type", None)], "invalid_request"),
        (&secret, vec![("response_mode", Some("fragment"))], "invalid_request"),
        (&secret, vec![("scope", Some("email"))], "invalid_scope"),
        (&secret, vec![("request", Some("a.b.c"))], "request_not_supported"),
        (&secret, vec![("request_uri", Some("https://x.example"))], "request_uri_not_supported"),
        (&secret, vec![("nonce", Some(&"n".repeat(257)))], "invalid_request"),
        (&secret, vec![("scope", Some("openid")), ("scope", Some("openid"))], "invalid_request"),
        (&secret, vec![("code_challenge_method", Some("plain"))], "invalid_request"),
        (&secret, vec![("code_challenge_method", None)], "invalid_request"),
        (&secret, vec![("code_challenge", Some("short"))], "invalid_request"),
        (&secret, vec![("code_challenge", None)], "invalid_request"),
        (&secret, vec![("code_challenge", None), ("code_challenge_method", None), ("nonce", None)], "invalid_request"),
        (&public, vec![("code_challenge", None), ("code_challenge_method", None)], "invalid_request"),
        (
            &public,
            vec![("code_challenge_method", Some("plain")), ("code_challenge", Some(VERIFIER))],
            "invalid_request",
        ),
    ] {
        let back = returned(&fixture.authorize(app, &changes).await);
        assert_eq!(value(&back, "error"), code, "{changes:?}");
        assert_eq!(value(&back, "state"), "s-1", "{changes:?}");
        assert!(value(&back, "iss").ends_with("/oidc"));
        assert!(back.iter().all(|(name, _)| name != "code"));
    }
    // An app with a secret may rely on its nonce.
    fixture.waiting(&secret, &[("code_challenge", None), ("code_challenge_method", None)]).await;
    // Unknown scopes and parameters are ignored.
    fixture.waiting(&public, &[("scope", Some("openid offline_access")), ("display", Some("page"))]).await;
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_sign_in_expires() {
    let fixture = IdentityFixture::open().await;
    let app = fixture.app("public").await;
    let anonymous = fixture.server.anonymous();
    let (late, unused) = (fixture.waiting(&app, &[]).await, fixture.waiting(&app, &[]).await);
    fixture.approve(&unused).await.expect(200);
    let code = value(&returned(&anonymous.get(&unused.page).await), "code");
    fixture.server.clock.advance(MINUTE_MS);
    super::oauth_error(&fixture.redeem(&app, &code).await, 400, "invalid_grant");
    anonymous.get(&unused.page).await.expect(400);
    fixture.server.clock.advance(9 * MINUTE_MS);
    fixture.approve(&late).await.error("not_found");
    anonymous.get(&late.page).await.expect(400);
    anonymous.get("/oidc/authorize/unknown").await.expect(400);
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_sign_in_may_begin_with_a_form() {
    let fixture = IdentityFixture::open().await;
    let app = fixture.app("confidential").await;
    let pairs = [
        ("response_type", "code"),
        ("client_id", app.client_id.as_str()),
        ("redirect_uri", CALLBACK),
        ("scope", "openid"),
        ("nonce", "n"),
    ];
    let reply = post_form(&fixture.server.anonymous(), "/oidc/authorize", &pairs).await.expect(303);
    assert!(reply.header("location").unwrap().contains("/oidc/authorize/"));
    assert!(!form(&pairs).is_empty());
    fixture.server.finish().await;
}

#[tokio::test]
async fn an_address_that_began_too_many_sign_ins_returns_to_the_app() {
    let fixture = IdentityFixture::limited(|limits| limits.sign_ins_per_address = Some(3)).await;
    let app = fixture.app("public").await;
    // What begins nothing doesn't count.
    for changes in [("client_id", Some("appc_unknown")), ("redirect_uri", None), ("prompt", Some("none"))] {
        for _ in 0..5 {
            fixture.authorize(&app, &[changes]).await;
        }
    }
    for _ in 0..3 {
        fixture.authorize(&app, &[]).await.expect(303);
    }
    let back = returned(&fixture.authorize(&app, &[]).await);
    assert_eq!(
        (value(&back, "error"), value(&back, "state")),
        ("temporarily_unavailable".to_owned(), "s-1".to_owned())
    );
    fixture.server.advance(10 * MINUTE_MS).await;
    let location = fixture.authorize(&app, &[]).await.expect(303);
    assert!(location.header("location").unwrap().contains("/oidc/authorize/"));
    fixture.server.finish().await;
}

#[tokio::test]
async fn head_begins_and_delivers_nothing() {
    let fixture = IdentityFixture::limited(|limits| limits.sign_ins_per_address = Some(1)).await;
    let app = fixture.app("public").await;
    let target = fixture.authorize_target(&app, &[]);
    for _ in 0..3 {
        let reply = fixture.server.anonymous().send(reqwest::Method::HEAD, &target, None).await.expect(200);
        assert_eq!(reply.header("location"), None);
    }
    let waiting = fixture.waiting(&app, &[]).await;
    fixture.approve(&waiting).await.expect(200);
    let reply = fixture.server.anonymous().send(reqwest::Method::HEAD, &waiting.page, None).await.expect(200);
    assert_eq!(reply.header("location"), None);
    fixture.server.advance(2 * MINUTE_MS).await;
    let back = returned(&fixture.server.anonymous().get(&waiting.page).await);
    fixture.redeem(&app, &value(&back, "code")).await.expect(200);
    fixture.server.finish().await;
}
