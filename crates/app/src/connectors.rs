//! Connectors: programs that a person allows to act in the workspace, by OAuth 2.1 (`docs/reference/connectors.md`). This is
//! the authorization server of the MCP endpoint; the issuer of identity tokens is another one.

pub mod approve;
mod clients;
pub mod expire;
pub mod list;
mod metadata;
pub mod register;
pub mod request;
pub mod revoke;
pub mod tokens;

use crate::ports::Clock;
use crate::settings::AppConfig;
use posthouse_domain::connector::secret::SECRET_BYTES;

/// The path of the MCP endpoint.
pub const MCP_PATH: &str = "/mcp";

/// Returns the resource that tokens of connectors are for: the URL of the MCP endpoint.
#[must_use]
pub fn resource(config: &AppConfig) -> String {
    format!("{}{MCP_PATH}", config.base_url)
}

/// Draws the random bytes of a secret.
fn draw(clock: &dyn Clock) -> [u8; SECRET_BYTES] {
    let mut random = [0; SECRET_BYTES];
    clock.random(&mut random);
    random
}
