//! Whether the directory and the public directory are switched on.

use posthouse_domain::{ErrorCode, Refusal};

use crate::service::Service;

/// When a client may ask again whether a part is switched on, in seconds.
const DISABLED_RETRY_S: u64 = 3_600;

/// Checks that the directory is switched on.
///
/// # Errors
/// Returns `directory_disabled`.
pub fn check(service: &Service) -> Result<(), Refusal> {
    if service.config.agents.directory {
        return Ok(());
    }
    let message = "The agent directory is switched off on this server.";
    Err(Refusal::new(ErrorCode::DirectoryDisabled, message).retry_after(DISABLED_RETRY_S))
}

/// Returns whether the public directory is switched on, which needs the directory.
#[must_use]
pub fn is_public(service: &Service) -> bool {
    service.config.agents.directory && service.config.agents.public_directory
}

/// Checks that the public directory is switched on.
///
/// # Errors
/// Returns `public_directory_disabled`.
pub fn check_public(service: &Service) -> Result<(), Refusal> {
    if is_public(service) {
        return Ok(());
    }
    let message = "The public agent directory is switched off on this server.";
    Err(Refusal::new(ErrorCode::PublicDirectoryDisabled, message).retry_after(DISABLED_RETRY_S))
}
