//! What limits by UTC day count (`posthouse_domain::daily_limit`): client addresses and mailboxes, as keyed hashes, so that the
//! table of usage has no addresses.

use posthouse_domain::{error::Refusal, id::WorkspaceId};
use uuid::Uuid;

use crate::app::App;

/// Returns the keyed hash of what a limit counts.
///
/// # Errors
/// Returns an error if the instance key can't be read.
pub(crate) fn counted_subject(app: &App, text: &str) -> Result<Vec<u8>, Refusal> {
    Ok(app.address_key()?.digest(WorkspaceId(Uuid::nil()), text))
}
