//! What the gate refuses, read from the rows in the transaction of the send (decisions 14, 15 and 29).

use posthouse_domain::time::{DAY_MS, MINUTE_MS};
use posthouse_server::ports::Clock as _;
use posthouse_store::{
    Error, p, statements,
    suppressions::{self, Reason, Suppression},
    workspaces,
};
use posthouse_tests::server::Options;
use serde_json::json;

use super::{Desk, letter};

statements! {
    PAUSE = "UPDATE inboxes SET paused_at = $3 WHERE workspace_id = $1 AND id = $2";
    TEMPORARY = "UPDATE inboxes SET temporary = 1, expires_at = $3 WHERE workspace_id = $1 AND id = $2";
}

pub(super) async fn pause(desk: &Desk, paused: bool) {
    let (workspace, inbox, now) = (desk.key.workspace, desk.inbox.id, desk.server.clock.now());
    let at = paused.then_some(now);
    let work = move |tx: &mut posthouse_store::Tx| -> Result<u64, Error> { tx.exec(&PAUSE, p![workspace, inbox, at]) };
    desk.server.store().write(work).await.unwrap();
}

#[tokio::test]
async fn a_stopped_or_suspended_workspace_sends_nothing() {
    let desk = Desk::open().await;
    for (stopped, suspended) in [(true, true), (false, true)] {
        let (id, now) = (desk.key.workspace, desk.server.clock.now());
        let change = move |tx: &mut posthouse_store::Tx| -> Result<(), Error> {
            let mut workspace = workspaces::get(tx, id)?.unwrap();
            workspace.stopped_at = stopped.then_some(now);
            workspace.suspended = suspended;
            workspaces::update(tx, &workspace)
        };
        desk.server.store().write(change).await.unwrap();
        let refused = desk.post("", letter("sender@agents.localhost")).await;
        // The stop comes first in the order of decision 14.
        let refused = if stopped { refused.error("workspace_stopped") } else { refused.error("org_suspended") };
        let code = &refused["error"]["code"];
        let decision = desk.post("?dry_run=true", letter("sender@agents.localhost")).await.expect(200);
        assert_eq!(&decision["refusal"]["code"], code);
    }
    assert_eq!(desk.newest(&desk.inbox).await, json!(null), "nothing is stored");
    desk.server.finish().await;
}

#[tokio::test]
async fn a_temporary_inbox_only_receives() {
    let desk = Desk::open().await;
    let (workspace, inbox) = (desk.key.workspace, desk.inbox.id);
    let end = desk.server.clock.now().plus_ms(DAY_MS);
    let work =
        move |tx: &mut posthouse_store::Tx| -> Result<u64, Error> { tx.exec(&TEMPORARY, p![workspace, inbox, end]) };
    desk.server.store().write(work).await.unwrap();
    desk.post("", letter("sender@agents.localhost")).await.error("temporary_inbox_receive_only");
    desk.server.finish().await;
}

#[tokio::test]
async fn one_suppressed_recipient_refuses_the_whole_message() {
    let desk = Desk::open().await;
    let suppression = Suppression {
        workspace: desk.key.workspace,
        address: "dana@elsewhere.example".to_owned(),
        reason: Reason::Bounce,
        detail: None,
        message: None,
        created_at: desk.server.clock.now(),
    };
    let stored = suppression.clone();
    let work = move |tx: &mut posthouse_store::Tx| suppressions::insert(tx, &stored);
    assert!(desk.server.store().write(work).await.unwrap());
    let body = json!({ "to": ["eve@b.example", "Dana@Elsewhere.example"], "subject": "x", "text": "y" });
    let refused = desk.post("", body.clone()).await.error("recipient_suppressed");
    assert_eq!(refused["error"]["details"]["addresses"], json!(["dana@elsewhere.example"]));
    let decision = desk.post("?dry_run=true", body.clone()).await.expect(200);
    assert_eq!(decision["allowed"], false);
    assert_eq!(decision["recipients"][0]["suppressed"], false);
    assert_eq!(decision["recipients"][1]["suppressed"], true);
    let work =
        move |tx: &mut posthouse_store::Tx| suppressions::remove(tx, suppression.workspace, &suppression.address);
    assert!(desk.server.store().write(work).await.unwrap());
    desk.post("", body).await.expect(202);
    desk.close_queued().await;
}

#[tokio::test]
async fn limits_count_what_was_sent_and_reset() {
    let limits = Options::default().configure(|config| {
        config.plans.team.sends_per_5_minutes = Some(2);
        config.plans.team.daily_sends_per_inbox = Some(3);
        config.plans.team.daily_sends = Some(4);
        config.plans.team.emails_per_month = Some(5);
    });
    let desk = Desk::with(limits).await;
    let other = super::inbox(&desk.server, &desk.key, "other").await;
    let path = format!("/v1/inboxes/{}/messages", other.id);
    let body = || letter("sender@agents.localhost");
    desk.post("", body()).await.expect(202);
    desk.server.advance(MINUTE_MS).await;
    desk.post("", body()).await.expect(202);
    let refused = desk.post("", body()).await.error("rate_limited");
    assert_eq!(refused["error"]["details"]["limit"], "sends_per_5min");
    assert_eq!(refused.header("retry-after"), Some("241"));
    desk.server.advance(5 * MINUTE_MS).await;
    desk.post("", body()).await.expect(202);
    desk.post("", body()).await.error("daily_send_limit_exceeded");
    desk.api.post(&path, body()).await.expect(202);
    desk.server.advance(5 * MINUTE_MS).await;
    desk.api.post(&path, body()).await.error("org_daily_limit_exceeded");
    let decision = desk.api.post(&format!("{path}?dry_run=true"), body()).await.expect(200);
    let left = json!({ "emails_per_month": 1, "daily_sends_per_inbox": 2, "daily_sends": 0, "sends_per_5_minutes": 2 });
    assert_eq!(decision["limits_left"], left);
    desk.server.advance(DAY_MS).await;
    desk.api.post(&path, body()).await.expect(202);
    desk.api.post(&path, body()).await.error("plan_limit_emails");
    desk.server.finish().await;
}

/// Sends that are under way at the same time must not both take the last place.
#[tokio::test]
async fn the_last_place_is_taken_once() {
    let limits = Options::default().configure(|config| config.plans.team.emails_per_month = Some(3));
    let desk = Desk::with(limits).await;
    let mut sends = tokio::task::JoinSet::new();
    for _ in 0..12 {
        let (api, path) = (desk.api.clone(), desk.messages(""));
        sends.spawn(async move { api.post(&path, letter("sender@agents.localhost")).await.status });
    }
    let statuses = sends.join_all().await;
    assert_eq!(statuses.iter().filter(|status| **status == 202).count(), 3, "{statuses:?}");
    assert_eq!(statuses.iter().filter(|status| **status == 402).count(), 9, "{statuses:?}");
    desk.server.finish().await;
}
