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
    desk.sends(95, 5).await;
    assert_eq!(desk.status().await, "active", "exactly 5 % is not over 5 %");
    desk.server.clock.advance(1);
    desk.sends(0, 1).await;
    assert_eq!(desk.status().await, "suspended");
    desk.offer("bob@x.example").await.error("org_suspended");
    desk.recover().await;
    desk.server.clock.advance(1);
    desk.sends(16, 4).await;
    assert_eq!(desk.status().await, "active", "the old bounces are forgiven");
    desk.server.clock.advance(1);
    desk.sends(0, 1).await;
    assert_eq!(desk.status().await, "suspended", "new ones are not");
    desk.server.finish().await;
}

#[tokio::test]
async fn bounces_from_before_the_twentieth_send_are_judged_with_it() {
    let desk = open().await;
    desk.sends(0, 5).await;
    desk.sends(15, 0).await;
    desk.offer("bob@x.example").await.error("org_suspended");
    assert_eq!(desk.status().await, "suspended", "five of twenty bounced");
    desk.recover().await;
    desk.server.clock.advance(1);
    desk.sends(1, 0).await;
    desk.server.finish().await;
}

#[tokio::test]
async fn a_week_later_bounces_are_forgotten() {
    let desk = open().await;
    desk.sends(15, 4).await;
    desk.server.advance(7 * DAY_MS + DAY_MS).await;
    desk.sends(21, 4).await;
    assert_eq!(desk.status().await, "active", "four recipients bounced in the last week, and four before");
    desk.server.clock.advance(1);
    desk.sends(0, 1).await;
    assert_eq!(desk.status().await, "suspended", "now five");
    desk.server.finish().await;
}

#[tokio::test]
async fn the_thresholds_are_shown() {
    let desk = open().await;
    let shown = desk.api.get("/v1/deliverability").await.expect(200)["thresholds"].clone();
    let expected = json!({
        "bounce_rate": 0.05, "complaint_rate": 0.001, "min_sent": 20, "min_hard_bounces": 5, "min_complainants": 3,
    });
    assert_eq!(shown, expected);
    desk.server.finish().await;
}

/// A report about a recipient, as it comes to the return path.
fn feedback(kind: &str, part: &str) -> String {
    format!(
        "From: Mail System <mailer-daemon@x.example>\nSubject: Report\nMIME-Version: 1.0\n\
         Content-Type: multipart/report; report-type={kind}; boundary=\"b\"\n\n\
         --b\nContent-Type: text/plain\n\nA report.\n--b\n{part}\n--b--\n"
    )
    .replace('\n', "\r\n")
}

impl Desk {
    /// Hands in that report at the return paths of the newest captured messages, of each one once.
    async fn reports(&self, messages: usize, report: &str) {
        let outbox = self.api.get(&format!("/dev/outbox?limit={messages}")).await.expect(200);
        for entry in outbox.data() {
            let path = entry["envelope"]["from"].as_str().unwrap().replace('+', "%2B");
            let to = format!("/dev/inbound?to={path}&from=");
            self.server.anonymous().raw(Method::POST, &to, "message/rfc822", report).await.expect(201);
        }
    }
}

#[tokio::test]
async fn three_complainants_suspend_and_one_who_complains_often_does_not() {
    let desk = open().await;
    let complaint =
        feedback("feedback-report", "Content-Type: message/feedback-report\n\nFeedback-Type: abuse\nVersion: 1\n");
    desk.sends(20, 0).await;
    desk.reports(5, &complaint).await;
    assert_eq!(desk.status().await, "active", "five complaints, all of bob");
    for (complainant, status) in [("eve", "active"), ("zoe", "suspended")] {
        desk.offer(&format!("{complainant}@x.example")).await.expect(202);
        desk.server.settle().await;
        desk.reports(1, &complaint).await;
        assert_eq!(desk.status().await, status, "{complainant}");
    }
    desk.offer("ann@x.example").await.error("org_suspended");
    desk.recover().await;
    desk.offer("ann@x.example").await.expect(202);
    desk.server.settle().await;
    desk.server.clock.advance(1);
    desk.reports(1, &complaint).await;
    assert_eq!(desk.status().await, "active", "the complaints from before the recovery do not count");
    desk.server.finish().await;
}

#[tokio::test]
async fn five_dead_recipients_suspend_and_full_mailboxes_do_not() {
    let desk = open().await;
    let bounce = |status: &str| {
        let part = format!(
            "Content-Type: message/delivery-status\n\nReporting-MTA: dns; x.example\n\n\
             Final-Recipient: rfc822; r@x.example\nAction: failed\nStatus: {status}\n"
        );
        feedback("delivery-status", &part)
    };
    for n in 0..30 {
        desk.offer(&format!("r{n}@x.example")).await.expect(202);
    }
    desk.server.settle().await;
    desk.reports(20, &bounce("5.2.2")).await;
    assert_eq!(desk.status().await, "active", "twenty full mailboxes");
    for (n, status) in [(0, "active"), (1, "active"), (2, "active"), (3, "active"), (4, "suspended")] {
        if n > 0 {
            desk.offer(&format!("dead{n}@x.example")).await.expect(202);
        } else {
            desk.offer("Dead@x.example").await.expect(202);
        }
        desk.server.settle().await;
        desk.reports(1, &bounce("5.1.1")).await;
        assert_eq!(desk.status().await, status, "{n}");
    }
    desk.server.finish().await;
}
