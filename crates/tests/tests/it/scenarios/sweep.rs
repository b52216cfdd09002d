//! What the cleanup sweep deletes, and when: idempotency records after a day, events after thirty days, unreferenced
//! blobs after a day.

use std::{path::Path, time::UNIX_EPOCH};

use posthouse_app::jobs::reconcile;
use posthouse_domain::{
    event,
    plan::Plan,
    time::{DAY_MS, MINUTE_MS},
};
use posthouse_store::{BlobDigest, Error, Sql, p};
use posthouse_tests::TestServer;
use serde_json::json;

/// Returns the number of rows in a table.
async fn rows(server: &TestServer, table: &str) -> i64 {
    let count = Sql::from_fragments("COUNT", format!("SELECT count(*) FROM {table}"));
    let found = server.store().read(move |tx| -> Result<_, Error> { tx.one::<(i64,)>(&count, p![]) }).await;
    found.unwrap().map_or(0, |(n,)| n)
}

#[tokio::test]
async fn idempotency_records_are_kept_for_a_day_and_events_for_thirty_days() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let (api, inbox) = (server.api(&key), server.inbox(&key).await);
    let body = json!({ "to": inbox.address, "subject": "x", "text": "y" });
    let path = format!("/v1/inboxes/{}/messages", inbox.id);
    let sent = api.idempotent("k").post(&path, body.clone()).await.expect(202);
    server.settle().await;
    let (answers, events) = (rows(&server, "idempotency").await, rows(&server, "events").await);
    assert!(answers == 1 && events > 0);

    server.advance(DAY_MS - MINUTE_MS).await;
    reconcile::run(server.service()).await.unwrap();
    assert_eq!(rows(&server, "idempotency").await, answers, "a client may still retry");
    assert_eq!(api.idempotent("k").post(&path, body).await.expect(202).text("id"), sent.text("id"));
    server.advance(2 * MINUTE_MS).await;
    reconcile::run(server.service()).await.unwrap();
    assert_eq!(rows(&server, "idempotency").await, 0);

    server.advance(event::EVENT_RETENTION_MS - DAY_MS - 2 * MINUTE_MS).await;
    reconcile::run(server.service()).await.unwrap();
    assert_eq!(rows(&server, "events").await, events, "a reader may still resume");
    server.advance(3 * MINUTE_MS).await;
    reconcile::run(server.service()).await.unwrap();
    assert_eq!(rows(&server, "events").await, 0);
    api.get(&format!("/v1/messages/{}", sent.text("id"))).await.expect(200);
    server.finish().await;
}

/// Gives a blob's file the oldest possible time, because the disk only uses real time.
fn age(folder: &Path, digest: &BlobDigest) {
    let hex = digest.to_string();
    let file = folder.join(&hex[..2]).join(&hex[2..4]).join(&hex);
    std::fs::File::options().write(true).open(file).unwrap().set_modified(UNIX_EPOCH).unwrap();
}

#[tokio::test]
async fn only_old_unreferenced_blobs_are_deleted() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let (api, inbox) = (server.api(&key), server.inbox(&key).await);
    let (blobs, folder) = (server.service().blobs.clone(), server.data_dir().join("blobs"));
    // Too large and too random to be stored in a row.
    let mut noise = 1_u64;
    let mut next_char = || {
        noise = noise.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(b'!' + (noise >> 33) as u8 % 90)
    };
    let body: String =
        (0..6_000).map(|_| (0..75).map(|_| next_char()).chain("\r\n".chars()).collect::<String>()).collect();
    server
        .deliver_raw(format!("From: a@x.example\r\nSubject: x\r\n\r\n{body}").as_bytes(), &[&inbox.address])
        .await
        .expect(250);
    let message = server.newest_message(&api, &inbox.id.to_string()).await;
    let mut named = Vec::new();
    for shard in 0..=u8::MAX {
        named.extend(blobs.list(shard, i64::MAX).await.unwrap());
    }
    assert_eq!(named.len(), 1);
    let old = blobs.put(b"left behind by a crash"[..].into()).await.unwrap();
    let fresh = blobs.put(b"its row is being written"[..].into()).await.unwrap();
    age(&folder, &named[0]);
    age(&folder, &old);

    for _ in 0..256 {
        server.clock.advance(MINUTE_MS);
        reconcile::run(server.service()).await.unwrap();
    }
    assert!(!blobs.exists(&old).await.unwrap());
    assert!(blobs.exists(&fresh).await.unwrap(), "new: its row may not be committed yet");
    assert!(blobs.exists(&named[0]).await.unwrap(), "a message refers to it");
    api.get(&format!("/v1/messages/{}/raw", message["id"].as_str().unwrap())).await.expect(200);
    server.finish().await;
}
