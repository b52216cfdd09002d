//! Applies the rules of the owner to received mail: when it is stored, and once the categorizer has judged it
//! (`docs/decisions/receiving.md#0151-rules-of-the-owner`).

pub mod manage;

use posthouse_domain::{Inbox, InboxKind, Message, Rule, RuleOutcome, rule};
use posthouse_store::{Result, Tx, inboxes, messages, rules};

pub use crate::messages::rules::add_labels;
pub(crate) use crate::messages::rules::{facts, file_names, stored_verdict};

/// Returns what the rules do to a message that is being stored in an inbox.
pub(super) fn at_receipt(
    tx: &mut Tx,
    inbox: &Inbox,
    message: impl FnOnce() -> Message,
    files: &dyn Fn() -> Vec<String>,
) -> Result<RuleOutcome> {
    let all = rules::all(tx, inbox.workspace)?;
    if all.is_empty() {
        return Ok(RuleOutcome::default());
    }
    let facts = facts(tx, &message(), files(), None)?;
    Ok(rule::apply(all.iter().filter(|rule| !rule.needs_verdict()), &facts))
}

/// Returns what the rules with conditions about an analysis do to a message, once it is analyzed. The caller adds the labels
/// and holds the message; it isn't moved any more. Call it in the transaction that stores the analysis.
///
/// # Errors
/// Returns an error if a store call fails.
pub fn after_analysis(tx: &mut Tx, message: &Message, files: &dyn Fn() -> Vec<String>) -> Result<RuleOutcome> {
    let Some(verdict) = stored_verdict(message) else { return Ok(RuleOutcome::default()) };
    let all: Vec<Rule> = rules::all(tx, message.workspace)?.into_iter().filter(Rule::needs_verdict).collect();
    if all.is_empty() {
        return Ok(RuleOutcome::default());
    }
    let facts = facts(tx, message, files(), Some(verdict))?;
    Ok(rule::apply(&all, &facts))
}

/// Does what [`after_analysis`] returns to the labels of a stored message, which is locked, and returns it.
///
/// # Errors
/// Returns an error if a store call fails.
pub fn apply_late(tx: &mut Tx, message: &mut Message) -> Result<RuleOutcome> {
    let names = file_names(tx, message)?;
    let outcome = after_analysis(tx, message, &|| names.clone())?;
    let before = message.clone();
    add_labels(message, &outcome);
    if message.labels != before.labels {
        messages::set_labels(tx, &before, message)?;
    }
    Ok(outcome)
}

/// Returns the inbox that a message is routed to, if it still exists.
pub(super) fn target(tx: &mut Tx, inbox: &Inbox, outcome: &RuleOutcome) -> Result<Option<Inbox>> {
    let Some(id) = outcome.route.filter(|id| *id != inbox.id) else { return Ok(None) };
    let found = inboxes::get(tx, inbox.workspace, id)?;
    Ok(found.filter(|target| target.deleted_at.is_none() && target.kind == InboxKind::Mailbox))
}
