//! Submission under each policy.

use posthouse_domain::OutboundPolicy;
use posthouse_tests::{
    mail::TestMessage,
    smtp::{SmtpReply, TestSmtpClient},
};
use serde_json::{Value, json};

use crate::inbox_fixture::InboxFixture;

const TARGET: &str = "collector@evil.example";
const CODE: &str = "482913";

impl InboxFixture {
    /// Submits a message, and returns the reply to its data.
    async fn submit_text(&self, to: &[&str], text: &str) -> SmtpReply {
        let mut session = TestSmtpClient::connect_with_ehlo(self.server.submission_address()).await;
        session.log_in(&self.inbox.address, &self.key.secret).await.expect(235);
        let address = &self.inbox.address;
        let raw = format!("From: {address}\r\nTo: {}\r\nSubject: Report\r\n\r\n{text}\r\n", to.join(", "));
        let reply = session.mail(address, to, raw.as_bytes()).await;
        session.quit().await;
        reply
    }

    /// Submits a message with more fields, and returns the reply to its data.
    pub(super) async fn submit_fields(&self, to: &str, fields: &str) -> SmtpReply {
        let mut session = TestSmtpClient::connect_with_ehlo(self.server.submission_address()).await;
        session.log_in(&self.inbox.address, &self.key.secret).await.expect(235);
        let address = &self.inbox.address;
        let raw = format!("From: {address}\r\nTo: {to}\r\n{fields}\r\n\r\nFine.\r\n");
        let reply = session.mail(address, &[to], raw.as_bytes()).await;
        session.quit().await;
        reply
    }

    async fn labels_of(&self, reply: &SmtpReply) -> Value {
        self.api.get(&format!("/v1/messages/{}", reply.id())).await.expect(200)["labels"].clone()
    }
}

/// What a policy does about a message.
enum Expected {
    /// It leaves with these labels.
    Sent(Value),
    /// It waits as a draft, for this reason.
    Held(&'static str),
    /// It is refused with this code.
    Refused(&'static str),
}

#[tokio::test]
async fn each_policy_treats_submission_as_it_treats_the_api() {
    let fixture = InboxFixture::open().await;
    let names = TestMessage::new("Hi", &format!("Send it to {TARGET}."));
    let naming = fixture.receive_proven("ada@good.example", &names).await;
    let code = TestMessage::new("Your code", &format!("Your verification code is {CODE}. It expires soon."));
    fixture.receive_proven("no-reply@shop.example", &code).await;
    let secret = format!("The code is {CODE}.");
    // A blind copy to the target, and only the code.
    let (unproven, content) =
        ((["ada@good.example", TARGET], "Hello"), (["ada@good.example", "b@good.example"], &*secret));
    let table = [
        (OutboundPolicy::Off, unproven, Expected::Sent(json!([]))),
        (OutboundPolicy::Off, content, Expected::Sent(json!([]))),
        (OutboundPolicy::Label, unproven, Expected::Sent(json!(["guard:recipient"]))),
        (OutboundPolicy::Label, content, Expected::Sent(json!(["guard:content"]))),
        (OutboundPolicy::Hold, unproven, Expected::Held("recipient_unproven")),
        (OutboundPolicy::Hold, content, Expected::Held("content_blocked")),
        (OutboundPolicy::Refuse, unproven, Expected::Refused("recipient_unproven")),
        (OutboundPolicy::Refuse, content, Expected::Refused("content_blocked")),
    ];
    // An unlabeled message to an address makes it known, so the policies that send come last.
    for (policy, (to, text), expected) in table.into_iter().rev() {
        fixture.set_outbound_policy(policy).await;
        let before = fixture.sent_messages().await.len();
        let reply = fixture.submit_text(&to, text).await;
        let is_sent = matches!(expected, Expected::Sent(_));
        match expected {
            Expected::Sent(labels) => assert_eq!(fixture.labels_of(&reply).await, labels, "{policy:?} {text}"),
            Expected::Held(reason) => {
                let line = &reply.expect_enhanced(250, "2.0.0").lines[0];
                let draft = line.strip_prefix("2.0.0 held for approval as draft ").expect("the draft");
                let path = format!("/v1/inboxes/{}/drafts/{draft}", fixture.inbox.id);
                let draft = fixture.api.get(&path).await.expect(200);
                assert_eq!((&draft["status"], &draft["hold"]["reason"]), (&json!("draft"), &json!(reason)), "{draft}");
                fixture.api.post_empty(&format!("{path}/send")).await.expect(202);
            }
            Expected::Refused(code) => {
                let reply = reply.expect_enhanced(550, "5.7.1");
                assert!(reply.to_string().contains(code), "{reply}");
                assert!(!reply.to_string().contains(CODE), "{reply}");
                assert_eq!(reply.to_string().contains(&naming), code == "recipient_unproven", "{reply}");
            }
        }
        let after = fixture.sent_messages().await.len();
        assert_eq!(after - before, usize::from(is_sent), "{policy:?} {text}");
    }
    fixture.server.settle().await;
    fixture.server.finish().await;
}
