//! Two callers that changed one message or thread at the same time both got a success, but with PostgreSQL only one
//! change was stored.

use std::collections::BTreeSet;

use posthouse_domain::plan::Plan;
use posthouse_tests::{TestServer, http::Api};
use serde_json::{Value, json};
use tokio::task::JoinSet;

/// Number of concurrent callers.
const CALLERS: usize = 24;

/// Sends one change per caller at once.
async fn all_at_once(api: &Api, method: &'static str, path: &str, body: impl Fn(usize) -> Value) {
    let mut callers = JoinSet::new();
    for at in 0..CALLERS {
        let (api, path, body) = (api.clone(), path.to_owned(), body(at));
        callers.spawn(async move {
            let reply = if method == "PATCH" { api.patch(&path, body).await } else { api.post(&path, body).await };
            reply.expect(200);
        });
    }
    while let Some(done) = callers.join_next().await {
        done.unwrap();
    }
}

fn texts(list: &Value) -> BTreeSet<String> {
    list.as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn all_concurrent_changes_are_stored() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let (api, inbox) = (server.api(&key), server.inbox(&key).await);
    let sending = format!("/v1/inboxes/{}/messages", inbox.id);
    let body = json!({ "to": "ada@example.com", "subject": "s", "text": "t" });
    let sent = api.post(&sending, body).await.expect(202);
    let (message, thread) = (sent.text("id").to_owned(), sent.text("thread_id").to_owned());
    let labels = |prefix: &str| (0..CALLERS).map(|at| format!("{prefix}{at}")).collect::<BTreeSet<_>>();

    let path = format!("/v1/messages/{message}");
    all_at_once(&api, "PATCH", &path, |at| json!({ "add_labels": [format!("a{at}")] })).await;
    let found = api.get(&path).await.expect(200);
    assert_eq!(texts(&found["labels"]), labels("a"));

    let change =
        |at| json!({ "ids": [message], "add_labels": [format!("b{at}")], "remove_labels": [format!("a{at}")] });
    all_at_once(&api, "POST", "/v1/messages/batch-update", change).await;
    let found = api.get(&path).await.expect(200);
    assert_eq!(texts(&found["labels"]), labels("b"));
    for label in labels("b") {
        let list = api.get(&format!("{sending}?labels={label}")).await.expect(200);
        assert_eq!(list.data().len(), 1, "{label}");
    }

    let path = format!("/v1/threads/{thread}");
    let change = |at| json!({ "add_labels": [format!("c{at}")], "metadata": { (format!("m{at}")): at } });
    all_at_once(&api, "PATCH", &path, change).await;
    let found = api.get(&path).await.expect(200);
    assert_eq!(texts(&found["labels"]), labels("c"));
    let keys: BTreeSet<String> = found["metadata"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(keys, labels("m"));
    server.finish().await;
}
