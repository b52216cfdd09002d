//! `jörg@` with a precomposed letter and `jörg@` with a combining mark were two addresses: a block, a suppression or a
//! filter for one didn't hold for the other. Local parts are compared in Unicode normalization form C.

use posthouse_domain::plan::Plan;
use posthouse_tests::TestServer;
use reqwest::Method;
use serde_json::json;

/// Canonically equivalent local parts.
const SPELLINGS: [[&str; 3]; 3] = [
    ["j\u{f6}rg", "jo\u{308}rg", "JO\u{308}RG"],
    ["\u{1e69}am", "s\u{323}\u{307}am", "s\u{307}\u{323}am"],
    ["\u{d55c}", "\u{1112}\u{1161}\u{11ab}", "\u{1112}\u{1161}\u{11ab}"],
];

#[tokio::test]
async fn every_spelling_is_the_same_address_everywhere() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let api = server.api(&key);
    let inbox = server.inbox_named(&key, "sam").await;
    let messages = format!("/v1/inboxes/{}/messages", inbox.id);
    for spellings in SPELLINGS {
        for (stored, used) in spellings.into_iter().flat_map(|one| spellings.map(|other| (one, other))) {
            let address = |local: &str| format!("{local}@b.example");
            let encoded = |text: &str| -> String { text.bytes().map(|byte| format!("%{byte:02X}")).collect() };
            // Suppressions and sending.
            api.post("/v1/suppressions", json!({ "address": address(stored) })).await.expect(201);
            let body = json!({ "to": address(used), "subject": "x", "text": "y" });
            api.post(&messages, body).await.error("recipient_suppressed");
            let found = api.get(&format!("/v1/suppressions?q={}", encoded(used))).await.expect(200);
            assert_eq!(found.data().len(), 1, "{stored} {used}");
            api.delete(&format!("/v1/suppressions/{}", encoded(&address(used)))).await.expect(204);
            // Lists and receiving.
            let entry = json!({ "direction": "receive", "kind": "block", "pattern": address(stored) });
            let entry = api.post("/v1/lists", entry).await.expect(201).text("id").to_owned();
            let receive = async || {
                let mail = format!("From: <{}>\r\nSubject: x\r\n\r\ny\r\n", address(used));
                let mut smtp = server.smtp().await;
                smtp.line(&format!("MAIL FROM:<{}> SMTPUTF8", address(used))).await.expect(250);
                smtp.line(&format!("RCPT TO:<{}>", inbox.address)).await.expect(250);
                smtp.data(mail).await.expect(250);
                smtp.quit().await;
                let newest =
                    api.get(&format!("{messages}?limit=1&include_blocked=true&include_held=true")).await.expect(200);
                newest.data()[0].clone()
            };
            assert!(receive().await["labels"].as_array().unwrap().contains(&json!("blocked")), "{stored} {used}");
            api.delete(&format!("/v1/lists/{entry}")).await.expect(204);
            // Contacts.
            receive().await;
            let contacts = api.get(&format!("/v1/contacts?q={}", encoded(stored))).await.expect(200);
            assert_eq!(contacts.data().len(), 1, "{stored} {used}");
            // Waiting for mail.
            let since = "1970-01-01T00:00:00Z";
            for filter in [address(stored), stored.to_owned()] {
                let path = format!("{messages}/wait?from={}&since={since}&timeout=1", encoded(&filter));
                let waited = api.send(Method::GET, &path, None).await;
                assert_eq!(waited.status, 200, "{path} {waited}");
            }
        }
    }
    assert_eq!(api.get("/v1/contacts").await.expect(200).data().len(), SPELLINGS.len());
    server.finish().await;
}
