//! `Idempotency-Key` on the routes that send (decision 4).

use posthouse_domain::time::DAY_MS;

use super::{Desk, letter};

#[tokio::test]
async fn a_repeated_request_gets_the_first_answer_and_sends_nothing() {
    let desk = Desk::open().await;
    let api = desk.api.idempotent("k-1");
    let first = api.post(&desk.messages(""), letter("sender@agents.localhost")).await.expect(202);
    assert_eq!(first.header("idempotent-replayed"), None);
    for path in [desk.messages(""), desk.messages("/send")] {
        let again = api.post(&path, letter("sender@agents.localhost")).await.expect(202);
        assert_eq!(again.bytes, first.bytes, "byte for byte");
        assert_eq!(again.header("idempotent-replayed"), Some("true"));
    }
    api.post(&desk.messages(""), letter("eve@b.example")).await.error("idempotency_key_reused");
    let list = desk.api.get(&desk.messages("?direction=outbound")).await.expect(200);
    assert_eq!(list.data().len(), 1);
    desk.server.finish().await;
}

#[tokio::test]
async fn a_key_is_forgotten_after_a_day() {
    let desk = Desk::open().await;
    let api = desk.api.idempotent("k-1");
    let first = api.post(&desk.messages(""), letter("sender@agents.localhost")).await.expect(202);
    desk.server.advance(DAY_MS - 1).await;
    let again = api.post(&desk.messages(""), letter("sender@agents.localhost")).await.expect(202);
    assert_eq!(again.bytes, first.bytes);
    desk.server.advance(1).await;
    let new = api.post(&desk.messages(""), letter("sender@agents.localhost")).await.expect(202);
    assert_ne!(new.text("id"), first.text("id"));
    desk.server.finish().await;
}

#[tokio::test]
async fn a_refusal_leaves_the_key_free() {
    let desk = Desk::open().await;
    let api = desk.api.idempotent("k-1");
    api.post(&desk.messages(""), letter("not an address")).await.error("invalid_request");
    super::refusals::pause(&desk, true).await;
    api.post(&desk.messages(""), letter("sender@agents.localhost")).await.error("inbox_paused");
    super::refusals::pause(&desk, false).await;
    api.post(&desk.messages(""), letter("sender@agents.localhost")).await.expect(202);
    desk.server.finish().await;
}

/// A client that repeats before it has the answer must not send twice, whichever request comes first.
#[tokio::test]
async fn requests_at_the_same_time_send_once() {
    let desk = Desk::open().await;
    let mut requests = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let (api, path) = (desk.api.idempotent("k-1"), desk.messages(""));
        requests.spawn(async move { api.post(&path, letter("sender@agents.localhost")).await });
    }
    for reply in requests.join_all().await {
        match reply.status {
            202 => {}
            _ => drop(reply.error("idempotency_in_flight")),
        }
    }
    let list = desk.api.get(&desk.messages("?direction=outbound")).await.expect(200);
    assert_eq!(list.data().len(), 1);
    desk.server.finish().await;
}
