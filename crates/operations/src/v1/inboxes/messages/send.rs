//! Sending: new messages, replies and forwarded messages.
//!
//! These routes decode requests; the use cases in `app/src/outbound` decide what may be sent and store it in one
//! write.

use posthouse_api::views::draft::{DraftHoldView, HeldSendView, OutboundFindingView, RecipientOriginView};
use posthouse_api::views::message::MessageView;
use posthouse_api::wire::{
    Base64, BoundedJson, FileName, MimeType, OneOrMany, Recipient, SignatureText, UserLabel, member,
};
use posthouse_app::outbound::accept::{RenderResponse, SendDecision, SendResponse};
use posthouse_app::outbound::{compose::SUBJECT_CHARS_MAX, forward, reply, send, send_context::SendContext};
use posthouse_app::{agent_keys, messages::claim::FencingToken};
use posthouse_call::prelude::*;
use posthouse_call::{ATTACHMENT_BODY_BYTES_MAX, idempotency};
use posthouse_domain::send::{FILES_MAX, RECIPIENTS_MAX, SEND_ERROR_CODES, recipients_problem};
use posthouse_domain::{
    AuthorClaims, ForwardCommand, MessageId, MessageKind, NamedRecipients, OutgoingContent, OutgoingFile, Record,
    ReplyCommand, SendCommand, label::LABELS_MAX,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::v1::fields::LeaseIdText;

/// Longest text or HTML body in characters: as long as the largest request body. The real limit is the size of the
/// message, which has its own error code.
pub(in crate::v1::inboxes) const BODY_CHARS_MAX: usize = ATTACHMENT_BODY_BYTES_MAX;
/// Largest structured data in bytes.
pub(in crate::v1::inboxes) const DATA_BYTES_MAX: usize = 65_536;
/// The name of the operation under which both send paths store idempotency keys.
const SEND_KEYS: &str = "sendMessage";

pub(crate) fn operations() -> Vec<Operation> {
    let sending = |path, name, summary| {
        Operation::new(Method::Post, path, name, Permission::MessagesSend)
            .summary(summary)
            .idempotent()
            .with_attachments()
            .responds::<SentAnswer<'_>>(202)
            .errors(SEND_ERROR_CODES)
    };
    vec![
        sending(
            "/v1/inboxes/{id}/messages",
            SEND_KEYS,
            "Sends a message. With dry_run, returns the decision and sends nothing.",
        )
        .responds::<DecisionView<'_>>(200)
        .handle(send),
        sending(
            "/v1/inboxes/{id}/messages/send",
            "sendMessageAlias",
            "Sends a message; the same as POST /v1/inboxes/{id}/messages.",
        )
        .responds::<DecisionView<'_>>(200)
        .handle(send),
        sending(
            "/v1/inboxes/{id}/messages/{message_id}/reply",
            "replyToMessage",
            "Replies to a message in its thread. Recipients and subject are computed. With dry_run, returns the decision \
             and sends nothing.",
        )
        .responds::<DecisionView<'_>>(200)
        .errors(&[ErrorCode::MessageWithheld, ErrorCode::NotAnswerable])
        .handle(reply),
        sending(
            "/v1/inboxes/{id}/messages/{message_id}/forward",
            "forwardMessage",
            "Forwards a message to others in a new thread, with an optional note above it. With dry_run, returns the \
             decision and sends nothing.",
        )
        .responds::<DecisionView<'_>>(200)
        // A file may be one that only an owner may read.
        .errors(&[ErrorCode::Forbidden, ErrorCode::MessageWithheld])
        .handle(forward),
    ]
}

object! {
    /// A file to attach.
    pub struct AttachmentBody {
        /// The file name, without a path.
        filename: FileName,
        /// The media type.
        content_type: MimeType,
        /// The content in base64.
        content_base64: Base64,
    }
}

object! {
    /// A message to send. One of `text`, `html` and `data` is required. `to`, `cc` and `bcc` together have at most 50
    /// recipients.
    pub struct SendBody {
        /// Recipients: one or several, as `addr`, `Name <addr>` or the handle of an agent, `@workspace/agent`.
        to: OneOrMany<Recipient, RECIPIENTS_MAX>,
        /// Recipients of a copy.
        cc: Option<OneOrMany<Recipient, RECIPIENTS_MAX>>,
        /// Recipients of a blind copy, invisible to the others.
        bcc: Option<OneOrMany<Recipient, RECIPIENTS_MAX>>,
        /// The subject.
        subject: BoundedLine<0, SUBJECT_CHARS_MAX>,
        /// The plain text body.
        text: Option<BoundedText<0, BODY_CHARS_MAX>>,
        /// The HTML body.
        html: Option<BoundedText<0, BODY_CHARS_MAX>>,
        /// Attachments.
        attachments: Option<BoundedList<AttachmentBody, 0, FILES_MAX>>,
        /// Labels for the sent message.
        labels: Option<BoundedList<UserLabel, 0, LABELS_MAX>>,
        /// Structured data: `data` for recipients on this server, an attachment `service-data.json` for others.
        data: Option<BoundedJson<DATA_BYTES_MAX>>,
        /// The advisory message type.
        kind = "type": Option<MessageKind>,
        /// The author's signature, made with an agent key: a compact JSON Web Signature with the `typ`
        /// `service-author+jwt`. The content is then sent exactly as signed.
        agent_signature: Option<SignatureText>,
    }
    check one_of_the_bodies, schema has_a_body;
    check recipients_together, schema has_a_recipient;
}

object! {
    /// A reply. One of `text`, `html` and `data` is required.
    pub struct ReplyBody {
        /// Recipients in place of the author or `Reply-To` of the message. Use it to reply to a `reply_to` that is
        /// `reply_to_unproven`.
        to: Option<OneOrMany<Recipient, RECIPIENTS_MAX>>,
        /// The plain text body.
        text: Option<BoundedText<0, BODY_CHARS_MAX>>,
        /// The HTML body.
        html: Option<BoundedText<0, BODY_CHARS_MAX>>,
        /// Attachments.
        attachments: Option<BoundedList<AttachmentBody, 0, FILES_MAX>>,
        /// Whether to reply to the other recipients of the message, too.
        reply_all: Option<bool>,
        /// Labels for the sent message.
        labels: Option<BoundedList<UserLabel, 0, LABELS_MAX>>,
        /// Structured data, as in a send.
        data: Option<BoundedJson<DATA_BYTES_MAX>>,
        /// The advisory message type.
        kind = "type": Option<MessageKind>,
        /// The signature of the author, as in a send. It usually covers neither subject nor recipients, which the
        /// server computes.
        agent_signature: Option<SignatureText>,
        /// The lease under which the message was claimed. If it is not the current lease, the request fails with
        /// `lease_expired`.
        lease_id: Option<LeaseIdText>,
    }
    check one_of_the_bodies, schema has_a_body;
}

object! {
    /// A message to forward.
    pub struct ForwardBody {
        /// Recipients: one or several, as `addr`, `Name <addr>` or the handle of an agent, `@workspace/agent`.
        to: OneOrMany<Recipient, RECIPIENTS_MAX>,
        /// Recipients of a copy.
        cc: Option<OneOrMany<Recipient, RECIPIENTS_MAX>>,
        /// Recipients of a blind copy, invisible to the others.
        bcc: Option<OneOrMany<Recipient, RECIPIENTS_MAX>>,
        /// A note above the original, as plain text.
        text: Option<BoundedText<0, BODY_CHARS_MAX>>,
        /// The note as HTML.
        html: Option<BoundedText<0, BODY_CHARS_MAX>>,
        /// Whether to include the original's attachments. Default: true.
        include_attachments: Option<bool>,
        /// Labels for the sent message.
        labels: Option<BoundedList<UserLabel, 0, LABELS_MAX>>,
        /// The lease under which the message was claimed. If it is not the current lease, the request fails with
        /// `lease_expired`.
        lease_id: Option<LeaseIdText>,
    }
    check recipients_together, schema has_a_recipient;
}

query! {
    /// Options of a send.
    pub struct SendQuery {
        /// Whether to return the decision with 200 and store nothing.
        dry_run: Option<bool>,
    }
}

impl SendQuery {
    /// Returns whether only the decision is wanted.
    pub(in crate::v1::inboxes) fn is_dry_run(&self) -> bool {
        self.dry_run.unwrap_or_default()
    }
}

async fn send(service: Arc<Service>, input: Input<SendQuery, SendBody>) -> Result<Outcome, Refusal> {
    let dry_run = input.query.is_dry_run();
    let context = send_context(&input, SEND_KEYS)?;
    let command = input.body.command(&service)?;
    if dry_run {
        let decision = send::dry_run(&service, context, command).await?;
        return Outcome::json(200, &DecisionView::of(&decision));
    }
    Ok(answer(send::send(&service, context, command, render()).await?))
}

async fn reply(service: Arc<Service>, input: Input<SendQuery, ReplyBody>) -> Result<Outcome, Refusal> {
    let original = input.path.id("message_id", "message")?;
    let mut context = send_context(&input, input.request.operation)?;
    context.fence = fence(original, input.body.lease_id.as_ref());
    let dry_run = input.query.is_dry_run();
    let command = input.body.command(&service)?;
    if dry_run {
        let decision = reply::dry_run(&service, context, original, command).await?;
        return Outcome::json(200, &DecisionView::of(&decision));
    }
    Ok(answer(reply::reply(&service, context, original, command, render()).await?))
}

async fn forward(service: Arc<Service>, input: Input<SendQuery, ForwardBody>) -> Result<Outcome, Refusal> {
    let original = input.path.id("message_id", "message")?;
    let mut context = send_context(&input, input.request.operation)?;
    context.fence = fence(original, input.body.lease_id.as_ref());
    let dry_run = input.query.is_dry_run();
    let command = input.body.command();
    if dry_run {
        let decision = forward::dry_run(&service, context, original, command).await?;
        return Outcome::json(200, &DecisionView::of(&decision));
    }
    Ok(answer(forward::forward(&service, context, original, command, render()).await?))
}

/// Builds the context of a send: the caller, the inbox of the path and the idempotency key.
pub(in crate::v1::inboxes) fn send_context<Q, B>(
    input: &Input<Q, B>,
    route: &'static str,
) -> Result<SendContext, Refusal> {
    let key = idempotency::stored_key(&input.caller, &input.request, route);
    Ok(SendContext { caller: input.caller, inbox: input.path.id("id", "inbox")?, key, fence: None })
}

fn fence(message: MessageId, lease: Option<&LeaseIdText>) -> Option<FencingToken> {
    lease.map(|lease| FencingToken { message, lease: lease.0.clone() })
}

pub(super) fn render() -> RenderResponse {
    Arc::new(|record: &Record| {
        serde_json::to_string(&MessageView::of(record))
            .map_err(|_| Refusal::new(ErrorCode::Internal, "The response couldn't be rendered."))
    })
}

/// Converts a stored response, marked if it is a replay.
pub(in crate::v1::inboxes) fn answer(posted: SendResponse) -> Outcome {
    let answer = Outcome::rendered_json(posted.answer.status, posted.answer.body);
    Outcome { is_replayed: posted.replayed, ..answer }
}

/// Parses the signature of an author.
fn author(service: &Service, given: Option<SignatureText>) -> Result<Option<AuthorClaims>, Refusal> {
    let Some(text) = given else { return Ok(None) };
    agent_keys::check_enabled(service)?;
    AuthorClaims::parse(&text.0).map(Some)
}

impl SendBody {
    fn command(self, service: &Service) -> Result<SendCommand, Refusal> {
        let author = author(service, self.agent_signature)?;
        let parts =
            BodyMembers { text: self.text, html: self.html, data: self.data, labels: self.labels, kind: self.kind };
        let content = parts.content(self.attachments);
        Ok(SendCommand { people: people(self.to, self.cc, self.bcc), subject: self.subject.0, content, author })
    }
}

impl ReplyBody {
    fn command(self, service: &Service) -> Result<ReplyCommand, Refusal> {
        let author = author(service, self.agent_signature)?;
        let parts =
            BodyMembers { text: self.text, html: self.html, data: self.data, labels: self.labels, kind: self.kind };
        let to = self.to.map(|to| people(to, None, None));
        Ok(ReplyCommand { to, content: parts.content(self.attachments), all: self.reply_all.unwrap_or(false), author })
    }
}

impl ForwardBody {
    fn command(self) -> ForwardCommand {
        let note = OutgoingContent {
            text: body(self.text),
            html: body(self.html),
            labels: labels(self.labels),
            ..OutgoingContent::default()
        };
        let people = people(self.to, self.cc, self.bcc);
        ForwardCommand { people, note, include_files: self.include_attachments.unwrap_or(true) }
    }
}

/// Reports a message without text, HTML and data, which would be empty.
fn one_of_the_bodies(given: &Map<String, Value>, path: &str, problems: &mut Problems) {
    let is_empty = |value: &Value| value.is_null() || value.as_str().is_some_and(str::is_empty);
    if ["text", "html", "data"].iter().all(|name| given.get(*name).is_none_or(is_empty)) {
        problems
            .add::<()>(&member(path, "text"), "is required, unless `html` or `data` is given; it must not be empty");
    }
}

/// [`one_of_the_bodies`] as a condition of JSON Schema.
fn has_a_body() -> Value {
    let text = |name: &str| json!({ "required": [name], "properties": { name: { "type": "string", "minLength": 1 } } });
    let data = json!({ "required": ["data"], "properties": { "data": { "type": ["object", "array"] } } });
    json!({ "anyOf": [text("text"), text("html"), data] })
}

/// The lower limit of [`recipients_together`] as a condition of JSON Schema, which can't add up the three fields.
fn has_a_recipient() -> Value {
    let some = json!({ "anyOf": [{ "type": "string" }, { "type": "array", "minItems": 1 }] });
    let field = |name: &str| json!({ "required": [name], "properties": { name: some } });
    json!({ "anyOf": [field("to"), field("cc"), field("bcc")] })
}

/// Checks the number of recipients in all three fields together.
fn recipients_together(given: &Map<String, Value>, path: &str, problems: &mut Problems) {
    let counts = ["to", "cc", "bcc"].map(|name| match given.get(name) {
        Some(Value::Array(items)) => items.len(),
        Some(Value::String(_)) => 1,
        _ => 0,
    });
    // The decoder of the field has already reported a single list that is too long, and a missing one.
    let is_reported = counts.iter().any(|count| *count > RECIPIENTS_MAX);
    let count: usize = counts.iter().sum();
    let is_missing = count == 0 && !given.get("to").is_some_and(Value::is_array);
    if let Some(problem) = recipients_problem(count).filter(|_| !is_reported && !is_missing) {
        problems.add::<()>(&member(path, "to"), problem);
    }
}

/// Members that a send and a reply share.
struct BodyMembers {
    text: Option<BoundedText<0, BODY_CHARS_MAX>>,
    html: Option<BoundedText<0, BODY_CHARS_MAX>>,
    data: Option<BoundedJson<DATA_BYTES_MAX>>,
    labels: Option<BoundedList<UserLabel, 0, LABELS_MAX>>,
    kind: Option<MessageKind>,
}

impl BodyMembers {
    fn content(self, files: Option<BoundedList<AttachmentBody, 0, FILES_MAX>>) -> OutgoingContent {
        OutgoingContent {
            text: body(self.text),
            html: body(self.html),
            data_json: self.data.map(|data| data.0.to_string()),
            files: files.map(|list| list.0.into_iter().map(AttachmentBody::file).collect()).unwrap_or_default(),
            labels: labels(self.labels),
            kind: self.kind.unwrap_or_default(),
        }
    }
}

impl AttachmentBody {
    pub(in crate::v1::inboxes) fn file(self) -> OutgoingFile {
        OutgoingFile {
            name: self.filename.0,
            content_type: self.content_type.0,
            content_id: None,
            bytes: self.content_base64.0,
        }
    }
}

type Recipients = OneOrMany<Recipient, RECIPIENTS_MAX>;

fn people(to: Recipients, cc: Option<Recipients>, bcc: Option<Recipients>) -> NamedRecipients {
    let mailboxes = |list: Recipients| list.0.into_iter().map(|recipient| recipient.0).collect();
    NamedRecipients {
        to: mailboxes(to),
        cc: cc.map(mailboxes).unwrap_or_default(),
        bcc: bcc.map(mailboxes).unwrap_or_default(),
    }
}

/// Returns each label of a message once.
pub(in crate::v1::inboxes) fn labels(given: Option<BoundedList<UserLabel, 0, LABELS_MAX>>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for UserLabel(label) in given.map(|list| list.0).unwrap_or_default() {
        if !kept.contains(&label) {
            kept.push(label);
        }
    }
    kept
}

/// Returns a body unless it is empty: an empty body counts as absent.
pub(in crate::v1::inboxes) fn body<const MAX: usize>(given: Option<BoundedText<0, MAX>>) -> Option<String> {
    given.map(|text| text.0).filter(|text| !text.is_empty())
}

/// A message that was sent, or one that waits for an approval.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SendResult")]
#[serde(untagged)]
#[allow(dead_code)] // Describes the response; each part is rendered by itself.
pub(in crate::v1::inboxes) enum SentAnswer<'a> {
    Sent(Box<MessageView<'a>>),
    Held(HeldSendView<'a>),
}

/// The decision about a message, from a dry run.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SendDecision")]
pub(in crate::v1::inboxes) struct DecisionView<'a> {
    /// Whether the message would be sent.
    allowed: bool,
    /// Why the message would be refused; null if it would be sent.
    refusal: Option<RefusalView>,
    /// Why the message would wait for an approval as a draft; null if it would be sent or refused.
    hold: Option<DraftHoldView<'a>>,
    /// Labels of the outbound policy that the message would get.
    labels: Vec<&'static str>,
    /// Secrets in the content.
    findings: Vec<OutboundFindingView<'a>>,
    recipients: Vec<RecipientView<'a>>,
    /// Size of the message as it would be sent, in bytes.
    message_size_bytes: u64,
    /// How many more messages the limits allow now; null means unlimited.
    limits_left: LimitsLeftView,
}

/// A refusal, as in the error of a send.
#[derive(Serialize, JsonSchema)]
struct RefusalView {
    code: &'static str,
    message: String,
    fix: String,
    details: Map<String, Value>,
}

/// A recipient of a message that is not sent yet.
#[derive(Serialize, JsonSchema)]
struct RecipientView<'a> {
    #[serde(flatten)]
    origin: RecipientOriginView<'a>,
    /// `agent` for inboxes of this server, `email` for others.
    channel: &'static str,
    /// Whether a suppression of the address refuses the message.
    suppressed: bool,
    /// Whether a list with direction `send` or `reply` refuses the message.
    blocked: bool,
}

/// Messages that remain within each limit.
#[derive(Serialize, JsonSchema)]
struct LimitsLeftView {
    emails_per_month: Option<u64>,
    daily_sends_per_inbox: Option<u64>,
    daily_sends: Option<u64>,
    sends_per_5_minutes: Option<u64>,
}

impl<'a> DecisionView<'a> {
    pub(in crate::v1::inboxes) fn of(decision: &'a SendDecision) -> Self {
        let left = &decision.left;
        Self {
            allowed: decision.refusal.is_none() && decision.hold.is_none(),
            refusal: decision.refusal.as_ref().map(|refusal| RefusalView {
                code: refusal.code.text(),
                message: refusal.message.clone(),
                fix: refusal.fix.clone().unwrap_or_else(|| refusal.code.fix().to_owned()),
                details: refusal.wire_details(),
            }),
            hold: decision.hold.as_ref().map(DraftHoldView::of),
            labels: decision.labels.clone(),
            findings: decision.findings.iter().map(OutboundFindingView::of).collect(),
            recipients: decision
                .recipients
                .iter()
                .map(|recipient| RecipientView {
                    origin: RecipientOriginView::new(&recipient.address, recipient.origin),
                    channel: recipient.channel.text(),
                    suppressed: recipient.suppressed,
                    blocked: recipient.blocked,
                })
                .collect(),
            message_size_bytes: decision.message_size_bytes,
            limits_left: LimitsLeftView {
                emails_per_month: left.month,
                daily_sends_per_inbox: left.inbox_day,
                daily_sends: left.workspace_day,
                sends_per_5_minutes: left.burst,
            },
        }
    }
}
