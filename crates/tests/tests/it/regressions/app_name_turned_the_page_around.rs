//! Names that strangers read could be blank, or hold characters that are invisible or turn the text around.

use serde_json::json;

use crate::routes::identity::IdentityFixture;

#[tokio::test]
async fn app_name_turned_the_page_around() {
    let fixture = IdentityFixture::open().await;
    let wrong = ["  ", "\u{202e}evil", "a\u{200b}b", "\u{2066}x", "\u{200d}", "\u{3164}", "\u{feff}a", "a\u{e0041}"];
    for name in wrong {
        let body = json!({ "name": name, "type": "verify_only" });
        fixture.developer.post("/v1/identity/clients", body).await.invalid_fields(&["name"]);
        let body = json!({ "display_name": name });
        fixture
            .api
            .patch(&format!("/v1/inboxes/{}", fixture.inbox.id), body.clone())
            .await
            .invalid_fields(&["display_name"]);
        fixture.api.post("/v1/identities", body).await.invalid_fields(&["display_name"]);
    }
    let family = "\u{1f468}\u{200d}\u{1f469}";
    for name in [family, "می\u{200c}خواهم", "Zoë & Co.", "株式会社"] {
        fixture.app_with("verify_only", json!({ "name": name })).await;
    }
    fixture.server.finish().await;
}
