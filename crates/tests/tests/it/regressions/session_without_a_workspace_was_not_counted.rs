//! Requests with the session of a person who is in no workspace read the database and were refused before they were counted.
//! So were changes that don't come from the dashboard.

use axum::http::Method;
use posthouse_app::settings::DeliveryMode;
use posthouse_call::Access;
use posthouse_domain::plan::Plan;
use posthouse_tests::{ServerOptions, TestServer, browser, http::Api};
use serde_json::json;

use crate::contracts::permissions::path;

const ANA: &str = "ana@x.example";
const MAX: u64 = 400;

/// Starts a server that allows so many requests, with a person who was invited and didn't accept.
async fn invited(max: u64) -> (TestServer, Api, String) {
    let options = ServerOptions::default().configure(move |config| {
        config.delivery.mode = DeliveryMode::Capture;
        config.app.signup.enabled = false;
        config.plans.team.requests_per_minute = Some(max);
    });
    let server = TestServer::start(options).await;
    let key = server.workspace(Plan::Team).await;
    let owner = server.owner_session(&key).await;
    owner.post("/platform/members", json!({ "email": ANA, "role": "member" })).await.expect(202);
    server.settle().await;
    let mail = server.sign_in_mail(&key, ANA).await;
    let reply = server.anonymous().post("/platform/auth/verify", json!({ "token": mail.token })).await.expect(200);
    let ana = server.browser(&reply);
    (server, ana, browser::cookie(&reply))
}

#[tokio::test]
async fn every_refused_request_counts() {
    let (server, ana, cookie) = invited(MAX).await;
    let elsewhere = server.anonymous().with_header("Cookie", &cookie);
    let mut counted = 0;
    for route in posthouse::all_routes() {
        if route.operation.access == Access::Public {
            continue;
        }
        let mut clients = vec![];
        if route.operation.access != Access::Person {
            clients.push((&ana, "forbidden"));
        }
        if route.method() != Method::GET {
            clients.push((&elsewhere, "csrf"));
        }
        for (client, code) in clients {
            let refused = client.send(route.method(), &path(&route), None).await.error(code);
            counted += 1;
            let rest = refused
                .header("ratelimit")
                .unwrap_or_else(|| panic!("{} {code} was not counted", route.operation.name));
            assert!(rest.contains(&format!("r={};", MAX - counted)), "{} {code}: {rest}", route.operation.name);
        }
    }
    server.finish().await;
}

#[tokio::test]
async fn the_limit_ends_the_requests_of_one_person_only() {
    let (server, ana, _) = invited(3).await;
    for _ in 0..3 {
        ana.get("/v1/inboxes").await.error("forbidden");
    }
    for route in ["/v1/inboxes", "/v1/nothing", "/platform/me"] {
        ana.get(route).await.error("rate_limited");
    }
    server.advance(60_000).await;
    ana.get("/platform/me").await.expect(200);
    server.finish().await;
}

#[tokio::test]
async fn a_person_at_the_limit_signs_out() {
    let (server, ana, cookie) = invited(3).await;
    for _ in 0..4 {
        ana.get("/v1/inboxes").await;
    }
    ana.get("/platform/me").await.error("rate_limited");
    ana.post_empty("/platform/auth/logout").await.expect(204);
    server.advance(60_000).await;
    server.anonymous().with_header("Cookie", &cookie).get("/platform/me").await.error("unauthorized");
    server.finish().await;
}

#[tokio::test]
async fn a_key_that_signs_out_counts() {
    let options = ServerOptions::default().configure(|config| config.plans.team.requests_per_minute = Some(1));
    let server = TestServer::start(options).await;
    let api = server.api(&server.workspace(Plan::Team).await);
    api.post_empty("/platform/auth/logout").await.expect(204);
    api.post_empty("/platform/auth/logout").await.error("rate_limited");
    server.finish().await;
}
