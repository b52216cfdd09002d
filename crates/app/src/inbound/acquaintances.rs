//! How the service and the recipients of a mail know its author.

use std::sync::Arc;

use posthouse_domain::{Refusal, WorkspaceId};
use posthouse_mail::address::Address;
use posthouse_screen::KnownDomains;
use posthouse_store::{Tx, contacts, inboxes};

use crate::mailbox::judge::KnownOf;
use crate::service::{ReadScope, Service};

/// How the service and the recipients know an author.
#[derive(Default)]
pub(super) struct Acquaintances {
    /// Whether it is or was an inbox of this service. Mail from outside in its name needs our signature.
    pub(super) is_own: bool,
    /// The domains that the workspaces of the recipients know.
    pub(super) known: Vec<KnownOf>,
}

/// Looks up an author.
///
/// # Errors
/// Returns an error if a store call fails.
pub(super) async fn acquaintances(
    service: &Service,
    author: Address,
    recipients: &[Address],
) -> Result<Acquaintances, Refusal> {
    let recipients: Vec<Address> = recipients.iter().map(Address::without_tag).collect();
    let find = move |tx: &mut Tx| -> posthouse_store::Result<(bool, Vec<WorkspaceId>)> {
        let author = inboxes::by_address(tx, author.without_tag().canonical_str())?;
        let mut workspaces = Vec::new();
        for recipient in &recipients {
            // Recipients without an inbox of that address, such as return paths, need no contacts.
            let workspace = inboxes::by_address(tx, recipient.canonical_str())?.map(|inbox| inbox.workspace);
            workspaces.extend(workspace.filter(|workspace| !workspaces.contains(workspace)));
        }
        Ok((author.is_some(), workspaces))
    };
    let (is_own, workspaces) = service.read(ReadScope::Lookup, find).await?;
    let mut known = Vec::with_capacity(workspaces.len());
    for workspace in workspaces {
        known.push(KnownOf { workspace, domains: known_domains(service, workspace).await? });
    }
    Ok(Acquaintances { is_own, known })
}

/// Returns the domains that a workspace exchanged mail with, as they were some minutes ago at most.
async fn known_domains(service: &Service, workspace: WorkspaceId) -> Result<Arc<KnownDomains>, Refusal> {
    let now = service.clock.now();
    if let Some(known) = service.contact_domains.get(workspace, now) {
        return Ok(known);
    }
    let read = move |tx: &mut Tx| Ok::<_, Refusal>(contacts::known_domains(tx, workspace)?);
    let found = service.read(workspace, read).await?;
    let known = Arc::new(KnownDomains::new(found.iter().map(String::as_str)));
    service.contact_domains.keep(workspace, known.clone(), now);
    Ok(known)
}
