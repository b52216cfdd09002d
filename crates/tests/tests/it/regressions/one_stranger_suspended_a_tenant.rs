//! Three complaints or five bounces of one stranger suspended a workspace: he used addresses of his own domain, tags of one
//! mailbox, answers to his own mail, answers to mail with forged authors, or dead addresses that he named in `Cc` or in his
//! text. A workspace named its targets in mail to itself, and their complaints didn't count.

use posthouse_app::{ports::Clock as _, settings::DeliveryMode};
use posthouse_tests::{ServerOptions, fixtures::TestInbox};
use reqwest::Method;
use serde_json::{Value, json};

use crate::inbox_fixture::InboxFixture;

const COMPLAINT: &str = "From: Mail System <mailer-daemon@x.example>\r\nSubject: Report\r\nMIME-Version: 1.0\r\n\
    Content-Type: multipart/report; report-type=feedback-report; boundary=\"b\"\r\n\r\n\
    --b\r\nContent-Type: text/plain\r\n\r\nA report.\r\n\
    --b\r\nContent-Type: message/feedback-report\r\n\r\nFeedback-Type: abuse\r\nVersion: 1\r\n\r\n--b--\r\n";
const BOUNCE: &str = "From: Mail System <mailer-daemon@x.example>\r\nSubject: Report\r\nMIME-Version: 1.0\r\n\
    Content-Type: multipart/report; report-type=delivery-status; boundary=\"b\"\r\n\r\n\
    --b\r\nContent-Type: text/plain\r\n\r\nA report.\r\n\
    --b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; x.example\r\n\r\n\
    Final-Recipient: rfc822; r@x.example\r\nAction: failed\r\nStatus: 5.1.1\r\n\r\n--b--\r\n";

async fn open() -> InboxFixture {
    InboxFixture::with(ServerOptions::default().configure(|config| config.delivery.mode = DeliveryMode::Capture)).await
}

async fn suspension(fixture: &InboxFixture) -> Value {
    fixture.api.get("/v1/account").await.expect(200)["workspace"]["suspension"].clone()
}

async fn send(fixture: &InboxFixture, to: &str) {
    let path = format!("/v1/inboxes/{}/messages", fixture.inbox.id);
    fixture.api.post(&path, json!({ "to": to, "subject": "Offer", "text": "Here." })).await.expect(202);
    fixture.server.settle().await;
}

/// Delivers a report to the return path of the newest sent message.
async fn report(fixture: &InboxFixture, report: &str) {
    let outbox = fixture.api.get("/dev/outbox?limit=1").await.expect(200);
    let path = outbox.data()[0]["envelope"]["from"].as_str().unwrap().replace('+', "%2B");
    let to = format!("/dev/inbound?to={path}&from=");
    fixture.server.anonymous().raw(Method::POST, &to, "message/rfc822", report).await.expect(201);
}

#[tokio::test]
async fn addresses_of_one_party_count_once() {
    let kinds: [&[&str]; 3] = [
        &[
            "a@evil.example",
            "b@evil.example",
            "c@mail.evil.example",
            "d@x.y.evil.example",
            "e@evil.example",
            "f@evil.example",
        ],
        &["evil@gmail.com", "evil+1@gmail.com", "e.vil+2@googlemail.com", "ev.il@gmail.com", "evi.l@gmail.com"],
        &["evil+1@outlook.com", "evil+2@outlook.com", "evil+3@outlook.com", "Evil@outlook.com", "evil+4@outlook.com"],
    ];
    for (addresses, kind) in kinds.iter().flat_map(|addresses| [(addresses, COMPLAINT), (addresses, BOUNCE)]) {
        let fixture = open().await;
        for n in 0..20 {
            send(&fixture, &format!("ann@company{n}.example")).await;
        }
        for address in *addresses {
            send(&fixture, address).await;
            report(&fixture, kind).await;
            fixture.server.clock.advance(1);
        }
        assert_eq!(suspension(&fixture).await, Value::Null, "{addresses:?}");
        fixture.server.finish().await;
    }
}

#[tokio::test]
async fn complaints_about_answers_do_not_count() {
    let fixture = open().await;
    for n in 0..20 {
        send(&fixture, &format!("ann@company{n}.example")).await;
    }
    for n in 0..6 {
        let (to, from) = (&fixture.inbox.address, proven(&fixture, &format!("evil@stranger{n}.example")));
        let mail = format!(
            "From: {from}\r\nTo: {to}\r\nSubject: Hi {n}\r\nMessage-ID: <{n}@stranger.example>\r\n\r\nHello.\r\n"
        );
        let path = format!("/dev/inbound?to={to}&from={from}");
        fixture.server.anonymous().raw(Method::POST, &path, "message/rfc822", mail).await.expect(201);
        let inbox = format!("/v1/inboxes/{}/messages", fixture.inbox.id);
        let id = newest(&fixture).await;
        fixture.api.post(&format!("{inbox}/{id}/reply"), json!({ "text": "Yes?" })).await.expect(202);
        fixture.server.settle().await;
        report(&fixture, COMPLAINT).await;
        fixture.server.clock.advance(1);
    }
    assert_eq!(suspension(&fixture).await, Value::Null);
    fixture.server.finish().await;
}

/// Parties that a mail names.
const NAMED: [&str; 5] = ["n1@gmail.com", "n2@gmail.com", "n3@outlook.com", "a@evil2.example", "b@evil3.example"];

/// Names the client of the tests in the SPF record of an address's domain. Returns the address.
fn proven(fixture: &InboxFixture, address: &str) -> String {
    fixture.server.dns.txt(address.rsplit_once('@').expect("an address").1, "v=spf1 ip4:127.0.0.1 -all");
    address.to_owned()
}

/// What happened between the workspace and those that a mail names, before that mail.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Before {
    Nothing,
    /// They wrote to the workspace, with proof.
    Written,
    /// Somebody wrote to the workspace in their name.
    Forged,
    /// The workspace wrote to them first, then they wrote.
    WrittenTo,
}

impl Before {
    async fn happen(self, fixture: &InboxFixture) {
        for address in NAMED {
            if self == Self::WrittenTo {
                send(fixture, address).await;
            }
            if self == Self::Forged {
                receive(fixture, address, "").await;
            } else if self != Self::Nothing {
                receive(fixture, &proven(fixture, address), "").await;
            }
        }
    }
}

/// Who names people in mail to the workspace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Namer {
    /// Another party, whose mail is proven.
    Proven,
    /// Another party, without proof.
    Unproven,
    /// Another inbox of the workspace.
    OwnInbox,
}

/// What led to the message that bounces or draws complaints.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Exchange {
    /// An answer to everyone.
    Answer,
    /// A message that answers the own answer.
    SecondAnswer,
    /// An answer to everyone of another mail that names the same people.
    AnswerToAnotherMail,
}

/// Delivers mail of a stranger; returns its id.
async fn receive(fixture: &InboxFixture, from: &str, named: &str) -> String {
    receive_with(fixture, from, named, "Why?").await
}

/// Delivers mail of a stranger with a text; returns its id.
async fn receive_with(fixture: &InboxFixture, from: &str, named: &str, text: &str) -> String {
    fixture.server.clock.advance(1);
    let (to, now) = (&fixture.inbox.address, fixture.server.clock.now().millis());
    let mail = format!(
        "From: {from}\r\nTo: {to}\r\n{named}Subject: Q{now}\r\nMessage-ID: <{now}@evil.example>\r\n\r\n{text}\r\n"
    );
    let path = format!("/dev/inbound?to={to}&from={from}");
    fixture.server.anonymous().raw(Method::POST, &path, "message/rfc822", mail).await.expect(201);
    newest(fixture).await
}

/// Returns the id of the newest message that the fixture's inbox received.
async fn newest(fixture: &InboxFixture) -> String {
    let path = format!("/v1/inboxes/{}/messages?direction=inbound&limit=1", fixture.inbox.id);
    fixture.api.get(&path).await.expect(200).data()[0]["id"].as_str().unwrap().to_owned()
}

/// Answers a message to everyone; returns the id of the answer.
async fn answer(fixture: &InboxFixture, message: &str) -> String {
    let path = format!("/v1/inboxes/{}/messages/{message}/reply", fixture.inbox.id);
    let sent = fixture.api.post(&path, json!({ "text": "So.", "reply_all": true })).await.expect(202);
    fixture.server.settle().await;
    fixture.server.clock.advance(1);
    sent.text("id").to_owned()
}

/// Delivers a report to the newest return path of a recipient.
async fn report_of(fixture: &InboxFixture, report: &str, recipient: &str) {
    let outbox = fixture.api.get("/dev/outbox?limit=100").await.expect(200);
    let path = outbox.data().iter().find_map(|sent| {
        let to = sent["envelope"]["to"].as_array().unwrap();
        let at = to.iter().position(|to| to == recipient)?;
        Some(sent["envelope"]["return_paths"][at].as_str().unwrap().replace('+', "%2B"))
    });
    let to = format!("/dev/inbound?to={}&from=", path.unwrap_or_else(|| panic!("{recipient}")));
    let original = format!("Version: 1\r\nOriginal-Rcpt-To: <{recipient}>\r\n");
    let report = report.replace("Version: 1\r\n", &original).replace("r@x.example", recipient);
    let delivered = fixture.server.anonymous().raw(Method::POST, &to, "message/rfc822", report).await;
    delivered.expect(201);
    fixture.server.clock.advance(1);
}

/// Answers mail that names people, to everyone; then all whom it names send a report. Returns whether the workspace is
/// suspended.
async fn is_suspended_by_named(namer: Namer, before: Before, exchange: Exchange, field: &str, kind: &str) -> bool {
    let fixture = open().await;
    for n in 0..20 {
        send(&fixture, &format!("ann@company{n}.example")).await;
    }
    before.happen(&fixture).await;
    let other = fixture.server.inbox_named(&fixture.key, "other").await;
    let from = match namer {
        Namer::Proven => proven(&fixture, "stranger@evil.example"),
        Namer::Unproven => "stranger@unproven.example".to_owned(),
        Namer::OwnInbox => other.address.clone(),
    };
    // More than one message, because a rate counts messages.
    for part in NAMED.chunks(3) {
        let name = async || match namer {
            Namer::OwnInbox => receive_of_own(&fixture, &other, field, part).await,
            _ => receive(&fixture, &from, &format!("{field}: {}\r\n", part.join(", "))).await,
        };
        let answered = answer(&fixture, &name().await).await;
        match exchange {
            Exchange::Answer => {}
            Exchange::SecondAnswer => drop(answer(&fixture, &answered).await),
            Exchange::AnswerToAnotherMail => drop(answer(&fixture, &name().await).await),
        }
    }
    for address in NAMED {
        report_of(&fixture, kind, address).await;
    }
    let is_suspended = suspension(&fixture).await != Value::Null;
    fixture.server.finish().await;
    is_suspended
}

/// Sends a message from another inbox of the workspace to the fixture's, and to these people. Returns the copy.
async fn receive_of_own(fixture: &InboxFixture, inbox: &TestInbox, field: &str, named: &[&str]) -> String {
    let mut body = json!({ "to": [fixture.inbox.address], "subject": "Offer", "text": "All of you." });
    for address in named {
        match &mut body[field.to_lowercase()] {
            Value::Array(list) => list.push(json!(address)),
            empty => *empty = json!([address]),
        }
    }
    fixture.api.post(&format!("/v1/inboxes/{}/messages", inbox.id), body).await.expect(202);
    fixture.server.settle().await;
    fixture.server.clock.advance(1);
    newest(fixture).await
}

#[tokio::test]
async fn only_those_whom_a_mail_proves_are_exempt() {
    use Before::{Forged, Nothing, Written, WrittenTo};
    use Namer::{OwnInbox, Proven, Unproven};
    for (namer, before, is_exempt) in [
        // All whom a stranger named count as one.
        (Proven, Nothing, true),
        (Unproven, Nothing, true),
        (Proven, Forged, true),
        (Proven, Written, true),
        (Unproven, Written, true),
        (Proven, WrittenTo, false),
        (OwnInbox, Nothing, false),
        (OwnInbox, Written, false),
    ] {
        let exchanges = [Exchange::Answer, Exchange::SecondAnswer, Exchange::AnswerToAnotherMail];
        let kinds = [(COMPLAINT, "Cc"), (BOUNCE, "To"), (COMPLAINT, "To")];
        for (exchange, (kind, field)) in exchanges.into_iter().zip(kinds) {
            let is_suspended = is_suspended_by_named(namer, before, exchange, field, kind).await;
            assert_eq!(is_suspended, !is_exempt, "{namer:?} {before:?} {exchange:?} {field} {kind}");
        }
    }
}

/// How a message goes to people that a stranger's mail names, or that the workspace chose.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    ReplyToAll,
    /// A reply to later mail of the thread, which names nobody, with the addresses of the thread.
    ReplyWithAddresses,
    /// A draft that replies.
    Draft,
    /// The inbox forwards the stranger's mail by itself.
    AutomaticForward,
    /// The stranger's mail, which names nobody, is forwarded.
    Forward,
    /// A reply to the stranger's mail, which names nobody.
    ReplyToOthers,
    /// A new message.
    Message,
    /// A new message to people whom the text of the stranger's mail names.
    MessageToText,
    /// A reply to the stranger's mail, to people whom its text names.
    ReplyToText,
    /// The stranger's mail is forwarded to people whom the text of an earlier one names.
    ForwardToText,
    /// A new message to people whose addresses the stranger's text spells in words.
    MessageToWords,
}

impl Way {
    const ALL: [Self; 11] = [
        Self::ReplyToAll,
        Self::ReplyWithAddresses,
        Self::Draft,
        Self::AutomaticForward,
        Self::Forward,
        Self::ReplyToOthers,
        Self::Message,
        Self::MessageToText,
        Self::ReplyToText,
        Self::ForwardToText,
        Self::MessageToWords,
    ];

    /// Returns whether the stranger's mail led to the recipients.
    const fn is_led(self) -> bool {
        !matches!(self, Self::Forward | Self::ReplyToOthers | Self::Message)
    }

    /// Makes the workspace write to these people after mail of a stranger.
    async fn write(self, fixture: &InboxFixture, from: &str, people: &[&str]) {
        let field = format!("Cc: {}\r\n", people.join(", "));
        let text = format!("Send it to {}.", people.join(" and "));
        let words = text.replace('@', " (at) ").replace(".example", " dot example").replace(".com", " dot com");
        let path = format!("/v1/inboxes/{}", fixture.inbox.id);
        let post = async |below: &str, body: Value| fixture.api.post(&format!("{path}{below}"), body).await;
        match self {
            Self::ReplyToAll => drop(answer(fixture, &receive(fixture, from, &field).await).await),
            Self::ReplyWithAddresses => {
                let first = receive(fixture, from, &field).await;
                let id = fixture.api.get(&format!("/v1/messages/{first}")).await.expect(200)["rfc_message_id"].clone();
                let later = receive(fixture, from, &format!("References: {}\r\n", id.as_str().unwrap())).await;
                let reply = json!({ "text": "So.", "to": people });
                post(&format!("/messages/{later}/reply"), reply).await.expect(202);
            }
            Self::Draft => {
                let answered = receive(fixture, from, &field).await;
                let draft = json!({
                    "reply_to_message_id": answered, "to": people[..1], "cc": people[1..], "subject": "Re", "text": "So.",
                });
                let draft = post("/drafts", draft).await.expect(201);
                let draft = format!("{path}/drafts/{}/send", draft.text("id"));
                fixture.api.post_empty(&draft).await.expect(202);
            }
            Self::AutomaticForward => drop(receive(fixture, from, "").await),
            Self::Forward | Self::ForwardToText => {
                if self == Self::ForwardToText {
                    receive_with(fixture, from, "", &text).await;
                }
                let id = receive(fixture, from, "").await;
                post(&format!("/messages/{id}/forward"), json!({ "to": people })).await.expect(202);
            }
            Self::ReplyToOthers | Self::ReplyToText => {
                let named = if self == Self::ReplyToText { &*text } else { "Why?" };
                let id = receive_with(fixture, from, "", named).await;
                let reply = json!({ "text": "So.", "to": people });
                post(&format!("/messages/{id}/reply"), reply).await.expect(202);
            }
            Self::Message | Self::MessageToText | Self::MessageToWords => {
                match self {
                    Self::MessageToText => drop(receive_with(fixture, from, "", &text).await),
                    Self::MessageToWords => drop(receive_with(fixture, from, "", &words).await),
                    _ => {}
                }
                let message = json!({ "to": people, "subject": "Offer", "text": "Here." });
                post("/messages", message).await.expect(202);
            }
        }
        fixture.server.settle().await;
        fixture.server.clock.advance(1);
    }
}

/// Adds forwarding addresses and confirms them.
async fn forward_to(fixture: &InboxFixture, people: &[&str]) {
    let path = format!("/v1/inboxes/{}/forwarding", fixture.inbox.id);
    for address in people {
        fixture.api.post(&path, json!({ "address": address })).await.expect(201);
        let link = fixture.server.service_link(&fixture.api, "/confirm/forwarding/").await;
        fixture.server.anonymous().post_empty(&link).await.expect(200);
        fixture.server.clock.advance(1);
    }
}

#[tokio::test]
async fn those_whom_a_stranger_named_count_as_the_stranger() {
    let ways = Way::ALL.into_iter().flat_map(|way| [(way, COMPLAINT, 3_usize), (way, BOUNCE, 5)]);
    for ((way, kind, parties_min), is_proven) in ways.flat_map(|case| [(case, true), (case, false)]) {
        let fixture = open().await;
        for n in 0..20 {
            send(&fixture, &format!("ann@company{n}.example")).await;
        }
        let stranger = "stranger@evil.example".to_owned();
        let (from, namer) =
            if is_proven { (proven(&fixture, &stranger), "evil.example") } else { (stranger, "authors without proof") };
        // An inbox forwards to three addresses.
        let people = if way == Way::AutomaticForward { &NAMED[..3] } else { &NAMED[..] };
        if way == Way::AutomaticForward {
            forward_to(&fixture, people).await;
        }
        // More than one message, because a rate counts messages.
        let rounds: Vec<&[&str]> = if way == Way::AutomaticForward { vec![people] } else { people.chunks(3).collect() };
        for part in rounds {
            way.write(&fixture, &from, part).await;
        }
        for address in people {
            report_of(&fixture, kind, address).await;
        }
        let case = format!("{way:?} {kind} {is_proven}");
        let is_suspended = suspension(&fixture).await != Value::Null;
        assert_eq!(is_suspended, !way.is_led() && people.len() >= parties_min, "{case}");
        if way.is_led() {
            for n in 1..parties_min {
                assert_eq!(suspension(&fixture).await, Value::Null, "{case}");
                let to = format!("one@party{n}.example");
                send(&fixture, &to).await;
                report_of(&fixture, kind, &to).await;
            }
            let parties = suspension(&fixture).await["parties"].clone();
            assert_eq!(parties.as_array().map(Vec::len), Some(parties_min), "{case} {parties}");
            assert_eq!(parties[0], namer, "{case}: the namer counts once");
        }
        fixture.server.finish().await;
    }
}

#[tokio::test]
async fn forged_authors_are_one_party() {
    for (kind, parties) in [(COMPLAINT, 2), (BOUNCE, 4)] {
        let fixture = open().await;
        for n in 0..20 {
            send(&fixture, &format!("ann@company{n}.example")).await;
        }
        for n in 0..6 {
            let from = format!("target@stranger{n}.example");
            let mail = receive(&fixture, &from, "").await;
            answer(&fixture, &mail).await;
            report_of(&fixture, kind, &from).await;
        }
        assert_eq!(suspension(&fixture).await, Value::Null);
        for n in 0..parties {
            assert_eq!(suspension(&fixture).await, Value::Null);
            let to = format!("one@party{n}.example");
            send(&fixture, &to).await;
            report_of(&fixture, kind, &to).await;
        }
        let counted = suspension(&fixture).await["parties"].as_array().map(Vec::len);
        assert_eq!(counted, Some(parties + 1), "all of them count once");
        fixture.server.finish().await;
    }
}

#[tokio::test]
async fn authors_complained_about_a_second_answer_to_their_mail() {
    for kind in [COMPLAINT, BOUNCE] {
        let fixture = open().await;
        for n in 0..20 {
            send(&fixture, &format!("ann@company{n}.example")).await;
        }
        for n in 0..6 {
            let from = proven(&fixture, &format!("s@stranger{n}.example"));
            let mail = receive(&fixture, &from, "").await;
            let answered = answer(&fixture, &mail).await;
            answer(&fixture, &answered).await;
            report_of(&fixture, kind, &from).await;
        }
        assert_eq!(suspension(&fixture).await, Value::Null);
        fixture.server.finish().await;
    }
}

#[tokio::test]
async fn a_suspension_shows_who_counted_and_can_be_reviewed() {
    let fixture = open().await;
    for n in 0..20 {
        send(&fixture, &format!("ann@company{n}.example")).await;
    }
    for to in ["one@one.example", "two@two.example", "three@gmail.com"] {
        assert_eq!(suspension(&fixture).await, Value::Null);
        send(&fixture, to).await;
        report(&fixture, COMPLAINT).await;
        fixture.server.clock.advance(1);
    }
    let shown = suspension(&fixture).await;
    assert_eq!((&shown["reason"], &shown["ends"]), (&json!("complaints"), &Value::Null), "{shown}");
    assert_eq!(shown["parties"], json!(["one.example", "two.example", "three@gmail.com"]));
    let path = format!("/v1/inboxes/{}/messages", fixture.inbox.id);
    let refused = fixture.api.post(&path, json!({ "to": "b@x.example", "subject": "x", "text": "x" })).await;
    let refused = refused.error("org_suspended");
    let (message, since) = (refused["error"]["message"].as_str().unwrap(), shown["since"].as_str().unwrap());
    assert!(message.contains("one.example, two.example, three@gmail.com") && message.contains(since), "{message}");
    assert!(refused["error"]["fix"].as_str().unwrap().contains("/platform/org/suspension/review"), "{refused:?}");
    fixture.server.finish().await;
}
