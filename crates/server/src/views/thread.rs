//! The thread object (contract §6).

use posthouse_domain::thread::Thread;
use posthouse_store::messages::Record;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;
use uuid::Uuid;

use super::{Moment, json_text, message::MessageView};

/// A conversation within one inbox.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Thread")]
pub struct ThreadView<'a> {
    id: Uuid,
    inbox_id: Uuid,
    /// Null too while all of its mail was stopped by a list.
    subject: Option<&'a str>,
    /// Addresses of everybody in it.
    participants: &'a [String],
    message_count: u64,
    last_message_at: Moment,
    created_at: Moment,
    /// The thread's own labels.
    labels: &'a [String],
    #[schemars(with = "serde_json::Map<String, serde_json::Value>")]
    metadata: &'a RawValue,
}

/// A thread with messages.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ThreadWithMessages")]
pub struct FullThreadView<'a> {
    #[serde(flatten)]
    thread: ThreadView<'a>,
    /// The newest messages of the thread, in the order in which they were stored.
    messages: Vec<MessageView<'a>>,
    /// What to pass as `cursor` for the messages before these; null when there are none.
    earlier_cursor: Option<String>,
}

impl<'a> ThreadView<'a> {
    /// Shows the thread.
    #[must_use]
    pub fn of(thread: &'a Thread) -> Self {
        Self {
            id: thread.id.into(),
            inbox_id: thread.inbox.into(),
            subject: thread.subject.as_deref().filter(|_| thread.message_count > 0),
            participants: &thread.participants,
            message_count: thread.message_count,
            last_message_at: thread.last_message_at.into(),
            created_at: thread.created_at.into(),
            labels: &thread.labels,
            metadata: json_text(&thread.metadata_json),
        }
    }
}

impl<'a> FullThreadView<'a> {
    /// Shows the thread with messages that are given newest first.
    #[must_use]
    pub fn of(thread: &'a Thread, newest_first: &'a [Record], earlier_cursor: Option<String>) -> Self {
        let messages = newest_first.iter().rev().map(MessageView::of).collect();
        Self { thread: ThreadView::of(thread), messages, earlier_cursor }
    }
}
