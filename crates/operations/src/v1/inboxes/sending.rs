//! What operations that send messages share: parts of their bodies, their context and their results.
//!
//! These operations decode requests; the use cases in `app/src/outbound` decide what may be sent and store it in one
//! write.

pub(super) mod decision;

use posthouse_api::views::{draft::HeldSendView, message::MessageView};
use posthouse_api::wire::{
    Base64, BoundedJson, FileName, MimeType, OneOrMany, Recipient, SignatureText, UserLabel, member,
};
use posthouse_app::outbound::accept::{RenderResponse, SendResponse};
use posthouse_app::outbound::{send, send::SendRequest, send_context::SendContext};
use posthouse_app::{agent_keys, messages::claim::FencingToken};
use posthouse_call::prelude::*;
use posthouse_call::{ATTACHMENT_BODY_BYTES_MAX, idempotency};
use posthouse_domain::send::{FILES_MAX, RECIPIENTS_MAX, SEND_ERROR_CODES, recipients_problem};
use posthouse_domain::{
    AuthorClaims, MessageId, MessageKind, NamedRecipients, OutgoingContent, OutgoingFile, Record, label::LABELS_MAX,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::v1::fields::LeaseIdText;
use decision::DecisionView;

/// Longest text or HTML body in characters: as long as the largest request body. The real limit is the size of the
/// message, which has its own error code.
pub(super) const BODY_CHARS_MAX: usize = ATTACHMENT_BODY_BYTES_MAX;
/// Largest structured data in bytes.
pub(super) const DATA_BYTES_MAX: usize = 65_536;

/// Begins an operation that sends a message.
pub(super) fn operation(path: &'static str, name: &'static str) -> Operation {
    Operation::new(Method::Post, path, name, Permission::MessagesSend)
        .idempotent()
        .with_attachments()
        .responds::<SentAnswer<'_>>(202)
        .responds_with_case::<SentAnswer<'_>, DecisionView<'_>>(200)
        .errors(SEND_ERROR_CODES)
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

query! {
    /// Options of a send.
    pub struct SendQuery {
        /// Whether to return the decision with 200 and store nothing.
        dry_run: Option<bool>,
    }
}

impl SendQuery {
    /// Returns whether only the decision is wanted.
    pub(super) fn is_dry_run(&self) -> bool {
        self.dry_run.unwrap_or_default()
    }
}

/// Builds the context of a send: the caller, the inbox of the path and the idempotency key.
pub(super) fn send_context<Q, B>(input: &Input<Q, B>, route: &'static str) -> Result<SendContext, Refusal> {
    let key = idempotency::stored_key(&input.caller, &input.request, route);
    Ok(SendContext { caller: input.caller, inbox: input.path.id("id", "inbox")?, key, fence: None })
}

pub(super) fn fence(message: MessageId, lease: Option<&LeaseIdText>) -> Option<FencingToken> {
    lease.map(|lease| FencingToken { message, lease: lease.0.clone() })
}

/// Sends a message, or returns the decision about it if the query asks for that.
pub(super) async fn send(
    service: &Arc<Service>,
    context: SendContext,
    request: SendRequest,
    query: &SendQuery,
) -> Result<Outcome, Refusal> {
    if query.is_dry_run() {
        return decide(service, context, request).await;
    }
    Ok(answer(send::send(service, context, request, render()).await?))
}

/// Returns the decision about a message that is not sent.
pub(super) async fn decide(
    service: &Arc<Service>,
    context: SendContext,
    request: SendRequest,
) -> Result<Outcome, Refusal> {
    Outcome::json(200, &DecisionView::of(&send::dry_run(service, context, request).await?))
}

pub(super) fn render() -> RenderResponse {
    Arc::new(|record: &Record| {
        serde_json::to_string(&MessageView::of(record))
            .map_err(|_| Refusal::new(ErrorCode::Internal, "The response couldn't be rendered."))
    })
}

/// Converts a stored response, marked if it is a replay.
pub(super) fn answer(posted: SendResponse) -> Outcome {
    let answer = Outcome::rendered_json(posted.answer.status, posted.answer.body);
    Outcome { is_replayed: posted.replayed, ..answer }
}

/// Parses the signature of an author.
pub(super) fn author(service: &Service, given: Option<SignatureText>) -> Result<Option<AuthorClaims>, Refusal> {
    let Some(text) = given else { return Ok(None) };
    agent_keys::check_enabled(service)?;
    AuthorClaims::parse(&text.0).map(Some)
}

/// Reports a message without text, HTML and data, which would be empty.
pub(super) fn one_of_the_bodies(given: &Map<String, Value>, path: &str, problems: &mut Problems) {
    let is_empty = |value: &Value| value.is_null() || value.as_str().is_some_and(str::is_empty);
    if ["text", "html", "data"].iter().all(|name| given.get(*name).is_none_or(is_empty)) {
        problems
            .add::<()>(&member(path, "text"), "is required, unless `html` or `data` is given; it must not be empty");
    }
}

/// [`one_of_the_bodies`] as a condition of JSON Schema.
pub(super) fn has_a_body() -> Value {
    let text = |name: &str| json!({ "required": [name], "properties": { name: { "type": "string", "minLength": 1 } } });
    let data = json!({ "required": ["data"], "properties": { "data": { "type": ["object", "array"] } } });
    json!({ "anyOf": [text("text"), text("html"), data] })
}

/// The lower limit of [`recipients_together`] as a condition of JSON Schema, which can't add up the three fields.
pub(super) fn has_a_recipient() -> Value {
    let some = json!({ "anyOf": [{ "type": "string" }, { "type": "array", "minItems": 1 }] });
    let field = |name: &str| json!({ "required": [name], "properties": { name: some } });
    json!({ "anyOf": [field("to"), field("cc"), field("bcc")] })
}

/// Checks the number of recipients in all three fields together.
pub(super) fn recipients_together(given: &Map<String, Value>, path: &str, problems: &mut Problems) {
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
pub(super) struct BodyMembers {
    pub(super) text: Option<BoundedText<0, BODY_CHARS_MAX>>,
    pub(super) html: Option<BoundedText<0, BODY_CHARS_MAX>>,
    pub(super) data: Option<BoundedJson<DATA_BYTES_MAX>>,
    pub(super) labels: Option<BoundedList<UserLabel, 0, LABELS_MAX>>,
    pub(super) kind: Option<MessageKind>,
}

impl BodyMembers {
    pub(super) fn content(self, files: Option<BoundedList<AttachmentBody, 0, FILES_MAX>>) -> OutgoingContent {
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
    pub(super) fn file(self) -> OutgoingFile {
        OutgoingFile {
            name: self.filename.0,
            content_type: self.content_type.0,
            content_id: None,
            bytes: self.content_base64.0,
        }
    }
}

pub(super) type Recipients = OneOrMany<Recipient, RECIPIENTS_MAX>;

pub(super) fn people(to: Recipients, cc: Option<Recipients>, bcc: Option<Recipients>) -> NamedRecipients {
    let mailboxes = |list: Recipients| list.0.into_iter().map(|recipient| recipient.0).collect();
    NamedRecipients {
        to: mailboxes(to),
        cc: cc.map(mailboxes).unwrap_or_default(),
        bcc: bcc.map(mailboxes).unwrap_or_default(),
    }
}

/// Returns each label of a message once.
pub(super) fn labels(given: Option<BoundedList<UserLabel, 0, LABELS_MAX>>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for UserLabel(label) in given.map(|list| list.0).unwrap_or_default() {
        if !kept.contains(&label) {
            kept.push(label);
        }
    }
    kept
}

/// Returns a body unless it is empty: an empty body counts as absent.
pub(super) fn body<const MAX: usize>(given: Option<BoundedText<0, MAX>>) -> Option<String> {
    given.map(|text| text.0).filter(|text| !text.is_empty())
}

/// A message that was sent, one that waits for an approval or, with `dry_run`, the decision.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SendResult")]
#[serde(untagged)]
#[allow(dead_code)] // Describes the response; each part is rendered by itself.
pub(super) enum SentAnswer<'a> {
    Sent(Box<MessageView<'a>>),
    Held(HeldSendView<'a>),
    Decided(Box<DecisionView<'a>>),
}
