//! A redirect URI that the owner of an app removed still received the codes of sign-ins that had begun before.

use serde_json::json;

use crate::routes::identity::{CALLBACK, IdentityFixture, oauth_error};

#[tokio::test]
async fn removed_redirect_uri_still_got_codes() {
    let fixture = IdentityFixture::open().await;
    let app = fixture.app("confidential").await;
    let client = format!("/v1/identity/clients/{}", app.id);
    let waiting = fixture.waiting(&app, &[]).await;
    let delivered = fixture.code(&app, &[]).await;
    fixture.approve(&waiting).await.expect(200);
    let other = json!({ "redirect_uris": [format!("{CALLBACK}/2")] });
    fixture.developer.patch(&client, other).await.expect(200);
    fixture.server.anonymous().get(&waiting.page).await.expect(400);
    oauth_error(&fixture.redeem(&app, &delivered).await, 400, "invalid_grant");
    fixture.server.finish().await;
}
