//! An answer that arrived before its parent, and two answers to a message that never came, were in different threads.

use posthouse_domain::MessageId;
use posthouse_tests::{fixtures::TestInbox, server::TestServer};

use crate::inbox_fixture::InboxFixture;

/// A message: its Message-ID, In-Reply-To and References, each without its domain and brackets.
struct Part {
    id: &'static str,
    answers: &'static str,
    references: &'static str,
}

const fn part(id: &'static str, answers: &'static str, references: &'static str) -> Part {
    Part { id, answers, references }
}

/// Messages in order of arrival. All of a conversation are in one thread.
const CONVERSATIONS: &[&[Part]] = &[
    &[part("b", "a", ""), part("a", "", "")],
    &[part("b", "", "a"), part("a", "", "")],
    &[part("b", "a", "a"), part("a", "", "")],
    &[part("c", "b", "a b"), part("a", "", "")],
    &[part("c", "b", "a b"), part("b", "a", "a")],
    &[part("c", "b", "a b"), part("b", "a", ""), part("a", "", "")],
    &[part("c", "b", "a b"), part("a", "", ""), part("b", "a", "a")],
    // The parent never comes.
    &[part("b", "a", ""), part("c", "a", "")],
    &[part("b", "", "a"), part("c", "", "a")],
    &[part("b", "a", ""), part("c", "", "a")],
    &[part("b", "", "a"), part("c", "a", "")],
    &[part("b", "a", "a"), part("c", "a", "a"), part("d", "a", "a")],
    &[part("c", "b", "a b"), part("d", "a", "a")],
    &[part("c", "b", "a b"), part("e", "d", "a d")],
    &[part("b", "a", ""), part("c", "b", "b"), part("d", "a", "")],
    // The missing message has an answer that joined by another ID.
    &[part("a", "", ""), part("c", "b", "a b"), part("d", "b", "")],
    &[part("a", "", ""), part("c", "b", "a b"), part("b", "", "")],
];

/// Messages of different threads.
const STRANGERS: &[&[Part]] = &[
    &[part("b", "a", ""), part("c", "x", "")],
    &[part("b", "a", ""), part("c", "", "")],
    &[part("b", "", "a x"), part("y", "", "z")],
    &[part("a", "", ""), part("b", "", "")],
];

async fn thread_of(fixture: &InboxFixture, id: MessageId) -> String {
    fixture.api.get(&format!("/v1/messages/{id}")).await.expect(200).text("thread_id").to_owned()
}

/// Returns the number of threads of messages that arrive in this order. `name` makes their IDs unique.
async fn threads(fixture: &InboxFixture, at: &TestInbox, parts: &[Part], name: &str) -> usize {
    let ids = |list: &str| list.split_whitespace().map(|id| format!("<{id}.{name}@x.example>")).collect::<Vec<_>>();
    let mut threads = Vec::new();
    for (n, one) in parts.iter().enumerate() {
        let mut raw = format!("From: p{n}@x.example\r\nTo: {}\r\nSubject: {}{n}\r\n", at.address, one.id);
        for (field, list) in [("Message-ID", one.id), ("In-Reply-To", one.answers), ("References", one.references)] {
            if !list.is_empty() {
                raw += &format!("{field}: {}\r\n", ids(list).join(" "));
            }
        }
        fixture.server.clock.advance(1);
        let id = fixture.server.receive_message(at, raw + "\r\nHello.\r\n").await;
        threads.push(thread_of(fixture, id).await);
    }
    threads.sort();
    threads.dedup();
    threads.len()
}

#[tokio::test]
async fn messages_that_name_the_same_message_are_one_thread() {
    let fixture = InboxFixture::open().await;
    let mut variants = 0;
    for (n, parts) in CONVERSATIONS.iter().enumerate() {
        assert_eq!(threads(&fixture, &fixture.inbox, parts, &format!("one{n}")).await, 1, "conversation {n}");
        variants += 1;
    }
    for (n, parts) in STRANGERS.iter().enumerate() {
        let count = threads(&fixture, &fixture.inbox, parts, &format!("two{n}")).await;
        assert_eq!(count, parts.len(), "strangers {n}");
        variants += 1;
    }
    assert!(variants >= 20);
    fixture.close().await;
}

#[tokio::test]
async fn an_unknown_message_joins_nothing_in_another_inbox_or_after_the_thread_is_deleted() {
    let fixture = InboxFixture::open().await;
    let other = fixture.server.inbox_named(&fixture.key, "other").await;
    let receive = async |server: &TestServer, at: &TestInbox, id: &str| {
        let raw = format!(
            "From: ann@x.example\r\nTo: {}\r\nSubject: {id}\r\nMessage-ID: <{id}@x>\r\nIn-Reply-To: <a@x>\r\n\r\nHello.\r\n",
            at.address
        );
        server.clock.advance(1);
        server.receive_message(at, raw).await
    };
    let first = receive(&fixture.server, &fixture.inbox, "b").await;
    let elsewhere = receive(&fixture.server, &other, "c").await;
    let first = thread_of(&fixture, first).await;
    assert_ne!(first, thread_of(&fixture, elsewhere).await);
    fixture.api.delete(&format!("/v1/threads/{first}")).await.expect(200);
    let later = receive(&fixture.server, &fixture.inbox, "d").await;
    assert_ne!(first, thread_of(&fixture, later).await);
    fixture.close().await;
}
