//! `/v1/inboxes/{id}/messages`: listing and sending.

mod claim;
mod forward;
mod invitation_answer;
mod reply;
mod wait;

use posthouse_api::views::message::MessageView;
use posthouse_api::wire::{BoundedJson, CommaList, Label, OneOrMany, Recipient, SignatureText, UserLabel};
use posthouse_app::messages::read::{self, MessageFilter, MessageListRequest, ScreeningFilter};
use posthouse_app::outbound::{compose::SUBJECT_CHARS_MAX, send::SendRequest};
use posthouse_call::prelude::*;
use posthouse_domain::send::{FILES_MAX, RECIPIENTS_MAX};
use posthouse_domain::{
    Channel, Direction, MessageKind, MessageStatus, OptIns, PromotionsFilter, RecordView, SendCommand, label::BLOCKED,
    label::LABELS_MAX,
};

use super::sending::{
    self, AttachmentBody, BODY_CHARS_MAX, BodyMembers, DATA_BYTES_MAX, SendQuery, author, decision::DecisionView,
    has_a_body, has_a_recipient, one_of_the_bodies, people, recipients_together, send_context,
};
use crate::v1::{fields::detail, render_messages};

/// Largest number of labels in a list filter.
const LABEL_FILTERS_MAX: usize = 10;
/// The name of the operation under which both send paths store idempotency keys.
const SEND_KEYS: &str = "sendMessage";
/// The error codes of a dry run: its decision contains every other refusal of a send.
const DECISION_ERROR_CODES: &[ErrorCode] = &[
    ErrorCode::InvalidHandle,
    ErrorCode::NotFound,
    ErrorCode::AgentNotFound,
    ErrorCode::MessageTooLarge,
    ErrorCode::InvalidAgentSignature,
    ErrorCode::AgentKeysDisabled,
    ErrorCode::DirectoryDisabled,
];

pub(super) fn operations() -> Vec<Operation> {
    let chapters = [
        own(),
        claim::operations(),
        wait::operations(),
        reply::operations(),
        forward::operations(),
        invitation_answer::operations(),
    ];
    chapters.into_iter().flatten().collect()
}

fn own() -> Vec<Operation> {
    vec![
        Operation::new(Method::Get, "/v1/inboxes/{id}/messages", "listMessages", Permission::MessagesRead)
            .summary("Lists the messages of an inbox, newest first.")
            .responds::<PageView<MessageView<'_>>>(200)
            .errors(&[ErrorCode::InvalidCursor, ErrorCode::NotFound])
            .handle(list),
        sending::operation("/v1/inboxes/{id}/messages", SEND_KEYS)
            .summary("Sends a message. With dry_run, returns the decision and sends nothing.")
            .handle(post),
        sending::operation("/v1/inboxes/{id}/messages/send", "sendNewMessage")
            .summary("Sends a message; the same as POST /v1/inboxes/{id}/messages.")
            .handle(post),
        Operation::new(Method::Post, "/v1/inboxes/{id}/messages/dry-run", "dryRunSend", Permission::MessagesSend)
            .reads()
            .summary("Returns the decision about a message, and sends and stores nothing.")
            .with_attachments()
            .responds::<DecisionView<'_>>(200)
            .errors(DECISION_ERROR_CODES)
            .handle(decide),
    ]
}

choice! {
    /// Screening state of received mail.
    enum ScreeningState {
        /// Checked, or exempt from checks.
        Screened = "screened",
        /// Not checked yet.
        Pending = "pending",
        /// Withheld.
        Held = "held",
        /// Released by a caller.
        Released = "released",
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

query! {
    /// Filters and page of a list of messages.
    struct MessageListQuery {
        /// Labels, separated by commas. A message must have all of them.
        labels: CommaList<Label, LABEL_FILTERS_MAX>,
        /// Only read messages if true, only unread messages if false.
        is_read: Option<bool>,
        /// Only messages of this direction.
        direction: Option<Direction>,
        /// Only messages with this status.
        status: Option<MessageStatus>,
        /// Whether to include mail that a receive list stopped.
        include_blocked: bool,
        /// Only messages of this channel.
        channel: Option<Channel>,
        /// Only messages of this type.
        kind = "type": Option<MessageKind>,
        /// Only received messages in this screening state.
        screening: Option<ScreeningState>,
        /// Whether to include the content of mail that is not screened yet.
        include_unscreened: bool,
        /// Whether to include the content of held mail. Requires `messages:release`.
        include_held: bool,
        /// Whether to list messages labeled `ai:sales` or `local:spam`. If omitted, the inbox's `promotions_filter`
        /// decides.
        promotions: Option<PromotionsFilter>,
        /// How much of each message the list shows: `summary` leaves out bodies, header fields and data. Default: full.
        view: Option<RecordView>,
        /// The `next_cursor` of the previous page.
        cursor: Option<Cursor>,
        /// Maximum number of messages per page. Default: 25.
        limit: Limit,
    }
}

impl MessageListQuery {
    fn parse(self, inbox: InboxId) -> MessageListRequest {
        MessageListRequest {
            inbox,
            filter: self.filter(),
            promotions: self.promotions,
            detail: detail(self.view, OptIns { unscreened: self.include_unscreened, held: self.include_held }),
            page: paging(self.cursor, self.limit),
        }
    }

    /// Returns the filter, or `None` if no message can match.
    fn filter(&self) -> Option<MessageFilter> {
        let screening = match self.screening {
            Some(_) if self.direction == Some(Direction::Outbound) => return None,
            Some(ScreeningState::Pending) => Some(ScreeningFilter::Pending),
            Some(ScreeningState::Screened) => Some(ScreeningFilter::Passed),
            Some(ScreeningState::Held) => Some(ScreeningFilter::Held),
            Some(ScreeningState::Released) => Some(ScreeningFilter::Released),
            None => None,
        };
        Some(MessageFilter {
            labels: self.labels.0.iter().map(|label| label.0.clone()).collect(),
            any_label: Vec::new(),
            hidden_labels: if self.include_blocked { Vec::new() } else { vec![BLOCKED] },
            is_read: self.is_read,
            // Only received mail is screened.
            direction: screening.map_or(self.direction, |_| Some(Direction::Inbound)),
            status: self.status,
            channel: self.channel,
            kind: self.kind,
            screening,
        })
    }
}

async fn list(service: Arc<Service>, input: Input<MessageListQuery>) -> Result<Outcome, Refusal> {
    let id: InboxId = input.path.id("id", "inbox")?;
    let rendered = read::page(&service, input.caller, input.query.parse(id), render_messages(&service)).await?;
    Ok(Outcome::rendered_json(200, rendered.into_json()))
}

async fn post(service: Arc<Service>, input: Input<SendQuery, SendBody>) -> Result<Outcome, Refusal> {
    let context = send_context(&input, SEND_KEYS)?;
    let request = SendRequest::New(input.body.command(&service)?);
    sending::send(&service, context, request, &input.query).await
}

async fn decide(service: Arc<Service>, input: Input<EmptyInput, SendBody>) -> Result<Outcome, Refusal> {
    let context = send_context(&input, input.request.operation)?;
    let request = SendRequest::New(input.body.command(&service)?);
    sending::decide(&service, context, request).await
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
