//! Errors of no particular resource: rejected request bodies, and internal errors.

use posthouse_domain::plan::Plan;
use posthouse_store::{Error, Sql, p};
use posthouse_tests::TestServer;
use reqwest::Method;

#[tokio::test]
async fn an_oversized_body_is_rejected_and_read_to_its_end() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let api = server.api(&key);
    let large = vec![b' '; 3 * 1024 * 1024];
    api.raw(Method::POST, "/v1/inboxes", "application/json", large).await.error("body_too_large");
    assert!(api.get("/v1/inboxes").await.expect(200).data().is_empty(), "nothing was created");
    server.finish().await;
}

#[tokio::test]
async fn an_unsupported_content_type_is_rejected_with_the_expected_one() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let api = server.api(&key);
    for content_type in ["text/plain", "application/x-www-form-urlencoded", "application/jsonx"] {
        let refused = api.raw(Method::POST, "/v1/inboxes", content_type, "{}").await.error("unsupported_media_type");
        assert!(refused["error"]["fix"].as_str().unwrap().contains("application/json"), "{refused}");
    }
    api.raw(Method::POST, "/v1/inboxes", "Application/JSON; charset=utf-8", "{}").await.expect(201);
    server.finish().await;
}

#[tokio::test]
async fn damaged_data_is_reported_without_internal_details() {
    let mut server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let (api, inbox) = (server.api(&key), server.inbox(&key).await);
    server.deliver_raw(b"From: a@x.example\r\nSubject: x\r\n\r\ny\r\n", &[&inbox.address]).await.expect(250);
    let message = server.newest_message(&api, &inbox.id.to_string()).await;
    let workspace = key.workspace;
    let damage = move |tx: &mut posthouse_store::Tx| -> Result<u64, Error> {
        let text = "UPDATE contents SET raw = $2 WHERE workspace_id = $1".to_owned();
        tx.exec(&Sql::from_fragments("DAMAGE", text), p![workspace, b"no zstd".to_vec()])
    };
    assert_eq!(server.store().write(damage).await.unwrap(), 1);
    let raw = format!("/v1/messages/{}/raw", message["id"].as_str().unwrap());
    let refused = api.get(&raw).await.error("content_damaged");
    assert!(!refused.to_string().contains("zstd"), "{refused}");
    let damage = move |tx: &mut posthouse_store::Tx| -> Result<u64, Error> {
        let text = "UPDATE messages SET labels = $2 WHERE workspace_id = $1".to_owned();
        tx.exec(&Sql::from_fragments("DAMAGE", text), p![workspace, "no list"])
    };
    assert_eq!(server.store().write(damage).await.unwrap(), 1);
    let path = format!("/v1/messages/{}", message["id"].as_str().unwrap());
    let refused = api.get(&path).await.error("internal_error");
    assert!(!refused.to_string().contains("no list"), "{refused}");
    server.allow().log_error("");
    server.finish().await;
}
