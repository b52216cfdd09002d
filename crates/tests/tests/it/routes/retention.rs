//! Messages are deleted after the retention time, with their rows, attachments, labels and blobs.

use std::{path::PathBuf, time::UNIX_EPOCH};

use posthouse_app::jobs::reconcile;
use posthouse_domain::{
    plan::Plan,
    time::{DAY_MS, HOUR_MS},
};
use posthouse_store::workspaces;
use posthouse_tests::{TestServer, fixtures::TestKey};
use serde_json::json;

use super::messages::read::mail;

async fn keep_for(server: &TestServer, key: &TestKey, days: Option<u32>) {
    let id = key.workspace;
    let set = server.service().store.write(move |tx| {
        let mut workspace = workspaces::get(tx, id)?.expect("the workspace of the test");
        workspace.retention_days = days;
        workspaces::update(tx, &workspace)
    });
    set.await.unwrap();
}

/// Returns the files of the blob store, after setting their time to the oldest possible one, because the disk only uses
/// real time.
fn blobs(server: &TestServer) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![server.data_dir().join("blobs")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                std::fs::File::options().write(true).open(&path).unwrap().set_modified(UNIX_EPOCH).unwrap();
                found.push(path);
            }
        }
    }
    found
}

#[tokio::test]
async fn old_messages_are_deleted_entirely_and_recent_ones_stay() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let kept_for_ever = server.workspace(Plan::Team).await;
    let (api, mine) = (server.api(&key), server.inbox(&key).await);
    let theirs = server.inbox(&kept_for_ever).await;
    keep_for(&server, &key, Some(7)).await;
    // Too large and too random to be stored in a row.
    let mut noise = 1_u64;
    let mut next_char = || {
        noise = noise.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(b'!' + (noise >> 33) as u8 % 90)
    };
    let body: String =
        (0..6_000).map(|_| (0..75).map(|_| next_char()).chain("\r\n".chars()).collect::<String>()).collect();
    let old = server.receive_message(&mine, format!("{}{body}", mail("Old"))).await;
    let other = server.receive_message(&theirs, mail("Theirs")).await;
    let thread = api.get(&format!("/v1/messages/{old}")).await.text("thread_id").to_owned();
    api.patch(&format!("/v1/messages/{old}"), json!({ "add_labels": ["kept"] })).await.expect(200);
    assert_eq!(blobs(&server).len(), 1);

    server.advance(6 * DAY_MS).await;
    let reply = "From: Eve <eve@y.example>\r\nTo: bot@agents.example\r\nSubject: Re: Old\r\nIn-Reply-To: <Old@sender.example>\r\n\r\nYes.\r\n";
    let young = server.receive_message(&mine, reply).await;
    assert_eq!(api.get(&format!("/v1/threads/{thread}")).await.expect(200)["message_count"], 2);
    server.advance(DAY_MS + HOUR_MS).await;
    reconcile::run(server.service()).await.unwrap();

    for path in ["", "/raw"] {
        api.get(&format!("/v1/messages/{old}{path}")).await.error("not_found");
    }
    api.get(&format!("/v1/messages/{young}")).await.expect(200);
    server.api(&kept_for_ever).get(&format!("/v1/messages/{other}")).await.expect(200);
    assert_eq!(api.get(&format!("/v1/threads/{thread}")).await.expect(200)["message_count"], 1);
    let labeled = api.get(&format!("/v1/inboxes/{}/messages?labels=kept", mine.id)).await.expect(200);
    assert!(labeled.data().is_empty());
    assert_eq!(blobs(&server), Vec::<PathBuf>::new());
    let events = api.get("/v1/events?types=message.received").await.expect(200);
    assert_eq!(
        (&events.data()[0]["data"]["gone"], events.data()[0]["data"]["message_id"].as_str()),
        (&json!(true), Some(old.to_string().as_str()))
    );
    assert_eq!(api.get("/v1/metrics").await.expect(200)["resources"]["messages"], 1);

    server.advance(7 * DAY_MS).await;
    reconcile::run(server.service()).await.unwrap();
    api.get(&format!("/v1/threads/{thread}")).await.error("not_found");
    let left = api.get("/v1/metrics").await.expect(200);
    assert_eq!(
        left["resources"],
        json!({ "inboxes": 1, "domains": 0, "threads": 0, "messages": 0, "storage_bytes": 0 })
    );
    server.finish().await;
}
