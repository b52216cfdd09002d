//! A message from outside could name an inbox of this service as its author and looked like one of a local sender.

use posthouse_domain::plan::Plan;
use posthouse_tests::TestServer;
use serde_json::json;

#[tokio::test]
async fn an_external_message_with_a_local_author_fails_dmarc() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let other = server.workspace(Plan::Team).await;
    let (inbox, colleague) = (server.inbox_named(&key, "desk").await, server.inbox_named(&other, "boss").await);
    let api = server.api(&key);
    let mut smtp = server.smtp().await;
    let tagged = colleague.address.replace('@', "+tag@");
    for (author, expected) in [
        (colleague.address.clone(), json!(["dmarc-fail"])),
        (colleague.address.to_uppercase(), json!(["dmarc-fail"])),
        (tagged, json!(["dmarc-fail"])),
        (inbox.address.clone(), json!(["dmarc-fail"])),
        ("boss@elsewhere.example".to_owned(), json!([])),
    ] {
        let raw = format!("From: {author}\r\nSubject: x\r\n\r\nx\r\n");
        let reply = smtp.mail("a@elsewhere.example", &[&inbox.address], raw.as_bytes()).await.expect(250);
        let message = api.get(&format!("/v1/messages/{}", reply.id())).await.expect(200);
        assert_eq!(message["labels"], expected, "{author}");
    }
    let text = json!({ "to": inbox.address, "subject": "x", "text": "x" });
    let path = format!("/v1/inboxes/{}/messages", colleague.id);
    server.api(&other).post(&path, text).await.expect(202);
    server.settle().await;
    let newest = api.get(&format!("/v1/inboxes/{}/messages?limit=1", inbox.id)).await.expect(200);
    assert_eq!(newest.data()[0]["labels"], json!([]), "messages between local inboxes are authentic");
    server.finish().await;
}
