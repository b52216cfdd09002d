//! `POST /v1/inboxes/{id}/messages/{message_id}/forward`.

use posthouse_api::wire::{OneOrMany, Recipient, UserLabel};
use posthouse_app::outbound::send::SendRequest;
use posthouse_call::prelude::*;
use posthouse_domain::{ForwardCommand, OutgoingContent, label::LABELS_MAX, send::RECIPIENTS_MAX};

use crate::v1::fields::LeaseIdText;
use crate::v1::inboxes::sending::{
    self, BODY_CHARS_MAX, SendQuery, body, fence, has_a_recipient, labels, people, recipients_together, send_context,
};

pub(super) fn operations() -> Vec<Operation> {
    vec![
        sending::operation("/v1/inboxes/{id}/messages/{message_id}/forward", "forwardMessage")
            .summary(
                "Forwards a message to others in a new thread, with an optional note above it. With dry_run, returns the \
                 decision and sends nothing.",
            )
            // A file may be one that only an owner may read.
            .errors(&[ErrorCode::Forbidden, ErrorCode::MessageWithheld])
            .handle(send),
    ]
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

async fn send(service: Arc<Service>, input: Input<SendQuery, ForwardBody>) -> Result<Outcome, Refusal> {
    let original = input.path.id("message_id", "message")?;
    let mut context = send_context(&input, input.request.operation)?;
    context.fence = fence(original, input.body.lease_id.as_ref());
    let request = SendRequest::Forward { original, command: input.body.command() };
    sending::send(&service, context, request, &input.query).await
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
