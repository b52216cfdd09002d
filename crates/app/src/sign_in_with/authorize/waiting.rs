//! Limits of the sign-ins that wait: of one app, of one agent, and of each of them from one client address. At a limit the
//! oldest one of the address with the most ends, so that nobody can keep others from signing in.

use posthouse_domain::identity::{REQUESTS_PER_AGENT, REQUESTS_PER_CLIENT, REQUESTS_PER_CLIENT_AND_ADDRESS};
use posthouse_domain::{IdentityRequest, OAuthError, OAuthErrorCode};
use posthouse_store::{Tx, identity_requests, identity_requests::WaitingOf};

use crate::sign_in_with::failure::OAuthFailure;

/// Makes room for one more sign-in.
///
/// # Errors
/// Returns `temporarily_unavailable` if no address has more than one other that waits.
pub(super) fn make_room(tx: &mut Tx, request: &IdentityRequest) -> Result<(), OAuthFailure> {
    let (network, now) = (request.network.as_str(), request.created_at);
    let of_app = WaitingOf::App(&request.client_id);
    let own = identity_requests::count_pending(tx, of_app, Some(network), now)?;
    if own >= REQUESTS_PER_CLIENT_AND_ADDRESS {
        identity_requests::end_oldest(tx, of_app, network, now)?;
    }
    if let Some(agent) = request.hinted {
        let text = "Too many sign-ins of this agent wait. Try again in some minutes.";
        share(tx, WaitingOf::Agent(agent), request, REQUESTS_PER_AGENT, text)?;
    }
    let text = "Too many sign-ins of this app wait. Try again in some minutes.";
    share(tx, of_app, request, REQUESTS_PER_CLIENT, text)
}

/// Ends the oldest sign-in of the address that has the most, if there are `max`.
fn share(tx: &mut Tx, of: WaitingOf<'_>, request: &IdentityRequest, max: u64, text: &str) -> Result<(), OAuthFailure> {
    let (network, now) = (request.network.as_str(), request.created_at);
    if identity_requests::count_pending(tx, of, None, now)? < max {
        return Ok(());
    }
    let own = identity_requests::count_pending(tx, of, Some(network), now)?;
    let largest = identity_requests::largest_pending(tx, of, now)?;
    let from = match largest {
        // An address that has as many as any other gives up one of its own.
        Some(largest) if largest.sign_ins > own + 1 => largest.network,
        _ if own > 0 => network.to_owned(),
        _ => return Err(OAuthError::new(OAuthErrorCode::TemporarilyUnavailable, text).into()),
    };
    Ok(identity_requests::end_oldest(tx, of, &from, now)?)
}
