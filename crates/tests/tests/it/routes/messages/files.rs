//! Attachments of sent messages: recipients get the same bytes, and names can't inject header fields.

use posthouse_mail::header;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{InboxFixture, inbox};

/// Returns incompressible bytes, so that the message is stored in the blob store: the hash of each counter.
fn noise(bytes: usize) -> Vec<u8> {
    (0u32..).flat_map(|n| Sha256::digest(n.to_be_bytes())).take(bytes).collect()
}

/// Standard base64 (RFC 4648 §4).
fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let word = chunk.iter().fold(0u32, |word, byte| word << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for index in 0..4 {
            let digit = ALPHABET[(word >> (18 - 6 * index) & 63) as usize];
            out.push(if index <= chunk.len() { char::from(digit) } else { '=' });
        }
    }
    out
}

async fn download(fixture: &InboxFixture, message: &Value) -> Vec<u8> {
    let id = message["attachments"][0]["id"].as_str().unwrap_or_else(|| panic!("no file in {message}"));
    fixture.api.get(&format!("/v1/attachments/{id}")).await.expect(200).bytes
}

#[tokio::test]
async fn a_large_attachment_is_delivered_and_forwarded_unchanged() {
    let fixture = InboxFixture::open().await;
    let friend = inbox(&fixture.server, &fixture.key, "friend").await;
    for (bytes, name) in [(noise(3_000_001), "large.bin"), (b"a\r\nb\nc\r".to_vec(), "lines.txt")] {
        let file = json!({ "filename": name, "content_type": "text/plain", "content_base64": base64(&bytes) });
        let body = json!({ "to": friend.address, "subject": "File", "text": "See the file.", "attachments": [file] });
        let sent = fixture.post("", body).await.expect(202);
        assert_eq!(download(&fixture, &sent.json).await, bytes, "the sender's copy");
        let copy = fixture.newest_message(&friend).await;
        assert_eq!(copy["attachments"][0]["filename"], name);
        assert_eq!(download(&fixture, &copy).await, bytes, "the recipient's copy");
        let path = format!("/v1/inboxes/{}/messages/{}/forward", friend.id, copy["id"].as_str().unwrap());
        fixture.api.post(&path, json!({ "to": fixture.inbox.address })).await.expect(202);
        assert_eq!(
            download(&fixture, &fixture.newest_message(&fixture.inbox).await).await,
            bytes,
            "the forwarded copy"
        );
    }
    fixture.server.finish().await;
}

#[tokio::test]
async fn names_and_subjects_can_not_inject_header_fields() {
    let fixture = InboxFixture::open().await;
    let file = |name: &str| json!({ "filename": name, "content_type": "text/plain", "content_base64": "eA==" });
    let body = json!({
        "to": "\"x\r\nBcc: victim@b.example\" <dana@elsewhere.example>", "subject": "x\nBcc: victim@b.example", "text": "y",
        "attachments": [file("a\r\nX-Evil: 1")],
    });
    fixture.post("", body).await.invalid_fields(&["to", "subject", "attachments[0].filename"]);
    let encoded = "=?utf-8?q?x=0D=0ABcc=3A_victim=40b.example?=";
    let body = json!({
        "to": format!("\"{encoded}\" <dana@elsewhere.example>"), "subject": encoded, "text": "y", "attachments": [file(encoded)],
    });
    let sent = fixture.post("", body).await.expect(202);
    let raw = fixture.api.get(&format!("/v1/messages/{}/raw", sent.text("id"))).await.expect(200).bytes;
    let names: Vec<String> = header::fields(&raw).map(|field| field.name.to_ascii_lowercase()).collect();
    assert!(!names.contains(&"bcc".to_owned()), "{names:?}");
    assert_eq!(sent["subject"], encoded, "text that looks encoded is not decoded");
    assert_eq!(sent["headers"]["subject"], encoded);
    fixture.close_queued().await;
}
