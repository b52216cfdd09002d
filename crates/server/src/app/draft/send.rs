//! A draft that somebody sends: built, then queued by `post`, which compares and sets the draft in its transaction, so that of
//! two senders one sends.

use std::sync::Arc;

use posthouse_domain::{
    auth::Caller,
    draft::{self, Approval, Draft, Failure, Step},
    error::{Code, Refusal},
    event::EventKind,
    id::{DraftId, Ids, MessageId},
    inbox::Inbox,
    time::Time,
};
use posthouse_store::{
    Error, Tx, approvals, draft_files, drafts,
    idempotency::{self, Claim},
    jobs,
    messages::{self, Record},
};

use super::{Which, files, find, letter, letter::Material, tell::tell};
use crate::app::{
    App,
    post::{self, Along, Posted, Render},
    send::Order,
    stop_workspace::actor,
    visible,
};

/// Makes the body of the answer from the sent draft and its message.
pub type RenderSent = fn(&Draft, &Record) -> Result<String, Refusal>;

/// A draft that is to become the message of a transaction.
#[derive(Clone, Debug)]
pub(in crate::app) struct Sealed {
    /// As it was read.
    draft: Draft,
    /// Who vouched before; none: the caller does now.
    approval: Option<Approval>,
    step: Step,
}

impl Sealed {
    /// The draft as it was read, sent by whoever asks.
    pub(super) fn by_caller(draft: &Draft) -> Self {
        Self { draft: draft.clone(), approval: None, step: Step::Send }
    }

    /// The draft as it was read, sent because its time has come.
    pub(super) fn due(draft: &Draft) -> Self {
        Self { draft: draft.clone(), approval: draft.approval.clone(), step: Step::Due }
    }

    /// The body of the answer: the draft as it is now, and its message.
    pub(super) fn render(self, render: RenderSent) -> Render {
        Arc::new(move |record: &Record| {
            let missing = || Refusal::new(Code::Internal, "The message has lost its approval.");
            let kept = record.approval.as_ref().ok_or_else(missing)?;
            render(&self.draft.sent(&record.message, &kept.approval), record)
        })
    }
}

impl Along for Sealed {
    /// Takes the draft's row and refuses when somebody sent, changed or gave it up since it was read.
    fn guard(&self, tx: &mut Tx) -> Result<(), Refusal> {
        let found = drafts::take(tx, self.draft.workspace, self.draft.id)?;
        let now = found.ok_or_else(|| Refusal::not_found("draft"))?;
        draft::take(now.status, self.step)?;
        if now.revision != self.draft.revision {
            let refusal = Refusal::new(Code::DraftNotEditable, "The draft was changed while it was being sent.");
            return Err(refusal.detail("status", now.status.text()).with_fix("Read the draft and send it again."));
        }
        if self.approval.as_ref().is_some_and(|approval| approval.content_sha256 != now.content_sha256()) {
            return Err(Error::Corrupt("a scheduled draft has other content than was approved".into()).into());
        }
        Ok(())
    }

    /// The draft became that message: its content is the message's now, and so is the approval.
    fn settle(
        &self,
        tx: &mut Tx,
        message: MessageId,
        (caller, ids): (&Caller, &Ids),
        now: Time,
    ) -> Result<(), Refusal> {
        let before = &self.draft;
        let approval = match &self.approval {
            Some(approval) => approval.clone(),
            None => before.approved(actor(tx, caller)?, now),
        };
        let missing = || Error::Corrupt("a message that was just stored is gone".into());
        let stored = messages::get(tx, before.workspace, message)?.ok_or_else(missing)?;
        let after = before.sent(&stored, &approval);
        let kept = approvals::OfMessage { message, draft: before.id, approval };
        approvals::insert(tx, before.workspace, &kept)?;
        drafts::update(tx, before, &after)?;
        draft_files::delete_of(tx, before.workspace, before.id)?;
        jobs::cancel(tx, jobs::SCHEDULED_DRAFT, before.id.0)?;
        Ok(tell(tx, EventKind::DraftSent, &after, ids, now)?)
    }
}

/// What is read before a draft is sent.
enum Read {
    Answered(Posted),
    Ready(Box<(Inbox, Draft, Result<Material, Refusal>)>),
}

/// Sends a draft now. A check that refuses leaves it as it is, with the refusal in `error`.
///
/// # Errors
/// `not_found`, `draft_not_editable`, `invalid_request` for an incomplete draft; otherwise as [`crate::app::send::send`].
pub async fn send(app: &Arc<App>, order: Order, id: DraftId, render: RenderSent) -> Result<Posted, Refusal> {
    let (caller, key, now) = (order.caller, order.key.clone(), app.clock.now());
    let which = Which { inbox: order.inbox, draft: id };
    let read = move |tx: &mut Tx| {
        visible::inbox(tx, &caller, which.inbox)?;
        let claim = key.as_ref().map_or(Ok(Claim::Fresh), |key| idempotency::look(tx, key, now))?;
        if let Some(answer) = post::repeated(claim)? {
            return Ok(Read::Answered(Posted { answer, replayed: true }));
        }
        let (inbox, found) = find(tx, &caller, which)?;
        draft::take(found.status, Step::Send)?;
        let material = letter::material(tx, &found);
        Ok::<_, Refusal>(Read::Ready(Box::new((inbox, found, material))))
    };
    let (inbox, found, material) = match app.store.read(read).await? {
        Read::Answered(posted) => return Ok(posted),
        Read::Ready(read) => *read,
    };
    let sealed = Sealed::by_caller(&found);
    let rendered = sealed.clone().render(render);
    let posted = attempt(app, order, (inbox, material), (sealed, rendered)).await;
    if let Err(refusal) = &posted
        && is_a_check(refusal.code)
    {
        let failure = failure(refusal);
        app.store.write(move |tx| drafts::refused(tx, &found, &failure)).await?;
    }
    posted
}

/// Builds the message and queues it.
pub(super) async fn attempt(
    app: &Arc<App>,
    order: Order,
    (inbox, material): (Inbox, Result<Material, Refusal>),
    (sealed, render): (Sealed, Render),
) -> Result<Posted, Refusal> {
    let Material { original, files } = material?;
    let files = files::load(app, &sealed.draft, files).await?;
    let letter = letter::letter(app, &sealed.draft, original, files)?;
    post::post_along(app, order, (letter, inbox), Box::new(sealed), render).await
}

/// Whether the refusal is about the message, so that the draft should say it.
pub(super) const fn is_a_check(code: Code) -> bool {
    !matches!(
        code,
        Code::Unavailable
            | Code::Internal
            | Code::StoreDamaged
            | Code::ContentDamaged
            | Code::IdempotencyKeyReused
            | Code::IdempotencyInFlight
            | Code::DraftNotEditable
    )
}

pub(super) fn failure(refusal: &Refusal) -> Failure {
    Failure { code: refusal.code.text().to_owned(), message: refusal.whole_message() }
}
