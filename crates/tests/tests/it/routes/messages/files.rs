//! Files of sent mail: what a recipient reads is what was sent, byte for byte, and no name leaves its place.

use posthouse_mail::header;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{Desk, inbox};

/// Bytes that do not compress, so that the mail is kept in the blob store: a hash of each counter.
fn noise(bytes: usize) -> Vec<u8> {
    (0u32..).flat_map(|n| Sha256::digest(n.to_be_bytes())).take(bytes).collect()
}

/// Standard base64 (RFC 4648 §4).
fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let word = chunk.iter().fold(0u32, |word, byte| word << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let digit = ALPHABET[(word >> (18 - 6 * place) & 63) as usize];
            out.push(if place <= chunk.len() { char::from(digit) } else { '=' });
        }
    }
    out
}

async fn download(desk: &Desk, message: &Value) -> Vec<u8> {
    let id = message["attachments"][0]["id"].as_str().unwrap_or_else(|| panic!("no file in {message}"));
    desk.api.get(&format!("/v1/attachments/{id}")).await.expect(200).bytes
}

#[tokio::test]
async fn a_large_file_arrives_and_is_passed_on_unchanged() {
    let desk = Desk::open().await;
    let friend = inbox(&desk.server, &desk.key, "friend").await;
    for (bytes, name) in [(noise(3_000_001), "large.bin"), (b"a\r\nb\nc\r".to_vec(), "lines.txt")] {
        let file = json!({ "filename": name, "content_type": "text/plain", "content_base64": base64(&bytes) });
        let body = json!({ "to": friend.address, "subject": "File", "text": "See the file.", "attachments": [file] });
        let sent = desk.post("", body).await.expect(202);
        assert_eq!(download(&desk, &sent.json).await, bytes, "the sender's");
        let copy = desk.newest(&friend).await;
        assert_eq!(copy["attachments"][0]["filename"], name);
        assert_eq!(download(&desk, &copy).await, bytes, "the recipient's");
        let path = format!("/v1/inboxes/{}/messages/{}/forward", friend.id, copy["id"].as_str().unwrap());
        desk.api.post(&path, json!({ "to": desk.inbox.address })).await.expect(202);
        assert_eq!(download(&desk, &desk.newest(&desk.inbox).await).await, bytes, "the one passed on");
    }
    desk.server.finish().await;
}

#[tokio::test]
async fn no_name_and_no_subject_begins_a_header_field() {
    let desk = Desk::open().await;
    let file = |name: &str| json!({ "filename": name, "content_type": "text/plain", "content_base64": "eA==" });
    let body = json!({
        "to": "\"x\r\nBcc: victim@b.example\" <dana@elsewhere.example>", "subject": "x\nBcc: victim@b.example", "text": "y",
        "attachments": [file("a\r\nX-Evil: 1")],
    });
    desk.post("", body).await.invalid_fields(&["to", "subject", "attachments[0].filename"]);
    let encoded = "=?utf-8?q?x=0D=0ABcc=3A_victim=40b.example?=";
    let body = json!({
        "to": format!("\"{encoded}\" <dana@elsewhere.example>"), "subject": encoded, "text": "y", "attachments": [file(encoded)],
    });
    let sent = desk.post("", body).await.expect(202);
    let raw = desk.api.get(&format!("/v1/messages/{}/raw", sent.text("id"))).await.expect(200).bytes;
    let names: Vec<String> = header::fields(&raw).map(|field| field.name.to_ascii_lowercase()).collect();
    assert!(!names.contains(&"bcc".to_owned()), "{names:?}");
    assert_eq!(sent["subject"], encoded, "text that looks encoded stays text");
    assert_eq!(sent["headers"]["subject"], encoded);
    desk.close_queued().await;
}
