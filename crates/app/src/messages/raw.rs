//! Stores raw mail, and returns that of a message and the bytes of its attachments.
//!
//! Attachments are extracted from the raw mail by position, so nothing is stored twice
//! (`docs/decisions/storage.md#0043-raw-mail-is-the-only-copy`).

use bytes::Bytes;
use posthouse_domain::{
    Attachment, AttachmentId, Caller, ContentId, ErrorCode, Message, MessageId, OptIns, Refusal, WorkspaceId,
    quoted_links,
};
use posthouse_mail::parse::{self, ParsedAttachment};
use posthouse_store::blobs::{self, BlobDigest};
use posthouse_store::contents::{self, INLINE_BYTES_MAX, RawLocation, StoredRaw};
use posthouse_store::{Error, Tx, service_mails};

use super::download::{Download, RawPart, WHOLE_BYTES_MAX};
use crate::limits::blocking_pool::{WorkClass, WorkOwner, WorkStop, WorkStopped};
use crate::{access::visible, service::Service};

/// Checks that links of this service reach nobody but an owner: anyone who reads them could confirm in place of the person
/// that they were mailed to.
fn check_links(message: &Message, caller: &Caller) -> Result<(), Refusal> {
    if message.masked_links && !caller.is_owner() { Err(owners_only()) } else { Ok(()) }
}

/// Returns the refusal of bytes that only an owner may read.
pub(crate) fn owners_only() -> Refusal {
    let message =
        "These bytes contain a link of this service that was mailed to a person, so only an owner can read them.";
    Refusal::new(ErrorCode::Forbidden, message).with_fix(
        "Read the message, where the link is masked, or have an owner of the workspace open it in the dashboard.",
    )
}

/// Returns the raw mail of a message: the trace lines of this service, then exactly what was received or sent.
///
/// # Errors
/// Returns `not_found` if the message is missing, `message_withheld`, or an error if a store call fails.
pub async fn message(service: &Service, caller: Caller, id: MessageId, opt_ins: OptIns) -> Result<Vec<u8>, Refusal> {
    let read = move |tx: &mut Tx| {
        let message = visible::message(tx, &caller, id)?;
        visible::opened(tx, &message, opt_ins)?;
        Ok::<_, Refusal>((message.trace, stored(tx, caller.workspace, message.content)?))
    };
    let (trace, raw) = service.read(caller.workspace, read).await?;
    let mut bytes = trace.into_bytes();
    let unpacked = unpack(service, raw, |raw, _| Ok(raw)).await?;
    bytes.extend_from_slice(&unpacked);
    Ok(bytes)
}

/// Returns the raw mail of a captured message as [`message`] does: of the workspace, or sent by the service to one of its
/// people.
///
/// # Errors
/// Returns the errors of [`message`].
pub async fn captured(service: &Service, caller: Caller, id: MessageId) -> Result<Vec<u8>, Refusal> {
    let workspace = caller.workspace;
    let find = move |tx: &mut Tx| Ok::<_, Refusal>(service_mails::is_for(tx, workspace, id)?);
    let is_of_service = service.read(workspace, find).await?;
    let reader = if is_of_service { Caller::operator(WorkspaceId::SERVICE) } else { caller };
    message(service, reader, id, OptIns::ALL).await
}

/// Returns the raw mail of a message as [`message`] does, in chunks if it is large.
///
/// # Errors
/// Returns the errors of [`message`], and `forbidden` if it contains a link that only an owner may see.
pub async fn download(service: &Service, caller: Caller, id: MessageId, opt_ins: OptIns) -> Result<Download, Refusal> {
    let read = move |tx: &mut Tx| {
        let message = visible::message(tx, &caller, id)?;
        visible::opened(tx, &message, opt_ins)?;
        check_links(&message, &caller)?;
        Ok::<_, Refusal>((message.trace, stored(tx, caller.workspace, message.content)?))
    };
    let (trace, stored) = service.read(caller.workspace, read).await?;
    let raw = if stored.raw.bytes <= WHOLE_BYTES_MAX {
        Download::whole(unpack(service, stored, |raw, _| Ok(raw)).await?)
    } else {
        Download::open(service, stored.raw, None).await?
    };
    Ok(raw.after(trace.into_bytes()))
}

/// An attachment that was found in a raw mail.
struct FoundFile {
    part: FoundPart,
    /// Whether it may have a link that only an owner may see. Not searched for if the reader may see it.
    has_link: bool,
}

/// The bytes of an attachment.
enum FoundPart {
    Whole(Vec<u8>),
    InRaw(RawPart),
}

/// Returns an attachment and its bytes, in chunks if they are many.
///
/// # Errors
/// Returns `not_found` if the attachment is missing, `message_withheld`, `forbidden` if it contains a link that only an owner may
/// see, or an error if a store call fails.
pub async fn file(
    service: &Service,
    caller: Caller,
    id: AttachmentId,
    opt_ins: OptIns,
) -> Result<(Attachment, Download), Refusal> {
    let read = move |tx: &mut Tx| {
        let (file, message) = visible::attachment(tx, &caller, id)?;
        visible::opened(tx, &message, opt_ins)?;
        let is_closed = check_links(&message, &caller).is_err();
        Ok::<_, Refusal>((file, is_closed, stored(tx, caller.workspace, message.content)?))
    };
    let (file, is_closed, stored) = service.read(caller.workspace, read).await?;
    let (position, sha256, raw) = (file.position as usize, file.sha256, stored.raw.clone());
    let find = move |raw: Vec<u8>, stop: &WorkStop| find_file(&raw, WantedFile { position, sha256, is_closed }, stop);
    let found = unpack(service, stored, find).await?;
    let missing = || Error::bad_content(format_args!("attachment {id} does not match the stored raw mail"));
    let FoundFile { part, has_link } = found.ok_or_else(missing)?;
    if has_link {
        return Err(owners_only());
    }
    let download = match part {
        FoundPart::Whole(bytes) => Download::whole(bytes),
        FoundPart::InRaw(part) => Download::open_part(service, raw, part).await?,
    };
    Ok((file, download))
}

/// Returns the bytes of an attachment of a message, for the service itself.
///
/// # Errors
/// Returns `content_damaged` if the bytes are missing or altered, or an error if a store call fails.
pub(crate) async fn attachment_bytes(
    service: &Service,
    message: &Message,
    file: &Attachment,
) -> Result<Bytes, Refusal> {
    let (workspace, content) = (message.workspace, message.content);
    let stored = service.read(workspace, move |tx: &mut Tx| stored(tx, workspace, content)).await?;
    let (position, sha256, id) = (file.position as usize, file.sha256, file.id);
    let wanted = WantedFile { position, sha256, is_closed: false };
    let find = move |raw: Vec<u8>, stop: &WorkStop| {
        Ok(parsed_file(&raw, wanted, stop)?.map(|found| Bytes::from(found.bytes.into_owned())))
    };
    let missing = || Error::bad_content(format_args!("attachment {id} does not match the stored raw mail"));
    Ok(unpack(service, stored, find).await?.ok_or_else(missing)?)
}

/// An attachment to find in a raw mail.
#[derive(Clone, Copy)]
struct WantedFile {
    position: usize,
    sha256: [u8; 32],
    /// Whether the reader may not see links that only an owner may see.
    is_closed: bool,
}

/// Returns the attachment at a position of a raw mail; `None` if its bytes don't have the given hash.
fn parsed_file<'a>(
    raw: &'a [u8],
    wanted: WantedFile,
    stop: &WorkStop,
) -> Result<Option<ParsedAttachment<'a>>, WorkStopped> {
    let mut parsed = parse::parse(raw);
    stop.check()?;
    let is_there = wanted.position < parsed.attachments.len();
    let found = is_there.then(|| parsed.attachments.swap_remove(wanted.position));
    Ok(found.filter(|found| BlobDigest::of(&found.bytes).0 == wanted.sha256))
}

/// Finds an attachment in a raw mail. Returns `None` if its bytes don't have the given hash.
fn find_file(raw: &[u8], wanted: WantedFile, stop: &WorkStop) -> Result<Option<FoundFile>, WorkStopped> {
    let Some(found) = parsed_file(raw, wanted, stop)? else { return Ok(None) };
    stop.check()?;
    let has_link = wanted.is_closed && quoted_links::is_in_file(&found.content_type, &found.bytes);
    stop.check()?;
    let bytes = found.size_bytes();
    let decoder = if bytes > WHOLE_BYTES_MAX { found.decoder(raw) } else { None };
    let part = match decoder {
        Some(decoder) => FoundPart::InRaw(RawPart { encoded: found.encoded, decoder, bytes }),
        None => FoundPart::Whole(found.bytes.into_owned()),
    };
    Ok(Some(FoundFile { part, has_link }))
}

/// Passes the raw bytes of a content, without trace lines, to `then` and returns its result. `then` checks between its steps
/// whether it should end.
///
/// # Errors
/// Returns `content_damaged` if the bytes are missing or altered, or an error if a store call fails.
pub async fn content<T: Send + 'static>(
    service: &Service,
    stored: StoredContent,
    then: impl FnOnce(Vec<u8>, &WorkStop) -> Result<T, WorkStopped> + Send + 'static,
) -> Result<T, Refusal> {
    unpack(service, stored, then).await
}

/// The stored bytes of a mail, with the ID that an operator can look up.
pub struct StoredContent {
    pub workspace: WorkspaceId,
    pub id: ContentId,
    /// Where its bytes are stored.
    pub raw: StoredRaw,
}

fn stored(tx: &mut Tx, workspace: WorkspaceId, id: ContentId) -> Result<StoredContent, Refusal> {
    let missing = || Error::bad_content(format_args!("content {id} of a message does not exist"));
    let raw = contents::raw(tx, workspace, id)?.ok_or_else(missing)?;
    Ok(StoredContent { workspace, id, raw })
}

/// Chooses where to keep compressed raw mail. Large mail goes to the blob store and is flushed before a row refers to
/// it.
///
/// # Errors
/// Returns an error if the blob store fails.
pub async fn store_raw(service: &Service, compressed: Vec<u8>, raw_bytes: usize) -> Result<StoredRaw, Refusal> {
    let place = if compressed.len() <= INLINE_BYTES_MAX {
        RawLocation::Inline(compressed)
    } else {
        let digest: BlobDigest = service.blobs.put(Bytes::from(compressed)).await?;
        RawLocation::Blob(digest.to_string())
    };
    Ok(StoredRaw { place, bytes: raw_bytes as u64 })
}

/// Reads and decompresses raw mail and passes it to `then`; on the blocking pool if it is large.
async fn unpack<T: Send + 'static>(
    service: &Service,
    StoredContent { workspace, id, raw }: StoredContent,
    then: impl FnOnce(Vec<u8>, &WorkStop) -> Result<T, WorkStopped> + Send + 'static,
) -> Result<T, Refusal> {
    let packed = match raw.place {
        RawLocation::Inline(packed) => packed.into(),
        RawLocation::Blob(name) => service.blobs.read(&name.parse()?).await?,
    };
    let bytes_max = usize::try_from(raw.bytes).unwrap_or(usize::MAX);
    let named = move |error: Error| Error::bad_content(format_args!("content {id}: {}", error.internal()));
    let work = move |stop: &WorkStop| {
        let unpacked = blobs::decompress_until(&packed, bytes_max, &|| stop.is_stopped()).map_err(named)?;
        stop.check()?;
        Ok::<_, Refusal>(then(unpacked, stop)?)
    };
    service.blocking_pool.run_for(WorkOwner { class: WorkClass::Content, workspace }, bytes_max, work).await?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_not_searched_for_once_nobody_waits() {
        let raw = b"Content-Type: text/plain\r\nContent-Disposition: attachment; filename=a\r\n\r\nhello";
        let wanted = WantedFile { position: 0, sha256: BlobDigest::of(b"hello").0, is_closed: true };
        let found = |stop: &WorkStop| find_file(raw, wanted, stop).map(|found| found.is_some());
        assert_eq!(found(&WorkStop::default()), Ok(true));
        assert_eq!(found(&WorkStop::stopped()), Err(WorkStopped));
    }
}
