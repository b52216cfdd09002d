//! Files of drafts: compressed and placed before the transaction, large ones in the blob store; read again when the draft is
//! sent.

use posthouse_domain::{
    auth::{Caller, Permission},
    draft::{Draft, DraftFile},
    error::{Code, FieldProblem, Refusal},
    id::AttachmentId,
    send::File,
};
use posthouse_store::{
    Digest, Error, Tx, blobs,
    contents::RawPlace,
    draft_files::{self, FileContent},
    drafts,
};

use crate::app::{App, receive, recognise::needs, visible};

/// A file as a caller gives it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FileGiven {
    /// A new one.
    New(File),
    /// One that the draft has already.
    Kept(AttachmentId),
}

/// A file whose bytes are where they stay.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Upload {
    /// A new one.
    New(DraftFile, RawPlace),
    /// One that the draft has already.
    Kept(AttachmentId),
}

/// Compresses and places the new files.
pub(super) async fn upload(app: &App, given: Vec<FileGiven>) -> Result<Vec<Upload>, Refusal> {
    let (ids, mut uploads) = (app.clock.ids(), Vec::with_capacity(given.len()));
    for file in given {
        uploads.push(match file {
            FileGiven::Kept(id) => Upload::Kept(id),
            FileGiven::New(file) => new(app, file, ids.next()).await?,
        });
    }
    Ok(uploads)
}

async fn new(app: &App, file: File, id: AttachmentId) -> Result<Upload, Refusal> {
    let File { name, content_type, bytes, .. } = file;
    let size = bytes.len();
    let blobs = app.blobs.clone();
    let work = move || blobs.compress(&bytes).map(|compressed| (compressed, Digest::of(&bytes).0));
    let (compressed, sha256) = app.apart.run_sized(size, work).await??;
    let raw = receive::place(app, compressed, size).await?;
    let known = DraftFile { id, filename: name, content_type, size_bytes: size as u64, sha256 };
    Ok(Upload::New(known, raw.place))
}

/// What is known of the files, kept ones as the draft has them.
///
/// # Errors
/// `invalid_request` for a file that the draft does not have, `message_too_large` for more than a message may hold.
pub(super) fn known(draft: &Draft, uploads: &[Upload], bytes_max: u64) -> Result<Vec<DraftFile>, Refusal> {
    let mut files: Vec<DraftFile> = Vec::with_capacity(uploads.len());
    let mut problems = Vec::new();
    for (at, upload) in uploads.iter().enumerate() {
        let found = match upload {
            Upload::New(file, _) => Some(file),
            Upload::Kept(id) => draft.content.files.iter().find(|file| file.id == *id),
        };
        let mut problem = |text: &str| {
            problems.push(FieldProblem { path: format!("attachments[{at}].id"), problem: text.to_owned() });
        };
        match found {
            None => problem("is not a file of this draft"),
            Some(file) if files.iter().any(|other| other.id == file.id) => problem("is named twice"),
            Some(file) => files.push(file.clone()),
        }
    }
    if !problems.is_empty() {
        return Err(Refusal::invalid(&problems));
    }
    let bytes: u64 = files.iter().map(|file| file.size_bytes).sum();
    if bytes > bytes_max {
        let message = format!("The files have {bytes} bytes together; a message has at most {bytes_max}.");
        let refusal = Refusal::new(Code::MessageTooLarge, message);
        return Err(refusal.detail("message_size_bytes", bytes).detail("max_bytes", bytes_max));
    }
    Ok(files)
}

/// The bytes of a file, fetched and checked.
async fn bytes(app: &App, known: &DraftFile, place: RawPlace) -> Result<Vec<u8>, Refusal> {
    let packed = match place {
        RawPlace::Inline(packed) => packed.into(),
        RawPlace::Blob(name) => app.blobs.read(&name.parse()?).await?,
    };
    let (size, sha256) = (usize::try_from(known.size_bytes).unwrap_or(usize::MAX), known.sha256);
    let work = move || blobs::decompress(&packed, size).map(|bytes| (Digest::of(&bytes).0 == sha256, bytes));
    match app.apart.run_sized(size, work).await?? {
        (true, bytes) => Ok(bytes),
        (false, _) => {
            Err(Error::bad_content(format_args!("file {} of a draft has other bytes than were stored", known.id))
                .into())
        }
    }
}

/// A file of a draft with its bytes, for who reviews it.
///
/// # Errors
/// `not_found`, also without the permission to read drafts; the store's own.
pub async fn read(app: &App, caller: Caller, id: AttachmentId) -> Result<(DraftFile, Vec<u8>), Refusal> {
    let missing = || Refusal::not_found("attachment");
    if needs(&caller, Permission::DraftsRead).is_err() {
        return Err(missing());
    }
    let look = move |tx: &mut Tx| {
        let (draft, file, content) = draft_files::find(tx, caller.workspace, id)?.ok_or_else(missing)?;
        let draft = drafts::get(tx, caller.workspace, draft)?.ok_or_else(missing)?;
        visible::inbox(tx, &caller, draft.inbox).map_err(|_| missing())?;
        Ok::<_, Refusal>((file, content.place))
    };
    let (file, place) = app.store.read(look).await?;
    let bytes = bytes(app, &file, place).await?;
    Ok((file, bytes))
}

/// Makes the stored files those of the list.
pub(super) fn store(tx: &mut Tx, draft: &Draft, before: &[DraftFile], uploads: &[Upload]) -> Result<(), Error> {
    let is_kept = |id: AttachmentId| draft.content.files.iter().any(|file| file.id == id);
    for gone in before.iter().filter(|file| !is_kept(file.id)) {
        draft_files::delete(tx, draft.workspace, gone.id)?;
    }
    for (position, upload) in (0u32..).zip(uploads) {
        match upload {
            Upload::Kept(id) => draft_files::set_position(tx, draft.workspace, *id, position)?,
            Upload::New(file, place) => {
                draft_files::insert(tx, (draft.workspace, draft.id), position, (file, place))?;
            }
        }
    }
    Ok(())
}

/// The files with their bytes, for the message that the draft becomes.
pub(super) async fn load(app: &App, draft: &Draft, contents: Vec<FileContent>) -> Result<Vec<File>, Refusal> {
    let missing = || Error::Corrupt("a file of a draft is gone".into());
    let mut places: Vec<FileContent> = contents;
    let mut files = Vec::with_capacity(draft.content.files.len());
    for known in &draft.content.files {
        let at = places.iter().position(|content| content.id == known.id).ok_or_else(missing)?;
        files.push(File {
            name: known.filename.clone(),
            content_type: known.content_type.clone(),
            content_id: None,
            bytes: bytes(app, known, places.swap_remove(at).place).await?,
        });
    }
    Ok(files)
}
