//! The message object. Members without a value are null, not absent (`docs/decisions/api.md#0005-null-not-absent`).

use crate::views::hex;
use posthouse_domain::message::{
    Attachment, Channel, Direction, HoldReason, MessageKind, MessageStatus, MessageVerification,
};
use posthouse_domain::record::{Record, RecordView};
use posthouse_mail::verification::VerificationReason;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;
use uuid::Uuid;

use super::{
    TimestampView,
    agent_message::{AgentDeliveryView, AuthorSignatureView, DisclosureView},
    delivery::DeliveryView,
    draft::ApprovalView,
    json_text, name_of, optional_name_of,
};

/// A message.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Message")]
pub struct MessageView<'a> {
    id: Uuid,
    /// Inbox that holds the message.
    inbox_id: Uuid,
    /// Thread of the message, within its inbox.
    thread_id: Uuid,
    /// `inbound` or `outbound`.
    #[schemars(schema_with = "name_of::<Direction>")]
    direction: &'static str,
    /// `received` for inbound mail; otherwise `queued`, `sent`, `delivered`, `bounced`, `complained` or `failed`: the
    /// worst status of its recipients.
    #[schemars(schema_with = "name_of::<MessageStatus>")]
    status: &'static str,
    /// How the message traveled: `email`, `agent` (between inboxes of this service) or `mixed`.
    #[schemars(schema_with = "name_of::<Channel>")]
    channel: &'static str,
    /// Sender's hint: `message`, `task` or `event`.
    #[schemars(schema_with = "name_of::<MessageKind>")]
    r#type: &'static str,
    /// `Message-ID` header, with angle brackets.
    rfc_message_id: &'a str,
    /// `Message-ID` from the `In-Reply-To` header, with angle brackets.
    in_reply_to: Option<&'a str>,
    /// `Message-ID`s from the `References` header, with angle brackets.
    references: &'a [String],
    /// Author: an address, or `Name <address>`.
    from: &'a str,
    /// To recipients: addresses, or `Name <address>`.
    to: &'a [String],
    /// Cc recipients.
    cc: &'a [String],
    /// Bcc recipients; empty for received mail.
    bcc: &'a [String],
    /// Address for replies.
    reply_to: Option<&'a str>,
    /// Whether `reply_to` names another party than the author, and no passing DKIM signature of the author's domain
    /// covers it. Replies go to `from` then, unless they name `to`.
    reply_to_unproven: bool,
    /// Decoded subject.
    subject: Option<&'a str>,
    /// Plain text body. Null in a summary.
    text: Option<&'a str>,
    /// HTML body. Null in a summary.
    html: Option<&'a str>,
    /// New text alone, without quoted history and signature. At most its first 200 characters in a summary.
    extracted_text: Option<&'a str>,
    /// Header fields by lower-case name: a string, or an array of strings for a repeated field. Null only in a
    /// summary.
    #[schemars(with = "Option<std::collections::BTreeMap<String, HeaderValueSchema>>")]
    headers: Option<&'a RawValue>,
    /// Callers' and system labels, in the order they were added.
    labels: &'a [String],
    /// Whether the message is marked as read.
    is_read: bool,
    /// Reserved; always null.
    provider_message_id: Option<&'a str>,
    /// Size of the raw mail in bytes.
    size_bytes: u64,
    /// Time at which the message was first sent; null until then, and for received mail.
    sent_at: Option<TimestampView>,
    /// Time of receipt; null for sent mail.
    received_at: Option<TimestampView>,
    /// Time at which the message was stored; strictly increasing within an inbox.
    created_at: TimestampView,
    /// Contact of the other side.
    contact_id: Option<Uuid>,
    /// Attached and inline files.
    attachments: Vec<AttachmentView<'a>>,
    /// Results of content analysis.
    ai: AiView<'a>,
    /// Sender's structured data; untrusted. Null in a summary.
    #[schemars(with = "Option<serde_json::Value>")]
    data: Option<&'a RawValue>,
    /// State at each recipient; null for received mail.
    delivery: Option<Vec<DeliveryView<'a>>>,
    /// Delivery from another inbox of this service, with the service's signature; null for other mail and sent
    /// messages.
    agent: Option<AgentDeliveryView<'a>>,
    /// Signature of the author with a key of its own; null without one.
    author: Option<AuthorSignatureView<'a>>,
    /// Approval of the draft that became this message; null if it wasn't a draft.
    approval: Option<ApprovalView>,
    /// What the `Agent-Disclosure` field says about the author; null without the field.
    ai_disclosure: Option<DisclosureView<'a>>,
    /// State of the analysis of received mail; null for sent mail.
    analysis: Option<AnalysisView>,
    /// State of the screening of received mail; null for sent mail.
    screening: Option<ScreeningView>,
    /// Whether received mail is an automatic reply.
    auto_reply: bool,
    /// Present if content is withheld: subject, bodies, headers, attachments, data, verification and
    /// signatures are then null or empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    withheld: Option<WithheldView>,
}

/// Why the content of a message is withheld.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Withheld")]
pub struct WithheldView {
    /// `pending` or `held`.
    state: &'static str,
    /// Reason as one word, such as `blocked`.
    reason: Option<&'static str>,
    /// Number of attachments.
    attachments: usize,
}

/// The value of a header field.
#[derive(JsonSchema)]
#[serde(untagged)]
#[allow(dead_code)] // Describes stored JSON; never constructed.
enum HeaderValueSchema {
    One(String),
    Repeated(Vec<String>),
}

/// Results of content analysis of a message.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "MessageAi")]
pub struct AiView<'a> {
    /// Sign-in code or confirmation link in the message; null if it has neither.
    verification: Option<VerificationView<'a>>,
}

/// A sign-in code or confirmation link in a message.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Verification")]
pub struct VerificationView<'a> {
    /// Code as shown in the message.
    code: Option<&'a str>,
    /// URL of the link.
    link: Option<&'a str>,
    /// Confidence from 0 to 1; pattern matching alone reaches at most 0.7, and at most 0.4 if the link belongs to another
    /// domain than the author's address.
    confidence: f64,
    /// What shows the code, or the link if that is clearer: a line that binds the code to a host (`code_bound`), the
    /// sentence around it (`code_named`), or its place (`code_shown`); another link that refuses (`link_answer`), the
    /// label (`link_label`), the URL (`link_url`) or the text above the link (`link_text`). Null in messages that an older
    /// version stored.
    #[schemars(schema_with = "optional_name_of::<VerificationReason>")]
    reason: Option<&'static str>,
    /// Reserved for a categorizer; always null.
    categoriser_probability: Option<f64>,
    /// Present and true if the sender failed authentication.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(default)]
    auth_failed: bool,
}

/// An attachment of a message.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Attachment")]
pub struct AttachmentView<'a> {
    id: Uuid,
    /// File name; null if the part has no name.
    filename: Option<&'a str>,
    /// Media type, such as `application/pdf`.
    content_type: &'a str,
    /// Decoded size in bytes.
    size_bytes: u64,
    /// SHA-256 of the decoded content, in lower-case hex.
    sha256: String,
    /// `Content-ID` of the part, for `cid:` links in HTML.
    content_id: Option<&'a str>,
    /// Whether the part is marked for display within the message.
    inline: bool,
    /// Whether the content is still stored.
    available: bool,
    /// Reserved for extracted text; always null.
    #[schemars(with = "Option<String>")]
    extraction: Option<()>,
}

/// The analysis of a received message.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Analysis")]
pub struct AnalysisView {
    /// `pending`, `completed`, `skipped` or `failed`.
    state: &'static str,
    /// Reserved; always null.
    coverage: Option<&'static str>,
    /// Reason for a skipped analysis, as one word, such as `not_available`.
    reason: Option<&'static str>,
}

/// The screening of a received message.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Screening")]
pub struct ScreeningView {
    /// `screened`, `pending`, `held` or `released`.
    state: &'static str,
    /// Reason for the state, as one word, such as `blocked`.
    reason: Option<&'static str>,
    /// Time of release; null if the message was not released.
    released_at: Option<TimestampView>,
}

impl<'a> MessageView<'a> {
    /// Returns the view of a message and its parts, without content if it is withheld.
    #[must_use]
    pub fn of(record: &'a Record) -> Self {
        let (m, bodies) = (&record.message, &record.bodies);
        let received = m.direction == Direction::Inbound;
        let (open, is_full) = (!record.withheld, record.view == RecordView::Full);
        let (screening, reason) = match (m.held, m.released_at) {
            (None, _) => ("screened", Some("not_available")),
            (Some(HoldReason::Pending), None) => ("pending", None),
            (Some(reason), None) => ("held", Some(reason.text())),
            (Some(reason), Some(_)) => ("released", Some(reason.text())),
        };
        // A list stops mail before it is analyzed.
        let unanalyzed = if m.held == Some(HoldReason::Blocked) { "blocked" } else { "not_available" };
        Self {
            id: m.id.into(),
            inbox_id: m.inbox.into(),
            thread_id: m.thread.into(),
            direction: m.direction.text(),
            status: m.status.text(),
            channel: m.channel.text(),
            r#type: m.kind.text(),
            rfc_message_id: &m.rfc_message_id,
            in_reply_to: m.in_reply_to.as_deref(),
            references: &m.references,
            from: &m.from,
            to: &m.to,
            cc: &m.cc,
            bcc: &m.bcc,
            reply_to: m.reply_to.as_deref(),
            reply_to_unproven: m.reply_to_unproven,
            subject: m.subject.as_deref().filter(|_| open),
            text: bodies.text.as_deref().filter(|_| open),
            html: bodies.html.as_deref().filter(|_| open),
            extracted_text: bodies.extracted_text.as_deref().filter(|_| open),
            headers: is_full.then(|| headers(if open { &bodies.headers_json } else { "" })),
            labels: &m.labels,
            is_read: m.is_read,
            provider_message_id: None,
            size_bytes: m.size_bytes,
            sent_at: m.sent_at.map(Into::into),
            received_at: m.received_at.map(Into::into),
            created_at: m.created_at.into(),
            contact_id: m.contact.map(Into::into),
            attachments: record.attachments.iter().filter(|_| open).map(AttachmentView::of).collect(),
            ai: AiView { verification: m.verification.as_ref().filter(|_| open).map(VerificationView::of) },
            data: m.data.as_deref().filter(|_| open && is_full).map(json_text),
            delivery: (!received).then(|| record.deliveries.iter().map(DeliveryView::of).collect()),
            // The hashes in a signature reveal short texts.
            agent: m.agent.as_ref().map(|agent| AgentDeliveryView::of(agent, open)),
            author: m.author.as_ref().filter(|_| open).map(AuthorSignatureView::of),
            approval: record.approval.as_ref().map(ApprovalView::of),
            ai_disclosure: m.disclosure.as_ref().map(DisclosureView::of),
            analysis: received.then_some(AnalysisView { state: "skipped", coverage: None, reason: Some(unanalyzed) }),
            screening: received.then_some(ScreeningView {
                state: screening,
                reason,
                released_at: m.released_at.map(Into::into),
            }),
            auto_reply: received && m.auto_reply,
            withheld: record.withheld.then_some(WithheldView {
                state: screening,
                reason,
                attachments: record.attachments.len(),
            }),
        }
    }
}

/// Returns the stored header map, or an empty object if no content is stored, because the member is never null.
fn headers(text: &str) -> &RawValue {
    json_text(if text.is_empty() { "{}" } else { text })
}

impl<'a> VerificationView<'a> {
    /// Returns the view of a verification.
    #[must_use]
    pub fn of(verification: &'a MessageVerification) -> Self {
        Self {
            code: verification.code.as_deref(),
            link: verification.link.as_deref(),
            confidence: verification.confidence,
            reason: verification.reason.map(VerificationReason::text),
            categoriser_probability: None,
            auth_failed: verification.auth_failed,
        }
    }
}

impl<'a> AttachmentView<'a> {
    /// Returns the view of an attachment. Its bytes are part of the raw mail, so they are available as long as the mail
    /// is.
    #[must_use]
    pub fn of(file: &'a Attachment) -> Self {
        Self {
            id: file.id.into(),
            filename: file.filename.as_deref(),
            content_type: &file.content_type,
            size_bytes: file.size_bytes,
            sha256: hex(&file.sha256),
            content_id: file.content_id.as_deref(),
            inline: file.inline,
            available: true,
            extraction: None,
        }
    }
}
