//! The token endpoint: how apps authenticate, and its grants.

use serde_json::json;

use super::{CALLBACK, IdentityFixture, VERIFIER, form, oauth_error, post_form};

const ASSERTION: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const EXCHANGE: &str = "urn:ietf:params:oauth:grant-type:token-exchange";
const ACCESS_TOKEN: &str = "urn:ietf:params:oauth:token-type:access_token";
const ID_TOKEN: &str = "urn:ietf:params:oauth:token-type:id_token";

#[tokio::test]
async fn an_app_authenticates_as_its_type_requires() {
    let fixture = IdentityFixture::open().await;
    let (secret, public) = (fixture.app("confidential").await, fixture.app("public").await);
    let anonymous = fixture.server.anonymous();
    let own = secret.secret.clone().unwrap();
    let code = fixture.code(&secret, &[]).await;
    let grant = |code| {
        [("grant_type", "authorization_code"), ("code", code), ("redirect_uri", CALLBACK), ("code_verifier", VERIFIER)]
    };
    let send = async |api: &posthouse_tests::http::Api, more: &[(&str, &str)]| {
        post_form(api, "/oidc/token", &[&grant(&code), more].concat()).await
    };
    let id = ("client_id", secret.client_id.as_str());
    for (api, more) in [
        (anonymous.clone(), vec![]),
        (anonymous.clone(), vec![id]),
        (anonymous.clone(), vec![id, ("client_secret", "apps_wrong")]),
        (anonymous.clone(), vec![("client_id", "appc_unknown"), ("client_secret", &own)]),
        (fixture.basic(&secret.client_id, "apps_wrong"), vec![]),
        (fixture.basic(&secret.client_id, ""), vec![]),
        (anonymous.with_header("Authorization", "Basic ???"), vec![]),
    ] {
        let reply = send(&api, &more).await;
        oauth_error(&reply, 401, "invalid_client");
        assert_eq!(reply.header("www-authenticate"), Some("Basic realm=\"posthouse\""));
    }
    let twice = fixture.basic(&secret.client_id, &own);
    oauth_error(&send(&twice, &[("client_secret", &own)]).await, 400, "invalid_request");
    oauth_error(&send(&twice, &[("client_id", &public.client_id)]).await, 400, "invalid_request");
    send(&anonymous, &[id, ("client_secret", &own)]).await.expect(200);
    let code = fixture.code(&public, &[]).await;
    let with_secret = [("client_id", public.client_id.as_str()), ("client_secret", "apps_x")];
    let pairs = [&grant(&code)[..], &with_secret].concat();
    oauth_error(&post_form(&anonymous, "/oidc/token", &pairs).await, 401, "invalid_client");
    fixture.redeem(&public, &code).await.expect(200);
    fixture.server.finish().await;
}

#[tokio::test]
async fn the_form_of_a_grant_is_checked() {
    let fixture = IdentityFixture::open().await;
    let app = fixture.app("confidential").await;
    for (pairs, code) in [
        (vec![], "invalid_request"),
        (vec![("grant_type", "password")], "unsupported_grant_type"),
        (vec![("grant_type", "client_credentials")], "unsupported_grant_type"),
        (vec![("grant_type", "authorization_code")], "invalid_request"),
        (vec![("grant_type", "authorization_code"), ("code", "x"), ("code", "y")], "invalid_request"),
        (vec![("grant_type", ASSERTION)], "invalid_request"),
        (vec![("grant_type", ASSERTION), ("assertion", "x")], "invalid_grant"),
        (vec![("grant_type", EXCHANGE), ("subject_token", "x")], "invalid_request"),
        (vec![("grant_type", EXCHANGE), ("subject_token", "x"), ("subject_token_type", "x")], "invalid_request"),
        (vec![("grant_type", EXCHANGE), ("subject_token", "x"), ("subject_token_type", ACCESS_TOKEN)], "invalid_grant"),
    ] {
        oauth_error(&fixture.token(&app, &pairs).await, 400, code);
    }
    let verifier = fixture.app("verify_only").await;
    let pairs = [("grant_type", "authorization_code"), ("code", "x"), ("redirect_uri", CALLBACK)];
    oauth_error(&fixture.token(&verifier, &pairs).await, 400, "unauthorized_client");
    fixture.server.finish().await;
}

#[tokio::test]
async fn an_identity_token_is_exchanged_once() {
    let fixture = IdentityFixture::open().await;
    for kind in ["confidential", "public", "verify_only"] {
        let app = fixture.app(kind).await;
        let minted = fixture.mint(&app, json!({})).await.expect(201);
        let grant = [("grant_type", ASSERTION), ("assertion", minted.text("id_token"))];
        let tokens = fixture.token(&app, &grant).await.expect(200);
        assert_eq!((tokens.text("scope"), tokens["expires_in"].as_i64()), ("openid email", Some(3_600)));
        assert!(tokens.json.get("id_token").is_none() && tokens.json.get("issued_token_type").is_none());
        let info = fixture.userinfo(tokens.text("access_token")).await.expect(200);
        assert_eq!(info["sub"], minted["sub"]);
        let again = fixture.token(&app, &grant).await;
        oauth_error(&again, 400, "invalid_grant");
        assert!(again.text("error_description").contains("before"), "{again}");
    }
    let app = fixture.app("public").await;
    let minted = fixture.mint(&app, json!({})).await.expect(201);
    let grant =
        [("grant_type", ASSERTION), ("assertion", minted.text("id_token")), ("scope", "openid profile email other")];
    assert_eq!(fixture.token(&app, &grant).await.expect(200).text("scope"), "openid email", "what the agent granted");
    fixture.server.finish().await;
}

#[tokio::test]
async fn tokens_of_one_request_are_exchanged_once_at_the_same_time() {
    let fixture = IdentityFixture::open().await;
    let app = fixture.app("public").await;
    let minted = fixture.mint(&app, json!({})).await.expect(201);
    let code = fixture.code(&app, &[]).await;
    let assertion = [("grant_type", ASSERTION), ("assertion", minted.text("id_token"))];
    let (a, b) = tokio::join!(fixture.token(&app, &assertion), fixture.token(&app, &assertion));
    let mut both = [a.status, b.status];
    both.sort_unstable();
    assert_eq!(both, [200, 400]);
    let (a, b) = tokio::join!(fixture.redeem(&app, &code), fixture.redeem(&app, &code));
    let mut both = [a.status, b.status];
    both.sort_unstable();
    assert_eq!(both, [200, 400]);
    fixture.server.finish().await;
}

#[tokio::test]
async fn an_access_token_is_exchanged_for_one_with_fewer_scopes() {
    let fixture = IdentityFixture::open().await;
    let (app, other) = (fixture.app("confidential").await, fixture.app("confidential").await);
    let code = fixture.code(&app, &[]).await;
    let wide = fixture.redeem(&app, &code).await.expect(200).text("access_token").to_owned();
    fixture.server.clock.advance(60_000);
    let grant = |scope| {
        [
            ("grant_type", EXCHANGE),
            ("subject_token", wide.as_str()),
            ("subject_token_type", ACCESS_TOKEN),
            ("scope", scope),
        ]
    };
    let narrow = fixture.token(&app, &grant("profile")).await.expect(200);
    assert_eq!((narrow.text("issued_token_type"), narrow.text("scope")), (ACCESS_TOKEN, "openid profile"));
    assert_eq!(narrow["expires_in"], 3_540, "not longer than the first one");
    let info = fixture.userinfo(narrow.text("access_token")).await.expect(200);
    assert!(info.json.get("email").is_none() && info["name"] == "Ann", "{info}");
    oauth_error(&fixture.token(&app, &grant("openid workspace")).await, 400, "invalid_scope");
    oauth_error(&fixture.token(&app, &grant("openid admin")).await, 400, "invalid_scope");
    oauth_error(&fixture.token(&other, &grant("openid")).await, 400, "invalid_grant");
    let target = [&grant("openid")[..], &[("audience", "https://other.example")]].concat();
    oauth_error(&fixture.token(&app, &target).await, 400, "invalid_target");
    let actor = [&grant("openid")[..], &[("actor_token", "x")]].concat();
    oauth_error(&fixture.token(&app, &actor).await, 400, "invalid_request");
    let public = fixture.app("public").await;
    oauth_error(&fixture.token(&public, &grant("openid")).await, 400, "unauthorized_client");
    let minted = fixture.mint(&app, json!({})).await.expect(201);
    let exchange =
        [("grant_type", EXCHANGE), ("subject_token", minted.text("id_token")), ("subject_token_type", ID_TOKEN)];
    fixture.token(&app, &exchange).await.expect(200);
    oauth_error(&fixture.token(&app, &exchange).await, 400, "invalid_grant");
    // Reusing the code ends the narrower token too.
    oauth_error(&fixture.redeem(&app, &code).await, 400, "invalid_grant");
    oauth_error(&fixture.userinfo(narrow.text("access_token")).await, 401, "invalid_token");
    fixture.server.finish().await;
}

#[tokio::test]
async fn userinfo_needs_a_valid_token() {
    let fixture = IdentityFixture::open().await;
    let app = fixture.app("confidential").await;
    let anonymous = fixture.server.anonymous();
    let without = anonymous.get("/oidc/userinfo").await.expect(401);
    assert_eq!(without.header("www-authenticate"), Some("Bearer realm=\"posthouse\""));
    oauth_error(&fixture.userinfo("phat_unknown").await, 401, "invalid_token");
    oauth_error(&fixture.userinfo(&fixture.key.secret).await, 401, "invalid_token");
    let code = fixture.code(&app, &[]).await;
    let token = fixture.redeem(&app, &code).await.expect(200).text("access_token").to_owned();
    fixture.server.anonymous().with_key(&token).post_empty("/oidc/userinfo").await.expect(200);
    fixture.server.anonymous().with_key(&token).get("/v1/account").await.error("unauthorized");
    anonymous.get(&format!("/oidc/userinfo?{}", form(&[("access_token", &token)]))).await;
    fixture.server.clock.advance(3_600_000);
    oauth_error(&fixture.userinfo(&token).await, 401, "invalid_token");
    fixture.server.finish().await;
}

#[tokio::test]
async fn an_app_makes_600_requests_a_minute() {
    let fixture = IdentityFixture::open().await;
    let (app, other) = (fixture.app("confidential").await, fixture.app("confidential").await);
    for _ in 0..600 {
        oauth_error(&fixture.token(&app, &[("grant_type", "x")]).await, 400, "unsupported_grant_type");
    }
    let refused = fixture.token(&app, &[("grant_type", "x")]).await;
    oauth_error(&refused, 429, "temporarily_unavailable");
    assert!(refused.header("retry-after").is_some());
    oauth_error(&fixture.token(&other, &[("grant_type", "x")]).await, 400, "unsupported_grant_type");
    fixture.server.finish().await;
}

#[tokio::test]
async fn wrong_secrets_are_limited() {
    let fixture = IdentityFixture::open().await;
    let app = fixture.app("confidential").await;
    let code = fixture.code(&app, &[]).await;
    let max = fixture.server.config().limits.unknown_keys_per_minute.unwrap();
    let wrong = fixture.basic(&app.client_id, "apps_wrong");
    for _ in 0..max {
        oauth_error(&post_form(&wrong, "/oidc/token", &[("grant_type", ASSERTION)]).await, 401, "invalid_client");
    }
    let refused = post_form(&wrong, "/oidc/token", &[("grant_type", ASSERTION)]).await;
    oauth_error(&refused, 429, "temporarily_unavailable");
    assert!(refused.header("retry-after").is_some());
    fixture.server.advance(60_000).await;
    oauth_error(&fixture.redeem(&app, &code).await, 400, "invalid_grant");
    fixture.server.finish().await;
}
