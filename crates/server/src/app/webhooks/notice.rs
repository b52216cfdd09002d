//! The mail that tells the owner of a workspace that a webhook was disabled (decision 9).

use std::sync::Arc;

use posthouse_domain::{
    error::Refusal,
    id::{WebhookId, WorkspaceId},
    inbox::Inbox,
    webhook::Webhook,
};
use posthouse_mail::address::Address;
use posthouse_store::{Tx, inboxes, webhooks, workspaces};

use crate::app::{
    App,
    notice::{self, Notice},
};

/// What the mail is about.
const SUBJECT: &str = "A webhook was disabled";

/// Writes to the owner. Nothing to do: the webhook is gone or enabled again, or there is nobody to write from or to.
///
/// # Errors
/// What the gate refuses; the store's own.
pub async fn tell(app: &Arc<App>, workspace: WorkspaceId, id: WebhookId) -> Result<(), Refusal> {
    let found = app.store.read(move |tx| find(tx, workspace, id)).await?;
    let Some((webhook, owner, inbox)) = found else { return Ok(()) };
    let Ok(to) = Address::parse(&owner) else { return Ok(()) };
    let text = text(app, &webhook);
    notice::send(app, inbox, Notice { to, subject: SUBJECT.to_owned(), text, reply_to: None }).await
}

/// The webhook, who owns it, and the inbox to write from.
fn find(tx: &mut Tx, workspace: WorkspaceId, id: WebhookId) -> Result<Option<(Webhook, String, Inbox)>, Refusal> {
    let webhook = webhooks::get(tx, workspace, id)?.filter(|webhook| !webhook.enabled);
    let (tenant, inbox) = (workspaces::get(tx, workspace)?, inboxes::first_of(tx, workspace)?);
    let (Some(webhook), Some(tenant), Some(inbox)) = (webhook, tenant, inbox) else { return Ok(None) };
    Ok(Some((webhook, tenant.owner_email, inbox)))
}

fn text(app: &App, webhook: &Webhook) -> String {
    format!(
        "The webhook {} to {} was disabled: every attempt of the last 5 days failed.\n\n\
         What was answered: GET {base}/v1/webhooks/{}/deliveries\n\
         When the receiver works again: PATCH {base}/v1/webhooks/{} with {{\"enabled\": true}}.\n\
         It then gets what happens from then on; what happened meanwhile is kept for 30 days: GET {base}/v1/events\n",
        webhook.id,
        webhook.url,
        webhook.id,
        webhook.id,
        base = app.config.base_url
    )
}
