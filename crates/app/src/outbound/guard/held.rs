//! Keeps a message as a draft that waits for an approval.

use std::sync::Arc;

use posthouse_api::views::draft::HeldSendView;
use posthouse_domain::{
    AttachmentId, Caller, Draft, DraftFile, DraftHold, DraftId, DraftOrigins, DraftSource, ErrorCode, EventKind, Inbox,
    JudgedRecipient, Message, MessageRecipients, OutgoingContent, OutgoingFile, Plans, Refusal, Time, WorkspaceId,
};
use posthouse_mail::address::Mailbox;
use posthouse_store::contents::RawLocation;
use posthouse_store::idempotency::{self, IdempotencyKey, RecordedResponse};
use posthouse_store::{BlobDigest, Tx, draft_files, drafts, storage};

use crate::outbound::draft_events::append_event;
use crate::outbound::response::{SendResponse, claimed};
use crate::{
    access::visible,
    limits::blocking_pool::{WorkClass, WorkOwner, WorkStop},
    messages::raw,
    service::Service,
};

/// The HTTP status of a held message.
const HELD: u16 = 202;

/// A message to keep as a draft.
#[derive(Clone)]
pub(crate) struct HeldMessage {
    /// Who sends it.
    pub(crate) caller: Caller,
    /// The inbox that sends it.
    pub(crate) inbox: Inbox,
    /// The idempotency key of the request.
    pub(crate) key: Option<IdempotencyKey>,
    pub(crate) people: MessageRecipients,
    pub(crate) subject: String,
    /// The content as the caller gave it.
    pub(crate) content: OutgoingContent,
    pub(crate) answers: Option<Message>,
    /// Why it is held.
    pub(crate) hold: DraftHold,
    pub(crate) origins: Vec<JudgedRecipient>,
    pub(crate) plans: Plans,
    pub(crate) now: Time,
}

/// Stores a file of a draft before the transaction.
pub(crate) async fn store_file(
    service: &Service,
    workspace: WorkspaceId,
    file: OutgoingFile,
    id: AttachmentId,
) -> Result<StoredFile, Refusal> {
    let OutgoingFile { name, content_type, bytes, .. } = file;
    let size = bytes.len();
    let blobs = service.blobs.clone();
    let owner = WorkOwner { class: WorkClass::Compose, workspace };
    let work = move |_: &WorkStop| blobs.compress(&bytes).map(|compressed| (compressed, BlobDigest::of(&bytes).0));
    let (compressed, sha256) = service.blocking_pool.run_for(owner, size, work).await??;
    let raw = raw::store_raw(service, compressed, size).await?;
    let file = DraftFile { id, filename: name, content_type, size_bytes: size as u64, sha256 };
    Ok(StoredFile { file, place: raw.place })
}

/// A stored file of a draft.
pub(crate) struct StoredFile {
    pub(crate) file: DraftFile,
    pub(crate) place: RawLocation,
}

/// Keeps a new message as a draft, and returns the response to its request.
///
/// # Errors
/// Returns `not_found`, `plan_limit_storage`, or `idempotency_key_reused`.
pub(crate) async fn keep(service: &Arc<Service>, mut held: Box<HeldMessage>) -> Result<SendResponse, Refusal> {
    let mut files = Vec::new();
    for file in std::mem::take(&mut held.content.files) {
        files.push(store_file(service, held.caller.workspace, file, service.clock.ids().next()).await?);
    }
    let ids = service.clock.ids();
    let work = move |tx: &mut Tx| {
        let inbox = visible::inbox(tx, &held.caller, held.inbox.id)?;
        if let Some(answer) = claimed(tx, held.key.as_ref(), held.now)? {
            return Ok(SendResponse::replay(answer));
        }
        storage::limit(tx, &held.plans);
        let ids = ids.clone();
        let draft = draft(&held, &inbox, ids.next(), &files);
        drafts::insert(tx, &draft)?;
        for (position, stored) in (0u32..).zip(&files) {
            draft_files::insert(tx, draft.workspace, draft.id, position, &stored.file, &stored.place)?;
        }
        append_event(tx, EventKind::DraftCreated, &draft, &ids, held.now)?;
        answer(tx, held.key.as_ref(), &draft)
    };
    service.write(work).await
}

fn draft(held: &HeldMessage, inbox: &Inbox, id: DraftId, files: &[StoredFile]) -> Draft {
    let shown = |list: &[Mailbox]| list.iter().map(ToString::to_string).collect();
    let mut draft = Draft::new(inbox.workspace, id, inbox.id, DraftSource::Api, held.now);
    let (content, given) = (&mut draft.content, &held.content);
    (content.to, content.cc, content.bcc) = (shown(&held.people.to), shown(&held.people.cc), shown(&held.people.bcc));
    content.subject = Some(held.subject.clone());
    (content.text, content.html) = (given.text.clone(), given.html.clone());
    (content.data_json, content.kind) = (given.data_json.clone(), given.kind);
    content.files = files.iter().map(|stored| stored.file.clone()).collect();
    draft.labels.clone_from(&given.labels);
    draft.answers = held.answers.as_ref().map(|original| original.id);
    draft.thread = held.answers.as_ref().map(|original| original.thread);
    draft.origins = DraftOrigins(held.origins.clone());
    draft.hold = Some(held.hold.clone());
    draft
}

/// Records and returns the response to a request whose message is held.
pub(crate) fn answer(tx: &mut Tx, key: Option<&IdempotencyKey>, draft: &Draft) -> Result<SendResponse, Refusal> {
    let failed = |_| Refusal::new(ErrorCode::Internal, "The response couldn't be rendered.");
    let body = serde_json::to_string(&HeldSendView::of(draft)).map_err(failed)?;
    let answer = RecordedResponse { status: HELD, body };
    if let Some(key) = key {
        idempotency::answer(tx, key, &answer)?;
    }
    Ok(SendResponse { answer, replayed: false, held: Some(draft.id) })
}
