//! `POST /v1/inboxes/{id}/messages/{message_id}/reply`.

use posthouse_api::wire::{BoundedJson, OneOrMany, Recipient, SignatureText, UserLabel};
use posthouse_app::outbound::send::SendRequest;
use posthouse_call::prelude::*;
use posthouse_domain::send::{FILES_MAX, RECIPIENTS_MAX};
use posthouse_domain::{MessageKind, ReplyCommand, label::LABELS_MAX};

use crate::v1::fields::LeaseIdText;
use crate::v1::inboxes::sending::{
    self, AttachmentBody, BODY_CHARS_MAX, BodyMembers, DATA_BYTES_MAX, SendQuery, author, fence, has_a_body,
    one_of_the_bodies, people, send_context,
};

pub(super) fn operations() -> Vec<Operation> {
    vec![
        sending::operation("/v1/inboxes/{id}/messages/{message_id}/reply", "replyToMessage")
            .summary(
                "Replies to a message in its thread. Recipients and subject are computed. With dry_run, returns the \
                 decision and sends nothing.",
            )
            .errors(&[ErrorCode::MessageWithheld, ErrorCode::NotAnswerable])
            .handle(send),
    ]
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

async fn send(service: Arc<Service>, input: Input<SendQuery, ReplyBody>) -> Result<Outcome, Refusal> {
    let original = input.path.id("message_id", "message")?;
    let mut context = send_context(&input, input.request.operation)?;
    context.fence = fence(original, input.body.lease_id.as_ref());
    let request = SendRequest::Reply { original, command: input.body.command(&service)? };
    sending::send(&service, context, request, &input.query).await
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
