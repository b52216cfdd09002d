//! Requests of a person were counted by session, so that a switch to the own workspace renewed the limit.

use posthouse_domain::plan::Plan;
use posthouse_tests::{ServerOptions, TestServer};

#[tokio::test]
async fn requests_of_a_person_count_in_every_session_and_workspace() {
    let options = ServerOptions::default().configure(|config| config.plans.team.requests_per_minute = Some(10));
    let server = TestServer::start(options).await;
    let (one, two) = (server.workspace(Plan::Team).await, server.workspace(Plan::Team).await);
    let mut person = server.owner_session(&one).await;
    let mut answered = 0;
    for round in 0..12 {
        let to = if round % 2 == 0 { &two } else { &one };
        let reply = person.post_empty(&format!("/platform/workspaces/{}/switch", to.workspace)).await;
        if reply.status != 200 {
            let refused = reply.error("rate_limited");
            assert_eq!(refused["error"]["details"]["limit"], "requests_per_minute");
            break;
        }
        answered += 1;
        person = server.browser(&reply);
    }
    assert_eq!(answered, 10);
    let again = server.owner_session(&one).await;
    again.get("/platform/me").await.error("rate_limited");
    server.api(&one).get("/v1/threads").await.expect(200);
    server.advance(60_000).await;
    again.get("/platform/me").await.expect(200);
    server.finish().await;
}

#[tokio::test]
async fn all_keys_of_a_workspace_share_ten_times_the_requests_of_one() {
    let options = ServerOptions::default().configure(|config| config.plans.team.requests_per_minute = Some(2));
    let server = TestServer::start(options).await;
    let first = server.workspace(Plan::Team).await;
    for _ in 0..10 {
        let key = server.api(&server.key(&first, "full", posthouse_domain::auth::Scope::Org).await);
        for _ in 0..2 {
            key.get("/v1/threads").await.expect(200);
        }
    }
    let refused = server.api(&first).get("/v1/threads").await.error("rate_limited");
    assert_eq!(refused["error"]["details"]["limit"], "workspace_requests_per_minute");
    assert_eq!(refused["error"]["details"]["max"], 20);
    assert!(refused.header("retry-after").is_some());
    let other = server.workspace(Plan::Team).await;
    server.api(&other).get("/v1/threads").await.expect(200);
    server.finish().await;
}
