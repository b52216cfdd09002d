//! Anybody who had got a mail beside others could write a delivery report about it, with any return path, and its recipients were
//! bounced and suppressed; anybody who knew a Message-ID could complain about it from an empty return path, or from any domain
//! without a policy, and so suspend another tenant. Only the return path of the recipient proves a report; one that names the
//! Message-ID must come from the recipient's side, and be proven to (RFC 3464, RFC 5965).

use posthouse_domain::plan::Plan;
use posthouse_tests::{TestServer, http::Api};
use reqwest::Method;
use serde_json::{Value, json};

use super::bounce_at_another_address_ignored::{dsn, message, sent, sent_to_all, start, types};

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
        ("", &report, None),
        ("postmaster@x.example", &report, Some("spf-fail")),
        ("", &strict, Some("dmarc-fail")),
    ] {
        arrives_from(&server, from, &inbox.address, report).await;
        let labels = labels(&api, &inbox.id.to_string()).await;
        let expected: Vec<&str> = label.into_iter().chain(["unverified-report"]).collect();
        assert_eq!(labels, expected, "it is mail like any other: {from}");
    }
    let after = message(&api, &mail).await;
    assert_eq!((&after["status"], &after["delivery"][0]["status"]), (&json!("sent"), &json!("sent")));
    let received = ["message.received"; 4];
    assert_eq!(types(&api).await, [&["message.sent"][..], &received[..]].concat());
    assert_eq!(api.get("/v1/suppressions").await.expect(200).data().len(), 0);
    server.finish().await;
}

/// The label is the system's: an agent can neither give it nor take it away.
#[tokio::test]
async fn the_label_of_an_unverified_report_stays() {
    let (server, api, inbox) = start().await;
    let report = dsn("<unknown@x.example>", "bob@x.example", "failed", "5.1.1");
    arrives_from(&server, "", &inbox.address, &report).await;
    let list = api.get(&format!("/v1/inboxes/{}/messages", inbox.id)).await.expect(200);
    let path = format!("/v1/messages/{}", list.data()[0]["id"].as_str().unwrap());
    for change in ["add_labels", "remove_labels"] {
        api.patch(&path, json!({ change: ["unverified-report"] })).await.error("invalid_request");
    }
    server.finish().await;
}

#[tokio::test]
async fn a_server_reports_about_recipients_of_its_own_domain_alone() {
    let (server, api, inbox) = start().await;
    let to = json!(["bob@x.example", "eve@y.example"]);
    let (mail, paths) = sent_to_all(&server, &api, &inbox, to).await;
    server.dns.txt("x.example", "v=spf1 ip4:127.0.0.1 -all");
    let about = mail["rfc_message_id"].as_str().unwrap();
    let both = dsn(about, "bob@x.example", "failed", "5.1.1").replace("mx.x.example>", "x.example>").replace(
        "Status: 5.1.1\n\n",
        "Status: 5.1.1\n\nFinal-Recipient: rfc822; eve@y.example\nAction: failed\nStatus: 5.1.1\n\n",
    );
    arrives_from(&server, "postmaster@x.example", &inbox.address, &both).await;
    let after = message(&api, &mail).await;
    let told = |n: usize| after["delivery"][n]["status"].clone();
    assert_eq!((told(0), told(1)), (json!("bounced"), json!("sent")));
    arrives_from(&server, "", &paths[1], &both).await;
    let after: Value = message(&api, &mail).await;
    assert_eq!(after["delivery"][1]["status"], "bounced", "the return path speaks for its recipient");
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

/// The reported attack: whoever knows the Message-IDs of mail complains about it at any inbox of the service.
#[tokio::test]
async fn whoever_knows_message_ids_suspends_no_tenant() {
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
            arrives_from(&server, from, to, &report).await;
        }
        assert_eq!(message(&api, mail).await["status"], "sent", "{from}");
    }
    assert_eq!(api.get("/v1/account").await.expect(200)["workspace"]["status"], "active");
    assert_eq!(api.get("/v1/suppressions").await.expect(200).data().len(), 0);
    assert_eq!(api.get("/v1/metrics").await.expect(200)["totals"]["complained"], 0);
    assert!(!types(&api).await.contains(&"message.complained".to_owned()));
    server.finish().await;
}
