//! A broken blob store deferred every large message and was reported as a database or internal error, while `/readyz`
//! succeeded.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use posthouse_domain::plan::Plan;
use posthouse_tests::TestServer;
use serde_json::json;
use sha2::{Digest, Sha256};

/// Returns incompressible bytes, so that they are in the blob store: the hash of each counter.
fn noise() -> Vec<u8> {
    (0u32..).flat_map(|n| Sha256::digest(n.to_be_bytes())).take(400_000).collect()
}

#[tokio::test]
async fn a_broken_blob_store_defers_large_messages_and_fails_readiness() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let (api, inbox) = (server.api(&key), server.inbox(&key).await);
    let blobs = server.data_dir().join("blobs");
    std::fs::write(&blobs, "in the way").unwrap();
    api.get("/readyz").await.expect(200);

    let file = json!({ "filename": "a", "content_type": "application/octet-stream", "content_base64": STANDARD.encode(noise()) });
    let body = json!({ "to": "you@elsewhere.example", "subject": "x", "text": "y", "attachments": [file] });
    let path = format!("/v1/inboxes/{}/messages", inbox.id);
    let refused = api.post(&path, body.clone()).await.error("unavailable");
    assert_eq!(refused["error"]["details"]["reason"], "blobs");
    assert!(refused["error"]["message"].as_str().unwrap().contains("he blob store is not available"), "{refused}");
    let encoded = STANDARD.encode(noise());
    let lines: Vec<&[u8]> = encoded.as_bytes().chunks(900).collect();
    let raw = [b"From: a@b.example\r\nSubject: large\r\n\r\n".to_vec(), lines.join(&b"\r\n"[..])].concat();
    let mut smtp = server.smtp().await;
    smtp.mail("a@sender.example", &[&inbox.address], &raw).await.expect_enhanced(451, "4.3.0");
    for _ in 0..2 {
        let not_ready = api.get("/readyz").await.error("unavailable");
        assert_eq!(not_ready["error"]["details"]["reason"], "blobs");
    }
    // Messages that need no blob are still accepted.
    server.receive_message(&inbox, "From: a@b.example\r\nSubject: small\r\n\r\nx\r\n").await;

    std::fs::remove_file(&blobs).unwrap();
    api.get("/readyz").await.error("unavailable");
    server.clock.advance(5_000);
    api.get("/readyz").await.expect(200);
    api.post(&path, body).await.expect(202);
    smtp.mail("a@sender.example", &[&inbox.address], &raw).await.expect(250);
    server.finish().await;
}
