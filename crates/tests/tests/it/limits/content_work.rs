//! Dear work on the mail of strangers holds its own threads only: the dearest input of each class runs while the requests
//! of others are counted.

use std::sync::mpsc::{Sender, channel};

use posthouse_app::limits::blocking_pool::{WorkClass, WorkOwner, WorkStop};
use posthouse_domain::{error::LimitName, plan::Plan};
use posthouse_tests::{ServerOptions, TestMessage, TestServer, fixtures::TestKey};
use serde_json::json;
use tokio::sync::oneshot;

/// Requests of the neighbor while the work is held.
const ROUNDS: usize = 5;

/// Starts work that holds a thread of a class until the sender is dropped.
async fn hold(server: &TestServer, key: &TestKey, class: WorkClass) -> Sender<()> {
    let (end, until) = channel::<()>();
    let (started, is_started) = oneshot::channel();
    let (app, workspace) = (server.service().clone(), key.workspace);
    tokio::spawn(async move {
        let owner = WorkOwner { class, workspace };
        let work = move |_: &WorkStop| {
            started.send(()).expect("the test waits");
            let _ = until.recv();
        };
        app.blocking_pool.run_for(owner, usize::MAX, work).await
    });
    is_started.await.expect("the work starts");
    end
}

/// What another workspace does: receives, reads, shows, searches and adds a domain.
async fn work(server: &TestServer, key: &TestKey, round: usize) {
    let (api, inbox) = (server.api(key), server.inbox(key).await);
    let html = "From: a@b.example\r\nSubject: s\r\nContent-Type: text/html\r\n\r\n<p>Hello</p>\r\n";
    let id = server.receive_message(&inbox, html).await;
    api.get(&format!("/v1/messages/{id}/html")).await.expect(200);
    api.get(&format!("/v1/messages/{id}/raw")).await.expect(200);
    let large = TestMessage::new("Large", &format!("{}\n", "word ".repeat(14)).repeat(4_000));
    server.deliver(&large, &inbox.address).await;
    api.get("/v1/search?q=word").await.expect(200);
    api.post("/v1/domains", json!({ "domain": format!("d{round}.example") })).await.expect(201);
}

#[tokio::test(flavor = "multi_thread")]
async fn dear_work_of_a_workspace_delays_no_other_class_and_no_other_workspace() {
    let server = TestServer::start(ServerOptions::default()).await;
    let (abuser, neighbor) = (server.workspace(Plan::Free).await, server.workspace(Plan::Team).await);
    let mut held = Vec::new();
    for class in [WorkClass::View, WorkClass::Content] {
        for _ in 0..class.threads_per_workspace() {
            held.push(hold(&server, &abuser, class).await);
        }
    }
    for round in 0..ROUNDS {
        work(&server, &neighbor, round).await;
    }
    drop(held);
    server.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_beyond_the_queue_of_a_workspace_are_refused_with_the_wait() {
    let server = TestServer::start(ServerOptions::default()).await;
    let key = server.workspace(Plan::Team).await;
    let (api, inbox) = (server.api(&key), server.inbox(&key).await);
    let html = "From: a@b.example\r\nSubject: s\r\nContent-Type: text/html\r\n\r\n<p>Hello</p>\r\n";
    let path = format!("/v1/messages/{}/html", server.receive_message(&inbox, html).await);
    let mut held = Vec::new();
    for _ in 0..WorkClass::View.threads_per_workspace() {
        held.push(hold(&server, &key, WorkClass::View).await);
    }
    let mut views: Vec<_> = (0..40)
        .map(|_| {
            let (api, path) = (server.api(&key), path.clone());
            tokio::spawn(async move { api.get(&path).await })
        })
        .collect();
    let mut refused = 0;
    // Those that hold a thread count, too.
    let waiting = 16 - held.len();
    while refused < 40 - waiting {
        let (response, _, rest) = futures_util::future::select_all(views).await;
        views = rest;
        let response = response.expect("the request doesn't panic");
        super::assert_at_limit(response, "rate_limited", LimitName::ContentWorkPerWorkspace, 16);
        refused += 1;
    }
    assert!(super::metric(&server, "limit_refusals_total", LimitName::ContentWorkPerWorkspace).await >= 24);
    drop(held);
    for view in views {
        view.await.expect("the request doesn't panic").expect(200);
    }
    api.get(&path).await.expect(200);
    server.finish().await;
}
