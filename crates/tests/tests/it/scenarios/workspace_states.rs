//! Every operation in a workspace that runs, is stopped, suspended or unclaimed, or with a paused inbox.

use posthouse_app::{ports::Clock as _, settings::DeliveryMode};
use posthouse_domain::{plan::Plan, time::HOUR_MS};
use posthouse_store::{Error, Tx, p, statements, workspaces};
use posthouse_tests::{
    TestMessage, TestServer,
    fixtures::{TestInbox, TestKey},
    http::{Api, ApiResponse},
    server::ServerOptions,
    smtp::TestSmtpClient,
};
use serde_json::{Value, json};

statements! {
    UNCLAIM = "UPDATE workspaces SET claim_status = 'unclaimed', claimed_at = NULL WHERE id = $1";
}

/// The state of a workspace or its inbox.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum WorkspaceState {
    Running,
    Stopped,
    Suspended,
    Paused,
    Unclaimed,
}

use WorkspaceState::{Paused, Running, Stopped, Suspended, Unclaimed};

/// The columns of [`TABLE`].
const STATES: [WorkspaceState; 5] = [Running, Stopped, Suspended, Paused, Unclaimed];

/// An operation and its expected result in each state: a status code, an error code, or the reached status.
type OperationRow = (&'static str, [&'static str; 5]);

const STOPPED: &str = "workspace_stopped";
const SUSPENDED: &str = "org_suspended";
const PAUSED: &str = "inbox_paused";

const TABLE: &[OperationRow] = &[
    ("send", ["202", STOPPED, SUSPENDED, PAUSED, "202"]),
    ("send by the alias path", ["202", STOPPED, SUSPENDED, PAUSED, "202"]),
    ("dry run", ["allowed", STOPPED, SUSPENDED, PAUSED, "allowed"]),
    ("reply", ["202", STOPPED, SUSPENDED, PAUSED, "202"]),
    ("forward", ["202", STOPPED, SUSPENDED, PAUSED, "202"]),
    ("submit by SMTP", ["250", "423 workspace_stopped", "550 org_suspended", "423 inbox_paused", "250"]),
    ("create a draft", ["201", "201", "201", "201", "201"]),
    ("update a draft", ["200", "200", "200", "200", "200"]),
    ("schedule a draft", ["200", "200", "200", "200", "200"]),
    ("cancel a draft", ["200", "200", "200", "200", "200"]),
    ("send a draft", ["202", STOPPED, SUSPENDED, PAUSED, "202"]),
    // An approved draft waits if the state is temporary, and fails if a check rejects it.
    ("a scheduled draft is due", ["sent", "scheduled", "failed org_suspended", "scheduled", "sent"]),
    // An accepted message is held, never dropped.
    ("a queued message is due", ["sent", "queued", "queued", "queued", "sent"]),
    ("receive", ["250", "250", "250", "250", "250"]),
    ("announce a received message", ["announced", "announced", "announced", "later", "announced"]),
    ("read", ["200", "200", "200", "200", "200"]),
    ("wait", ["200", "200", "200", "200", "200"]),
    ("label", ["200", "200", "200", "200", "200"]),
    ("claim", ["claimed", "paused", "claimed", "paused", "claimed"]),
    ("ack", ["200", "200", "200", "200", "200"]),
    ("nack", ["200", "200", "200", "200", "200"]),
    ("extend a lease", ["200", "200", "200", "200", "200"]),
    ("add a forwarding address", ["201", STOPPED, SUSPENDED, PAUSED, "201"]),
    ("resend a confirmation request", ["200", STOPPED, SUSPENDED, PAUSED, "200"]),
    ("remove a forwarding address", ["204", "204", "204", "204", "204"]),
    ("confirm a forwarding address", ["200", "200", "200", "200", "200"]),
    ("forward a received message", ["sent", "held", "held", "held", "sent"]),
    ("create an inbox", ["201", "201", "201", "201", "plan_limit_inboxes"]),
    ("pause", ["200", "200", "200", "200", "200"]),
    ("stop everything", ["200", "200", "200", "200", "200"]),
];

struct Fixture {
    server: TestServer,
    key: TestKey,
    api: Api,
    inbox: TestInbox,
    /// The id of a received message.
    message: String,
    /// The id of a complete draft.
    draft: String,
}

impl Fixture {
    async fn open() -> Self {
        let capture = ServerOptions::default().configure(|config| config.delivery.mode = DeliveryMode::Capture);
        let server = TestServer::start(capture).await;
        let key = server.workspace(Plan::Team).await;
        let api = server.api(&key);
        let inbox = server.inbox_named(&key, "sam").await;
        server.deliver(&TestMessage::new("Offer", "Do you want it?"), &inbox.address).await;
        let message = server.newest_message(&api, &inbox.id.to_string()).await["id"].as_str().unwrap().to_owned();
        let mut fixture = Self { server, key, api, inbox, message, draft: String::new() };
        fixture.draft = fixture.post("/drafts", fixture.body()).await.expect(201).text("id").to_owned();
        fixture
    }

    fn body(&self) -> Value {
        json!({ "to": self.inbox.address, "subject": "Plan", "text": "Here it is." })
    }

    async fn post(&self, below: &str, body: Value) -> ApiResponse {
        self.api.post(&format!("/v1/inboxes/{}{below}", self.inbox.id), body).await
    }

    async fn enter(&self, state: WorkspaceState) {
        let id = self.key.workspace;
        let write = async |work: fn(&mut Tx, posthouse_domain::id::WorkspaceId) -> Result<(), Error>| {
            self.server.store().write(move |tx| work(tx, id)).await.unwrap();
        };
        match state {
            Running => {}
            Stopped => drop(self.api.post_empty("/v1/emergency-stop").await.expect(200)),
            Suspended => write(|tx, id| workspaces::suspend(tx, id, &by_operator()).map(|_| ())).await,
            Paused => drop(self.post("/pause", json!({})).await.expect(200)),
            Unclaimed => write(|tx, id| tx.exec(&UNCLAIM, p![id]).map(|_| ())).await,
        }
    }

    /// Prepares what the operation needs before the workspace enters its state.
    async fn prepare(&self, operation: &str) -> String {
        match operation {
            "a queued message is due" => {
                let body = json!({ "to": "bob@x.example", "subject": "Plan", "text": "Here it is." });
                self.post("/messages", body).await.expect(202).text("id").to_owned()
            }
            "a scheduled draft is due" => {
                let at = self.server.clock.now().plus_ms(HOUR_MS).to_string();
                self.post(&format!("/drafts/{}/schedule", self.draft), json!({ "send_at": at })).await.expect(200);
                self.draft.clone()
            }
            "ack" | "nack" | "extend a lease" => {
                let claimed = self.claim().await;
                claimed.data()[0]["lease_id"].as_str().unwrap().to_owned()
            }
            "resend a confirmation request" | "remove a forwarding address" => self.forward().await,
            "confirm a forwarding address" => {
                self.forward().await;
                self.link().await
            }
            "forward a received message" => {
                self.forward().await;
                self.server.settle().await;
                self.server.anonymous().post_empty(&self.link().await).await.expect(200);
                String::new()
            }
            _ => String::new(),
        }
    }

    async fn attempt(&self, operation: &str, prepared: &str) -> String {
        let (message, draft) = (format!("/messages/{}", self.message), format!("/drafts/{}", self.draft));
        let inbox = format!("/v1/inboxes/{}", self.inbox.id);
        let text = json!({ "text": "Yes." });
        let later = json!({ "send_at": self.server.clock.now().plus_ms(HOUR_MS).to_string() });
        let reply = match operation {
            "send" => self.post("/messages", self.body()).await,
            "send by the alias path" => self.post("/messages/send", self.body()).await,
            "dry run" => return decision(&self.post("/messages?dry_run=true", self.body()).await),
            "reply" => self.post(&format!("{message}/reply"), text).await,
            "forward" => self.post(&format!("{message}/forward"), json!({ "to": self.inbox.address })).await,
            "submit by SMTP" => return self.submit().await,
            "create a draft" => self.post("/drafts", self.body()).await,
            "update a draft" => self.api.patch(&format!("{inbox}{draft}"), text).await,
            "schedule a draft" => self.post(&format!("{draft}/schedule"), later).await,
            "cancel a draft" => self.post(&format!("{draft}/cancel"), json!({})).await,
            "send a draft" => self.post(&format!("{draft}/send"), json!({})).await,
            "a scheduled draft is due" => return self.due_draft(prepared).await,
            "a queued message is due" => {
                self.server.settle().await;
                return self.api.get(&format!("/v1/messages/{prepared}")).await.expect(200).text("status").to_owned();
            }
            "receive" => return self.receive().await,
            "announce a received message" => return self.announcement().await,
            "read" => self.api.get(&format!("/v1/messages/{}", self.message)).await,
            "wait" => self.api.get(&format!("{inbox}/messages/wait?since=2020-01-01")).await,
            "label" => self.api.patch(&format!("/v1/messages/{}", self.message), json!({ "add_labels": ["a"] })).await,
            "claim" => {
                let claimed = self.claim().await;
                let paused = claimed["paused"].as_bool().unwrap();
                assert_eq!(claimed.data().is_empty(), paused, "{claimed}");
                return if paused { "paused" } else { "claimed" }.to_owned();
            }
            "ack" => self.settle_lease("ack", prepared).await,
            "nack" => self.settle_lease("nack", prepared).await,
            "extend a lease" => self.settle_lease("extend", prepared).await,
            "add a forwarding address" => self.post("/forwarding", json!({ "address": "dana@x.example" })).await,
            "resend a confirmation request" => {
                self.api.post_empty(&format!("{inbox}/forwarding/{prepared}/resend")).await
            }
            "remove a forwarding address" => self.api.delete(&format!("{inbox}/forwarding/{prepared}")).await,
            "confirm a forwarding address" => self.server.anonymous().post_empty(prepared).await,
            "forward a received message" => {
                self.receive().await;
                self.server.settle().await;
                let shown = self.api.get(&format!("{inbox}/forwarding")).await.expect(200);
                return if shown.data()[0]["forwarded_count"] == 1 { "sent" } else { "held" }.to_owned();
            }
            "create an inbox" => self.api.post("/v1/inboxes", json!({})).await,
            "pause" => self.post("/pause", json!({})).await,
            "stop everything" => self.api.post_empty("/v1/emergency-stop").await,
            other => panic!("unknown operation {other}"),
        };
        outcome(reply)
    }

    async fn claim(&self) -> ApiResponse {
        self.post("/messages/claim", json!({ "since": "2020-01-01T00:00:00Z" })).await.expect(200)
    }

    async fn settle_lease(&self, how: &str, lease: &str) -> ApiResponse {
        self.api.post(&format!("/v1/messages/{}/{how}", self.message), json!({ "lease_id": lease })).await
    }

    /// Adds a forwarding address and returns its id.
    async fn forward(&self) -> String {
        self.post("/forwarding", json!({ "address": "dana@x.example" })).await.expect(201).text("id").to_owned()
    }

    /// Returns the link in the confirmation request.
    async fn link(&self) -> String {
        self.server.service_link(&self.api, "/confirm/").await
    }

    async fn due_draft(&self, draft: &str) -> String {
        self.server.advance(HOUR_MS).await;
        let found = self.api.get(&format!("/v1/inboxes/{}/drafts/{draft}", self.inbox.id)).await.expect(200);
        let error = found["error"]["code"].as_str().map(|code| format!(" {code}")).unwrap_or_default();
        format!("{}{error}", found.text("status"))
    }

    async fn submit(&self) -> String {
        let mut session = TestSmtpClient::connect_with_ehlo(self.server.submission_address()).await;
        session.log_in(&self.inbox.address, &self.key.secret).await.expect_enhanced(235, "2.7.0");
        let raw = format!("From: {0}\r\nTo: {0}\r\nSubject: Plan\r\n\r\nHere.\r\n", self.inbox.address);
        let reply = session.mail(&self.inbox.address, &[&self.inbox.address], raw.as_bytes()).await;
        session.quit().await;
        let code = [STOPPED, SUSPENDED, PAUSED].into_iter().find(|code| reply.lines[0].contains(code));
        code.map_or_else(|| reply.code.to_string(), |code| format!("{} {code}", reply.code))
    }

    async fn receive(&self) -> String {
        let raw = TestMessage::new("More", "text").raw(&self.inbox.address, self.server.clock.now());
        self.server.deliver_raw(raw.as_bytes(), &[&self.inbox.address]).await.code.to_string()
    }

    async fn announcement(&self) -> String {
        let count = async || self.api.get("/v1/events?types=message.received").await.expect(200).data().len();
        let before = count().await;
        self.receive().await;
        if count().await > before { "announced".to_owned() } else { "later".to_owned() }
    }
}

fn outcome(reply: ApiResponse) -> String {
    reply["error"]["code"].as_str().map_or_else(|| reply.status.to_string(), str::to_owned)
}

fn decision(reply: &ApiResponse) -> String {
    assert_eq!(reply.status, 200, "{reply}");
    reply["refusal"]["code"].as_str().unwrap_or("allowed").to_owned()
}

#[tokio::test]
async fn every_operation_has_its_expected_result_in_every_state() {
    for (operation, expected) in TABLE {
        for (state, expected) in STATES.into_iter().zip(expected) {
            let mut fixture = Fixture::open().await;
            let prepared = fixture.prepare(operation).await;
            fixture.enter(state).await;
            let found = fixture.attempt(operation, &prepared).await;
            assert_eq!(found, *expected, "{operation} while {state:?}");
            fixture.server.allow().queued();
            fixture.server.finish().await;
        }
    }
}

#[tokio::test]
async fn messages_held_by_a_stop_are_sent_when_it_ends() {
    use posthouse_domain::actor::{Actor, ActorKind};
    let fixture = Fixture::open().await;
    let queued = fixture.prepare("a queued message is due").await;
    let draft = fixture.prepare("a scheduled draft is due").await;
    fixture.enter(Stopped).await;
    fixture.server.advance(2 * HOUR_MS).await;
    assert_eq!(fixture.due_draft(&draft).await, "scheduled");
    let (id, ids, now) = (fixture.key.workspace, fixture.server.clock.ids(), fixture.server.clock.now());
    let owner = Actor { kind: ActorKind::Operator, id: None, label: "the owner".to_owned() };
    let resume = move |tx: &mut Tx| posthouse_app::workspaces::stop::resume(tx, id, &owner, &ids, now);
    fixture.server.store().write(resume).await.unwrap();
    fixture.server.settle().await;
    assert_eq!(fixture.api.get(&format!("/v1/messages/{queued}")).await.expect(200)["status"], "sent");
    let found = fixture.api.get(&format!("/v1/inboxes/{}/drafts/{draft}", fixture.inbox.id)).await.expect(200);
    assert_eq!(found["status"], "sent", "{found}");
    fixture.server.finish().await;
}

/// A suspension by the operator.
fn by_operator() -> posthouse_domain::suspension::Suspension {
    use posthouse_domain::{
        suspension::{Suspension, SuspensionReason},
        time::Time,
    };
    Suspension::new(SuspensionReason::Operator, Time::from_millis(0), Vec::new())
}
