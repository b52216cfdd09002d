//! Anybody who had got a mail beside others could write a delivery report about it, with any return path, and its recipients were
//! bounced and suppressed. Only the return path of the message proves a report; one that names the Message-ID must come from
//! where reports come from (RFC 3464 §2, RFC 5321 §4.5.5).

use posthouse_tests::{TestServer, http::Api};
use reqwest::Method;
use serde_json::{Value, json};

use super::bounce_at_another_address_ignored::{dsn, message, sent, start, types};

/// Delivers a mail that comes from that sender.
async fn arrives_from(server: &TestServer, from: &str, to: &str, mail: &str) {
    let path = format!("/dev/inbound?to={}&from={from}", to.replace('+', "%2B"));
    let mail = mail.replace('\n', "\r\n");
    server.anonymous().raw(Method::POST, &path, "message/rfc822", mail).await.expect(201);
}

/// The labels of the newest mail of the inbox.
async fn labels(api: &Api, inbox: &str) -> Vec<String> {
    let list = api.get(&format!("/v1/inboxes/{inbox}/messages?direction=inbound&limit=1")).await.expect(200);
    serde_json::from_value(list.data()[0]["labels"].clone()).unwrap()
}

fn complaint(about: &str) -> String {
    format!(
        "From: feedback@x.example\nSubject: Complaint\nMIME-Version: 1.0\n\
         Content-Type: multipart/report; report-type=feedback-report; boundary=\"b\"\n\n\
         --b\n\nA complaint.\n--b\nContent-Type: message/feedback-report\n\nFeedback-Type: abuse\nVersion: 1\n\n\
         --b\nContent-Type: text/rfc822-headers\n\nMessage-ID: {about}\n\n--b--\n"
    )
}

#[tokio::test]
async fn a_stranger_bounces_nobody() {
    let (server, api, inbox) = start().await;
    let (mail, _) = sent(&server, &api, &inbox, json!(["bob@x.example", "eve@evil.example"])).await;
    let about = mail["rfc_message_id"].as_str().unwrap();
    server.dns.txt("x.example", "v=spf1 -all");
    server.dns.txt("_dmarc.strict.example", "v=DMARC1; p=none");
    let report = dsn(about, "bob@x.example", "failed", "5.1.1");
    let strict = report.replace("postmaster@mx.x.example", "postmaster@strict.example");
    for (from, report, label) in [
        ("eve@evil.example", &report, None),
        ("postmaster@x.example", &report, Some("spf-fail")),
        ("", &strict, Some("dmarc-fail")),
    ] {
        arrives_from(&server, from, &inbox.address, report).await;
        let labels = labels(&api, &inbox.id.to_string()).await;
        assert_eq!(labels, label.into_iter().collect::<Vec<_>>(), "it is mail like any other: {from}");
    }
    let after = message(&api, &mail).await;
    assert_eq!((&after["status"], &after["delivery"][0]["status"]), (&json!("sent"), &json!("sent")));
    assert_eq!(types(&api).await, ["message.sent", "message.received", "message.received", "message.received"]);
    assert_eq!(api.get("/v1/suppressions").await.expect(200).data().len(), 0);
    server.finish().await;
}

#[tokio::test]
async fn a_server_reports_about_recipients_of_its_own_house_alone() {
    let (server, api, inbox) = start().await;
    let to = json!(["bob@x.example", "eve@y.example"]);
    let (mail, _) = sent(&server, &api, &inbox, to).await;
    let about = mail["rfc_message_id"].as_str().unwrap();
    let both = dsn(about, "bob@x.example", "failed", "5.1.1").replace(
        "Status: 5.1.1\n\n",
        "Status: 5.1.1\n\nFinal-Recipient: rfc822; eve@y.example\nAction: failed\nStatus: 5.1.1\n\n",
    );
    arrives_from(&server, "mailer@mx.x.example", &inbox.address, &both).await;
    let after = message(&api, &mail).await;
    let told = |n: usize| after["delivery"][n]["status"].clone();
    assert_eq!((told(0), told(1)), (json!("bounced"), json!("sent")));
    arrives_from(&server, "", &inbox.address, &both).await;
    let after: Value = message(&api, &mail).await;
    assert_eq!(after["delivery"][1]["status"], "bounced", "the empty return path speaks for every server");
    assert_eq!(types(&api).await, ["message.sent", "message.bounced", "message.bounced"]);
    server.finish().await;
}

#[tokio::test]
async fn the_return_path_of_the_message_proves_a_report_whoever_sends_it() {
    let (server, api, inbox) = start().await;
    let (mail, path) = sent(&server, &api, &inbox, json!("bob@x.example")).await;
    server.dns.txt("hosted.example", "v=spf1 -all");
    let about = mail["rfc_message_id"].as_str().unwrap();
    arrives_from(&server, "a@hosted.example", &path, &dsn(about, "bob@x.example", "failed", "5.1.1")).await;
    assert_eq!(message(&api, &mail).await["status"], "bounced");
    assert_eq!(labels(&api, &inbox.id.to_string()).await, ["spf-fail", "bounce-report"]);
    server.finish().await;
}

#[tokio::test]
async fn a_complaint_counts_unless_its_sender_is_forged() {
    let (server, api, inbox) = start().await;
    let (mail, _) = sent(&server, &api, &inbox, json!("bob@x.example")).await;
    let report = complaint(mail["rfc_message_id"].as_str().unwrap());
    server.dns.txt("forged.example", "v=spf1 -all");
    arrives_from(&server, "feedback@forged.example", &inbox.address, &report).await;
    assert_eq!(message(&api, &mail).await["status"], "sent");
    arrives_from(&server, "feedback@provider.example", &inbox.address, &report).await;
    assert_eq!(message(&api, &mail).await["status"], "complained");
    server.finish().await;
}
