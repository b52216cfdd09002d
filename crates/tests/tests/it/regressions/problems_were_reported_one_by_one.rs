//! Problems of field combinations were only reported when each field was valid, so a caller needed several requests to
//! see all problems.

use posthouse_domain::plan::Plan;
use posthouse_tests::TestServer;
use serde_json::json;

#[tokio::test]
async fn problems_of_combinations_are_reported_with_those_of_single_fields() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let inbox = server.inbox(&key).await;
    let api = server.api(&key);
    let sending = format!("/v1/inboxes/{}/messages", inbox.id);
    let crowd: Vec<String> = (0..30).map(|n| format!("a{n}@b.example")).collect();

    let cases = [
        (sending.clone(), json!({}), &["subject", "text", "to"][..]),
        (sending.clone(), json!({ "to": [], "subject": 5, "html": "" }), &["subject", "text", "to"][..]),
        (
            sending.clone(),
            json!({ "to": crowd, "cc": crowd, "labels": ["ai:x", "a b"] }),
            &["labels[0]", "labels[1]", "subject", "text", "to"],
        ),
        (
            sending,
            json!({ "to": "x", "subject": "s", "text": "t", "attachments": [
                { "filename": "a/b", "content_type": "multipart/mixed", "content_base64": "!" },
            ] }),
            &["attachments[0].content_base64", "attachments[0].content_type", "attachments[0].filename", "to"],
        ),
        (
            "/v1/inboxes".to_owned(),
            json!({ "ttl_seconds": 5, "username": "bert", "client_id": "c", "display_name": 1 }),
            &["client_id", "display_name", "ttl_seconds", "username"],
        ),
        ("/v1/contacts/delete".to_owned(), json!({ "forget": "yes" }), &["forget", "kind"]),
    ];
    for (path, body, paths) in cases {
        api.post(&path, body).await.invalid_fields(paths);
    }

    let path = format!("/v1/inboxes/{}/messages?dryrun=true", inbox.id);
    let sent = api.idempotent("a b").post(&path, json!({ "to": "x@b.example", "text": "t" })).await;
    sent.invalid_fields(&["Idempotency-Key", "dryrun", "subject"]);

    let message = "/v1/messages/01a1feb1-bc91-7000-af04-c76e5b804d91";
    let change = json!({ "add_labels": ["ai:x", "b"], "remove_labels": ["spf-fail", "b"], "is_read": "yes" });
    api.patch(message, change).await.invalid_fields(&[
        "add_labels[0]",
        "is_read",
        "remove_labels[0]",
        "remove_labels[1]",
    ]);
    server.finish().await;
}
