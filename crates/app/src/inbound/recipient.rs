//! Resolves the recipients of inbound mail to inboxes.

use posthouse_domain::{
    error::Refusal,
    gate::StorageNeed,
    id::{IdGenerator, InboxId, WorkspaceId},
    inbox::{Inbox, InboxKind, Username},
    mail_domain::MailDomain,
    time::Time,
};
use posthouse_mail::address::Address;
use posthouse_store::{Tx, deliveries, inboxes, mail_domains, workspaces};

use crate::{
    app::App,
    inbound::return_path::{self, ReturnPath},
    limits::storage_limit,
};

/// Local parts that reach a person at every served domain (RFC 2142, RFC 5321 §4.5.1).
const ROLE_LOCAL_PARTS: [&str; 2] = ["postmaster", "abuse"];

/// The decision about a recipient.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RecipientVerdict {
    /// Mail to it is accepted.
    Accept(AcceptedRecipient),
    /// No inbox has this address, or not any more.
    Unknown,
    /// The service only writes from this address.
    Unread,
}

/// A recipient whose mail is accepted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AcceptedRecipient {
    /// The workspace that stores the mail; `None` for reports about mail of a deleted inbox.
    pub workspace: Option<WorkspaceId>,
    /// Whether the mail may turn out to be larger than what the workspace may still store, because its size is unknown.
    pub may_not_fit: bool,
}

/// Returns true for a role address, with or without a tag. Policies never refuse mail to role addresses
/// (`docs/decisions/receiving.md#0050-role-addresses-reach-people`).
#[must_use]
pub fn is_role(address: &Address) -> bool {
    let name = address.without_tag();
    ROLE_LOCAL_PARTS.iter().any(|role| name.local().eq_ignore_ascii_case(role))
}

/// Decides about a recipient. A role address is accepted even without an inbox: receiving the mail creates the inbox.
///
/// # Errors
/// Returns `plan_limit_storage` if the recipient's workspace can't store mail of the declared size.
pub async fn recipient(app: &App, address: &Address, size: Option<u64>) -> Result<RecipientVerdict, Refusal> {
    let (address, now) = (address.clone(), app.clock.now());
    let (domains, plans, bytes_max) = (served_domains(app), app.config.plans, app.config.message_bytes_max);
    if is_service_sender(app, &address) {
        return Ok(RecipientVerdict::Unread);
    }
    let path = return_path::open(app, &address)?;
    let found = app.store.read_inline(move |tx| {
        let workspace = match (resolve_recipient(tx, &address, path, &domains, now)?, path) {
            (Some(inbox), _) => Some(inbox.workspace),
            (None, _) if is_role(&address) => role_mail_workspace(tx, &address, &domains)?,
            // Reports about mail of a deleted inbox still show which addresses are dead.
            (None, Some(path)) if deliveries::anywhere(tx, path.message)?.is_some() => {
                return Ok(RecipientVerdict::Accept(AcceptedRecipient { workspace: None, may_not_fit: false }));
            }
            (None, _) => None,
        };
        let Some(workspace) = workspace else { return Ok(RecipientVerdict::Unknown) };
        let need = storage_limit::need(tx, &plans, workspace, size.unwrap_or(1).max(1))?;
        need.check()?;
        let may_not_fit = size.is_none() && StorageNeed { added: bytes_max, ..need }.check().is_err();
        Ok::<_, Refusal>(RecipientVerdict::Accept(AcceptedRecipient { workspace: Some(workspace), may_not_fit }))
    });
    found.await
}

/// Returns whether an address, with or without a tag, is the one that the service writes from. Reports about its mail go to
/// return paths.
fn is_service_sender(app: &App, address: &Address) -> bool {
    let name = address.without_tag();
    name.domain() == app.config.mail.default_domain && name.canonical_local() == Username::service_sender().to_string()
}

pub(crate) fn served_domains(app: &App) -> [String; 2] {
    [app.config.mail.default_domain.clone(), app.config.mail.temporary_domain.clone()]
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
fn role_mail_workspace(
    tx: &mut Tx,
    address: &Address,
    served: &[String],
) -> posthouse_store::Result<Option<WorkspaceId>> {
    if served.iter().any(|domain| domain == address.domain()) {
        return workspaces::first(tx);
    }
    Ok(accepting(tx, address.domain())?.map(|domain| domain.workspace))
}

/// Creates the inbox of a role address for a workspace without inboxes, because mail to it must be accepted.
pub(super) fn made_for_role(
    tx: &mut Tx,
    address: &Address,
    served: &[String],
    ids: &IdGenerator,
    now: Time,
) -> posthouse_store::Result<Option<Inbox>> {
    let Some(workspace) = role_mail_workspace(tx, address, served)? else { return Ok(None) };
    let id: InboxId = ids.next();
    let inbox = |username: String| Inbox {
        workspace,
        id,
        kind: InboxKind::Mailbox,
        address: format!("{username}@{}", address.domain()),
        username,
        domain: address.domain().to_owned(),
        display_name: None,
        client_id: None,
        metadata_json: "{}".to_owned(),
        temporary: false,
        expires_at: None,
        paused_at: None,
        paused_reason: None,
        promotions_filter: None,
        identity_enabled: true,
        last_message_at: now,
        created_at: now,
        deleted_at: None,
    };
    // An address that belonged to an inbox is never used again.
    let role = address.without_tag().local().to_ascii_lowercase();
    for inbox in [inbox(role.clone()), inbox(format!("{role}-{}", id.as_uuid().as_simple()))] {
        if inboxes::insert(tx, &inbox)? {
            return Ok(Some(inbox));
        }
    }
    Ok(None)
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
pub(crate) async fn served_domains_of(app: &App, recipients: &[&Address]) -> Result<Vec<String>, Refusal> {
    let mut served: Vec<String> = served_domains(app).into();
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
        served.extend(app.store.read_inline(find).await?);
    }
    Ok(served)
}

/// Resolves a recipient to its live inbox: a return path resolves to the inbox of its message.
pub(super) fn resolve_recipient(
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
