//! A loop of waits gets each mail once, when it becomes visible to its caller, whatever its screening did before.

use posthouse_app::mailbox::Visibility;
use posthouse_domain::{id::MessageId, message::HoldReason};
use posthouse_tests::TestMessage;
use serde_json::Value;

use crate::inbox_fixture::InboxFixture;

/// A step in the life of the message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Step {
    Shown,
    Pending,
    Held,
    Released,
}
use Step::{Held, Pending, Released, Shown};

/// What callers may ask for.
const ASKED: [&str; 4] =
    ["", "&include_unscreened=true", "&include_held=true", "&include_unscreened=true&include_held=true"];

/// The steps of a message, and how often each of the callers gets it. Mail that was withheld in between becomes visible again.
const LIVES: [(&[Step], [usize; 4]); 8] = [
    (&[Shown], [1, 1, 1, 1]),
    (&[Pending], [0, 1, 0, 1]),
    (&[Held], [0, 0, 1, 1]),
    (&[Pending, Shown], [1, 1, 1, 1]),
    (&[Pending, Held], [0, 1, 1, 1]),
    (&[Held, Released], [1, 1, 1, 1]),
    (&[Pending, Held, Released], [1, 2, 1, 1]),
    (&[Shown, Held, Released], [2, 2, 1, 1]),
];

/// A caller that waits again and again, each time for mail after the last one.
struct Reader {
    query: &'static str,
    since: String,
    subjects: Vec<String>,
}

impl InboxFixture {
    fn wait_path(&self, since: &str, query: &str) -> String {
        format!("/v1/inboxes/{}/messages/wait?timeout=5&since={since}{query}", self.inbox.id)
    }

    /// Receives ordinary mail; returns when it was stored.
    async fn mark(&self, subject: &str) -> String {
        let id = self.server.receive_with(&self.inbox, &TestMessage::new(subject, "text"), Visibility::Shown).await;
        self.api.get(&format!("/v1/messages/{id}")).await.text("created_at").to_owned()
    }

    /// Waits until mail with this subject.
    async fn read_to(&self, reader: &mut Reader, last: &str) {
        while reader.subjects.last().is_none_or(|subject| subject != last) {
            let found = self.api.get(&self.wait_path(&reader.since, reader.query)).await.expect(200);
            let message = &found["data"];
            assert_eq!(message.get("withheld"), None, "{message}");
            reader.since = message["created_at"].as_str().expect("a message").to_owned();
            reader.subjects.push(message["subject"].as_str().expect("a subject").to_owned());
        }
    }

    /// Takes a step; returns the message.
    async fn step(&self, step: Step, known: Option<MessageId>) -> MessageId {
        let mail = TestMessage::new("Mail", "text");
        match (step, known) {
            (Shown, None) => self.server.receive_with(&self.inbox, &mail, Visibility::Shown).await,
            (Pending, None) => self.server.receive_pending(&self.inbox, &mail).await,
            (_, None) => self.server.receive_held(&self.inbox, &mail, HoldReason::Phishing).await,
            (Shown, Some(id)) => {
                self.server.show(&self.key, id).await;
                id
            }
            (Held, Some(id)) => {
                self.server.hold(&self.key, id, HoldReason::Phishing).await;
                id
            }
            (_, Some(id)) => {
                self.api.post_empty(&format!("/v1/messages/{id}/release")).await.expect(200);
                id
            }
        }
    }
}

#[tokio::test]
async fn a_loop_of_waits_returns_each_mail_when_it_becomes_visible() {
    let fixture = InboxFixture::open().await;
    for (steps, expected) in LIVES {
        let since = fixture.mark("start").await;
        let new = |query| Reader { query, since: since.clone(), subjects: Vec::new() };
        let mut readers = ASKED.map(new);
        let mut late = ASKED.map(new);
        let mut id = None;
        for (number, step) in steps.iter().enumerate() {
            id = Some(fixture.step(*step, id).await);
            let mark = format!("mark {number}");
            fixture.mark(&mark).await;
            for reader in &mut readers {
                fixture.read_to(reader, &mark).await;
            }
        }
        let count = |reader: &Reader| reader.subjects.iter().filter(|subject| *subject == "Mail").count();
        let marks = |reader: &Reader| reader.subjects.iter().filter(|subject| *subject != "Mail").count();
        let end = format!("mark {}", steps.len() - 1);
        for ((reader, late), expected) in readers.iter().zip(&mut late).zip(expected) {
            assert_eq!(count(reader), expected, "{steps:?}, {:?}: {:?}", reader.query, reader.subjects);
            fixture.read_to(late, &end).await;
            let is_visible = match steps.last() {
                Some(Pending) => reader.query.contains("unscreened"),
                Some(Held) => reader.query.contains("held"),
                _ => true,
            };
            assert_eq!(count(late), usize::from(is_visible), "late, {steps:?}, {:?}", late.query);
            assert_eq!((marks(reader), marks(late)), (steps.len(), steps.len()), "{steps:?}: each other mail once");
        }
    }
    fixture.close().await;
}

#[tokio::test]
async fn each_change_that_shows_mail_to_more_callers_wakes_them() {
    for (steps, query) in [
        (&[Pending, Shown] as &[Step], ""),
        (&[Pending, Held], "&include_held=true"),
        (&[Held, Released], ""),
        (&[Held, Released], "&include_unscreened=true"),
        (&[Pending, Held, Released], ""),
    ] {
        let fixture = InboxFixture::open().await;
        let since = fixture.mark("start").await;
        let [before @ .., last] = steps else { continue };
        let mut id = None;
        for step in before {
            id = Some(fixture.step(*step, id).await);
        }
        let (api, path) = (fixture.api.clone(), fixture.wait_path(&since, query));
        let wait = tokio::spawn(async move { api.get(&path).await.expect(200).json });
        fixture.server.clock.wait_for_sleepers(1).await;
        let id = fixture.step(*last, id).await;
        let found: Value = wait.await.expect("the wait ends");
        assert_eq!(found["data"]["id"], id.to_string(), "{steps:?} {query}");
        fixture.close().await;
    }
}

#[tokio::test]
async fn a_released_code_wakes_the_wait_for_a_verification() {
    let fixture = InboxFixture::open().await;
    let since = fixture.mark("start").await;
    let mail = TestMessage::new("Your verification code", "Your verification code is 482913. It expires soon.");
    let id = fixture.server.receive_held(&fixture.inbox, &mail, HoldReason::Phishing).await;
    fixture.mark("between").await;
    let path = format!("/v1/inboxes/{}/verification?timeout=5&since={since}", fixture.inbox.id);
    let wait = tokio::spawn({
        let api = fixture.api.clone();
        async move { api.get(&path).await.expect(200).json }
    });
    fixture.server.clock.wait_for_sleepers(1).await;
    fixture.step(Released, Some(id)).await;
    assert_eq!(wait.await.expect("the wait ends")["data"]["code"], "482913");
    fixture.close().await;
}
