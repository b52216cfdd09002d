//! Every operation × every state of the screening of a message × every permission: who gets the content.
//!
//! The operations come from the list of the service. One that shows the content of a message without a row in the table
//! fails the test, and so does one that may change or send mail and has neither a row nor an exception.

mod channels;
mod table;

use posthouse_app::mailbox::Visibility;
use posthouse_domain::{id::MessageId, message::HoldReason};
use posthouse_tests::{ServerOptions, TestMessage, WebhookSink};
use serde_json::{Value, json};

use crate::inbox_fixture::InboxFixture;

/// A word that is in everything that the author of the message wrote, other than addresses of its own.
pub(super) const MARK: &str = "zebra4711";
/// The author of all mail of these tests.
const AUTHOR: &str = "sam@remote.example";

/// A state of the screening.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Screened,
    Pending,
    Held,
    Ruled,
    Blocked,
    Released,
}

const STATES: [State; 6] =
    [State::Screened, State::Pending, State::Held, State::Ruled, State::Blocked, State::Released];

/// What a caller asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Asked {
    unscreened: bool,
    held: bool,
}

const ASKED: [Asked; 4] = [
    Asked { unscreened: false, held: false },
    Asked { unscreened: true, held: false },
    Asked { unscreened: false, held: true },
    Asked { unscreened: true, held: true },
];

impl State {
    const fn is_withheld(self) -> bool {
        matches!(self, Self::Pending | Self::Held | Self::Ruled | Self::Blocked)
    }

    /// Returns whether the opt-ins open the content.
    const fn is_opened(self, asked: Asked) -> bool {
        match self {
            Self::Screened | Self::Released => true,
            Self::Pending => asked.unscreened,
            Self::Held | Self::Ruled | Self::Blocked => asked.held,
        }
    }
}

fn mail() -> TestMessage {
    let html = format!("<p>{MARK} in HTML</p>");
    let body = format!(
        "--b\r\nContent-Type: multipart/alternative; boundary=c\r\n\r\n--c\r\nContent-Type: text/plain\r\n\r\n{MARK}: your sign-in code \
         is 482913\r\n--c\r\nContent-Type: text/html\r\n\r\n{html}\r\n--c--\r\n--b\r\nContent-Type: text/csv\r\n\
         Content-Disposition: attachment; filename=\"{MARK}.csv\"\r\n\r\n{MARK},1\r\n--b--"
    );
    TestMessage::new(&format!("Re: Hello {MARK}"), &body)
        .with("From", &format!("{MARK} Sam <{AUTHOR}>"))
        .with("To", &format!("{MARK} Bot <bot@remote.example>"))
        .with("Cc", &format!("\"{MARK}, Ann\" <ann@remote.example>"))
        .with("Sender", &format!("{MARK} Office <office@remote.example>"))
        .with("Message-ID", &format!("<{MARK}@remote.example>"))
        .with("In-Reply-To", "<first@remote.example>")
        .with("References", &format!("<{MARK}.0@remote.example> <first@remote.example>"))
        .with("Organization", MARK)
        .with("Agent-Disclosure", &format!("agent=?1; operator=\"{MARK}\""))
        .with("Reply-To", &format!("{MARK}@remote.example"))
        .with("X-Note", MARK)
        .with("Content-Type", "multipart/mixed; boundary=b")
}

/// The ids of everything that has to do with the message.
struct Ids {
    inbox: String,
    message: String,
    thread: String,
    attachment: String,
    contact: String,
    draft: String,
    webhook: String,
    /// An event before the message.
    earlier: String,
}

impl InboxFixture {
    /// Receives a mail that starts the thread and makes a contact of its author.
    async fn receive_first(&self) {
        let first = TestMessage::new("Hello", "How are you?").with("From", AUTHOR);
        let first = first.with("Message-ID", "<first@remote.example>");
        self.server.receive_with(&self.inbox, &first, Visibility::Shown).await;
    }

    async fn in_state(&self, state: State) -> MessageId {
        let mail = mail();
        let held = |reason| self.server.receive_held(&self.inbox, &mail, reason);
        match state {
            State::Screened => self.server.receive_with(&self.inbox, &mail, Visibility::Shown).await,
            State::Pending => self.server.receive_pending(&self.inbox, &mail).await,
            State::Held => held(HoldReason::Phishing).await,
            State::Ruled => held(HoldReason::Rule).await,
            State::Blocked => held(HoldReason::Blocked).await,
            State::Released => {
                let id = held(HoldReason::Phishing).await;
                self.api.post_empty(&format!("/v1/messages/{id}/release")).await.expect(200);
                id
            }
        }
    }
}

/// A workspace with a mail in one state, and what else may show it.
struct Withheld {
    fixture: InboxFixture,
    /// Where the webhook of the workspace posts to.
    sink: WebhookSink,
    state: State,
    ids: Ids,
}

fn id(of: &Value) -> String {
    of["id"].as_str().unwrap_or_else(|| panic!("no id in {of}")).to_owned()
}

impl Withheld {
    async fn open(state: State, options: ServerOptions) -> Self {
        let (fixture, sink) = (InboxFixture::with(options).await, WebhookSink::start().await);
        let api = &fixture.api;
        let events = ["received", "received.blocked", "enriched", "released"].map(|name| format!("message.{name}"));
        let webhook = json!({ "url": sink.url(), "events": events });
        let webhook = id(&api.post("/v1/webhooks", webhook).await.expect(201).json);
        // The queue begins before the mail.
        api.post_empty(&format!("/v1/inboxes/{}/messages/claim", fixture.inbox.id)).await.expect(200);
        fixture.receive_first().await;
        // Claims take one message of a thread at a time.
        let path = format!("/v1/inboxes/{}/messages/claim", fixture.inbox.id);
        let first = api.post_empty(&path).await.expect(200).data()[0].clone();
        let ack = format!("/v1/messages/{}/ack", id(&first["message"]));
        api.post(&ack, json!({ "lease_id": first["lease_id"] })).await.expect(200);
        let earlier = id(&api.get("/v1/events?limit=1").await.expect(200).data()[0]);
        let message = fixture.in_state(state).await;
        fixture.server.settle().await;
        let all = format!("/v1/messages/{message}?include_unscreened=true&include_held=true");
        let full = api.get(&all).await.expect(200);
        let contact = api.get(&format!("/v1/contacts/by-address/{AUTHOR}")).await.expect(200);
        let draft = json!({ "to": AUTHOR, "subject": "Plain", "text": "text" });
        let draft = api.post(&format!("/v1/inboxes/{}/drafts", fixture.inbox.id), draft).await.expect(201);
        let ids = Ids {
            inbox: fixture.inbox.id.to_string(),
            message: message.to_string(),
            thread: full.text("thread_id").to_owned(),
            attachment: id(&full["attachments"][0]),
            contact: contact.text("id").to_owned(),
            draft: id(&draft.json),
            webhook,
            earlier,
        };
        Self { fixture, sink, state, ids }
    }
}
