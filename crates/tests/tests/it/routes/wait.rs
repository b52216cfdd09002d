//! Long-polls.

use posthouse_domain::{auth::Scope, plan::Plan};
use posthouse_tests::TestServer;
use serde_json::json;

use super::messages::read::mail;

const CODE: &str = "From: Bank <no-reply@bank.example>\r\nTo: bot@agents.example\r\nSubject: Your verification code\r\n\r\n\
    Your verification code is 482913. It expires in 10 minutes.\r\n";

#[tokio::test]
async fn a_commit_wakes_a_wait_which_returns_the_oldest_message_after_since() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let (api, inbox) = (server.api(&key), server.inbox(&key).await);
    let old = server.receive_message(&inbox, mail("Old")).await;
    let path = format!("/v1/inboxes/{}/messages/wait", inbox.id);
    let wait_task = tokio::spawn({
        let (api, path) = (api.clone(), path.clone());
        async move { api.get(&path).await.expect(200) }
    });
    server.clock.wait_for_sleepers(1).await;
    // The clock doesn't move: the second message is stored in the same millisecond as the first.
    let new = server.receive_message(&inbox, mail("New")).await;
    let found = wait_task.await.unwrap();
    let newest = found["data"]["id"] == new.to_string();
    assert!(newest, "{found}");
    server.receive_message(&inbox, mail("Newer")).await;
    let created_at = api.get(&format!("/v1/messages/{old}")).await.text("created_at").to_owned();
    let next = api.get(&format!("{path}?since={created_at}")).await.expect(200);
    assert_eq!(next["data"]["id"], new.to_string());
    for (query, subject) in [("subject=NEWER", "Newer"), ("from=DANA%20%3C", "New")] {
        let found = api.get(&format!("{path}?since={created_at}&{query}")).await.expect(200);
        assert_eq!(found["data"]["subject"], subject, "{query}");
    }
    server.finish().await;
}

#[tokio::test]
async fn a_wait_ends_at_its_timeout_or_when_the_server_drains() {
    let mut server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let (api, inbox) = (server.api(&key), server.inbox(&key).await);
    let wait = |query: &str| {
        let (api, path) = (api.clone(), format!("/v1/inboxes/{}/{query}", inbox.id));
        tokio::spawn(async move { api.get(&path).await.expect(200).json })
    };
    let short = wait("messages/wait?timeout=1.5");
    let filtered = wait("messages/wait?timeout=1.5&from=nobody");
    let code = wait("verification?timeout=1.5");
    server.clock.wait_for_sleepers(3).await;
    server.receive_message(&inbox, "From: a@y.example\r\nSubject: to the first\r\n\r\nx\r\n").await;
    assert_eq!(short.await.unwrap()["data"]["subject"], "to the first");
    server.clock.advance(1_499);
    assert_eq!(server.clock.waiters(), 2);
    server.clock.advance(1);
    assert_eq!(filtered.await.unwrap(), json!({ "data": null }));
    assert_eq!(code.await.unwrap(), json!({ "data": null }));
    let long = wait("messages/wait?timeout=60");
    server.clock.wait_for_sleepers(1).await;
    server.stop().await;
    assert_eq!(long.await.unwrap(), json!({ "data": null }));
    server.run().await;
    for bad in ["timeout=0", "timeout=61", "timeout=x", "since=yesterday", "form=x"] {
        let name = bad.split('=').next().unwrap();
        api.get(&format!("/v1/inboxes/{}/messages/wait?{bad}", inbox.id)).await.invalid_fields(&[name]);
    }
    server.finish().await;
}

#[tokio::test]
async fn a_waiter_that_leaves_does_not_take_the_wakeup_of_others() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let (first, second) = (server.inbox(&key).await, server.inbox(&key).await);
    let api = server.api(&key);
    let wait = |id, seconds: u32| {
        let (api, path) = (api.clone(), format!("/v1/inboxes/{id}/messages/wait?timeout={seconds}"));
        tokio::spawn(async move { api.get(&path).await.expect(200).json })
    };
    let leader = wait(first.id, 1);
    server.clock.wait_for_sleepers(1).await;
    let followers: Vec<_> = (0..5).map(|_| wait(second.id, 30)).collect();
    server.clock.wait_for_sleepers(6).await;
    assert_eq!(server.service().waiters.workspaces(), 1);
    server.clock.advance(1_000);
    assert!(leader.await.unwrap()["data"].is_null());
    let id = server.receive_message(&second, mail("For the rest")).await;
    for follower in followers {
        assert_eq!(follower.await.unwrap()["data"]["id"], id.to_string());
    }
    assert_eq!(server.service().waiters.workspaces(), 0, "without waiters nothing is kept");
    server.finish().await;
}

#[tokio::test]
async fn the_newest_code_is_returned_also_to_an_inbox_key() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let inbox = server.inbox(&key).await;
    let narrow = server.api(&server.key(&key, "agent", Scope::Inbox(inbox.id)).await);
    let path = format!("/v1/inboxes/{}/verification?since=2020-01-01&include_unauthenticated=true", inbox.id);
    let wait_task = tokio::spawn({
        let (narrow, path) = (narrow.clone(), path.clone());
        async move { narrow.get(&path).await.expect(200) }
    });
    server.clock.wait_for_sleepers(1).await;
    server.receive_message(&inbox, mail("No code")).await;
    let id = server.receive_message(&inbox, CODE).await;
    let found = wait_task.await.unwrap();
    assert_eq!(found["data"]["code"], "482913", "{found}");
    assert_eq!(found["data"]["message_id"], id.to_string());
    assert_eq!(found["data"]["from"], "Bank <no-reply@bank.example>");
    assert_eq!(found["data"]["reason"], "code_named");
    assert!(found["data"]["categoriser_probability"].is_null());
    let newer = server.receive_message(&inbox, CODE.replace("482913", "771204")).await;
    let found = narrow.get(&path).await.expect(200);
    assert_eq!((&found["data"]["code"], &found["data"]["message_id"]), (&json!("771204"), &json!(newer.to_string())));
    server.finish().await;
}

#[tokio::test]
async fn a_wait_can_return_a_message_that_is_queued_for_sending() {
    let mut server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let (api, inbox) = (server.api(&key), server.inbox(&key).await);
    let wait_task = tokio::spawn({
        let (api, path) = (api.clone(), format!("/v1/inboxes/{}/messages/wait?direction=outbound", inbox.id));
        async move { api.get(&path).await.expect(200) }
    });
    server.clock.wait_for_sleepers(1).await;
    server.receive_message(&inbox, mail("Not this one")).await;
    let body = json!({ "to": "a@elsewhere.example", "subject": "Out", "text": "x" });
    let sent = api.post(&format!("/v1/inboxes/{}/messages", inbox.id), body).await.expect(202);
    let found = wait_task.await.unwrap();
    assert_eq!(found["data"]["id"], sent["id"]);
    assert_eq!(found["data"]["screening"], json!(null));
    assert_eq!(found["data"]["delivery"][0]["address"], "a@elsewhere.example");
    server.allow().queued().due("outbound");
    server.finish().await;
}
