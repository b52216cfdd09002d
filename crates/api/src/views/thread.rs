//! The thread object.

use posthouse_domain::thread::Thread;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;
use uuid::Uuid;

use super::{RenderedPage, TimestampView, json_text, message::MessageView};

/// A conversation within one inbox.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Thread")]
pub struct ThreadView<'a> {
    id: Uuid,
    /// Inbox of the thread.
    inbox_id: Uuid,
    /// Subject; null if the mail has no subject, or if all of it was blocked by a list.
    subject: Option<&'a str>,
    /// Addresses of all participants.
    participants: &'a [String],
    /// Number of messages.
    message_count: u64,
    /// Number of unread messages.
    unread_count: u64,
    /// Time of the newest message.
    last_message_at: TimestampView,
    created_at: TimestampView,
    /// Labels of the thread itself, not of its messages.
    labels: &'a [String],
    /// Caller's own keys and values.
    #[schemars(with = "serde_json::Map<String, serde_json::Value>")]
    metadata: &'a RawValue,
}

/// A thread with its newest messages.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ThreadWithMessages")]
pub struct FullThreadView<'a> {
    #[serde(flatten)]
    thread: ThreadView<'a>,
    /// Newest messages of the thread, oldest first.
    #[schemars(with = "Vec<MessageView<'a>>")]
    messages: Vec<&'a RawValue>,
    /// Value of `cursor` for the messages before these; null if these are the first.
    earlier_cursor: Option<String>,
}

impl<'a> ThreadView<'a> {
    /// Returns the view of a thread.
    #[must_use]
    pub fn of(thread: &'a Thread) -> Self {
        Self {
            id: thread.id.into(),
            inbox_id: thread.inbox.into(),
            subject: thread.subject.as_deref().filter(|_| thread.message_count > 0),
            participants: &thread.participants,
            message_count: thread.message_count,
            unread_count: thread.unread_count,
            last_message_at: thread.last_message_at.into(),
            created_at: thread.created_at.into(),
            labels: &thread.labels,
            metadata: json_text(&thread.metadata_json),
        }
    }
}

impl<'a> FullThreadView<'a> {
    /// Returns the view of a thread with a page of its messages, newest first.
    #[must_use]
    pub fn of(thread: &'a Thread, newest_first: &'a RenderedPage) -> Self {
        let mut messages: Vec<&RawValue> = newest_first.items().map(json_text).collect();
        messages.reverse();
        Self { thread: ThreadView::of(thread), messages, earlier_cursor: newest_first.next_cursor.clone() }
    }
}
