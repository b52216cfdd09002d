//! A new webhook: its URL is judged, its secret drawn or taken, and it begins at the end of the log (contract §11.2).

use std::sync::Arc;

use base64::{Engine, engine::general_purpose::STANDARD};
use posthouse_domain::{
    auth::Caller,
    error::{Code, Refusal},
    event::{EventKind, Payload},
    id::InboxId,
    webhook::{SECRET_PREFIX, WEBHOOKS_MAX, Webhook, secret_hint},
    workspace::Claim,
};
use posthouse_store::{Tx, events, webhooks, workspaces};

use super::{read::Shown, seal, url};
use crate::app::{App, visible};

/// Random bytes of a generated secret.
const SECRET_BYTES: usize = 32;

/// What the caller wants.
#[derive(Clone)]
pub struct NewWebhook {
    /// Where events go.
    pub url: String,
    /// Their kinds; none given: the default ones.
    pub kinds: Option<Vec<EventKind>>,
    /// Of which inboxes; none: of every one.
    pub inboxes: Option<Vec<InboxId>>,
    /// The secret; none: one is drawn.
    pub secret: Option<String>,
    /// How much of an event it gets.
    pub payload: Payload,
    /// The owner's header fields.
    pub headers: Vec<(String, String)>,
}

/// Makes the webhook; shows it with its secret.
///
/// # Errors
/// `invalid_webhook_url`, `not_found` for an inbox, `unclaimed_workspace`, `plan_limit_webhooks`, or the store's own.
pub async fn create(app: &Arc<App>, caller: Caller, new: NewWebhook) -> Result<Shown, Refusal> {
    url::judge(app, &new.url).await?;
    let secret = new.secret.clone().unwrap_or_else(|| draw_secret(app));
    let (id, now) = (app.clock.ids().next(), app.clock.now());
    let mut webhook = Webhook {
        workspace: caller.workspace,
        id,
        url: new.url,
        kinds: new.kinds.unwrap_or_else(|| EventKind::DEFAULT.to_vec()),
        inboxes: new.inboxes,
        enabled: true,
        payload: new.payload,
        headers: seal::headers(app, id, &new.headers)?,
        secret: seal::secret(app, id, &secret)?,
        secret_hint: secret_hint(&secret),
        old_secret: None,
        old_secret_until: None,
        cursor: 0,
        failing_since: None,
        last_success_at: None,
        last_failure_at: None,
        created_at: now,
    };
    let draft = webhook.clone();
    webhook.cursor = app.store.write(move |tx| insert(tx, &caller, draft.clone())).await?;
    Ok(Shown { webhook, headers: new.headers, secret: Some(secret), counts: webhooks::Counts::default() })
}

/// Stores the webhook at the end of the log; gives its place.
fn insert(tx: &mut Tx, caller: &Caller, mut webhook: Webhook) -> Result<i64, Refusal> {
    let tenant = workspaces::get(tx, caller.workspace)?.ok_or_else(|| Refusal::not_found("workspace"))?;
    if tenant.claim == Claim::Unclaimed {
        return Err(Refusal::new(Code::UnclaimedWorkspace, "An unclaimed workspace has no webhooks."));
    }
    check_inboxes(tx, caller, webhook.inboxes.as_deref())?;
    if webhooks::count(tx, caller.workspace)? >= WEBHOOKS_MAX {
        let what = format!("The workspace has {WEBHOOKS_MAX} webhooks, as many as there can be.");
        return Err(Refusal::new(Code::PlanLimitWebhooks, what));
    }
    webhook.cursor = events::head(tx, caller.workspace)?;
    webhooks::insert(tx, &webhook)?;
    Ok(webhook.cursor)
}

/// Every inbox must be one that the caller can see.
pub(super) fn check_inboxes(tx: &mut Tx, caller: &Caller, ids: Option<&[InboxId]>) -> Result<(), Refusal> {
    for id in ids.into_iter().flatten() {
        visible::inbox(tx, caller, *id).map_err(|refusal| refusal.detail("inbox_id", id.to_string()))?;
    }
    Ok(())
}

/// A new secret.
pub(super) fn draw_secret(app: &App) -> String {
    let mut bytes = [0; SECRET_BYTES];
    app.clock.random(&mut bytes);
    format!("{SECRET_PREFIX}{}", STANDARD.encode(bytes))
}
