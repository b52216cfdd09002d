//! Rejected submissions: the SMTP reply includes the API's error code.

use posthouse_app::ports::Clock as _;
use posthouse_domain::{
    suppression::{Suppression, SuppressionReason},
    time::DAY_MS,
};
use posthouse_server::config::Configuration;
use posthouse_store::{Error, Tx, keys, p, statements, suppressions, workspaces};
use posthouse_tests::server::ServerOptions;
use serde_json::json;

use super::{InboxFixture, fixture, fixture_with, raw_message};

statements! {
    TEMPORARY = "UPDATE inboxes SET temporary = 1, expires_at = $3 WHERE workspace_id = $1 AND id = $2";
}

#[tokio::test]
async fn the_author_must_be_the_authenticated_inbox() {
    let fixture = fixture().await;
    fixture.server.inbox_named(&fixture.key, "other").await;
    let mut session = fixture.authenticated_session().await;
    for from in ["other@agents.localhost", "", "sam@b.example", "sam+x@b.example"] {
        session.line(&format!("MAIL FROM:<{from}>")).await.expect_enhanced(550, "5.7.1");
    }
    for (from, reply) in [
        ("From: Sam <SAM@Agents.localhost>", "250 2.0.0 Queued"),
        ("From: sam+tag@agents.localhost\r\nSender: sam@agents.localhost", "250 2.0.0 Queued"),
        ("From: other@agents.localhost", "550 5.7.1 forbidden: "),
        ("From: sam@agents.localhost\r\nSender: other@agents.localhost", "550 5.7.1 forbidden: "),
        // An ambiguous author is malformed, regardless of the login.
        (
            "From: sam@agents.localhost <other@agents.localhost>",
            "550 5.6.0 The From header must contain exactly one address",
        ),
        (
            "From: sam@agents.localhost, other@agents.localhost",
            "550 5.6.0 The From header must contain exactly one address",
        ),
        (
            "From: sam@agents.localhost\r\nFrom: other@agents.localhost",
            "550 5.6.0 The header must not have more than one from",
        ),
        ("X-From: sam@agents.localhost", "550 5.6.0 The message has no From header"),
        ("From : sam@agents.localhost", "550 5.6.0 A header field name must be followed directly by a colon"),
        ("From: sam@agents.localhost\r\nF\0rom: other@agents.localhost", "550 5.6.0 The header must not contain NUL"),
    ] {
        let raw = format!("{from}\r\nSubject: x\r\n\r\n\r\n");
        let reply_text = session.mail("sam@agents.localhost", &["dana@b.example"], raw.as_bytes()).await.to_string();
        assert!(reply_text.starts_with(reply), "{from}: {reply_text}");
    }
    fixture.server.settle().await;
    fixture.server.finish().await;
}

async fn change_workspace(
    fixture: &InboxFixture,
    change: impl Fn(&mut posthouse_domain::workspace::Workspace) + Send + Sync + 'static,
) {
    let id = fixture.key.workspace;
    let work = move |tx: &mut Tx| -> Result<(), Error> {
        let mut workspace = workspaces::get(tx, id)?.unwrap();
        change(&mut workspace);
        workspaces::update(tx, &workspace)
    };
    fixture.server.store().write(work).await.unwrap();
}

#[tokio::test]
async fn a_stopped_suspended_or_paused_inbox_sends_nothing() {
    let fixture = fixture().await;
    let now = fixture.server.clock.now();
    let submit = || fixture.submit("dana@b.example", "From: sam@agents.localhost\r\n\r\n\r\n");
    change_workspace(&fixture, move |workspace| workspace.stopped_at = Some(now)).await;
    assert_eq!(submit().await.expect_enhanced(423, "4.7.1").lines, ["4.7.1 workspace_stopped"]);
    change_workspace(&fixture, |workspace| (workspace.stopped_at, workspace.suspended) = (None, true)).await;
    assert!(submit().await.expect_enhanced(550, "5.7.1").lines[0].starts_with("5.7.1 org_suspended: "));
    change_workspace(&fixture, |workspace| workspace.suspended = false).await;
    let inbox = format!("/v1/inboxes/{}", fixture.inbox.id);
    fixture.api.post_empty(&format!("{inbox}/pause")).await.expect(200);
    assert_eq!(submit().await.expect_enhanced(423, "4.7.1").lines, ["4.7.1 inbox_paused"]);
    fixture.api.post_empty(&format!("{inbox}/resume")).await.expect(200);
    let kept = fixture.api.get(&format!("{inbox}/messages")).await.expect(200);
    assert_eq!(kept.data(), [json!(null); 0], "rejected messages are not stored");
    submit().await.expect_enhanced(250, "2.0.0");
    let (workspace, id) = (fixture.key.workspace, fixture.inbox.id);
    let work = move |tx: &mut Tx| -> Result<u64, Error> { tx.exec(&TEMPORARY, p![workspace, id, now.plus_ms(DAY_MS)]) };
    fixture.server.settle().await;
    fixture.server.store().write(work).await.unwrap();
    assert!(submit().await.expect_enhanced(550, "5.7.1").lines[0].starts_with("5.7.1 temporary_inbox_receive_only: "));
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_suppressed_recipient_rejects_the_whole_message() {
    let fixture = fixture().await;
    let suppression = Suppression {
        workspace: fixture.key.workspace,
        address: "dana@b.example".to_owned(),
        reason: SuppressionReason::Bounce,
        detail: None,
        message: None,
        created_at: fixture.server.clock.now(),
    };
    let work = move |tx: &mut Tx| suppressions::insert(tx, &suppression);
    assert!(fixture.server.store().write(work).await.unwrap());
    let mut session = fixture.authenticated_session().await;
    let recipients = ["eve@b.example", "Dana@b.example"];
    let reply = session
        .mail("sam@agents.localhost", &recipients, raw_message("x").as_bytes())
        .await
        .expect_enhanced(550, "5.7.1");
    let text = reply.lines.join(" ");
    assert!(text.contains("recipient_suppressed: ") && text.contains("(dana@b.example)"), "{text}");
    fixture.server.finish().await;
}

async fn with_limits(change: impl FnOnce(&mut Configuration) + 'static) -> InboxFixture {
    fixture_with(ServerOptions::default().configure(change)).await
}

#[tokio::test]
async fn rate_and_daily_limits_are_temporary_errors() {
    for (word, change) in [
        ("daily_send_limit_exceeded", (|c| c.plans.team.daily_sends_per_inbox = Some(1)) as fn(&mut Configuration)),
        ("org_daily_limit_exceeded", |c| c.plans.team.daily_sends = Some(1)),
        ("rate_limited", |c| c.plans.team.sends_per_5_minutes = Some(1)),
    ] {
        let fixture = with_limits(change).await;
        fixture.submit("dana@b.example", &raw_message("one")).await.expect_enhanced(250, "2.0.0");
        let reply = fixture.submit("dana@b.example", &raw_message("two")).await.expect_enhanced(452, "4.7.1");
        assert!(reply.lines[0].starts_with(&format!("4.7.1 {word}: ")), "{reply}");
        fixture.server.clock.advance(DAY_MS);
        fixture.submit("dana@b.example", &raw_message("three")).await.expect_enhanced(250, "2.0.0");
        fixture.server.settle().await;
        fixture.server.finish().await;
    }
    let fixture = with_limits(|config| config.plans.team.emails_per_month = Some(0)).await;
    let reply = fixture.submit("dana@b.example", &raw_message("one")).await.expect_enhanced(550, "5.7.1");
    assert!(reply.lines[0].starts_with("5.7.1 plan_limit_emails: "), "{reply}");
    fixture.server.finish().await;
}

#[tokio::test]
async fn an_oversized_message_is_rejected() {
    let fixture = with_limits(|config| config.message_bytes_max = 2_000).await;
    let large = format!("{}{}", raw_message("x"), "0123456789\r\n".repeat(200));
    fixture.submit("dana@b.example", &large).await.expect_enhanced(552, "5.3.4");
    let mut session = fixture.authenticated_session().await;
    session.line("MAIL FROM:<sam@agents.localhost> SIZE=2001").await.expect_enhanced(552, "5.3.4");
    // Added header fields count toward the size.
    let mut whole = "From: sam@agents.localhost\r\n\r\n".to_owned();
    whole.push_str(&"x".repeat(2_000 - whole.len() - 2));
    whole.push_str("\r\n");
    fixture.submit("dana@b.example", &whole).await.expect_enhanced(552, "5.3.4");
    let mut session = fixture.authenticated_session().await;
    session.line("MAIL FROM:<sam@agents.localhost>").await.expect(250);
    session.line("RCPT TO:<dana@[192.0.2.1]>").await.expect_enhanced(553, "5.1.3");
    for n in 0..50 {
        session.line(&format!("RCPT TO:<r{n}@b.example>")).await.expect_enhanced(250, "2.1.5");
    }
    session.line("RCPT TO:<one@b.example>").await.expect_enhanced(452, "4.5.3");
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_key_revoked_during_the_session_can_no_longer_send() {
    let fixture = fixture().await;
    let mut session = fixture.authenticated_session().await;
    let (id, now) = (fixture.key.id, fixture.server.clock.now());
    fixture.server.store().write(move |tx| keys::revoke(tx, id, now)).await.unwrap();
    let reply = session.mail("sam@agents.localhost", &["dana@b.example"], raw_message("x").as_bytes()).await;
    assert!(reply.expect_enhanced(550, "5.7.1").lines[0].starts_with("5.7.1 unauthorized: "));
    fixture.server.finish().await;
}
