//! Tokens of identities, which have no mailbox, named the scope `email` as granted.

use serde_json::json;

use crate::routes::identity::IdentityFixture;

#[tokio::test]
async fn identity_was_granted_email() {
    let fixture = IdentityFixture::open().await;
    let app = fixture.app("confidential").await;
    let created = fixture.api.post("/v1/identities", json!({})).await.expect(201);
    for (scope, granted) in [
        (json!({}), "openid"),
        (json!({ "scope": "email" }), "openid"),
        (json!({ "scope": "email profile" }), "openid profile"),
    ] {
        let minted = fixture.mint_of(created.text("id"), &app, scope).await.expect(201);
        assert_eq!(minted.text("scope"), granted);
        let grant = "urn:ietf:params:oauth:grant-type:jwt-bearer";
        let pairs = [("grant_type", grant), ("assertion", minted.text("id_token"))];
        let tokens = fixture.token(&app, &pairs).await.expect(200);
        assert_eq!(tokens.text("scope"), granted);
        assert!(fixture.userinfo(tokens.text("access_token")).await.expect(200).json.get("email").is_none());
    }
    fixture.server.finish().await;
}
