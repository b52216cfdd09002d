//! Sending: new messages, answers, forwarded messages (API document, Messages; contract §4.5).
//!
//! The three routes decode; what may be sent, and the one write, are `app/send`, `app/reply` and `app/forward`.

use std::sync::Arc;

use axum::http::{HeaderValue, Method};
use posthouse_domain::{
    auth::Permission,
    error::{Code, Refusal},
    id::MessageId,
    label::LABELS_MAX,
    message::Kind,
    send::{Content, FILES_MAX, File, Forward, People, RECIPIENTS_MAX, Reply, Send, recipients_problem},
};
use posthouse_store::{idempotency::Key, messages::Record};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::queue::LeaseText;
use crate::{
    app::{
        App,
        claim::Fence,
        compose::SUBJECT_CHARS_MAX,
        forward,
        post::{Decision, Posted, Render},
        reply,
        send::{self, Order},
    },
    http::{
        idempotency::REPLAYED,
        route::{ATTACHMENT_BODY_BYTES_MAX, Answer, Input, Route},
        wire::{
            Base64, Empty, FileName, Json, Line, List, MimeType, OneOrMany, OwnLabel, Problems, Recipient, Text,
            member, object, query,
        },
    },
    views::message::MessageView,
};

/// Longest text or HTML in characters: as long as the largest request body. What really bounds it is the size of the message,
/// which is refused by a code of its own.
pub(super) const BODY_CHARS_MAX: usize = ATTACHMENT_BODY_BYTES_MAX;
/// Most bytes of structured data (contract Appendix C).
pub(super) const DATA_BYTES_MAX: usize = 65_536;
/// Under which the keys of both paths of a send are kept.
const SEND_KEYS: &str = "sendMessage";
/// What every way of sending can be refused with.
pub(super) const ERRORS: &[Code] = &[
    Code::PlanLimitEmails,
    Code::OrgSuspended,
    Code::DomainNotVerified,
    Code::TemporaryInboxReceiveOnly,
    Code::DomainNotVerified,
    Code::NotFound,
    Code::IdempotencyInFlight,
    Code::LeaseExpired,
    Code::LoopDetected,
    Code::ContentDamaged,
    Code::MessageTooLarge,
    Code::IdempotencyKeyReused,
    Code::RecipientBlocked,
    Code::RecipientSuppressed,
    Code::WorkspaceStopped,
    Code::InboxPaused,
    Code::DailySendLimitExceeded,
    Code::OrgDailyLimitExceeded,
    Code::UnclaimedRecipientLimit,
];

pub(crate) fn routes() -> Vec<Route> {
    let sending = |path, name, summary| {
        Route::new(Method::POST, path, name, Permission::MessagesSend)
            .summary(summary)
            .idempotent()
            .with_attachments()
            .answers::<MessageView<'_>>(202)
            .errors(ERRORS)
    };
    vec![
        sending("/v1/inboxes/{id}/messages", SEND_KEYS, "Queues a message; with dry_run says what would become of it.")
            .answers::<DecisionView>(200)
            .handle(send),
        sending("/v1/inboxes/{id}/messages/send", "sendMessageAlias", "The same as POST /v1/inboxes/{id}/messages.")
            .answers::<DecisionView>(200)
            .handle(send),
        sending(
            "/v1/inboxes/{id}/messages/{message_id}/reply",
            "replyToMessage",
            "Queues an answer in the thread of the message; recipients and subject are computed.",
        )
        .handle(reply),
        sending(
            "/v1/inboxes/{id}/messages/{message_id}/forward",
            "forwardMessage",
            "Queues a copy of the message for others, in a new thread, below a note.",
        )
        .handle(forward),
    ]
}

object! {
    /// A file to send along.
    pub struct AttachmentBody {
        /// Its name, without a path.
        filename: FileName,
        /// Its media type.
        content_type: MimeType,
        /// Its bytes in base64.
        content_base64: Base64,
    }
}

object! {
    /// A message to send. One of text, html and data is required; to, cc and bcc name at most 50 recipients together.
    pub struct SendBody {
        /// Who it goes to: `addr` or `Name <addr>`, one or several.
        to: OneOrMany<Recipient, RECIPIENTS_MAX>,
        /// Who gets a copy.
        cc: Option<OneOrMany<Recipient, RECIPIENTS_MAX>>,
        /// Who gets a copy that the others do not see.
        bcc: Option<OneOrMany<Recipient, RECIPIENTS_MAX>>,
        /// What it is about.
        subject: Line<0, SUBJECT_CHARS_MAX>,
        /// Plain text.
        text: Option<Text<0, BODY_CHARS_MAX>>,
        /// HTML.
        html: Option<Text<0, BODY_CHARS_MAX>>,
        /// Files.
        attachments: Option<List<AttachmentBody, 0, FILES_MAX>>,
        /// Labels for the sent message.
        labels: Option<List<OwnLabel, 0, LABELS_MAX>>,
        /// Structured data: `data` for recipients on this server, a file service-data.json for others.
        data: Option<Json<DATA_BYTES_MAX>>,
        /// The advisory kind.
        kind = "type": Option<Kind>,
    }
    check one_of_the_bodies;
    check recipients_together;
}

object! {
    /// An answer. One of text, html and data is required.
    pub struct ReplyBody {
        /// Plain text.
        text: Option<Text<0, BODY_CHARS_MAX>>,
        /// HTML.
        html: Option<Text<0, BODY_CHARS_MAX>>,
        /// Files.
        attachments: Option<List<AttachmentBody, 0, FILES_MAX>>,
        /// Whether it also goes to the other recipients of the message.
        reply_all: Option<bool>,
        /// Labels for the sent message.
        labels: Option<List<OwnLabel, 0, LABELS_MAX>>,
        /// Structured data, as in a send.
        data: Option<Json<DATA_BYTES_MAX>>,
        /// The advisory kind.
        kind = "type": Option<Kind>,
        /// The lease under which the message was claimed; the answer is refused with lease_expired when it is not the current one.
        lease_id: Option<LeaseText>,
    }
    check one_of_the_bodies;
}

object! {
    /// A message to pass on.
    pub struct ForwardBody {
        /// Who it goes to: `addr` or `Name <addr>`, one or several.
        to: OneOrMany<Recipient, RECIPIENTS_MAX>,
        /// Who gets a copy.
        cc: Option<OneOrMany<Recipient, RECIPIENTS_MAX>>,
        /// Who gets a copy that the others do not see.
        bcc: Option<OneOrMany<Recipient, RECIPIENTS_MAX>>,
        /// A note above the original.
        text: Option<Text<0, BODY_CHARS_MAX>>,
        /// The note in HTML.
        html: Option<Text<0, BODY_CHARS_MAX>>,
        /// Whether the original's files go along; true unless told otherwise.
        include_attachments: Option<bool>,
        /// Labels for the sent message.
        labels: Option<List<OwnLabel, 0, LABELS_MAX>>,
        /// The lease under which the message was claimed; refused with lease_expired when it is not the current one.
        lease_id: Option<LeaseText>,
    }
    check recipients_together;
}

query! {
    /// How to send.
    pub struct SendQuery {
        /// Answers 200 with the decision, and stores nothing.
        dry_run: Option<bool>,
    }
}

async fn send(app: Arc<App>, input: Input<SendQuery, SendBody>) -> Result<Answer, Refusal> {
    let dry_run = input.query.dry_run.unwrap_or(false);
    let order = order(&input, SEND_KEYS)?;
    let command = input.body.command();
    if dry_run {
        let decision = send::dry_run(&app, order, command).await?;
        return Answer::json(200, &DecisionView::of(&decision));
    }
    Ok(answer(send::send(&app, order, command, render()).await?))
}

async fn reply(app: Arc<App>, input: Input<Empty, ReplyBody>) -> Result<Answer, Refusal> {
    let original = input.path.id("message_id", "message")?;
    let mut order = order(&input, input.request.route)?;
    order.fence = fence(original, input.body.lease_id.as_ref());
    let command = input.body.command();
    Ok(answer(reply::reply(&app, order, (original, command), render()).await?))
}

async fn forward(app: Arc<App>, input: Input<Empty, ForwardBody>) -> Result<Answer, Refusal> {
    let original = input.path.id("message_id", "message")?;
    let mut order = order(&input, input.request.route)?;
    order.fence = fence(original, input.body.lease_id.as_ref());
    let command = input.body.command();
    Ok(answer(forward::forward(&app, order, (original, command), render()).await?))
}

/// Who asks to send what from the inbox of the path, with the idempotency key of the request.
pub(super) fn order<Q, B>(input: &Input<Q, B>, route: &'static str) -> Result<Order, Refusal> {
    let key = idempotency_key(input, route);
    Ok(Order { caller: input.caller, inbox: input.path.id("id", "inbox")?, key, fence: None })
}

fn fence(message: MessageId, lease: Option<&LeaseText>) -> Option<Fence> {
    lease.map(|lease| Fence { message, lease: lease.0.clone() })
}

/// The idempotency key of a request, kept under that route.
pub(super) fn idempotency_key<Q, B>(input: &Input<Q, B>, route: &'static str) -> Option<Key> {
    let workspace = input.caller.workspace;
    let given = input.request.idempotency_key.clone().zip(input.request.fingerprint);
    given.map(|(key, fingerprint)| Key { workspace, route, key, fingerprint })
}

fn render() -> Render {
    Arc::new(|record: &Record| {
        serde_json::to_string(&MessageView::of(record))
            .map_err(|_| Refusal::new(Code::Internal, "The answer could not be written."))
    })
}

/// The answer, marked when it was given before.
pub(super) fn answer(posted: Posted) -> Answer {
    let answer = Answer::written(posted.answer.status, posted.answer.body);
    if posted.replayed { answer.with(REPLAYED, HeaderValue::from_static("true")) } else { answer }
}

impl SendBody {
    fn command(self) -> Send {
        let parts = Parts { text: self.text, html: self.html, data: self.data, labels: self.labels, kind: self.kind };
        let content = parts.content(self.attachments);
        Send { people: people(self.to, self.cc, self.bcc), subject: self.subject.0, content }
    }
}

impl ReplyBody {
    fn command(self) -> Reply {
        let parts = Parts { text: self.text, html: self.html, data: self.data, labels: self.labels, kind: self.kind };
        Reply { content: parts.content(self.attachments), all: self.reply_all.unwrap_or(false) }
    }
}

impl ForwardBody {
    fn command(self) -> Forward {
        let note = Content {
            text: body(self.text),
            html: body(self.html),
            data_json: None,
            files: Vec::new(),
            labels: labels(self.labels),
            kind: Kind::Message,
        };
        let people = people(self.to, self.cc, self.bcc);
        Forward { people, note, include_files: self.include_attachments.unwrap_or(true) }
    }
}

/// A message without any of the three would be empty.
fn one_of_the_bodies(given: &Map<String, Value>, path: &str, problems: &mut Problems) {
    let is_empty = |value: &Value| value.is_null() || value.as_str().is_some_and(str::is_empty);
    if ["text", "html", "data"].iter().all(|name| given.get(*name).is_none_or(is_empty)) {
        problems.add::<()>(&member(path, "text"), "is required, unless html or data is given; it must not be empty");
    }
}

/// As many recipients as there may be, in three fields.
fn recipients_together(given: &Map<String, Value>, path: &str, problems: &mut Problems) {
    let counts = ["to", "cc", "bcc"].map(|name| match given.get(name) {
        Some(Value::Array(items)) => items.len(),
        Some(Value::String(_)) => 1,
        _ => 0,
    });
    // A single list that is too long has been told by then, and so has a missing one.
    let told = counts.iter().any(|count| *count > RECIPIENTS_MAX);
    let count: usize = counts.iter().sum();
    let is_missing = count == 0 && !given.get("to").is_some_and(Value::is_array);
    if let Some(problem) = recipients_problem(count).filter(|_| !told && !is_missing) {
        problems.add::<()>(&member(path, "to"), problem);
    }
}

/// What a send and a reply have in common.
struct Parts {
    text: Option<Text<0, BODY_CHARS_MAX>>,
    html: Option<Text<0, BODY_CHARS_MAX>>,
    data: Option<Json<DATA_BYTES_MAX>>,
    labels: Option<List<OwnLabel, 0, LABELS_MAX>>,
    kind: Option<Kind>,
}

impl Parts {
    fn content(self, files: Option<List<AttachmentBody, 0, FILES_MAX>>) -> Content {
        Content {
            text: body(self.text),
            html: body(self.html),
            data_json: self.data.map(|data| data.0.to_string()),
            files: files.map(|list| list.0.into_iter().map(AttachmentBody::file).collect()).unwrap_or_default(),
            labels: labels(self.labels),
            kind: self.kind.unwrap_or(Kind::Message),
        }
    }
}

impl AttachmentBody {
    pub(super) fn file(self) -> File {
        File {
            name: self.filename.0,
            content_type: self.content_type.0,
            content_id: None,
            bytes: self.content_base64.0,
        }
    }
}

type Recipients = OneOrMany<Recipient, RECIPIENTS_MAX>;

fn people(to: Recipients, cc: Option<Recipients>, bcc: Option<Recipients>) -> People {
    let mailboxes = |list: Recipients| list.0.into_iter().map(|recipient| recipient.0).collect();
    People { to: mailboxes(to), cc: cc.map(mailboxes).unwrap_or_default(), bcc: bcc.map(mailboxes).unwrap_or_default() }
}

/// The labels of a message, each once.
pub(super) fn labels(given: Option<List<OwnLabel, 0, LABELS_MAX>>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for OwnLabel(label) in given.map(|list| list.0).unwrap_or_default() {
        if !kept.contains(&label) {
            kept.push(label);
        }
    }
    kept
}

/// An empty body is none.
pub(super) fn body<const MAX: usize>(given: Option<Text<0, MAX>>) -> Option<String> {
    given.map(|text| text.0).filter(|text| !text.is_empty())
}

/// What would become of a message.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SendDecision")]
struct DecisionView {
    /// Whether it would be sent.
    allowed: bool,
    /// Why not; null when it would be sent.
    refusal: Option<RefusalView>,
    recipients: Vec<RecipientView>,
    /// Its size as it would be sent.
    message_size_bytes: u64,
    /// How many more messages the limits let through now; null is unlimited.
    limits_left: LimitsLeftView,
}

/// A refusal, as the error of a send would show it.
#[derive(Serialize, JsonSchema)]
struct RefusalView {
    code: &'static str,
    message: String,
    fix: String,
    details: Map<String, Value>,
}

/// A recipient of a message that is not sent yet.
#[derive(Serialize, JsonSchema)]
struct RecipientView {
    address: String,
    /// agent for inboxes of this server, email for others.
    channel: &'static str,
    /// Whether its suppression refuses the message.
    suppressed: bool,
    /// Whether the send or reply lists refuse the message.
    blocked: bool,
}

/// What is left of the limits.
#[derive(Serialize, JsonSchema)]
struct LimitsLeftView {
    emails_per_month: Option<u64>,
    daily_sends_per_inbox: Option<u64>,
    daily_sends: Option<u64>,
    sends_per_5_minutes: Option<u64>,
}

impl DecisionView {
    fn of(decision: &Decision) -> Self {
        let left = &decision.left;
        Self {
            allowed: decision.refusal.is_none(),
            refusal: decision.refusal.as_ref().map(|refusal| RefusalView {
                code: refusal.code.text(),
                message: refusal.message.clone(),
                fix: refusal.fix.clone().unwrap_or_else(|| refusal.code.fix().to_owned()),
                details: refusal.details.clone(),
            }),
            recipients: decision
                .recipients
                .iter()
                .map(|recipient| RecipientView {
                    address: recipient.address.clone(),
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
