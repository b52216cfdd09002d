//! `POST /v1/inboxes/{id}/messages/{message_id}/invitation-answer`: the answer to an invitation.

use posthouse_app::outbound::invitation::{self, AnswerCommand};
use posthouse_call::prelude::*;
use posthouse_domain::{InvitationAnswer, send::SEND_ERROR_CODES};

use crate::v1::inboxes::sending::{SentAnswer, answer, render, send_context};

/// The longest text beside an answer, in characters.
const TEXT_CHARS_MAX: usize = 10_000;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::new(
            Method::Post,
            "/v1/inboxes/{id}/messages/{message_id}/invitation-answer",
            "answerInvitation",
            Permission::MessagesSend,
        )
        .summary("Answers the invitation in a message: sends a calendar reply to its organizer, in the thread.")
        .idempotent()
        .responds::<SentAnswer<'_>>(202)
        .errors(SEND_ERROR_CODES)
        .errors(&[ErrorCode::MessageWithheld, ErrorCode::NotAnswerable])
        .handle(answer_invitation),
    ]
}

object! {
    /// The answer to an invitation.
    struct AnswerInvitationBody {
        /// Whether you come.
        answer: InvitationAnswer,
        /// Text for the organizer. Default: the answer and the title of the event.
        text: Option<BoundedText<1, TEXT_CHARS_MAX>>,
    }
}

async fn answer_invitation(
    service: Arc<Service>,
    input: Input<EmptyInput, AnswerInvitationBody>,
) -> Result<Outcome, Refusal> {
    let original = input.path.id("message_id", "message")?;
    let context = send_context(&input, input.request.operation)?;
    let AnswerInvitationBody { answer: given, text } = input.body;
    let command = AnswerCommand { answer: given, text: text.map(|text| text.0) };
    Ok(answer(invitation::answer(&service, context, original, command, render()).await?))
}
