//! Reports were only trusted at the inbox that had sent the message, and only with a delivery status. Reports to the
//! return path, to abuse@ or to another inbox of the workspace, and those of qmail and similar systems, had no effect.

use posthouse_app::settings::DeliveryMode;
use posthouse_domain::plan::Plan;
use posthouse_tests::{TestServer, fixtures::TestInbox, http::Api, server::ServerOptions};
use reqwest::Method;
use serde_json::{Value, json};

pub(super) async fn start() -> (TestServer, Api, TestInbox) {
    let server =
        TestServer::start(ServerOptions::default().configure(|config| config.delivery.mode = DeliveryMode::Capture))
            .await;
    let key = server.workspace(Plan::Team).await;
    let inbox = server.inbox(&key).await;
    let api = server.api(&key);
    (server, api, inbox)
}

/// Creates another inbox in the same workspace.
async fn second(api: &Api) -> String {
    api.post("/v1/inboxes", json!({})).await.expect(201).text("address").to_owned()
}

/// Sends a message and returns it with the return path of its first recipient.
pub(super) async fn sent(server: &TestServer, api: &Api, inbox: &TestInbox, to: Value) -> (Value, String) {
    let (mail, mut paths) = sent_to_all(server, api, inbox, to).await;
    (mail, paths.remove(0))
}

/// Sends a message and returns it with the return path of each recipient.
pub(super) async fn sent_to_all(server: &TestServer, api: &Api, inbox: &TestInbox, to: Value) -> (Value, Vec<String>) {
    let body = json!({ "to": to, "subject": "Offer", "text": "Here." });
    let sent = api.post(&format!("/v1/inboxes/{}/messages", inbox.id), body).await.expect(202);
    server.settle().await;
    let outbox = api.get("/dev/outbox").await.expect(200);
    let envelope = &outbox.data()[0]["envelope"];
    let paths: Vec<String> = serde_json::from_value(envelope["return_paths"].clone()).unwrap();
    assert_eq!(envelope["from"], paths[0].as_str());
    for path in &paths {
        assert!(path.starts_with("bounces+") && path.ends_with("@agents.localhost"), "{path}");
    }
    (sent.json, paths)
}

/// Delivers a message with an empty return path and returns the status code.
pub(super) async fn arrives(server: &TestServer, to: &str, mail: &str) -> u16 {
    let path = format!("/dev/inbound?to={}&from=", to.replace('+', "%2B"));
    let mail = mail.replace('\n', "\r\n");
    server.anonymous().raw(Method::POST, &path, "message/rfc822", mail).await.status
}

/// Returns a notice as qmail writes it, without a Message-ID.
pub(super) fn qmail(recipient: &str, words: &str) -> String {
    format!(
        "From: MAILER-DAEMON@mx.x.example\nSubject: failure notice\n\nHi. This is the qmail-send program at mx.x.example.\n\
         I'm afraid I wasn't able to deliver your message to the following addresses.\n\n<{recipient}>:\n\
         Remote host said: {words}\nGiving up on 192.0.2.1.\n"
    )
}

pub(super) fn dsn(about: &str, recipient: &str, action: &str, status: &str) -> String {
    format!(
        "From: Mail Delivery System <postmaster@mx.x.example>\nSubject: Delivery report\nMIME-Version: 1.0\n\
         Content-Type: multipart/report; report-type=delivery-status; boundary=\"b\"\n\n\
         --b\n\nA report.\n--b\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; mx.x.example\n\n\
         Final-Recipient: rfc822; {recipient}\nAction: {action}\nStatus: {status}\n\n\
         --b\nContent-Type: text/rfc822-headers\n\nMessage-ID: {about}\n\n--b--\n"
    )
}

pub(super) async fn message(api: &Api, mail: &Value) -> Value {
    api.get(&format!("/v1/messages/{}", mail["id"].as_str().unwrap())).await.expect(200).json
}

pub(super) async fn types(api: &Api) -> Vec<String> {
    let events = api.get("/v1/events").await.expect(200);
    events.data().iter().map(|event| event["type"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_notice_at_the_return_path_bounces_its_recipient() {
    let (server, api, inbox) = start().await;
    let (mail, paths) = sent_to_all(&server, &api, &inbox, json!(["bob@x.example", "eve@x.example"])).await;
    // The return path of the other recipient counts, not the name in the notice.
    let notice = qmail("bob@x.example", "550 5.1.1 No such user here");
    // Some servers uppercase local parts.
    assert_eq!(arrives(&server, &paths[1].to_uppercase(), &notice).await, 201);
    let after = message(&api, &mail).await;
    assert_eq!(after["status"], "bounced");
    let entries = after["delivery"].as_array().unwrap();
    let statuses = |n: usize| (entries[n]["status"].as_str().unwrap(), entries[n]["enhanced_code"].as_str());
    assert_eq!((statuses(0).0, statuses(1)), ("sent", ("bounced", Some("5.1.1"))));
    assert_eq!(types(&api).await, ["message.sent", "message.bounced"]);
    let list = api.get(&format!("/v1/inboxes/{}/messages?labels=bounce-report", inbox.id)).await.expect(200);
    assert_eq!(list.data().len(), 1, "the notice is in the inbox that sent the message");
    let again = json!({ "to": "eve@x.example", "subject": "Again", "text": "?" });
    api.post(&format!("/v1/inboxes/{}/messages", inbox.id), again).await.error("recipient_suppressed");
    server.finish().await;
}

#[tokio::test]
async fn a_full_mailbox_is_a_soft_bounce_and_suppresses_nothing() {
    let (server, api, inbox) = start().await;
    let (mail, path) = sent(&server, &api, &inbox, json!("bob@x.example")).await;
    // The recipient's system forwarded the message, but it has only one recipient.
    assert_eq!(arrives(&server, &path, &qmail("bob@forwarded.example", "552 5.2.2 Mailbox full")).await, 201);
    assert_eq!(message(&api, &mail).await["status"], "bounced");
    let events = api.get("/v1/events?types=message.bounced").await.expect(200);
    assert_eq!(events.data()[0]["data"]["bounce"]["type"], "soft");
    let again = json!({ "to": "bob@x.example", "subject": "Again", "text": "?" });
    api.post(&format!("/v1/inboxes/{}/messages", inbox.id), again).await.expect(202);
    server.settle().await;
    server.finish().await;
}

#[tokio::test]
async fn a_guessed_return_path_is_rejected() {
    let (server, api, inbox) = start().await;
    let (mail, path) = sent(&server, &api, &inbox, json!("bob@x.example")).await;
    let id = mail["id"].as_str().unwrap().replace('-', "");
    let at = path.find('@').unwrap();
    let mut tampered = path.clone();
    let last = if &path[at - 1..at] == "0" { "1" } else { "0" };
    tampered.replace_range(at - 1..at, last);
    let guesses = [
        tampered,
        format!("bounces+{id}00000000000000000000@agents.localhost"),
        format!("bounces+{id}0000000000000000@agents.localhost"),
        format!("bounces+{id}@agents.localhost"),
        // The path of the first recipient must not reveal that of a second one.
        format!("{}0001{}", &path[..40], &path[44..]),
        "bounces@agents.localhost".to_owned(),
        "Bounces@agents.localhost".to_owned(),
        "bounces+x@agents.localhost".to_owned(),
        "bounces+@agents.localhost".to_owned(),
        path.replace("agents.localhost", "tmp.agents.localhost"),
    ];
    for guess in guesses {
        assert_eq!(arrives(&server, &guess, &qmail("bob@x.example", "550 5.1.1 No such user")).await, 404, "{guess}");
    }
    // A notice at the inbox without a reference to a message is not trusted.
    assert_eq!(arrives(&server, &inbox.address, &qmail("bob@x.example", "550 5.1.1 No such user")).await, 201);
    assert_eq!(message(&api, &mail).await["status"], "sent");
    server.clock.advance(31 * 24 * 3_600_000);
    assert_eq!(arrives(&server, &path, &qmail("bob@x.example", "550 5.1.1 No such user")).await, 404, "too old");
    server.finish().await;
}

#[tokio::test]
async fn a_report_at_abuse_or_at_another_workspace_finds_its_message() {
    let (server, api, inbox) = start().await;
    let other = server.workspace(Plan::Team).await;
    let (colleague, stranger) = (second(&api).await, server.inbox(&other).await);
    server.dns.txt("x.example", "v=spf1 ip4:127.0.0.1 -all");
    let mut smtp = server.smtp().await;
    for (number, to) in [colleague, stranger.address, "abuse@agents.localhost".to_owned()].iter().enumerate() {
        let recipient = format!("bob{number}@x.example");
        let (mail, _) = sent(&server, &api, &inbox, json!(recipient)).await;
        let about = mail["rfc_message_id"].as_str().unwrap();
        let report = dsn(about, &recipient, "failed", "5.1.1").replace("mx.x.example>", "x.example>");
        let report = report.replace('\n', "\r\n");
        smtp.mail("postmaster@x.example", &[to], report.as_bytes()).await.expect(250);
        assert_eq!(message(&api, &mail).await["status"], "bounced", "{to}");
    }
    smtp.quit().await;
    let of_other: Vec<String> = types(&server.api(&other)).await;
    let is_read = |kind: &&String| !kind.starts_with("attachment.");
    assert_eq!(of_other.iter().filter(is_read).count(), 0, "only the sender gets the event");
    server.finish().await;
}

/// One report to several return paths applies to each of those recipients.
#[tokio::test]
async fn a_report_at_two_return_paths_bounces_both_recipients() {
    let (server, api, inbox) = start().await;
    let to = json!(["bob@x.example", "eve@x.example", "zoe@x.example"]);
    let (mail, paths) = sent_to_all(&server, &api, &inbox, to).await;
    let notice = qmail("zoe@x.example", "550 5.1.1 No such user").replace('\n', "\r\n");
    let mut smtp = server.smtp().await;
    smtp.mail("", &[&inbox.address, &paths[0], &paths[1]], notice.as_bytes()).await.expect(250);
    smtp.quit().await;
    let after = message(&api, &mail).await;
    let statuses: Vec<&str> = (0..3).map(|n| after["delivery"][n]["status"].as_str().unwrap()).collect();
    assert_eq!(statuses, ["bounced", "bounced", "sent"]);
    let list = api.get(&format!("/v1/inboxes/{}/messages?labels=bounce-report", inbox.id)).await.expect(200);
    assert_eq!(list.data().len(), 1, "one copy per inbox");
    server.finish().await;
}

#[tokio::test]
async fn a_success_report_marks_delivered_and_a_delay_changes_nothing() {
    let (server, api, inbox) = start().await;
    let (mail, path) = sent(&server, &api, &inbox, json!("bob@x.example")).await;
    let about = mail["rfc_message_id"].as_str().unwrap();
    assert_eq!(arrives(&server, &path, &dsn(about, "bob@x.example", "delayed", "4.4.1")).await, 201);
    assert_eq!(message(&api, &mail).await["status"], "sent");
    assert_eq!(arrives(&server, &path, &dsn(about, "bob@x.example", "delivered", "2.0.0")).await, 201);
    let after = message(&api, &mail).await;
    assert_eq!((&after["status"], &after["delivery"][0]["status"]), (&json!("delivered"), &json!("delivered")));
    assert_eq!(types(&api).await, ["message.sent", "message.delivered"]);
    server.finish().await;
}

#[tokio::test]
async fn a_message_of_a_person_to_the_return_path_is_received() {
    let (server, api, inbox) = start().await;
    let (mail, path) = sent(&server, &api, &inbox, json!("bob@x.example")).await;
    let note = "From: Bob <bob@x.example>\nSubject: Out of office\nAuto-Submitted: auto-replied\n\nI am away.\n";
    assert_eq!(arrives(&server, &path, note).await, 201);
    assert_eq!(message(&api, &mail).await["status"], "sent");
    assert_eq!(types(&api).await, ["message.sent", "message.received"]);
    server.finish().await;
}

#[tokio::test]
async fn a_report_about_a_message_of_a_deleted_inbox_counts_but_is_not_stored() {
    let (server, api, inbox) = start().await;
    let (mail, path) = sent(&server, &api, &inbox, json!("bob@x.example")).await;
    api.delete(&format!("/v1/inboxes/{}", inbox.id)).await.expect(204);
    let notice = qmail("bob@x.example", "550 5.1.1 No such user here").replace('\n', "\r\n");
    let mut smtp = server.smtp().await;
    smtp.mail("", &[&path], notice.as_bytes()).await.expect_enhanced(250, "2.0.0");
    let list = api.get("/v1/suppressions").await.expect(200);
    assert_eq!(list.data()[0]["address"], "bob@x.example", "{}", list.json);
    assert_eq!(list.data()[0]["message_id"], mail["id"]);
    assert_eq!(api.get("/v1/metrics").await.expect(200)["totals"]["bounced"], 1);
    assert_eq!(types(&api).await, ["message.sent"], "no inbox is left for an event");
    // A message that is not a report has no reader.
    let note = b"From: Bob <bob@x.example>\r\nSubject: Out of office\r\n\r\nI am away.\r\n";
    smtp.mail("", &[&path], note).await.expect_enhanced(550, "5.1.1");
    smtp.quit().await;
    server.finish().await;
}
