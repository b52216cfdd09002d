//! Data of an ended inbox: nothing of a temporary one remains, and everything shared with others does.

use posthouse_domain::{event::EventKind, plan::Plan};
use posthouse_store::{attachments, contents, events, messages, threads};
use posthouse_tests::TestServer;
use serde_json::json;

const WITH_FILE: &str = "From: Dana <dana@sender.example>\r\nTo: all@agents.example\r\nSubject: File\r\n\
    Message-ID: <one@sender.example>\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n\
    --b\r\nContent-Type: text/plain\r\n\r\nSee the file.\r\n--b\r\nContent-Type: text/csv\r\n\
    Content-Disposition: attachment; filename=a.csv\r\n\r\na,b\r\n--b--\r\n";

#[tokio::test]
async fn wiping_an_inbox_deletes_its_data_and_keeps_that_of_others() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let api = server.api(&key);
    let lasting = server.inbox(&key).await;
    let brief = server.inbox_with(&key, json!({ "ttl_seconds": 60 })).await;
    let other = server.inbox_with(&key, json!({ "ttl_seconds": 3_600 })).await;
    let shared = server.receive_for(&[&lasting, &brief], WITH_FILE).await;
    let alone = server.receive_for(&[&other], WITH_FILE).await[0];
    let workspace = key.workspace;
    let stored = |id| server.store().read(move |tx| messages::get(tx, workspace, id));
    let (gone, kept) = (stored(shared[1]).await.unwrap().unwrap(), stored(shared[0]).await.unwrap().unwrap());
    assert_eq!(gone.content, kept.content, "one message is stored once");
    let single = stored(alone).await.unwrap().unwrap();

    server.advance(60_000).await;
    api.delete(&format!("/v1/inboxes/{}", other.id)).await.expect(204);
    for id in [shared[1], alone] {
        api.get(&format!("/v1/messages/{id}")).await.error("not_found");
    }
    let (thread, content, file) = (gone.thread, single.content, vec![shared[1], alone]);
    let left = server.store().read(move |tx| {
        let rows = (threads::get(tx, workspace, thread)?, contents::raw(tx, workspace, content)?);
        Ok::<_, posthouse_store::Error>((rows, attachments::of(tx, workspace, &file)?))
    });
    assert_eq!(left.await.unwrap(), ((None, None), Vec::new()));
    let contacts = api.get("/v1/contacts").await.expect(200);
    assert!(
        !contacts.data().is_empty() && contacts.data().iter().all(|one| one["last_subject"].is_null()),
        "{contacts}"
    );
    let message = api.get(&format!("/v1/messages/{}", shared[0])).await.expect(200);
    assert_eq!(message["text"].as_str().map(str::trim), Some("See the file."));
    assert_eq!(message["attachments"][0]["filename"], "a.csv");
    api.get(&format!("/v1/messages/{}/raw", shared[0])).await.expect(200);
    server.finish().await;
}

#[tokio::test]
async fn messages_of_a_deleted_inbox_are_not_found() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let api = server.api(&key);
    let inbox = server.inbox(&key).await;
    let message = server.receive_for(&[&inbox], WITH_FILE).await[0];
    let shown = api.get(&format!("/v1/messages/{message}")).await.expect(200);
    let file = shown["attachments"][0]["id"].as_str().unwrap().to_owned();
    let thread = shown.text("thread_id").to_owned();
    api.delete(&format!("/v1/inboxes/{}", inbox.id)).await.expect(204);
    for path in [
        format!("messages/{message}"),
        format!("messages/{message}/raw"),
        format!("attachments/{file}"),
        format!("threads/{thread}"),
        format!("inboxes/{}/messages", inbox.id),
    ] {
        api.get(&format!("/v1/{path}")).await.error("not_found");
    }
    assert_eq!(api.get("/v1/threads").await.expect(200)["data"], json!([]));
    server.finish().await;
}

#[tokio::test]
async fn messages_received_during_a_pause_are_announced_after_it() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let api = server.api(&key);
    let inbox = server.inbox(&key).await;
    let path = format!("/v1/inboxes/{}", inbox.id);
    api.post_empty(&format!("{path}/pause")).await.expect(200);
    let first = server.receive_for(&[&inbox], WITH_FILE).await[0];
    server.clock.advance(1);
    let second = server.receive_for(&[&inbox], WITH_FILE).await[0];
    let workspace = key.workspace;
    let log = |after| server.store().read(move |tx| events::after(tx, workspace, None, after, 10));
    assert_eq!(log(1).await.unwrap(), [], "only the pause itself is in the log");
    assert_eq!(api.get(&format!("{path}/messages")).await.expect(200)["data"].as_array().map(Vec::len), Some(2));
    let resumed = api.post_empty(&format!("{path}/resume")).await.expect(200);
    assert_eq!(resumed["released_events"], 2);
    let events = log(1).await.unwrap();
    let found: Vec<_> = events.iter().map(|e| (e.event.kind, e.event.message)).collect();
    let received = EventKind::MessageReceived;
    assert_eq!(found, [(EventKind::InboxResumed, None), (received, Some(first)), (received, Some(second))]);
    server.finish().await;
}
