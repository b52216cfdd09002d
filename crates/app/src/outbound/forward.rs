//! Composes the forward of one message: a new thread, with a note above the header block and bodies of the original, and
//! its data and files unchanged.

use posthouse_domain::{
    Caller, ErrorCode, ForwardCommand, HoldReason, Inbox, Message, MessageBodies, MessageId, OptIns, OutgoingContent,
    OutgoingFile, Refusal, quoted_links, send::DATA_FILE_NAME,
};
use posthouse_mail::{html, parse, parse::ParsedAttachment, thread};
use posthouse_store::{contents, messages};
use serde_json::Value;

use super::compose::{self, OutgoingKind, OutgoingMessage};
use super::{recipients, send_context::SendContext};
use crate::limits::blocking_pool::{WorkClass, WorkOwner, WorkStop};
use crate::{access::visible, messages::raw, service::Service};

/// The maximum length of an original `Date` that is quoted unchanged, in bytes.
const DATE_BYTES_MAX: usize = 100;

/// Composes a forward.
///
/// # Errors
/// Returns `not_found` if the message is not in this inbox, and `message_withheld` or `forbidden` if the caller may not pass
/// it on.
pub(super) async fn outgoing(
    service: &Service,
    context: &SendContext,
    original: MessageId,
    command: ForwardCommand,
) -> Result<(OutgoingMessage, Inbox), Refusal> {
    let found = original_of(service, context, original).await?;
    let mut files = if command.include_files && found.message.has_attachments {
        let is_closed = found.message.masked_links && !context.caller.is_owner();
        files(service, context.caller, original, is_closed).await?
    } else {
        Vec::new()
    };
    let subject = thread::forward_subject(found.message.subject.as_deref().unwrap_or_default());
    let owner = WorkOwner { class: WorkClass::Compose, workspace: context.caller.workspace };
    let bytes = found.bodies.bytes() + command.note.bytes();
    let data = found.message.data.clone();
    let quote = move |_: &WorkStop| quoted(&found.message, &found.bodies, command.note);
    let mut content = service.blocking_pool.run_for(owner, bytes, quote).await?;
    if command.include_files {
        content.data_json = data;
        // Remote recipients get the data as this file again.
        files.retain(|file| content.data_json.is_none() || file.name != DATA_FILE_NAME);
    }
    let people = recipients::resolve(service, &context.caller, command.people).await?;
    let outgoing = OutgoingMessage::new(service.clock.ids().next(), people, compose::bounded_subject(&subject))
        .with_content(OutgoingContent { files, ..content })
        .with_origin(OutgoingKind::Forward);
    Ok((outgoing, found.inbox))
}

/// The message to forward.
struct ForwardedOriginal {
    inbox: Inbox,
    message: Message,
    bodies: MessageBodies,
}

async fn original_of(
    service: &Service,
    context: &SendContext,
    original: MessageId,
) -> Result<ForwardedOriginal, Refusal> {
    let (caller, id) = (context.caller, context.inbox);
    service
        .read(caller.workspace, move |tx| {
            let inbox = visible::inbox(tx, &caller, id)?;
            let message = visible::message(tx, &caller, original)?;
            if message.inbox != inbox.id {
                return Err(Refusal::not_found("message"));
            }
            visible::content(tx, &caller, &message)?;
            if message.held == Some(HoldReason::Blocked) && messages::is_withheld(tx, &message)? {
                return Err(
                    visible::withheld(message.held).with_fix("Mail that a receive list blocked can't be forwarded.")
                );
            }
            let bodies = contents::bodies(tx, message.workspace, &[message.content])?.pop().map(|found| found.bodies);
            let missing = || Refusal::new(ErrorCode::Internal, "The content of the message is missing.");
            Ok(ForwardedOriginal { inbox, bodies: bodies.ok_or_else(missing)?, message })
        })
        .await
}

/// Returns the files of a stored message, unchanged. If it is closed, refuses those with a link that only an owner may see.
async fn files(
    service: &Service,
    caller: Caller,
    original: MessageId,
    is_closed: bool,
) -> Result<Vec<OutgoingFile>, Refusal> {
    let owner = WorkOwner { class: WorkClass::Content, workspace: caller.workspace };
    let raw = raw::message(service, caller, original, OptIns::ALL).await?;
    let raw_bytes = raw.len();
    let work = move |stop: &WorkStop| {
        let files = parse::parse(&raw).attachments;
        for file in files.iter().filter(|_| is_closed) {
            stop.check()?;
            if quoted_links::is_in_file(&file.content_type, &file.bytes) {
                return Err(raw::owners_only());
            }
        }
        stop.check()?;
        Ok(files.into_iter().map(file).collect())
    };
    service.blocking_pool.run_for(owner, raw_bytes, work).await?
}

fn file(attachment: ParsedAttachment<'_>) -> OutgoingFile {
    let kind = &attachment.content_type;
    let usable =
        kind.split_once('/').is_some_and(|(main, sub)| !main.is_empty() && !sub.is_empty() && main != "multipart");
    OutgoingFile {
        name: attachment.filename.unwrap_or_default(),
        content_type: if usable { kind.clone() } else { "application/octet-stream".to_owned() },
        content_id: attachment
            .content_id
            .filter(|id| id.len() <= 250 && id.bytes().all(|b| b.is_ascii_graphic() && !b"<>".contains(&b))),
        bytes: attachment.bytes.into_owned(),
    }
}

/// Composes the note, the header block of the original and its bodies.
fn quoted(original: &Message, bodies: &MessageBodies, note: OutgoingContent) -> OutgoingContent {
    let block = header_block(original, bodies);
    let note_text = note.text.clone().or_else(|| note.html.as_deref().map(html::to_text)).unwrap_or_default();
    let text = format!("{}{block}\n{}", with_note(&note_text), bodies.text.as_deref().unwrap_or_default());
    let html = (bodies.html.is_some() || note.html.is_some()).then(|| {
        let mut out = note.html.clone().unwrap_or_default();
        if note.html.is_none() && !note_text.is_empty() {
            html::push_escaped(&mut out, &note_text);
        }
        out.push_str("<br>");
        html::push_escaped(&mut out, &block);
        out.push_str("<br>");
        match (&bodies.html, &bodies.text) {
            (Some(html), _) => out.push_str(html),
            (None, Some(text)) => html::push_escaped(&mut out, text),
            (None, None) => {}
        }
        out
    });
    OutgoingContent { text: Some(text), html, ..note }
}

fn with_note(note: &str) -> String {
    if note.is_empty() { String::new() } else { format!("{note}\n\n") }
}

/// Returns the header block of the original, in the form that mail clients recognize.
fn header_block(original: &Message, bodies: &MessageBodies) -> String {
    let stored = || original.received_at.or(original.sent_at).unwrap_or(original.created_at).to_string();
    let date = stated_date(bodies).unwrap_or_else(stored);
    let mut block = format!("---------- Forwarded message ---------\nFrom: {}\nDate: {date}\n", original.from);
    let lists = [("To", original.to.join(", ")), ("Cc", original.cc.join(", "))];
    block.push_str(&format!("Subject: {}\n", original.subject.as_deref().unwrap_or_default()));
    for (name, people) in lists.into_iter().filter(|(_, people)| !people.is_empty()) {
        block.push_str(&format!("{name}: {people}\n"));
    }
    block
}

/// Returns the `Date` field of the original, if it is safe to quote.
fn stated_date(bodies: &MessageBodies) -> Option<String> {
    let headers: serde_json::Map<String, Value> = serde_json::from_str(&bodies.headers_json).ok()?;
    let date = headers.get("date")?.as_str()?.trim();
    (!date.is_empty() && date.len() <= DATE_BYTES_MAX && !date.contains(char::is_control)).then(|| date.to_owned())
}
