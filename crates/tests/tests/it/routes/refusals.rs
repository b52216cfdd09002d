//! Refusals that belong to no single resource: what any route says to a body that it cannot take, and when something
//! inside is broken.

use posthouse_domain::plan::Plan;
use posthouse_store::{Error, Sql, p};
use posthouse_tests::TestServer;
use reqwest::Method;

#[tokio::test]
async fn a_body_over_the_limit_of_its_route_is_refused_and_read_to_its_end() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let api = server.api(&key);
    let large = vec![b' '; 3 * 1024 * 1024];
    api.raw(Method::POST, "/v1/inboxes", "application/json", large).await.error("body_too_large");
    assert!(api.get("/v1/inboxes").await.expect(200).data().is_empty(), "nothing was made");
    server.finish().await;
}

#[tokio::test]
async fn a_body_of_another_content_type_is_refused_with_the_one_to_send() {
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
async fn what_is_damaged_inside_is_an_error_of_its_own_that_tells_nothing_of_it() {
    let mut server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let (api, inbox) = (server.api(&key), server.inbox(&key).await);
    server.deliver_raw(b"From: a@x.example\r\nSubject: x\r\n\r\ny\r\n", &[&inbox.address]).await.expect(250);
    let message = server.newest(&api, &inbox.id.to_string()).await;
    let workspace = key.workspace;
    let damage = move |tx: &mut posthouse_store::Tx| -> Result<u64, Error> {
        let text = "UPDATE contents SET raw = $2 WHERE workspace_id = $1".to_owned();
        tx.exec(&Sql::built("DAMAGE", text), p![workspace, b"no zstd".to_vec()])
    };
    assert_eq!(server.store().write(damage).await.unwrap(), 1);
    let raw = format!("/v1/messages/{}/raw", message["id"].as_str().unwrap());
    let refused = api.get(&raw).await.error("content_damaged");
    assert!(!refused.to_string().contains("zstd"), "{refused}");
    let damage = move |tx: &mut posthouse_store::Tx| -> Result<u64, Error> {
        let text = "UPDATE messages SET labels = $2 WHERE workspace_id = $1".to_owned();
        tx.exec(&Sql::built("DAMAGE", text), p![workspace, "no list"])
    };
    assert_eq!(server.store().write(damage).await.unwrap(), 1);
    let path = format!("/v1/messages/{}", message["id"].as_str().unwrap());
    let refused = api.get(&path).await.error("internal_error");
    assert!(!refused.to_string().contains("no list"), "{refused}");
    server.allow().log_error("");
    server.finish().await;
}
