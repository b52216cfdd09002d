//! `POST /v1/inboxes/{id}/messages/{message_id}/forward`.

use serde_json::json;

use super::{InboxFixture, mail};

/// Returns a message with an attachment whose bytes must not change.
fn with_file() -> String {
    let parts = "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain\n\nSee the file.\n\
        --b\nContent-Type: application/pdf\nContent-Disposition: attachment; filename=offer.pdf\n\
        Content-Transfer-Encoding: base64\n\nJVBERi0xLjQKAAEC/w==\n--b--\n";
    mail("").replace("\n\nDo you want it?\n", &format!("\n{parts}"))
}

#[tokio::test]
async fn a_forwarded_message_has_the_note_the_header_block_and_the_attachments() {
    let fixture = InboxFixture::open().await;
    let original = fixture.receive_at(&fixture.inbox, &with_file()).await;
    let shown = fixture.message(&original).await;
    let body = json!({ "to": "boss@b.example", "text": "Please look.", "labels": ["fwd"] });
    let sent = fixture.post(&format!("/{original}/forward"), body).await.expect(202);
    assert_eq!(sent["subject"], "Fwd: Offer");
    assert_eq!(sent["in_reply_to"], json!(null));
    assert_ne!(sent["thread_id"], shown["thread_id"], "its own thread");
    assert_eq!(sent["labels"], json!(["fwd"]));
    let text = sent.text("text");
    let order =
        ["Please look.", "Forwarded message", "From: Dana <dana@elsewhere.example>", "Subject: Offer", "See the file."];
    let offsets: Vec<usize> =
        order.iter().map(|part| text.find(part).unwrap_or_else(|| panic!("{part} in {text}"))).collect();
    assert!(offsets.is_sorted(), "{text}");
    assert_eq!(sent["attachments"][0]["filename"], "offer.pdf");
    assert_eq!(sent["attachments"][0]["sha256"], shown["attachments"][0]["sha256"]);
    let body = json!({ "to": "boss@b.example", "include_attachments": false });
    let bare = fixture.post(&format!("/{original}/forward"), body).await.expect(202);
    assert_eq!(bare["attachments"], json!([]));
    fixture.close_queued().await;
}

#[tokio::test]
async fn the_note_is_escaped_and_the_html_of_the_original_is_kept() {
    let fixture = InboxFixture::open().await;
    let html = mail("Content-Type: text/html\n").replace("Do you want it?", "<b>Do</b> you want it?");
    let original = fixture.receive_at(&fixture.inbox, &html).await;
    let body = json!({ "to": "boss@b.example", "text": "1 < 2" });
    let sent = fixture.post(&format!("/{original}/forward"), body).await.expect(202);
    let html = sent.text("html");
    assert!(html.contains("1 &lt; 2") && html.contains("<b>Do</b>"), "{html}");
    assert!(html.contains("Dana &lt;dana@elsewhere.example&gt;"), "{html}");
    fixture.close_queued().await;
}

#[tokio::test]
async fn automatic_messages_can_be_forwarded_repeatedly() {
    let fixture = InboxFixture::open().await;
    let original = fixture.receive_at(&fixture.inbox, &mail("Auto-Submitted: auto-replied\n")).await;
    for _ in 0..2 {
        fixture.post(&format!("/{original}/forward"), json!({ "to": "boss@b.example" })).await.expect(202);
    }
    fixture.close_queued().await;
}
