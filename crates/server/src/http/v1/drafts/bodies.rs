//! What requests about drafts contain. Everything may be missing until a draft is sent; what is there has its form.

use posthouse_domain::{
    draft::{Change, Schedule},
    id::{AttachmentId, MessageId, ThreadId},
    label::LABELS_MAX,
    message::Kind,
    send::{FILES_MAX, RECIPIENTS_MAX},
    time::Time,
};
use serde_json::{Value, json};
use uuid::Uuid;

use super::super::send::{AttachmentBody, BODY_CHARS_MAX, DATA_BYTES_MAX, body, labels};
use crate::{
    app::{
        compose::SUBJECT_CHARS_MAX,
        draft::{FileGiven, Given, Target},
    },
    http::wire::{Json, Line, List, Metadata, OneOrMany, OwnLabel, Patch, Problems, Recipient, Text, Wire, object},
};

type Recipients = OneOrMany<Recipient, RECIPIENTS_MAX>;
type BodyText = Text<0, BODY_CHARS_MAX>;

object! {
    /// A draft. Everything may be left out until it is sent.
    pub struct CreateBody {
        /// Who it goes to: `addr` or `Name <addr>`, one or several.
        to: Option<Recipients>,
        /// Who gets a copy.
        cc: Option<Recipients>,
        /// Who gets a copy that the others do not see.
        bcc: Option<Recipients>,
        /// What it is about.
        subject: Option<Line<0, SUBJECT_CHARS_MAX>>,
        /// Plain text.
        text: Option<BodyText>,
        /// HTML.
        html: Option<BodyText>,
        /// Files.
        attachments: Option<List<AttachmentBody, 0, FILES_MAX>>,
        /// Labels for the sent message.
        labels: Option<List<OwnLabel, 0, LABELS_MAX>>,
        /// The caller's own data; it is not sent.
        metadata: Option<Metadata>,
        /// The message that it answers.
        reply_to_message_id: Option<Uuid>,
        /// Answers the latest message of that thread.
        thread_id: Option<Uuid>,
        /// Whether it also goes to the other recipients of the message.
        reply_all: Option<bool>,
        /// When to send it, 1 minute to 30 days ahead.
        send_at: Option<Time>,
        /// Structured data, as in a send.
        data: Option<Json<DATA_BYTES_MAX>>,
        /// The advisory kind.
        kind = "type": Option<Kind>,
    }
}

object! {
    /// A change of a draft. What is left out stays.
    pub struct UpdateBody {
        /// Who it goes to: `addr` or `Name <addr>`, one or several.
        to: Option<Recipients>,
        /// Who gets a copy.
        cc: Option<Recipients>,
        /// Who gets a copy that the others do not see.
        bcc: Option<Recipients>,
        /// What it is about; null clears it.
        subject: Patch<Line<0, SUBJECT_CHARS_MAX>>,
        /// Plain text; null clears it.
        text: Patch<BodyText>,
        /// HTML; null clears it.
        html: Patch<BodyText>,
        /// All files: new ones, and `{ id }` for those that stay.
        attachments: Option<List<FileBody, 0, FILES_MAX>>,
        /// Labels for the sent message.
        labels: Option<List<OwnLabel, 0, LABELS_MAX>>,
        /// Merged into the metadata that is there; a null value deletes its key.
        metadata: Option<Metadata>,
        /// The message that it answers; recipients and subject are filled in anew where they are left out.
        reply_to_message_id: Option<Uuid>,
        /// Answers the latest message of that thread.
        thread_id: Option<Uuid>,
        /// Whether it also goes to the other recipients of the message; recipients are filled in anew where they are left out.
        reply_all: Option<bool>,
        /// When to send it, 1 minute to 30 days ahead; null ends the schedule.
        send_at: Patch<Time>,
        /// Structured data; null clears it.
        data: Patch<Json<DATA_BYTES_MAX>>,
        /// The advisory kind.
        kind = "type": Option<Kind>,
    }
}

object! {
    /// When to send a draft.
    pub struct ScheduleBody {
        /// 1 minute to 30 days ahead.
        send_at: Time,
    }
}

object! {
    /// A file that the draft has already.
    pub struct KeptFile {
        /// Its id.
        id: Uuid,
    }
}

/// A file of a changed draft.
#[derive(Debug)]
pub enum FileBody {
    /// A new one.
    New(AttachmentBody),
    /// One that stays.
    Kept(KeptFile),
}

impl Wire for FileBody {
    fn schema() -> Value {
        json!({ "anyOf": [AttachmentBody::schema(), KeptFile::schema()] })
    }
    fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Self> {
        if value.get("id").is_some() {
            KeptFile::decode(value, path, problems).map(Self::Kept)
        } else {
            AttachmentBody::decode(value, path, problems).map(Self::New)
        }
    }
}

/// A new draft is a change of an empty one.
impl From<CreateBody> for UpdateBody {
    fn from(body: CreateBody) -> Self {
        Self {
            to: body.to,
            cc: body.cc,
            bcc: body.bcc,
            subject: body.subject.into(),
            text: body.text.into(),
            html: body.html.into(),
            attachments: body.attachments.map(|list| List(list.0.into_iter().map(FileBody::New).collect())),
            labels: body.labels,
            metadata: body.metadata,
            reply_to_message_id: body.reply_to_message_id,
            thread_id: body.thread_id,
            reply_all: body.reply_all,
            send_at: body.send_at.into(),
            data: body.data.into(),
            kind: body.kind,
        }
    }
}

impl UpdateBody {
    pub(super) fn given(self) -> Given {
        let change = Change {
            to: self.to.map(shown),
            cc: self.cc.map(shown),
            bcc: self.bcc.map(shown),
            subject: patched(self.subject, |subject| Some(subject.0)),
            text: patched(self.text, |text| body(Some(text))),
            html: patched(self.html, |html| body(Some(html))),
            data_json: patched(self.data, |data| Some(data.0.to_string())),
            kind: self.kind,
            labels: self.labels.map(|given| labels(Some(given))),
            metadata: self.metadata.unwrap_or_default().0,
            reply_all: self.reply_all,
            schedule: match self.send_at {
                Patch::Keep => Schedule::Keep,
                Patch::Clear => Schedule::Clear,
                Patch::Set(at) => Schedule::At(at),
            },
            ..Change::default()
        };
        let target = target(self.reply_to_message_id, self.thread_id);
        let files = self.attachments.map(|list| files(list.0));
        Given { change, files, target }
    }
}

fn shown(list: Recipients) -> Vec<String> {
    list.0.into_iter().map(|recipient| recipient.0.to_string()).collect()
}

/// The new value of a nullable field; the inner `None` clears it.
fn patched<T, V>(patch: Patch<T>, value: impl FnOnce(T) -> Option<V>) -> Option<Option<V>> {
    match patch {
        Patch::Keep => None,
        Patch::Clear => Some(None),
        Patch::Set(given) => Some(value(given)),
    }
}

fn target(message: Option<Uuid>, thread: Option<Uuid>) -> Target {
    Target { message: message.map(MessageId), thread: thread.map(ThreadId) }
}

fn files(files: Vec<FileBody>) -> Vec<FileGiven> {
    let one = |file| match file {
        FileBody::Kept(kept) => FileGiven::Kept(AttachmentId(kept.id)),
        FileBody::New(new) => FileGiven::New(new.file()),
    };
    files.into_iter().map(one).collect()
}
