//! Sends that are rejected, by checks in the transaction of the send.

use posthouse_app::ports::Clock as _;
use posthouse_domain::{
    suppression::{Suppression, SuppressionReason},
    time::{DAY_MS, MINUTE_MS},
};
use posthouse_store::{Error, p, statements, suppressions, workspaces};
use posthouse_tests::server::ServerOptions;
use serde_json::json;

use super::{InboxFixture, send_body};

statements! {
    PAUSE = "UPDATE inboxes SET paused_at = $3 WHERE workspace_id = $1 AND id = $2";
    TEMPORARY = "UPDATE inboxes SET temporary = 1, expires_at = $3 WHERE workspace_id = $1 AND id = $2";
}

pub(super) async fn pause(fixture: &InboxFixture, paused: bool) {
    let (workspace, inbox, now) = (fixture.key.workspace, fixture.inbox.id, fixture.server.clock.now());
    let at = paused.then_some(now);
    let work = move |tx: &mut posthouse_store::Tx| -> Result<u64, Error> { tx.exec(&PAUSE, p![workspace, inbox, at]) };
    fixture.server.store().write(work).await.unwrap();
}

#[tokio::test]
async fn a_stopped_or_suspended_workspace_sends_nothing() {
    let fixture = InboxFixture::open().await;
    for (stopped, suspended) in [(true, true), (false, true)] {
        let (id, now) = (fixture.key.workspace, fixture.server.clock.now());
        let change = move |tx: &mut posthouse_store::Tx| -> Result<(), Error> {
            let mut workspace = workspaces::get(tx, id)?.unwrap();
            workspace.stopped_at = stopped.then_some(now);
            workspace.suspended = suspended;
            workspaces::update(tx, &workspace)
        };
        fixture.server.store().write(change).await.unwrap();
        let refused = fixture.post("", send_body("sender@agents.localhost")).await;
        // The stop is checked first.
        let refused = if stopped { refused.error("workspace_stopped") } else { refused.error("org_suspended") };
        let code = &refused["error"]["code"];
        let decision = fixture.post("?dry_run=true", send_body("sender@agents.localhost")).await.expect(200);
        assert_eq!(&decision["refusal"]["code"], code);
    }
    assert_eq!(fixture.newest_message(&fixture.inbox).await, json!(null), "nothing is stored");
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_temporary_inbox_only_receives() {
    let fixture = InboxFixture::open().await;
    let (workspace, inbox) = (fixture.key.workspace, fixture.inbox.id);
    let end = fixture.server.clock.now().plus_ms(DAY_MS);
    let work =
        move |tx: &mut posthouse_store::Tx| -> Result<u64, Error> { tx.exec(&TEMPORARY, p![workspace, inbox, end]) };
    fixture.server.store().write(work).await.unwrap();
    fixture.post("", send_body("sender@agents.localhost")).await.error("temporary_inbox_receive_only");
    fixture.server.finish().await;
}

#[tokio::test]
async fn one_suppressed_recipient_rejects_the_whole_message() {
    let fixture = InboxFixture::open().await;
    let suppression = Suppression {
        workspace: fixture.key.workspace,
        address: "dana@elsewhere.example".to_owned(),
        reason: SuppressionReason::Bounce,
        detail: None,
        message: None,
        created_at: fixture.server.clock.now(),
    };
    let suppression_copy = suppression.clone();
    let work = move |tx: &mut posthouse_store::Tx| suppressions::insert(tx, &suppression_copy);
    assert!(fixture.server.store().write(work).await.unwrap());
    let body = json!({ "to": ["eve@b.example", "Dana@Elsewhere.example"], "subject": "x", "text": "y" });
    let refused = fixture.post("", body.clone()).await.error("recipient_suppressed");
    assert_eq!(refused["error"]["details"]["addresses"], json!(["dana@elsewhere.example"]));
    let decision = fixture.post("?dry_run=true", body.clone()).await.expect(200);
    assert_eq!(decision["allowed"], false);
    assert_eq!(decision["recipients"][0]["suppressed"], false);
    assert_eq!(decision["recipients"][1]["suppressed"], true);
    let work =
        move |tx: &mut posthouse_store::Tx| suppressions::remove(tx, suppression.workspace, &suppression.address);
    assert!(fixture.server.store().write(work).await.unwrap());
    fixture.post("", body).await.expect(202);
    fixture.close_queued().await;
}

#[tokio::test]
async fn limits_count_sent_messages_and_reset() {
    let limits = ServerOptions::default().configure(|config| {
        config.plans.team.sends_per_5_minutes = Some(2);
        config.plans.team.daily_sends_per_inbox = Some(3);
        config.plans.team.daily_sends = Some(4);
        config.plans.team.emails_per_month = Some(5);
    });
    let fixture = InboxFixture::with(limits).await;
    let other = super::inbox(&fixture.server, &fixture.key, "other").await;
    let path = format!("/v1/inboxes/{}/messages", other.id);
    let body = || send_body("sender@agents.localhost");
    fixture.post("", body()).await.expect(202);
    fixture.server.advance(MINUTE_MS).await;
    fixture.post("", body()).await.expect(202);
    let refused = fixture.post("", body()).await.error("rate_limited");
    assert_eq!(refused["error"]["details"]["limit"], "sends_per_5min");
    assert_eq!(refused.header("retry-after"), Some("241"));
    fixture.server.advance(5 * MINUTE_MS).await;
    fixture.post("", body()).await.expect(202);
    fixture.post("", body()).await.error("daily_send_limit_exceeded");
    fixture.api.post(&path, body()).await.expect(202);
    fixture.server.advance(5 * MINUTE_MS).await;
    fixture.api.post(&path, body()).await.error("org_daily_limit_exceeded");
    let decision = fixture.api.post(&format!("{path}?dry_run=true"), body()).await.expect(200);
    let left = json!({ "emails_per_month": 1, "daily_sends_per_inbox": 2, "daily_sends": 0, "sends_per_5_minutes": 2 });
    assert_eq!(decision["limits_left"], left);
    fixture.server.advance(DAY_MS).await;
    fixture.api.post(&path, body()).await.expect(202);
    fixture.api.post(&path, body()).await.error("plan_limit_emails");
    fixture.server.finish().await;
}

/// Concurrent sends must not both use the last unit of a limit.
#[tokio::test]
async fn concurrent_sends_do_not_exceed_a_limit() {
    let limits = ServerOptions::default().configure(|config| config.plans.team.emails_per_month = Some(3));
    let fixture = InboxFixture::with(limits).await;
    let mut sends = tokio::task::JoinSet::new();
    for _ in 0..12 {
        let (api, path) = (fixture.api.clone(), fixture.messages(""));
        sends.spawn(async move { api.post(&path, send_body("sender@agents.localhost")).await.status });
    }
    let statuses = sends.join_all().await;
    assert_eq!(statuses.iter().filter(|status| **status == 202).count(), 3, "{statuses:?}");
    assert_eq!(statuses.iter().filter(|status| **status == 402).count(), 9, "{statuses:?}");
    fixture.server.finish().await;
}
