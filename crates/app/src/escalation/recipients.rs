//! Who gets an escalation: the confirmed contacts that mail reaches.

use posthouse_domain::{Member, OnCallContact, Role, Workspace, send::RECIPIENTS_MAX};
use posthouse_mail::address::Address;
use posthouse_store::{Result, Tx, suppressions, users};

use super::contacts::OnCallContactState;
use crate::mailbox::recipient::is_own_address;

/// Returns the addresses to send to. An address that became an inbox of this service since it was added gets nothing,
/// because an agent that reads escalations could cause the next.
pub(super) fn reachable(tx: &mut Tx, states: &[OnCallContactState], served: &[String]) -> Result<Vec<Address>> {
    let mut found = Vec::new();
    for OnCallContactState { contact, .. } in states.iter().filter(|state| is_on_call(state)) {
        found.extend(sendable(tx, contact, served)?);
    }
    Ok(found)
}

/// Returns the address of a contact, unless it is one of this service.
pub(super) fn sendable(tx: &mut Tx, contact: &OnCallContact, served: &[String]) -> Result<Option<Address>> {
    let Ok(address) = Address::parse(&contact.address) else { return Ok(None) };
    Ok(if is_own_address(tx, &address, served)? { None } else { Some(address) })
}

/// Returns the addresses of all owners of a workspace that mail reaches: its members with that role, or the owner's
/// address if it has none.
pub(super) fn owners(tx: &mut Tx, workspace: &Workspace) -> Result<Vec<Address>> {
    let members = users::of_workspace(tx, workspace.id)?;
    let is_owner = |member: &Member| member.role == Role::Owner && member.joined_at.is_some();
    let mut emails: Vec<String> = members.into_iter().filter(is_owner).map(|owner| owner.user.email).collect();
    if emails.is_empty() {
        emails.push(workspace.owner_email.clone());
    }
    let mut found = Vec::new();
    for email in emails {
        let is_suppressed = suppressions::get(tx, workspace.id, &email)?.is_some();
        found.extend(Address::parse(&email).ok().filter(|_| !is_suppressed));
    }
    found.truncate(RECIPIENTS_MAX);
    Ok(found)
}

fn is_on_call(state: &OnCallContactState) -> bool {
    state.contact.confirmed_at.is_some() && state.failure.is_none()
}
