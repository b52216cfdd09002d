//! What only HTTP has: sign-in of people, confirmation pages, the public directory, the issuer of identity tokens, the
//! authorization server of connectors, the handshake of the stream and the endpoint of MCP.

mod claim;
mod confirm;
mod connect;
mod directory;
mod form;
mod issuer;
mod mcp;
mod oauth;
mod sign_in;
mod stream;

pub use directory::unmatched;

use posthouse_http::route::Route;
use posthouse_mcp::McpServer;

/// Returns the routes, in the order of the API reference. `mcp` answers the messages of its endpoint.
#[must_use]
pub fn routes(mcp: McpServer) -> Vec<Route> {
    let chapters = [
        stream::routes(),
        claim::routes(),
        confirm::routes(),
        sign_in::routes(),
        directory::routes(),
        issuer::routes(),
        connect::routes(),
        mcp::routes(mcp),
    ];
    chapters.into_iter().flatten().collect()
}
