//! A mail program wrote as `name+tag@`, the service signed the copy, and the check of that signature said that its sender
//! was deleted.

use posthouse_tests::{ServerOptions, smtp::TestSmtpClient};
use serde_json::json;

use crate::inbox_fixture::InboxFixture;

#[tokio::test]
async fn a_tag_leads_to_the_inbox() {
    let fixture = InboxFixture::with_inbox(ServerOptions::default(), json!({ "username": "sam" })).await;
    let reader = fixture.server.inbox_named(&fixture.key, "reader").await;
    let raw = format!("From: sam+orders@agents.localhost\r\nTo: {}\r\nSubject: Hi\r\n\r\nHello.\r\n", reader.address);
    let mut session = TestSmtpClient::connect_with_ehlo(fixture.server.submission_address()).await;
    session.log_in(&fixture.inbox.address, &fixture.key.secret).await.expect_enhanced(235, "2.7.0");
    session.mail(&fixture.inbox.address, &[&reader.address], raw.as_bytes()).await.expect(250);
    session.quit().await;
    fixture.server.settle().await;
    let page = fixture.api.get(&format!("/v1/inboxes/{}/messages", reader.id)).await.expect(200);
    let agent = &page.data()[0]["agent"];
    assert_eq!((&agent["verified"], &agent["from"]), (&json!(true), &json!("sam+orders@agents.localhost")));
    let verify = async || {
        let body = json!({ "signature": agent["signature"] });
        fixture.api.post("/v1/directory/verify", body).await.expect(200).json
    };
    let found = verify().await;
    assert_eq!((&found["valid"], &found["status"], &found["from"]), (&json!(true), &json!("active"), &agent["from"]));
    let path = format!("/v1/inboxes/{}", fixture.inbox.id);
    fixture.api.patch(&format!("{path}/agent"), json!({ "name": "Sam" })).await.expect(200);
    fixture.api.post(&format!("{path}/agent/revoke"), json!({})).await.expect(200);
    let revoked = verify().await;
    assert_eq!((&revoked["valid"], &revoked["reasons"]), (&json!(false), &json!(["agent_revoked"])));
    fixture.close().await;
}
