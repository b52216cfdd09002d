//! The draft object, and the approval that remains with the sent message.

use crate::views::hex;
use posthouse_domain::outbound_policy::{
    DraftHold, FindingKind, JudgedRecipient, OriginKind, OutboundFinding, OutboundRisk, RecipientOrigin,
};
use posthouse_domain::record::ApprovalOfMessage;
use posthouse_domain::{
    draft::{self, Draft, DraftFile, SentBack},
    message::MessageKind,
    metadata::{self, Metadata},
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;
use uuid::Uuid;

use super::{TimestampView, json_text, name_of, workspace::ActorView};

/// The status of a message that waits for an approval.
const HELD_FOR_APPROVAL: &str = "held_for_approval";

/// A draft.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Draft")]
pub struct DraftView<'a> {
    id: Uuid,
    /// Inbox that sends the draft.
    inbox_id: Uuid,
    /// `draft`, `scheduled`, `sent`, `failed` or `cancelled`. `sending` exists only within one transaction and is never
    /// returned.
    #[schemars(schema_with = "name_of::<draft::DraftStatus>")]
    status: &'static str,
    /// Message that the draft replies to.
    reply_to_message_id: Option<Uuid>,
    /// Thread of the message that it replies to, or of the sent message.
    thread_id: Option<Uuid>,
    /// Whether the reply goes to all recipients.
    reply_all: bool,
    /// To recipients.
    to: &'a [String],
    /// Cc recipients.
    cc: &'a [String],
    /// Bcc recipients.
    bcc: &'a [String],
    /// Subject of the message.
    subject: Option<&'a str>,
    /// Plain text body; null after the draft is sent.
    text: Option<&'a str>,
    /// HTML body; null after the draft is sent.
    html: Option<&'a str>,
    /// Attachments; empty after the draft is sent.
    attachments: Vec<DraftFileView<'a>>,
    /// Caller's own keys and values.
    metadata: Metadata,
    /// Labels, copied to the sent message.
    labels: &'a [String],
    /// `api`, or `ai` if a language model wrote the draft.
    #[schemars(schema_with = "name_of::<draft::DraftSource>")]
    source: &'static str,
    /// Sender's hint: `message`, `task` or `event`.
    #[schemars(schema_with = "name_of::<MessageKind>")]
    r#type: &'static str,
    /// Structured data for the recipient.
    #[schemars(with = "Option<serde_json::Value>")]
    data: Option<&'a RawValue>,
    /// Scheduled time of sending.
    send_at: Option<TimestampView>,
    /// Time at which the draft was sent.
    sent_at: Option<TimestampView>,
    /// Message that the draft became.
    sent_message_id: Option<Uuid>,
    /// Actor that sent or scheduled the draft, or last changed its content while it was scheduled.
    approved_by: Option<ActorView>,
    /// Time of the approval.
    approved_at: Option<TimestampView>,
    /// SHA-256 of the approved content (recipients, subject, bodies, data and attachments), in lower-case hex.
    approved_content_sha256: Option<String>,
    /// SHA-256 of the content that would be sent now, in lower-case hex; null once the draft is sent. An approval
    /// names it.
    content_sha256: Option<String>,
    /// Note of the person who sent the draft back to its author; null again once the content changes.
    sent_back: Option<SentBackView<'a>>,
    /// Where its recipients come from, as far as they were judged.
    recipients: Vec<RecipientOriginView<'a>>,
    /// Reason why it waits for an approval although nobody asked for one; null if it doesn't. Only an approval sends
    /// it.
    hold: Option<DraftHoldView<'a>>,
    /// Reason for the refusal of the last attempt to send.
    error: Option<DraftErrorView<'a>>,
    created_at: TimestampView,
    /// Time of the last change.
    updated_at: TimestampView,
}

/// An attachment of a draft.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "DraftAttachment")]
pub struct DraftFileView<'a> {
    id: Uuid,
    /// File name.
    filename: &'a str,
    /// Media type, such as `application/pdf`.
    content_type: &'a str,
    /// Size in bytes.
    size_bytes: u64,
    /// SHA-256 of the content, in lower-case hex.
    sha256: String,
}

/// The note of a person who sent a draft back to its author.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "DraftSentBack")]
pub struct SentBackView<'a> {
    /// What the person asks for.
    note: &'a str,
    /// Who sent it back.
    by: ActorView,
    /// Time at which it was sent back.
    at: TimestampView,
}

/// A recipient and where its address comes from.
#[derive(Clone, Serialize, JsonSchema)]
#[schemars(rename = "RecipientOrigin")]
pub struct RecipientOriginView<'a> {
    /// Address of the recipient.
    address: &'a str,
    /// The strongest origin: a `person` typed it, the message that this one answers is from it or was sent to it
    /// (`thread`), a `contact` with earlier correspondence, an entry of a send allow `list`, an agent in the
    /// `directory`, only received mail named it (`seen_only`), or only the `caller` did.
    #[schemars(schema_with = "name_of::<OriginKind>")]
    origin: &'static str,
    /// Message that named the address first; null unless the origin is `seen_only`.
    message_id: Option<Uuid>,
}

/// Why a draft waits for an approval.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "DraftHold")]
pub struct DraftHoldView<'a> {
    /// `recipient_unproven`, `content_blocked`, or `draft_only` if a rule of the owner asks for it.
    #[schemars(schema_with = "name_of::<OutboundRisk>")]
    reason: &'static str,
    /// Recipients that only received mail named.
    recipients: Vec<RecipientOriginView<'a>>,
    /// Secrets in the content.
    findings: Vec<OutboundFindingView<'a>>,
}

view! {
    /// A secret in a message, without its value.
    #[derive(Serialize, JsonSchema)]
    #[schemars(rename = "OutboundFinding")]
    pub struct OutboundFindingView<'a> of one: &'a OutboundFinding {
        #[schemars(schema_with = "name_of::<FindingKind>")]
        kind: &'static str = one.kind.text(),
        /// `subject`, `text`, `html`, `data`, `from`, `to:<n>`, `cc:<n>`, `bcc:<n>` or `attachment:<n>`, from 0; in
        /// submitted mail also `header:<name>` or `source`.
        r#where: &'a str = &one.place,
        /// Position of its first character.
        start: u64 = one.start,
        /// Position after its last character.
        end: u64 = one.end,
    }
}

/// A message that waits for an approval, instead of being sent.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "HeldForApproval")]
pub struct HeldSendView<'a> {
    /// `held_for_approval`.
    #[schemars(schema_with = "held_for_approval")]
    status: &'static str,
    /// Draft that holds the message.
    draft_id: Uuid,
    hold: Option<DraftHoldView<'a>>,
}

/// An enumeration instead of a constant: clients in Java and Go tell the cases of a result by it.
fn held_for_approval(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({ "type": "string", "enum": [HELD_FOR_APPROVAL] })
}

/// The refusal of an attempt to send a draft.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "DraftError")]
pub struct DraftErrorView<'a> {
    /// Error code.
    code: &'a str,
    /// Error message.
    message: &'a str,
}

view! {
    /// The approval of a message that was a draft.
    #[derive(Serialize, JsonSchema)]
    #[schemars(rename = "Approval")]
    pub struct ApprovalView of record: &ApprovalOfMessage {
        /// Draft that became the message; it may have been deleted.
        draft_id: Uuid = record.draft.into(),
        /// Actor that approved the content.
        by: ActorView = ActorView::of(&record.approval.by),
        /// Time of the approval.
        at: TimestampView = record.approval.at.into(),
        /// SHA-256 of the sent content (recipients, subject, bodies, data and attachments), in lower-case hex.
        content_sha256: String = hex(&record.approval.content_sha256),
    }
}

impl<'a> DraftView<'a> {
    /// Returns the view of a draft.
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
            approved_content_sha256: approval.map(|approval| hex(&approval.content_sha256)),
            content_sha256: (d.status != draft::DraftStatus::Sent).then(|| hex(&d.content_sha256())),
            sent_back: d.sent_back.as_ref().map(SentBackView::of),
            recipients: d.origins.0.iter().map(RecipientOriginView::of).collect(),
            hold: d.hold.as_ref().map(DraftHoldView::of),
            error: d.failure.as_ref().map(|f| DraftErrorView { code: &f.code, message: &f.message }),
            created_at: d.created_at.into(),
            updated_at: d.updated_at.into(),
        }
    }

    /// Returns the view of a draft without its bodies and data, as the event log stores it.
    #[must_use]
    pub fn without_bodies(draft: &'a Draft) -> Self {
        Self { text: None, html: None, data: None, ..Self::of(draft) }
    }
}

impl<'a> RecipientOriginView<'a> {
    /// Returns the view of a recipient.
    #[must_use]
    pub fn of(one: &'a JudgedRecipient) -> Self {
        Self::new(&one.address, one.origin)
    }

    /// Returns the view of an address and its origin.
    #[must_use]
    pub fn new(address: &'a str, origin: RecipientOrigin) -> Self {
        Self { address, origin: origin.kind.text(), message_id: origin.message.map(Into::into) }
    }
}

impl<'a> DraftHoldView<'a> {
    /// Returns the view of the reason why a draft is held.
    #[must_use]
    pub fn of(hold: &'a DraftHold) -> Self {
        Self {
            reason: hold.reason.text(),
            recipients: hold.recipients.iter().map(RecipientOriginView::of).collect(),
            findings: hold.findings.iter().map(OutboundFindingView::of).collect(),
        }
    }
}

impl<'a> HeldSendView<'a> {
    /// Returns the response to a request whose message became a draft.
    #[must_use]
    pub fn of(draft: &'a Draft) -> Self {
        let hold = draft.hold.as_ref().map(DraftHoldView::of);
        Self { status: HELD_FOR_APPROVAL, draft_id: draft.id.into(), hold }
    }
}

impl<'a> DraftFileView<'a> {
    fn of(file: &'a DraftFile) -> Self {
        Self {
            id: file.id.into(),
            filename: &file.filename,
            content_type: &file.content_type,
            size_bytes: file.size_bytes,
            sha256: hex(&file.sha256),
        }
    }
}

impl<'a> SentBackView<'a> {
    fn of(back: &'a SentBack) -> Self {
        Self { note: &back.note, by: ActorView::of(&back.by), at: back.at.into() }
    }
}
