//! With `agents.messaging = false`, an inbox of the service with a name of a mail system sent a delivery report to another
//! inbox of it: the report came "from the recipient's domain", so the recipient was bounced and suppressed. With agent
//! messaging, such a message got no event. A copy between inboxes of the service is never a report.

use posthouse_app::settings::DeliveryMode;
use posthouse_domain::plan::Plan;
use posthouse_tests::{ServerOptions, TestServer, smtp::TestSmtpClient};
use serde_json::{Value, json};

use super::bounce_at_another_address_was_ignored::{dsn, message, types};

#[tokio::test]
async fn a_copy_is_never_a_report_whatever_its_form_and_route() {
    for messaging in [true, false] {
        let options = ServerOptions::default().configure(move |config| {
            config.app.agents.messaging = messaging;
            config.delivery.mode = DeliveryMode::Capture;
        });
        let server = TestServer::start(options).await;
        let operator = server.workspace(Plan::Team).await;
        server.clock.advance(1);
        let victim = server.workspace(Plan::Team).await;
        let (daemon, friend) =
            (server.inbox_named(&operator, "postmaster").await, server.inbox_named(&operator, "friend").await);
        let (inbox, colleague) = (server.inbox_named(&victim, "sam").await, server.inbox_named(&victim, "kim").await);
        let api = server.api(&victim);
        for recipient in [&friend.address, &colleague.address] {
            let body = json!({ "to": recipient, "subject": "Hello", "text": "Hi" });
            let sent = api.post(&format!("/v1/inboxes/{}/messages", inbox.id), body).await.expect(202).json;
            server.settle().await;
            let before = message(&api, &sent).await;
            assert_eq!(before["delivery"][0]["status"], "delivered", "{before}");
            let about = sent["rfc_message_id"].as_str().unwrap();
            for (action, status) in [("failed", "5.1.1"), ("failed", "4.2.2"), ("delayed", "4.4.1")] {
                let report = dsn(about, recipient, action, status);
                let report = report.replace("postmaster@mx.x.example", &daemon.address).replace('\n', "\r\n");
                let mut session = TestSmtpClient::connect_with_ehlo(server.submission_address()).await;
                session.log_in(&daemon.address, &operator.secret).await.expect(235);
                session.mail(&daemon.address, &[&inbox.address], report.as_bytes()).await.expect(250);
                session.quit().await;
                server.settle().await;
                let after = message(&api, &sent).await;
                assert_eq!(after["delivery"], before["delivery"], "messaging {messaging}, {action} {status}");
            }
        }
        assert_eq!(api.get("/v1/suppressions").await.expect(200).data(), [Value::Null; 0]);
        let all = types(&api).await;
        assert!(!all.iter().any(|kind| kind == "message.bounced"), "{all:?}");
        let received = all.iter().filter(|kind| *kind == "message.received").count();
        assert_eq!(received, 7, "six reports and a copy are ordinary messages: {all:?}");
        server.finish().await;
    }
}
