//! A delivery status notification was announced as `message.received` without a label, and the reported message stayed
//! `sent`.

use posthouse_app::settings::DeliveryMode;
use posthouse_domain::plan::Plan;
use posthouse_tests::{TestServer, fixtures::TestInbox, http::Api, server::ServerOptions};
use reqwest::Method;
use serde_json::{Value, json};

const TO: [&str; 2] = ["bob@x.example", "eve@x.example"];

async fn sent(server: &TestServer, api: &Api, inbox: &TestInbox) -> Value {
    let body = json!({ "to": TO, "subject": "Offer", "text": "Here." });
    let sent = api.post(&format!("/v1/inboxes/{}/messages", inbox.id), body).await.expect(202);
    server.settle().await;
    // The recipients' mail system has no DKIM signature and sends from this address.
    server.dns.txt("x.example", "v=spf1 ip4:127.0.0.1 -all");
    sent.json
}

/// Returns the return path of a recipient of the newest message.
async fn return_path(api: &Api, at: usize) -> String {
    let outbox = api.get("/dev/outbox").await.expect(200);
    outbox.data()[0]["envelope"]["return_paths"][at].as_str().unwrap().replace('+', "%2B")
}

fn report(of: &Value, kind: &str, part: &str) -> String {
    let (id, from) = (of["rfc_message_id"].as_str().unwrap(), of["from"].as_str().unwrap());
    format!(
        "From: Mail Delivery System <MAILER-DAEMON@x.example>\nTo: {from}\nSubject: Undelivered\n\
         Message-ID: <report@mx.x.example>\nMIME-Version: 1.0\n\
         Content-Type: multipart/report; report-type={kind}; boundary=\"b\"\n\n\
         --b\nContent-Type: text/plain\n\nSorry.\n--b\n{part}\n--b\nContent-Type: message/rfc822\n\n\
         From: {from}\nMessage-ID: {id}\nSubject: Offer\n\nHere.\n--b--\n"
    )
    .replace('\n', "\r\n")
}

async fn arrives(server: &TestServer, inbox: &TestInbox, mail: String) {
    arrives_at(server, &inbox.address, mail).await;
}

async fn arrives_at(server: &TestServer, to: &str, mail: String) {
    let path = format!("/dev/inbound?to={to}&from=mailer-daemon@x.example");
    server.anonymous().raw(Method::POST, &path, "message/rfc822", mail).await.expect(201);
}

async fn start() -> (Api, TestServer, TestInbox) {
    let server =
        TestServer::start(ServerOptions::default().configure(|config| config.delivery.mode = DeliveryMode::Capture))
            .await;
    let key = server.workspace(Plan::Team).await;
    let inbox = server.inbox(&key).await;
    (server.api(&key), server, inbox)
}

async fn types(api: &Api) -> Vec<String> {
    let events = api.get("/v1/events").await.expect(200);
    events.data().iter().map(|event| event["type"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_failure_notice_bounces_the_message_and_is_not_announced() {
    let (api, server, inbox) = start().await;
    let mail = sent(&server, &api, &inbox).await;
    let status = "Content-Type: message/delivery-status\n\nReporting-MTA: dns; mx.x.example\n\n\
                  Final-Recipient: rfc822; Bob@X.example\nAction: failed\nStatus: 5.1.1\n\
                  Diagnostic-Code: smtp; 550 5.1.1 no such user\n";
    arrives(&server, &inbox, report(&mail, "delivery-status", status)).await;
    let after = api.get(&format!("/v1/messages/{}", mail["id"].as_str().unwrap())).await.expect(200);
    assert_eq!(after["status"], "bounced");
    assert_eq!((&after["delivery"][0]["status"], &after["delivery"][1]["status"]), (&json!("bounced"), &json!("sent")));
    assert_eq!(after["delivery"][0]["enhanced_code"], "5.1.1");
    assert_eq!(types(&api).await, ["message.sent", "message.bounced"]);
    let recipient = api.get("/v1/events?types=message.bounced").await.expect(200);
    let recipient = &recipient.data()[0]["data"]["bounce"]["recipients"][0];
    assert_eq!(
        (&recipient["address"], &recipient["detail"]),
        (&json!("bob@x.example"), &json!("550 5.1.1 no such user"))
    );
    let list = api.get(&format!("/v1/inboxes/{}/messages?labels=bounce-report", inbox.id)).await.expect(200);
    assert_eq!(list.data().len(), 1, "the notice is readable");
    assert_eq!(list.data()[0]["auto_reply"], true);
    let again = json!({ "to": "bob@x.example", "subject": "Again", "text": "?" });
    api.post(&format!("/v1/inboxes/{}/messages", inbox.id), again).await.error("recipient_suppressed");
    server.finish().await;
}

#[tokio::test]
async fn a_notice_about_an_unknown_message_changes_nothing() {
    let (api, server, inbox) = start().await;
    let mut mail = sent(&server, &api, &inbox).await;
    mail["rfc_message_id"] = json!("<guessed@agents.localhost>");
    let status = "Content-Type: message/delivery-status\n\nReporting-MTA: dns; mx.x.example\n\n\
                  Final-Recipient: rfc822; bob@x.example\nAction: failed\nStatus: 5.1.1\n";
    arrives(&server, &inbox, report(&mail, "delivery-status", status)).await;
    let after = api.get(&format!("/v1/messages/{}", mail["id"].as_str().unwrap())).await.expect(200);
    assert_eq!(after["status"], "sent");
    server.finish().await;
}

#[tokio::test]
async fn a_complaint_marks_the_message() {
    let (api, server, inbox) = start().await;
    let mail = sent(&server, &api, &inbox).await;
    let feedback = "Content-Type: message/feedback-report\n\nFeedback-Type: abuse\nVersion: 1\n\
                    Original-Rcpt-To: <eve@x.example>\n";
    arrives_at(&server, &return_path(&api, 1).await, report(&mail, "feedback-report", feedback)).await;
    let after = api.get(&format!("/v1/messages/{}", mail["id"].as_str().unwrap())).await.expect(200);
    assert_eq!(after["status"], "complained");
    assert_eq!(types(&api).await, ["message.sent", "message.complained"]);
    let list = api.get(&format!("/v1/inboxes/{}/messages?labels=bounce-report", inbox.id)).await.expect(200);
    assert_eq!(list.data().len(), 1, "the report is readable");
    let events = api.get("/v1/events?types=message.complained").await.expect(200);
    assert_eq!(events.data()[0]["data"]["complaint"]["recipients"][0], "eve@x.example");
    server.finish().await;
}
