//! Mail that is kept on this machine, and says so.

use posthouse_tests::smtp_sink::SmtpSink;
use serde_json::json;

use super::Post;

#[tokio::test]
async fn captured_mail_is_listed_and_never_called_delivered() {
    let post = Post::with(SmtpSink::start().await, |_| {}).await;
    let first = post.send(&["dana@b.example", "eve@c.example"]).await;
    let second = post.send(&["fay@b.example"]).await;
    post.deliver().await;
    let message = post.message(&first).await;
    assert_eq!(message["status"], "sent");
    let captured = "captured: kept on this machine, nothing left it";
    assert!(message["delivery"].as_array().unwrap().iter().all(|entry| entry["detail"] == captured), "{message}");
    let page = post.api.get("/dev/outbox?limit=1").await.expect(200);
    assert_eq!(page.data()[0]["id"], second.as_str());
    let cursor = page["next_cursor"].as_str().unwrap();
    let rest = post.api.get(&format!("/dev/outbox?limit=1&cursor={cursor}")).await.expect(200);
    let entry = &rest.data()[0];
    assert_eq!((&entry["id"], &entry["captured"], &rest["next_cursor"]), (&json!(first), &json!(true), &json!(null)));
    assert_eq!(entry["envelope"]["to"], json!(["dana@b.example", "eve@c.example"]));
    let path = entry["envelope"]["from"].as_str().unwrap();
    assert!(path.starts_with("bounces+") && path.ends_with("@agents.localhost"), "{path}");
    post.server.anonymous().get("/dev/outbox").await.error("unauthorized");
    let log = post.log().await;
    assert!(log.iter().all(|event| event["type"] == "message.sent"), "{log:?}");
    post.close().await;
}
