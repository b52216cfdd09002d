//! The message object (API document, Message; contract §4.1 to §4.4). Every member is there from the first day: what is not
//! known is null, never left out.

use posthouse_domain::{
    label::BLOCKED,
    message::{Attachment, Channel, Delivery, DeliveryStatus, Direction, Kind, Status, TlsUse, Verification},
};
use posthouse_mail::bounce::Class;
use posthouse_store::messages::Record;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;
use uuid::Uuid;

use super::{Moment, draft::ApprovalView, json_text, name_of};

/// A message.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Message")]
pub struct MessageView<'a> {
    id: Uuid,
    inbox_id: Uuid,
    thread_id: Uuid,
    /// inbound or outbound.
    #[schemars(schema_with = "name_of::<Direction>")]
    direction: &'static str,
    /// queued, sent, delivered, bounced, complained, failed; received mail is received.
    #[schemars(schema_with = "name_of::<Status>")]
    status: &'static str,
    /// email, agent or mixed.
    #[schemars(schema_with = "name_of::<Channel>")]
    channel: &'static str,
    /// message, task or event: the sender's advice.
    #[schemars(schema_with = "name_of::<Kind>")]
    r#type: &'static str,
    /// `Message-ID` with angle brackets.
    rfc_message_id: &'a str,
    in_reply_to: Option<&'a str>,
    references: &'a [String],
    from: &'a str,
    to: &'a [String],
    cc: &'a [String],
    bcc: &'a [String],
    reply_to: Option<&'a str>,
    subject: Option<&'a str>,
    text: Option<&'a str>,
    html: Option<&'a str>,
    /// The new text alone, without quoted history and signature.
    extracted_text: Option<&'a str>,
    /// Lower-case header names with a string, or an array of strings where a header is repeated.
    #[schemars(with = "std::collections::BTreeMap<String, HeaderValueSchema>")]
    headers: &'a RawValue,
    /// The caller's labels and the system's, in the order they were added.
    labels: &'a [String],
    is_read: bool,
    provider_message_id: Option<&'a str>,
    size_bytes: u64,
    sent_at: Option<Moment>,
    received_at: Option<Moment>,
    created_at: Moment,
    contact_id: Option<Uuid>,
    attachments: Vec<AttachmentView<'a>>,
    ai: AiView<'a>,
    /// The sender's structured payload; not to be trusted.
    #[schemars(with = "Option<serde_json::Value>")]
    data: Option<&'a RawValue>,
    /// Where a sent message went; null for received mail.
    delivery: Option<Vec<DeliveryView<'a>>>,
    agent: Option<()>,
    author: Option<()>,
    /// Who vouched for it; null for what was not sent from a draft.
    approval: Option<ApprovalView>,
    ai_disclosure: Option<()>,
    /// Whether received mail was analysed; null for sent mail.
    analysis: Option<AnalysisView>,
    /// Whether received mail was screened; null for sent mail.
    screening: Option<ScreeningView>,
    /// Whether received mail is an automatic answer.
    auto_reply: bool,
    /// Present when content was left out: subject, bodies, headers, files, data and codes are null or empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    withheld: Option<WithheldView>,
}

/// Why the content of a message was left out.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Withheld")]
pub struct WithheldView {
    /// pending or held.
    state: &'static str,
    reason: Option<&'static str>,
    /// How many files there are.
    attachments: usize,
}

/// The value of a header.
#[derive(JsonSchema)]
#[serde(untagged)]
#[allow(dead_code)] // Only describes the stored text.
enum HeaderValueSchema {
    One(String),
    Repeated(Vec<String>),
}

/// What was found out about a message.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "MessageAi")]
pub struct AiView<'a> {
    /// A code or link to sign in with; null when there is none.
    verification: Option<VerificationView<'a>>,
}

/// A code or link to sign in with.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Verification")]
pub struct VerificationView<'a> {
    code: Option<&'a str>,
    link: Option<&'a str>,
    /// 0 to 1; patterns alone reach at most 0.7.
    confidence: f64,
    /// Null until the categoriser has run.
    categoriser_probability: Option<f64>,
    /// Present and true when the sender failed authentication.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(default)]
    auth_failed: bool,
}

/// A file of a message.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Attachment")]
pub struct AttachmentView<'a> {
    id: Uuid,
    filename: Option<&'a str>,
    content_type: &'a str,
    size_bytes: u64,
    /// Lower-case hex.
    sha256: String,
    content_id: Option<&'a str>,
    inline: bool,
    /// Whether the content is still stored.
    available: bool,
    /// Its text; null where none was looked for.
    extraction: Option<()>,
}

/// What became of a sent message at one recipient.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Delivery")]
pub struct DeliveryView<'a> {
    address: &'a str,
    /// email or agent.
    #[schemars(schema_with = "name_of::<Channel>")]
    channel: &'static str,
    /// queued, sent, delivered, bounced, complained or failed.
    #[schemars(schema_with = "name_of::<DeliveryStatus>")]
    status: &'static str,
    /// The remote server's reply code.
    smtp_code: Option<u16>,
    /// The remote server's enhanced code (RFC 3463).
    enhanced_code: Option<&'a str>,
    /// The remote server.
    remote: Option<&'a str>,
    /// The remote server's words, or why it waits.
    detail: Option<&'a str>,
    /// Why the last attempt did not succeed, as one word: unknown_user, inactive_user, unknown_domain, mailbox_full,
    /// rate_limited, greylisted, reputation, authentication, spam, content, too_large, policy, network, expired, smtputf8,
    /// system or other. Null where nothing went wrong.
    class: Option<&'static str>,
    /// How the last attempt was encrypted; null where it was not, or where no server was spoken to.
    tls: Option<TlsView<'a>>,
    attempts: u32,
    updated_at: Moment,
}

/// How a dialogue with a mail server was encrypted.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "DeliveryTls")]
pub struct TlsView<'a> {
    /// TLSv1.3 or TLSv1.2.
    version: &'a str,
    /// The cipher suite's name at IANA.
    cipher: &'a str,
    /// Whether the server's certificate was valid for its name. Mail exchangers are spoken to without that too.
    verified: bool,
}

/// Whether a received message was analysed.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Analysis")]
pub struct AnalysisView {
    /// pending, completed, skipped or failed.
    state: &'static str,
    coverage: Option<&'static str>,
    reason: Option<&'static str>,
}

/// Whether a received message was screened.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Screening")]
pub struct ScreeningView {
    /// screened, pending, held or released.
    state: &'static str,
    reason: Option<&'static str>,
    released_at: Option<Moment>,
}

impl<'a> MessageView<'a> {
    /// Shows the record.
    #[must_use]
    pub fn of(record: &'a Record) -> Self {
        let (m, bodies) = (&record.message, &record.bodies);
        let received = m.direction == Direction::Inbound;
        let blocked = received && m.labels.iter().any(|label| label == BLOCKED);
        let open = !record.withheld;
        let (screening, reason) = if blocked { ("held", "blocked") } else { ("screened", "not_available") };
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
            subject: m.subject.as_deref().filter(|_| open),
            text: bodies.text.as_deref().filter(|_| open),
            html: bodies.html.as_deref().filter(|_| open),
            extracted_text: bodies.extracted_text.as_deref().filter(|_| open),
            headers: headers(if open { &bodies.headers_json } else { "" }),
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
            data: m.data.as_deref().filter(|_| open).map(json_text),
            delivery: (!received).then(|| record.deliveries.iter().map(DeliveryView::of).collect()),
            agent: None,
            author: None,
            approval: record.approval.as_ref().map(ApprovalView::of),
            ai_disclosure: None,
            analysis: received.then_some(AnalysisView { state: "skipped", coverage: None, reason: Some(reason) }),
            screening: received.then_some(ScreeningView { state: screening, reason: Some(reason), released_at: None }),
            auto_reply: received && m.auto_reply,
            withheld: record.withheld.then_some(WithheldView {
                state: screening,
                reason: Some(reason),
                attachments: record.attachments.len(),
            }),
        }
    }
}

/// The stored header map; a message without stored content has an empty one, for the member is never null.
fn headers(text: &str) -> &RawValue {
    json_text(if text.is_empty() { "{}" } else { text })
}

impl<'a> VerificationView<'a> {
    /// Shows what was found.
    #[must_use]
    pub fn of(found: &'a Verification) -> Self {
        Self {
            code: found.code.as_deref(),
            link: found.link.as_deref(),
            confidence: found.confidence,
            categoriser_probability: None,
            auth_failed: found.auth_failed,
        }
    }
}

impl<'a> AttachmentView<'a> {
    /// Shows what is known of the file. Its bytes are within the raw mail, so they are there as long as it is.
    #[must_use]
    pub fn of(file: &'a Attachment) -> Self {
        Self {
            id: file.id.into(),
            filename: file.filename.as_deref(),
            content_type: &file.content_type,
            size_bytes: file.size_bytes,
            sha256: posthouse_store::blobs::Digest(file.sha256).to_string(),
            content_id: file.content_id.as_deref(),
            inline: file.inline,
            available: true,
            extraction: None,
        }
    }
}

impl<'a> DeliveryView<'a> {
    /// Shows the entry.
    #[must_use]
    pub fn of(entry: &'a Delivery) -> Self {
        Self {
            address: &entry.address,
            channel: entry.channel.text(),
            status: entry.status.text(),
            smtp_code: entry.smtp_code,
            enhanced_code: entry.enhanced_code.as_deref(),
            remote: entry.remote.as_deref(),
            detail: entry.detail.as_deref(),
            class: entry.class.map(Class::text),
            tls: entry.tls.as_ref().map(TlsView::of),
            attempts: entry.attempts,
            updated_at: entry.updated_at.into(),
        }
    }
}

impl<'a> TlsView<'a> {
    fn of(tls: &'a TlsUse) -> Self {
        Self { version: &tls.version, cipher: &tls.cipher, verified: tls.verified }
    }
}
