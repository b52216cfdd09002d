//! `/v1/messages/{id}/attachments/{attachment_id}/text`: the text of attachments, its events, its limits.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use posthouse_domain::{message::HoldReason, plan::Plan};
use posthouse_tests::{mail::TestMessage, server::ServerOptions};
use serde_json::{Value, json};

use crate::inbox_fixture::InboxFixture;

/// A file of a mail.
pub(super) struct MailedFile<'a> {
    pub(super) name: &'a str,
    pub(super) content_type: &'a str,
    pub(super) bytes: &'a [u8],
}

/// Returns a mail with files.
pub(super) fn mail_with(files: &[MailedFile<'_>]) -> TestMessage {
    let mut body = "--b\r\n\r\nSee the files.\r\n".to_owned();
    for MailedFile { name, content_type, bytes } in files {
        let encoded = STANDARD.encode(bytes);
        let lines: Vec<&str> = encoded.as_bytes().chunks(76).map(|line| std::str::from_utf8(line).unwrap()).collect();
        body.push_str(&format!(
            "--b\r\nContent-Type: {content_type}\r\nContent-Disposition: attachment; filename=\"{name}\"\r\n\
             Content-Transfer-Encoding: base64\r\n\r\n{}\r\n",
            lines.join("\r\n")
        ));
    }
    body.push_str("--b--\r\n");
    TestMessage::new("Files", &body).with("MIME-Version", "1.0").with("Content-Type", "multipart/mixed; boundary=b")
}

impl InboxFixture {
    /// Receives a mail with one file; returns the paths of the message and of the attachment.
    pub(super) async fn with_file(&self, file: MailedFile<'_>) -> (String, String) {
        self.server.deliver(&mail_with(&[file]), &self.inbox.address).await;
        self.newest_file().await
    }

    async fn newest_file(&self) -> (String, String) {
        let message = self.newest_message(&self.inbox).await;
        let message_path = format!("/v1/messages/{}", message["id"].as_str().unwrap());
        let id = message["attachments"][0]["id"].as_str().unwrap();
        (message_path.clone(), format!("{message_path}/attachments/{id}"))
    }
}

#[tokio::test]
async fn text_is_read_after_receipt_and_returned_in_pages() {
    let fixture = InboxFixture::open().await;
    let table = "name;sum\nAda Lovelace;12,50\n";
    let file = MailedFile { name: "sums.csv", content_type: "text/csv", bytes: table.as_bytes() };
    let (message, path) = fixture.with_file(file).await;
    let before = fixture.api.get(&format!("{path}/text")).await.expect(200);
    assert_eq!((&before["extraction"]["status"], &before["text"]), (&json!("pending"), &Value::Null));
    fixture.server.settle().await;

    let text = "name\tsum\nAda Lovelace\t12,50";
    let whole = fixture.api.get(&format!("{path}/text")).await.expect(200);
    assert_eq!(whole["text"], text);
    assert_eq!((&whole["total_chars"], &whole["next_offset"]), (&json!(text.chars().count()), &Value::Null));
    assert_eq!(whole["extraction"]["method"], "text");
    assert_eq!(whole["untrusted"], true);
    let (mut read, mut offset) = (String::new(), Some(0));
    while let Some(at) = offset {
        let page = fixture.api.get(&format!("{path}/text?offset={at}&max_chars=10")).await.expect(200);
        read.push_str(page["text"].as_str().unwrap());
        offset = page["next_offset"].as_u64();
    }
    assert_eq!(read, text);

    let shown = fixture.api.get(&message).await.expect(200);
    assert_eq!(shown["attachments"][0]["extraction"], whole["extraction"]);
    let events = fixture.api.get("/v1/events?types=attachment.extracted").await.expect(200);
    let data = &events.data()[0]["data"];
    assert_eq!(data["attachment"], shown["attachments"][0]);
    assert_eq!((&data["message_id"], &data["inbox"]["id"]), (&shown["id"], &json!(fixture.inbox.id.to_string())));
    assert!(!events.json.to_string().contains("Lovelace"), "an event never has the text");
    fixture.close().await;
}

#[tokio::test]
async fn a_file_without_text_says_why() {
    let fixture = InboxFixture::open().await;
    let table: [(&str, &str, &[u8], &str, &str); 7] = [
        ("a.zip", "application/zip", b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", "skipped", "unsupported_type"),
        ("b.zip", "application/zip", b"PK\x03\x04 and no archive", "failed", "parse_error"),
        ("a.pdf", "application/pdf", b"%PDF-1.7 and nothing else", "failed", "parse_error"),
        ("a.docx", "application/octet-stream", b"\x00\x01\x02\x03", "failed", "parse_error"),
        ("a.bin", "application/octet-stream", b"\x00\x01\x02\x03", "skipped", "unsupported_type"),
        (
            "a.png",
            "image/png",
            b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\x00\x00\x00\x01\x00\x00\x00\x01",
            "skipped",
            "ocr_unavailable",
        ),
        ("a.mp3", "audio/mpeg", b"ID3", "skipped", "unsupported_type"),
    ];
    for (name, content_type, bytes, status, code) in table {
        let (_, path) = fixture.with_file(MailedFile { name, content_type, bytes }).await;
        fixture.server.settle().await;
        let shown = fixture.api.get(&format!("{path}/text")).await.expect(200);
        let extraction = &shown["extraction"];
        assert_eq!((&extraction["status"], &extraction["error"]["code"]), (&json!(status), &json!(code)), "{name}");
        assert_eq!(shown["text"], Value::Null);
    }
    let events = fixture.api.get("/v1/events?types=attachment.extraction_failed").await.expect(200);
    assert_eq!(events.data().len(), 6, "the state of the last file was known at once");
    fixture.close().await;
}

#[tokio::test]
async fn withheld_files_and_those_of_others_have_no_text() {
    let fixture = InboxFixture::open().await;
    let secret = MailedFile { name: "a.txt", content_type: "text/plain", bytes: b"Pay at once." };
    fixture.server.receive_held(&fixture.inbox, &mail_with(&[secret]), HoldReason::Phishing).await;
    fixture.server.settle().await;
    let list = fixture.api.get("/v1/held-messages?include_held=true").await.expect(200);
    let (message, attachment) = (&list.data()[0]["id"], &list.data()[0]["attachments"][0]["id"]);
    let path = format!("/v1/messages/{}/attachments/{}/text", message.as_str().unwrap(), attachment.as_str().unwrap());
    fixture.api.get(&path).await.error("message_withheld");
    let open = fixture.api.get(&format!("{path}?include_held=true")).await.expect(200);
    assert_eq!(open["text"], "Pay at once.");
    let events = fixture.api.get("/v1/events?types=attachment.extracted").await.expect(200);
    assert_eq!(events.data()[0]["data"]["attachment"], Value::Null);
    let stranger = fixture.server.api(&fixture.server.workspace(Plan::Team).await);
    stranger.get(&path).await.error("not_found");
    fixture.api.get(&path.replace(message.as_str().unwrap(), &fixture.inbox.id.to_string())).await.error("not_found");
    fixture.close().await;
}

/// A PDF with one empty page.
const EMPTY_PDF: &str = "%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n\
    << /Type /Pages /Kids [3 0 R] /Count 1 >>\nendobj\n3 0 obj\n\
    << /Type /Page /Parent 2 0 R /MediaBox [0 0 60 40] >>\nendobj\ntrailer\n<< /Root 1 0 R >>\n%%EOF\n";

#[tokio::test]
async fn a_page_of_a_pdf_is_an_image_and_other_files_have_none() {
    let fixture = InboxFixture::open().await;
    let pdf = MailedFile { name: "a.pdf", content_type: "application/pdf", bytes: EMPTY_PDF.as_bytes() };
    let (_, path) = fixture.with_file(pdf).await;
    let image = fixture.api.get(&format!("{path}/pages/1")).await.expect(200);
    assert!(image.bytes.starts_with(b"\x89PNG\r\n\x1a\n"), "{} bytes", image.bytes.len());
    let header = |name: &str| image.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    assert_eq!((header("content-type"), header("x-content-type-options")), ("image/png", "nosniff"));
    assert_eq!(header("content-security-policy"), "sandbox; default-src 'none'");
    for page in ["2", "0", "-1", "x", "99999999999999999999"] {
        fixture.api.get(&format!("{path}/pages/{page}")).await.error("not_found");
    }
    let stranger = fixture.server.api(&fixture.server.workspace(Plan::Team).await);
    stranger.get(&format!("{path}/pages/1")).await.error("not_found");
    let words = MailedFile { name: "a.txt", content_type: "text/plain", bytes: b"x" };
    let (_, path) = fixture.with_file(words).await;
    fixture.api.get(&format!("{path}/pages/1")).await.error("extraction_unavailable");

    let secret = MailedFile { name: "a.pdf", content_type: "application/pdf", bytes: EMPTY_PDF.as_bytes() };
    fixture.server.receive_held(&fixture.inbox, &mail_with(&[secret]), HoldReason::Phishing).await;
    let list = fixture.api.get("/v1/held-messages?include_held=true").await.expect(200);
    let (message, attachment) = (&list.data()[0]["id"], &list.data()[0]["attachments"][0]["id"]);
    let path =
        format!("/v1/messages/{}/attachments/{}/pages/1", message.as_str().unwrap(), attachment.as_str().unwrap());
    fixture.api.get(&path).await.error("message_withheld");
    fixture.api.get(&format!("{path}?include_held=true")).await.expect(200);
    fixture.close().await;
}

#[tokio::test]
async fn a_used_up_plan_reads_no_more_files_until_the_next_month() {
    let options = ServerOptions::default().configure(|config| config.plans.team.extractions_per_month = Some(1));
    let fixture = InboxFixture::with(options).await;
    let mut codes = Vec::new();
    for (days, bytes) in [(0, b"One"), (0, b"Two"), (40, b"Six")] {
        fixture.server.advance(days * 86_400_000).await;
        let (_, path) = fixture.with_file(MailedFile { name: "a.txt", content_type: "text/plain", bytes }).await;
        fixture.server.settle().await;
        let shown = fixture.api.get(&format!("{path}/text")).await.expect(200);
        codes.push(shown["extraction"]["error"]["code"].clone());
    }
    assert_eq!(codes, [Value::Null, json!("quota"), Value::Null]);
    fixture.close().await;
}

#[tokio::test]
async fn a_mail_with_many_files_used_up_the_plan_of_its_reader() {
    let fixture = InboxFixture::open().await;
    let bodies: Vec<String> = (0..22).map(|at| format!("File {at}")).collect();
    let files =
        bodies.iter().map(|body| MailedFile { name: "a.txt", content_type: "text/plain", bytes: body.as_bytes() });
    fixture.server.deliver(&mail_with(&files.collect::<Vec<_>>()), &fixture.inbox.address).await;
    fixture.server.settle().await;
    let message = fixture.newest_message(&fixture.inbox).await;
    let files = message["attachments"].as_array().unwrap();
    let codes = files.iter().map(|file| file["extraction"]["error"]["code"].as_str().unwrap_or("none"));
    assert_eq!(codes.filter(|code| *code == "too_many").count(), 2, "{files:?}");
    assert_eq!(files.iter().filter(|file| file["extraction"]["status"] == "done").count(), 20);
    fixture.close().await;
}

#[tokio::test]
async fn the_text_is_deleted_with_its_thread() {
    let fixture = InboxFixture::open().await;
    let (message, path) =
        fixture.with_file(MailedFile { name: "a.txt", content_type: "text/plain", bytes: b"One" }).await;
    let thread = fixture.api.get(&message).await.expect(200)["thread_id"].as_str().unwrap().to_owned();
    // Before its job runs.
    fixture.api.delete(&format!("/v1/threads/{thread}")).await.expect(200);
    fixture.server.settle().await;
    fixture.api.get(&format!("{path}/text")).await.error("not_found");
    fixture.close().await;
}
