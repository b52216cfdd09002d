//! The texts of files of an outgoing message whose bytes are not their text, such as documents of an office program. They are
//! read as attachments of received mail are: in a process of its own, in turns of the workspace.

use bytes::Bytes;
use posthouse_domain::{OutgoingFile, Refusal, WorkspaceId, time::SECOND_MS};
use posthouse_mail::parse;

use super::content;
use crate::limits::blocking_pool::{WorkClass, WorkOwner, WorkStop};
use crate::outbound::compose::{OutgoingKind, OutgoingMessage};
use crate::{ports::FileToRead, service::Service};

/// Files of one message that are read.
const FILES_MAX: usize = 20;
/// The longest time that all files of a message are read for, in milliseconds.
const READING_MS: i64 = 20 * SECOND_MS;
/// How files begin whose bytes look like text but aren't what a reader sees.
const MARKED: [&[u8]; 2] = [b"%PDF-", b"{\\rtf"];

/// The texts of the files of a message.
#[derive(Clone, Default)]
pub(crate) struct FileTexts {
    /// The text of each file, in order; `None` where the bytes are the text, or nothing can be read.
    pub(crate) texts: Vec<Option<String>>,
    /// Whether the time or the number of files ended the reading before all were read.
    pub(crate) is_cut: bool,
}

/// Reads the files of a message.
pub(crate) async fn texts(
    service: &Service,
    workspace: WorkspaceId,
    outgoing: &OutgoingMessage,
) -> Result<FileTexts, Refusal> {
    if !service.config.files.extraction {
        return Ok(FileTexts::default());
    }
    let files = match &outgoing.origin {
        OutgoingKind::AutomaticForward(_) => return Ok(FileTexts::default()),
        OutgoingKind::Submitted(submitted) if !submitted.is_by_agent => return Ok(FileTexts::default()),
        OutgoingKind::Submitted(submitted) => {
            let raw = submitted.raw.clone();
            let owner = WorkOwner { class: WorkClass::Compose, workspace };
            let work = move |_: &WorkStop| parse::parse(&raw).attachments.iter().map(parsed).collect::<Vec<_>>();
            service.blocking_pool.run_for(owner, submitted.raw.len(), work).await?
        }
        OutgoingKind::New | OutgoingKind::Reply(_) | OutgoingKind::Forward => {
            return texts_of(service, workspace, &outgoing.content.files).await;
        }
    };
    read(service, workspace, files).await
}

/// Reads these files.
pub(crate) async fn texts_of(
    service: &Service,
    workspace: WorkspaceId,
    files: &[OutgoingFile],
) -> Result<FileTexts, Refusal> {
    if !service.config.files.extraction {
        return Ok(FileTexts { texts: vec![None; files.len()], is_cut: false });
    }
    read(service, workspace, files.iter().map(given).collect()).await
}

async fn read(service: &Service, workspace: WorkspaceId, files: Vec<Option<FileToRead>>) -> Result<FileTexts, Refusal> {
    let mut texts = vec![None; files.len()];
    let count = files.iter().flatten().count();
    if count == 0 {
        return Ok(FileTexts { texts, is_cut: false });
    }
    let until = service.clock.sleep_until(service.clock.now().plus_ms(READING_MS));
    let read = async {
        let _turn = service.uploads.turn(workspace).await;
        let wanted = files.into_iter().enumerate().filter_map(|(at, file)| Some((at, file?)));
        for (at, file) in wanted.take(FILES_MAX) {
            texts[at] = service.file_reader.read(file).await.ok().map(|read| read.text);
        }
    };
    let is_cut = tokio::select! {
        () = read => count > FILES_MAX,
        () = until => true,
    };
    Ok(FileTexts { texts, is_cut })
}

fn parsed(file: &parse::ParsedAttachment<'_>) -> Option<FileToRead> {
    to_read(file.filename.as_deref().unwrap_or_default(), &file.content_type, &file.bytes)
}

fn given(file: &OutgoingFile) -> Option<FileToRead> {
    to_read(&file.name, &file.content_type, &file.bytes)
}

/// Returns a file whose bytes aren't its text.
fn to_read(name: &str, content_type: &str, bytes: &[u8]) -> Option<FileToRead> {
    let is_read = !content::is_text(bytes) || MARKED.iter().any(|mark| bytes.starts_with(mark));
    is_read.then(|| FileToRead {
        filename: Some(name.to_owned()),
        content_type: content_type.to_ascii_lowercase(),
        bytes: Bytes::copy_from_slice(bytes),
    })
}
