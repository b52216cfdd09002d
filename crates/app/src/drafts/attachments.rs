//! Files of drafts. They are compressed and stored before the transaction, large ones in the blob store, and read
//! again when the draft is sent.

use posthouse_domain::{
    AttachmentId, Caller, Detail, Draft, DraftFile, ErrorCode, FieldProblem, OutgoingFile, Permission, Refusal,
    WorkspaceId,
};
use posthouse_store::contents::{RawLocation, StoredRaw};
use posthouse_store::draft_files::{self, DraftFileContent};
use posthouse_store::{BlobDigest, Error, Tx, blobs, drafts};

use crate::access::{authorize::require_permission, visible};
use crate::messages::{download::Download, download::WHOLE_BYTES_MAX};
use crate::outbound::guard::held::{StoredFile, store_file};
use crate::{
    limits::blocking_pool::{WorkClass, WorkOwner, WorkStop},
    service::Service,
};

/// A file of a draft in a request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DraftFileInput {
    /// A new file.
    New(OutgoingFile),
    /// A file that the draft already has.
    Kept(AttachmentId),
}

/// A file of a draft after its bytes were stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StoredDraftFile {
    /// A new file.
    New(DraftFile, RawLocation),
    /// A file that the draft already has.
    Kept(AttachmentId),
}

/// Compresses and stores the new files.
pub(super) async fn upload(
    service: &Service,
    workspace: WorkspaceId,
    given: Vec<DraftFileInput>,
) -> Result<Vec<StoredDraftFile>, Refusal> {
    let (ids, mut uploads) = (service.clock.ids(), Vec::with_capacity(given.len()));
    for file in given {
        uploads.push(match file {
            DraftFileInput::Kept(id) => StoredDraftFile::Kept(id),
            DraftFileInput::New(file) => {
                let StoredFile { file, place } = store_file(service, workspace, file, ids.next()).await?;
                StoredDraftFile::New(file, place)
            }
        });
    }
    Ok(uploads)
}

/// Returns the places of the new files.
pub(super) fn contents(uploads: &[StoredDraftFile]) -> impl Iterator<Item = DraftFileContent> {
    uploads.iter().filter_map(|upload| match upload {
        StoredDraftFile::New(file, place) => Some(DraftFileContent { id: file.id, place: place.clone() }),
        StoredDraftFile::Kept(_) => None,
    })
}

/// Returns the metadata of the files, with kept files taken from the draft.
///
/// # Errors
/// Returns `invalid_request` if a kept file doesn't belong to the draft, or `message_too_large` if the files exceed
/// `bytes_max`.
pub(super) fn known(draft: &Draft, uploads: &[StoredDraftFile], bytes_max: u64) -> Result<Vec<DraftFile>, Refusal> {
    let mut files: Vec<DraftFile> = Vec::with_capacity(uploads.len());
    let mut problems = Vec::new();
    for (at, upload) in uploads.iter().enumerate() {
        let found = match upload {
            StoredDraftFile::New(file, _) => Some(file),
            StoredDraftFile::Kept(id) => draft.content.files.iter().find(|file| file.id == *id),
        };
        let mut problem = |text: &str| {
            problems.push(FieldProblem { path: format!("attachments[{at}].id"), problem: text.to_owned() });
        };
        match found {
            None => problem("is not a file of this draft"),
            Some(file) if files.iter().any(|other| other.id == file.id) => problem("is listed twice"),
            Some(file) => files.push(file.clone()),
        }
    }
    if !problems.is_empty() {
        return Err(Refusal::invalid(&problems));
    }
    let bytes: u64 = files.iter().map(|file| file.size_bytes).sum();
    if bytes > bytes_max {
        let message = format!("The files have {bytes} bytes in total; the maximum is {bytes_max} bytes.");
        let refusal = Refusal::new(ErrorCode::MessageTooLarge, message);
        return Err(refusal.detail(Detail::MessageSizeBytes(bytes)).detail(Detail::MaxBytes(bytes_max)));
    }
    Ok(files)
}

/// Reads the bytes of a file and checks their hash.
async fn bytes(
    service: &Service,
    workspace: WorkspaceId,
    known: &DraftFile,
    location: RawLocation,
) -> Result<Vec<u8>, Refusal> {
    let packed = match location {
        RawLocation::Inline(packed) => packed.into(),
        RawLocation::Blob(name) => service.blobs.read(&name.parse()?).await?,
    };
    let (size, sha256) = (usize::try_from(known.size_bytes).unwrap_or(usize::MAX), known.sha256);
    let owner = WorkOwner { class: WorkClass::Compose, workspace };
    let work =
        move |_: &WorkStop| blobs::decompress(&packed, size).map(|bytes| (BlobDigest::of(&bytes).0 == sha256, bytes));
    match service.blocking_pool.run_for(owner, size, work).await?? {
        (true, bytes) => Ok(bytes),
        (false, _) => {
            Err(Error::bad_content(format_args!("the bytes of draft file {} don't match their hash", known.id)).into())
        }
    }
}

/// Returns a file of a draft with its bytes, in chunks if they are many.
///
/// # Errors
/// Returns `not_found`, also if the caller may not read drafts, or an error if a storage call fails.
pub async fn read(service: &Service, caller: Caller, id: AttachmentId) -> Result<(DraftFile, Download), Refusal> {
    let missing = || Refusal::not_found("attachment");
    if require_permission(&caller, Permission::DraftsRead).is_err() {
        return Err(missing());
    }
    let find = move |tx: &mut Tx| {
        let (draft, file, content) = draft_files::find(tx, caller.workspace, id)?.ok_or_else(missing)?;
        let draft = drafts::get(tx, caller.workspace, draft)?.ok_or_else(missing)?;
        visible::inbox(tx, &caller, draft.inbox).map_err(|_| missing())?;
        Ok::<_, Refusal>((file, content.place))
    };
    let (file, location) = service.read(caller.workspace, find).await?;
    let download = if file.size_bytes <= WHOLE_BYTES_MAX {
        Download::whole(bytes(service, caller.workspace, &file, location).await?)
    } else {
        let raw = StoredRaw { place: location, bytes: file.size_bytes };
        Download::open(service, raw, Some(file.sha256)).await?
    };
    Ok((file, download))
}

/// Updates the stored files of a draft to match the list.
pub(super) fn store(
    tx: &mut Tx,
    draft: &Draft,
    before: &[DraftFile],
    uploads: &[StoredDraftFile],
) -> Result<(), Error> {
    let is_kept = |id: AttachmentId| draft.content.files.iter().any(|file| file.id == id);
    for gone in before.iter().filter(|file| !is_kept(file.id)) {
        draft_files::delete(tx, draft.workspace, gone.id)?;
    }
    for (position, upload) in (0u32..).zip(uploads) {
        match upload {
            StoredDraftFile::Kept(id) => draft_files::set_position(tx, draft.workspace, *id, position)?,
            StoredDraftFile::New(file, location) => {
                draft_files::insert(tx, draft.workspace, draft.id, position, file, location)?;
            }
        }
    }
    Ok(())
}

/// Returns the files with their bytes, for sending the draft.
pub(super) async fn load(
    service: &Service,
    draft: &Draft,
    contents: Vec<DraftFileContent>,
) -> Result<Vec<OutgoingFile>, Refusal> {
    let missing = || Error::Inconsistent("a file of a draft is missing".into());
    let mut stored: Vec<DraftFileContent> = contents;
    let mut files = Vec::with_capacity(draft.content.files.len());
    for known in &draft.content.files {
        let at = stored.iter().position(|content| content.id == known.id).ok_or_else(missing)?;
        files.push(OutgoingFile {
            name: known.filename.clone(),
            content_type: known.content_type.clone(),
            content_id: None,
            bytes: bytes(service, draft.workspace, known, stored.swap_remove(at).place).await?,
        });
    }
    Ok(files)
}
