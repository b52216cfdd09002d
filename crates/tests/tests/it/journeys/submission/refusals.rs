//! What is not taken, and in which words: the codes of the API behind those of SMTP (decision 16).

use posthouse_domain::time::DAY_MS;
use posthouse_server::{config::Config, ports::Clock as _};
use posthouse_store::{
    Error, Tx, keys, p, statements,
    suppressions::{self, Reason, Suppression},
    workspaces,
};
use posthouse_tests::server::Options;
use serde_json::json;

use super::{Desk, letter, office, office_with};

statements! {
    TEMPORARY = "UPDATE inboxes SET temporary = 1, expires_at = $3 WHERE workspace_id = $1 AND id = $2";
}

#[tokio::test]
async fn the_author_is_the_inbox_that_logged_in() {
    let office = office().await;
    office.server.inbox_named(&office.key, "other").await;
    let mut session = office.logged_in().await;
    for from in ["other@agents.localhost", "", "sam@b.example", "sam+x@b.example"] {
        session.line(&format!("MAIL FROM:<{from}>")).await.says(550, "5.7.1");
    }
    for (from, reply) in [
        ("From: Sam <SAM@Agents.localhost>", "250 2.0.0 Queued"),
        ("From: sam+tag@agents.localhost\r\nSender: sam@agents.localhost", "250 2.0.0 Queued"),
        ("From: other@agents.localhost", "550 5.7.1 forbidden: "),
        ("From: sam@agents.localhost\r\nSender: other@agents.localhost", "550 5.7.1 forbidden: "),
        // What can be read in two ways is malformed, whoever logged in.
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
        ("From : sam@agents.localhost", "550 5.6.0 A header field name must be followed by its colon"),
        ("From: sam@agents.localhost\r\nF\0rom: other@agents.localhost", "550 5.6.0 The header must not contain NUL"),
    ] {
        let raw = format!("{from}\r\nSubject: x\r\n\r\n\r\n");
        let said = session.mail("sam@agents.localhost", &["dana@b.example"], raw.as_bytes()).await.to_string();
        assert!(said.starts_with(reply), "{from}: {said}");
    }
    office.server.settle().await;
    office.server.finish().await;
}

async fn change_workspace(
    office: &Desk,
    change: impl Fn(&mut posthouse_domain::workspace::Workspace) + Send + Sync + 'static,
) {
    let id = office.key.workspace;
    let work = move |tx: &mut Tx| -> Result<(), Error> {
        let mut workspace = workspaces::get(tx, id)?.unwrap();
        change(&mut workspace);
        workspaces::update(tx, &workspace)
    };
    office.server.store().write(work).await.unwrap();
}

#[tokio::test]
async fn a_stopped_suspended_or_paused_one_sends_nothing() {
    let office = office().await;
    let now = office.server.clock.now();
    let hand_in = || office.hand_in("dana@b.example", "From: sam@agents.localhost\r\n\r\n\r\n");
    change_workspace(&office, move |workspace| workspace.stopped_at = Some(now)).await;
    assert_eq!(hand_in().await.says(423, "4.7.1").lines, ["4.7.1 workspace_stopped"]);
    change_workspace(&office, |workspace| (workspace.stopped_at, workspace.suspended) = (None, true)).await;
    assert!(hand_in().await.says(550, "5.7.1").lines[0].starts_with("5.7.1 org_suspended: "));
    change_workspace(&office, |workspace| workspace.suspended = false).await;
    let inbox = format!("/v1/inboxes/{}", office.inbox.id);
    office.api.post_empty(&format!("{inbox}/pause")).await.expect(200);
    assert_eq!(hand_in().await.says(423, "4.7.1").lines, ["4.7.1 inbox_paused"]);
    office.api.post_empty(&format!("{inbox}/resume")).await.expect(200);
    let kept = office.api.get(&format!("{inbox}/messages")).await.expect(200);
    assert_eq!(kept.data(), [json!(null); 0], "nothing is stored of what was refused");
    hand_in().await.says(250, "2.0.0");
    let (workspace, id) = (office.key.workspace, office.inbox.id);
    let work = move |tx: &mut Tx| -> Result<u64, Error> { tx.exec(&TEMPORARY, p![workspace, id, now.plus_ms(DAY_MS)]) };
    office.server.settle().await;
    office.server.store().write(work).await.unwrap();
    assert!(hand_in().await.says(550, "5.7.1").lines[0].starts_with("5.7.1 temporary_inbox_receive_only: "));
    office.server.finish().await;
}

#[tokio::test]
async fn a_suppressed_recipient_refuses_the_whole_message() {
    let office = office().await;
    let suppression = Suppression {
        workspace: office.key.workspace,
        address: "dana@b.example".to_owned(),
        reason: Reason::Bounce,
        detail: None,
        message: None,
        created_at: office.server.clock.now(),
    };
    let work = move |tx: &mut Tx| suppressions::insert(tx, &suppression);
    assert!(office.server.store().write(work).await.unwrap());
    let mut session = office.logged_in().await;
    let recipients = ["eve@b.example", "Dana@b.example"];
    let reply = session.mail("sam@agents.localhost", &recipients, letter("x").as_bytes()).await.says(550, "5.7.1");
    let text = reply.lines.join(" ");
    assert!(text.contains("recipient_suppressed: ") && text.contains("(dana@b.example)"), "{text}");
    office.server.finish().await;
}

async fn limited(change: impl FnOnce(&mut Config) + 'static) -> Desk {
    office_with(Options::default().configure(change)).await
}

#[tokio::test]
async fn limits_of_time_are_temporary() {
    for (word, change) in [
        ("daily_send_limit_exceeded", (|c| c.plans.team.daily_sends_per_inbox = Some(1)) as fn(&mut Config)),
        ("org_daily_limit_exceeded", |c| c.plans.team.daily_sends = Some(1)),
        ("rate_limited", |c| c.plans.team.sends_per_5_minutes = Some(1)),
    ] {
        let office = limited(change).await;
        office.hand_in("dana@b.example", &letter("one")).await.says(250, "2.0.0");
        let reply = office.hand_in("dana@b.example", &letter("two")).await.says(452, "4.7.1");
        assert!(reply.lines[0].starts_with(&format!("4.7.1 {word}: ")), "{reply}");
        office.server.clock.advance(DAY_MS);
        office.hand_in("dana@b.example", &letter("three")).await.says(250, "2.0.0");
        office.server.settle().await;
        office.server.finish().await;
    }
    let office = limited(|config| config.plans.team.emails_per_month = Some(0)).await;
    let reply = office.hand_in("dana@b.example", &letter("one")).await.says(550, "5.7.1");
    assert!(reply.lines[0].starts_with("5.7.1 plan_limit_emails: "), "{reply}");
    office.server.finish().await;
}

#[tokio::test]
async fn what_is_too_large_is_told_so() {
    let office = limited(|config| config.smtp.message_bytes_max = 2_000).await;
    let large = format!("{}{}", letter("x"), "0123456789\r\n".repeat(200));
    office.hand_in("dana@b.example", &large).await.says(552, "5.3.4");
    let mut session = office.logged_in().await;
    session.line("MAIL FROM:<sam@agents.localhost> SIZE=2001").await.says(552, "5.3.4");
    // What is added counts, too.
    let mut whole = "From: sam@agents.localhost\r\n\r\n".to_owned();
    whole.push_str(&"x".repeat(2_000 - whole.len() - 2));
    whole.push_str("\r\n");
    office.hand_in("dana@b.example", &whole).await.says(552, "5.3.4");
    let mut session = office.logged_in().await;
    session.line("MAIL FROM:<sam@agents.localhost>").await.expect(250);
    session.line("RCPT TO:<dana@[192.0.2.1]>").await.says(553, "5.1.3");
    for n in 0..50 {
        session.line(&format!("RCPT TO:<r{n}@b.example>")).await.says(250, "2.1.5");
    }
    session.line("RCPT TO:<one@b.example>").await.says(452, "4.5.3");
    office.server.finish().await;
}

#[tokio::test]
async fn a_key_that_is_revoked_meanwhile_sends_no_more() {
    let office = office().await;
    let mut session = office.logged_in().await;
    let (id, now) = (office.key.id, office.server.clock.now());
    office.server.store().write(move |tx| keys::revoke(tx, id, now)).await.unwrap();
    let reply = session.mail("sam@agents.localhost", &["dana@b.example"], letter("x").as_bytes()).await;
    assert!(reply.says(550, "5.7.1").lines[0].starts_with("5.7.1 unauthorized: "));
    office.server.finish().await;
}
