//! Request bodies about drafts. Members that a send requires may be missing from a draft, but never malformed.

use posthouse_api::wire::{
    BodyValue, BoundedJson, FutureTime, Metadata, OneOrMany, Patch, Recipient, Replacement, Sha256Hex, UserLabel,
};
use posthouse_app::drafts::{DraftFileInput, DraftInput, DraftRecipients, ReplyTarget};
use posthouse_app::outbound::compose::SUBJECT_CHARS_MAX;
use posthouse_call::prelude::*;
use posthouse_domain::label::LABELS_MAX;
use posthouse_domain::send::{FILES_MAX, RECIPIENTS_MAX};
use posthouse_domain::{AttachmentId, DraftChange, MessageId, MessageKind, NamedRecipient, ScheduleChange, ThreadId};
use serde_json::{Value, json};
use uuid::Uuid;

use super::super::sending::{AttachmentBody, BODY_CHARS_MAX, DATA_BYTES_MAX, body, labels};

/// Longest note to the author of a draft, in characters.
const NOTE_CHARS_MAX: usize = 2_000;

type Recipients = OneOrMany<Recipient, RECIPIENTS_MAX>;
type BodyText = BoundedText<0, BODY_CHARS_MAX>;

object! {
    /// A draft to create. Every member may be omitted until the draft is sent.
    pub struct CreateDraftBody {
        /// Recipients: one or several, as `addr`, `Name <addr>` or the handle of an agent, which the draft keeps as its address.
        to: Option<Recipients>,
        /// Recipients of a copy.
        cc: Option<Recipients>,
        /// Recipients of a blind copy, invisible to the others.
        bcc: Option<Recipients>,
        /// The subject.
        subject: Option<BoundedLine<0, SUBJECT_CHARS_MAX>>,
        /// The plain text body.
        text: Option<BodyText>,
        /// The HTML body.
        html: Option<BodyText>,
        /// Attachments.
        attachments: Option<BoundedList<AttachmentBody, 0, FILES_MAX>>,
        /// Labels for the sent message.
        labels: Option<BoundedList<UserLabel, 0, LABELS_MAX>>,
        /// Your own data. It is not sent.
        metadata: Option<Metadata>,
        /// The message to reply to.
        reply_to_message_id: Option<Uuid>,
        /// The thread to reply to: the draft replies to its latest message.
        thread_id: Option<Uuid>,
        /// Whether to reply to the other recipients of the message, too.
        reply_all: Option<bool>,
        /// When to send the draft, 1 minute to 30 days ahead.
        send_at: Option<FutureTime>,
        /// Structured data, as in a send.
        data: Option<BoundedJson<DATA_BYTES_MAX>>,
        /// The advisory message type.
        kind = "type": Option<MessageKind>,
    }
}

object! {
    /// Changes to a draft. Omitted members stay unchanged.
    pub struct UpdateDraftBody {
        /// Recipients: one or several, as `addr`, `Name <addr>` or the handle of an agent, which the draft keeps as its address.
        to: Replacement<Recipients>,
        /// Recipients of a copy.
        cc: Replacement<Recipients>,
        /// Recipients of a blind copy, invisible to the others.
        bcc: Replacement<Recipients>,
        /// The subject. Null clears it.
        subject: Patch<BoundedLine<0, SUBJECT_CHARS_MAX>>,
        /// The plain text body. Null clears it.
        text: Patch<BodyText>,
        /// The HTML body. Null clears it.
        html: Patch<BodyText>,
        /// All attachments: new ones, and `{ id }` for existing ones to keep.
        attachments: Replacement<BoundedList<DraftFileBody, 0, FILES_MAX>>,
        /// Labels for the sent message.
        labels: Replacement<BoundedList<UserLabel, 0, LABELS_MAX>>,
        /// Merged into the existing metadata. A null value deletes its key.
        metadata: Replacement<Metadata>,
        /// The message to reply to. Recipients and subject are computed again if omitted.
        reply_to_message_id: Replacement<Uuid>,
        /// The thread to reply to: the draft replies to its latest message.
        thread_id: Replacement<Uuid>,
        /// Whether to reply to the other recipients of the message, too. Recipients are computed again if omitted.
        reply_all: Replacement<bool>,
        /// When to send the draft, 1 minute to 30 days ahead. Null cancels the schedule.
        send_at: Patch<FutureTime>,
        /// Structured data. Null clears it.
        data: Patch<BoundedJson<DATA_BYTES_MAX>>,
        /// The advisory message type.
        kind = "type": Replacement<MessageKind>,
    }
}

object! {
    /// When to send a draft.
    pub struct ScheduleBody {
        /// The time to send at, 1 minute to 30 days ahead.
        send_at: FutureTime,
    }
}

object! {
    /// The approval of a draft.
    pub struct ApproveBody {
        /// The `content_sha256` of the draft as the approver has read it.
        content_sha256: Sha256Hex,
    }
}

object! {
    /// What the author of a draft should change.
    pub struct SendBackBody {
        /// The note to the author.
        note: BoundedText<1, NOTE_CHARS_MAX>,
        /// The `content_sha256` of the draft as it was read. If omitted, the draft is sent back whatever its content.
        content_sha256: Option<Sha256Hex>,
    }
}

object! {
    /// An attachment that the draft already has.
    pub struct ExistingFileBody {
        /// Its id.
        id: Uuid,
    }
}

/// An attachment in an update of a draft.
#[derive(Debug)]
pub(super) enum DraftFileBody {
    /// A new file.
    New(AttachmentBody),
    /// An existing file to keep.
    Kept(ExistingFileBody),
}

impl BodyValue for DraftFileBody {
    fn schema() -> Value {
        json!({ "anyOf": [AttachmentBody::schema(), ExistingFileBody::schema()] })
    }
    fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Self> {
        if value.get("id").is_some() {
            ExistingFileBody::decode(value, path, problems).map(Self::Kept)
        } else {
            AttachmentBody::decode(value, path, problems).map(Self::New)
        }
    }
}

/// A new draft is an update of an empty one.
impl From<CreateDraftBody> for UpdateDraftBody {
    fn from(body: CreateDraftBody) -> Self {
        let new =
            |list: BoundedList<AttachmentBody, 0, FILES_MAX>| list.0.into_iter().map(DraftFileBody::New).collect();
        let attachments = body.attachments.map(|list| BoundedList(new(list)));
        Self {
            to: Replacement(body.to),
            cc: Replacement(body.cc),
            bcc: Replacement(body.bcc),
            subject: body.subject.into(),
            text: body.text.into(),
            html: body.html.into(),
            attachments: Replacement(attachments),
            labels: Replacement(body.labels),
            metadata: Replacement(body.metadata),
            reply_to_message_id: Replacement(body.reply_to_message_id),
            thread_id: Replacement(body.thread_id),
            reply_all: Replacement(body.reply_all),
            send_at: body.send_at.into(),
            data: body.data.into(),
            kind: Replacement(body.kind),
        }
    }
}

impl UpdateDraftBody {
    pub(super) fn into_input(self) -> DraftInput {
        let change = DraftChange {
            subject: patched(self.subject, |subject| Some(subject.0)),
            text: patched(self.text, |text| body(Some(text))),
            html: patched(self.html, |html| body(Some(html))),
            data_json: patched(self.data, |data| Some(data.0.to_string())),
            kind: self.kind.0,
            labels: self.labels.0.map(|given| labels(Some(given))),
            metadata: self.metadata.0.unwrap_or_default().0,
            reply_all: self.reply_all.0,
            schedule: match self.send_at {
                Patch::Keep => ScheduleChange::Keep,
                Patch::Clear => ScheduleChange::Clear,
                Patch::Set(at) => ScheduleChange::At(at.0),
            },
            ..DraftChange::default()
        };
        let target = target(self.reply_to_message_id.0, self.thread_id.0);
        let files = self.attachments.0.map(|list| files(list.0));
        let people = DraftRecipients { to: self.to.0.map(named), cc: self.cc.0.map(named), bcc: self.bcc.0.map(named) };
        DraftInput { change, people, files, target }
    }
}

fn named(list: Recipients) -> Vec<NamedRecipient> {
    list.0.into_iter().map(|recipient| recipient.0).collect()
}

/// Returns the new value of a nullable field; the inner `None` clears it.
fn patched<T, V>(patch: Patch<T>, value: impl FnOnce(T) -> Option<V>) -> Option<Option<V>> {
    match patch {
        Patch::Keep => None,
        Patch::Clear => Some(None),
        Patch::Set(given) => Some(value(given)),
    }
}

fn target(message: Option<Uuid>, thread: Option<Uuid>) -> ReplyTarget {
    ReplyTarget { message: message.map(MessageId), thread: thread.map(ThreadId) }
}

fn files(files: Vec<DraftFileBody>) -> Vec<DraftFileInput> {
    let one = |file| match file {
        DraftFileBody::Kept(kept) => DraftFileInput::Kept(AttachmentId(kept.id)),
        DraftFileBody::New(new) => DraftFileInput::New(new.file()),
    };
    files.into_iter().map(one).collect()
}
