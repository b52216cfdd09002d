//! The message object. Members without a value are null, not absent (`docs/decisions/api.md#0005-null-not-absent`).

use crate::views::hex;
use posthouse_domain::message::{
    Attachment, Channel, Direction, HoldReason, Message, MessageKind, MessageRelease, MessageStatus,
    MessageVerification, without_name,
};
use posthouse_domain::record::{Record, RecordView};
use posthouse_domain::{
    ActorKind, Analysis, Category, Feedback, SkipReason, Urgency, Verdict, analysis::RISK_MIN, label::AUTO_REPLY,
};
use posthouse_mail::verification::VerificationReason;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;
use uuid::Uuid;

use super::{
    TimestampView,
    agent_message::{AgentDeliveryView, AuthorSignatureView, DisclosureView},
    delivery::DeliveryView,
    draft::{ApprovalView, RecipientOriginView},
    extraction::ExtractionView,
    json_text,
    local_check::{LocalScreenView, LocalSpamView},
    name_of, optional_name_of,
    workspace::ActorView,
};

view! {
    /// A message.
    #[derive(Serialize, JsonSchema)]
    #[schemars(rename = "Message")]
    pub struct MessageView<'a> of record: &'a Record where
        let m = &record.message;
        let bodies = &record.bodies;
        let received = m.direction == Direction::Inbound;
        let open = !record.withheld;
        let is_full = record.view == RecordView::Full;
    {
        id: Uuid = m.id.into(),
        /// Inbox that holds the message.
        inbox_id: Uuid = m.inbox.into(),
        /// Thread of the message, within its inbox.
        thread_id: Uuid = m.thread.into(),
        /// `inbound` or `outbound`.
        #[schemars(schema_with = "name_of::<Direction>")]
        direction: &'static str = m.direction.text(),
        /// `received` for inbound mail; otherwise `queued`, `sent`, `delivered`, `bounced`, `complained` or `failed`: the
        /// worst status of its recipients.
        #[schemars(schema_with = "name_of::<MessageStatus>")]
        status: &'static str = m.status.text(),
        /// How the message traveled: `email`, `agent` (between inboxes of this service) or `mixed`.
        #[schemars(schema_with = "name_of::<Channel>")]
        channel: &'static str = m.channel.text(),
        /// Sender's hint: `message`, `task` or `event`.
        #[schemars(schema_with = "name_of::<MessageKind>")]
        r#type: &'static str = m.kind.text(),
        /// `Message-ID` header, with angle brackets; empty if the content is withheld.
        rfc_message_id: &'a str = if open { &m.rfc_message_id } else { "" },
        /// `Message-ID` from the `In-Reply-To` header, with angle brackets.
        in_reply_to: Option<&'a str> = m.in_reply_to.as_deref().filter(|_| open),
        /// `Message-ID`s from the `References` header, with angle brackets.
        references: &'a [String] = if open { &m.references } else { &[] },
        /// Author: an address, or `Name <address>`; without the name if the content is withheld.
        from: &'a str = m.shown_from(record.withheld),
        /// To recipients: addresses, or `Name <address>`; without the names if the content is withheld.
        to: Vec<&'a str> = people(&m.to, open),
        /// Cc recipients, as in `to`.
        cc: Vec<&'a str> = people(&m.cc, open),
        /// Bcc recipients; empty for received mail.
        bcc: &'a [String] = &m.bcc,
        /// Address for replies.
        reply_to: Option<&'a str> = m.reply_to.as_deref().filter(|_| open),
        /// Whether `reply_to` names another party than the author, and no passing DKIM signature of the author's domain
        /// covers it. Replies go to `from` then, unless they name `to`.
        reply_to_unproven: bool = m.reply_to_unproven,
        /// Decoded subject.
        subject: Option<&'a str> = m.subject.as_deref().filter(|_| open),
        /// Plain text body. Null in a summary.
        text: Option<&'a str> = bodies.text.as_deref().filter(|_| open),
        /// HTML body. Null in a summary.
        html: Option<&'a str> = bodies.html.as_deref().filter(|_| open),
        /// New text alone, without quoted history and signature. At most its first 200 characters in a summary.
        extracted_text: Option<&'a str> = bodies.extracted_text.as_deref().filter(|_| open),
        /// Header fields by lower-case name: a string, or an array of strings for a repeated field. Null only in a
        /// summary.
        #[schemars(with = "Option<std::collections::BTreeMap<String, HeaderValueSchema>>")]
        headers: Option<&'a RawValue> = is_full.then(|| headers(if open { &bodies.headers_json } else { "" })),
        /// Callers' and system labels, in the order they were added.
        labels: &'a [String] = &m.labels,
        /// Whether the message is marked as read.
        is_read: bool = m.is_read,
        /// Reserved; always null.
        provider_message_id: Option<&'a str> = None,
        /// Size of the raw mail in bytes.
        size_bytes: u64 = m.size_bytes,
        /// Time at which the message was first sent; null until then, and for received mail.
        sent_at: Option<TimestampView> = m.sent_at.map(Into::into),
        /// Time of receipt; null for sent mail.
        received_at: Option<TimestampView> = m.received_at.map(Into::into),
        /// Time at which the message was stored, or shown after screening withheld it; strictly increasing within an inbox.
        created_at: TimestampView = m.created_at.into(),
        /// Contact of the other side.
        contact_id: Option<Uuid> = m.contact.map(Into::into),
        /// Attached and inline files.
        attachments: Vec<AttachmentView<'a>> =
            record.attachments.iter().filter(|_| open).map(AttachmentView::of).collect(),
        /// Results of content analysis.
        ai: AiView<'a> = AiView::of(m, open),
        /// Sender's structured data; untrusted. Null in a summary.
        #[schemars(with = "Option<serde_json::Value>")]
        data: Option<&'a RawValue> = m.data.as_deref().filter(|_| open && is_full).map(json_text),
        /// State at each recipient; null for received mail.
        delivery: Option<Vec<DeliveryView<'a>>> =
            (!received).then(|| record.deliveries.iter().map(DeliveryView::of).collect()),
        /// Recipients with where their addresses come from; null for received mail.
        recipients: Option<Vec<RecipientOriginView<'a>>> = (!received).then(|| origins(record)),
        /// Delivery from another inbox of this service, with the service's signature; null for other mail and sent
        /// messages.
        // The hashes in a signature reveal short texts.
        agent: Option<AgentDeliveryView<'a>> = m.agent.as_ref().map(|agent| AgentDeliveryView::of(agent, open)),
        /// Signature of the author with a key of its own; null without one.
        author: Option<AuthorSignatureView<'a>> = m.author.as_ref().filter(|_| open).map(AuthorSignatureView::of),
        /// Approval of the draft that became this message; null if it wasn't a draft.
        approval: Option<ApprovalView> = record.approval.as_ref().map(ApprovalView::of),
        /// What the `Agent-Disclosure` field says about the author; null without the field.
        ai_disclosure: Option<DisclosureView<'a>> = m.disclosure.as_ref().filter(|_| open).map(DisclosureView::of),
        /// State of the analysis of received mail; null for sent mail.
        analysis: Option<AnalysisView> = received.then(|| analysis_of(m)),
        /// State of the screening of received mail; null for sent mail.
        screening: Option<ScreeningView<'a>> = received.then(|| ScreeningView::of(record)),
        /// Whether received mail is an automatic reply.
        auto_reply: bool = received && (m.auto_reply || m.labels.iter().any(|label| label == AUTO_REPLY)),
        /// Present if content is withheld: all that the author wrote is then null or empty, except for the addresses. That is
        /// the subject, bodies, headers, message IDs, names, attachments, data, verification, signatures and disclosure.
        #[serde(skip_serializing_if = "Option::is_none")]
        withheld: Option<WithheldView> = record.withheld.then(|| WithheldView::of(record)),
    }
}

view! {
    /// Why the content of a message is withheld.
    #[derive(Serialize, JsonSchema)]
    #[schemars(rename = "Withheld")]
    pub struct WithheldView of record: &Record where
        let (state, reason) = screening_of(&record.message);
    {
        /// `pending` or `held`.
        state: &'static str = state,
        /// Reason as one word, such as `blocked`.
        reason: Option<&'static str> = reason,
        /// Number of attachments.
        attachments: usize = record.attachments.len(),
    }
}

/// The value of a header field.
#[derive(JsonSchema)]
#[serde(untagged)]
#[allow(dead_code)] // Describes stored JSON; never constructed.
#[schemars(rename = "HeaderValue")]
enum HeaderValueSchema {
    One(String),
    Repeated(RepeatedHeader),
}

/// The values of a header field that occurs several times.
#[derive(JsonSchema)]
#[allow(dead_code)] // Describes stored JSON; never constructed.
struct RepeatedHeader(Vec<String>);

/// Results of content analysis of a message.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "MessageAi")]
pub struct AiView<'a> {
    /// Sign-in code or confirmation link in the message; null if it has neither.
    verification: Option<VerificationView<'a>>,
    /// What the local screen found before the message was stored; absent for sent mail.
    #[serde(skip_serializing_if = "Option::is_none")]
    local_screen: Option<LocalScreenView<'a>>,
    /// Why the message has the label `local:spam`; absent if it doesn't.
    #[serde(skip_serializing_if = "Option::is_none")]
    local_spam: Option<LocalSpamView<'a>>,
    /// Answers of the categoriser; absent until the message is analyzed.
    #[serde(flatten)]
    answers: Option<AnswersView<'a>>,
    /// Why the analysis was given up; absent if it wasn't.
    #[serde(skip_serializing_if = "Option::is_none")]
    enrichment_error: Option<&'a str>,
    /// Why the message isn't analyzed: `quota`, `ai_off` or `not_available`; absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "name_of::<SkipReason>", default)]
    enrichment_skipped: Option<&'static str>,
    /// Time and actor of the release of a held message; absent if it wasn't released.
    #[serde(skip_serializing_if = "Option::is_none")]
    released_at: Option<TimestampView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    released_by: Option<String>,
}

/// Answers of the categoriser about a message. Probabilities are from 0 to 1.
#[derive(Serialize, JsonSchema)]
pub struct AnswersView<'a> {
    category: CategoryView,
    risk: RiskView,
    /// Probability that a person should handle it.
    needs_human: f64,
    urgency: UrgencyView,
    /// Probability of out-of-office, auto-responder, ticket acknowledgement or bulk mail.
    auto_reply: f64,
    /// Model that answered.
    model: &'a str,
    /// Time at which the answers were saved.
    enriched_at: TimestampView,
    /// `full` if the model read the whole text, otherwise `partial`.
    analysis_coverage: &'static str,
}

/// The category of a message.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "MessageCategory")]
pub struct CategoryView {
    /// Most likely category.
    #[schemars(schema_with = "name_of::<Category>")]
    label: &'static str,
    /// Its probability.
    confidence: f64,
    /// Probability of each category.
    probabilities: std::collections::BTreeMap<&'static str, f64>,
}

/// The risks of a message.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "MessageRisk")]
pub struct RiskView {
    /// Probability that it tries to instruct an AI.
    injection: f64,
    /// Probability of credential harvesting, scam or impersonation.
    phishing: f64,
    /// Bytes of `text` that look most like an instruction to an AI: first byte, and the byte after the last one. Absent if
    /// nothing does, or the content is withheld.
    #[serde(skip_serializing_if = "Option::is_none")]
    injection_at: Option<[usize; 2]>,
}

/// The urgency of a message.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "MessageUrgency")]
pub struct UrgencyView {
    /// Most likely level.
    #[schemars(schema_with = "name_of::<Urgency>")]
    level: &'static str,
    /// Expected level, from 0 (`low`) to 3 (`critical`).
    score: f64,
    /// Probability of the level.
    confidence: f64,
}

impl<'a> AiView<'a> {
    fn of(m: &'a Message, open: bool) -> Self {
        let verdict = m.analysis.as_ref().and_then(Analysis::verdict);
        let release = m.release.as_ref();
        Self {
            verification: m
                .verification
                .as_ref()
                .filter(|_| open)
                .map(|found| VerificationView::of(found, &m.from, verdict)),
            local_screen: m.local_check.as_ref().map(|check| LocalScreenView::of(check, open)),
            local_spam: m.local_check.as_ref().and_then(LocalSpamView::of),
            answers: verdict.map(|verdict| AnswersView::of(verdict, open)),
            enrichment_error: match &m.analysis {
                Some(Analysis::Failed(error)) => Some(error),
                _ => None,
            },
            enrichment_skipped: skipped(m).map(SkipReason::text),
            released_at: m.released_at.map(Into::into),
            released_by: release.and_then(|release| {
                let by = release.by.as_ref()?;
                let kind = match by.kind {
                    ActorKind::User => "user",
                    ActorKind::ApiKey => "key",
                    ActorKind::Connector => "connector",
                    ActorKind::Operator => "operator",
                };
                by.id.as_ref().map(|id| format!("{kind}:{id}"))
            }),
        }
    }
}

/// Returns why a message isn't analyzed, if clients know the reason by this name.
fn skipped(m: &Message) -> Option<SkipReason> {
    let reason = m.analysis.as_ref().and_then(Analysis::skip_reason);
    reason.filter(|reason| matches!(reason, SkipReason::Quota | SkipReason::AiOff | SkipReason::NotAvailable))
}

impl<'a> AnswersView<'a> {
    fn of(v: &'a Verdict, open: bool) -> Self {
        let (category, confidence) = v.best_category();
        let (level, level_confidence) = v.best_urgency();
        let score = (v.urgency_score() * 100.0).round() / 100.0;
        Self {
            category: CategoryView {
                label: category.text(),
                confidence,
                probabilities: Category::ALL.iter().map(|one| one.text()).zip(v.category).collect(),
            },
            risk: RiskView {
                injection: v.injection,
                phishing: v.phishing,
                injection_at: v.injection_at.filter(|_| open).map(|at| [at.start, at.end]),
            },
            needs_human: v.needs_human,
            urgency: UrgencyView { level: level.text(), score, confidence: level_confidence },
            auto_reply: v.auto_reply,
            model: &v.model,
            enriched_at: v.at.into(),
            analysis_coverage: coverage(v),
        }
    }
}

const fn coverage(verdict: &Verdict) -> &'static str {
    if verdict.is_complete { "full" } else { "partial" }
}

view! {
    /// A sign-in code or confirmation link in a message.
    #[derive(Serialize, JsonSchema)]
    #[schemars(rename = "Verification")]
    pub struct VerificationView<'a> of verification: &'a MessageVerification, author: &str, verdict: Option<&Verdict> {
        /// Code as shown in the message.
        code: Option<&'a str> = verification.code.as_deref(),
        /// URL of the link.
        link: Option<&'a str> = verification.link.as_deref(),
        /// Confidence from 0 to 1; pattern matching alone reaches at most 0.7. The categoriser raises or lowers it; it is at
        /// most 0.4 if the link belongs to another domain than the author's address, in probable phishing, and in mail whose
        /// sender failed authentication.
        confidence: f64 = verification.confidence_with(author, verdict),
        /// What shows the code, or the link if that is clearer: a line that binds the code to a host (`code_bound`), the
        /// sentence around it (`code_named`), or its place (`code_shown`); another link that refuses (`link_answer`), the
        /// label (`link_label`), the URL (`link_url`) or the text above the link (`link_text`). Null in messages that an older
        /// version stored.
        #[schemars(schema_with = "optional_name_of::<VerificationReason>")]
        reason: Option<&'static str> = verification.reason.map(VerificationReason::text),
        /// Probability of the category `verification`; null until the message is analyzed.
        categoriser_probability: Option<f64> = verdict.map(Verdict::verification),
        /// Present and true if the sender failed authentication.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        #[schemars(default)]
        auth_failed: bool = verification.auth_failed,
        /// Present and true if the message is probably phishing: the code or link may serve an attacker.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        #[schemars(default)]
        phishing: bool = verdict.is_some_and(|verdict| verdict.phishing >= RISK_MIN),
    }
}

view! {
    /// An attachment of a message.
    #[derive(Serialize, JsonSchema)]
    #[schemars(rename = "Attachment")]
    pub struct AttachmentView<'a> of file: &'a Attachment {
        id: Uuid = file.id.into(),
        /// File name; null if the part has no name.
        filename: Option<&'a str> = file.filename.as_deref(),
        /// Media type, such as `application/pdf`.
        content_type: &'a str = &file.content_type,
        /// Decoded size in bytes.
        size_bytes: u64 = file.size_bytes,
        /// SHA-256 of the decoded content, in lower-case hex.
        sha256: String = hex(&file.sha256),
        /// `Content-ID` of the part, for `cid:` links in HTML.
        content_id: Option<&'a str> = file.content_id.as_deref(),
        /// Whether the part is marked for display within the message.
        inline: bool = file.inline,
        /// Whether the content is still stored.
        available: bool = true,
        /// State of the file's text; null for sent mail and mail of older versions.
        extraction: Option<ExtractionView<'a>> = file.extraction.as_ref().map(ExtractionView::of),
    }
}

/// The analysis of a received message.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Analysis")]
pub struct AnalysisView {
    /// `pending`, `completed`, `skipped` or `failed`.
    state: &'static str,
    /// `full` or `partial` if completed; null otherwise.
    coverage: Option<&'static str>,
    /// Reason for a skipped analysis, as one word, such as `not_available`.
    reason: Option<&'static str>,
}

view! {
    /// The screening of a received message.
    #[derive(Serialize, JsonSchema)]
    #[schemars(rename = "Screening")]
    pub struct ScreeningView<'a> of record: &'a Record where
        let m = &record.message;
        let (state, reason) = screening_of(m);
    {
        /// `screened`, `pending`, `held` or `released`.
        state: &'static str = state,
        /// Reason for the state, as one word, such as `blocked`.
        reason: Option<&'static str> = reason,
        /// Time of release; null if the message was not released.
        released_at: Option<TimestampView> = m.released_at.map(Into::into),
        /// Who released it, and what they said; only for callers who may release, and in `message.released`.
        #[serde(skip_serializing_if = "Option::is_none")]
        release: Option<ReleaseView<'a>> = m.release.as_ref().filter(|_| record.shows_release).map(ReleaseView::of),
    }
}

view! {
    /// The release of a held message.
    #[derive(Serialize, JsonSchema)]
    #[schemars(rename = "MessageRelease")]
    pub struct ReleaseView<'a> of release: &'a MessageRelease {
        /// Actor that released it; null if its check took too long, or screening was switched off.
        by: Option<ActorView> = release.by.as_ref().map(ActorView::of),
        /// What was said about it last: `right`, `wrong`, `unsure`, `spam` or `test`.
        feedback: Option<&'a str> = release.feedback.map(Feedback::text),
    }
}

/// Returns the state and the reason of a received message's screening.
fn screening_of(m: &Message) -> (&'static str, Option<&'static str>) {
    match (m.held, m.released_at) {
        (Some(HoldReason::Pending), None) => ("pending", None),
        (Some(reason), None) => ("held", Some(reason.text())),
        (Some(HoldReason::Pending), Some(_)) => ("released", None),
        (Some(reason), Some(_)) => ("released", Some(reason.text())),
        (None, _) => {
            // The analysis of mail that agents get is not waited for, or was not needed.
            let exempt = match &m.analysis {
                None => Some(SkipReason::NotAvailable),
                Some(analysis) => analysis.skip_reason(),
            };
            let exempt = exempt.filter(|reason| !matches!(reason, SkipReason::Quota | SkipReason::Blocked));
            ("screened", exempt.map(SkipReason::text))
        }
    }
}

/// Returns the analysis of a received message.
fn analysis_of(m: &Message) -> AnalysisView {
    let Some(analysis) = &m.analysis else {
        // A list stops mail before it is analyzed.
        let reason = if m.held == Some(HoldReason::Blocked) { SkipReason::Blocked } else { SkipReason::NotAvailable };
        return AnalysisView { state: "skipped", coverage: None, reason: Some(reason.text()) };
    };
    AnalysisView {
        state: analysis.state().text(),
        coverage: analysis.verdict().map(coverage),
        reason: analysis.skip_reason().map(SkipReason::text),
    }
}

/// Returns recipients, without their names unless the content is open: strangers write them.
pub(crate) fn people(list: &[String], open: bool) -> Vec<&str> {
    list.iter().map(|one| if open { one } else { without_name(one) }).collect()
}

/// Returns the recipients whose addresses were judged.
fn origins(record: &Record) -> Vec<RecipientOriginView<'_>> {
    let judged = record.deliveries.iter().filter_map(|entry| entry.origin.map(|origin| (&entry.address, origin)));
    judged.map(|(address, origin)| RecipientOriginView::new(address, origin)).collect()
}

/// Returns the stored header map, or an empty object if no content is stored, because the member is never null.
fn headers(text: &str) -> &RawValue {
    json_text(if text.is_empty() { "{}" } else { text })
}
