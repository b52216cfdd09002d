//! The draft object, and the approval that a sent message keeps of it (contract §4.1, §5.1).

use posthouse_domain::{
    draft::{self, Draft, DraftFile},
    message::Kind,
    metadata::{self, Metadata},
};
use posthouse_store::{approvals, blobs::Digest};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;
use uuid::Uuid;

use super::{Moment, json_text, name_of, workspace::ActorView};

/// A draft.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Draft")]
pub struct DraftView<'a> {
    id: Uuid,
    inbox_id: Uuid,
    /// draft, scheduled, sent, failed or cancelled; sending lasts as long as one transaction, so nobody meets it.
    #[schemars(schema_with = "name_of::<draft::Status>")]
    status: &'static str,
    /// The message that it answers.
    reply_to_message_id: Option<Uuid>,
    thread_id: Option<Uuid>,
    reply_all: bool,
    to: &'a [String],
    cc: &'a [String],
    bcc: &'a [String],
    subject: Option<&'a str>,
    /// Null once it is sent.
    text: Option<&'a str>,
    /// Null once it is sent.
    html: Option<&'a str>,
    /// Empty once it is sent.
    attachments: Vec<DraftFileView<'a>>,
    metadata: Metadata,
    /// Copied to the sent message.
    labels: &'a [String],
    /// api, or ai when it was saved by draft-reply.
    #[schemars(schema_with = "name_of::<draft::Source>")]
    source: &'static str,
    /// message, task or event: the sender's advice.
    #[schemars(schema_with = "name_of::<Kind>")]
    r#type: &'static str,
    /// Structured data.
    #[schemars(with = "Option<serde_json::Value>")]
    data: Option<&'a RawValue>,
    send_at: Option<Moment>,
    sent_at: Option<Moment>,
    sent_message_id: Option<Uuid>,
    /// Who sent it, scheduled it, or last changed the content of the scheduled draft.
    approved_by: Option<ActorView>,
    approved_at: Option<Moment>,
    /// SHA-256 in hex of what would leave: recipients, subject, bodies, data, files.
    approved_content_sha256: Option<String>,
    /// Why the last attempt was refused.
    error: Option<DraftErrorView<'a>>,
    created_at: Moment,
    updated_at: Moment,
}

/// A file of a draft.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "DraftAttachment")]
pub struct DraftFileView<'a> {
    id: Uuid,
    filename: &'a str,
    content_type: &'a str,
    size_bytes: u64,
    /// Lower-case hex.
    sha256: String,
}

/// Why an attempt was refused.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "DraftError")]
pub struct DraftErrorView<'a> {
    /// A code of the table of errors.
    code: &'a str,
    message: &'a str,
}

/// Who vouched for a message that was a draft.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Approval")]
pub struct ApprovalView {
    /// The draft; it may be deleted.
    draft_id: Uuid,
    by: ActorView,
    at: Moment,
    /// SHA-256 in hex of what left: recipients, subject, bodies, data, files.
    content_sha256: String,
}

impl<'a> DraftView<'a> {
    /// Shows the draft.
    #[must_use]
    pub fn of(draft: &'a Draft) -> Self {
        let (d, c, approval) = (draft, &draft.content, draft.approval.as_ref());
        Self {
            id: d.id.into(),
            inbox_id: d.inbox.into(),
            status: d.status.text(),
            reply_to_message_id: d.answers.map(Into::into),
            thread_id: d.thread.map(Into::into),
            reply_all: d.reply_all,
            to: &c.to,
            cc: &c.cc,
            bcc: &c.bcc,
            subject: c.subject.as_deref(),
            text: c.text.as_deref(),
            html: c.html.as_deref(),
            attachments: c.files.iter().map(DraftFileView::of).collect(),
            metadata: metadata::read(&d.metadata_json),
            labels: &d.labels,
            source: d.source.text(),
            r#type: c.kind.text(),
            data: c.data_json.as_deref().map(json_text),
            send_at: d.send_at.map(Into::into),
            sent_at: d.sent_at.map(Into::into),
            sent_message_id: d.sent_message.map(Into::into),
            approved_by: approval.map(|approval| ActorView::of(&approval.by)),
            approved_at: approval.map(|approval| approval.at.into()),
            approved_content_sha256: approval.map(|approval| Digest(approval.content_sha256).to_string()),
            error: d.failure.as_ref().map(|f| DraftErrorView { code: &f.code, message: &f.message }),
            created_at: d.created_at.into(),
            updated_at: d.updated_at.into(),
        }
    }

    /// The draft without its bodies, as the log keeps it.
    #[must_use]
    pub fn without_bodies(draft: &'a Draft) -> Self {
        Self { text: None, html: None, data: None, ..Self::of(draft) }
    }
}

impl<'a> DraftFileView<'a> {
    fn of(file: &'a DraftFile) -> Self {
        Self {
            id: file.id.into(),
            filename: &file.filename,
            content_type: &file.content_type,
            size_bytes: file.size_bytes,
            sha256: Digest(file.sha256).to_string(),
        }
    }
}

impl ApprovalView {
    /// Shows the approval of a message.
    #[must_use]
    pub fn of(of: &approvals::OfMessage) -> Self {
        Self {
            draft_id: of.draft.into(),
            by: ActorView::of(&of.approval.by),
            at: of.approval.at.into(),
            content_sha256: Digest(of.approval.content_sha256).to_string(),
        }
    }
}
