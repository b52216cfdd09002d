//! Answers to invitations: a reply of a calendar to its organizer (RFC 5546 §3.2.3, RFC 6047).

use std::sync::Arc;

use posthouse_domain::outbound_policy::seen;
use posthouse_domain::{
    Attachment, Inbox, InvitationAnswer, Message, MessageId, MessageRecipients, OutgoingContent, OutgoingFile, Refusal,
    Time,
};
use posthouse_mail::{
    address::Mailbox,
    calendar::{self, Calendar, CalendarEvent},
    parse,
};
use posthouse_store::{Tx, attachments, seen_addresses};

use super::accept::{self, RenderResponse, SendResponse};
use super::compose::{self, OutgoingKind, OutgoingMessage};
use super::{repeat::RepeatableRequest, reply, send_context::SendContext};
use crate::{access::visible, messages::raw, service::Service};

/// Bytes of an invitation that is read.
const INVITATION_BYTES_MAX: u64 = 1024 * 1024;
/// Attachments of a message that may be the invitation.
const INVITATIONS_MAX: usize = 4;
/// Characters of an event's title in a subject.
const TITLE_CHARS_MAX: usize = 200;
/// The media type of the answer (RFC 6047 §2.4).
const REPLY_TYPE: &str = "text/calendar; method=REPLY; charset=utf-8";
/// The name of the file with the answer.
const REPLY_NAME: &str = "reply.ics";

/// An answer to the invitation in a message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AnswerCommand {
    pub answer: InvitationAnswer,
    /// What the organizer reads beside it.
    pub text: Option<String>,
}

/// Queues an answer to the organizer of the invitation in a message, in its thread. The organizer's address counts as one
/// that the message names: the author of the invitation chose it.
///
/// # Errors
/// Returns `not_found` if the message is not in this inbox or has no invitation, `not_answerable` if the invitation has no
/// organizer or isn't for this inbox, or the errors of [`super::send::send`].
pub async fn answer(
    service: &Arc<Service>,
    context: SendContext,
    original: MessageId,
    command: AnswerCommand,
    render: RenderResponse,
) -> Result<SendResponse, Refusal> {
    let request = RepeatableRequest::of(&context);
    request.or_recorded_response(service, answer_new(service, context, original, command, render).await).await
}

async fn answer_new(
    service: &Arc<Service>,
    context: SendContext,
    original: MessageId,
    command: AnswerCommand,
    render: RenderResponse,
) -> Result<SendResponse, Refusal> {
    let (caller, id) = (context.caller, context.inbox);
    let find = move |tx: &mut Tx| {
        let inbox = visible::inbox(tx, &caller, id)?;
        let message = visible::message(tx, &caller, original)?;
        if message.inbox != inbox.id {
            return Err(Refusal::not_found("message"));
        }
        visible::content(tx, &caller, &message)?;
        let files = attachments::of(tx, message.workspace, &[message.id])?;
        Ok((inbox, message, files))
    };
    let (inbox, original, files) = service.read(caller.workspace, find).await?;
    let invitation =
        invitation(service, &original, &files, &inbox).await?.ok_or_else(|| Refusal::not_found("invitation"))?;
    let refused = |problem: &str| reply::not_answerable(&original, problem).with_fix("Reply to the message instead.");
    let events = calendar::invited(&invitation, &inbox.address);
    // The refusal of an invitation for other people is about its first event.
    let about = events.first().copied().or(invitation.events.first());
    let organizer =
        about.and_then(organizer).ok_or_else(|| refused("The invitation doesn't have the address of an organizer."))?;
    let outgoing = compose_answer(service, &events, &inbox, &command)
        .ok_or_else(|| refused("The invitation doesn't name the address of this inbox."))?;
    let key = seen::key(organizer.address());
    let (workspace, message) = (original.workspace, original.id);
    service.write(move |tx| seen_addresses::insert(tx, workspace, key, message)).await?;
    let people = MessageRecipients { to: vec![organizer], ..MessageRecipients::default() };
    let outgoing = OutgoingMessage::new(service.clock.ids().next(), people, outgoing.subject)
        .with_content(outgoing.content)
        .with_origin(OutgoingKind::Reply(Box::new(original)));
    accept::accept(service, context, outgoing, inbox, render).await
}

/// Returns the invitation of a message: the first that names the inbox, or else the first.
async fn invitation(
    service: &Service,
    message: &Message,
    files: &[Attachment],
    inbox: &Inbox,
) -> Result<Option<Calendar>, Refusal> {
    let is_calendar = |file: &&Attachment| {
        let name = file.filename.as_deref().unwrap_or_default().to_ascii_lowercase();
        let essence = file.content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        let is_known = matches!(essence.as_str(), "text/calendar" | "application/ics") || name.ends_with(".ics");
        is_known && file.size_bytes <= INVITATION_BYTES_MAX
    };
    let mut first = None;
    for file in files.iter().filter(is_calendar).take(INVITATIONS_MAX) {
        let bytes = raw::attachment_bytes(service, message, file).await?;
        let found = parse::text_of_file(&bytes).and_then(|text| calendar::parse(&text));
        let asked = found.filter(|found| found.method.as_deref().is_none_or(|method| method == "REQUEST"));
        let Some(asked) = asked.filter(|found| !found.events.is_empty()) else { continue };
        if !calendar::invited(&asked, &inbox.address).is_empty() {
            return Ok(Some(asked));
        }
        first.get_or_insert(asked);
    }
    Ok(first)
}

fn organizer(event: &CalendarEvent) -> Option<Mailbox> {
    Mailbox::parse(event.organizer.as_deref()?).ok()
}

struct Answer {
    subject: String,
    content: OutgoingContent,
}

/// Returns the answer; `None` if the invitation doesn't name the inbox.
fn compose_answer(
    service: &Service,
    events: &[&CalendarEvent],
    inbox: &Inbox,
    command: &AnswerCommand,
) -> Option<Answer> {
    let stamp = stamp(service.clock.now());
    let reply = calendar::reply(events, &inbox.address, command.answer.in_calendar(), &stamp)?;
    let shown = |c: char| if c.is_control() { ' ' } else { c };
    let title: String =
        events.first()?.summary.as_deref().unwrap_or_default().chars().map(shown).take(TITLE_CHARS_MAX).collect();
    let subject = format!("{}: {}", command.answer.in_subject(), title.trim());
    let text = command.text.clone().unwrap_or_else(|| subject.clone());
    let file = OutgoingFile {
        name: REPLY_NAME.to_owned(),
        content_type: REPLY_TYPE.to_owned(),
        content_id: None,
        bytes: reply.into_bytes(),
    };
    let content = OutgoingContent { text: Some(text), files: vec![file], ..OutgoingContent::default() };
    Some(Answer { subject: compose::bounded_subject(subject.trim_end_matches([':', ' '])), content })
}

/// Returns a time in the form of calendars (RFC 5545 §3.3.5), such as `20270115T080000Z`.
fn stamp(at: Time) -> String {
    let text = at.to_string();
    let digits = text.get(..19).unwrap_or_default().chars().filter(|c| !matches!(c, '-' | ':'));
    digits.chain(['Z']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_have_the_form_of_calendars() {
        assert_eq!(stamp(Time::from_millis(1_800_000_000_123)), "20270115T080000Z");
    }
}
