//! The mail that notifies the owner of a workspace that a webhook was disabled.

use std::sync::Arc;

use posthouse_domain::{Inbox, Refusal, Webhook, WebhookId, WorkspaceId};
use posthouse_mail::address::Address;
use posthouse_store::{Tx, inboxes, webhooks, workspaces};

use crate::{outbound::notice, outbound::written_mail::WrittenMail, service::ReadScope, service::Service};

/// The subject of the mail.
const SUBJECT: &str = "A webhook was disabled";

/// Sends the notice to the owner. Does nothing if the webhook is gone or enabled again, or if the workspace has no
/// inbox or no valid owner address.
///
/// # Errors
/// Returns the gate's refusal.
pub async fn send_notice(service: &Arc<Service>, workspace: WorkspaceId, id: WebhookId) -> Result<(), Refusal> {
    let found = service.read(ReadScope::Service, move |tx| find(tx, workspace, id)).await?;
    let Some((webhook, owner, inbox)) = found else { return Ok(()) };
    let Ok(to) = Address::parse(&owner) else { return Ok(()) };
    let text = text(service, &webhook);
    notice::send(service, inbox, WrittenMail::new(service.clock.ids().next(), vec![to], SUBJECT, text)).await
}

/// Returns the disabled webhook, the owner's address, and the inbox to send from.
fn find(tx: &mut Tx, workspace: WorkspaceId, id: WebhookId) -> Result<Option<(Webhook, String, Inbox)>, Refusal> {
    let webhook = webhooks::get(tx, workspace, id)?.filter(|webhook| !webhook.enabled);
    let (tenant, inbox) = (workspaces::get(tx, workspace)?, inboxes::first_of(tx, workspace)?);
    let (Some(webhook), Some(tenant), Some(inbox)) = (webhook, tenant, inbox) else { return Ok(None) };
    Ok(Some((webhook, tenant.owner_email, inbox)))
}

fn text(service: &Service, webhook: &Webhook) -> String {
    format!(
        "The webhook {} to {} was disabled: every attempt of the last 5 days failed.\n\n\
         The responses of the receiver: GET {base}/v1/webhooks/{}/deliveries\n\
         To enable the webhook again once the receiver works: PATCH {base}/v1/webhooks/{} with {{\"enabled\": true}}.\n\
         It then receives new events. To read the events of the last 30 days: GET {base}/v1/events\n",
        webhook.id,
        webhook.url,
        webhook.id,
        webhook.id,
        base = service.config.base_url
    )
}
