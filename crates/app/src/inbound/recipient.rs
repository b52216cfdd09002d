//! Decides about the recipients of inbound mail.

use posthouse_domain::{IdGenerator, Inbox, InboxId, InboxKind, Refusal, StorageNeed, Time, Username, WorkspaceId};
use posthouse_mail::address::Address;
use posthouse_store::{Tx, deliveries, inboxes};

use crate::limits::storage_limit;
use crate::mailbox::recipient::{is_role, resolve_recipient, role_mail_workspace, served_domains};
use crate::mailbox::return_path;
use crate::service::{ReadScope, Service};

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

/// Decides about a recipient. A role address is accepted even without an inbox: receiving the mail creates the inbox.
///
/// # Errors
/// Returns `plan_limit_storage` if the recipient's workspace can't store mail of the declared size.
pub async fn recipient(service: &Service, address: &Address, size: Option<u64>) -> Result<RecipientVerdict, Refusal> {
    let (address, now) = (address.clone(), service.clock.now());
    let (domains, plans, bytes_max) = (served_domains(service), service.config.plans, service.config.message_bytes_max);
    if is_service_sender(service, &address) {
        return Ok(RecipientVerdict::Unread);
    }
    let path = return_path::open(service, &address)?;
    let found = service.read(ReadScope::Lookup, move |tx| {
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
fn is_service_sender(service: &Service, address: &Address) -> bool {
    let name = address.without_tag();
    name.domain() == service.config.mail.default_domain
        && name.canonical_local() == Username::service_sender().to_string()
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
        screening: None,
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
