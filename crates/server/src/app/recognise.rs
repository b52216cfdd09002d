//! Who asks: from the secret of an API key to the caller it stands for, whatever the secret came in (API document,
//! Authentication).

use posthouse_domain::{
    auth::{Caller, Permission, SecretKey},
    error::{Code, Refusal},
    time::MINUTE_MS,
};
use posthouse_store::keys::{self, Recognised};

use super::App;
use crate::telemetry;

/// Recognises a key and notes that it was used.
///
/// # Errors
/// `unauthorized`, or the store's own.
pub async fn recognise(app: &App, key: &SecretKey) -> Result<Recognised, Refusal> {
    let digest = key.digest();
    let found = app.store.read_one(move |tx| keys::recognise(tx, &digest)).await?;
    let recognised = found.ok_or_else(|| Refusal::new(Code::Unauthorized, "The API key is unknown or revoked."))?;
    note_use(app, &recognised).await;
    Ok(recognised)
}

/// Keeps `last_used_at` true to the minute. Failing to does not fail the request.
async fn note_use(app: &App, recognised: &Recognised) {
    let now = app.clock.now();
    if recognised.last_used_at.is_some_and(|last| now.since_ms(last) < MINUTE_MS) {
        return;
    }
    let (workspace, key) = (recognised.caller.workspace, recognised.caller.key);
    if let Err(error) = app.store.write(move |tx| keys::used(tx, workspace, key, now)).await {
        telemetry::put_off("note of a key's use", &error);
    }
}

/// Whether the caller has a permission.
///
/// # Errors
/// `insufficient_permissions` naming the permission.
pub fn needs(caller: &Caller, permission: Permission) -> Result<(), Refusal> {
    if caller.permissions.has(permission) {
        return Ok(());
    }
    let name = permission.text();
    let refusal = Refusal::new(Code::InsufficientPermissions, format!("The API key lacks the permission {name}."));
    Err(refusal.detail("permission", name).with_fix(format!("Use an API key with the permission {name}.")))
}
