//! The people that an answer goes to without being strangers (`docs/decisions/sending.md#0094-one-party`).

use posthouse_domain::{Direction, Message, Time, party};
use posthouse_mail::address::{Address, Mailbox};
use posthouse_store::{Result, Tx, answers};

/// Returns the recipients of an answer who correspond with the workspace:
///
/// * of a received message, its author and those whom the author speaks for, if the author is proven, and people who wrote
///   to the workspace with proof. Anybody can name others in `To`, `Cc` and `Reply-To`, and forge an author.
/// * of a sent message, the people that it went to.
pub(super) fn correspondents(tx: &mut Tx, original: &Message, people: &[&Address], now: Time) -> Result<Vec<Address>> {
    let known = if original.direction == Direction::Outbound { recipients_of(original) } else { Vec::new() };
    let author = Mailbox::parse(&original.from).ok().filter(|_| original.author_proven);
    let mut found = Vec::new();
    for person in people {
        let is_known = known.contains(person)
            || author.as_ref().is_some_and(|author| is_of_author(original, author.address(), person))
            || original.direction == Direction::Inbound && has_written(tx, original, person, now)?;
        if is_known {
            found.push((*person).clone());
        }
    }
    Ok(found)
}

/// All agents of a service may share a domain, so an agent speaks for its own address only.
fn is_of_author(original: &Message, author: &Address, person: &Address) -> bool {
    if original.agent.is_some() { author == person } else { party::speaks_for(author, person) }
}

fn has_written(tx: &mut Tx, original: &Message, person: &Address, now: Time) -> Result<bool> {
    let first = answers::first_by(tx, original.workspace, person.canonical_str())?;
    Ok(first.is_some_and(|first| first < now))
}

/// Returns the addresses that a sent message went to, and its own.
fn recipients_of(sent: &Message) -> Vec<Address> {
    let named = std::iter::once(&sent.from).chain(&sent.to).chain(&sent.cc).chain(&sent.bcc);
    named.filter_map(|text| Mailbox::parse(text).ok()).map(Mailbox::into_address).collect()
}
