//! Dear work holds the threads of its own workspace only: the dearest request of each class waits for its share, while the
//! requests of others are counted.

use std::sync::mpsc::{Sender, channel};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use posthouse_app::limits::blocking_pool::{WorkClass, WorkOwner, WorkStop};
use posthouse_app::settings::DeliveryMode;
use posthouse_domain::{error::LimitName, plan::Plan};
use posthouse_tests::{
    ServerOptions, TestMessage, TestServer,
    fixtures::{TestInbox, TestKey},
    http::ApiResponse,
    smtp_sink::SmtpSink,
};
use serde_json::json;
use tokio::{io::AsyncWriteExt, net::TcpStream, sync::oneshot};

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

/// Starts a server with direct delivery to a mail exchanger of `x.example`.
async fn start() -> (TestServer, SmtpSink) {
    let sink = SmtpSink::start().await;
    let port = sink.address.port();
    let server = TestServer::start(ServerOptions::default().configure(move |config| {
        config.delivery.mode = DeliveryMode::Direct;
        config.delivery.port = port;
    }))
    .await;
    server.dns.mx("x.example", 10, "mx1.x.example");
    server.dns.address("mx1.x.example", sink.address.ip());
    (server, sink)
}

/// Text of more bytes than any class does inline, and of fewer than are streamed.
fn large_text() -> String {
    format!("{}\n", "word ".repeat(14)).repeat(2_800)
}

/// A workspace with the mail that its requests are about.
struct Tenant {
    key: TestKey,
    inbox: TestInbox,
    html: String,
    large: String,
}

impl Tenant {
    async fn of(server: &TestServer) -> Self {
        let key = server.workspace(Plan::Team).await;
        let inbox = server.inbox(&key).await;
        let nested = "<ul><li>".repeat(500);
        let html = format!("From: a@b.example\r\nSubject: s\r\nContent-Type: text/html\r\n\r\n{nested}Hello\r\n");
        let html = server.receive_message(&inbox, html).await.to_string();
        let large = format!("From: a@b.example\r\nSubject: s\r\n\r\n{}", large_text().replace('\n', "\r\n"));
        let large = server.receive_message(&inbox, large).await.to_string();
        Self { key, inbox, html, large }
    }

    /// Makes a request that needs a thread of a class, and returns the response and its expected status.
    async fn request(&self, server: &TestServer, class: WorkClass, other: &Self) -> (ApiResponse, u16) {
        let (api, messages) = (server.api(&self.key), format!("/v1/inboxes/{}/messages", self.inbox.id));
        let file = json!({ "filename": "f", "content_type": "text/plain", "content_base64": BASE64_STANDARD.encode(large_text()) });
        let file = json!({ "to": "ann@x.example", "subject": "File", "text": "Here.", "attachments": [file] });
        match class {
            WorkClass::Receive => {
                server.deliver(&TestMessage::new("Large", &large_text()), &self.inbox.address).await;
                let copy = json!({ "to": other.inbox.address, "subject": "Large", "text": large_text() });
                let sent = api.post(&messages, copy).await;
                server.settle().await;
                (sent, 202)
            }
            WorkClass::View => (api.get(&format!("/v1/messages/{}/html", self.html)).await, 200),
            WorkClass::Content => (api.get(&format!("/v1/messages/{}/raw", self.large)).await, 200),
            // The response of a large send is rendered on a thread of its own class.
            WorkClass::Compose | WorkClass::Respond => (api.post(&messages, file).await, 202),
            WorkClass::Deliver => {
                let sent = api.post(&messages, file).await;
                server.settle().await;
                (sent, 202)
            }
            WorkClass::Search => {
                let document = json!({ "title": "Words", "body": "word ".repeat(30_000) });
                (api.post("/v1/knowledge", document).await, 201)
            }
            WorkClass::Keys => {
                (api.post("/v1/domains", json!({ "domain": format!("d{}.example", self.inbox.id) })).await, 201)
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn dear_work_of_a_workspace_delays_no_other_class_and_no_other_workspace() {
    let (server, _sink) = start().await;
    let third = Tenant::of(&server).await;
    for class in WorkClass::ALL {
        let (abuser, neighbor) = (Tenant::of(&server).await, Tenant::of(&server).await);
        server.settle().await;
        let mut held = Vec::new();
        for _ in 0..class.threads_per_workspace() {
            held.push(hold(&server, &abuser.key, class).await);
        }
        let mut own = Box::pin(abuser.request(&server, class, &neighbor));
        waits_for_its_share(&server, &abuser, class, &mut own).await;
        let others = async {
            for other in WorkClass::ALL {
                let (response, status) = neighbor.request(&server, other, &third).await;
                response.expect(status);
            }
            drop(held);
        };
        let ((response, status), ()) = tokio::join!(own, others);
        response.expect(status);
    }
    server.settle().await;
    server.finish().await;
}

/// Runs a request until its work waits for the threads of its workspace.
async fn waits_for_its_share<T>(
    server: &TestServer,
    tenant: &Tenant,
    class: WorkClass,
    request: &mut (impl Future<Output = T> + Unpin),
) {
    let owner = WorkOwner { class, workspace: tenant.key.workspace };
    let held = class.threads_per_workspace() as u64;
    let waits = async {
        while server.service().blocking_pool.tasks(owner) <= held {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        biased;
        _ = request => panic!("{class:?}: the work was done by the thread of the request"),
        () = waits => {}
    }
}

/// Ways to send content, each with large bodies and without files.
const LARGE_BODIES: [&str; 6] = ["text", "html", "reply", "forward", "draft", "knowledge"];

impl Tenant {
    async fn send_large(&self, server: &TestServer, way: &str) -> ApiResponse {
        let (api, inbox) = (server.api(&self.key), format!("/v1/inboxes/{}", self.inbox.id));
        let (to, large) = (json!(["ann@x.example"]), large_text());
        match way {
            "text" | "html" => {
                let body = json!({ "to": to, "subject": "Large", way: large });
                api.post(&format!("{inbox}/messages"), body).await
            }
            "reply" => {
                let body = json!({ "text": large });
                api.post(&format!("{inbox}/messages/{}/reply", self.html), body).await
            }
            "forward" => {
                // A stranger wrote the large text.
                let body = json!({ "to": to });
                api.post(&format!("{inbox}/messages/{}/forward", self.large), body).await
            }
            "draft" => {
                let body = json!({ "to": to, "subject": "Large", "text": large });
                let draft = api.post(&format!("{inbox}/drafts"), body).await.expect(201);
                api.post_empty(&format!("{inbox}/drafts/{}/send", draft.text("id"))).await
            }
            _ => {
                let content = BASE64_STANDARD.encode("<p>word ".repeat(20_000));
                let file = json!({ "filename": "f.html", "content_base64": content });
                api.post("/v1/knowledge", json!({ "file": file })).await
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn large_bodies_are_worked_on_apart_from_requests() {
    let (server, _sink) = start().await;
    for way in LARGE_BODIES {
        let tenant = Tenant::of(&server).await;
        let class = if way == "knowledge" { WorkClass::Search } else { WorkClass::Compose };
        let mut held = Vec::new();
        for _ in 0..class.threads_per_workspace() {
            held.push(hold(&server, &tenant.key, class).await);
        }
        let mut request = Box::pin(tenant.send_large(&server, way));
        waits_for_its_share(&server, &tenant, class, &mut request).await;
        drop(held);
        let response = request.await;
        assert!([201, 202].contains(&response.status), "{way}: {response:?}");
    }
    server.settle().await;
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

/// Requests of strangers' content, by the class of their work.
const CONTENT_READS: [(WorkClass, &str); 2] = [(WorkClass::View, "html"), (WorkClass::Content, "raw")];

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_goes_away_gives_its_place_back() {
    let server = TestServer::start(ServerOptions::default()).await;
    for (class, part) in CONTENT_READS {
        let tenant = Tenant::of(&server).await;
        server.settle().await;
        let owner = WorkOwner { class, workspace: tenant.key.workspace };
        let pool = &server.service().blocking_pool;
        let held = hold(&server, &tenant.key, class).await;
        let message = if class == WorkClass::View { &tenant.html } else { &tenant.large };
        let request = format!(
            "GET /v1/messages/{message}/{part}?include_unscreened=true HTTP/1.1\r\nhost: localhost\r\n\
             authorization: Bearer {}\r\n\r\n",
            tenant.key.secret
        );
        let mut clients = Vec::new();
        for _ in 0..4 {
            let mut client = TcpStream::connect(server.http_address()).await.expect("the server listens");
            client.write_all(request.as_bytes()).await.expect("the server reads");
            clients.push(client);
        }
        while pool.tasks(owner) < 5 {
            tokio::task::yield_now().await;
        }
        clients.truncate(1);
        while pool.tasks(owner) > 2 {
            tokio::task::yield_now().await;
        }
        drop(clients);
        while pool.tasks(owner) > 1 {
            tokio::task::yield_now().await;
        }
        drop(held);
        while pool.tasks(owner) > 0 {
            tokio::task::yield_now().await;
        }
    }
    server.finish().await;
}
