//! Identity tokens and the endpoints of the issuer have limits of their own, which their responses didn't state.

use posthouse_tests::http::ApiResponse;
use serde_json::json;

use crate::routes::identity::IdentityFixture;

/// Asserts that a response states what is left of a limit, once.
#[track_caller]
fn states(reply: &ApiResponse, policy: &str, max: u64, rest: u64) {
    let field = |name: &str| reply.header(name).unwrap_or_default().to_owned();
    assert!(field("ratelimit-policy").contains(&format!("\"{policy}\";q={max};w=60")), "{policy} {reply}");
    assert!(field("ratelimit").contains(&format!("\"{policy}\";r={rest};t=")), "{policy} {reply}");
    assert_eq!(field("ratelimit").matches(policy).count(), 1, "{reply}");
}

#[tokio::test]
async fn every_response_that_counts_states_its_limits() {
    let fixture = IdentityFixture::limited(|limits| {
        limits.identity_tokens_per_agent = Some(2);
        limits.identity_tokens_per_workspace = Some(9);
    })
    .await;
    let app = fixture.app("confidential").await;
    let minted = fixture.mint(&app, json!({})).await.expect(201);
    states(&minted, "identity_tokens_per_agent", 2, 1);
    states(&minted, "identity_tokens_per_workspace", 9, 8);
    assert!(minted.header("ratelimit").unwrap().contains("key-minute"), "{minted}");
    fixture.mint(&app, json!({})).await.expect(201);
    states(&fixture.mint(&app, json!({})).await.error("rate_limited"), "identity_tokens_per_agent", 2, 0);

    let grant = "urn:ietf:params:oauth:grant-type:jwt-bearer";
    let assertion = [("grant_type", grant), ("assertion", minted.text("id_token"))];
    let issued = fixture.token(&app, &assertion).await.expect(200);
    states(&issued, "issuer_requests_per_minute", 600, 599);
    states(&fixture.token(&app, &assertion).await.expect(400), "issuer_requests_per_minute", 600, 598);
    let access = issued.text("access_token");
    states(&fixture.userinfo(access).await.expect(200), "issuer_requests_per_minute", 600, 599);
    for _ in 0..598 {
        fixture.token(&app, &[]).await.expect(400);
    }
    let refused = fixture.token(&app, &[]).await.expect(429);
    states(&refused, "issuer_requests_per_minute", 600, 0);
    assert_eq!(refused["error"], "temporarily_unavailable");
    assert!(refused.header("retry-after").is_some());
    fixture.server.finish().await;
}
