//! Webhook signatures, computed independently of the service (RFC 2104), and the whole request.

use base64::{Engine, engine::general_purpose::STANDARD};
use posthouse_app::ports::Clock;
use posthouse_tests::{TestMessage, webhook_sink::WebhookRequest};
use serde_json::json;
use sha2::{Digest, Sha256};

use super::WebhookFixture;

/// Computes HMAC-SHA256 by its definition.
fn hmac(key: &[u8], message: &[u8]) -> Vec<u8> {
    let mut block = [0_u8; 64];
    if key.len() > 64 {
        block[..32].copy_from_slice(&Sha256::digest(key))
    } else {
        block[..key.len()].copy_from_slice(key)
    }
    let pad = |byte: u8| block.map(|b| b ^ byte);
    let inner = Sha256::new().chain_update(pad(0x36)).chain_update(message).finalize();
    Sha256::new().chain_update(pad(0x5c)).chain_update(inner).finalize().to_vec()
}

/// Computes the `X-Service-Signature` of a request.
pub(crate) fn service(secret: &str, post: &WebhookRequest) -> String {
    let head = format!("{}.", post.header("x-service-timestamp").unwrap_or_default());
    hmac(secret.as_bytes(), &[head.as_bytes(), &post.body].concat()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Computes the Standard Webhooks signature of a request.
pub(crate) fn standard(secret: &str, post: &WebhookRequest) -> String {
    let decoded = secret.strip_prefix("whsec_").and_then(|text| STANDARD.decode(text).ok());
    let key = decoded.unwrap_or_else(|| secret.as_bytes().to_vec());
    let field = |name| post.header(name).unwrap_or_default();
    let head = format!("{}.{}.", field("webhook-id"), field("webhook-timestamp"));
    format!("v1,{}", STANDARD.encode(hmac(&key, &[head.as_bytes(), &post.body].concat())))
}

#[tokio::test]
async fn a_request_has_both_signatures_and_the_configured_header_fields() {
    let fixture = WebhookFixture::new().await;
    let made = fixture.webhook(json!({ "headers": { "Authorization": "Bearer abc", "X-Tenant": "7" } })).await;
    fixture.server.deliver(&TestMessage::new("Grüße", "Hello\n\n> quoted"), &fixture.inbox.address).await;
    fixture.server.settle().await;
    let posts = fixture.sink.posts();
    let [post] = &posts[..] else { panic!("one request: {posts:?}") };
    assert_eq!(post.line, "POST /hook?of=test HTTP/1.1");
    assert_eq!(post.header("host"), Some(fixture.sink.address.to_string().as_str()));
    assert_eq!(post.header("content-type"), Some("application/json"));
    assert!(post.header("user-agent").is_some_and(|agent| agent.starts_with("Posthouse/")));
    assert_eq!((post.header("authorization"), post.header("x-tenant")), (Some("Bearer abc"), Some("7")));
    let now = fixture.server.clock.now().seconds().to_string();
    assert_eq!((post.header("x-service-timestamp"), post.header("webhook-timestamp")), (Some(&*now), Some(&*now)));
    assert_eq!(post.header("x-service-signature"), Some(service(made.text("secret"), post).as_str()));
    assert_eq!(post.header("webhook-signature"), Some(standard(made.text("secret"), post).as_str()));
    let event = post.json();
    assert_eq!(post.header("webhook-id"), event["id"].as_str());
    assert_eq!(event["type"], "message.received");
    let message = fixture.server.newest_message(&fixture.api, &fixture.inbox.id.to_string()).await;
    assert_eq!(event["data"]["message"], message, "the message is complete");
    assert_eq!(event["data"]["thread_id"], message["thread_id"]);
    assert_eq!(event["data"]["inbox"]["address"], fixture.inbox.address);
    let log = fixture.api.get("/v1/events").await.expect(200);
    assert_eq!(log.data(), &[event], "the log has the same event");
    fixture.server.finish().await;
}

#[tokio::test]
async fn an_envelope_payload_has_no_content() {
    let fixture = WebhookFixture::new().await;
    fixture.webhook(json!({ "payload": "envelope", "events": ["message.received", "inbox.paused"] })).await;
    fixture.server.deliver(&TestMessage::new("Hello", "the body of it"), &fixture.inbox.address).await;
    fixture.api.post_empty(&format!("/v1/inboxes/{}/pause", fixture.inbox.id)).await.expect(200);
    fixture.server.settle().await;
    let mut posts = fixture.sink.posts();
    posts.sort_by_key(WebhookRequest::kind);
    let [paused, received] = &posts[..] else { panic!("two requests: {posts:?}") };
    let message = fixture.server.newest_message(&fixture.api, &fixture.inbox.id.to_string()).await;
    let expected = json!({
        "inbox_id": message["inbox_id"], "thread_id": message["thread_id"], "message_id": message["id"],
        "from": "Alice <alice@remote.example>", "to": [fixture.inbox.address], "subject": "Hello", "labels": message["labels"],
        "received_at": message["received_at"], "channel": "email", "type": "message",
    });
    assert_eq!(received.json()["data"], expected);
    assert!(!String::from_utf8_lossy(&received.body).contains("the body of it"));
    let nothing = json!({
        "inbox_id": fixture.inbox.id.to_string(), "thread_id": null, "message_id": null, "from": null, "to": [],
        "subject": null, "labels": [], "received_at": null, "channel": null, "type": null,
    });
    assert_eq!(paused.json()["data"], nothing);
    fixture.server.finish().await;
}
