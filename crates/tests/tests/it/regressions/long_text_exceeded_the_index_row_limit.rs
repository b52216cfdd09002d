//! An index row of PostgreSQL has at most 2,704 bytes: a message with a longer subject was deferred forever, and
//! metadata values of a thousand non-ASCII characters caused a 500.

use posthouse_domain::plan::Plan;
use posthouse_tests::TestServer;
use serde_json::json;

/// Returns incompressible text with three bytes per character.
fn text(chars: u32, seed: u32) -> String {
    let numbers = std::iter::successors(Some(seed), |n| Some(n.wrapping_mul(1_664_525).wrapping_add(1_013_904_223)));
    numbers.filter_map(|n| char::from_u32(0x4E00 + (n >> 8) % 20_000)).take(chars as usize).collect()
}

#[tokio::test]
async fn a_message_with_a_long_subject_is_accepted_and_threaded() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let (api, inbox) = (server.api(&key), server.inbox(&key).await);
    let subject = (0..40).map(|n| text(60, n)).collect::<Vec<_>>().join("\r\n ");
    let first = format!("From: a@b.example\r\nSubject: {subject}\r\n\r\nOne\r\n");
    let second = format!("From: a@b.example\r\nSubject: Re: {subject}\r\n\r\nTwo\r\n");
    for raw in [&first, &second] {
        server.clock.advance(1_000);
        server.deliver_raw(raw.as_bytes(), &[&inbox.address]).await.expect(250);
    }
    let threads = api.get(&format!("/v1/threads?inbox_id={}", inbox.id)).await.expect(200);
    assert_eq!((threads.data().len(), &threads.data()[0]["message_count"]), (1, &json!(2)), "{}", threads.json);

    let body = json!({ "to": "a@b.example", "subject": text(998, 7), "text": "Long." });
    api.post(&format!("/v1/inboxes/{}/messages", inbox.id), body).await.expect(202);
    server.settle().await;
    server.finish().await;
}

#[tokio::test]
async fn long_metadata_is_stored_and_found() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let (api, inbox) = (server.api(&key), server.inbox(&key).await);
    let note = text(1_000, 1);
    let metadata = json!({ "metadata": { "note": note } });
    api.patch(&format!("/v1/inboxes/{}", inbox.id), metadata.clone()).await.expect(200);
    api.post(&format!("/v1/inboxes/{}/drafts", inbox.id), metadata.clone()).await.expect(201);
    server.deliver_raw(b"From: ann@b.example\r\nSubject: Hi\r\n\r\nHi\r\n", &[&inbox.address]).await.expect(250);
    let contacts = api.get("/v1/contacts").await.expect(200);
    let path = format!("/v1/contacts/{}", contacts.data()[0]["id"].as_str().unwrap());
    api.patch(&path, metadata).await.expect(200);
    for list in ["inboxes", "drafts", "contacts"] {
        let found = api.get(&format!("/v1/{list}?metadata.note={note}")).await.expect(200);
        assert_eq!(found.data().len(), 1, "{list}");
        assert_eq!(found.data()[0]["metadata"]["note"], note);
        for other in [text(999, 1), "a%00".to_owned()] {
            assert!(api.get(&format!("/v1/{list}?metadata.note={other}")).await.expect(200).data().is_empty());
        }
    }
    server.finish().await;
}
