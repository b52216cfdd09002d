//! The random numbers of the client.

use crate::error::ClientError;

/// Returns random bytes of the operating system.
///
/// # Errors
/// Fails if the system has no source of randomness.
pub(crate) fn bytes<const N: usize>() -> Result<[u8; N], ClientError> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes)
        .map_err(|error| ClientError::Failed(format!("the system returned no random numbers: {error}")))?;
    Ok(bytes)
}
