//! Anyone who had received a message with other recipients could send a delivery report about it from any return path,
//! and its recipients were bounced and suppressed. Anyone who knew a Message-ID could complain about it with an empty
//! return path, or from any domain without a policy, and so suspend another tenant. Now only the recipient's return
//! path proves a report. A report that names the Message-ID must be authenticated as coming from the recipient's domain
//! (RFC 3464, RFC 5965).

use posthouse_domain::plan::Plan;
use posthouse_tests::{TestServer, http::Api};
use reqwest::Method;
use serde_json::{Value, json};

use super::bounce_at_another_address_was_ignored::{dsn, message, sent, sent_to_all, start, types};

/// Delivers a message from this envelope sender.
async fn receive_from(server: &TestServer, from: &str, to: &str, mail: &str) {
    let path = format!("/dev/inbound?to={}&from={from}", to.replace('+', "%2B"));
    let mail = mail.replace('\n', "\r\n");
    server.anonymous().raw(Method::POST, &path, "message/rfc822", mail).await.expect(201);
}

/// Returns the labels of the newest message of the inbox.
async fn labels(api: &Api, inbox: &str) -> Vec<String> {
    let list = api.get(&format!("/v1/inboxes/{inbox}/messages?direction=inbound&limit=1")).await.expect(200);
    serde_json::from_value(list.data()[0]["labels"].clone()).unwrap()
}

fn complaint(about: &str, recipient: &str) -> String {
    format!(
        "From: feedback@provider.example\nSubject: Complaint\nMIME-Version: 1.0\n\
         Content-Type: multipart/report; report-type=feedback-report; boundary=\"b\"\n\n\
         --b\n\nA complaint.\n--b\nContent-Type: message/feedback-report\n\nFeedback-Type: abuse\nVersion: 1\n\
         Original-Rcpt-To: <{recipient}>\n\n\
         --b\nContent-Type: text/rfc822-headers\n\nMessage-ID: {about}\n\n--b--\n"
    )
}

#[tokio::test]
async fn an_unrelated_sender_bounces_nothing() {
    let (server, api, inbox) = start().await;
    let (mail, _) = sent(&server, &api, &inbox, json!(["bob@x.example", "eve@evil.example"])).await;
    let about = mail["rfc_message_id"].as_str().unwrap();
    server.dns.txt("x.example", "v=spf1 -all");
    server.dns.txt("_dmarc.strict.example", "v=DMARC1; p=none");
    let report = dsn(about, "bob@x.example", "failed", "5.1.1");
    let strict = report.replace("postmaster@mx.x.example", "postmaster@strict.example");
    for (from, report, label) in [
        ("eve@evil.example", &report, None),
        ("", &report, None),
        ("postmaster@x.example", &report, Some("spf-fail")),
        ("", &strict, Some("dmarc-fail")),
    ] {
        receive_from(&server, from, &inbox.address, report).await;
        let labels = labels(&api, &inbox.id.to_string()).await;
        let expected: Vec<&str> = label.into_iter().chain(["unverified-report"]).collect();
        assert_eq!(labels, expected, "it is an ordinary message: {from}");
    }
    let after = message(&api, &mail).await;
    assert_eq!((&after["status"], &after["delivery"][0]["status"]), (&json!("sent"), &json!("sent")));
    let received = ["message.received"; 4];
    assert_eq!(types(&api).await, [&["message.sent"][..], &received[..]].concat());
    assert_eq!(api.get("/v1/suppressions").await.expect(200).data().len(), 0);
    server.finish().await;
}

/// It is a system label, which an agent can neither add nor remove.
#[tokio::test]
async fn the_unverified_report_label_can_not_be_changed() {
    let (server, api, inbox) = start().await;
    let report = dsn("<unknown@x.example>", "bob@x.example", "failed", "5.1.1");
    receive_from(&server, "", &inbox.address, &report).await;
    let list = api.get(&format!("/v1/inboxes/{}/messages", inbox.id)).await.expect(200);
    let path = format!("/v1/messages/{}", list.data()[0]["id"].as_str().unwrap());
    for change in ["add_labels", "remove_labels"] {
        api.patch(&path, json!({ change: ["unverified-report"] })).await.error("invalid_request");
    }
    server.finish().await;
}

#[tokio::test]
async fn a_server_can_only_report_recipients_of_its_own_domain() {
    let (server, api, inbox) = start().await;
    let to = json!(["bob@x.example", "eve@y.example"]);
    let (mail, paths) = sent_to_all(&server, &api, &inbox, to).await;
    server.dns.txt("x.example", "v=spf1 ip4:127.0.0.1 -all");
    let about = mail["rfc_message_id"].as_str().unwrap();
    let both = dsn(about, "bob@x.example", "failed", "5.1.1").replace("mx.x.example>", "x.example>").replace(
        "Status: 5.1.1\n\n",
        "Status: 5.1.1\n\nFinal-Recipient: rfc822; eve@y.example\nAction: failed\nStatus: 5.1.1\n\n",
    );
    receive_from(&server, "postmaster@x.example", &inbox.address, &both).await;
    let after = message(&api, &mail).await;
    let status_of = |n: usize| after["delivery"][n]["status"].clone();
    assert_eq!((status_of(0), status_of(1)), (json!("bounced"), json!("sent")));
    receive_from(&server, "", &paths[1], &both).await;
    let after: Value = message(&api, &mail).await;
    assert_eq!(after["delivery"][1]["status"], "bounced", "the return path proves a report about its recipient");
    assert_eq!(types(&api).await, ["message.sent", "message.bounced", "message.bounced"]);
    server.finish().await;
}

#[tokio::test]
async fn the_return_path_proves_a_report_of_any_sender() {
    let (server, api, inbox) = start().await;
    let (mail, path) = sent(&server, &api, &inbox, json!("bob@x.example")).await;
    server.dns.txt("hosted.example", "v=spf1 -all");
    let about = mail["rfc_message_id"].as_str().unwrap();
    receive_from(&server, "a@hosted.example", &path, &dsn(about, "bob@x.example", "failed", "5.1.1")).await;
    assert_eq!(message(&api, &mail).await["status"], "bounced");
    assert_eq!(labels(&api, &inbox.id.to_string()).await, ["spf-fail", "bounce-report"]);
    server.finish().await;
}

/// The reported attack: complaints about known Message-IDs to any inbox of the service.
#[tokio::test]
async fn known_message_ids_do_not_suffice_to_suspend_a_tenant() {
    let (server, api, inbox) = start().await;
    let other = server.workspace(Plan::Team).await;
    let stranger = server.inbox(&other).await;
    let mut mails = Vec::new();
    for n in 0..20 {
        let recipient = format!("bob{n}@x.example");
        let (mail, _) = sent(&server, &api, &inbox, json!(recipient)).await;
        mails.push((mail, recipient));
    }
    server.dns.txt("forged.example", "v=spf1 -all");
    server.dns.txt("provider.example", "v=spf1 ip4:127.0.0.1 -all");
    let abuse = "abuse@agents.localhost";
    for (n, (mail, recipient)) in mails.iter().enumerate() {
        let report = complaint(mail["rfc_message_id"].as_str().unwrap(), recipient);
        let from = ["", "feedback@forged.example", "feedback@provider.example", "eve@x.example"][n % 4];
        for to in [&inbox.address, &stranger.address, abuse] {
            receive_from(&server, from, to, &report).await;
        }
        assert_eq!(message(&api, mail).await["status"], "sent", "{from}");
    }
    assert_eq!(api.get("/v1/account").await.expect(200)["workspace"]["status"], "active");
    assert_eq!(api.get("/v1/suppressions").await.expect(200).data().len(), 0);
    assert_eq!(api.get("/v1/metrics").await.expect(200)["totals"]["complained"], 0);
    assert!(!types(&api).await.contains(&"message.complained".to_owned()));
    server.finish().await;
}
