//! What the rules of the owner compare of a message, and what they do once a stored message gets a label.

use posthouse_domain::{
    AuthorTrust, ListDirection, ListEntryMatches, Message, Rule, RuleFacts, RuleOutcome, RuleVerdict,
    label::LABELS_MAX, label::has_failed_authentication, list, rule,
};
use posthouse_mail::address::Mailbox;
use posthouse_store::{Result, Tx, attachments, lists, message_list::InboxRef, rules};

/// Returns what the rules do to a stored message that got new labels: those rules count that didn't apply before. The caller
/// adds the labels and holds the message; it isn't moved any more. Rules about an answer of the categorizer that hasn't come
/// yet apply when it comes.
///
/// # Errors
/// Returns an error if a store call fails.
pub fn after_labels(tx: &mut Tx, before: &Message, after: &Message) -> Result<RuleOutcome> {
    let all = rules::all(tx, after.workspace)?;
    if all.is_empty() || before.labels == after.labels {
        return Ok(RuleOutcome::default());
    }
    let (names, verdict) = (file_names(tx, after)?, stored_verdict(after));
    let has_verdict = verdict.is_some();
    let known = facts(tx, before, names.clone(), verdict.clone())?;
    let now = facts(tx, after, names, verdict)?;
    let is_new = |rule: &&Rule| (has_verdict || !rule.needs_verdict()) && !rule.applies(&known);
    Ok(rule::apply(all.iter().filter(is_new), &now))
}

/// Adds the labels of rules to a message, as far as there is room.
pub fn add_labels(message: &mut Message, outcome: &RuleOutcome) {
    for label in &outcome.labels {
        if message.labels.len() < LABELS_MAX && !message.labels.contains(label) {
            message.labels.push(label.clone());
        }
    }
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
