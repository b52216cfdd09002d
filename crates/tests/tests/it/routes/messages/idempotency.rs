//! `Idempotency-Key` on the routes that send.

use posthouse_domain::time::DAY_MS;

use super::{InboxFixture, send_body};

#[tokio::test]
async fn a_repeated_request_replays_the_first_response_and_sends_nothing() {
    let fixture = InboxFixture::open().await;
    let api = fixture.api.idempotent("k-1");
    let first = api.post(&fixture.messages(""), send_body("sender@agents.localhost")).await.expect(202);
    assert_eq!(first.header("idempotent-replayed"), None);
    for path in [fixture.messages(""), fixture.messages("/send")] {
        let again = api.post(&path, send_body("sender@agents.localhost")).await.expect(202);
        assert_eq!(again.bytes, first.bytes, "byte for byte");
        assert_eq!(again.header("idempotent-replayed"), Some("true"));
    }
    api.post(&fixture.messages(""), send_body("eve@b.example")).await.error("idempotency_key_reused");
    let list = fixture.api.get(&fixture.messages("?direction=outbound")).await.expect(200);
    assert_eq!(list.data().len(), 1);
    fixture.server.finish().await;
}

#[tokio::test]
async fn an_idempotency_key_expires_after_a_day() {
    let fixture = InboxFixture::open().await;
    let api = fixture.api.idempotent("k-1");
    let first = api.post(&fixture.messages(""), send_body("sender@agents.localhost")).await.expect(202);
    fixture.server.advance(DAY_MS - 1).await;
    let again = api.post(&fixture.messages(""), send_body("sender@agents.localhost")).await.expect(202);
    assert_eq!(again.bytes, first.bytes);
    fixture.server.advance(1).await;
    let new = api.post(&fixture.messages(""), send_body("sender@agents.localhost")).await.expect(202);
    assert_ne!(new.text("id"), first.text("id"));
    fixture.server.finish().await;
}

#[tokio::test]
async fn an_error_leaves_the_key_unused() {
    let fixture = InboxFixture::open().await;
    let api = fixture.api.idempotent("k-1");
    api.post(&fixture.messages(""), send_body("not an address")).await.error("invalid_request");
    super::refusals::pause(&fixture, true).await;
    api.post(&fixture.messages(""), send_body("sender@agents.localhost")).await.error("inbox_paused");
    super::refusals::pause(&fixture, false).await;
    api.post(&fixture.messages(""), send_body("sender@agents.localhost")).await.expect(202);
    fixture.server.finish().await;
}

/// A client that retries before it has the response must not send twice, whichever request is first.
#[tokio::test]
async fn concurrent_requests_with_one_key_send_once() {
    let fixture = InboxFixture::open().await;
    let mut requests = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let (api, path) = (fixture.api.idempotent("k-1"), fixture.messages(""));
        requests.spawn(async move { api.post(&path, send_body("sender@agents.localhost")).await });
    }
    for reply in requests.join_all().await {
        match reply.status {
            202 => {}
            _ => drop(reply.error("idempotency_in_flight")),
        }
    }
    let list = fixture.api.get(&fixture.messages("?direction=outbound")).await.expect(200);
    assert_eq!(list.data().len(), 1);
    fixture.server.finish().await;
}
