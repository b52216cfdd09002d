//! Capture mode: messages stay on this machine and are marked as captured.

use posthouse_tests::smtp_sink::SmtpSink;
use serde_json::json;

use super::DeliveryFixture;

#[tokio::test]
async fn captured_messages_are_listed_and_never_delivered() {
    let fixture = DeliveryFixture::with(SmtpSink::start().await, |_| {}).await;
    let first = fixture.send(&["dana@b.example", "eve@c.example"]).await;
    let second = fixture.send(&["fay@b.example"]).await;
    fixture.deliver().await;
    let message = fixture.message(&first).await;
    assert_eq!(message["status"], "sent");
    let captured = "captured: stored on this server, not sent";
    assert!(message["delivery"].as_array().unwrap().iter().all(|entry| entry["detail"] == captured), "{message}");
    let page = fixture.api.get("/dev/outbox?limit=1").await.expect(200);
    assert_eq!(page.data()[0]["id"], second.as_str());
    let cursor = page["next_cursor"].as_str().unwrap();
    let rest = fixture.api.get(&format!("/dev/outbox?limit=1&cursor={cursor}")).await.expect(200);
    let entry = &rest.data()[0];
    assert_eq!((&entry["id"], &entry["captured"], &rest["next_cursor"]), (&json!(first), &json!(true), &json!(null)));
    assert_eq!(entry["envelope"]["to"], json!(["dana@b.example", "eve@c.example"]));
    let path = entry["envelope"]["from"].as_str().unwrap();
    assert!(path.starts_with("bounces+") && path.ends_with("@agents.localhost"), "{path}");
    fixture.server.anonymous().get("/dev/outbox").await.error("unauthorized");
    let log = fixture.log().await;
    assert!(log.iter().all(|event| event["type"] == "message.sent"), "{log:?}");
    fixture.close().await;
}
