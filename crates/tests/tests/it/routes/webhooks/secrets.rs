//! `POST /v1/webhooks/{id}/rotate-secret`.

use serde_json::json;

use super::{WebhookFixture, signed};

#[tokio::test]
async fn after_a_rotation_both_secrets_sign_for_a_day() {
    let fixture = WebhookFixture::new().await;
    let made = fixture.webhook(json!({})).await;
    let path = format!("/v1/webhooks/{}", made.text("id"));
    let rotated = fixture.api.post_empty(&format!("{path}/rotate-secret")).await.expect(200);
    let (old, new) = (made.text("secret").to_owned(), rotated.text("secret").to_owned());
    assert_ne!(old, new);
    assert_eq!((rotated.text("id"), rotated.text("url")), (made.text("id"), made.text("url")));
    assert_ne!(rotated.text("secret_hint"), made.text("secret_hint"));
    assert!(fixture.api.get(&path).await.expect(200).json.get("secret").is_none());
    let test = async || {
        fixture.api.post_empty(&format!("{path}/test")).await.expect(202);
        fixture.server.settle().await;
        fixture.sink.posts().pop().expect("it arrived")
    };
    let post = test().await;
    let expected = format!("{} {}", signed::standard(&new, &post), signed::standard(&old, &post));
    assert_eq!(post.header("webhook-signature"), Some(expected.as_str()));
    assert_eq!(post.header("x-service-signature"), Some(signed::service(&new, &post).as_str()));
    fixture.server.advance(24 * 3_600_000 + 1).await;
    let post = test().await;
    assert_eq!(post.header("webhook-signature"), Some(signed::standard(&new, &post).as_str()));
    let given = fixture.api.post(&format!("{path}/rotate-secret"), json!({ "secret": "of my own" })).await.expect(200);
    assert_eq!(given.text("secret"), "of my own");
    let post = test().await;
    assert_eq!(post.header("x-service-signature"), Some(signed::service("of my own", &post).as_str()));
    fixture.api.post(&format!("{path}/rotate-secret"), json!({ "secrt": "x" })).await.invalid_fields(&["secrt"]);
    fixture.server.finish().await;
}
