//! Authenticates credentials, whichever transport they came in on (`docs/reference/conventions.md#authentication`): API
//! keys of requests and of SMTP logins, sessions of people, tokens of connectors, and stream tokens.

use std::net::IpAddr;

use posthouse_domain::{
    ApiKeySecret, Caller, ConnectorToken, Credential, ErrorCode, KeyClient, KeyId, MINUTE_MS, Refusal, Role,
    SessionSecret, StreamToken, Time, UserPrincipal, Workspace, WorkspaceId, user::SESSION_IDLE_MS,
};
use posthouse_store::keys::{self, KeyUse};
use posthouse_store::sessions::{self, SessionCutoff};
use posthouse_store::{Result as StoreResult, Tx, connectors, stream_tokens, workspaces};

use crate::service::{ReadScope, Service};

/// Longest `User-Agent` that the last use of a key shows, in characters.
const USER_AGENT_CHARS_MAX: usize = 200;

/// The caller behind a credential, with its workspace.
#[derive(Clone, Debug)]
pub struct AuthenticatedCaller {
    pub caller: Caller,
    pub workspace: Workspace,
}

/// Authenticates an API key and records its use.
///
/// # Errors
/// Returns `unauthorized` if the key is unknown or revoked.
pub async fn authenticate(
    service: &Service,
    key: &ApiKeySecret,
    client: KeyClient,
) -> Result<AuthenticatedCaller, Refusal> {
    let digest = key.digest();
    let found = service.read(ReadScope::Statement, move |tx| keys::find_active(tx, &digest)).await?;
    let keys::ActiveKey { workspace, key, last_used_at } = found.ok_or_else(unknown_key)?;
    record_use(service, workspace.id, key.id, last_used_at, client).await;
    Ok(AuthenticatedCaller { caller: Caller::key(workspace.id, key), workspace })
}

fn unknown_key() -> Refusal {
    Refusal::new(ErrorCode::Unauthorized, "The API key is unknown or revoked.")
}

/// Returns the client at an address, as the last use of a key shows it.
#[must_use]
pub fn key_client(ip: IpAddr, user_agent: Option<&str>) -> KeyClient {
    let user_agent = user_agent.map(|text| text.chars().take(USER_AGENT_CHARS_MAX).collect());
    KeyClient { ip: Some(ip.to_string()), user_agent }
}

/// Updates the last use, at most once a minute. A failure doesn't fail the request.
async fn record_use(
    service: &Service,
    workspace: WorkspaceId,
    id: KeyId,
    last_used_at: Option<Time>,
    client: KeyClient,
) {
    let now = service.clock.now();
    if last_used_at.is_some_and(|last| now.since_ms(last) < MINUTE_MS) {
        return;
    }
    let used = KeyUse { client, at: now };
    if let Err(error) = service.write(move |tx| keys::record_use(tx, workspace, id, &used)).await {
        crate::telemetry::log_deferred("key use record", &error);
    }
}

/// Checks that the caller belongs to a workspace. The request counts toward the limits of a person first.
///
/// # Errors
/// Returns `forbidden` for a person who is in none.
pub fn require_workspace(caller: &Caller) -> Result<(), Refusal> {
    if caller.workspace != WorkspaceId::SERVICE {
        return Ok(());
    }
    Err(Refusal::new(ErrorCode::Forbidden, "You are in no workspace yet.")
        .with_fix("Accept one of the `invitations` that `GET /platform/me` lists."))
}

/// Authenticates the session of a person and records its use. The session of a person who is in no workspace belongs to
/// the workspace of the service.
///
/// # Errors
/// Returns `unauthorized` if the session has ended.
pub async fn authenticate_session(service: &Service, secret: &SessionSecret) -> Result<AuthenticatedCaller, Refusal> {
    let (digest, cutoff) = (secret.digest(), session_cutoff(service.clock.now()));
    let found = match service.read(ReadScope::Statement, move |tx| sessions::find_active(tx, &digest, cutoff)).await? {
        None => service.read(ReadScope::Service, move |tx| find_without_workspace(tx, &digest, cutoff)).await?,
        found => found,
    };
    let sessions::ActiveSession { workspace, user, last_used_at } = found.ok_or_else(no_session)?;
    if cutoff.now.since_ms(last_used_at) >= MINUTE_MS {
        let id = workspace.id;
        let used = service.write(move |tx| sessions::record_use(tx, id, user.session, cutoff.now)).await;
        if let Err(error) = used {
            crate::telemetry::log_deferred("session use record", &error);
        }
    }
    Ok(AuthenticatedCaller { caller: Caller::user(workspace.id, user), workspace })
}

fn find_without_workspace(
    tx: &mut Tx,
    digest: &[u8; 32],
    cutoff: SessionCutoff,
) -> StoreResult<Option<sessions::ActiveSession>> {
    let Some(found) = sessions::find_without_workspace(tx, digest, cutoff)? else { return Ok(None) };
    let user = UserPrincipal { user: found.user, session: found.session, role: Role::Member };
    let service = workspaces::get(tx, WorkspaceId::SERVICE)?;
    Ok(service.map(|workspace| sessions::ActiveSession { workspace, user, last_used_at: found.last_used_at }))
}

/// Returns the refusal of a request without a session.
#[must_use]
pub fn no_session() -> Refusal {
    Refusal::new(ErrorCode::Unauthorized, "There is no session, or it has ended.")
        .with_fix("Sign in: ask for a link with `POST /platform/auth/magic-link`.")
}

/// Returns whether a credential that authenticated earlier still does.
pub(crate) fn is_active(tx: &mut Tx, workspace: WorkspaceId, credential: Credential) -> StoreResult<bool> {
    Ok(active_caller(tx, workspace, credential)?.is_some())
}

/// Returns the caller behind a credential that authenticated earlier, with its current permissions; `None` if it was revoked.
pub(crate) fn active_caller(
    tx: &mut Tx,
    workspace: WorkspaceId,
    credential: Credential,
) -> StoreResult<Option<Caller>> {
    Ok(match credential {
        Credential::Key(key) => keys::find_active_by_id(tx, workspace, key)?.map(|key| Caller::key(workspace, key)),
        Credential::Session(session) => {
            sessions::find_active_by_id(tx, workspace, session)?.map(|user| Caller::user(workspace, user))
        }
        Credential::Connector(connector) => {
            connectors::find_active_by_id(tx, workspace, connector)?.map(|found| Caller::connector(workspace, found))
        }
    })
}

/// Checks that the caller of a request that waited still has access. Its key may have been revoked, or its session ended.
///
/// # Errors
/// Returns `unauthorized` if it has none.
pub(crate) fn check_active(tx: &mut Tx, caller: &Caller) -> Result<(), Refusal> {
    let Ok(credential) = caller.credential() else { return Ok(()) };
    if is_active(tx, caller.workspace, credential)? {
        return Ok(());
    }
    Err(match credential {
        Credential::Key(_) => unknown_key(),
        Credential::Session(_) => no_session(),
        Credential::Connector(_) => unknown_connector(),
    })
}

/// Authenticates the access token of a connector.
///
/// # Errors
/// Returns `unauthorized` if the token is unknown or expired, or the access of the connector ended.
pub(super) async fn authenticate_connector(
    service: &Service,
    token: &ConnectorToken,
) -> Result<AuthenticatedCaller, Refusal> {
    let (digest, now) = (token.digest(), service.clock.now());
    let found = service.read(ReadScope::Lookup, move |tx| connectors::find_active(tx, &digest, now)).await?;
    let connectors::ActiveConnector { workspace, connector } = found.ok_or_else(unknown_connector)?;
    Ok(AuthenticatedCaller { caller: Caller::connector(workspace.id, connector), workspace })
}

/// Returns the refusal of a connector without valid access.
pub(super) fn unknown_connector() -> Refusal {
    Refusal::new(ErrorCode::Unauthorized, "The access token is unknown or expired, or its access was revoked.")
        .with_fix("Refresh the token, or connect the program again.")
}

/// Returns when sessions end, as of a time.
#[must_use]
pub fn session_cutoff(now: Time) -> SessionCutoff {
    SessionCutoff { now, unused_since: now.plus_ms(-SESSION_IDLE_MS) }
}

/// Redeems a stream token, which can be used once, for the current access of the key or session that
/// requested it.
///
/// # Errors
/// Returns `unauthorized` if the token is unknown, used or expired.
pub async fn authenticate_stream_token(service: &Service, text: &str) -> Result<AuthenticatedCaller, Refusal> {
    let unknown = || {
        Refusal::new(ErrorCode::Unauthorized, "The stream token is unknown, used or expired.")
            .with_fix("Create a new token with `POST /v1/stream/token`.")
    };
    let digest = StreamToken::parse(text).ok_or_else(unknown)?.digest();
    let now = service.clock.now();
    let found = service.write(move |tx: &mut Tx| -> StoreResult<Option<AuthenticatedCaller>> {
        let Some(token) = stream_tokens::consume(tx, &digest, now)? else { return Ok(None) };
        let workspace = workspaces::get(tx, token.workspace)?;
        let caller = match token.credential {
            Credential::Key(key) => {
                keys::find_active_by_id(tx, token.workspace, key)?.map(|key| Caller::key(token.workspace, key))
            }
            Credential::Session(session) => sessions::find_active_by_id(tx, token.workspace, session)?
                .map(|user| Caller::user(token.workspace, user)),
            // A connector gets none.
            Credential::Connector(_) => None,
        };
        Ok(caller.zip(workspace).map(|(caller, workspace)| AuthenticatedCaller { caller, workspace }))
    });
    found.await?.ok_or_else(unknown)
}
