//! `POST /dev/inbound`.

use posthouse_app::settings::DeliveryMode;
use posthouse_domain::plan::Plan;
use posthouse_tests::{
    TestServer,
    http::{Api, ApiResponse},
    server::ServerOptions,
};
use reqwest::Method;

const MAIL: &str = "From: Dana <dana@elsewhere.example>\nTo: first@agents.localhost\nCc: second+tag@agents.localhost\n\
                    Subject: Offer\nMessage-ID: <offer@elsewhere.example>\n\nDo you want it?\n";

async fn inject(api: &Api, query: &str) -> ApiResponse {
    let mail = MAIL.replace('\n', "\r\n");
    api.raw(Method::POST, &format!("/dev/inbound{query}"), "message/rfc822", mail).await
}

async fn capturing() -> TestServer {
    TestServer::start(ServerOptions::default().configure(|config| config.delivery.mode = DeliveryMode::Capture)).await
}

#[tokio::test]
async fn an_injected_message_reaches_the_inboxes_in_to_and_cc_without_a_key() {
    let server = capturing().await;
    let key = server.workspace(Plan::Team).await;
    let first = server.inbox_named(&key, "first").await;
    let second = server.inbox_named(&key, "second").await;
    let stored = inject(&server.anonymous(), "").await.expect(201);
    assert_eq!(stored["message_ids"].as_array().map(Vec::len), Some(2));
    for inbox in [&first, &second] {
        let list = server.api(&key).get(&format!("/v1/inboxes/{}/messages", inbox.id)).await.expect(200);
        assert_eq!(list.data()[0]["subject"], "Offer");
        let id = list.data()[0]["id"].as_str().unwrap().to_owned();
        let raw = server.api(&key).get(&format!("/v1/messages/{id}/raw")).await.expect(200);
        assert!(raw.bytes.ends_with(MAIL.replace('\n', "\r\n").as_bytes()), "the bytes are unchanged");
    }
    server.finish().await;
}

#[tokio::test]
async fn the_query_names_recipients_and_unknown_ones_are_refused() {
    let server = capturing().await;
    let key = server.workspace(Plan::Team).await;
    server.inbox_named(&key, "third").await;
    let api = server.anonymous();
    let stored = inject(&api, "?to=third+x@agents.localhost,nobody@agents.localhost").await.expect(201);
    assert_eq!(stored["message_ids"].as_array().map(Vec::len), Some(1));
    assert_eq!(stored["refused"][0], "nobody@agents.localhost");
    inject(&api, "?to=nobody@agents.localhost").await.error("not_found");
    inject(&api, "?to=nobody").await.invalid_fields(&["to"]);
    inject(&api, "?too=x").await.invalid_fields(&["too"]);
    api.raw(Method::POST, "/dev/inbound", "message/rfc822", "").await.invalid_fields(&["body"]);
    server.finish().await;
}

#[tokio::test]
async fn the_route_exists_only_in_capture_mode() {
    let server =
        TestServer::start(ServerOptions::default().configure(|config| config.delivery.mode = DeliveryMode::Direct))
            .await;
    inject(&server.anonymous(), "").await.expect(404);
    server.finish().await;
}
