//! Any mail of postmaster@ or mailer-daemon@, and any mail with an empty return path and a subject that mentions
//! delivery, counted as a report when it arrived at a return path: it bounced the message and had no
//! `message.received`. Now only the structure of a report, or a text that names a failed recipient, is a report.

use serde_json::json;

use super::bounce_at_another_address_was_ignored::{arrives, message, sent, start, types};

#[tokio::test]
async fn ordinary_mail_of_a_mail_system_is_announced() {
    let (server, api, inbox) = start().await;
    let (mail, path) = sent(&server, &api, &inbox, json!("bob@x.example")).await;
    let mails = [
        ("postmaster@x.example", "Maintenance", "The mail server will be slower on Sunday.", None),
        ("MAILER-DAEMON@x.example", "Welcome", "Questions? Write to support@x.example.", Some("unverified-report")),
        ("care@parcel.example", "Delivery failed", "Nobody was at home. Write to us.", Some("unverified-report")),
        ("eve@x.example", "Out of office", "I am away. Write to bob@x.example.", None),
    ];
    for (from, subject, text, label) in mails {
        let raw = format!("From: {from}\nSubject: {subject}\n\n{text}\n");
        assert_eq!(arrives(&server, &path, &raw).await, 201);
        let list = api.get(&format!("/v1/inboxes/{}/messages?direction=inbound&limit=1", inbox.id)).await.expect(200);
        let labels: Vec<&str> =
            list.data()[0]["labels"].as_array().unwrap().iter().filter_map(|l| l.as_str()).collect();
        assert_eq!(labels.contains(&"unverified-report"), label.is_some(), "{from} {subject}: {labels:?}");
        assert!(!labels.contains(&"bounce-report"), "{from} {subject}: {labels:?}");
    }
    assert_eq!(message(&api, &mail).await["status"], "sent");
    assert_eq!(types(&api).await, [&["message.sent"][..], &["message.received"; 4]].concat());
    assert_eq!(api.get("/v1/suppressions").await.expect(200).data().len(), 0);
    server.finish().await;
}

/// A text without a reason of a server counts only if it names a recipient of the message.
#[tokio::test]
async fn a_vague_notice_counts_for_the_recipient_that_it_names() {
    let (server, api, inbox) = start().await;
    let (mail, path) = sent(&server, &api, &inbox, json!("bob@x.example")).await;
    let notice = |name: &str| {
        format!(
            "From: MAILER-DAEMON@x.example\nSubject: Notice\n\nYour message could not be delivered to:\n\n  {name}\n"
        )
    };
    arrives(&server, &path, &notice("someone@y.example")).await;
    assert_eq!(message(&api, &mail).await["status"], "sent");
    arrives(&server, &path, &notice("eve (user unknown)")).await;
    assert_eq!(message(&api, &mail).await["status"], "sent");
    arrives(&server, &path, &notice("bob (user unknown)")).await;
    assert_eq!(message(&api, &mail).await["status"], "bounced");
    assert_eq!(types(&api).await, ["message.sent", "message.received", "message.received", "message.bounced"]);
    server.finish().await;
}

/// A temporary refusal, a policy or a blocklist proves nothing about the address, whatever else the report says.
#[tokio::test]
async fn contradicting_evidence_suppresses_nothing() {
    let (server, api, inbox) = start().await;
    for (at, (status, reply)) in [
        ("5.1.3", "550 5.1.3 blocked using zen.spamhaus.org"),
        ("5.1.2", "550 5.1.2 the domain requires TLS"),
        ("5.1.1", "421 4.2.1 account inactive, try again later"),
        ("5.7.1", "550 5.7.1 user unknown"),
        ("4.1.1", "450 4.1.1 user unknown"),
    ]
    .into_iter()
    .enumerate()
    {
        let address = format!("bob{at}@x.example");
        let (mail, path) = sent(&server, &api, &inbox, json!(address)).await;
        let raw = format!(
            "From: MAILER-DAEMON@x.example\nContent-Type: multipart/report; report-type=delivery-status; boundary=b\n\n\
             --b\n\nSorry.\n--b\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; mx.x.example\n\n\
             Final-Recipient: rfc822; {address}\nAction: failed\nStatus: {status}\nDiagnostic-Code: smtp; {reply}\n\n--b--\n"
        );
        arrives(&server, &path, &raw).await;
        assert_eq!(message(&api, &mail).await["status"], "bounced", "{reply}");
        assert_eq!(api.get("/v1/suppressions").await.expect(200).data().len(), 0, "{reply}");
    }
    server.finish().await;
}
