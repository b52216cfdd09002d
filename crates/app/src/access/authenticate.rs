//! Authenticates credentials, whichever transport they came in on (`docs/reference/conventions.md#authentication`): API
//! keys of requests and of SMTP logins, and stream tokens.

use posthouse_domain::{
    auth::{ApiKeySecret, Caller, KeyPrincipal},
    error::{ErrorCode, Refusal},
    id::WorkspaceId,
    stream::StreamToken,
    time::{MINUTE_MS, Time},
    workspace::Workspace,
};
use posthouse_store::{Result as StoreResult, Tx, keys, stream_tokens, workspaces};

use crate::app::App;

/// The caller behind a credential, with its workspace.
#[derive(Clone, Debug)]
pub struct AuthenticatedCaller {
    /// The caller.
    pub caller: Caller,
    /// The workspace.
    pub workspace: Workspace,
}

/// Authenticates an API key and records its use.
///
/// # Errors
/// Returns `unauthorized` if the key is unknown or revoked, or an error if the database call fails.
pub async fn authenticate(app: &App, key: &ApiKeySecret) -> Result<AuthenticatedCaller, Refusal> {
    let digest = key.digest();
    let found = app.store.read_one(move |tx| keys::find_active(tx, &digest)).await?;
    let unknown = || Refusal::new(ErrorCode::Unauthorized, "The API key is unknown or revoked.");
    let keys::ActiveKey { workspace, key, last_used_at } = found.ok_or_else(unknown)?;
    record_use(app, workspace.id, &key, last_used_at).await;
    Ok(AuthenticatedCaller { caller: Caller::key(workspace.id, key), workspace })
}

/// Updates `last_used_at`, at most once a minute. A failure doesn't fail the request.
async fn record_use(app: &App, workspace: WorkspaceId, key: &KeyPrincipal, last_used_at: Option<Time>) {
    let now = app.clock.now();
    if last_used_at.is_some_and(|last| now.since_ms(last) < MINUTE_MS) {
        return;
    }
    let id = key.id;
    if let Err(error) = app.store.write(move |tx| keys::record_use(tx, workspace, id, now)).await {
        crate::telemetry::log_deferred("key use record", &error);
    }
}

/// Redeems a stream token, which can be used once, for the current access of the key that requested it.
///
/// # Errors
/// Returns `unauthorized` if the token is unknown, used or expired, or an error if the database call fails.
pub async fn authenticate_stream_token(app: &App, text: &str) -> Result<AuthenticatedCaller, Refusal> {
    let unknown = || {
        Refusal::new(ErrorCode::Unauthorized, "The stream token is unknown, used or expired.")
            .with_fix("Create a new token with `POST /v1/stream/token`.")
    };
    let digest = StreamToken::parse(text).ok_or_else(unknown)?.digest();
    let now = app.clock.now();
    let found = app.store.write(move |tx: &mut Tx| -> StoreResult<Option<AuthenticatedCaller>> {
        let Some(token) = stream_tokens::consume(tx, &digest, now)? else { return Ok(None) };
        let key = keys::find_active_by_id(tx, token.workspace, token.key)?;
        let workspace = workspaces::get(tx, token.workspace)?;
        let authenticated =
            |(key, workspace)| AuthenticatedCaller { caller: Caller::key(token.workspace, key), workspace };
        Ok(key.zip(workspace).map(authenticated))
    });
    found.await?.ok_or_else(unknown)
}
