//! The work queue: claim, ack, nack, extend, and leases as fencing tokens.

mod by_hand;
mod fence;
mod others;
mod withheld;

use std::collections::HashSet;

use posthouse_domain::{
    auth::Scope,
    id::{MessageId, ThreadId, WorkspaceId},
    message::Message,
    plan::Plan,
};
use posthouse_store::messages;
use posthouse_tests::{
    ServerOptions, TestServer,
    fixtures::{TestInbox, TestKey},
    http::{Api, ApiResponse},
};
use reqwest::Method;
use serde_json::{Value, json};
use uuid::Uuid;

use super::messages::read::mail;

/// A server with an inbox whose queue was initialized by a first claim.
struct Fixture {
    server: TestServer,
    key: TestKey,
    api: Api,
    inbox: TestInbox,
}

impl Fixture {
    async fn new() -> Self {
        Self::on(TestServer::plain().await).await
    }

    async fn on(server: TestServer) -> Self {
        let key = server.workspace(Plan::Team).await;
        let (api, inbox) = (server.api(&key), server.inbox(&key).await);
        let fixture = Self { server, key, api, inbox };
        assert_eq!(fixture.claim(json!({})).await.json, json!({ "data": [], "paused": false }));
        fixture
    }

    async fn deliver(&self, subject: &str) -> String {
        self.server.receive_message(&self.inbox, mail(subject)).await.to_string()
    }

    async fn claim(&self, body: Value) -> ApiResponse {
        self.api.post(&format!("/v1/inboxes/{}/messages/claim", self.inbox.id), body).await.expect(200)
    }

    /// Claims up to 50 messages and returns the only one.
    async fn claim_one(&self) -> Value {
        let reply = self.claim(json!({ "limit": 50 })).await;
        assert_eq!(reply.data().len(), 1, "{reply}");
        reply.data()[0].clone()
    }

    /// Returns the subjects of a claim, in order.
    async fn subjects(&self, body: Value) -> Vec<String> {
        let claimed = self.claim(body).await;
        claimed.data().iter().map(|c| c["message"]["subject"].as_str().unwrap().to_owned()).collect()
    }

    async fn post_with_lease(&self, claimed: &Value, verb: &str, more: Value) -> ApiResponse {
        let mut body = more;
        body["lease_id"] = claimed["lease_id"].clone();
        let id = claimed["message"]["id"].as_str().unwrap();
        self.api.post(&format!("/v1/messages/{id}/{verb}"), body).await
    }
}

#[tokio::test]
async fn a_queue_starts_at_its_first_claim_or_at_since() {
    let fixture = Fixture::new().await;
    let later = fixture.server.inbox(&fixture.key).await;
    fixture.server.receive_message(&later, mail("History")).await;
    let path = format!("/v1/inboxes/{}/messages/claim", later.id);
    assert_eq!(fixture.api.post_empty(&path).await.expect(200).json, json!({ "data": [], "paused": false }));
    fixture.api.post(&path, json!({ "since": "2020-01-01T00:00:00Z" })).await.expect(200);
    // The clock doesn't move: a message in the same millisecond as the first claim is still after it.
    fixture.server.receive_message(&later, mail("New")).await;
    let claimed = fixture.api.post(&path, json!({ "since": "2020-01-01T00:00:00Z" })).await.expect(200);
    assert_eq!(claimed.data().len(), 1);
    assert_eq!(claimed.data()[0]["message"]["subject"], "New");

    let old = fixture.server.inbox(&fixture.key).await;
    for subject in ["First", "Second", "Third"] {
        fixture.server.receive_message(&old, mail(subject)).await;
        fixture.server.clock.advance(1_000);
    }
    let messages = fixture.api.get(&format!("/v1/inboxes/{}/messages", old.id)).await.expect(200);
    let since = messages.data()[1]["created_at"].clone();
    let path = format!("/v1/inboxes/{}/messages/claim", old.id);
    let claimed = fixture.api.post(&path, json!({ "since": since })).await.expect(200);
    let subjects: Vec<_> = claimed.data().iter().map(|c| c["message"]["subject"].clone()).collect();
    assert_eq!(subjects, ["Second", "Third"], "since is inclusive");
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_lease_hides_a_message_and_ack_finishes_it() {
    let fixture = Fixture::new().await;
    let ids = [fixture.deliver("One").await, fixture.deliver("Two").await];
    let now = posthouse_app::ports::Clock::now(&fixture.server.clock);
    let claimed = fixture.claim(json!({ "limit": 1, "lease_seconds": 60, "consumer": "worker 1" })).await;
    let first = claimed.data()[0].clone();
    assert_eq!(claimed.data().len(), 1);
    assert_eq!(first["message"]["id"], ids[0]);
    assert_eq!(first["delivery_count"], 1);
    assert_eq!(first["lease_until"], now.plus_ms(60_000).to_string());
    assert_eq!(first["message"]["text"].as_str().map(str::trim), Some("Hello there."));
    assert_eq!(fixture.subjects(json!({})).await, ["Two"]);
    assert_eq!(fixture.subjects(json!({})).await, [""; 0]);

    let acked = fixture.post_with_lease(&first, "ack", json!({ "mark_read": true })).await.expect(200);
    assert_eq!(acked.json, json!({ "id": ids[0], "acked_at": now.to_string() }));
    fixture.server.clock.advance(5_000);
    assert_eq!(fixture.post_with_lease(&first, "ack", json!({})).await.expect(200).json, acked.json, "a repeated ack");
    assert_eq!(fixture.api.get(&format!("/v1/messages/{}", ids[0])).await.expect(200)["is_read"], true);
    for verb in ["nack", "extend"] {
        fixture.post_with_lease(&first, verb, json!({})).await.error("lease_expired");
    }
    fixture.server.clock.advance(3_600_000);
    assert_eq!(fixture.subjects(json!({})).await, ["Two"], "never delivered again");
    fixture.server.finish().await;
}

#[tokio::test]
async fn an_expired_lease_is_valid_until_the_message_is_claimed_again() {
    let fixture = Fixture::new().await;
    fixture.deliver("One").await;
    let first = fixture.claim(json!({ "lease_seconds": 30 })).await.data()[0].clone();
    fixture.server.clock.advance(29_999);
    assert_eq!(fixture.subjects(json!({})).await, [""; 0]);
    fixture.server.clock.advance(1);
    let until = fixture.post_with_lease(&first, "extend", json!({ "lease_seconds": 30 })).await.expect(200);
    let now = posthouse_app::ports::Clock::now(&fixture.server.clock);
    assert_eq!(until["lease_until"], now.plus_ms(30_000).to_string());
    assert_eq!(until["lease_id"], first["lease_id"]);
    assert_eq!(fixture.subjects(json!({})).await, [""; 0], "it is hidden again");
    fixture.server.clock.advance(30_000);
    let second = fixture.claim_one().await;
    assert_eq!(second["delivery_count"], 2);
    assert_ne!(second["lease_id"], first["lease_id"]);
    for verb in ["ack", "nack", "extend"] {
        fixture.post_with_lease(&first, verb, json!({})).await.error("lease_expired");
    }
    fixture.server.clock.advance(300_000);
    fixture.post_with_lease(&second, "ack", json!({})).await.expect(200);
    assert_eq!(fixture.subjects(json!({})).await, [""; 0]);
    fixture.server.finish().await;
}

#[tokio::test]
async fn nack_returns_a_message_now_or_later_and_the_tenth_makes_a_dead_letter() {
    let fixture = Fixture::new().await;
    let id = fixture.deliver("Hard").await;
    fixture.deliver("Easy").await;
    let now = posthouse_app::ports::Clock::now(&fixture.server.clock);
    let first = fixture.claim(json!({ "limit": 1 })).await.data()[0].clone();
    let back = fixture.post_with_lease(&first, "nack", json!({ "delay_seconds": 60 })).await.expect(200);
    let at = now.plus_ms(60_000).to_string();
    assert_eq!(back.json, json!({ "id": id, "delivery_count": 1, "available_at": at, "dead_letter": false }));
    fixture.post_with_lease(&first, "ack", json!({})).await.error("lease_expired");
    assert_eq!(fixture.subjects(json!({ "limit": 50 })).await, ["Easy"]);
    fixture.server.clock.advance(60_000);
    for delivery in 2..=10 {
        let again = fixture.claim_one().await;
        assert_eq!((again["message"]["id"].as_str(), &again["delivery_count"]), (Some(id.as_str()), &json!(delivery)));
        let back = fixture.post_with_lease(&again, "nack", json!({})).await.expect(200);
        assert_eq!(back["dead_letter"], delivery == 10);
        assert_eq!(back["available_at"].is_null(), delivery == 10);
    }
    assert_eq!(fixture.subjects(json!({})).await, [""; 0]);
    let shown = fixture.api.get(&format!("/v1/messages/{id}")).await.expect(200);
    assert_eq!(shown["labels"], json!(["queue:dead-letter"]));
    let metrics = fixture.api.get("/v1/metrics").await.expect(200);
    let queue = &metrics["queue"][0];
    assert_eq!((&queue["dead_letters"], &queue["depth"], &queue["in_flight"]), (&json!(1), &json!(0), &json!(1)));
    let dead = fixture.api.get(&format!("/v1/inboxes/{}/messages?labels=queue:dead-letter", fixture.inbox.id)).await;
    assert_eq!(dead.expect(200).data().len(), 1);
    fixture.server.finish().await;
}

#[tokio::test]
async fn an_expired_tenth_lease_makes_a_dead_letter_with_or_without_a_claim() {
    let fixture = Fixture::new().await;
    let (watched, forgotten) = (fixture.deliver("Watched").await, fixture.deliver("Forgotten").await);
    let mut last = Vec::new();
    for _ in 0..10 {
        last = fixture.claim(json!({ "lease_seconds": 30 })).await.data().to_vec();
        assert_eq!(last.len(), 2);
        fixture.server.clock.advance(30_000);
    }
    fixture.post_with_lease(&last[0], "ack", json!({})).await.error("lease_expired");
    let metrics = fixture.api.get("/v1/metrics").await.expect(200);
    assert_eq!(metrics["queue"][0]["dead_letters"], 2, "time alone makes them dead letters");
    posthouse_app::jobs::reconcile::run(fixture.server.service()).await.unwrap();
    for id in [&watched, &forgotten] {
        let shown = fixture.api.get(&format!("/v1/messages/{id}")).await.expect(200);
        assert_eq!(shown["labels"], json!(["queue:dead-letter"]));
    }
    assert_eq!(fixture.subjects(json!({})).await, [""; 0]);
    fixture.server.finish().await;
}

#[tokio::test]
async fn messages_of_a_thread_are_claimed_one_at_a_time_in_order() {
    let fixture = Fixture::new().await;
    let answer = |subject: &str| mail(subject).replace("\r\n\r\n", "\r\nIn-Reply-To: <Trip@sender.example>\r\n\r\n");
    fixture.deliver("Trip").await;
    for subject in ["Re: Trip", "Re: Re: Trip"] {
        fixture.server.receive_message(&fixture.inbox, answer(subject)).await;
    }
    fixture.deliver("Other").await;
    let claimed = fixture.claim(json!({})).await;
    let subjects: Vec<_> = claimed.data().iter().map(|c| c["message"]["subject"].clone()).collect();
    assert_eq!(subjects, ["Trip", "Other"]);
    assert_eq!(fixture.subjects(json!({})).await, [""; 0]);
    let trip = &claimed.data()[0];
    fixture.post_with_lease(trip, "nack", json!({ "delay_seconds": 10 })).await.expect(200);
    assert_eq!(fixture.subjects(json!({})).await, [""; 0], "the later messages of the thread wait with it");
    fixture.server.clock.advance(10_000);
    let trip = fixture.claim_one().await;
    assert_eq!(trip["message"]["subject"], "Trip");
    fixture.post_with_lease(&trip, "ack", json!({})).await.expect(200);
    assert_eq!(fixture.claim_one().await["message"]["subject"], "Re: Trip");
    fixture.server.clock.advance(300_000);
    assert_eq!(fixture.subjects(json!({})).await, ["Re: Trip", "Other"], "oldest first, including returned messages");
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_waiting_claim_gets_new_messages_nacked_ones_and_expired_leases() {
    let fixture = Fixture::new().await;
    let wait = |seconds: f64| {
        let (api, path) = (fixture.api.clone(), format!("/v1/inboxes/{}/messages/claim", fixture.inbox.id));
        tokio::spawn(
            async move { api.post(&path, json!({ "wait": seconds, "lease_seconds": 30 })).await.expect(200).json },
        )
    };
    let wait_task = wait(20.0);
    fixture.server.clock.wait_for_sleepers(1).await;
    fixture.deliver("One").await;
    let one = wait_task.await.unwrap()["data"][0].clone();
    assert_eq!(one["message"]["subject"], "One");
    let wait_task = wait(20.0);
    fixture.server.clock.wait_for_sleepers(1).await;
    fixture.post_with_lease(&one, "nack", json!({})).await.expect(200);
    assert_eq!(wait_task.await.unwrap()["data"][0]["delivery_count"], 2);
    let wait_task = wait(30.0);
    fixture.server.clock.wait_for_sleepers(1).await;
    fixture.server.clock.advance(30_000);
    assert_eq!(wait_task.await.unwrap()["data"][0]["delivery_count"], 3, "the lease expired meanwhile");
    let wait_task = wait(1.5);
    fixture.server.clock.wait_for_sleepers(1).await;
    fixture.server.clock.advance(1_500);
    assert_eq!(wait_task.await.unwrap(), json!({ "data": [], "paused": false }));
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_waiting_claim_gets_the_next_message_of_a_thread_after_an_ack() {
    let fixture = Fixture::new().await;
    fixture.deliver("Trip").await;
    let trip = fixture.claim_one().await;
    fixture.deliver("Re: Trip").await;
    let (api, path) = (fixture.api.clone(), format!("/v1/inboxes/{}/messages/claim", fixture.inbox.id));
    let wait_task = tokio::spawn(async move { api.post(&path, json!({ "wait": 20 })).await.expect(200).json });
    fixture.server.clock.wait_for_sleepers(1).await;
    fixture.post_with_lease(&trip, "ack", json!({})).await.expect(200);
    let next = wait_task.await.unwrap();
    assert_eq!(next["data"][0]["message"]["subject"], "Re: Trip", "{next}");
    assert_eq!(next["data"][0]["message"]["thread_id"], trip["message"]["thread_id"]);
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_paused_inbox_and_a_stopped_workspace_return_nothing() {
    let fixture = Fixture::new().await;
    fixture.deliver("One").await;
    let path = format!("/v1/inboxes/{}", fixture.inbox.id);
    let nothing = json!({ "data": [], "paused": true });
    fixture.api.post_empty(&format!("{path}/pause")).await.expect(200);
    assert_eq!(fixture.claim(json!({ "wait": 20 })).await.json, nothing);
    fixture.deliver("Two").await;
    fixture.api.post_empty(&format!("{path}/resume")).await.expect(200);
    let claimed = fixture.claim(json!({ "limit": 1 })).await.data()[0].clone();
    let (id, now) = (fixture.key.workspace, posthouse_app::ports::Clock::now(&fixture.server.clock));
    let stop = |at| {
        fixture.server.store().write(move |tx| {
            let mut workspace = posthouse_store::workspaces::get(tx, id)?.unwrap();
            workspace.stopped_at = at;
            posthouse_store::workspaces::update(tx, &workspace)
        })
    };
    stop(Some(now)).await.unwrap();
    assert_eq!(fixture.claim(json!({})).await.json, nothing);
    fixture.post_with_lease(&claimed, "ack", json!({})).await.expect(200);
    stop(None).await.unwrap();
    assert_eq!(fixture.subjects(json!({})).await, ["Two"]);
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_waiting_claim_returns_when_the_inbox_is_paused_or_the_workspace_stopped() {
    let fixture = Fixture::new().await;
    let path = format!("/v1/inboxes/{}", fixture.inbox.id);
    let wait = || {
        let (api, path) = (fixture.api.clone(), format!("{path}/messages/claim"));
        tokio::spawn(async move { api.post(&path, json!({ "wait": 20 })).await.expect(200).json })
    };
    let nothing = json!({ "data": [], "paused": true });
    let wait_task = wait();
    fixture.server.clock.wait_for_sleepers(1).await;
    fixture.api.post_empty(&format!("{path}/pause")).await.expect(200);
    assert_eq!(wait_task.await.unwrap(), nothing);
    fixture.api.post_empty(&format!("{path}/resume")).await.expect(200);
    let wait_task = wait();
    fixture.server.clock.wait_for_sleepers(1).await;
    fixture.api.post("/v1/emergency-stop", json!({ "reason": "Enough." })).await.expect(200);
    assert_eq!(wait_task.await.unwrap(), nothing);
    fixture.server.finish().await;
}

#[tokio::test]
async fn filters_leave_other_messages_for_other_claims() {
    let fixture = Fixture::new().await;
    let body = json!({ "to": fixture.inbox.address, "subject": "Task", "text": "Do it.", "type": "task" });
    let sender = fixture.server.inbox(&fixture.key).await;
    fixture.deliver("Plain").await;
    fixture.api.post(&format!("/v1/inboxes/{}/messages", sender.id), body).await.expect(202);
    for filter in [json!({ "analysis": "completed" }), json!({ "type": "event" }), json!({ "channel": "mixed" })] {
        assert_eq!(fixture.subjects(filter).await, [""; 0]);
    }
    assert_eq!(fixture.subjects(json!({ "type": "task", "channel": "agent", "enriched": true })).await, ["Task"]);
    assert_eq!(fixture.subjects(json!({ "include_unscreened": true, "include_held": true })).await, ["Plain"]);
    let key = fixture.server.key(&fixture.key, "messages:read,messages:write", Scope::Workspace).await;
    let path = format!("/v1/inboxes/{}/messages/claim", fixture.inbox.id);
    fixture.server.api(&key).post(&path, json!({ "include_held": true })).await.error("insufficient_permissions");
    for (field, bad) in [
        ("limit", json!(0)),
        ("limit", json!(51)),
        ("lease_seconds", json!(29)),
        ("lease_seconds", json!(3_601)),
        ("wait", json!(30.5)),
        ("wait", json!(-1)),
        ("consumer", json!("x".repeat(101))),
        ("since", json!("yesterday")),
        ("analysis", json!("pending")),
        ("type", json!("mail")),
        ("leases", json!(1)),
    ] {
        fixture.api.post(&path, json!({ field: bad })).await.invalid_fields(&[field]);
    }
    for (verb, body, field) in [
        ("ack", json!({}), "lease_id"),
        ("nack", json!({ "lease_id": "x", "delay_seconds": 3_601 }), "delay_seconds"),
        ("extend", json!({ "lease_id": "x", "lease_seconds": 29 }), "lease_seconds"),
    ] {
        let path = format!("/v1/messages/{}/{verb}", Uuid::from_u128(1));
        fixture.api.post(&path, body).await.invalid_fields(&[field]);
    }
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_claimed_and_deleted_message_is_gone_and_an_unclaimed_one_not_found() {
    let fixture = Fixture::new().await;
    fixture.deliver("Thread").await;
    let claimed = fixture.claim_one().await;
    let unclaimed = fixture.deliver("Unclaimed").await;
    let thread = claimed["message"]["thread_id"].as_str().unwrap();
    fixture.api.delete(&format!("/v1/threads/{thread}")).await.expect(200);
    let temporary = fixture.server.inbox_with(&fixture.key, json!({ "ttl_seconds": 600 })).await;
    let lasting = fixture.server.inbox(&fixture.key).await;
    let mut all = vec![claimed];
    for inbox in [&temporary, &lasting] {
        let path = format!("/v1/inboxes/{}/messages/claim", inbox.id);
        fixture.api.post_empty(&path).await.expect(200);
        fixture.server.receive_message(inbox, mail("Short")).await;
        all.push(fixture.api.post_empty(&path).await.expect(200).data()[0].clone());
        fixture.api.delete(&format!("/v1/inboxes/{}", inbox.id)).await.expect(204);
        fixture.api.post_empty(&path).await.error("not_found");
    }
    for claimed in &all {
        for verb in ["ack", "nack", "extend", "ack"] {
            let reply = fixture.post_with_lease(claimed, verb, json!({})).await.expect(200);
            assert_eq!(reply.json, json!({ "id": claimed["message"]["id"], "gone": true }));
        }
    }
    let lease = json!({ "lease_id": Uuid::from_u128(1) });
    fixture.api.post(&format!("/v1/messages/{unclaimed}/ack"), lease.clone()).await.error("lease_expired");
    fixture.api.post(&format!("/v1/messages/{}/ack", Uuid::from_u128(1)), lease.clone()).await.error("not_found");
    fixture.api.post("/v1/messages/nonsense/ack", lease).await.error("not_found");
    let stranger = fixture.server.workspace(Plan::Team).await;
    let other = fixture.server.key(&fixture.key, "full", Scope::Inbox(lasting.id)).await;
    for key in [&stranger, &other] {
        for claimed in all.iter().take(2) {
            let (id, lease) = (claimed["message"]["id"].as_str().unwrap(), json!({ "lease_id": claimed["lease_id"] }));
            fixture.server.api(key).post(&format!("/v1/messages/{id}/ack"), lease).await.error("not_found");
        }
    }
    fixture.server.finish().await;
}

/// Stores `count` more messages like the first, each in its own thread.
pub(in crate::routes) async fn multiply(server: &TestServer, workspace: WorkspaceId, first: &str, count: usize) {
    let id: MessageId = first.parse().unwrap();
    let ids = posthouse_app::ports::Clock::ids(&server.clock);
    let work = move |tx: &mut posthouse_store::Tx| {
        let (first, ids) = (messages::get(tx, workspace, id)?.unwrap(), ids.clone());
        for n in 0..count {
            let created_at = messages::next_created_at(tx, workspace, first.inbox, first.size_bytes, first.created_at)?;
            let (id, thread): (MessageId, ThreadId) = (ids.next(), ids.next());
            let rfc_message_id = format!("<{n}@many.example>");
            messages::insert(tx, &Message { id, thread, created_at, rfc_message_id, ..first.clone() })?;
        }
        Ok::<_, posthouse_store::Error>(())
    };
    server.store().write(work).await.unwrap();
}

#[tokio::test]
async fn eight_concurrent_workers_never_share_a_message_and_lose_none() {
    const MESSAGES: usize = 10_000;
    // The clock doesn't move, so the per-minute limit would never reset.
    let unlimited = ServerOptions::default().configure(|config| config.plans.team.requests_per_minute = None);
    let fixture = Fixture::on(TestServer::start(unlimited).await).await;
    let first = fixture.deliver("First").await;
    multiply(&fixture.server, fixture.key.workspace, &first, MESSAGES - 1).await;
    let claimer = |n: usize| {
        let (api, inbox) = (fixture.api.clone(), fixture.inbox.id);
        tokio::spawn(async move {
            let (mut held, mut finished) = (Vec::new(), Vec::new());
            loop {
                let body = json!({ "limit": 7 + n * 5, "consumer": format!("claimer {n}") });
                let reply = api.post(&format!("/v1/inboxes/{inbox}/messages/claim"), body).await.expect(200);
                if reply.data().is_empty() {
                    return (held, finished);
                }
                for (at, claimed) in reply.data().iter().enumerate() {
                    let id = claimed["message"]["id"].as_str().unwrap().to_owned();
                    held.push((id.clone(), claimed["delivery_count"].as_u64().unwrap()));
                    // Some messages are returned for another worker.
                    let again = at == 3 && claimed["delivery_count"] == 1;
                    let verb = if again { "nack" } else { "ack" };
                    let lease = json!({ "lease_id": claimed["lease_id"] });
                    api.post(&format!("/v1/messages/{id}/{verb}"), lease).await.expect(200);
                    if !again {
                        finished.push(id);
                    }
                }
            }
        })
    };
    let claimers: Vec<_> = (0..8).map(claimer).collect();
    let (mut held, mut finished) = (HashSet::new(), HashSet::new());
    for claimer in claimers {
        let (some, done) = claimer.await.unwrap();
        for delivery in some {
            assert!(held.insert(delivery.clone()), "{delivery:?} was claimed twice");
        }
        for id in done {
            assert!(finished.insert(id.clone()), "{id} was finished twice");
        }
    }
    // The last returned messages may be left after all workers have ended.
    for claimed in fixture.claim(json!({ "limit": 50 })).await.data() {
        fixture.post_with_lease(claimed, "ack", json!({})).await.expect(200);
        finished.insert(claimed["message"]["id"].as_str().unwrap().to_owned());
    }
    assert_eq!(finished.len(), MESSAGES);
    let metrics = fixture.api.get("/v1/metrics").await.expect(200);
    assert_eq!((&metrics["queue"][0]["depth"], &metrics["queue"][0]["in_flight"]), (&json!(0), &json!(0)));
    fixture.server.finish().await;
}
