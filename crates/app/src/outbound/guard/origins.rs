//! Where the addresses of recipients come from.

use posthouse_domain::outbound_policy::seen::{self, SeenFilter};
use posthouse_domain::{
    Caller, Direction, Inbox, JudgedRecipient, ListDirection, Message, MessageId, OriginKind, RecipientOrigin, Time,
    WorkspaceId, label, list, outbound_policy::RECIPIENT_LABEL, party, send::RECIPIENTS_MAX,
};
use posthouse_mail::address::{Address, Mailbox};
use posthouse_store::{Result, Tx, agents, contacts, inboxes, lists, message_list::InboxRef, messages, seen_addresses};

use super::is_person;

/// A message whose recipients are judged.
#[derive(Clone, Copy)]
pub(crate) struct Addressed<'a> {
    /// The inbox that sends it.
    pub(crate) inbox: &'a Inbox,
    /// Who sends it.
    pub(crate) caller: &'a Caller,
    pub(crate) answers: Option<&'a Message>,
    /// Origins that were found when a draft was written or scheduled.
    pub(crate) known: &'a [JudgedRecipient],
    /// Whether the known origins stay, also weak ones: the draft was judged when it was scheduled.
    pub(crate) is_judged: bool,
    pub(crate) now: Time,
}

/// What the store says about the recipients of one message.
struct KnownAddresses {
    own: Vec<String>,
    contacts: Vec<(String, Time)>,
    listed: Vec<String>,
    answered: Vec<Address>,
    /// The filters of mails that name more addresses than the index has; `None` until an address needs them.
    filters: Option<Vec<SeenFilter>>,
}

impl KnownAddresses {
    /// Returns whether a mail may name an address with one of these numbers, although the index doesn't have it.
    fn may_be_named(&mut self, tx: &mut Tx, workspace: WorkspaceId, keys: &[i64]) -> Result<bool> {
        let filters = match self.filters.take() {
            Some(filters) => filters,
            None => seen_addresses::filters(tx, workspace)?,
        };
        let is_named = filters.iter().any(|filter| keys.iter().any(|key| filter.may_have(*key)));
        self.filters = Some(filters);
        Ok(is_named)
    }
}

/// Returns the origin of each recipient.
pub(crate) fn of(tx: &mut Tx, message: Addressed<'_>, people: &[&Address]) -> Result<Vec<JudgedRecipient>> {
    let mut known = known(tx, message, people)?;
    let mut judged = Vec::with_capacity(people.len());
    for person in people {
        let origin = origin(tx, message, &mut known, person)?;
        judged.push(JudgedRecipient { address: person.canonical(), origin });
    }
    Ok(judged)
}

fn known(tx: &mut Tx, message: Addressed<'_>, people: &[&Address]) -> Result<KnownAddresses> {
    let workspace = message.inbox.workspace;
    let bare: Vec<String> = people.iter().map(|person| person.without_tag().canonical()).collect();
    let mut all: Vec<&str> = bare.iter().map(String::as_str).collect();
    let own = inboxes::of_addresses(tx, workspace, &all)?;
    all.extend(people.iter().map(|person| person.canonical_str()));
    let contacts = corresponded(tx, message.inbox, &all)?;
    let answered = message.answers.map(answered).unwrap_or_default();
    Ok(KnownAddresses { own, contacts, listed: listed(tx, message.inbox, people)?, answered, filters: None })
}

fn corresponded(tx: &mut Tx, inbox: &Inbox, addresses: &[&str]) -> Result<Vec<(String, Time)>> {
    let mut found = Vec::new();
    for some in addresses.chunks(RECIPIENTS_MAX) {
        found.extend(contacts::corresponded(tx, inbox.workspace, some)?);
    }
    Ok(found)
}

/// Returns the people that an allow entry of the send lists names.
fn listed(tx: &mut Tx, inbox: &Inbox, people: &[&Address]) -> Result<Vec<String>> {
    let patterns: Vec<Vec<String>> = people.iter().map(|person| list::patterns_of(person)).collect();
    let mut all: Vec<&str> = patterns.iter().flatten().map(String::as_str).collect();
    all.sort_unstable();
    all.dedup();
    let inbox_ref = InboxRef { workspace: inbox.workspace, inbox: inbox.id };
    let found = lists::matching(tx, inbox_ref, ListDirection::Send, &all)?;
    let allowed = people.iter().zip(&patterns);
    let allowed = allowed.filter(|(_, patterns)| found.hits(patterns.iter().map(String::as_str)).allowed);
    Ok(allowed.map(|(person, _)| person.canonical()).collect())
}

fn origin(
    tx: &mut Tx,
    message: Addressed<'_>,
    known: &mut KnownAddresses,
    person: &Address,
) -> Result<RecipientOrigin> {
    let workspace = message.inbox.workspace;
    let (canonical, bare) = (person.canonical_str(), person.without_tag());
    let before = message.known.iter().find(|one| one.address == canonical).map(|one| one.origin);
    if let Some(before) = before.filter(|_| message.is_judged) {
        return Ok(before);
    }
    if is_person(message.caller) || before.is_some_and(|origin| origin.kind == OriginKind::Person) {
        return Ok(RecipientOrigin::of(OriginKind::Person));
    }
    if known.answered.iter().any(|one| one.without_tag() == bare) {
        return Ok(RecipientOrigin::of(OriginKind::Thread));
    }
    if known.contacts.iter().any(|(address, _)| address == canonical || address == bare.canonical_str()) {
        return Ok(RecipientOrigin::of(OriginKind::Contact));
    }
    if known.listed.iter().any(|address| address == canonical) {
        return Ok(RecipientOrigin::of(OriginKind::List));
    }
    if known.own.iter().any(|address| address == bare.canonical_str()) {
        return Ok(RecipientOrigin::of(OriginKind::Directory));
    }
    let agent = agents::by_address(tx, bare.canonical_str())?;
    let mut keys = seen::lookup_keys(person);
    if let Some(handle) = &agent.as_ref().and_then(posthouse_domain::Agent::handle) {
        keys.push(seen::handle_key(handle));
    }
    let named = seen_addresses::first(tx, workspace, &keys)?;
    let named = match named {
        Some(found) => Some(found),
        None => as_message_id(tx, message.inbox, person)?,
    };
    if named.is_some() {
        return Ok(RecipientOrigin { kind: OriginKind::SeenOnly, message: named });
    }
    // Such an address names no message: it could be of any, and a bounce counts for the address itself.
    if known.may_be_named(tx, workspace, &keys)? {
        return Ok(RecipientOrigin::of(OriginKind::SeenOnly));
    }
    let is_listed = agent.is_some_and(|agent| agent.card.is_some() && agent.is_listed(message.now));
    Ok(RecipientOrigin::of(if is_listed { OriginKind::Directory } else { OriginKind::Caller }))
}

/// Returns the received message whose `Message-ID` is like the address.
fn as_message_id(tx: &mut Tx, inbox: &Inbox, person: &Address) -> Result<Option<MessageId>> {
    let id = format!("<{}>", person.smtp_form());
    let found = messages::by_rfc_id(tx, inbox.workspace, inbox.id, &id)?;
    Ok(found.filter(|found| found.direction == Direction::Inbound).map(|found| found.id))
}

/// Returns the people of an answered message that an answer may go to: its author, unless authentication failed, with a
/// proven Reply-To; and its other recipients of the author's party, if the author is proven. Anybody can name others in
/// `Cc`, also after an exchange of harmless mail.
fn answered(original: &Message) -> Vec<Address> {
    let read = |text: &String| Mailbox::parse(text).ok().map(Mailbox::into_address);
    let others: Vec<Address> = original.to.iter().chain(&original.cc).chain(&original.bcc).filter_map(read).collect();
    if original.direction == Direction::Outbound {
        let is_guarded = original.labels.iter().any(|label| label == RECIPIENT_LABEL);
        return if is_guarded { Vec::new() } else { others };
    }
    let Some(author) = read(&original.from).filter(|_| !label::has_failed_authentication(&original.labels)) else {
        return Vec::new();
    };
    let reply_to = original.reply_to.as_deref().filter(|_| !original.reply_to_unproven);
    let reply_to = reply_to.and_then(|all| Mailbox::parse_list(all, RECIPIENTS_MAX).ok()).unwrap_or_default();
    let mut people: Vec<Address> = reply_to.into_iter().map(Mailbox::into_address).collect();
    // All agents of a service may share a domain.
    if original.author_proven && original.agent.is_none() {
        people.extend(others.into_iter().filter(|other| party::speaks_for(&author, other)));
    }
    people.push(author);
    people
}
