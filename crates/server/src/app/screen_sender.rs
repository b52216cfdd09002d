//! Whether the receive lists stop a mail, inside the transaction that stores it.
//!
//! Lists are about the author; of the envelope sender only block entries count, because it is often a service's own address.
//! An allow entry matches authenticated authors only: anybody can write a name that is on a list. A report about sent mail is
//! judged like any other mail: it takes effect all the same, but what a stranger wrote into it stays withheld.

use posthouse_domain::{
    inbox::Inbox,
    label,
    list::{self, ListDirection, Token, Trust},
};
use posthouse_mail::auth::Alignment;
use posthouse_store::{Result, Tx, lists, message_list::Place};

use super::understand::Mail;

/// Whether the lists of the workspace and the inbox stop the mail.
///
/// # Errors
/// The store's own.
pub fn stops(tx: &mut Tx, mail: &Mail, inbox: &Inbox) -> Result<bool> {
    let author: Vec<String> =
        mail.author.as_ref().map(|author| list::patterns_of(author.address())).unwrap_or_default();
    let envelope = mail.envelope_from.as_ref().map(list::patterns_of).unwrap_or_default();
    let tokens = tokens(mail, inbox);
    let mut all: Vec<&str> = author.iter().chain(&envelope).map(String::as_str).chain(tokens.iter().copied()).collect();
    all.sort_unstable();
    all.dedup();
    let place = Place { workspace: inbox.workspace, inbox: inbox.id };
    let found = lists::matching(tx, place, ListDirection::Receive, &all)?;
    if found.hits(envelope.iter().map(String::as_str)).blocked {
        return Ok(true);
    }
    let patterns = author.iter().map(String::as_str).chain(tokens.iter().copied());
    Ok(found.hits_of_sender(patterns, trust(mail)).stop(found.allow_only))
}

/// What authentication found about the author.
fn trust(mail: &Mail) -> Trust {
    let has_failed = label::tells_of_failed_authentication(&mail.labels);
    match (&mail.author, mail.alignment) {
        (None, _) => Trust::Failed,
        _ if has_failed => Trust::Failed,
        (Some(_), Some(Alignment::Pass)) => Trust::Authenticated,
        (Some(_), _) => Trust::NotFailed,
    }
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
