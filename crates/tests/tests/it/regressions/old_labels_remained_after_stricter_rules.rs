//! Messages received before the rules about authors became stricter kept an author that is now rejected.

use posthouse_app::inbound::relabel::{self, RelabelTotals};
use posthouse_domain::plan::Plan;
use posthouse_store::{Error, Tx, p, statements};
use posthouse_tests::TestServer;
use serde_json::json;

statements! {
    FORGET = "UPDATE messages SET from_text = $2, labels = $3 WHERE workspace_id = $1";
}

#[tokio::test]
async fn stored_messages_are_parsed_and_labeled_again() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let (api, inbox) = (server.api(&key), server.inbox(&key).await);
    let mut smtp = server.smtp().await;
    let mut ids = Vec::new();
    let code = "Your verification code is 482913.";
    for (sender, from) in [
        ("", "From: ceo@bank.example, a@x.example\r\n"),
        ("a@x.example", "From: \"ceo@bank.example\" <a@x.example>\r\n"),
        ("a@x.example", "From: Ann <a@x.example>\r\n"),
    ] {
        let raw = format!("{from}Subject: Your verification code\r\n\r\n{code}\r\n");
        ids.push(smtp.mail(sender, &[&inbox.address], raw.as_bytes()).await.expect(250).id().to_owned());
    }
    // As stored under the earlier rules.
    let workspace = key.workspace;
    let loosen = move |tx: &mut Tx| -> Result<u64, Error> { tx.exec(&FORGET, p![workspace, "ceo@bank.example", "[]"]) };
    server.store().write(loosen).await.unwrap();
    let run = async |dry_run| relabel::run(server.service(), dry_run).await.unwrap();
    let all = RelabelTotals { read: 3, changed: 3, unreadable: 0 };
    assert_eq!(run(true).await, all);
    assert_eq!(run(false).await, all);
    assert_eq!(run(false).await, RelabelTotals { changed: 0, ..all }, "nothing left to change");
    for (id, from, labels) in [
        (&ids[0], "", json!(["dmarc-fail"])),
        (&ids[1], "a@x.example", json!([])),
        (&ids[2], "Ann <a@x.example>", json!([])),
    ] {
        let message = api.get(&format!("/v1/messages/{id}")).await.expect(200);
        assert_eq!((&message["from"], &message["labels"]), (&json!(from), &labels));
        assert_eq!(message["ai"]["verification"]["auth_failed"] == true, from.is_empty());
    }
    let found = api.get("/v1/search?q=from:ann").await.expect(200);
    assert_eq!(found.data().len(), 1, "search finds the author too");
    server.finish().await;
}
