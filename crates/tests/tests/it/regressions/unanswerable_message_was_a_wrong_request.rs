//! Symptom: a reply to a message that has nobody to answer, such as one sent with Bcc only, got 400 `invalid_request` about
//! `message_id`, although the request was right: no form of it would have been accepted.

use posthouse_tests::mail::TestMessage;
use reqwest::Method;
use serde_json::{Value, json};

use crate::inbox_fixture::InboxFixture;

/// An answer that is refused: method, path and body.
struct RefusedAnswer {
    method: Method,
    path: String,
    body: Value,
    from: Value,
}

impl InboxFixture {
    async fn delivered_newest(&self, mail: &TestMessage) -> Value {
        self.server.deliver(mail, &self.inbox.address).await;
        self.server.newest_message(&self.api, &self.inbox.id.to_string()).await
    }

    /// Returns the paths below the messages and the drafts of the inbox.
    fn below(&self, rest: &str) -> String {
        format!("/v1/inboxes/{}{rest}", self.inbox.id)
    }

    /// Sends a message with Bcc only, and returns the replies to it.
    async fn replies_to_bcc(&self) -> Vec<RefusedAnswer> {
        let body = json!({ "to": [], "bcc": ["dana@x.example"], "subject": "Plan", "text": "Hello" });
        let sent = self.api.post(&self.below("/messages"), body).await.expect(202);
        let reply = self.below(&format!("/messages/{}/reply", sent.text("id")));
        let bodies = [
            json!({ "text": "And more." }),
            json!({ "html": "<p>And more.</p>" }),
            json!({ "data": { "a": 1 } }),
            json!({ "text": "And more.", "reply_all": true }),
            json!({ "text": "And more.", "to": null }),
        ];
        let paths = [reply.clone(), format!("{reply}?dry_run=true")];
        let all = paths.iter().flat_map(|path| bodies.iter().map(move |body| (path.clone(), body.clone())));
        all.map(|(path, body)| RefusedAnswer { method: Method::POST, path, body, from: sent["from"].clone() }).collect()
    }

    /// Receives mail to many, and returns the replies to all of them.
    async fn replies_to_many(&self, count: usize) -> Vec<RefusedAnswer> {
        let to: Vec<String> = (0..count).map(|at| format!("p{at}@x.example")).collect();
        let mail =
            TestMessage::new("Offer", "Do you want it?").with("From", "dana@x.example").with("Cc", &to.join(",\r\n "));
        let mail = self.delivered_newest(&mail).await;
        let drafts = self.below("/drafts");
        let made = self.api.post(&drafts, json!({ "reply_to_message_id": mail["id"] })).await.expect(201);
        let empty = self.api.post(&drafts, json!({})).await.expect(201);
        let with = |method, path: String, body| RefusedAnswer { method, path, body, from: mail["from"].clone() };
        vec![
            with(
                Method::POST,
                self.below(&format!("/messages/{}/reply", mail["id"].as_str().unwrap())),
                json!({ "text": "Yes.", "reply_all": true }),
            ),
            with(Method::POST, drafts.clone(), json!({ "reply_to_message_id": mail["id"], "reply_all": true })),
            with(Method::POST, drafts.clone(), json!({ "thread_id": mail["thread_id"], "reply_all": true })),
            with(Method::PATCH, format!("{drafts}/{}", made.text("id")), json!({ "reply_all": true })),
            with(
                Method::PATCH,
                format!("{drafts}/{}", empty.text("id")),
                json!({ "thread_id": mail["thread_id"], "reply_all": true }),
            ),
        ]
    }

    /// Receives an invitation that can't be answered, and returns the answers to it.
    async fn answers_to(&self, organizer: &str, attendee: &str) -> Vec<RefusedAnswer> {
        let calendar = format!(
            "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nMETHOD:REQUEST\r\nBEGIN:VEVENT\r\nUID:42@x.example\r\n\
             DTSTAMP:20260101T000000Z\r\nDTSTART:20270115T120000Z\r\nSUMMARY:Lunch\r\n{organizer}\
             ATTENDEE:mailto:{attendee}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
        );
        let mail = TestMessage::new("Invitation", &calendar)
            .with("From", "eve@x.example")
            .with("MIME-Version", "1.0")
            .with("Content-Type", "text/calendar; method=REQUEST");
        let mail = self.delivered_newest(&mail).await;
        let path = self.below(&format!("/messages/{}/invitation-answer", mail["id"].as_str().unwrap()));
        let answers = ["accept", "tentative", "decline"].into_iter();
        let refused = |answer| RefusedAnswer {
            method: Method::POST,
            path: path.clone(),
            body: json!({ "answer": answer }),
            from: mail["from"].clone(),
        };
        answers.map(refused).collect()
    }
}

/// Ends the test with mail that is still queued.
async fn close(mut fixture: InboxFixture) {
    fixture.server.allow().queued().due("outbound");
    fixture.close().await;
}

#[tokio::test]
async fn what_a_stored_message_forbids_is_not_a_wrong_request() {
    let fixture = InboxFixture::open().await;
    let own = fixture.inbox.address.clone();
    let mut all = fixture.replies_to_bcc().await;
    all.extend(fixture.replies_to_many(60).await);
    all.extend(fixture.answers_to("ORGANIZER:mailto:ada@x.example\r\n", "other@agents.localhost").await);
    for organizer in
        ["", "ORGANIZER:\r\n", "ORGANIZER:mailto:\r\n", "ORGANIZER:mailto:ada\r\n", "ORGANIZER:urn:x:1\r\n"]
    {
        all.extend(fixture.answers_to(organizer, &own).await);
    }
    assert!(all.len() >= 30, "{}", all.len());
    for RefusedAnswer { method, path, body, from } in all {
        let answer = fixture.api.send(method, &path, Some(body.clone())).await;
        let refused = answer.error("not_answerable");
        assert_eq!((&refused["error"]["details"], refused.status), (&json!({ "from": from }), 422), "{path}: {body}");
    }
    close(fixture).await;
}

/// The fix of the refusal is one that works.
#[tokio::test]
async fn a_reply_that_names_its_recipients_needs_none_of_the_message() {
    let fixture = InboxFixture::open().await;
    let first = fixture.replies_to_bcc().await.remove(0);
    let refused = fixture.api.post(&first.path, first.body).await.error("not_answerable");
    assert_eq!(refused["error"]["fix"], "Name the recipients in `to`, or send a new message.");
    let body = json!({ "text": "And more.", "to": ["dana@x.example"] });
    let sent = fixture.api.post(&first.path, body).await.expect(202);
    assert_eq!(sent["to"], json!(["dana@x.example"]));
    close(fixture).await;
}
