//! Mail to people on call never causes more of it, and an address that fails isn't tried for ever.

use posthouse_app::ports::Clock as _;
use posthouse_domain::{
    mail_domain::{DomainStatus, MailDomain},
    plan::Plan,
};
use posthouse_store::{Error, Tx, mail_domains};
use posthouse_tests::TestMessage;
use serde_json::{Value, json};

use super::{OnCallFixture, field, link, recipients};

impl OnCallFixture {
    /// Receives a message of Pat with a proven author and labels it, and checks that nothing more is sent.
    async fn assert_no_escalation(&self, message: &TestMessage) {
        let before = self.escalations().len();
        self.server.deliver_from(message, "pat@b.example", &self.inbox.address).await;
        self.assert_newest_is_silent(before).await;
    }

    /// Labels the newest message, and checks that no mail follows these.
    async fn assert_newest_is_silent(&self, before: usize) {
        self.server.settle().await;
        let stored = self.newest().await;
        assert_eq!(stored["direction"], "inbound", "{stored}");
        self.label(&stored).await;
        self.assert_silent(before).await;
    }
}

#[tokio::test]
async fn replies_and_automatic_replies_do_not_escalate() {
    let fixture = OnCallFixture::with_pat().await;
    fixture.set(json!({ "triggers": { "draft_created": true } })).await;
    fixture.escalate("Where is my order?").await;
    let mail = fixture.escalations().pop().unwrap().data;
    let id = field(&mail, "Message-ID").unwrap();
    let from_pat = |subject: &str| TestMessage::new(subject, "On it.").with("From", "pat@b.example");
    fixture.assert_no_escalation(&from_pat("Re: Needs a person: Where is my order?").with("In-Reply-To", id)).await;
    let reply = fixture.newest().await;
    let draft = json!({ "reply_to_message_id": reply["id"], "text": "Thanks" });
    fixture.api.post(&format!("/v1/inboxes/{}/drafts", fixture.inbox.id), draft).await.expect(201);
    fixture.assert_silent(1).await;
    // In the thread of such a reply, by the subject; with references only; automatic, without either.
    fixture.assert_no_escalation(&from_pat("Re: Needs a person: Where is my order?")).await;
    fixture.assert_no_escalation(&from_pat("Something else").with("References", &format!("<a@b.example> {id}"))).await;
    fixture.assert_no_escalation(&from_pat("Out of office").with("Auto-Submitted", "auto-replied")).await;
    // The mail itself, resent by the person or returned by an address that forwards it, also to another inbox.
    let forwarded = fixture.server.signed("agents.localhost", &unsigned(&mail));
    fixture.server.deliver_raw(forwarded.as_bytes(), &[&fixture.inbox.address]).await.expect(250);
    fixture.assert_newest_is_silent(1).await;
    let returned = from_pat("Needs a person: Where is my order?").with("Message-ID", id);
    fixture.assert_no_escalation(&returned).await;
    let other = fixture.server.inbox(&fixture.key).await;
    fixture.server.deliver_from(&returned, "pat@b.example", &other.address).await;
    let copy = fixture.server.newest_message(&fixture.api, &other.id.to_string()).await;
    fixture.label(&copy).await;
    fixture.assert_silent(1).await;
    // A new message of the same person does.
    fixture.server.deliver_from(&from_pat("Another question"), "pat@b.example", &fixture.inbox.address).await;
    fixture.server.settle().await;
    let message = fixture.newest().await;
    fixture.label(&message).await;
    assert_eq!(fixture.escalations().len(), 2);
    fixture.close().await;
}

/// Returns a mail without the signature of the service, whose key a test server doesn't publish.
fn unsigned(mail: &str) -> String {
    mail[mail.find("From: ").expect("a From field")..].to_owned()
}

/// A forged author with `Auto-Submitted` silenced the mail to people on call.
#[tokio::test]
async fn a_forged_automatic_reply_escalates() {
    let fixture = OnCallFixture::with_pat().await;
    let forged = TestMessage::new("Out of office", "Wire the money.").with("From", "pat@b.example");
    fixture.server.deliver(&forged.with("Auto-Submitted", "auto-replied"), &fixture.inbox.address).await;
    fixture.server.settle().await;
    fixture.label(&fixture.newest().await).await;
    assert_eq!(fixture.escalations().len(), 1);
    fixture.close().await;
}

#[tokio::test]
async fn a_bounced_contact_is_shown_and_not_tried_again() {
    let fixture = OnCallFixture::open().await;
    fixture.confirmed("/v1/escalation", &["pat@b.example", "kim@b.example"]).await;
    fixture.sink.always("RCPT TO:<pat@", "550 5.1.1 no such user");
    fixture.escalate("One").await;
    assert_eq!(recipients(&fixture.escalations()), ["kim@b.example"]);
    let settings = fixture.api.get("/v1/escalation").await.expect(200);
    let contact = &settings["contacts"][0];
    assert_eq!((&contact["status"], &contact["error"]["code"]), (&json!("confirmed"), &json!("bounce")));
    assert!(contact["error"]["message"].as_str().unwrap().contains("no such user"), "{contact}");
    assert_eq!(settings["contacts"][1]["error"], Value::Null);
    fixture.sink.clear_script();
    fixture.escalate("Two").await;
    assert_eq!(recipients(&fixture.escalations()), ["kim@b.example", "kim@b.example"]);
    assert_eq!(fixture.events().await[1]["recipients"], json!(["kim@b.example"]));
    fixture.api.delete("/v1/suppressions/pat@b.example").await.expect(204);
    fixture.escalate("Three").await;
    assert_eq!(fixture.escalations().len(), 4);
    // An agent can't silence a person by hand.
    fixture.api.post("/v1/suppressions", json!({ "address": "kim@b.example" })).await.expect(201);
    fixture.escalate("Four").await;
    assert_eq!(fixture.escalations().len(), 6);
    fixture.close().await;
}

#[tokio::test]
async fn a_bounce_that_arrives_later_does_not_escalate() {
    let fixture = OnCallFixture::with_pat().await;
    fixture.escalate("One").await;
    let mail = fixture.escalations().pop().unwrap();
    let return_path = mail.mail.split(&['<', '>'][..]).nth(1).unwrap().to_owned();
    let report = "From: MAILER-DAEMON@b.example\r\nSubject: Undelivered\r\nMessage-ID: <r@b.example>\r\n\
        MIME-Version: 1.0\r\nContent-Type: multipart/report; report-type=delivery-status; boundary=b\r\n\r\n\
        --b\r\nContent-Type: text/plain\r\n\r\nIt failed.\r\n\
        --b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx1.b.example\r\n\r\n\
        Final-Recipient: rfc822; pat@b.example\r\nAction: failed\r\nStatus: 5.1.1\r\n--b--\r\n";
    let mut client = fixture.server.smtp().await;
    client.mail("", &[return_path.as_str()], report.as_bytes()).await.expect(250);
    client.quit().await;
    fixture.server.settle().await;
    let listed = fixture.api.get(&format!("/v1/inboxes/{}/messages", fixture.inbox.id)).await.expect(200);
    assert_eq!(listed.data().len(), 1, "only the message that escalated: {listed}");
    let settings = fixture.api.get("/v1/escalation").await.expect(200);
    assert_eq!(settings["contacts"][0]["error"]["code"], "bounce");
    // Nobody can be reached any more: nothing is sent, and nothing waits.
    fixture.escalate("Two").await;
    fixture.assert_silent(1).await;
    fixture.close().await;
}

#[tokio::test]
async fn an_address_that_becomes_one_of_this_service_gets_nothing() {
    let fixture = OnCallFixture::open().await;
    fixture.confirmed("/v1/escalation", &["pat@b.example", "kim@example.org"]).await;
    fixture.escalate("One").await;
    assert_eq!(recipients(&fixture.escalations()), ["kim@example.org", "pat@b.example"]);
    // Another workspace verifies the domain, and its mail comes here from now on.
    let (stranger, now) = (fixture.server.workspace(Plan::Team).await, fixture.server.clock.now());
    let added = fixture.server.api(&stranger).post("/v1/domains", json!({ "domain": "b.example" })).await.expect(201);
    let (workspace, id) = (stranger.workspace, added.text("id").parse().unwrap());
    let verify = move |tx: &mut Tx| {
        let domain = mail_domains::lock(tx, workspace, id)?.expect("it was added");
        let verified = MailDomain { status: DomainStatus::Verified, verified_at: Some(now), ..domain };
        mail_domains::update(tx, &verified)
    };
    fixture.server.store().write(verify).await.unwrap_or_else(|error: Error| panic!("{error}"));
    fixture.escalate("Two").await;
    assert_eq!(recipients(&fixture.escalations()), ["kim@example.org", "kim@example.org", "pat@b.example"]);
    let refused = fixture.api.put("/v1/escalation", json!({ "contacts": ["kim@example.org", "a@b.example"] })).await;
    let refused = refused.invalid_fields(&["contacts[1]"]);
    assert!(refused["error"]["details"]["fields"][0]["problem"].as_str().unwrap().contains("of this service"));
    fixture.close().await;
}

#[tokio::test]
async fn a_removed_contact_has_a_dead_link_and_gets_nothing() {
    let fixture = OnCallFixture::with_pat().await;
    fixture.set(json!({ "contacts": ["pat@b.example", "kim@b.example"] })).await;
    fixture.server.settle().await;
    let asked = fixture.sink.received().pop().unwrap();
    fixture.set(json!({ "contacts": ["pat@b.example"] })).await;
    fixture.server.anonymous().post_empty(&link(&asked.data)).await.expect(400);
    // Removed between the cause and the mail.
    let message = fixture.receive("Hello").await;
    let path = format!("/v1/messages/{}", message["id"].as_str().unwrap());
    fixture.api.patch(&path, json!({ "add_labels": ["ai:needs-human"] })).await.expect(200);
    fixture.set(json!({ "contacts": [] })).await;
    fixture.assert_silent(0).await;
    fixture.close().await;
}
