//! Resolves recipients to inboxes, and tells which domains and addresses are those of this service.

use posthouse_domain::{Inbox, MailDomain, Refusal, Time, WorkspaceId};
use posthouse_mail::address::Address;
use posthouse_store::{Tx, inboxes, mail_domains, workspaces};

use super::return_path::{self, ReturnPath};
use crate::service::{ReadScope, Service};

/// Local parts that reach a person at every served domain (RFC 2142, RFC 5321 §4.5.1).
const ROLE_LOCAL_PARTS: [&str; 2] = ["postmaster", "abuse"];

/// Returns true for a role address, with or without a tag. Policies never refuse mail to role addresses
/// (`docs/decisions/receiving.md#0050-role-addresses-reach-people`).
#[must_use]
pub fn is_role(address: &Address) -> bool {
    let name = address.without_tag();
    ROLE_LOCAL_PARTS.iter().any(|role| name.local().eq_ignore_ascii_case(role))
}

/// Returns the service's own domains.
pub(crate) fn served_domains(service: &Service) -> [String; 2] {
    [service.config.mail.default_domain.clone(), service.config.mail.temporary_domain.clone()]
}

/// Resolves an address to its live inbox: by the address, by the address without its tag, or for a role address to the
/// first inbox of the workspace that owns the domain. The server's domains belong to its first workspace.
pub fn resolve(tx: &mut Tx, address: &Address, served: &[String], now: Time) -> posthouse_store::Result<Option<Inbox>> {
    let exact = inboxes::by_address(tx, address.canonical_str())?;
    let found = match exact {
        None if address.tag().is_some() => inboxes::by_address(tx, address.without_tag().canonical_str())?,
        found => found,
    };
    let is_served = served.iter().any(|domain| domain == address.domain());
    if let Some(inbox) = found {
        let is_open =
            is_served || accepting(tx, address.domain())?.is_some_and(|domain| domain.workspace == inbox.workspace);
        let reached =
            Some(inbox).filter(|inbox| is_open && inbox.receives(now) && inbox.workspace != WorkspaceId::SERVICE);
        // A role address works even after the inbox with this address is deleted.
        if reached.is_some() || !is_role(address) {
            return Ok(reached);
        }
    }
    match role_mail_workspace(tx, address, served)?.filter(|_| is_role(address)) {
        Some(workspace) => inboxes::first_of(tx, workspace),
        None => Ok(None),
    }
}

/// Returns the workspace that gets the role mail of a domain: the first of the server for its own domains, otherwise
/// the owner of the domain.
pub(crate) fn role_mail_workspace(
    tx: &mut Tx,
    address: &Address,
    served: &[String],
) -> posthouse_store::Result<Option<WorkspaceId>> {
    if served.iter().any(|domain| domain == address.domain()) {
        return workspaces::first(tx);
    }
    Ok(accepting(tx, address.domain())?.map(|domain| domain.workspace))
}

/// Returns the workspace domain of that name if it accepts mail.
fn accepting(tx: &mut Tx, name: &str) -> posthouse_store::Result<Option<MailDomain>> {
    Ok(mail_domains::owner(tx, name)?.filter(MailDomain::accepts_mail))
}

/// Returns whether mail to an address reaches this service, or the address is or was an inbox of it.
pub(crate) fn is_own_address(tx: &mut Tx, address: &Address, served: &[String]) -> posthouse_store::Result<bool> {
    Ok(served.iter().any(|domain| domain == address.domain())
        || accepting(tx, address.domain())?.is_some()
        || inboxes::by_address(tx, address.without_tag().canonical_str())?.is_some())
}

/// Returns the domains of these recipients that this server accepts mail for: its own, and those of workspaces.
pub(crate) async fn served_domains_of(service: &Service, recipients: &[&Address]) -> Result<Vec<String>, Refusal> {
    let mut served: Vec<String> = served_domains(service).into();
    let mut others: Vec<String> = recipients.iter().map(|address| address.domain().to_owned()).collect();
    others.sort_unstable();
    others.dedup();
    others.retain(|domain| !served.contains(domain));
    if !others.is_empty() {
        let find = move |tx: &mut Tx| -> posthouse_store::Result<Vec<String>> {
            let mut found = Vec::new();
            for name in &others {
                found.extend(accepting(tx, name)?.map(|domain| domain.name));
            }
            Ok(found)
        };
        served.extend(service.read(ReadScope::Lookup, find).await?);
    }
    Ok(served)
}

/// Resolves a recipient to its live inbox: a return path resolves to the inbox of its message.
pub(crate) fn resolve_recipient(
    tx: &mut Tx,
    address: &Address,
    path: Option<ReturnPath>,
    served: &[String],
    now: Time,
) -> posthouse_store::Result<Option<Inbox>> {
    match path {
        Some(path) => return_path::inbox(tx, path.message, now),
        None => resolve(tx, address, served, now),
    }
}
