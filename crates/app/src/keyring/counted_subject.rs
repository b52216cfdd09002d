//! What limits by UTC day count (`posthouse_domain::daily_limit`): client addresses and mailboxes, as keyed hashes, so that the
//! table of usage has no addresses.

use posthouse_domain::{Refusal, WorkspaceId};
use uuid::Uuid;

use crate::{keyring::instance_key::AddressKey, service::Service};

/// Returns the keyed hash of what a limit counts.
///
/// # Errors
/// Returns an error if the instance key can't be read.
pub(crate) fn counted_subject(service: &Service, text: &str) -> Result<Vec<u8>, Refusal> {
    Ok(subject_of(&service.address_key()?, text))
}

/// Returns the keyed hash of what a limit counts, with the key at hand.
pub(crate) fn subject_of(key: &AddressKey, text: &str) -> Vec<u8> {
    key.digest(WorkspaceId(Uuid::nil()), text)
}
