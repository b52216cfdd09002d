//! The token endpoint: codes, refresh tokens, their rotation and their reuse.

use posthouse_app::jobs::reconcile;
use posthouse_domain::{DAY_MS, MINUTE_MS};
use serde_json::json;

use super::*;

#[tokio::test]
async fn a_code_is_for_the_client_that_can_prove_itself() {
    let fixture = ConnectorFixture::open().await;
    let code = fixture.code(&json!({})).await;
    let other = "x".repeat(43);
    for (name, value, error) in [
        ("code_verifier", "", "invalid_request"),
        ("code_verifier", other.as_str(), "invalid_grant"),
        ("code_verifier", CHALLENGE, "invalid_grant"),
        ("redirect_uri", "", "invalid_request"),
        ("redirect_uri", "http://localhost/callback", "invalid_grant"),
        ("client_id", "", "invalid_request"),
        ("client_id", "https://other.example/client.json", "invalid_grant"),
        ("code", "", "invalid_request"),
        ("code", other.as_str(), "invalid_grant"),
        ("grant_type", "", "invalid_request"),
        ("grant_type", "client_credentials", "unsupported_grant_type"),
        ("resource", "https://other.example/mcp", "invalid_target"),
    ] {
        oauth_error(fixture.exchange(&code, &[(name, value)]).await.expect(400), error);
    }
    let reply = fixture.exchange(&code, &[]).await.expect(200);
    assert_eq!(reply.header("access-control-allow-origin"), Some("*"));
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_code_expires_and_its_connector_with_it() {
    let fixture = ConnectorFixture::open().await;
    let code = fixture.code(&json!({})).await;
    fixture.server.advance(MINUTE_MS).await;
    oauth_error(fixture.exchange(&code, &[]).await, "invalid_grant");
    reconcile::run(fixture.server.service()).await.unwrap();
    assert_eq!(fixture.events().await, ["connector.authorized", "connector.revoked expired"]);
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_code_that_is_used_twice_ends_the_access() {
    let fixture = ConnectorFixture::open().await;
    let code = fixture.code(&json!({})).await;
    let tokens = TestTokens::of(&fixture.exchange(&code, &[]).await.expect(200));
    fixture.authenticate(&tokens.access).await.unwrap();
    // Another client can't end it so.
    oauth_error(fixture.exchange(&code, &[("client_id", "phcc_other")]).await, "invalid_grant");
    fixture.authenticate(&tokens.access).await.unwrap();
    oauth_error(fixture.exchange(&code, &[]).await, "invalid_grant");
    fixture.has_ended(&tokens, "code_reused").await;
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_refresh_token_works_once() {
    let fixture = ConnectorFixture::open().await;
    let first = fixture.connect(&json!({})).await;
    let mut newest = TestTokens { access: first.access.clone(), refresh: first.refresh.clone() };
    for _ in 0..3 {
        let wrong = [("grant_type", "refresh_token"), ("client_id", "phcc_other"), ("refresh_token", &newest.refresh)];
        oauth_error(fixture.form("/oauth/token", &wrong).await, "invalid_grant");
        newest = TestTokens::of(&fixture.refresh(&newest.refresh).await.expect(200));
        fixture.authenticate(&newest.access).await.unwrap();
    }
    fixture.authenticate(&first.access).await.expect("an access token works until it expires");
    for malformed in ["phcr_", "x", &first.access, &newest.refresh[..newest.refresh.len() - 1]] {
        oauth_error(fixture.refresh(malformed).await, "invalid_grant");
    }
    fixture.authenticate(&newest.access).await.unwrap();
    // The oldest one is noticed as well as the last one.
    oauth_error(fixture.refresh(&first.refresh).await, "invalid_grant");
    fixture.has_ended(&newest, "token_reused").await;
    fixture.server.finish().await;
}

#[tokio::test]
async fn tokens_expire() {
    let fixture = ConnectorFixture::open().await;
    let mut tokens = fixture.connect(&json!({})).await;
    fixture.server.advance(15 * MINUTE_MS).await;
    fixture.authenticate(&tokens.access).await.expect_err("an expired access token works");
    // Use keeps the access.
    for _ in 0..3 {
        fixture.server.advance(60 * DAY_MS).await;
        tokens = TestTokens::of(&fixture.refresh(&tokens.refresh).await.expect(200));
    }
    fixture.server.advance(90 * DAY_MS).await;
    oauth_error(fixture.refresh(&tokens.refresh).await, "invalid_grant");
    reconcile::run(fixture.server.service()).await.unwrap();
    assert_eq!(fixture.events().await, ["connector.revoked expired"], "the approval is older than the log");
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_connector_has_a_few_access_tokens_at_once() {
    let fixture = ConnectorFixture::open().await;
    let mut all = vec![fixture.connect(&json!({})).await];
    for _ in 0..6 {
        fixture.server.advance(1_000).await;
        let last = all.last().unwrap().refresh.clone();
        all.push(TestTokens::of(&fixture.refresh(&last).await.expect(200)));
    }
    let mut works = Vec::new();
    for tokens in &all {
        works.push(fixture.authenticate(&tokens.access).await.is_ok());
    }
    assert_eq!(works, [false, false, true, true, true, true, true]);
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_client_gives_its_access_back() {
    let fixture = ConnectorFixture::open().await;
    let tokens = fixture.connect(&json!({})).await;
    let id = fixture.client_id.as_str();
    oauth_error(fixture.form("/oauth/revoke", &[("client_id", id)]).await.expect(400), "invalid_request");
    for token in [&tokens.access, &tokens.refresh] {
        let other = [("token", token.as_str()), ("client_id", "phcc_other")];
        oauth_error(fixture.form("/oauth/revoke", &other).await.expect(400), "invalid_grant");
    }
    fixture.form("/oauth/revoke", &[("token", "unknown"), ("client_id", id)]).await.expect(200);
    fixture.authenticate(&tokens.access).await.unwrap();
    fixture.form("/oauth/revoke", &[("token", &tokens.access), ("client_id", id)]).await.expect(200);
    fixture.authenticate(&tokens.access).await.expect_err("a revoked access token works");
    let tokens = TestTokens::of(&fixture.refresh(&tokens.refresh).await.expect(200));
    fixture.form("/oauth/revoke", &[("token", &tokens.refresh)]).await.expect(200);
    fixture.has_ended(&tokens, "revoked_by_client").await;
    fixture.form("/oauth/revoke", &[("token", &tokens.refresh)]).await.expect(200);
    fixture.server.finish().await;
}
