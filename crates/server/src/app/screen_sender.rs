//! Whether the receive lists stop a mail (contract §13.1), inside the transaction that stores it.
//!
//! Every author must pass; of the envelope sender only block entries count, because it is often a service's own address. A
//! report about mail that the inbox sent is let through by allow lists: nobody can list the servers of the world.

use posthouse_domain::{
    inbox::Inbox,
    list::{self, ListDirection, Token},
};
use posthouse_store::{Result, Tx, lists, message_list::Place};

use super::understand::Mail;

/// Whether the lists of the workspace and the inbox stop the mail.
///
/// # Errors
/// The store's own.
pub fn stops(tx: &mut Tx, mail: &Mail, inbox: &Inbox, is_report_on_ours: bool) -> Result<bool> {
    let authors: Vec<Vec<String>> = mail.authors.iter().map(|author| list::patterns_of(author.address())).collect();
    let envelope = mail.envelope_from.as_ref().map(list::patterns_of).unwrap_or_default();
    let tokens = tokens(mail, inbox);
    let mut all: Vec<&str> =
        authors.iter().flatten().chain(&envelope).map(String::as_str).chain(tokens.iter().copied()).collect();
    all.sort_unstable();
    all.dedup();
    let place = Place { workspace: inbox.workspace, inbox: inbox.id };
    let found = lists::matching(tx, place, ListDirection::Receive, &all)?;
    if found.hits(envelope.iter().map(String::as_str)).blocked {
        return Ok(true);
    }
    let allow_only = found.allow_only && !is_report_on_ours;
    let stopped = |patterns: &[String]| {
        found.hits(patterns.iter().map(String::as_str).chain(tokens.iter().copied())).stop(allow_only)
    };
    // Who names no author is judged by what else is known.
    Ok(if authors.is_empty() { stopped(&[]) } else { authors.iter().any(|author| stopped(author)) })
}

/// The tokens that fit the sender. No agent has a card yet that could be verified.
fn tokens(mail: &Mail, inbox: &Inbox) -> Vec<&'static str> {
    let Some(workspace) = mail.agent_of else { return Vec::new() };
    let mut tokens = vec![Token::AnyAgent.text()];
    if workspace == inbox.workspace {
        tokens.push(Token::OwnWorkspace.text());
    }
    tokens
}
