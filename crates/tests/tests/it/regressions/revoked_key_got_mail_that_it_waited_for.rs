//! A request that waited for mail got it although its key was revoked, or its person removed, while it waited.

use posthouse_domain::plan::Plan;
use posthouse_tests::{TestServer, http::Api};
use reqwest::Method;
use serde_json::json;

const MAIL: &str = "From: shop@x.example\r\nSubject: Your code\r\n\r\nYour verification code is 493817.\r\n";

/// Starts one wait of each kind.
async fn waits(
    server: &TestServer,
    api: &Api,
    inbox: &str,
) -> Vec<tokio::task::JoinHandle<posthouse_tests::http::ApiResponse>> {
    let read = |route: &'static str| {
        let (api, inbox) = (api.clone(), inbox.to_owned());
        tokio::spawn(async move { api.get(&format!("/v1/inboxes/{inbox}/{route}")).await })
    };
    let claim = {
        let (api, path) = (api.clone(), format!("/v1/inboxes/{inbox}/messages/claim"));
        tokio::spawn(async move { api.post(&path, json!({ "wait": 30, "include_unscreened": true })).await })
    };
    let all = vec![
        read("messages/wait?timeout=60&include_unscreened=true"),
        read("verification?timeout=60&include_unauthenticated=true"),
        claim,
    ];
    server.clock.wait_for_sleepers(all.len()).await;
    all
}

#[tokio::test]
async fn a_caller_that_lost_access_gets_no_mail() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let owner = server.owner_session(&key).await;
    let made = owner.post("/platform/api-keys", json!({ "name": "leaked" })).await.expect(201);
    let leaked = server.anonymous().with_key(made.text("key"));
    let second = server.owner_session(&key).await;
    let session = second.get("/platform/sessions").await.expect(200);
    let current = session.data().iter().find(|one| one["current"] == true).unwrap()["id"].clone();
    for (api, path) in [
        (leaked, format!("/platform/api-keys/{}", made["api_key"]["id"].as_str().unwrap())),
        (second, format!("/platform/sessions/{}", current.as_str().unwrap())),
    ] {
        let inbox = server.inbox(&key).await;
        let waiting = waits(&server, &api, &inbox.id.to_string()).await;
        owner.delete(&path).await.expect(204);
        let (anonymous, ingress) = (server.anonymous(), format!("/dev/inbound?to={}", inbox.address));
        anonymous.raw(Method::POST, &ingress, "message/rfc822", MAIL).await.expect(201);
        for wait in waiting {
            wait.await.unwrap().error("unauthorized");
        }
    }
    server.finish().await;
}
