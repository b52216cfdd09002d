//! Decides whether the receive lists stop a mail, in the transaction that stores it.
//!
//! Entries match the author; block entries also match the envelope sender. Allow entries don't, because the envelope
//! sender is often an address of a service. An allow entry matches authenticated authors only, because a From field can
//! contain any listed name (`docs/decisions/receiving.md#0021-authenticated-allow-entries`). Reports about sent mail
//! are screened like other mail: they take effect, but their content stays withheld.

use posthouse_domain::{AuthorTrust, Inbox, ListDirection, SenderClass, label, list};
use posthouse_mail::auth::DmarcAlignment;
use posthouse_store::{Result, Tx, lists, message_list::InboxRef};

use super::parse::ParsedMail;
use crate::signing::agent_copy::AgentCopy;

/// Returns true if the lists of the workspace or the inbox stop the mail.
pub(super) fn is_blocked(tx: &mut Tx, mail: &ParsedMail, agent: Option<AgentCopy<'_>>, inbox: &Inbox) -> Result<bool> {
    let author: Vec<String> =
        mail.author.as_ref().map(|author| list::patterns_of(author.address())).unwrap_or_default();
    let envelope = mail.envelope_from.as_ref().map(list::patterns_of).unwrap_or_default();
    let tokens = tokens(mail, agent, inbox);
    let mut all: Vec<&str> = author.iter().chain(&envelope).map(String::as_str).chain(tokens.iter().copied()).collect();
    all.sort_unstable();
    all.dedup();
    let inbox_ref = InboxRef { workspace: inbox.workspace, inbox: inbox.id };
    let found = lists::matching(tx, inbox_ref, ListDirection::Receive, &all)?;
    if found.hits(envelope.iter().map(String::as_str)).blocked {
        return Ok(true);
    }
    let patterns = author.iter().map(String::as_str).chain(tokens.iter().copied());
    Ok(found.hits_of_sender(patterns, trust(mail)).stop(found.allow_only))
}

/// Returns what authentication found about the author.
fn trust(mail: &ParsedMail) -> AuthorTrust {
    let has_failed = label::has_failed_authentication(&mail.labels);
    match (&mail.author, mail.alignment) {
        (None, _) => AuthorTrust::Failed,
        _ if has_failed => AuthorTrust::Failed,
        (Some(_), Some(DmarcAlignment::Pass)) => AuthorTrust::Authenticated,
        (Some(_), _) => AuthorTrust::NotFailed,
    }
}

/// Returns the sender classes that match the sender.
fn tokens(mail: &ParsedMail, agent: Option<AgentCopy<'_>>, inbox: &Inbox) -> Vec<&'static str> {
    let Some(workspace) = mail.agent_workspace() else { return Vec::new() };
    let classes = [
        (SenderClass::AnyAgent, true),
        (SenderClass::OwnWorkspace, workspace == inbox.workspace),
        (SenderClass::VerifiedAgent, agent.is_some_and(|agent| agent.is_verified())),
    ];
    classes.into_iter().filter(|(_, matches)| *matches).map(|(class, _)| class.text()).collect()
}
