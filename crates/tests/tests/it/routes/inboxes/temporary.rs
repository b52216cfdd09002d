//! The life cycle of temporary inboxes.

use posthouse_app::jobs::{reconcile, runner};
use posthouse_domain::{event::EventKind, id::InboxId, job::JobKind, plan::Plan};
use posthouse_store::{Error, events, inboxes, jobs};
use posthouse_tests::TestServer;
use serde_json::json;

const HOUR_MS: i64 = 3_600_000;

#[tokio::test]
async fn a_temporary_inbox_expires_once_and_on_time() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Free).await;
    let api = server.api(&key);
    let body = json!({ "ttl_seconds": 60, "display_name": "Brief", "metadata": { "a": 1 } });
    let made = api.post("/v1/inboxes", body).await.expect(201).json;
    assert_eq!(made["temporary"], true);
    assert_eq!(made["domain"], "tmp.agents.localhost");
    assert_eq!(made["daily_send_limit"], 0);
    assert_eq!(made["expires_at"], "2026-09-15T12:01:00.000Z");
    let username = made["username"].as_str().expect("text");
    assert!(username.len() == 12 && username.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()));
    let path = format!("/v1/inboxes/{}", made["id"].as_str().expect("text"));
    server.advance(59_999).await;
    api.get(&path).await.expect(200);
    server.advance(1).await;
    api.get(&path).await.error("not_found");
    assert_eq!(api.get("/v1/inboxes?temporary=true").await.expect(200)["data"], json!([]));
    server.advance(HOUR_MS).await;
    reconcile::run(server.service()).await.unwrap();
    server.settle().await;
    let workspace = key.workspace;
    let log = server.store().read(move |tx| events::after(tx, workspace, None, 0, 10)).await.unwrap();
    assert_eq!(log.iter().map(|e| e.event.kind).collect::<Vec<_>>(), [EventKind::InboxExpired]);
    let payload: serde_json::Value = serde_json::from_str(&log[0].event.detail_json).unwrap();
    assert_eq!(payload["inbox"], made);
    server.finish().await;
}

#[tokio::test]
async fn an_extension_counts_from_now_and_ends_a_day_after_creation() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Free).await;
    let api = server.api(&key);
    let made = api.post("/v1/inboxes", json!({ "ttl_seconds": 7_200 })).await.expect(201).json;
    let path = format!("/v1/inboxes/{}", made["id"].as_str().expect("text"));
    server.advance(HOUR_MS).await;
    let longer = api.patch(&path, json!({ "ttl_seconds": 7_200 })).await.expect(200).json;
    assert_eq!(longer["expires_at"], "2026-09-15T15:00:00.000Z");
    server.advance(HOUR_MS + 1).await;
    api.get(&path).await.expect(200);
    let longest = api.patch(&path, json!({ "ttl_seconds": 86_400 })).await.expect(200).json;
    assert_eq!(longest["expires_at"], "2026-09-16T12:00:00.000Z");
    server.advance(22 * HOUR_MS).await;
    api.get(&path).await.error("not_found");
    server.finish().await;
}

#[tokio::test]
async fn a_deleted_temporary_inbox_is_wiped_without_an_event() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Free).await;
    let api = server.api(&key);
    let body = json!({ "ttl_seconds": 60, "display_name": "Brief", "metadata": { "a": 1 } });
    let id = api.post("/v1/inboxes", body).await.expect(201).text("id").to_owned();
    api.delete(&format!("/v1/inboxes/{id}")).await.expect(204);
    let (workspace, inbox): (_, InboxId) = (key.workspace, id.parse().expect("an id"));
    let left = server.store().read(move |tx| inboxes::get(tx, workspace, inbox)).await.unwrap().expect("the row stays");
    assert_eq!((left.display_name, left.metadata_json.as_str()), (None, "{}"));
    assert_eq!(server.store().read(jobs::counts).await.unwrap(), []);
    server.advance(HOUR_MS).await;
    let log = server.store().read(move |tx| events::after(tx, workspace, None, 0, 10)).await.unwrap();
    assert_eq!(log, []);
    server.finish().await;
}

#[tokio::test]
async fn at_most_25_exist_and_60_an_hour_can_be_created() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let api = server.api(&key);
    let body = json!({ "ttl_seconds": 600 });
    for _ in 0..25 {
        api.post("/v1/inboxes", body.clone()).await.expect(201);
    }
    let full = api.post("/v1/inboxes", body.clone()).await.error("temporary_inbox_limit");
    assert_eq!(full.header("retry-after"), Some("600"));
    server.advance(600_000).await;
    for _ in 0..25 {
        api.post("/v1/inboxes", body.clone()).await.expect(201);
    }
    server.advance(600_000).await;
    for _ in 0..10 {
        api.post("/v1/inboxes", body.clone()).await.expect(201);
    }
    let busy = api.post("/v1/inboxes", body.clone()).await.error("temporary_inbox_limit");
    assert_eq!(busy.header("retry-after"), Some("2400"));
    server.advance(2_400_000).await;
    api.post("/v1/inboxes", body).await.expect(201);
    server.advance(600_000).await;
    server.finish().await;
}

#[tokio::test]
async fn the_sweep_recreates_a_lost_expiry() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Free).await;
    let api = server.api(&key);
    let id = api.post("/v1/inboxes", json!({ "ttl_seconds": 60 })).await.expect(201).text("id").to_owned();
    let subject = id.parse::<InboxId>().expect("an id").0;
    assert_eq!(reconcile::run(server.service()).await.unwrap(), 0, "nothing is lost yet");
    let lose = move |tx: &mut _| -> Result<(), Error> { jobs::cancel(tx, JobKind::InboxExpiry, subject) };
    server.store().write(lose).await.unwrap();
    assert_eq!(reconcile::run(server.service()).await.unwrap(), 1);
    server.advance(60_000).await;
    let workspace = key.workspace;
    let log = server.store().read(move |tx| events::after(tx, workspace, None, 0, 10)).await.unwrap();
    assert_eq!(log.len(), 1);
    server.finish().await;
}

#[tokio::test]
async fn the_job_runner_expires_an_inbox_and_stops_with_the_process() {
    let mut server = TestServer::plain().await;
    let key = server.workspace(Plan::Free).await;
    let api = server.api(&key);
    let running = tokio::spawn(runner::run(server.service().clone()));
    let id = api.post("/v1/inboxes", json!({ "ttl_seconds": 60 })).await.expect(201).text("id").to_owned();
    let workspace = key.workspace;
    let mut waiter = server.store().subscribe(workspace.0);
    server.clock.wait_for_sleepers(1).await;
    server.clock.advance(60_000);
    while server.store().read(move |tx| events::after(tx, workspace, None, 0, 10)).await.unwrap().is_empty() {
        waiter.changed().await;
    }
    api.get(&format!("/v1/inboxes/{id}")).await.error("not_found");
    server.service().lifecycle.drain();
    running.await.unwrap();
    server.restart().await;
    server.finish().await;
}
