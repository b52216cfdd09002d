//! With PostgreSQL, U+0000 in a path, in a parameter of the issuer or in the header of a signature was answered with 500.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Value, json};

use crate::routes::identity::{CALLBACK, IdentityFixture};

const FORM: &str = "application/x-www-form-urlencoded";

fn jws(header: &Value) -> String {
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let claims = json!({ "v": 1, "iss": "x", "from": "a@x.example", "iat": 1, "nonce": "0123456789abcdef" });
    format!("{}.{}.{}", part(header), part(&claims), URL_SAFE_NO_PAD.encode([0; 64]))
}

#[tokio::test]
async fn nothing_has_a_zero_character() {
    let fixture = IdentityFixture::open().await;
    let app = fixture.app("confidential").await;
    let anonymous = fixture.server.anonymous();
    for path in [
        "/oidc/authorize?client_id=a%00".to_owned(),
        format!("/oidc/authorize?client_id={}&redirect_uri={CALLBACK}%00", app.client_id),
        format!("/oidc/authorize?client_id={}&redirect_uri={CALLBACK}&response_type=code&nonce=%00", app.client_id),
    ] {
        let answer = anonymous.get(&path).await;
        assert!(answer.status < 500, "{path} {}", answer.status);
    }
    for form in [
        "client_id=a%00".to_owned(),
        "grant_type=authorization_code&client_id=a%00&code=x".to_owned(),
        format!("grant_type=authorization_code&client_id={}&code=a%00", app.client_id),
    ] {
        let answer = anonymous.raw(reqwest::Method::POST, "/oidc/token", FORM, form.clone()).await;
        assert!(answer.status < 500, "{form} {}", answer.status);
    }
    let agent = format!("/v1/inboxes/{}", fixture.inbox.id);
    for path in [format!("{agent}/agent/keys/a%00b/retire"), format!("{agent}/agent/keys/a%00b/revoke")] {
        fixture.api.post(&path, json!({})).await.expect(404);
    }
    for typ in ["service-author+jwt", "service-msg+jwt"] {
        for alg in ["EdDSA", "ES256"] {
            let signature = jws(&json!({ "alg": alg, "typ": typ, "kid": "\u{0}" }));
            let send = json!({ "to": "x@remote.example", "subject": "s", "text": "t", "agent_signature": signature });
            fixture.api.post(&format!("{agent}/messages"), send).await.error("invalid_agent_signature");
            let verify = fixture.api.post("/v1/directory/verify", json!({ "signature": signature })).await;
            assert!(verify.status < 500, "{}", verify.status);
        }
    }
    fixture.server.finish().await;
}
