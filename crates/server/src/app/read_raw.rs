//! The bytes of a mail as received, and those of one of its files (contract §4.6).
//!
//! Files are cut out of the raw mail by their place, so nothing is stored twice.

use posthouse_domain::{
    auth::Caller,
    error::{Code, Refusal},
    id::{AttachmentId, ContentId, MessageId, WorkspaceId},
    message::{Attachment, Message},
};
use posthouse_mail::parse;
use posthouse_store::{
    Error, Tx,
    blobs::{self, Digest},
    contents::{self, RawPlace},
    messages,
};

use super::{App, visible};

/// Held mail is there only for who asked for it (contract §4.4).
fn check_open(tx: &mut Tx, message: &Message, held: bool) -> Result<(), Refusal> {
    if held || !messages::is_withheld(tx, message)? {
        return Ok(());
    }
    let refusal = Refusal::new(Code::NotFound, "The content of this message is held back.");
    Err(refusal.with_fix("Ask with include_held=true and a key that has the permission messages:release."))
}

/// The raw mail of a message: our own trace lines, then exactly what was received or sent.
///
/// # Errors
/// `not_found`, or the store's own.
pub async fn message(app: &App, caller: Caller, id: MessageId, held: bool) -> Result<Vec<u8>, Refusal> {
    let read = move |tx: &mut Tx| {
        let message = visible::message(tx, &caller, id)?;
        check_open(tx, &message, held)?;
        Ok::<_, Refusal>((message.trace, stored(tx, caller.workspace, message.content)?))
    };
    let (trace, raw) = app.store.read(read).await?;
    let mut bytes = trace.into_bytes();
    let unpacked = unpack(app, raw, |raw| raw).await?;
    bytes.extend_from_slice(&unpacked);
    Ok(bytes)
}

/// A file with its bytes.
///
/// # Errors
/// `not_found`, or the store's own.
pub async fn file(app: &App, caller: Caller, id: AttachmentId, held: bool) -> Result<(Attachment, Vec<u8>), Refusal> {
    let read = move |tx: &mut Tx| {
        let (file, message) = visible::attachment(tx, &caller, id)?;
        check_open(tx, &message, held)?;
        Ok::<_, Refusal>((file, stored(tx, caller.workspace, message.content)?))
    };
    let (file, raw) = app.store.read(read).await?;
    let (position, sha256) = (file.position as usize, file.sha256);
    let cut = move |raw: Vec<u8>| {
        let mut parsed = parse::parse(&raw);
        let found = (position < parsed.attachments.len()).then(|| parsed.attachments.swap_remove(position).bytes);
        found.filter(|bytes| Digest::of(bytes).0 == sha256).map(std::borrow::Cow::into_owned)
    };
    match unpack(app, raw, cut).await? {
        Some(bytes) => Ok((file, bytes)),
        None => Err(Error::bad_content(format_args!("attachment {id} is not in its mail as it was stored")).into()),
    }
}

/// What `then` makes of the raw bytes of a content, without our trace lines.
///
/// # Errors
/// The store's own; `content_damaged` where the bytes are missing or altered.
pub async fn content<T: Send + 'static>(
    app: &App,
    stored: Stored,
    then: impl FnOnce(Vec<u8>) -> T + Send + 'static,
) -> Result<T, Refusal> {
    unpack(app, stored, then).await
}

/// The stored bytes of a mail, with the name that an operator knows them by.
pub struct Stored {
    /// Which content.
    pub id: ContentId,
    /// Where its bytes are.
    pub raw: contents::Raw,
}

fn stored(tx: &mut Tx, workspace: WorkspaceId, id: ContentId) -> Result<Stored, Refusal> {
    let missing = || Error::bad_content(format_args!("content {id} of a message is missing"));
    let raw = contents::raw(tx, workspace, id)?.ok_or_else(missing)?;
    Ok(Stored { id, raw })
}

/// Fetches and decompresses raw mail and hands it to `then`; apart from others when it is large.
async fn unpack<T: Send + 'static>(
    app: &App,
    Stored { id, raw }: Stored,
    then: impl FnOnce(Vec<u8>) -> T + Send + 'static,
) -> Result<T, Refusal> {
    let packed = match raw.place {
        RawPlace::Inline(packed) => packed.into(),
        RawPlace::Blob(name) => app.blobs.read(&name.parse()?).await?,
    };
    let bytes_max = usize::try_from(raw.bytes).unwrap_or(usize::MAX);
    let named = move |error: Error| Error::bad_content(format_args!("content {id}: {}", error.internal()));
    let work = move || blobs::decompress(&packed, bytes_max).map(then).map_err(named);
    Ok(app.apart.run_sized(bytes_max, work).await??)
}
