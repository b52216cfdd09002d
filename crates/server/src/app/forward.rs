//! A message passed on: a new thread, a note above the original with its header block, its files byte for byte (contract §4.5).

use std::sync::Arc;

use posthouse_domain::{
    auth::Caller,
    error::{Code, Refusal},
    id::MessageId,
    inbox::Inbox,
    message::{Bodies, Message},
    send::{Content, File, Forward},
};
use posthouse_mail::{html, parse, thread};
use posthouse_store::{contents, messages};
use serde_json::Value;

use super::{
    App,
    compose::{self, Letter, Origin},
    post::{self, Posted, Render},
    read_raw,
    send::Order,
    visible,
};

/// Longest date of an original that is passed on as its author gave it, in bytes.
const DATE_BYTES_MAX: usize = 100;

/// Queues a forwarded message.
///
/// # Errors
/// `not_found` for a message that is not in this inbox; otherwise as [`super::send::send`].
pub async fn forward(
    app: &Arc<App>,
    order: Order,
    (original, command): (MessageId, Forward),
    render: Render,
) -> Result<Posted, Refusal> {
    let found = original_of(app, &order, original).await?;
    let files = if command.include_files && found.message.has_attachments {
        files(app, order.caller, original).await?
    } else {
        Vec::new()
    };
    let content = quoted(&found.message, &found.bodies, command.note);
    let letter = Letter {
        message: app.clock.ids().next(),
        people: command.people,
        subject: compose::bounded_subject(&thread::forward_subject(
            found.message.subject.as_deref().unwrap_or_default(),
        )),
        content: Content { files, ..content },
        origin: Origin::Forwards,
    };
    post::post(app, order, (letter, found.inbox), render).await
}

/// A message as it is to be passed on.
struct Original {
    inbox: Inbox,
    message: Message,
    bodies: Bodies,
}

async fn original_of(app: &App, order: &Order, original: MessageId) -> Result<Original, Refusal> {
    let (caller, id) = (order.caller, order.inbox);
    app.store
        .read(move |tx| {
            let inbox = visible::inbox(tx, &caller, id)?;
            let message = visible::message(tx, &caller, original)?;
            if message.inbox != inbox.id {
                return Err(Refusal::not_found("message"));
            }
            if messages::is_withheld(tx, &message)? {
                return Err(
                    Refusal::not_found("message").with_fix("Mail that a receive list stopped is not passed on.")
                );
            }
            let bodies = contents::bodies(tx, message.workspace, &[message.content])?.pop().map(|found| found.bodies);
            let missing = || Refusal::new(Code::Internal, "The message has lost its content.");
            Ok(Original { inbox, bodies: bodies.ok_or_else(missing)?, message })
        })
        .await
}

/// The files of a stored mail, as they came.
async fn files(app: &App, caller: Caller, original: MessageId) -> Result<Vec<File>, Refusal> {
    let raw = read_raw::message(app, caller, original, true).await?;
    app.apart.run_sized(raw.len(), move || parse::parse(&raw).attachments.into_iter().map(file).collect()).await
}

fn file(attachment: parse::Attachment<'_>) -> File {
    let kind = &attachment.content_type;
    let usable =
        kind.split_once('/').is_some_and(|(main, sub)| !main.is_empty() && !sub.is_empty() && main != "multipart");
    File {
        name: attachment.filename.unwrap_or_default(),
        content_type: if usable { kind.clone() } else { "application/octet-stream".to_owned() },
        content_id: attachment
            .content_id
            .filter(|id| id.len() <= 250 && id.bytes().all(|b| b.is_ascii_graphic() && !b"<>".contains(&b))),
        bytes: attachment.bytes.into_owned(),
    }
}

/// The note, the header block of the original and its bodies.
fn quoted(original: &Message, bodies: &Bodies, note: Content) -> Content {
    let block = header_block(original, bodies);
    let note_text = note.text.clone().or_else(|| note.html.as_deref().map(html::to_text)).unwrap_or_default();
    let text = format!("{}{block}\n{}", above(&note_text), bodies.text.as_deref().unwrap_or_default());
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
    Content { text: Some(text), html, ..note }
}

fn above(note: &str) -> String {
    if note.is_empty() { String::new() } else { format!("{note}\n\n") }
}

/// The fields that say what is passed on, in the form that mail clients know.
fn header_block(original: &Message, bodies: &Bodies) -> String {
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

/// What its author gave as its date.
fn stated_date(bodies: &Bodies) -> Option<String> {
    let headers: serde_json::Map<String, Value> = serde_json::from_str(&bodies.headers_json).ok()?;
    let date = headers.get("date")?.as_str()?.trim();
    (!date.is_empty() && date.len() <= DATE_BYTES_MAX && !date.contains(char::is_control)).then(|| date.to_owned())
}
