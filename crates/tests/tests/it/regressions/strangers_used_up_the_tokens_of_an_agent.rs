//! Identity tokens were counted for an agent before its request was known to see the agent.

use posthouse_domain::auth::Scope;
use serde_json::json;

use crate::routes::identity::IdentityFixture;

#[tokio::test]
async fn strangers_used_up_the_tokens_of_an_agent() {
    let fixture = IdentityFixture::limited(|limits| limits.identity_tokens_per_agent = Some(2)).await;
    let app = fixture.app("verify_only").await;
    let other = fixture.server.inbox(&fixture.key).await;
    let scoped = fixture.server.key(&fixture.key, "identity:sign", Scope::Inbox(other.id)).await;
    let body = json!({ "audience": app.client_id });
    for stranger in [&fixture.developer, &fixture.server.api(&scoped)] {
        for _ in 0..4 {
            stranger.post(&fixture.path("identity-token"), body.clone()).await.error("not_found");
        }
    }
    for _ in 0..2 {
        fixture.mint(&app, json!({})).await.expect(201);
    }
    fixture.mint(&app, json!({})).await.error("rate_limited");
    fixture.server.finish().await;
}
