//! `POST /v1/inboxes/{id}/pause` and `/resume`.

use posthouse_app::{ports::Clock, settings::DeliveryMode};
use posthouse_domain::{
    event::{EventKind, NewEvent},
    id::{EventId, InboxId, WorkspaceId},
    plan::Plan,
};
use posthouse_store::{Error, events};
use posthouse_tests::{TestServer, server::ServerOptions};
use reqwest::Method;
use serde_json::{Value, json};

/// Returns the event log of a workspace: types and payloads.
async fn log(server: &TestServer, workspace: WorkspaceId) -> Vec<(String, Value)> {
    let found = server.store().read(move |tx| events::after(tx, workspace, None, 0, 100)).await.unwrap();
    let shown = |e: posthouse_domain::event::Event| {
        (e.event.kind.text().to_owned(), serde_json::from_str(&e.event.detail_json).unwrap_or(Value::Null))
    };
    found.into_iter().map(shown).collect()
}

async fn hold(server: &TestServer, workspace: WorkspaceId, inbox: InboxId, text: &str) {
    let event =
        NewEvent::new(EventKind::MessageReceived, workspace, server.clock.ids().next::<EventId>(), server.clock.now())
            .in_inbox(inbox)
            .with_detail(json!({ "n": text }).to_string());
    server.store().write(move |tx| -> Result<(), Error> { events::append_or_hold(tx, true, &event) }).await.unwrap();
}

#[tokio::test]
async fn a_pause_holds_events_and_resuming_releases_them_in_order() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let api = server.api(&key);
    let id = api.post("/v1/inboxes", json!({})).await.expect(201).text("id").to_owned();
    let inbox: InboxId = id.parse().expect("an id");
    let path = format!("/v1/inboxes/{id}");
    server.clock.advance(1_000);
    let paused = api.post(&format!("{path}/pause"), json!({ "reason": "holiday" })).await.expect(200).json;
    assert_eq!((&paused["status"], &paused["paused_reason"]), (&json!("paused"), &json!("holiday")));
    assert_eq!(paused["paused_at"], "2026-09-15T12:00:01.000Z");
    let again = api.post(&format!("{path}/pause"), json!({ "reason": "other" })).await.expect(200).json;
    assert_eq!(again, paused, "a second pause changes nothing");
    for n in ["1", "2", "3"] {
        server.clock.advance(10);
        hold(&server, key.workspace, inbox, n).await;
    }
    let resumed = api.post_empty(&format!("{path}/resume")).await.expect(200).json;
    assert_eq!((&resumed["status"], &resumed["released_events"]), (&json!("active"), &json!(3)));
    assert_eq!((&resumed["paused_at"], &resumed["paused_reason"]), (&json!(null), &json!(null)));
    let twice = api.post_empty(&format!("{path}/resume")).await.expect(200).json;
    assert_eq!(twice["released_events"], 0);
    let log = log(&server, key.workspace).await;
    let kinds: Vec<&str> = log.iter().map(|(kind, _)| kind.as_str()).collect();
    assert_eq!(kinds, ["inbox.paused", "inbox.resumed", "message.received", "message.received", "message.received"]);
    assert_eq!((&log[0].1["reason"], &log[0].1["inbox"]["status"]), (&json!("holiday"), &json!("paused")));
    assert_eq!((&log[1].1["held_events"], &log[1].1["inbox"]["status"]), (&json!(3), &json!("active")));
    let order: Vec<&Value> = log[2..].iter().map(|(_, detail)| &detail["n"]).collect();
    assert_eq!(order, ["1", "2", "3"]);
    server.finish().await;
}

#[tokio::test]
async fn a_reason_is_optional_and_bounded() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let api = server.api(&key);
    let path = format!("/v1/inboxes/{}", api.post("/v1/inboxes", json!({})).await.expect(201).text("id"));
    api.post(&format!("{path}/pause"), json!({ "reason": "x".repeat(501) })).await.invalid_fields(&["reason"]);
    api.post(&format!("{path}/pause"), json!({ "why": "x" })).await.invalid_fields(&["why"]);
    let paused = api.post_empty(&format!("{path}/pause")).await.expect(200).json;
    assert_eq!((&paused["status"], &paused["paused_reason"]), (&json!("paused"), &json!(null)));
    server.finish().await;
}

#[tokio::test]
async fn a_bounce_during_a_pause_is_announced_after_it() {
    let capture = ServerOptions::default().configure(|config| config.delivery.mode = DeliveryMode::Capture);
    let server = TestServer::start(capture).await;
    let key = server.workspace(Plan::Team).await;
    let (api, inbox) = (server.api(&key), server.inbox(&key).await);
    let path = format!("/v1/inboxes/{}", inbox.id);
    let body = json!({ "to": "bob@x.example", "subject": "s", "text": "t" });
    let sent = api.post(&format!("{path}/messages"), body).await.expect(202);
    server.settle().await;
    let outbox = api.get("/dev/outbox").await.expect(200);
    let return_path = outbox.data()[0]["envelope"]["from"].as_str().unwrap().replace('+', "%2B");
    api.post_empty(&format!("{path}/pause")).await.expect(200);
    let report = format!(
        "From: postmaster@mx.x.example\r\nSubject: Report\r\nMIME-Version: 1.0\r\n\
         Content-Type: multipart/report; report-type=delivery-status; boundary=\"b\"\r\n\r\n\
         --b\r\n\r\nA report.\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx.x.example\r\n\r\n\
         Final-Recipient: rfc822; bob@x.example\r\nAction: failed\r\nStatus: 5.1.1\r\n\r\n\
         --b\r\nContent-Type: text/rfc822-headers\r\n\r\nMessage-ID: {}\r\n\r\n--b--\r\n",
        sent.text("rfc_message_id")
    );
    let inject = format!("/dev/inbound?to={return_path}&from=");
    server.anonymous().raw(Method::POST, &inject, "message/rfc822", report).await.expect(201);
    assert_eq!(api.get(&format!("/v1/messages/{}", sent.text("id"))).await.expect(200)["status"], "bounced");
    let bounces = async || api.get("/v1/events?types=message.bounced").await.expect(200).data().len();
    assert_eq!(bounces().await, 0);
    api.post_empty(&format!("{path}/resume")).await.expect(200);
    assert_eq!(bounces().await, 1);
    server.finish().await;
}
