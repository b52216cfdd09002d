//! Escalation to people on call, from the cause to the mail that leaves and the event.

mod causes;
mod loops;
mod schedule;

use posthouse_app::settings::DeliveryMode;
use posthouse_domain::plan::Plan;
use posthouse_mail::{address::Mailbox, parse};
use posthouse_tests::{
    TestMessage, TestServer,
    fixtures::{TestInbox, TestKey},
    http::{Api, ApiResponse},
    server::ServerOptions,
    smtp_sink::{SinkMessage, SmtpSink},
};
use serde_json::{Value, json};

pub(crate) struct OnCallFixture {
    pub(crate) server: TestServer,
    key: TestKey,
    pub(crate) api: Api,
    pub(crate) inbox: TestInbox,
    pub(crate) sink: SmtpSink,
}

impl OnCallFixture {
    /// Uses direct delivery. The sink is the mail exchanger of `b.example` and of the owner.
    async fn open() -> Self {
        let sink = SmtpSink::start().await;
        let port = sink.address.port();
        let server = TestServer::start(ServerOptions::default().configure(move |config| {
            config.delivery.mode = DeliveryMode::Direct;
            config.delivery.port = port;
        }))
        .await;
        for domain in ["b.example", "example.org"] {
            server.dns.mx(domain, 10, "mx1.b.example");
        }
        server.dns.address("mx1.b.example", sink.address.ip());
        let key = server.workspace(Plan::Team).await;
        let (api, inbox) = (server.api(&key), server.inbox_named(&key, "sam").await);
        Self { server, key, api, inbox, sink }
    }

    /// Opens a fixture with `pat@b.example` on call.
    pub(crate) async fn with_pat() -> Self {
        let fixture = Self::open().await;
        fixture.confirmed("/v1/escalation", &["pat@b.example"]).await;
        fixture
    }

    /// Sets the contacts, and confirms all that are pending.
    async fn confirmed(&self, path: &str, contacts: &[&str]) {
        let before = self.sink.received().len();
        self.api.put(path, json!({ "contacts": contacts })).await.expect(200);
        self.server.settle().await;
        for mail in self.sink.received().iter().skip(before) {
            self.server.anonymous().post_empty(&link(&mail.data)).await.expect(200);
        }
        self.server.settle().await;
        let settings = self.api.get(path).await.expect(200);
        for contact in settings["contacts"].as_array().unwrap() {
            assert_eq!(contact["status"], "confirmed", "{settings}");
        }
    }

    pub(crate) async fn set(&self, settings: Value) {
        self.api.put("/v1/escalation", settings).await.expect(200);
    }

    /// Receives a message and returns it as the API shows it.
    async fn receive(&self, subject: &str) -> Value {
        self.server.deliver(&TestMessage::new(subject, "Where is my order?"), &self.inbox.address).await;
        self.server.settle().await;
        self.newest().await
    }

    pub(crate) async fn newest(&self) -> Value {
        self.server.newest_message(&self.api, &self.inbox.id.to_string()).await
    }

    /// Labels a message as an agent does that needs a person.
    pub(crate) async fn label(&self, message: &Value) -> ApiResponse {
        let path = format!("/v1/messages/{}", message["id"].as_str().unwrap());
        let labeled = self.api.patch(&path, json!({ "add_labels": ["ai:needs-human"] })).await.expect(200);
        self.server.settle().await;
        labeled
    }

    /// Receives a message that needs a person.
    pub(crate) async fn escalate(&self, subject: &str) -> Value {
        let message = self.receive(subject).await;
        self.label(&message).await;
        message
    }

    /// Returns the mails that escalate something, oldest first.
    pub(crate) fn escalations(&self) -> Vec<SinkMessage> {
        let is_escalation = |mail: &SinkMessage| text(&mail.data).contains("because you confirmed to be on call");
        self.sink.received().into_iter().filter(is_escalation).collect()
    }

    /// Returns the data of the `escalation.sent` events, oldest first.
    async fn events(&self) -> Vec<Value> {
        let page = self.api.get("/v1/events?types=escalation.sent&limit=100").await.expect(200);
        page.data().iter().map(|event| event["data"].clone()).collect()
    }

    /// Checks that nothing waits and nothing was sent, also after a while.
    async fn assert_silent(&self, mails: usize) {
        self.server.settle().await;
        self.server.advance(2 * 3_600_000).await;
        assert_eq!(self.escalations().len(), mails);
    }

    pub(crate) async fn close(self) {
        self.server.settle().await;
        self.server.finish().await;
    }
}

/// Returns the path of a confirmation link.
pub(crate) fn link(mail: &str) -> String {
    let at = mail.find("/confirm/on-call/").unwrap_or_else(|| panic!("no link in {mail}"));
    mail[at..].lines().next().unwrap().trim_end().to_owned()
}

/// Returns the text of a mail without transfer encoding.
fn text(mail: &str) -> String {
    parse::parse(mail.as_bytes()).text.unwrap_or_default().replace("\r\n", "\n")
}

/// Returns a header field of a mail.
pub(crate) fn field<'a>(mail: &'a str, name: &str) -> Option<&'a str> {
    let head = mail.split("\r\n\r\n").next().unwrap();
    head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
}

/// Returns the addresses that a mail was sent to.
fn recipients(mails: &[SinkMessage]) -> Vec<String> {
    let mut all: Vec<String> = mails.iter().flat_map(|mail| mail.recipients.clone()).collect();
    all.sort();
    all
}

#[tokio::test]
async fn escalation_reaches_a_person_who_confirmed() {
    let fixture = OnCallFixture::open().await;
    fixture.set(json!({ "contacts": ["Pat@B.example"] })).await;
    fixture.server.settle().await;
    let asked = fixture.sink.received();
    assert_eq!(recipients(&asked), ["pat@b.example"]);
    assert_eq!(field(&asked[0].data, "Auto-Submitted"), Some("auto-generated"));
    // Nothing else is sent before the confirmation, and nothing from before after it.
    fixture.escalate("Too early").await;
    assert_eq!(fixture.sink.received().len(), 1);
    fixture.server.anonymous().post_empty(&link(&asked[0].data)).await.expect(200);
    fixture.server.settle().await;
    let told = fixture.sink.received().pop().unwrap();
    assert_eq!(told.recipients, ["owner@example.org"]);
    assert!(text(&told.data).contains("pat@b.example confirmed to be on call"), "{}", told.data);
    assert_eq!(fixture.escalations().len(), 0);

    let message = fixture.escalate("Where is my order?").await;
    let sent = fixture.escalations();
    assert_eq!(recipients(&sent), ["pat@b.example"]);
    let mail = &sent[0].data;
    assert_eq!(field(mail, "Auto-Submitted"), Some("auto-generated"));
    assert_eq!(field(mail, "Subject"), Some("Needs a person: Where is my order?"));
    let author = Mailbox::parse(field(mail, "From").unwrap()).unwrap();
    assert_eq!(author.address().canonical(), "no-reply@agents.localhost");
    let (inbox, thread, id) =
        (fixture.inbox.id, message["thread_id"].as_str().unwrap(), message["id"].as_str().unwrap());
    let base = &fixture.server.config().app.base_url;
    let body = text(mail);
    assert!(body.contains(&format!("\n{base}/inbox/{inbox}/{thread}#message-{id}\n")), "{body}");
    assert!(!body.contains("> Where"), "no excerpt by default: {body}");

    let events = fixture.events().await;
    assert_eq!(events.len(), 1);
    let event = &events[0];
    assert_eq!(
        [&event["trigger"], &event["mode"], &event["inbox"]["id"], &event["message_id"], &event["draft_id"]],
        [&json!("needs_human"), &json!("immediate"), &json!(inbox.to_string()), &message["id"], &Value::Null]
    );
    assert_eq!(event["recipients"], json!(["pat@b.example"]));
    assert_eq!(event["items"].as_array().unwrap().len(), 1);
    assert_eq!(event["items"][0]["message_id"], message["id"]);
    // The label is there once, and so is the mail.
    fixture.label(&message).await;
    assert_eq!(fixture.escalations().len(), 1);
    fixture.close().await;
}
