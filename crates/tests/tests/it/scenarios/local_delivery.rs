//! Mail between workspaces of one service: a job of the recipients' workspace stores the copies, then the sent message
//! is settled (`docs/decisions/sending.md#0059-local-delivery`).

mod failures;

use std::sync::{Arc, Barrier};

use futures_util::future::join_all;
use posthouse_domain::{id::InboxId, job::JobKind, plan::Plan};
use posthouse_store::{Engine, Error, Sql, Tx, inboxes, jobs, p, statements};
use posthouse_tests::{
    ServerOptions, TestServer,
    fixtures::{TestInbox, TestKey},
    http::{Api, ApiResponse},
    server::engine_of_run,
};
use serde_json::{Value, json};

statements! {
    FIRST_DELIVERY = "SELECT id FROM local_deliveries ORDER BY created_at LIMIT 1";
    DELIVERIES = "SELECT count(*) FROM local_deliveries";
    LEFT_CONTENTS = "SELECT count(*) FROM contents c WHERE NOT EXISTS
        (SELECT 1 FROM messages m WHERE m.workspace_id = c.workspace_id AND m.content_id = c.id)";
}

/// A workspace with an inbox.
struct Side {
    key: TestKey,
    api: Api,
    inbox: TestInbox,
}

impl Side {
    async fn open(server: &TestServer, name: &str) -> Self {
        let key = server.workspace(Plan::Team).await;
        let inbox = server.inbox_named(&key, name).await;
        Self { api: server.api(&key), inbox, key }
    }

    async fn try_send(&self, to: &[&str], subject: &str) -> ApiResponse {
        let body = json!({ "to": to, "subject": subject, "text": "Here it is.", "data": { "n": 1 }, "type": "task" });
        self.api.post(&format!("/v1/inboxes/{}/messages", self.inbox.id), body).await
    }

    /// Sends a message and returns its id.
    async fn send(&self, to: &[&str], subject: &str) -> String {
        self.try_send(to, subject).await.expect(202).text("id").to_owned()
    }

    /// Returns the received messages of the inbox, oldest first.
    async fn received(&self) -> Vec<Value> {
        let path = format!("/v1/inboxes/{}/messages?limit=100&direction=inbound", self.inbox.id);
        let mut all = self.api.get(&path).await.expect(200).data().to_vec();
        all.reverse();
        all
    }

    async fn subjects(&self) -> Vec<String> {
        let received = self.received().await;
        received.iter().map(|message| message["subject"].as_str().unwrap_or_default().to_owned()).collect()
    }

    async fn message(&self, id: &str) -> ApiResponse {
        self.api.get(&format!("/v1/messages/{id}")).await.expect(200)
    }

    /// Returns the status of each recipient of a sent message.
    async fn statuses(&self, id: &str) -> Vec<String> {
        let message = self.message(id).await;
        let entries = message["delivery"].as_array().expect("a sent message has entries");
        entries.iter().map(|entry| entry["status"].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// Returns the types of the workspace's events about messages, oldest first.
    async fn events(&self) -> Vec<String> {
        let log = self.log().await;
        log.iter().map(|event| event["type"].as_str().unwrap_or_default().to_owned()).collect()
    }

    async fn log(&self) -> Vec<Value> {
        let types = "message.sent,message.delivered,message.bounced,message.received";
        self.api.get(&format!("/v1/events?types={types}")).await.expect(200).data().to_vec()
    }
}

struct Fixture {
    server: TestServer,
    alice: Side,
    bob: Side,
}

impl Fixture {
    async fn open() -> Self {
        Self::with(ServerOptions::default()).await
    }

    async fn with(options: ServerOptions) -> Self {
        let server = TestServer::start(options).await;
        let (alice, bob) = (Side::open(&server, "alice").await, Side::open(&server, "bob").await);
        Self { server, alice, bob }
    }

    async fn send(&self, subject: &str) -> String {
        self.alice.send(&[&self.bob.inbox.address], subject).await
    }

    async fn count(&self, sql: &'static Sql) -> i64 {
        let found = self.server.store().read(|tx| -> Result<_, Error> { tx.one::<(i64,)>(sql, p![]) }).await;
        found.unwrap().map_or(0, |(count,)| count)
    }

    /// Asserts that deliveries left neither rows nor jobs nor contents.
    async fn expect_nothing_left(&self) {
        assert_eq!((self.count(&DELIVERIES).await, self.count(&LEFT_CONTENTS).await), (0, 0));
        assert_eq!(self.server.store().read(jobs::counts).await.unwrap(), []);
    }
}

#[tokio::test]
async fn recipients_of_another_workspace_get_their_copy_from_a_job() {
    let fixture = Fixture::open().await;
    let Fixture { server, alice, bob } = &fixture;
    let (berta, carol) = (server.inbox_named(&bob.key, "berta").await, Side::open(server, "carol").await);
    let dora = server.inbox_named(&alice.key, "dora").await;
    let tagged = bob.inbox.address.replace('@', "+tag@");
    let to = [&*bob.inbox.address, &*tagged, &*berta.address, &*carol.inbox.address, &*dora.address];
    let sent = alice.try_send(&to, "Plan").await.expect(202);
    assert_eq!(sent["status"], "queued");
    let id = sent.text("id").to_owned();
    assert_eq!(alice.statuses(&id).await, ["queued", "queued", "queued", "queued", "delivered"]);
    assert_eq!(alice.events().await, ["message.received", "message.sent", "message.delivered"]);
    assert_eq!(bob.received().await.len(), 0);

    server.settle().await;
    assert_eq!(alice.statuses(&id).await, ["delivered"; 5]);
    let message = alice.message(&id).await;
    assert_eq!((&message["status"], &message["channel"]), (&json!("delivered"), &json!("agent")));
    let entry = &message["delivery"][0];
    assert_eq!((&entry["attempts"], &entry["detail"], &entry["smtp_code"]), (&json!(1), &Value::Null, &Value::Null));
    let received = bob.received().await;
    assert_eq!(received.len(), 1, "two addresses of one inbox get one copy");
    let copy = bob.message(received[0]["id"].as_str().unwrap()).await;
    assert_eq!((&copy["channel"], &copy["type"], &copy["data"]), (&json!("agent"), &json!("task"), &json!({ "n": 1 })));
    assert_eq!((&copy["subject"], &copy["text"]), (&json!("Plan"), &json!("Here it is.")));
    assert_eq!((&copy["to"], &copy["rfc_message_id"]), (&message["to"], &message["rfc_message_id"]));
    assert_eq!(
        (bob.events().await, carol.events().await),
        (vec!["message.received".to_owned(); 2], vec!["message.received".to_owned()])
    );
    let log = alice.log().await;
    let delivered: Vec<&Value> = log.iter().filter(|event| event["type"] == "message.delivered").collect();
    let recipients: Vec<&Value> =
        delivered.iter().flat_map(|event| event["data"]["recipients"].as_array().unwrap()).collect();
    assert_eq!((delivered.len(), recipients.len()), (3, 5), "one event for each workspace: {delivered:?}");
    assert_eq!(log.iter().filter(|event| event["type"] == "message.sent").count(), 1);
    fixture.expect_nothing_left().await;
    fixture.server.finish().await;
}

#[tokio::test]
async fn messages_arrive_in_the_order_in_which_they_were_sent() {
    let fixture = Fixture::open().await;
    let subjects: Vec<String> = (0..40).map(|n| format!("Message {n}")).collect();
    for subject in &subjects {
        fixture.send(subject).await;
    }
    // The job of the first message is lost; the job of a later one doesn't overtake it.
    let lose = |tx: &mut Tx| -> Result<(), Error> {
        let (first,) = tx.one::<(uuid::Uuid,)>(&FIRST_DELIVERY, p![])?.expect("a delivery waits");
        jobs::cancel(tx, JobKind::LocalDelivery, first)
    };
    fixture.server.store().write(lose).await.unwrap();
    fixture.server.settle().await;
    assert_eq!(fixture.bob.subjects().await, subjects);
    fixture.expect_nothing_left().await;
    fixture.server.finish().await;
}

#[tokio::test]
async fn two_workspaces_that_write_to_each_other_do_not_wait_for_each_other() {
    let fixture = Fixture::open().await;
    let Fixture { server, alice, bob } = &fixture;
    let to_bob =
        join_all((0..20).map(|n| async move { alice.send(&[&bob.inbox.address], &format!("To Bob {n}")).await }));
    let to_alice =
        join_all((0..20).map(|n| async move { bob.send(&[&alice.inbox.address], &format!("To Alice {n}")).await }));
    let settling = async {
        for _ in 0..10 {
            server.settle().await;
        }
    };
    let (to_bob, to_alice, ()) = tokio::join!(to_bob, to_alice, settling);
    server.settle().await;
    for (side, ids) in [(alice, to_bob), (bob, to_alice)] {
        assert_eq!(side.received().await.len(), 20);
        for id in ids {
            assert_eq!(side.statuses(&id).await, ["delivered"]);
        }
    }
    fixture.expect_nothing_left().await;
    fixture.server.finish().await;
}

/// SQLite has one writer, so only PostgreSQL has locks that a send could wait for.
#[tokio::test]
async fn a_send_does_not_wait_for_a_lock_of_the_recipients_inbox() {
    if engine_of_run() != Engine::Postgres {
        return;
    }
    let fixture = Fixture::open().await;
    let (workspace, inbox): (_, InboxId) = (fixture.bob.key.workspace, fixture.bob.inbox.id);
    let (locked, released) = (Arc::new(Barrier::new(2)), Arc::new(Barrier::new(2)));
    let barriers = (locked.clone(), released.clone());
    let hold = move |tx: &mut Tx| -> Result<(), Error> {
        inboxes::lock(tx, workspace, inbox)?;
        barriers.0.wait();
        barriers.1.wait();
        Ok(())
    };
    let store = fixture.server.store().clone();
    let holding = tokio::spawn(async move { store.write(hold).await });
    tokio::task::spawn_blocking(move || locked.wait()).await.unwrap();
    let id = fixture.send("Plan").await;
    tokio::task::spawn_blocking(move || released.wait()).await.unwrap();
    holding.await.unwrap().unwrap();
    fixture.server.settle().await;
    assert_eq!(fixture.alice.statuses(&id).await, ["delivered"]);
    fixture.server.finish().await;
}
