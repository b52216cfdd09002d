//! A workspace with identities only couldn't ask people to be on call, and its emergency mail was never sent: both left from
//! an inbox of the workspace.

use posthouse_app::settings::DeliveryMode;
use posthouse_domain::plan::Plan;
use posthouse_tests::{TestServer, server::ServerOptions};
use serde_json::json;

const PATH: &str = "/v1/escalation";

#[tokio::test]
async fn a_workspace_without_an_inbox_alerts_people() {
    let capture = ServerOptions::default().configure(|config| config.delivery.mode = DeliveryMode::Capture);
    let server = TestServer::start(capture).await;
    let key = server.workspace(Plan::Free).await;
    let api = server.api(&key);
    let identity = api.post("/v1/identities", json!({ "username": "signer" })).await.expect(201);
    let address = identity.text("address").to_owned();
    api.put(PATH, json!({ "contacts": ["pat@x.example"] })).await.expect(200);
    let asked = server.service_mails(&api).await.remove(0);
    assert!(asked.to == ["pat@x.example"] && asked.raw.contains(&address), "{}", asked.raw);
    let link = server.service_link(&api, "/confirm/on-call/").await;
    server.anonymous().post_empty(&link).await.expect(200);
    assert_eq!(api.get(PATH).await.expect(200)["contacts"][0]["status"], "confirmed");
    server.settle().await;
    server.clock.advance(1);
    api.post("/v1/emergency-stop", json!({ "reason": "It signs in everywhere." })).await.expect(200);
    let alert = server.service_mails(&api).await.remove(0);
    assert_eq!(alert.to, ["pat@x.example"]);
    for part in ["Subject: Emergency stop: ", "It signs in everywhere.", "<no-reply@agents.localhost>"] {
        assert!(alert.raw.contains(part), "{part}: {}", alert.raw);
    }
    let events = api.get("/v1/events?types=escalation.sent").await.expect(200);
    assert_eq!(events.data()[0]["data"]["recipients"], json!(["pat@x.example"]));
    server.settle().await;
    server.finish().await;
}

#[tokio::test]
async fn a_workspace_without_any_agent_is_named_by_the_service() {
    let capture = ServerOptions::default().configure(|config| config.delivery.mode = DeliveryMode::Capture);
    let server = TestServer::start(capture).await;
    let key = server.workspace(Plan::Free).await;
    let api = server.api(&key);
    api.put(PATH, json!({ "contacts": ["pat@x.example"] })).await.expect(200);
    let asked = server.service_mails(&api).await.remove(0);
    assert!(asked.raw.contains("The owner of a workspace on http"), "{}", asked.raw);
    server.finish().await;
}

#[tokio::test]
async fn nobody_reads_mail_to_the_sender() {
    let server = TestServer::start(ServerOptions::default()).await;
    let key = server.workspace(Plan::Free).await;
    let (api, inbox) = (server.api(&key), server.inbox(&key).await);
    let mut client = server.smtp().await;
    for sender in ["", "pat@x.example"] {
        client.line(&format!("MAIL FROM:<{sender}>")).await.expect(250);
        for local in ["no-reply", "No-Reply", "no-reply+x"] {
            let reply = client.line(&format!("RCPT TO:<{local}@agents.localhost>")).await;
            assert!(reply.lines[0].contains("Nobody reads mail to this address"), "{reply:?}");
            reply.expect_enhanced(550, "5.7.1");
        }
        client.line("RSET").await.expect(250);
    }
    client.quit().await;
    let body = json!({ "to": "no-reply@agents.localhost", "subject": "Hi", "text": "Is anybody there?" });
    let sent = api.post(&format!("/v1/inboxes/{}/messages", inbox.id), body).await.expect(202);
    server.settle().await;
    let message = api.get(&format!("/v1/messages/{}", sent.text("id"))).await.expect(200);
    assert_eq!(message["status"], "bounced", "{message}");
    server.finish().await;
}
