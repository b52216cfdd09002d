//! Links over which a file reaches a call, or leaves one, beside the model that makes the call. A link stands for the
//! credential that asked for it and for one call; the call is checked again when the link is used.

use posthouse_domain::file_link::{LINK_VALID_MS, LINKS_MAX, SECRET_BYTES};
use posthouse_domain::{
    Caller, ErrorCode, FileDirection, FileLinkToken, LimitName, MINUTE_MS, Refusal, SECOND_MS, Time,
};
use posthouse_store::file_links::{self, FileLinkRow};
use posthouse_store::{Result as StoreResult, Tx, workspaces};

use super::authenticate::{AuthenticatedCaller, active_caller};
use crate::service::{ReadScope, Service};

/// A new link.
#[derive(Clone, Debug)]
pub struct IssuedFileLink {
    /// The secret.
    pub token: FileLinkToken,
    pub expires_at: Time,
}

/// What a link stands for.
#[derive(Clone, Debug)]
pub struct LinkedCall {
    /// Who asked for it, with its present permissions.
    pub caller: AuthenticatedCaller,
    /// The call, as it was stored.
    pub call: String,
}

/// Creates links for calls, one for each.
///
/// # Errors
/// Returns `rate_limited` if the workspace has too many, or `forbidden` if the caller has no credential.
pub async fn issue(
    service: &Service,
    caller: Caller,
    direction: FileDirection,
    calls: Vec<String>,
) -> Result<Vec<IssuedFileLink>, Refusal> {
    let (credential, now) = (caller.credential()?, service.clock.now());
    let expires_at = now.plus_ms(LINK_VALID_MS);
    let draw = |_: &String| {
        let mut random = [0; SECRET_BYTES];
        service.clock.random(&mut random);
        IssuedFileLink { token: FileLinkToken::from_random(&random), expires_at }
    };
    let issued: Vec<IssuedFileLink> = calls.iter().map(draw).collect();
    let digests: Vec<[u8; 32]> = issued.iter().map(|link| link.token.digest()).collect();
    let write = move |tx: &mut Tx| {
        let open = file_links::count_open(tx, caller.workspace, LINKS_MAX, now)?;
        if open + calls.len() as u64 > LINKS_MAX {
            return Err(too_many());
        }
        for (digest, call) in digests.iter().zip(&calls) {
            let row = FileLinkRow { workspace: caller.workspace, credential, call: call.clone(), expires_at };
            file_links::insert(tx, &row, digest, direction)?;
        }
        Ok(())
    };
    service.write(write).await?;
    Ok(issued)
}

fn too_many() -> Refusal {
    let message = format!("The workspace has {LINKS_MAX} links to files that haven't expired.");
    let refusal = Refusal::new(ErrorCode::RateLimited, message);
    let retry_s = u64::try_from(MINUTE_MS / SECOND_MS).unwrap_or_default();
    refusal.with_fix("Use the links that you have; each ends after 10 minutes.").at_limit(
        LimitName::FileLinks,
        LINKS_MAX,
        retry_s,
    )
}

/// What is wrong with a link that doesn't work.
const UNKNOWN: &str = "The link is unknown, used or expired.";

/// Returns the refusal of a link that doesn't work.
pub(super) fn unknown() -> Refusal {
    Refusal::new(ErrorCode::NotFound, UNKNOWN).with_fix("Call the tool again: its result has a new link.")
}

/// Checks that a link would open, without opening it.
///
/// # Errors
/// Returns `unauthorized` if the link is unknown, used or expired.
pub(super) async fn check(service: &Service, text: &str, direction: FileDirection) -> Result<(), Refusal> {
    let unknown = || Refusal::new(ErrorCode::Unauthorized, UNKNOWN);
    let digest = FileLinkToken::parse(text).ok_or_else(unknown)?.digest();
    let now = service.clock.now();
    let is_open = service.read(ReadScope::Lookup, move |tx| file_links::is_open(tx, &digest, direction, now)).await?;
    if is_open { Ok(()) } else { Err(unknown()) }
}

/// Opens a link for the current access of the credential that asked for it. A download works once.
///
/// # Errors
/// Returns `unauthorized` if the link is unknown, used or expired, or its credential was revoked.
pub(super) async fn open(service: &Service, text: &str, direction: FileDirection) -> Result<LinkedCall, Refusal> {
    let unknown = || Refusal::new(ErrorCode::Unauthorized, UNKNOWN);
    let digest = FileLinkToken::parse(text).ok_or_else(unknown)?.digest();
    let now = service.clock.now();
    let find = move |tx: &mut Tx| -> StoreResult<Option<LinkedCall>> {
        let Some(link) = file_links::open(tx, &digest, direction, now)? else { return Ok(None) };
        let workspace = workspaces::get(tx, link.workspace)?;
        let caller = active_caller(tx, link.workspace, link.credential)?;
        let whole = caller.zip(workspace).map(|(caller, workspace)| AuthenticatedCaller { caller, workspace });
        Ok(whole.map(|caller| LinkedCall { caller, call: link.call }))
    };
    let found = match direction {
        FileDirection::Download => service.write(find).await,
        FileDirection::Upload => service.read(ReadScope::Lookup, find).await,
    };
    found?.ok_or_else(unknown)
}
