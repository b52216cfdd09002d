//! Sends a draft. The transaction that queues the message compares and sets the draft, so that concurrent requests
//! send it once.

use std::sync::Arc;

use posthouse_domain::{
    ActorKind, Approval, ApprovalOfMessage, Caller, Detail, Draft, DraftFailure, DraftHold, DraftId, DraftOrigins,
    DraftStep, ErrorCode, EventKind, IdGenerator, Inbox, JobKind, JudgedRecipient, MessageId, Record, Refusal, Time,
    draft,
};
use posthouse_store::idempotency::{self, IdempotencyClaim};
use posthouse_store::{Error, Tx, approvals, draft_files, drafts, jobs, messages};

use super::{DraftRef, find};
use crate::access::{actor, visible};
use crate::drafts::{attachments, compose, compose::DraftMaterial};
use crate::outbound::accept::{self, AcceptHook, JudgedDraft, RenderResponse, SendDecision, SendResponse};
use crate::outbound::draft_events::append_event;
use crate::outbound::send_context::SendContext;
use crate::service::Service;

/// Renders the response body from the sent draft and its message.
pub type RenderSent = fn(&Draft, &Record) -> Result<String, Refusal>;

/// A draft that is being sent, as it was read before the transaction.
#[derive(Clone, Debug)]
pub(super) struct DraftBeingSent {
    /// The draft as it was read.
    draft: Draft,
    /// The approval of a scheduled draft; `None` means that the caller approves now.
    approval: Option<Approval>,
    /// The content that the caller has read and approves, if it named it.
    expected: Option<[u8; 32]>,
    step: DraftStep,
}

impl DraftBeingSent {
    /// Wraps a draft that the caller sends now.
    pub(super) fn by_caller(draft: &Draft, expected: Option<[u8; 32]>) -> Self {
        Self { draft: draft.clone(), approval: None, expected, step: DraftStep::Send }
    }

    /// Wraps a scheduled draft that is due.
    pub(super) fn due(draft: &Draft) -> Self {
        Self { draft: draft.clone(), approval: draft.approval.clone(), expected: None, step: DraftStep::Due }
    }

    /// Returns a renderer of the response body from the sent draft and its message.
    pub(super) fn render(self, render: RenderSent) -> RenderResponse {
        Arc::new(move |record: &Record| {
            let missing = || Refusal::new(ErrorCode::Internal, "The approval of the message is missing.");
            let kept = record.approval.as_ref().ok_or_else(missing)?;
            render(&self.draft.sent(&record.message, &kept.approval), record)
        })
    }
}

impl AcceptHook for DraftBeingSent {
    /// A person or a key that read the content approves it; so did the person who scheduled it.
    fn draft(&self) -> Option<JudgedDraft<'_>> {
        let is_by_person = self.approval.as_ref().is_some_and(|approval| approval.by.kind == ActorKind::User);
        Some(JudgedDraft {
            draft: &self.draft,
            is_approved: self.expected.is_some() || is_by_person,
            is_judged: self.approval.is_some(),
        })
    }

    fn hold(
        &self,
        tx: &mut Tx,
        hold: &DraftHold,
        origins: &[JudgedRecipient],
        ids: &IdGenerator,
        now: Time,
    ) -> Result<Option<Draft>, Refusal> {
        self.check_unchanged(tx)?;
        let before = &self.draft;
        if before.hold.is_some() && before.send_at.is_none() {
            return Ok(Some(before.clone()));
        }
        let after = before.held(hold.clone(), DraftOrigins(origins.to_vec()), now)?;
        drafts::update(tx, before, &after)?;
        jobs::cancel(tx, JobKind::ScheduledDraft, before.id.0)?;
        append_event(tx, EventKind::DraftUpdated, &after, ids, now)?;
        Ok(Some(after))
    }

    /// Locks the draft and refuses if it was sent, changed or cancelled since it was read.
    fn check_unchanged(&self, tx: &mut Tx) -> Result<(), Refusal> {
        let found = drafts::lock(tx, self.draft.workspace, self.draft.id)?;
        let now = found.ok_or_else(|| Refusal::not_found("draft"))?;
        draft::apply(now.status, self.step)?;
        self.expected.map_or(Ok(()), |expected| now.require_content(expected))?;
        if now.revision != self.draft.revision {
            let refusal = Refusal::new(ErrorCode::DraftNotEditable, "The draft was changed while it was being sent.");
            return Err(refusal.detail(Detail::Status(now.status)).with_fix("Read the draft and send it again."));
        }
        if self.approval.as_ref().is_some_and(|approval| approval.content_sha256 != now.content_sha256()) {
            return Err(Error::Inconsistent(
                "the content of a scheduled draft differs from the approved content".into(),
            )
            .into());
        }
        Ok(())
    }

    /// Marks the draft as sent and moves its approval to the message.
    fn settle(
        &self,
        tx: &mut Tx,
        message: MessageId,
        caller: &Caller,
        ids: &IdGenerator,
        now: Time,
    ) -> Result<(), Refusal> {
        let before = &self.draft;
        let approval = match &self.approval {
            Some(approval) => approval.clone(),
            None => before.approved(actor::of(tx, caller)?, now),
        };
        let missing = || Error::Inconsistent("the message stored in this transaction is missing".into());
        let stored = messages::get(tx, before.workspace, message)?.ok_or_else(missing)?;
        let after = before.sent(&stored, &approval);
        let kept = ApprovalOfMessage { message, draft: before.id, approval };
        approvals::insert(tx, before.workspace, &kept)?;
        drafts::update(tx, before, &after)?;
        draft_files::delete_of(tx, before.workspace, before.id)?;
        jobs::cancel(tx, JobKind::ScheduledDraft, before.id.0)?;
        Ok(append_event(tx, EventKind::DraftSent, &after, ids, now)?)
    }
}

/// The result of the read before a draft is sent.
enum DraftRead {
    Answered(SendResponse),
    Ready(Box<(Inbox, Draft, Result<DraftMaterial, Refusal>)>),
}

/// Sends a draft now. If a check refuses it, the draft stays unsent and its `error` shows the refusal. With `expected`,
/// only a draft with that content is sent.
///
/// # Errors
/// `not_found`, `draft_not_editable`, `draft_changed`, `invalid_request` for an incomplete draft; otherwise as
/// [`crate::outbound::send::send`].
pub async fn send(
    service: &Arc<Service>,
    context: SendContext,
    id: DraftId,
    expected: Option<[u8; 32]>,
    render: RenderSent,
) -> Result<SendResponse, Refusal> {
    let (caller, key, now) = (context.caller, context.key.clone(), service.clock.now());
    let which = DraftRef { inbox: context.inbox, draft: id };
    let read = move |tx: &mut Tx| {
        visible::inbox(tx, &caller, which.inbox)?;
        let claim = key.as_ref().map_or(Ok(IdempotencyClaim::New), |key| idempotency::find(tx, key, now))?;
        if let Some(answer) = accept::recorded_response(claim)? {
            return Ok(DraftRead::Answered(SendResponse::replay(answer)));
        }
        let (inbox, found) = find(tx, &caller, which)?;
        draft::apply(found.status, DraftStep::Send)?;
        expected.map_or(Ok(()), |expected| found.require_content(expected))?;
        let material = compose::load_material(tx, &found);
        Ok::<_, Refusal>(DraftRead::Ready(Box::new((inbox, found, material))))
    };
    let (inbox, found, material) = match service.read(context.caller.workspace, read).await? {
        DraftRead::Answered(posted) => return Ok(posted),
        DraftRead::Ready(read) => *read,
    };
    let sealed = DraftBeingSent::by_caller(&found, expected);
    let rendered = sealed.clone().render(render);
    let posted = attempt(service, context, inbox, material, sealed, rendered).await;
    if let Err(refusal) = &posted
        && is_a_check(refusal.code)
    {
        let failure = failure(refusal);
        service.write(move |tx| drafts::refused(tx, &found, &failure)).await?;
    }
    posted
}

/// Returns the decision about a draft without sending it. The draft doesn't show a refusal.
///
/// # Errors
/// Returns the errors of [`send`], except refusals of the gate and the size limit, which are part of the decision.
pub async fn dry_run(service: &Arc<Service>, context: SendContext, id: DraftId) -> Result<SendDecision, Refusal> {
    let (caller, which) = (context.caller, DraftRef { inbox: context.inbox, draft: id });
    let read = move |tx: &mut Tx| {
        let (inbox, found) = find(tx, &caller, which)?;
        draft::apply(found.status, DraftStep::Send)?;
        let material = compose::load_material(tx, &found)?;
        Ok::<_, Refusal>((inbox, found, material))
    };
    let (inbox, found, DraftMaterial { original, files }) = service.read(caller.workspace, read).await?;
    let files = attachments::load(service, &found, files).await?;
    let outgoing = compose::outgoing_message(service, &found, original, files)?;
    let hook = Box::new(DraftBeingSent::by_caller(&found, None));
    accept::decide_with_hook(service, context, outgoing, inbox, hook).await
}

/// Composes the message and queues it.
pub(super) async fn attempt(
    service: &Arc<Service>,
    context: SendContext,
    inbox: Inbox,
    material: Result<DraftMaterial, Refusal>,
    sealed: DraftBeingSent,
    render: RenderResponse,
) -> Result<SendResponse, Refusal> {
    let DraftMaterial { original, files } = material?;
    let files = attachments::load(service, &sealed.draft, files).await?;
    let outgoing = compose::outgoing_message(service, &sealed.draft, original, files)?;
    accept::accept_with_hook(service, context, outgoing, inbox, Box::new(sealed), render).await
}

/// Returns whether a refusal is about the message, so that the draft should show it.
pub(super) const fn is_a_check(code: ErrorCode) -> bool {
    !matches!(
        code,
        ErrorCode::Unavailable
            | ErrorCode::Internal
            | ErrorCode::StoreDamaged
            | ErrorCode::ContentDamaged
            | ErrorCode::IdempotencyKeyReused
            | ErrorCode::IdempotencyInFlight
            | ErrorCode::DraftNotEditable
            | ErrorCode::DraftChanged
    )
}

pub(super) fn failure(refusal: &Refusal) -> DraftFailure {
    DraftFailure { code: refusal.code.text().to_owned(), message: refusal.whole_message() }
}
