//! Writes a finished analysis: it is merged into the message, and agents get the message or it is held.

use posthouse_domain::{
    Analysis, EscalationTrigger, HoldReason, IdGenerator, InboxId, Message, MessageId, ScreeningMode, ScreeningTimeout,
    Time, WorkspaceId, analysis::risk_of_labels,
};
use posthouse_store::{Result, Tx, inboxes, message_list::InboxRef, messages, queue, search};

use super::AnalysisEnd;
use crate::escalation::record::raise::{self, EscalationSubject};
use crate::keyring::instance_key::AddressKey;
use crate::mailbox::{enriched, rules, show, show::Showing};

/// An analysis that has ended.
#[derive(Clone, Copy)]
pub(super) struct EndedAnalysis<'a> {
    pub(super) workspace: WorkspaceId,
    pub(super) id: MessageId,
    pub(super) inbox: InboxId,
    pub(super) end: &'a AnalysisEnd,
}

/// Ends the analysis of a message, unless another worker did.
pub(super) fn settle(
    tx: &mut Tx,
    ended: EndedAnalysis<'_>,
    key: &AddressKey,
    ids: &IdGenerator,
    now: Time,
) -> Result<()> {
    let EndedAnalysis { workspace, id, inbox, end } = ended;
    // The inbox before the message, as storing a message does.
    let Some(inbox) = inboxes::lock(tx, workspace, inbox)? else { return Ok(()) };
    messages::lock(tx, workspace, &[id])?;
    let Some(before) = messages::get(tx, workspace, id)? else { return Ok(()) };
    if before.analysis != Some(Analysis::Pending) {
        return Ok(());
    }
    let analysis = match end {
        AnalysisEnd::With(analysis) => analysis.clone(),
        AnalysisEnd::TimedOut(_) => Analysis::Failed("the check took too long".to_owned()),
    };
    let mut after = merge(tx, &before, analysis, now)?;
    let outcome = rules::apply_late(tx, &mut after)?;
    let showing = Showing { inbox: &inbox, key, ids, now };
    screen(tx, &after, end, outcome.is_held || outcome.is_blocked, showing)?;
    // The event of the arrival of pending mail had no content, so that this one must follow when agents get it.
    let is_shown_unanalyzed =
        before.is_held() && after.analysis.as_ref().is_some_and(|analysis| analysis.skip_reason().is_some());
    if (after.analyzed_at.is_some() && before.analyzed_at.is_none()) || is_shown_unanalyzed {
        enriched::announce(tx, &after, &inbox, ids, now)?;
        if !after.is_held() && !before.is_held() {
            raise_new_labels(tx, &before, &after, ids, now)?;
        }
    }
    // A claim that waits for analyzed mail looks again.
    queue::count_change(tx, InboxRef { workspace, inbox: after.inbox })?;
    tx.wake(workspace.0);
    Ok(())
}

/// Writes the analysis and its labels.
pub(super) fn merge(tx: &mut Tx, before: &Message, analysis: Analysis, now: Time) -> Result<Message> {
    let mut after = before.clone();
    enriched::apply(&mut after, analysis, now);
    messages::set_labels(tx, before, &after)?;
    messages::set_analysis(tx, &after)?;
    // The message may be indexed already: a mail that agents have is analyzed later, too.
    search::delete_message(tx, after.workspace, after.id)?;
    search::wait(tx, after.workspace, after.id)?;
    Ok(after)
}

/// Decides about a message that waited for its check. A rule may hold it.
fn screen(
    tx: &mut Tx,
    message: &Message,
    end: &AnalysisEnd,
    is_held_by_rule: bool,
    showing: Showing<'_>,
) -> Result<()> {
    if message.held != Some(HoldReason::Pending) || message.released_at.is_some() {
        return Ok(());
    }
    let reason = match end {
        // What the local screen found needs no verdict.
        AnalysisEnd::TimedOut(ScreeningTimeout::Release) => match risk_of_labels(&message.labels) {
            None => return show::release_pending(tx, message, HoldReason::CheckTimedOut, showing),
            risk => risk,
        },
        AnalysisEnd::TimedOut(ScreeningTimeout::Hold) => Some(HoldReason::CheckTimedOut),
        AnalysisEnd::With(Analysis::Failed(_)) => Some(HoldReason::CheckFailed),
        AnalysisEnd::With(Analysis::Completed(verdict)) => verdict.risk().or_else(|| risk_of_labels(&message.labels)),
        AnalysisEnd::With(Analysis::Skipped(_) | Analysis::Pending) => None,
    };
    // The mode may have changed while the check ran.
    let holds = messages::screening_mode(tx, message.workspace, message.inbox)? == ScreeningMode::Hold;
    match reason.filter(|_| holds).or(is_held_by_rule.then_some(HoldReason::Rule)) {
        None => show::show(tx, message, showing),
        Some(reason) => {
            let (ids, now) = (showing.ids, showing.now);
            let held = messages::end_pending(tx, message, Some(reason), now)?;
            raise::raise(tx, EscalationTrigger::Held, EscalationSubject::Message(&held), ids, now)?;
            raise::raise_labels(tx, &held, held.labels.iter().map(String::as_str), ids, now)
        }
    }
}

/// Escalates what the new labels of a message that agents have are a reason to.
fn raise_new_labels(tx: &mut Tx, before: &Message, after: &Message, ids: &IdGenerator, now: Time) -> Result<()> {
    let new = after.labels.iter().filter(|label| !before.labels.contains(label));
    raise::raise_labels(tx, after, new.map(String::as_str), ids, now)
}
