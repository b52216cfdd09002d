//! Applies the rules of the owner to received mail: when it is stored, and once the categorizer has judged it
//! (`docs/decisions/receiving.md#0151-rules-of-the-owner`).

pub mod manage;

use posthouse_domain::{
    AuthorTrust, Inbox, InboxKind, ListDirection, ListEntryMatches, Message, Rule, RuleFacts, RuleOutcome, RuleVerdict,
    label::LABELS_MAX, label::has_failed_authentication, list, rule,
};
use posthouse_mail::address::Mailbox;
use posthouse_store::{Result, Tx, attachments, inboxes, lists, message_list::InboxRef, messages, rules};

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

/// Adds the labels of rules to a message, as far as there is room.
pub fn add_labels(message: &mut Message, outcome: &RuleOutcome) {
    for label in &outcome.labels {
        if message.labels.len() < LABELS_MAX && !message.labels.contains(label) {
            message.labels.push(label.clone());
        }
    }
}

/// Returns the inbox that a message is routed to, if it still exists.
pub(super) fn target(tx: &mut Tx, inbox: &Inbox, outcome: &RuleOutcome) -> Result<Option<Inbox>> {
    let Some(id) = outcome.route.filter(|id| *id != inbox.id) else { return Ok(None) };
    let found = inboxes::get(tx, inbox.workspace, id)?;
    Ok(found.filter(|target| target.deleted_at.is_none() && target.kind == InboxKind::Mailbox))
}

/// Returns the facts about a message that conditions compare.
pub(crate) fn facts(
    tx: &mut Tx,
    message: &Message,
    files: Vec<String>,
    verdict: Option<RuleVerdict>,
) -> Result<RuleFacts> {
    let lists = list_matches(tx, message)?;
    Ok(RuleFacts::of(message, files, lists, verdict))
}

/// Returns the names of the attachments of a stored message.
pub(crate) fn file_names(tx: &mut Tx, message: &Message) -> Result<Vec<String>> {
    if !message.has_attachments {
        return Ok(Vec::new());
    }
    let found = attachments::of(tx, message.workspace, &[message.id])?;
    Ok(found.into_iter().map(|file| file.filename.unwrap_or_default()).collect())
}

/// Returns what the categorizer found about a stored message.
pub(crate) fn stored_verdict(message: &Message) -> Option<RuleVerdict> {
    let verdict = message.analysis.as_ref()?.verdict()?;
    Some(RuleVerdict {
        category: verdict.best_category().0.text().to_owned(),
        injection: verdict.injection,
        phishing: verdict.phishing,
        needs_human: verdict.needs_human,
    })
}

fn list_matches(tx: &mut Tx, message: &Message) -> Result<ListEntryMatches> {
    let Some(author) = Mailbox::parse(&message.from).ok() else { return Ok(ListEntryMatches::default()) };
    let patterns = list::patterns_of(author.address());
    let all: Vec<&str> = patterns.iter().map(String::as_str).collect();
    let inbox = InboxRef { workspace: message.workspace, inbox: message.inbox };
    let found = lists::matching(tx, inbox, ListDirection::Receive, &all)?;
    let trust = match (has_failed_authentication(&message.labels), message.author_proven) {
        (true, _) => AuthorTrust::Failed,
        (false, true) => AuthorTrust::Authenticated,
        (false, false) => AuthorTrust::NotFailed,
    };
    Ok(found.hits_of_sender(all.iter().copied(), trust))
}
