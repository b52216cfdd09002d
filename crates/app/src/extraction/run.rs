//! Reads the text of one attachment. The port does it in a process of its own; its result is stored with its event.

use posthouse_domain::{
    Attachment, AttachmentId, EventKind, ExtractedText, Extraction, ExtractionErrorCode, ExtractionStatus, FileReason,
    Message, NewEvent, QuotedLinks, Refusal, WorkspaceId,
};
use posthouse_screen::Place;
use posthouse_store::{
    Error, Result as StoreResult, Tx, attachment_texts, attachments, events, inboxes, messages, workspaces,
};

use super::screen::{self, ScannedText};
use crate::{messages::raw, ports::FileToRead, service::Service};

/// What happens to an attachment whose job runs.
enum Work {
    /// Its text is read.
    Read { file: Attachment, message: Box<Message> },
    /// The workspace has the text of the same file.
    Copy { file: Attachment, message: Box<Message>, text: ExtractedText },
    /// Its state is known without reading.
    Settle { file: Attachment, message: Box<Message>, extraction: Extraction },
    /// Nothing waits for it.
    Nothing,
}

/// Reads the text of an attachment and stores it. The last attempt settles the text as failed, so that its state becomes
/// known: the process died in all earlier ones.
pub async fn run(service: &Service, workspace: WorkspaceId, id: AttachmentId, is_last: bool) -> StoreResult<()> {
    match find(service, workspace, id, is_last).await? {
        Work::Nothing => Ok(()),
        Work::Settle { file, message, extraction } => settle(service, file, *message, extraction, None).await,
        Work::Copy { file, message, text } => {
            let found = screen::scan(service, &message, text).await?;
            let extraction = found.text.extraction(service.clock.now());
            settle(service, file, *message, extraction, Some(FileResult { found, is_copy: true })).await
        }
        Work::Read { file, message } => {
            let (extraction, text) = read(service, &file, &message).await?;
            let found = match text {
                Some(text) => Some(screen::scan(service, &message, text).await?),
                None => None,
            };
            let result = found.map(|found| FileResult { found, is_copy: false });
            settle(service, file, *message, extraction, result).await
        }
    }
}

/// The text of a file to store.
struct FileResult {
    found: ScannedText,
    /// Whether the text is that of another copy of the file, so that no file was read.
    is_copy: bool,
}

async fn find(service: &Service, workspace: WorkspaceId, id: AttachmentId, is_last: bool) -> StoreResult<Work> {
    let (now, plans, is_on) = (service.clock.now(), service.config.plans, service.config.files.extraction);
    let read = move |tx: &mut Tx| {
        let Some(file) = attachments::get(tx, workspace, id)? else { return Ok::<_, Error>(Work::Nothing) };
        if file.extraction.as_ref().is_none_or(|known| known.status != ExtractionStatus::Pending) {
            return Ok(Work::Nothing);
        }
        let Some(message) = messages::get(tx, workspace, file.message)? else { return Ok(Work::Nothing) };
        if let Some((of, text)) = attachment_texts::of_copy(tx, workspace, &file)?.filter(|_| is_on)
            && !has_hidden_reason(tx, of)?
        {
            return Ok(Work::Copy { file, message: Box::new(message), text });
        }
        let limit = workspaces::get(tx, workspace)?.and_then(|tenant| plans.of(tenant.plan).extractions_per_month);
        let used = attachment_texts::texts_this_month(tx, workspace, now)?;
        let refused = if !is_on {
            Some((ExtractionErrorCode::Off, "This server doesn't read files.".to_owned()))
        } else if let Some(max) = limit.filter(|max| used >= *max) {
            Some((ExtractionErrorCode::Quota, format!("The plan's limit of {max} files per month is used up.")))
        } else {
            let died = "The file ended the process that read it.".to_owned();
            is_last.then_some((ExtractionErrorCode::ParseError, died))
        };
        let message = Box::new(message);
        Ok(match refused {
            Some((code, problem)) => {
                Work::Settle { file, message, extraction: Extraction::without_text(code, problem, now) }
            }
            None => Work::Read { file, message },
        })
    };
    service.read(workspace, read).await
}

/// Returns whether the screen found something in what a file hides. That isn't stored, so its copies are read again.
fn has_hidden_reason(tx: &mut Tx, of: attachment_texts::AttachmentText) -> StoreResult<bool> {
    let check = messages::get(tx, of.workspace, of.message)?.and_then(|message| message.local_check);
    let is_hidden = |found: &FileReason| found.attachment == of.attachment && found.reason.place == Place::Hidden;
    Ok(check.is_some_and(|check| check.files.iter().any(is_hidden)))
}

/// Reads the file. A problem of the stored bytes is a result; a problem of the store is an error, and the job is repeated.
async fn read(
    service: &Service,
    file: &Attachment,
    message: &Message,
) -> StoreResult<(Extraction, Option<ExtractedText>)> {
    let without = |code, problem: String| (Extraction::without_text(code, problem, service.clock.now()), None);
    let bytes = match raw::attachment_bytes(service, message, file).await {
        Ok(bytes) => bytes,
        Err(refusal) => {
            return stored_problem(refusal).map(|problem| without(ExtractionErrorCode::ParseError, problem));
        }
    };
    let wanted =
        FileToRead { filename: file.filename.clone(), content_type: file.content_type.to_ascii_lowercase(), bytes };
    Ok(match service.file_reader.read(wanted).await {
        Ok(mut text) => {
            // A link of this service that was mailed to a person must not reach others, whatever file it is in.
            QuotedLinks::default().mask_all([&mut text.text]);
            (text.extraction(service.clock.now()), Some(text))
        }
        Err(error) => without(error.code, error.message),
    })
}

/// Returns the problem of stored bytes.
fn stored_problem(refusal: Refusal) -> StoreResult<String> {
    if refusal.code == posthouse_domain::ErrorCode::ContentDamaged {
        return Ok("The stored bytes of the file are damaged.".to_owned());
    }
    Err(Error::Conflict(refusal.message.into()))
}

async fn settle(
    service: &Service,
    file: Attachment,
    message: Message,
    extraction: Extraction,
    result: Option<FileResult>,
) -> StoreResult<()> {
    let (now, ids) = (service.clock.now(), service.clock.ids());
    let outcome = extraction.error.as_ref().map_or("done", |error| error.code.text());
    let work = move |tx: &mut Tx| {
        let of =
            attachment_texts::AttachmentText { workspace: message.workspace, attachment: file.id, message: message.id };
        // The order of locks is that of receipt: the inbox first.
        let Some(inbox) = inboxes::lock(tx, message.workspace, message.inbox)? else { return Ok::<_, Error>(()) };
        if !attachment_texts::settle(tx, of, &extraction, result.as_ref().map(|result| &result.found.text))? {
            return Ok(());
        }
        let ids = ids.clone();
        if let Some(FileResult { found, is_copy }) = &result {
            if !is_copy {
                attachment_texts::count_text(tx, message.workspace, now)?;
            }
            screen::keep_seen(tx, of, &found.seen, &inbox)?;
            // In the same transaction, so that nobody gets a text whose reasons don't count yet.
            screen::apply(tx, of, &found.screen, &ids, now)?;
        }
        let kind =
            if extraction.is_done() { EventKind::AttachmentExtracted } else { EventKind::AttachmentExtractionFailed };
        let event = NewEvent::new(kind, message.workspace, ids.next(), now)
            .in_inbox(message.inbox)
            .in_thread(message.thread)
            .about_message(message.id)
            .with_detail(format!("{{\"attachment_id\":\"{}\"}}", file.id));
        events::append_or_hold(tx, inbox.is_paused(), &event)?;
        tx.wake(message.workspace.0);
        Ok(())
    };
    service.write(work).await?;
    service.metrics.extraction(outcome);
    Ok(())
}
