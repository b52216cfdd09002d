//! `POST /v1/inboxes/{id}/messages/{message_id}/invitation-answer`.

use posthouse_domain::{OutboundPolicy, message::HoldReason};
use posthouse_mail::{calendar, parse};
use serde_json::json;

use super::attachment_text::{MailedFile, mail_with};
use crate::inbox_fixture::InboxFixture;

const ORGANIZER: &str = "ada@calendar.example";

/// Returns an invitation for an address.
fn invitation(method: &str, attendee: &str) -> String {
    format!(
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nMETHOD:{method}\r\nBEGIN:VEVENT\r\nUID:42@calendar.example\r\nSEQUENCE:2\r\n\
         DTSTAMP:20260101T000000Z\r\nDTSTART:20270115T120000Z\r\nSUMMARY:Lunch\\, early\r\nORGANIZER:mailto:{ORGANIZER}\r\n\
         ATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:{attendee}\r\nATTENDEE:mailto:eve@b.example\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
    )
}

impl InboxFixture {
    /// Receives a mail with a calendar from an author, and returns its id.
    async fn invited(&self, from: &str, calendar: &str) -> String {
        let file = MailedFile { name: "invite.ics", content_type: "text/calendar", bytes: calendar.as_bytes() };
        let mail = mail_with(&[file]).with("From", from).with("Subject", "Invitation: Lunch");
        self.server.deliver_from(&mail, from, &self.inbox.address).await;
        self.newest_message(&self.inbox).await["id"].as_str().unwrap().to_owned()
    }
}

#[tokio::test]
async fn an_answer_is_a_calendar_reply_to_the_organizer_in_the_thread() {
    let fixture = InboxFixture::open().await;
    let id = fixture.invited(ORGANIZER, &invitation("REQUEST", &fixture.inbox.address)).await;
    let original = fixture.message(&id).await;
    for (answer, word, state) in [
        ("accept", "Accepted", "ACCEPTED"),
        ("tentative", "Tentative", "TENTATIVE"),
        ("decline", "Declined", "DECLINED"),
    ] {
        let path = format!("/{id}/invitation-answer");
        let sent = fixture.post(&path, json!({ "answer": answer, "text": "See you." })).await.expect(202);
        assert_eq!(
            (&sent["to"], sent.text("subject")),
            (&json!([ORGANIZER]), format!("{word}: Lunch, early").as_str())
        );
        assert_eq!(
            (&sent["thread_id"], &sent["in_reply_to"]),
            (&original["thread_id"], &original["headers"]["message-id"])
        );
        assert_eq!((sent.text("text"), &sent["recipients"][0]["origin"]), ("See you.", &json!("thread")));
        let raw = fixture.api.get(&format!("/v1/messages/{}/raw", sent.text("id"))).await.expect(200).bytes;
        let parsed = parse::parse(&raw);
        let file = &parsed.attachments[0];
        assert!(
            String::from_utf8_lossy(&raw).contains("method=REPLY"),
            "the method of the part is that of the calendar"
        );
        let reply = calendar::parse(std::str::from_utf8(&file.bytes).unwrap()).unwrap();
        let event = &reply.events[0];
        assert_eq!(
            (reply.method.as_deref(), event.uid.as_str(), event.sequence),
            (Some("REPLY"), "42@calendar.example", 2)
        );
        let answers: Vec<_> = event.attendees.iter().map(|one| (one.address.as_str(), one.answer.as_deref())).collect();
        assert_eq!(answers, [(fixture.inbox.address.as_str(), Some(state))], "the answer of this inbox alone");
    }
    fixture.close_queued().await;
}

#[tokio::test]
async fn only_an_invitation_for_this_inbox_is_answered() {
    let fixture = InboxFixture::open().await;
    let answer = json!({ "answer": "accept" });
    let cancelled = fixture.invited(ORGANIZER, &invitation("CANCEL", &fixture.inbox.address)).await;
    fixture.post(&format!("/{cancelled}/invitation-answer"), answer.clone()).await.error("not_found");
    let of_other = fixture.invited(ORGANIZER, &invitation("REQUEST", "other@agents.localhost")).await;
    fixture.post(&format!("/{of_other}/invitation-answer"), answer.clone()).await.error("not_answerable");
    let plain = fixture.receive_at(&fixture.inbox, &super::mail("")).await;
    fixture.post(&format!("/{plain}/invitation-answer"), answer.clone()).await.error("not_found");
    let own = fixture.invited(ORGANIZER, &invitation("REQUEST", &fixture.inbox.address)).await;
    fixture.post(&format!("/{own}/invitation-answer"), json!({ "answer": "maybe" })).await.invalid_fields(&["answer"]);
    let file = invitation("REQUEST", &fixture.inbox.address);
    let file = MailedFile { name: "invite.ics", content_type: "text/calendar", bytes: file.as_bytes() };
    let held = fixture.server.receive_held(&fixture.inbox, &mail_with(&[file]), HoldReason::Phishing).await;
    let agent =
        fixture.server.api(&fixture.server.key(&fixture.key, "agent", posthouse_domain::auth::Scope::Workspace).await);
    let path = fixture.messages(&format!("/{held}/invitation-answer"));
    agent.post(&path, answer).await.error("message_withheld");
    fixture.close().await;
}

/// A stranger invites in the name of another person, so that the answer would go to an address of their choice.
#[tokio::test]
async fn an_organizer_whom_only_the_invitation_names_is_unproven() {
    let fixture = InboxFixture::open().await;
    let workspace = fixture.key.workspace;
    let work = move |tx: &mut posthouse_store::Tx| -> Result<(), posthouse_store::Error> {
        let mut found = posthouse_store::workspaces::get(tx, workspace)?.unwrap();
        found.outbound_policy = OutboundPolicy::Refuse;
        posthouse_store::workspaces::update(tx, &found)
    };
    fixture.server.store().write(work).await.unwrap();
    let id = fixture.invited("eve@b.example", &invitation("REQUEST", &fixture.inbox.address)).await;
    let refused = fixture.post(&format!("/{id}/invitation-answer"), json!({ "answer": "accept" })).await;
    refused.error("recipient_unproven");
    fixture.close_queued().await;
}
