//! The thread object.

use posthouse_domain::{id::MessageId, message::Direction, thread::Thread};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;
use uuid::Uuid;

use super::{RenderedPage, TimestampView, json_text, message::MessageView, name_of};

/// Longest preview of a message, in characters.
const PREVIEW_CHARS_MAX: usize = 120;

view! {
    /// A conversation within one inbox.
    #[derive(Serialize, JsonSchema)]
    #[schemars(rename = "MailThread")]
    pub struct ThreadView<'a> of thread: &'a Thread {
        id: Uuid = thread.id.into(),
        /// Inbox of the thread.
        inbox_id: Uuid = thread.inbox.into(),
        /// Subject; null if the mail has no subject, or if all of it was blocked by a list.
        subject: Option<&'a str> = thread.subject.as_deref().filter(|_| thread.message_count > 0),
        /// Addresses of all participants.
        participants: &'a [String] = &thread.participants,
        /// Number of messages.
        message_count: u64 = thread.message_count,
        /// Number of unread messages.
        unread_count: u64 = thread.unread_count,
        /// Time of the newest message.
        last_message_at: TimestampView = thread.last_message_at.into(),
        created_at: TimestampView = thread.created_at.into(),
        /// Labels of the thread itself, not of its messages.
        labels: &'a [String] = &thread.labels,
        /// Caller's own keys and values.
        #[schemars(with = "serde_json::Map<String, serde_json::Value>")]
        metadata: &'a RawValue = json_text(&thread.metadata_json),
        /// Newest message; null unless a list was requested with `include_newest`.
        newest: Option<NewestMessageView<'a>> = None,
    }
}

/// The newest message of a thread.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "NewestMessage")]
pub struct NewestMessageView<'a> {
    id: Uuid,
    #[schemars(schema_with = "name_of::<Direction>")]
    direction: &'static str,
    /// Author: an address, or `Name <address>`.
    from: &'a str,
    /// First words of the new text, at most 120 characters, on one line. Untrusted text.
    preview: String,
}

impl<'a> NewestMessageView<'a> {
    /// Returns the view of a message with the beginning of its new text.
    #[must_use]
    pub fn of(id: MessageId, direction: Direction, from: &'a str, beginning: &str) -> Self {
        let line = beginning.split_whitespace().collect::<Vec<_>>().join(" ");
        let preview = line.chars().take(PREVIEW_CHARS_MAX).collect();
        Self { id: id.into(), direction: direction.text(), from, preview }
    }
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
    /// Adds the newest message.
    #[must_use]
    pub fn with_newest(self, newest: Option<NewestMessageView<'a>>) -> Self {
        Self { newest, ..self }
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
