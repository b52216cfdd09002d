//! The work queue: claim, ack, nack, extend, and leases as fences (contract §4.8, decision 24).

mod fence;
mod others;

use std::collections::HashSet;

use posthouse_domain::{
    auth::Scope,
    id::{MessageId, ThreadId, WorkspaceId},
    message::Message,
    plan::Plan,
};
use posthouse_store::messages;
use posthouse_tests::{
    Options, TestServer,
    fixtures::{TestInbox, TestKey},
    http::{Api, Reply},
};
use reqwest::Method;
use serde_json::{Value, json};
use uuid::Uuid;

use super::messages::read::mail;

/// A server with an inbox whose queue has begun.
struct World {
    server: TestServer,
    key: TestKey,
    api: Api,
    inbox: TestInbox,
}

impl World {
    async fn new() -> Self {
        Self::on(TestServer::plain().await).await
    }

    async fn on(server: TestServer) -> Self {
        let key = server.workspace(Plan::Team).await;
        let (api, inbox) = (server.api(&key), server.inbox(&key).await);
        let world = Self { server, key, api, inbox };
        assert_eq!(world.claim(json!({})).await.json, json!({ "data": [], "paused": false }));
        world
    }

    async fn deliver(&self, subject: &str) -> String {
        self.server.arrive(&self.inbox, mail(subject)).await.to_string()
    }

    async fn claim(&self, body: Value) -> Reply {
        self.api.post(&format!("/v1/inboxes/{}/messages/claim", self.inbox.id), body).await.expect(200)
    }

    /// The only message that a claim of up to 50 gives.
    async fn claim_one(&self) -> Value {
        let reply = self.claim(json!({ "limit": 50 })).await;
        assert_eq!(reply.data().len(), 1, "{reply}");
        reply.data()[0].clone()
    }

    /// The subjects that a claim gives, in order.
    async fn subjects(&self, body: Value) -> Vec<String> {
        let claimed = self.claim(body).await;
        claimed.data().iter().map(|c| c["message"]["subject"].as_str().unwrap().to_owned()).collect()
    }

    async fn tell(&self, claimed: &Value, verb: &str, more: Value) -> Reply {
        let mut body = more;
        body["lease_id"] = claimed["lease_id"].clone();
        let id = claimed["message"]["id"].as_str().unwrap();
        self.api.post(&format!("/v1/messages/{id}/{verb}"), body).await
    }
}

#[tokio::test]
async fn a_queue_begins_with_its_first_claim_or_where_that_says() {
    let world = World::new().await;
    let later = world.server.inbox(&world.key).await;
    world.server.arrive(&later, mail("History")).await;
    let path = format!("/v1/inboxes/{}/messages/claim", later.id);
    assert_eq!(world.api.post_empty(&path).await.expect(200).json, json!({ "data": [], "paused": false }));
    world.api.post(&path, json!({ "since": "2020-01-01T00:00:00Z" })).await.expect(200);
    // The clock stands still: what comes in the millisecond of the first claim is behind it all the same.
    world.server.arrive(&later, mail("New")).await;
    let claimed = world.api.post(&path, json!({ "since": "2020-01-01T00:00:00Z" })).await.expect(200);
    assert_eq!(claimed.data().len(), 1);
    assert_eq!(claimed.data()[0]["message"]["subject"], "New");

    let old = world.server.inbox(&world.key).await;
    for subject in ["First", "Second", "Third"] {
        world.server.arrive(&old, mail(subject)).await;
        world.server.clock.advance(1_000);
    }
    let messages = world.api.get(&format!("/v1/inboxes/{}/messages", old.id)).await.expect(200);
    let since = messages.data()[1]["created_at"].clone();
    let path = format!("/v1/inboxes/{}/messages/claim", old.id);
    let claimed = world.api.post(&path, json!({ "since": since })).await.expect(200);
    let subjects: Vec<_> = claimed.data().iter().map(|c| c["message"]["subject"].clone()).collect();
    assert_eq!(subjects, ["Second", "Third"], "the message of that moment is in it");
    world.server.finish().await;
}

#[tokio::test]
async fn a_lease_hides_a_message_and_ack_ends_it() {
    let world = World::new().await;
    let ids = [world.deliver("One").await, world.deliver("Two").await];
    let now = posthouse_server::ports::Clock::now(&world.server.clock);
    let claimed = world.claim(json!({ "limit": 1, "lease_seconds": 60, "consumer": "worker 1" })).await;
    let first = claimed.data()[0].clone();
    assert_eq!(claimed.data().len(), 1);
    assert_eq!(first["message"]["id"], ids[0]);
    assert_eq!(first["delivery_count"], 1);
    assert_eq!(first["lease_until"], now.plus_ms(60_000).to_string());
    assert_eq!(first["message"]["text"].as_str().map(str::trim), Some("Hello there."));
    assert_eq!(world.subjects(json!({})).await, ["Two"]);
    assert_eq!(world.subjects(json!({})).await, [""; 0]);

    let acked = world.tell(&first, "ack", json!({ "mark_read": true })).await.expect(200);
    assert_eq!(acked.json, json!({ "id": ids[0], "acked_at": now.to_string() }));
    world.server.clock.advance(5_000);
    assert_eq!(world.tell(&first, "ack", json!({})).await.expect(200).json, acked.json, "asked again");
    assert_eq!(world.api.get(&format!("/v1/messages/{}", ids[0])).await.expect(200)["is_read"], true);
    for verb in ["nack", "extend"] {
        world.tell(&first, verb, json!({})).await.error("lease_expired");
    }
    world.server.clock.advance(3_600_000);
    assert_eq!(world.subjects(json!({})).await, ["Two"], "never handed out again");
    world.server.finish().await;
}

#[tokio::test]
async fn a_lease_that_ran_out_is_good_until_the_message_is_claimed_again() {
    let world = World::new().await;
    world.deliver("One").await;
    let first = world.claim(json!({ "lease_seconds": 30 })).await.data()[0].clone();
    world.server.clock.advance(29_999);
    assert_eq!(world.subjects(json!({})).await, [""; 0]);
    world.server.clock.advance(1);
    let until = world.tell(&first, "extend", json!({ "lease_seconds": 30 })).await.expect(200);
    let now = posthouse_server::ports::Clock::now(&world.server.clock);
    assert_eq!(until["lease_until"], now.plus_ms(30_000).to_string());
    assert_eq!(until["lease_id"], first["lease_id"]);
    assert_eq!(world.subjects(json!({})).await, [""; 0], "it is hidden again");
    world.server.clock.advance(30_000);
    let second = world.claim_one().await;
    assert_eq!(second["delivery_count"], 2);
    assert_ne!(second["lease_id"], first["lease_id"]);
    for verb in ["ack", "nack", "extend"] {
        world.tell(&first, verb, json!({})).await.error("lease_expired");
    }
    world.server.clock.advance(300_000);
    world.tell(&second, "ack", json!({})).await.expect(200);
    assert_eq!(world.subjects(json!({})).await, [""; 0]);
    world.server.finish().await;
}

#[tokio::test]
async fn nack_gives_back_now_or_later_and_the_tenth_makes_a_dead_letter() {
    let world = World::new().await;
    let id = world.deliver("Hard").await;
    world.deliver("Easy").await;
    let now = posthouse_server::ports::Clock::now(&world.server.clock);
    let first = world.claim(json!({ "limit": 1 })).await.data()[0].clone();
    let back = world.tell(&first, "nack", json!({ "delay_seconds": 60 })).await.expect(200);
    let at = now.plus_ms(60_000).to_string();
    assert_eq!(back.json, json!({ "id": id, "delivery_count": 1, "available_at": at, "dead_letter": false }));
    world.tell(&first, "ack", json!({})).await.error("lease_expired");
    assert_eq!(world.subjects(json!({ "limit": 50 })).await, ["Easy"]);
    world.server.clock.advance(60_000);
    for delivery in 2..=10 {
        let again = world.claim_one().await;
        assert_eq!((again["message"]["id"].as_str(), &again["delivery_count"]), (Some(id.as_str()), &json!(delivery)));
        let back = world.tell(&again, "nack", json!({})).await.expect(200);
        assert_eq!(back["dead_letter"], delivery == 10);
        assert_eq!(back["available_at"].is_null(), delivery == 10);
    }
    assert_eq!(world.subjects(json!({})).await, [""; 0]);
    let shown = world.api.get(&format!("/v1/messages/{id}")).await.expect(200);
    assert_eq!(shown["labels"], json!(["queue:dead-letter"]));
    let metrics = world.api.get("/v1/metrics").await.expect(200);
    let queue = &metrics["queue"][0];
    assert_eq!((&queue["dead_letters"], &queue["depth"], &queue["in_flight"]), (&json!(1), &json!(0), &json!(1)));
    let dead = world.api.get(&format!("/v1/inboxes/{}/messages?labels=queue:dead-letter", world.inbox.id)).await;
    assert_eq!(dead.expect(200).data().len(), 1);
    world.server.finish().await;
}

#[tokio::test]
async fn a_tenth_lease_that_runs_out_leaves_a_dead_letter_with_or_without_a_claim() {
    let world = World::new().await;
    let (watched, forgotten) = (world.deliver("Watched").await, world.deliver("Forgotten").await);
    let mut last = Vec::new();
    for _ in 0..10 {
        last = world.claim(json!({ "lease_seconds": 30 })).await.data().to_vec();
        assert_eq!(last.len(), 2);
        world.server.clock.advance(30_000);
    }
    world.tell(&last[0], "ack", json!({})).await.error("lease_expired");
    let metrics = world.api.get("/v1/metrics").await.expect(200);
    assert_eq!(metrics["queue"][0]["dead_letters"], 2, "time alone makes them dead");
    posthouse_server::jobs::sweep::run(world.server.app()).await.unwrap();
    for id in [&watched, &forgotten] {
        let shown = world.api.get(&format!("/v1/messages/{id}")).await.expect(200);
        assert_eq!(shown["labels"], json!(["queue:dead-letter"]));
    }
    assert_eq!(world.subjects(json!({})).await, [""; 0]);
    world.server.finish().await;
}

#[tokio::test]
async fn one_message_of_a_conversation_is_handed_out_at_a_time_in_order() {
    let world = World::new().await;
    let answer = |subject: &str| mail(subject).replace("\r\n\r\n", "\r\nIn-Reply-To: <Trip@sender.example>\r\n\r\n");
    world.deliver("Trip").await;
    for subject in ["Re: Trip", "Re: Re: Trip"] {
        world.server.arrive(&world.inbox, answer(subject)).await;
    }
    world.deliver("Other").await;
    let claimed = world.claim(json!({})).await;
    let subjects: Vec<_> = claimed.data().iter().map(|c| c["message"]["subject"].clone()).collect();
    assert_eq!(subjects, ["Trip", "Other"]);
    assert_eq!(world.subjects(json!({})).await, [""; 0]);
    let trip = &claimed.data()[0];
    world.tell(trip, "nack", json!({ "delay_seconds": 10 })).await.expect(200);
    assert_eq!(world.subjects(json!({})).await, [""; 0], "what waits for its first message waits with it");
    world.server.clock.advance(10_000);
    let trip = world.claim_one().await;
    assert_eq!(trip["message"]["subject"], "Trip");
    world.tell(&trip, "ack", json!({})).await.expect(200);
    assert_eq!(world.claim_one().await["message"]["subject"], "Re: Trip");
    world.server.clock.advance(300_000);
    assert_eq!(world.subjects(json!({})).await, ["Re: Trip", "Other"], "oldest first, also what comes back");
    world.server.finish().await;
}

#[tokio::test]
async fn a_claim_waits_for_mail_for_what_is_given_back_and_for_time() {
    let world = World::new().await;
    let wait = |seconds: f64| {
        let (api, path) = (world.api.clone(), format!("/v1/inboxes/{}/messages/claim", world.inbox.id));
        tokio::spawn(
            async move { api.post(&path, json!({ "wait": seconds, "lease_seconds": 30 })).await.expect(200).json },
        )
    };
    let waiting = wait(20.0);
    world.server.clock.waiting(1).await;
    world.deliver("One").await;
    let one = waiting.await.unwrap()["data"][0].clone();
    assert_eq!(one["message"]["subject"], "One");
    let waiting = wait(20.0);
    world.server.clock.waiting(1).await;
    world.tell(&one, "nack", json!({})).await.expect(200);
    assert_eq!(waiting.await.unwrap()["data"][0]["delivery_count"], 2);
    let waiting = wait(30.0);
    world.server.clock.waiting(1).await;
    world.server.clock.advance(30_000);
    assert_eq!(waiting.await.unwrap()["data"][0]["delivery_count"], 3, "the lease ran out meanwhile");
    let waiting = wait(1.5);
    world.server.clock.waiting(1).await;
    world.server.clock.advance(1_500);
    assert_eq!(waiting.await.unwrap(), json!({ "data": [], "paused": false }));
    world.server.finish().await;
}

#[tokio::test]
async fn the_next_of_a_conversation_is_handed_to_who_waits_when_the_one_before_is_acked() {
    let world = World::new().await;
    world.deliver("Trip").await;
    let trip = world.claim_one().await;
    world.deliver("Re: Trip").await;
    let (api, path) = (world.api.clone(), format!("/v1/inboxes/{}/messages/claim", world.inbox.id));
    let waiting = tokio::spawn(async move { api.post(&path, json!({ "wait": 20 })).await.expect(200).json });
    world.server.clock.waiting(1).await;
    world.tell(&trip, "ack", json!({})).await.expect(200);
    let next = waiting.await.unwrap();
    assert_eq!(next["data"][0]["message"]["subject"], "Re: Trip", "{next}");
    assert_eq!(next["data"][0]["message"]["thread_id"], trip["message"]["thread_id"]);
    world.server.finish().await;
}

#[tokio::test]
async fn a_paused_inbox_and_a_stopped_workspace_hand_nothing_out() {
    let world = World::new().await;
    world.deliver("One").await;
    let path = format!("/v1/inboxes/{}", world.inbox.id);
    let nothing = json!({ "data": [], "paused": true });
    world.api.post_empty(&format!("{path}/pause")).await.expect(200);
    assert_eq!(world.claim(json!({ "wait": 20 })).await.json, nothing);
    world.deliver("Two").await;
    world.api.post_empty(&format!("{path}/resume")).await.expect(200);
    let claimed = world.claim(json!({ "limit": 1 })).await.data()[0].clone();
    let (id, now) = (world.key.workspace, posthouse_server::ports::Clock::now(&world.server.clock));
    let stop = |at| {
        world.server.store().write(move |tx| {
            let mut workspace = posthouse_store::workspaces::get(tx, id)?.unwrap();
            workspace.stopped_at = at;
            posthouse_store::workspaces::update(tx, &workspace)
        })
    };
    stop(Some(now)).await.unwrap();
    assert_eq!(world.claim(json!({})).await.json, nothing);
    world.tell(&claimed, "ack", json!({})).await.expect(200);
    stop(None).await.unwrap();
    assert_eq!(world.subjects(json!({})).await, ["Two"]);
    world.server.finish().await;
}

#[tokio::test]
async fn a_claim_that_waits_is_answered_when_nothing_is_handed_out_any_more() {
    let world = World::new().await;
    let path = format!("/v1/inboxes/{}", world.inbox.id);
    let wait = || {
        let (api, path) = (world.api.clone(), format!("{path}/messages/claim"));
        tokio::spawn(async move { api.post(&path, json!({ "wait": 20 })).await.expect(200).json })
    };
    let nothing = json!({ "data": [], "paused": true });
    let waiting = wait();
    world.server.clock.waiting(1).await;
    world.api.post_empty(&format!("{path}/pause")).await.expect(200);
    assert_eq!(waiting.await.unwrap(), nothing);
    world.api.post_empty(&format!("{path}/resume")).await.expect(200);
    let waiting = wait();
    world.server.clock.waiting(1).await;
    world.api.post("/v1/emergency-stop", json!({ "reason": "Enough." })).await.expect(200);
    assert_eq!(waiting.await.unwrap(), nothing);
    world.server.finish().await;
}

#[tokio::test]
async fn filters_leave_the_rest_for_others() {
    let world = World::new().await;
    let body = json!({ "to": world.inbox.address, "subject": "Task", "text": "Do it.", "type": "task" });
    let sender = world.server.inbox(&world.key).await;
    world.deliver("Plain").await;
    world.api.post(&format!("/v1/inboxes/{}/messages", sender.id), body).await.expect(202);
    for filter in [json!({ "analysis": "completed" }), json!({ "type": "event" }), json!({ "channel": "mixed" })] {
        assert_eq!(world.subjects(filter).await, [""; 0]);
    }
    assert_eq!(world.subjects(json!({ "type": "task", "channel": "agent", "enriched": true })).await, ["Task"]);
    assert_eq!(world.subjects(json!({ "include_unscreened": true, "include_held": true })).await, ["Plain"]);
    let key = world.server.key(&world.key, "messages:read,messages:write", Scope::Workspace).await;
    let path = format!("/v1/inboxes/{}/messages/claim", world.inbox.id);
    world.server.api(&key).post(&path, json!({ "include_held": true })).await.error("insufficient_permissions");
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
        world.api.post(&path, json!({ field: bad })).await.invalid_fields(&[field]);
    }
    for (verb, body, field) in [
        ("ack", json!({}), "lease_id"),
        ("nack", json!({ "lease_id": "x", "delay_seconds": 3_601 }), "delay_seconds"),
        ("extend", json!({ "lease_id": "x", "lease_seconds": 29 }), "lease_seconds"),
    ] {
        let path = format!("/v1/messages/{}/{verb}", Uuid::from_u128(1));
        world.api.post(&path, body).await.invalid_fields(&[field]);
    }
    world.server.finish().await;
}

#[tokio::test]
async fn what_was_handed_out_and_deleted_since_is_gone_and_what_never_was_is_not_found() {
    let world = World::new().await;
    world.deliver("Thread").await;
    let claimed = world.claim_one().await;
    let unclaimed = world.deliver("Unclaimed").await;
    let thread = claimed["message"]["thread_id"].as_str().unwrap();
    world.api.delete(&format!("/v1/threads/{thread}")).await.expect(200);
    let temporary = world.server.inbox_with(&world.key, json!({ "ttl_seconds": 600 })).await;
    let lasting = world.server.inbox(&world.key).await;
    let mut all = vec![claimed];
    for inbox in [&temporary, &lasting] {
        let path = format!("/v1/inboxes/{}/messages/claim", inbox.id);
        world.api.post_empty(&path).await.expect(200);
        world.server.arrive(inbox, mail("Short")).await;
        all.push(world.api.post_empty(&path).await.expect(200).data()[0].clone());
        world.api.delete(&format!("/v1/inboxes/{}", inbox.id)).await.expect(204);
        world.api.post_empty(&path).await.error("not_found");
    }
    for claimed in &all {
        for verb in ["ack", "nack", "extend", "ack"] {
            let reply = world.tell(claimed, verb, json!({})).await.expect(200);
            assert_eq!(reply.json, json!({ "id": claimed["message"]["id"], "gone": true }));
        }
    }
    let lease = json!({ "lease_id": Uuid::from_u128(1) });
    world.api.post(&format!("/v1/messages/{unclaimed}/ack"), lease.clone()).await.error("lease_expired");
    world.api.post(&format!("/v1/messages/{}/ack", Uuid::from_u128(1)), lease.clone()).await.error("not_found");
    world.api.post("/v1/messages/nonsense/ack", lease).await.error("not_found");
    let stranger = world.server.workspace(Plan::Team).await;
    let other = world.server.key(&world.key, "full", Scope::Inbox(lasting.id)).await;
    for key in [&stranger, &other] {
        for claimed in all.iter().take(2) {
            let (id, lease) = (claimed["message"]["id"].as_str().unwrap(), json!({ "lease_id": claimed["lease_id"] }));
            world.server.api(key).post(&format!("/v1/messages/{id}/ack"), lease).await.error("not_found");
        }
    }
    world.server.finish().await;
}

/// Stores so many more messages like the first, each with a conversation of its own.
pub(in crate::routes) async fn multiply(server: &TestServer, workspace: WorkspaceId, first: &str, count: usize) {
    let id: MessageId = first.parse().unwrap();
    let ids = posthouse_server::ports::Clock::ids(&server.clock);
    let work = move |tx: &mut posthouse_store::Tx| {
        let (first, ids) = (messages::get(tx, workspace, id)?.unwrap(), ids.clone());
        for n in 0..count {
            let created_at =
                messages::next_created_at(tx, (workspace, first.inbox), first.size_bytes, first.created_at)?;
            let (id, thread): (MessageId, ThreadId) = (ids.next(), ids.next());
            let rfc_message_id = format!("<{n}@many.example>");
            messages::insert(tx, &Message { id, thread, created_at, rfc_message_id, ..first.clone() })?;
        }
        Ok::<_, posthouse_store::Error>(())
    };
    server.store().write(work).await.unwrap();
}

#[tokio::test]
async fn eight_claimers_never_hold_one_message_at_the_same_time_and_lose_none() {
    const MESSAGES: usize = 10_000;
    // The clock stands still: no minute ends.
    let unlimited = Options::default().configure(|config| config.plans.team.requests_per_minute = None);
    let world = World::on(TestServer::start(unlimited).await).await;
    let first = world.deliver("First").await;
    multiply(&world.server, world.key.workspace, &first, MESSAGES - 1).await;
    let claimer = |n: usize| {
        let (api, inbox) = (world.api.clone(), world.inbox.id);
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
                    // Now and then one is given back, for somebody else.
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
            assert!(held.insert(delivery.clone()), "{delivery:?} was handed out twice");
        }
        for id in done {
            assert!(finished.insert(id.clone()), "{id} was finished twice");
        }
    }
    // What was given back last may have been missed by all who had ended by then.
    for claimed in world.claim(json!({ "limit": 50 })).await.data() {
        world.tell(claimed, "ack", json!({})).await.expect(200);
        finished.insert(claimed["message"]["id"].as_str().unwrap().to_owned());
    }
    assert_eq!(finished.len(), MESSAGES);
    let metrics = world.api.get("/v1/metrics").await.expect(200);
    assert_eq!((&metrics["queue"][0]["depth"], &metrics["queue"][0]["in_flight"]), (&json!(0), &json!(0)));
    world.server.finish().await;
}
