//! What signatures of the copies on this service state, read before the message is composed.

use posthouse_domain::{ErrorCode, Inbox, Refusal, Workspace, label::DRAFT_ONLY};
use posthouse_mail::address::Address;
use posthouse_store::{Tx, messages, senders, senders::Sender, workspaces};

use super::AcceptConfig;
use crate::keyring::signer::SigningError;
use crate::outbound::{compose::OutgoingMessage, local_delivery, local_delivery::RecipientRoute};
use crate::service::{ReadScope, Service};
use crate::signing::agent_copy::{self, CopyKey};

/// The key that signs the copies on this service, and what their signatures state unless it changes before they are
/// stored.
pub(super) struct CopySigning {
    pub(super) key: CopyKey,
    pub(super) sender: Sender,
    /// The addresses of the recipients in the sender's workspace. A job signs the copies of the others.
    pub(super) recipients: Vec<String>,
}

/// What is read before a message is composed.
pub(super) struct SenderFacts {
    /// The workspace of the sender.
    pub(super) workspace: Workspace,
    /// Whether a rule of the owner lets agents only draft answers to some mail of the inbox.
    pub(super) has_draft_only_mail: bool,
    /// What signatures of copies need, if there are any.
    pub(super) signing: Option<CopySigning>,
}

/// Reads what is needed before a message is composed.
///
/// # Errors
/// Returns `not_found` if the workspace doesn't exist or `internal` if the key can't be used.
pub(super) async fn read(
    service: &Service,
    config: &AcceptConfig,
    outgoing: &OutgoingMessage,
    inbox: &Inbox,
) -> Result<SenderFacts, Refusal> {
    let addresses: Vec<Address> = outgoing.people.deliveries().into_iter().cloned().collect();
    let is_local = |address: &Address| local_delivery::is_served(address, &config.served);
    let key =
        if config.agent_messaging && addresses.iter().any(is_local) { Some(copy_key(service).await?) } else { None };
    let (id, inbox, served, now) = (inbox.workspace, inbox.id, config.served.clone(), service.clock.now());
    let read = move |tx: &mut Tx| -> Result<_, Refusal> {
        let workspace = workspaces::get(tx, id)?.ok_or_else(|| Refusal::not_found("workspace"))?;
        let has_draft_only_mail = messages::inbox_has_label(tx, id, inbox, DRAFT_ONLY)?;
        let Some(key) = key.clone() else { return Ok(SenderFacts { workspace, has_draft_only_mail, signing: None }) };
        let mut recipients = Vec::new();
        for address in &addresses {
            match local_delivery::route_of(tx, address, &served, now)? {
                RecipientRoute::Local(to) if to.workspace == id => recipients.push(to.address),
                _ => {}
            }
        }
        let signing = Some(CopySigning { key, sender: senders::get(tx, id, inbox)?, recipients });
        Ok(SenderFacts { workspace, has_draft_only_mail, signing })
    };
    service.read(ReadScope::Lookup, read).await
}

/// Returns the key that signs copies now.
async fn copy_key(service: &Service) -> Result<CopyKey, Refusal> {
    agent_copy::key(service).await.map_err(|error| match error {
        SigningError::Store(error) => error.into(),
        error => {
            tracing::error!(cause = %error, "agent_message.not_signed");
            Refusal::new(ErrorCode::Internal, "The message couldn't be signed.")
        }
    })
}
