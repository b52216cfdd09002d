//! Sending is suspended when too much of it bounces or is called spam, and an operator ends that (API document, States).

use posthouse_domain::time::DAY_MS;
use posthouse_server::{app::judge_sending, config::DeliveryMode, ports::Clock as _};
use posthouse_store::{Error, Tx, workspaces};
use posthouse_tests::{Options, http::Reply};
use reqwest::Method;
use serde_json::{Value, json};

use crate::desk::Desk;

/// Mail to elsewhere is captured.
async fn open() -> Desk {
    Desk::with(Options::default().configure(|config| config.delivery.mode = DeliveryMode::Capture)).await
}

impl Desk {
    async fn offer(&self, to: &str) -> Reply {
        let path = format!("/v1/inboxes/{}/messages", self.inbox.id);
        self.api.post(&path, json!({ "to": to, "subject": "Offer", "text": "Here." })).await
    }

    /// So many that arrive, then so many that bounce at once.
    async fn sends(&self, fine: usize, bounced: usize) {
        for _ in 0..fine {
            self.offer("bob@x.example").await.expect(202);
        }
        for n in 0..bounced {
            let nobody = format!("nobody{}-{n}@agents.localhost", self.server.clock.now().millis());
            self.offer(&nobody).await.expect(202);
        }
        self.server.settle().await;
    }

    async fn status(&self) -> Value {
        self.api.get("/v1/account").await.expect(200)["workspace"]["status"].clone()
    }

    /// What `posthouse workspace set --status active` does.
    async fn recover(&self) {
        let (id, now) = (self.key.workspace, self.server.clock.now());
        let work = move |tx: &mut Tx| -> Result<(), Error> {
            let mut workspace = workspaces::get(tx, id)?.unwrap();
            workspace.suspended = false;
            workspaces::update(tx, &workspace)?;
            judge_sending::recover(tx, id, now)
        };
        self.server.store().write(work).await.unwrap();
    }
}

#[tokio::test]
async fn over_five_percent_of_twenty_sends_suspend_until_an_operator_says_otherwise() {
    let desk = open().await;
    desk.sends(0, 5).await;
    assert_eq!(desk.status().await, "active", "five sends are too few to judge");
    desk.server.advance(8 * DAY_MS).await;
    desk.sends(19, 1).await;
    assert_eq!(desk.status().await, "active", "exactly 5 % is not over 5 %");
    desk.server.clock.advance(1);
    desk.sends(0, 1).await;
    assert_eq!(desk.status().await, "suspended");
    desk.offer("bob@x.example").await.error("org_suspended");
    desk.recover().await;
    desk.server.clock.advance(1);
    desk.sends(18, 1).await;
    assert_eq!(desk.status().await, "active", "the old bounces are forgiven");
    desk.server.clock.advance(1);
    desk.sends(0, 1).await;
    assert_eq!(desk.status().await, "suspended", "new ones are not");
    desk.server.finish().await;
}

#[tokio::test]
async fn bounces_from_before_the_twentieth_send_are_judged_with_it() {
    let desk = open().await;
    desk.sends(0, 2).await;
    desk.sends(18, 0).await;
    desk.offer("bob@x.example").await.error("org_suspended");
    assert_eq!(desk.status().await, "suspended", "two of twenty bounced");
    desk.recover().await;
    desk.server.clock.advance(1);
    desk.sends(1, 0).await;
    desk.server.finish().await;
}

#[tokio::test]
async fn a_week_later_bounces_are_forgotten() {
    let desk = open().await;
    desk.sends(19, 1).await;
    desk.server.advance(7 * DAY_MS + DAY_MS).await;
    desk.sends(10, 2).await;
    assert_eq!(desk.status().await, "active", "twelve sends in the last week");
    desk.server.finish().await;
}

#[tokio::test]
async fn one_complaint_among_twenty_suspends() {
    let desk = open().await;
    desk.sends(20, 0).await;
    let path = format!("/v1/inboxes/{}/messages?direction=outbound&limit=1", desk.inbox.id);
    let mail = desk.api.get(&path).await.expect(200).data()[0].clone();
    let feedback = format!(
        "From: Feedback <fbl@x.example>\nTo: {to}\nSubject: Complaint\nMIME-Version: 1.0\n\
         Content-Type: multipart/report; report-type=feedback-report; boundary=\"b\"\n\n\
         --b\nContent-Type: text/plain\n\nSpam.\n--b\nContent-Type: message/feedback-report\n\n\
         Feedback-Type: abuse\nVersion: 1\nOriginal-Rcpt-To: <bob@x.example>\n\n--b\nContent-Type: message/rfc822\n\n\
         From: {to}\nMessage-ID: {id}\nSubject: Offer\n\nHere.\n--b--\n",
        to = desk.inbox.address,
        id = mail["rfc_message_id"].as_str().unwrap(),
    )
    .replace('\n', "\r\n");
    let to = format!("/dev/inbound?to={}&from=", desk.inbox.address);
    desk.server.anonymous().raw(Method::POST, &to, "message/rfc822", feedback).await.expect(201);
    assert_eq!(desk.status().await, "suspended");
    desk.offer("eve@x.example").await.error("org_suspended");
    desk.recover().await;
    desk.offer("eve@x.example").await.expect(202);
    desk.server.settle().await;
    desk.server.finish().await;
}
