//! An unclaimed workspace is deleted after 30 days without use; a request or a message counts as use.

use posthouse_domain::{
    time::{DAY_MS, HOUR_MS},
    workspace::UNCLAIMED_IDLE_MS,
};
use posthouse_store::{Tx, p, statements};
use posthouse_tests::{TestMessage, smtp::TestSmtpClient};
use serde_json::json;

use crate::routes::signup::{Agent, SignupFixture};

statements! {
    ADDRESSES = "SELECT count(*) FROM addresses WHERE address = $1";
    WORKSPACES = "SELECT count(*) FROM workspaces WHERE owner_email <> '' OR claim_status = 'unclaimed'";
    DELETE_JOBS = "DELETE FROM jobs";
}

async fn workspaces(fixture: &SignupFixture) -> i64 {
    let count = |tx: &mut Tx| tx.value::<i64>(&WORKSPACES, p![]);
    fixture.server.store().read(count).await.unwrap().unwrap()
}

fn address(agent: &Agent) -> String {
    agent.created["inbox"]["address"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn an_idle_signup_is_deleted_with_its_mail_and_its_address_is_never_reused() {
    let fixture = SignupFixture::open().await;
    let agent = fixture.sign_up(json!({ "owner_email": "owner@x.example" })).await;
    let (link, address) = (fixture.link(&agent).await, address(&agent));
    fixture.server.deliver(&TestMessage::new("Offer", &"Do you want it? ".repeat(40_000)), &address).await;
    fixture.server.settle().await;
    agent.api.post("/v1/inboxes", json!({ "ttl_seconds": 600 })).await.expect(201);
    let expires_at = agent.api.get("/v1/account").await.expect(200)["claim"]["expires_at"].clone();
    assert_eq!(expires_at, "2026-10-15T12:00:00.001Z", "the message is the last use");
    fixture.server.advance(UNCLAIMED_IDLE_MS - 1).await;
    assert_eq!(workspaces(&fixture).await, 1, "a millisecond is left");
    fixture.server.advance(DAY_MS).await;
    assert_eq!(workspaces(&fixture).await, 0);
    agent.api.get("/v1/account").await.error("unauthorized");
    fixture.server.anonymous().post_empty(&link).await.expect(400);
    let mut smtp = TestSmtpClient::connect_with_ehlo(fixture.server.smtp_address()).await;
    smtp.line("MAIL FROM:<dana@example.com>").await.expect(250);
    smtp.line(&format!("RCPT TO:<{address}>")).await.expect(550);
    smtp.quit().await;
    let name = address.clone();
    let kept = move |tx: &mut Tx| tx.value::<i64>(&ADDRESSES, p![name]);
    assert_eq!(fixture.server.store().read(kept).await.unwrap(), Some(1));
    let next = fixture.server.workspace(posthouse_domain::plan::Plan::Team).await;
    let body = json!({ "username": address.split('@').next().unwrap() });
    fixture.server.api(&next).post("/v1/inboxes", body).await.error("address_taken");
    fixture.close().await;
}

#[tokio::test]
async fn requests_and_messages_keep_a_signup() {
    let fixture = SignupFixture::open().await;
    let (asking, receiving, idle) =
        (fixture.sign_up(json!({})).await, fixture.sign_up(json!({})).await, fixture.sign_up(json!({})).await);
    fixture.server.advance(UNCLAIMED_IDLE_MS - HOUR_MS).await;
    asking.api.get("/v1/account").await.expect(200);
    fixture.server.deliver(&TestMessage::new("Offer", "Do you want it?"), &address(&receiving)).await;
    fixture.server.advance(HOUR_MS).await;
    assert_eq!(workspaces(&fixture).await, 2);
    idle.api.get("/v1/account").await.error("unauthorized");
    fixture.server.advance(UNCLAIMED_IDLE_MS - 2 * HOUR_MS).await;
    assert_eq!(workspaces(&fixture).await, 2);
    // A refused request doesn't count as use.
    fixture.server.anonymous().with_key("ph_unknown").get("/v1/account").await.error("unauthorized");
    fixture.server.advance(HOUR_MS + 1).await;
    assert_eq!(workspaces(&fixture).await, 0);
    fixture.close().await;
}

#[tokio::test]
async fn a_claimed_signup_never_expires() {
    let fixture = SignupFixture::open().await;
    let agent = fixture.sign_up(json!({})).await;
    fixture.claim(&agent, "owner@x.example").await;
    fixture.server.advance(3 * UNCLAIMED_IDLE_MS).await;
    assert_eq!(agent.api.get("/v1/account").await.expect(200)["claim"]["status"], "claimed");
    fixture.close().await;
}

#[tokio::test]
async fn a_signup_with_a_lost_job_expires_too() {
    let fixture = SignupFixture::open().await;
    let agent = fixture.sign_up(json!({ "kind": "identity" })).await;
    fixture.server.store().write(|tx| tx.exec(&DELETE_JOBS, p![]).map(|_| ())).await.unwrap();
    posthouse_app::jobs::reconcile::run(fixture.server.service()).await.unwrap();
    fixture.server.advance(UNCLAIMED_IDLE_MS).await;
    agent.api.get("/v1/account").await.error("unauthorized");
    assert_eq!(workspaces(&fixture).await, 0);
    fixture.close().await;
}
