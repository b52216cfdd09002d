//! One `In-Reply-To` with the Message-ID of any mail to people on call, also of the stranger's own workspace and with any
//! domain, kept a message from escalating.

use posthouse_domain::plan::Plan;
use posthouse_tests::TestMessage;
use serde_json::json;

use crate::scenarios::escalation::{OnCallFixture, field, link};

const PAT: &str = "pat@b.example";
const MAL: &str = "mal@evil.example";

/// Message-IDs that a stranger may know or make up.
struct Known {
    /// Of a mail to a person on call of the stranger's workspace.
    foreign: String,
    /// Of a mail to Pat.
    own: String,
    /// Of a proven reply of Pat, in a thread of the inbox.
    reply: String,
}

impl Known {
    async fn find(fixture: &OnCallFixture) -> Self {
        fixture.set(json!({ "max_per_hour": 60 })).await;
        fixture.escalate("Where is my order?").await;
        let own = field(&fixture.escalations().pop().unwrap().data, "Message-ID").unwrap().to_owned();
        let reply = TestMessage::new("Re: Needs a person: Where is my order?", "On it.").with("From", PAT);
        let reply = reply.with("In-Reply-To", &own).with("Message-ID", "<reply@b.example>");
        fixture.server.deliver_from(&reply, PAT, &fixture.inbox.address).await;
        let stranger = fixture.server.workspace(Plan::Free).await;
        let api = fixture.server.api(&stranger);
        api.put("/v1/escalation", json!({ "contacts": ["mal@b.example"] })).await.expect(200);
        fixture.server.settle().await;
        let asked = fixture.sink.received().pop().unwrap();
        fixture.server.anonymous().post_empty(&link(&asked.data)).await.expect(200);
        fixture.server.settle().await;
        let foreign = field(&asked.data, "Message-ID").unwrap().to_owned();
        Self { foreign, own, reply: "<reply@b.example>".to_owned() }
    }

    fn all(&self) -> [String; 5] {
        let elsewhere = |id: &str| format!("{}@evil.example>", id.split('@').next().unwrap());
        [self.foreign.clone(), self.own.clone(), self.reply.clone(), elsewhere(&self.own), elsewhere(&self.foreign)]
    }
}

/// Labels the newest message and returns whether that sent a mail.
async fn escalates(fixture: &OnCallFixture) -> bool {
    let before = fixture.escalations().len();
    fixture.server.settle().await;
    let stored = fixture.newest().await;
    fixture.label(&stored).await;
    fixture.escalations().len() > before
}

#[tokio::test]
async fn a_reference_of_a_stranger_counts_nothing() {
    let fixture = OnCallFixture::with_pat().await;
    let known = Known::find(&fixture).await;
    let to = &fixture.inbox.address;
    for id in known.all() {
        for name in ["In-Reply-To", "References", "Message-ID"] {
            // A Message-ID is in an inbox once.
            if name == "Message-ID" && id == known.reply {
                continue;
            }
            for (from, is_proven) in [(MAL, true), (MAL, false), (PAT, false)] {
                let message = TestMessage::new("The site is down", "Help!").with("From", from).with(name, &id);
                if is_proven {
                    fixture.server.deliver_from(&message, from, to).await;
                } else {
                    fixture.server.deliver(&message, to).await;
                }
                assert!(escalates(&fixture).await, "{name}: {id} from {from}, proven: {is_proven}");
            }
        }
        // Like a report, which counts at a return path only.
        let report = TestMessage::new("Undelivered", "It failed.").with("From", "MAILER-DAEMON@b.example");
        let raw = report.with("In-Reply-To", &id).raw(to, posthouse_app::ports::Clock::now(&fixture.server.clock));
        let mut client = fixture.server.smtp().await;
        client.mail("", &[to.as_str()], raw.as_bytes()).await.expect(250);
        client.quit().await;
        fixture.server.clock.advance(1);
        assert!(escalates(&fixture).await, "{id} with the null sender");
        fixture.server.advance(3_600_000).await;
    }
    fixture.close().await;
}

#[tokio::test]
async fn a_reference_of_the_person_counts_for_the_own_mail_only() {
    let fixture = OnCallFixture::with_pat().await;
    let known = Known::find(&fixture).await;
    for from in [PAT, "pat+phone@b.example"] {
        for id in known.all() {
            let message = TestMessage::new("About another thing", "Hm.").with("From", from).with("In-Reply-To", &id);
            fixture.server.deliver_from(&message, from, &fixture.inbox.address).await;
            // In the thread of the reply, Pat continues the conversation.
            let is_response = id == known.own || id == known.reply;
            assert_eq!(escalates(&fixture).await, !is_response, "{id} from {from}");
        }
    }
    fixture.close().await;
}
