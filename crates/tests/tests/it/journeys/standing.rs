//! One table: every operation against a workspace that runs, is stopped, suspended or unclaimed, or an inbox that is paused
//! (API document, States; contract §3.2, §17.2; decisions 14 and 24).

use posthouse_domain::{plan::Plan, time::HOUR_MS};
use posthouse_server::{config::DeliveryMode, ports::Clock as _};
use posthouse_store::{Error, Tx, p, statements, workspaces};
use posthouse_tests::{
    Letter, TestServer,
    fixtures::{TestInbox, TestKey},
    http::{Api, Reply},
    server::Options,
    smtp::SmtpClient,
};
use serde_json::{Value, json};

statements! {
    UNCLAIM = "UPDATE workspaces SET claim_status = 'unclaimed', claimed_at = NULL WHERE id = $1";
}

/// How a workspace or its inbox stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Standing {
    Running,
    Stopped,
    Suspended,
    Paused,
    Unclaimed,
}

use Standing::{Paused, Running, Stopped, Suspended, Unclaimed};

/// The columns of [`TABLE`].
const STANDINGS: [Standing; 5] = [Running, Stopped, Suspended, Paused, Unclaimed];

/// An operation, and what comes of it: a status, the code of a refusal, or the state that is reached.
type Row = (&'static str, [&'static str; 5]);

const STOPPED: &str = "workspace_stopped";
const SUSPENDED: &str = "org_suspended";
const PAUSED: &str = "inbox_paused";

const TABLE: &[Row] = &[
    ("send", ["202", STOPPED, SUSPENDED, PAUSED, "202"]),
    ("send by its other path", ["202", STOPPED, SUSPENDED, PAUSED, "202"]),
    ("ask before a send", ["allowed", STOPPED, SUSPENDED, PAUSED, "allowed"]),
    ("reply", ["202", STOPPED, SUSPENDED, PAUSED, "202"]),
    ("forward", ["202", STOPPED, SUSPENDED, PAUSED, "202"]),
    ("submit by SMTP", ["250", "423 workspace_stopped", "550 org_suspended", "423 inbox_paused", "250"]),
    ("make a draft", ["201", "201", "201", "201", "201"]),
    ("change a draft", ["200", "200", "200", "200", "200"]),
    ("schedule a draft", ["200", "200", "200", "200", "200"]),
    ("cancel a draft", ["200", "200", "200", "200", "200"]),
    ("send a draft", ["202", STOPPED, SUSPENDED, PAUSED, "202"]),
    // What was approved waits where somebody can let it go on, and fails where a check refuses it.
    ("a scheduled draft is due", ["sent", "scheduled", "failed org_suspended", "scheduled", "sent"]),
    // What was accepted is held, never dropped.
    ("queued mail is due", ["sent", "queued", "queued", "queued", "sent"]),
    ("receive", ["250", "250", "250", "250", "250"]),
    ("be told of what is received", ["told", "told", "told", "later", "told"]),
    ("read", ["200", "200", "200", "200", "200"]),
    ("wait", ["200", "200", "200", "200", "200"]),
    ("label", ["200", "200", "200", "200", "200"]),
    ("make an inbox", ["201", "201", "201", "201", "201"]),
    ("pause", ["200", "200", "200", "200", "200"]),
    ("stop everything", ["200", "200", "200", "200", "200"]),
];

struct Desk {
    server: TestServer,
    key: TestKey,
    api: Api,
    inbox: TestInbox,
    /// A received message.
    message: String,
    /// A complete draft.
    draft: String,
}

impl Desk {
    async fn open() -> Self {
        let capture = Options::default().configure(|config| config.delivery.mode = DeliveryMode::Capture);
        let server = TestServer::start(capture).await;
        let key = server.workspace(Plan::Team).await;
        let api = server.api(&key);
        let inbox = server.inbox_named(&key, "sam").await;
        server.deliver(&Letter::new("Offer", "Do you want it?"), &inbox.address).await;
        let message = server.newest(&api, &inbox.id.to_string()).await["id"].as_str().unwrap().to_owned();
        let mut desk = Self { server, key, api, inbox, message, draft: String::new() };
        desk.draft = desk.post("/drafts", desk.letter()).await.expect(201).text("id").to_owned();
        desk
    }

    fn letter(&self) -> Value {
        json!({ "to": self.inbox.address, "subject": "Plan", "text": "Here it is." })
    }

    async fn post(&self, below: &str, body: Value) -> Reply {
        self.api.post(&format!("/v1/inboxes/{}{below}", self.inbox.id), body).await
    }

    async fn bring_to(&self, standing: Standing) {
        let id = self.key.workspace;
        let write = async |work: fn(&mut Tx, posthouse_domain::id::WorkspaceId) -> Result<(), Error>| {
            self.server.store().write(move |tx| work(tx, id)).await.unwrap();
        };
        match standing {
            Running => {}
            Stopped => drop(self.api.post_empty("/v1/emergency-stop").await.expect(200)),
            Suspended => write(|tx, id| workspaces::suspend(tx, id).map(|_| ())).await,
            Paused => drop(self.post("/pause", json!({})).await.expect(200)),
            Unclaimed => write(|tx, id| tx.exec(&UNCLAIM, p![id]).map(|_| ())).await,
        }
    }

    /// What must be there before the workspace is brought to its standing.
    async fn prepare(&self, operation: &str) -> String {
        match operation {
            "queued mail is due" => {
                let body = json!({ "to": "bob@x.example", "subject": "Plan", "text": "Here it is." });
                self.post("/messages", body).await.expect(202).text("id").to_owned()
            }
            "a scheduled draft is due" => {
                let at = self.server.clock.now().plus_ms(HOUR_MS).to_string();
                self.post(&format!("/drafts/{}/schedule", self.draft), json!({ "send_at": at })).await.expect(200);
                self.draft.clone()
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
            "send" => self.post("/messages", self.letter()).await,
            "send by its other path" => self.post("/messages/send", self.letter()).await,
            "ask before a send" => return decision(&self.post("/messages?dry_run=true", self.letter()).await),
            "reply" => self.post(&format!("{message}/reply"), text).await,
            "forward" => self.post(&format!("{message}/forward"), json!({ "to": self.inbox.address })).await,
            "submit by SMTP" => return self.submit().await,
            "make a draft" => self.post("/drafts", self.letter()).await,
            "change a draft" => self.api.patch(&format!("{inbox}{draft}"), text).await,
            "schedule a draft" => self.post(&format!("{draft}/schedule"), later).await,
            "cancel a draft" => self.post(&format!("{draft}/cancel"), json!({})).await,
            "send a draft" => self.post(&format!("{draft}/send"), json!({})).await,
            "a scheduled draft is due" => return self.due_draft(prepared).await,
            "queued mail is due" => {
                self.server.settle().await;
                return self.api.get(&format!("/v1/messages/{prepared}")).await.expect(200).text("status").to_owned();
            }
            "receive" => return self.receive().await,
            "be told of what is received" => return self.told().await,
            "read" => self.api.get(&format!("/v1/messages/{}", self.message)).await,
            "wait" => self.api.get(&format!("{inbox}/messages/wait?since=2020-01-01")).await,
            "label" => self.api.patch(&format!("/v1/messages/{}", self.message), json!({ "add_labels": ["a"] })).await,
            "make an inbox" => self.api.post("/v1/inboxes", json!({})).await,
            "pause" => self.post("/pause", json!({})).await,
            "stop everything" => self.api.post_empty("/v1/emergency-stop").await,
            other => panic!("{other} is no operation"),
        };
        outcome(reply)
    }

    async fn due_draft(&self, draft: &str) -> String {
        self.server.advance(HOUR_MS).await;
        let found = self.api.get(&format!("/v1/inboxes/{}/drafts/{draft}", self.inbox.id)).await.expect(200);
        let error = found["error"]["code"].as_str().map(|code| format!(" {code}")).unwrap_or_default();
        format!("{}{error}", found.text("status"))
    }

    async fn submit(&self) -> String {
        let mut session = SmtpClient::greeted(self.server.submission_address()).await;
        session.log_in(&self.inbox.address, &self.key.secret).await.says(235, "2.7.0");
        let raw = format!("From: {0}\r\nTo: {0}\r\nSubject: Plan\r\n\r\nHere.\r\n", self.inbox.address);
        let reply = session.mail(&self.inbox.address, &[&self.inbox.address], raw.as_bytes()).await;
        session.quit().await;
        let code = [STOPPED, SUSPENDED, PAUSED].into_iter().find(|code| reply.lines[0].contains(code));
        code.map_or_else(|| reply.code.to_string(), |code| format!("{} {code}", reply.code))
    }

    async fn receive(&self) -> String {
        let raw = Letter::new("More", "text").raw(&self.inbox.address, self.server.clock.now());
        self.server.deliver_raw(raw.as_bytes(), &[&self.inbox.address]).await.code.to_string()
    }

    async fn told(&self) -> String {
        let count = async || self.api.get("/v1/events?types=message.received").await.expect(200).data().len();
        let before = count().await;
        self.receive().await;
        if count().await > before { "told".to_owned() } else { "later".to_owned() }
    }
}

fn outcome(reply: Reply) -> String {
    reply["error"]["code"].as_str().map_or_else(|| reply.status.to_string(), str::to_owned)
}

fn decision(reply: &Reply) -> String {
    assert_eq!(reply.status, 200, "{reply}");
    reply["refusal"]["code"].as_str().unwrap_or("allowed").to_owned()
}

#[tokio::test]
async fn every_operation_in_every_standing() {
    for (operation, expected) in TABLE {
        for (standing, expected) in STANDINGS.into_iter().zip(expected) {
            let mut desk = Desk::open().await;
            let prepared = desk.prepare(operation).await;
            desk.bring_to(standing).await;
            let found = desk.attempt(operation, &prepared).await;
            assert_eq!(found, *expected, "{operation} while {standing:?}");
            desk.server.allow().queued();
            desk.server.finish().await;
        }
    }
}

#[tokio::test]
async fn what_a_stop_held_leaves_when_it_ends() {
    use posthouse_domain::actor::{Actor, ActorKind};
    let desk = Desk::open().await;
    let queued = desk.prepare("queued mail is due").await;
    let draft = desk.prepare("a scheduled draft is due").await;
    desk.bring_to(Stopped).await;
    desk.server.advance(2 * HOUR_MS).await;
    assert_eq!(desk.due_draft(&draft).await, "scheduled");
    let (id, ids, now) = (desk.key.workspace, desk.server.clock.ids(), desk.server.clock.now());
    let owner = Actor { kind: ActorKind::Operator, id: None, label: "the owner".to_owned() };
    let resume = move |tx: &mut Tx| posthouse_server::app::stop_workspace::resume(tx, id, &owner, &ids, now);
    desk.server.store().write(resume).await.unwrap();
    desk.server.settle().await;
    assert_eq!(desk.api.get(&format!("/v1/messages/{queued}")).await.expect(200)["status"], "sent");
    let found = desk.api.get(&format!("/v1/inboxes/{}/drafts/{draft}", desk.inbox.id)).await.expect(200);
    assert_eq!(found["status"], "sent", "{found}");
    desk.server.finish().await;
}
