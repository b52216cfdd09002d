//! Sending is suspended after too many bounces or complaints, until an operator ends the suspension.

use posthouse_app::{ports::Clock as _, settings::DeliveryMode, workspaces::suspension};
use posthouse_domain::time::DAY_MS;
use posthouse_store::{Error, Tx, workspaces};
use posthouse_tests::{ServerOptions, http::ApiResponse};
use reqwest::Method;
use serde_json::{Value, json};

use crate::inbox_fixture::InboxFixture;

/// Opens a fixture that captures outbound messages.
async fn open() -> InboxFixture {
    InboxFixture::with(ServerOptions::default().configure(|config| config.delivery.mode = DeliveryMode::Capture)).await
}

impl InboxFixture {
    async fn send_offer(&self, to: &str) -> ApiResponse {
        let path = format!("/v1/inboxes/{}/messages", self.inbox.id);
        self.api.post(&path, json!({ "to": to, "subject": "Offer", "text": "Here." })).await
    }

    /// Sends `fine` messages that are delivered, then `bounced` messages that bounce at once.
    async fn send_batch(&self, fine: usize, bounced: usize) {
        for _ in 0..fine {
            self.send_offer("bob@x.example").await.expect(202);
        }
        for n in 0..bounced {
            let nobody = format!("nobody{}-{n}@agents.localhost", self.server.clock.now().millis());
            self.send_offer(&nobody).await.expect(202);
        }
        self.server.settle().await;
    }

    async fn status(&self) -> Value {
        self.api.get("/v1/account").await.expect(200)["workspace"]["status"].clone()
    }

    /// Does the same as `posthouse workspace set --status active`.
    async fn recover(&self) {
        let (id, now) = (self.key.workspace, self.server.clock.now());
        let work = move |tx: &mut Tx| -> Result<(), Error> {
            let mut workspace = workspaces::get(tx, id)?.unwrap();
            workspace.suspended = false;
            workspaces::update(tx, &workspace)?;
            suspension::recover(tx, id, now)
        };
        self.server.store().write(work).await.unwrap();
    }
}

#[tokio::test]
async fn more_than_five_percent_bounces_of_twenty_sends_suspend_until_an_operator_reactivates() {
    let fixture = open().await;
    fixture.send_batch(0, 5).await;
    assert_eq!(fixture.status().await, "active", "five sends are too few");
    fixture.server.advance(8 * DAY_MS).await;
    fixture.send_batch(95, 5).await;
    assert_eq!(fixture.status().await, "active", "exactly 5 % is not over 5 %");
    fixture.server.clock.advance(1);
    fixture.send_batch(0, 1).await;
    assert_eq!(fixture.status().await, "suspended");
    fixture.send_offer("bob@x.example").await.error("org_suspended");
    fixture.recover().await;
    fixture.server.clock.advance(1);
    fixture.send_batch(16, 4).await;
    assert_eq!(fixture.status().await, "active", "bounces before the reactivation don't count");
    fixture.server.clock.advance(1);
    fixture.send_batch(0, 1).await;
    assert_eq!(fixture.status().await, "suspended", "new bounces count");
    fixture.server.finish().await;
}

#[tokio::test]
async fn bounces_before_the_twentieth_send_count_with_it() {
    let fixture = open().await;
    fixture.send_batch(0, 5).await;
    fixture.send_batch(15, 0).await;
    fixture.send_offer("bob@x.example").await.error("org_suspended");
    assert_eq!(fixture.status().await, "suspended", "five of twenty bounced");
    fixture.recover().await;
    fixture.server.clock.advance(1);
    fixture.send_batch(1, 0).await;
    fixture.server.finish().await;
}

#[tokio::test]
async fn bounces_older_than_a_week_do_not_count() {
    let fixture = open().await;
    fixture.send_batch(15, 4).await;
    fixture.server.advance(7 * DAY_MS + DAY_MS).await;
    fixture.send_batch(21, 4).await;
    assert_eq!(fixture.status().await, "active", "four recipients bounced in the last week, and four before");
    fixture.server.clock.advance(1);
    fixture.send_batch(0, 1).await;
    assert_eq!(fixture.status().await, "suspended", "now five");
    fixture.server.finish().await;
}

#[tokio::test]
async fn the_api_shows_the_thresholds() {
    let fixture = open().await;
    let thresholds = fixture.api.get("/v1/deliverability").await.expect(200)["thresholds"].clone();
    let expected = json!({
        "bounce_rate": 0.05, "complaint_rate": 0.001, "min_sent": 20, "min_hard_bounces": 5, "min_complainants": 3,
    });
    assert_eq!(thresholds, expected);
    fixture.server.finish().await;
}

/// Builds a report about a recipient, as sent to the return path.
fn feedback(kind: &str, part: &str) -> String {
    format!(
        "From: Mail System <mailer-daemon@x.example>\nSubject: Report\nMIME-Version: 1.0\n\
         Content-Type: multipart/report; report-type={kind}; boundary=\"b\"\n\n\
         --b\nContent-Type: text/plain\n\nA report.\n--b\n{part}\n--b--\n"
    )
    .replace('\n', "\r\n")
}

impl InboxFixture {
    /// Delivers the report to the return path of each of the newest captured messages.
    async fn deliver_reports(&self, messages: usize, report: &str) {
        let outbox = self.api.get(&format!("/dev/outbox?limit={messages}")).await.expect(200);
        for entry in outbox.data() {
            let path = entry["envelope"]["from"].as_str().unwrap().replace('+', "%2B");
            let to = format!("/dev/inbound?to={path}&from=");
            self.server.anonymous().raw(Method::POST, &to, "message/rfc822", report).await.expect(201);
        }
    }
}

#[tokio::test]
async fn three_complainants_suspend_but_repeated_complaints_of_one_do_not() {
    let fixture = open().await;
    let complaint =
        feedback("feedback-report", "Content-Type: message/feedback-report\n\nFeedback-Type: abuse\nVersion: 1\n");
    fixture.send_batch(20, 0).await;
    fixture.deliver_reports(5, &complaint).await;
    assert_eq!(fixture.status().await, "active", "five complaints, all of bob");
    for (complainant, status) in [("eve", "active"), ("zoe", "suspended")] {
        fixture.send_offer(&format!("{complainant}@{complainant}.example")).await.expect(202);
        fixture.server.settle().await;
        fixture.deliver_reports(1, &complaint).await;
        assert_eq!(fixture.status().await, status, "{complainant}");
    }
    fixture.send_offer("ann@x.example").await.error("org_suspended");
    fixture.recover().await;
    fixture.send_offer("ann@x.example").await.expect(202);
    fixture.server.settle().await;
    fixture.server.clock.advance(1);
    fixture.deliver_reports(1, &complaint).await;
    assert_eq!(fixture.status().await, "active", "complaints before the reactivation don't count");
    fixture.server.finish().await;
}

#[tokio::test]
async fn five_unknown_recipients_suspend_but_full_mailboxes_do_not() {
    let fixture = open().await;
    let bounce = |status: &str| {
        let part = format!(
            "Content-Type: message/delivery-status\n\nReporting-MTA: dns; x.example\n\n\
             Final-Recipient: rfc822; r@x.example\nAction: failed\nStatus: {status}\n"
        );
        feedback("delivery-status", &part)
    };
    for n in 0..30 {
        fixture.send_offer(&format!("r{n}@x.example")).await.expect(202);
    }
    fixture.server.settle().await;
    fixture.deliver_reports(20, &bounce("5.2.2")).await;
    assert_eq!(fixture.status().await, "active", "twenty full mailboxes");
    for (n, status) in [(0, "active"), (1, "active"), (2, "active"), (3, "active"), (4, "suspended")] {
        if n > 0 {
            fixture.send_offer(&format!("dead@x{n}.example")).await.expect(202);
        } else {
            fixture.send_offer("Dead@x.example").await.expect(202);
        }
        fixture.server.settle().await;
        fixture.deliver_reports(1, &bounce("5.1.1")).await;
        assert_eq!(fixture.status().await, status, "{n}");
    }
    fixture.server.finish().await;
}
