//! Creates a webhook: checks its URL, seals its secret, and starts it at the end of the event log.

use std::sync::Arc;

use base64::{Engine, engine::general_purpose::STANDARD};
use posthouse_domain::{
    AttemptCounts, Caller, ClaimStatus, Detail, ErrorCode, EventKind, EventPayload, InboxId, Refusal, Webhook,
    WebhookDetails, webhook::SECRET_PREFIX, webhook::WEBHOOKS_MAX, webhook::secret_hint,
};
use posthouse_store::{Tx, events, webhooks, workspaces};

use super::{seal, url};
use crate::{access::visible, service::Service};

/// Random bytes of a generated secret.
const SECRET_BYTES: usize = 32;

/// A webhook to create.
#[derive(Clone)]
pub struct NewWebhook {
    /// The URL that receives events.
    pub url: String,
    /// The event types to send; `None` means the default types.
    pub kinds: Option<Vec<EventKind>>,
    /// The inboxes whose events are sent; `None` means all.
    pub inboxes: Option<Vec<InboxId>>,
    /// The secret; `None` generates one.
    pub secret: Option<String>,
    /// The payload form of events.
    pub payload: EventPayload,
    /// The owner's header fields.
    pub headers: Vec<(String, String)>,
}

/// Creates a webhook and returns it with its secret.
///
/// # Errors
/// Returns `invalid_webhook_url`, `not_found` for an inbox, `unclaimed_workspace` or `plan_limit_webhooks`.
pub async fn create(service: &Arc<Service>, caller: Caller, new: NewWebhook) -> Result<WebhookDetails, Refusal> {
    url::check_url(service, &new.url).await?;
    let secret = new.secret.clone().unwrap_or_else(|| draw_secret(service));
    let (id, now) = (service.clock.ids().next(), service.clock.now());
    let mut webhook = Webhook {
        workspace: caller.workspace,
        id,
        url: new.url,
        kinds: new.kinds.unwrap_or_else(|| EventKind::DEFAULT.to_vec()),
        inboxes: new.inboxes,
        enabled: true,
        payload: new.payload,
        headers: seal::headers(service, id, &new.headers)?,
        secret: seal::secret(service, id, &secret)?,
        secret_hint: secret_hint(&secret),
        old_secret: None,
        old_secret_until: None,
        cursor: 0,
        failing_since: None,
        last_success_at: None,
        last_failure_at: None,
        created_at: now,
        subscription: None,
    };
    let draft = webhook.clone();
    webhook.cursor = service.write(move |tx| insert(tx, &caller, draft.clone())).await?;
    Ok(WebhookDetails { webhook, headers: new.headers, secret: Some(secret), counts: AttemptCounts::default() })
}

/// Stores the webhook at the end of the log and returns its position.
fn insert(tx: &mut Tx, caller: &Caller, mut webhook: Webhook) -> Result<i64, Refusal> {
    let tenant = workspaces::get(tx, caller.workspace)?.ok_or_else(|| Refusal::not_found("workspace"))?;
    if tenant.claim == ClaimStatus::Unclaimed {
        return Err(Refusal::new(ErrorCode::UnclaimedWorkspace, "An unclaimed workspace can't have webhooks."));
    }
    check_inboxes(tx, caller, webhook.inboxes.as_deref())?;
    if webhooks::count(tx, caller.workspace)? >= WEBHOOKS_MAX {
        let what = format!("The workspace already has {WEBHOOKS_MAX} webhooks, the maximum.");
        return Err(Refusal::new(ErrorCode::PlanLimitWebhooks, what));
    }
    webhook.cursor = events::head(tx, caller.workspace)?;
    webhooks::insert(tx, &webhook)?;
    Ok(webhook.cursor)
}

/// Checks that the caller can access every inbox.
pub(super) fn check_inboxes(tx: &mut Tx, caller: &Caller, ids: Option<&[InboxId]>) -> Result<(), Refusal> {
    for id in ids.into_iter().flatten() {
        visible::inbox(tx, caller, *id).map_err(|refusal| refusal.not_found_detail(Detail::InboxId(*id)))?;
    }
    Ok(())
}

/// Generates a secret.
pub(super) fn draw_secret(service: &Service) -> String {
    let mut bytes = [0; SECRET_BYTES];
    service.clock.random(&mut bytes);
    format!("{SECRET_PREFIX}{}", STANDARD.encode(bytes))
}
