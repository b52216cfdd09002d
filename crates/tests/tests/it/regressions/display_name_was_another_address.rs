//! The display name of an inbox could be another address or an encoded word: `x@y.example` left as
//! `From: "x@y.example" <own>` while the API showed `from` without it, and `=?utf-8?Q?Bob?=` was shown as Bob and sent as
//! that text. Such names are refused, and one function decides what is shown and sent of names that inboxes have already.

use posthouse_store::{Error, Tx, p, statements};
use posthouse_tests::smtp::TestSmtpClient;
use serde_json::json;

use crate::inbox_fixture::InboxFixture;

statements! {
    SET_NAME = "UPDATE inboxes SET display_name = $3 WHERE workspace_id = $1 AND id = $2";
}

#[tokio::test]
async fn a_name_that_is_not_shown_as_given_is_refused() {
    let fixture = InboxFixture::open().await;
    let inbox = format!("/v1/inboxes/{}", fixture.inbox.id);
    for name in [
        "ceo@bank.example",
        "Boss <ceo@bank.example>",
        "boss@agents.localhost",
        "ceo \u{ff20} bank . example",
        "=?utf-8?Q?Bob?=",
        "=?utf-8?Q?ceo=40bank.example?=",
    ] {
        let body = json!({ "display_name": name });
        for path in ["/v1/inboxes", "/v1/identities"] {
            fixture.api.post(path, body.clone()).await.invalid_fields(&["display_name"]);
        }
        let reply = fixture.api.patch(&inbox, body).await;
        assert!(reply.json["error"]["fix"].as_str().is_some_and(|fix| fix.contains("plain text")), "{}", reply.json);
        reply.invalid_fields(&["display_name"]);
    }
    for name in ["Bob", "Jane @ Acme", "Böb, \"the\" builder", "東京 🎉", "a =? b"] {
        fixture.api.patch(&inbox, json!({ "display_name": name })).await.expect(200);
    }
    fixture.close().await;
}

#[tokio::test]
async fn the_from_that_leaves_is_the_one_that_is_shown() {
    let fixture = InboxFixture::open().await;
    let (workspace, id, own) = (fixture.key.workspace, fixture.inbox.id, fixture.inbox.address.clone());
    for (name, shown) in [
        ("x@y.example", own.clone()),
        ("Ann (ceo@bank.example)", format!("Ann <{own}>")),
        ("boss@agents.localhost", own.clone()),
        ("=?utf-8?Q?Bob?=", format!("Bob <{own}>")),
    ] {
        let store = move |tx: &mut Tx| -> Result<u64, Error> { tx.exec(&SET_NAME, p![workspace, id, name]) };
        fixture.server.store().write(store).await.unwrap();
        let body = json!({ "to": "x@far.example", "subject": "x", "text": "y" });
        let sent = fixture.api.post(&format!("/v1/inboxes/{id}/messages"), body).await.expect(202);
        let path = format!("/v1/messages/{}", sent.text("id"));
        assert_eq!(fixture.api.get(&path).await.expect(200)["from"], shown);
        let raw = fixture.api.get(&format!("{path}/raw")).await.expect(200).body_text();
        let from = raw.lines().find(|line| line.starts_with("From: ")).unwrap().replace('"', "");
        assert_eq!(from.replace(&format!(": <{own}>"), &format!(": {own}")), format!("From: {shown}"));
    }
    // Mail programs write the same names.
    let mut session = TestSmtpClient::connect_with_ehlo(fixture.server.submission_address()).await;
    session.log_in(&own, &fixture.key.secret).await.expect(235);
    let raw = format!("From: \"boss@agents.localhost\" <{own}>\r\n\r\ny\r\n");
    let reply = session.mail(&own, &["x@far.example"], raw.as_bytes()).await.expect(250);
    session.quit().await;
    let raw = fixture.api.get(&format!("/v1/messages/{}/raw", reply.id())).await.expect(200).body_text();
    assert!(!raw.contains("boss@"), "{raw}");
    fixture.server.settle().await;
    fixture.close().await;
}
