//! The binary: the server with its HTTP API.

use std::{process::ExitCode, sync::Arc};

use posthouse_app::{Service, settings::http::HttpConfig};
use posthouse_call::Operation;
use posthouse_http::{
    connection::listeners::{self, HttpListeners},
    pages::routes,
    route::Route,
    site::Site,
};
use posthouse_mcp::{Additions, McpServer};
use posthouse_server::boot::{
    BootError,
    web::{BoundHttp, HttpServer, ServedHttp},
};

/// Runs a command of the binary.
#[must_use]
pub fn run() -> ExitCode {
    run_with(serve_http)
}

/// Runs a command of the binary with another site, as a build of the tests does.
#[must_use]
pub fn run_with(http: HttpServer) -> ExitCode {
    posthouse_server::cli::run(http)
}

/// Returns what the service serves.
#[must_use]
pub fn site() -> Site {
    Site { routes: all_routes(), unmatched: posthouse_pages::unmatched }
}

/// Returns what the service serves, with additions to its MCP server.
#[must_use]
pub fn site_with(additions: Box<dyn Additions>) -> Site {
    let mcp = mcp_server().with_additions(additions);
    Site { routes: routes_with(mcp), unmatched: posthouse_pages::unmatched }
}

fn mcp_server() -> McpServer {
    McpServer::new(posthouse_operations::operations())
}

/// Returns every route of the service, in the order of the API reference.
#[must_use]
pub fn all_routes() -> Vec<Route> {
    routes_with(mcp_server())
}

fn routes_with(mcp: McpServer) -> Vec<Route> {
    let chapters = [
        routes::own(),
        posthouse_operations::operations().into_iter().map(Route::from).collect(),
        posthouse_pages::routes(mcp),
    ];
    chapters.into_iter().flatten().collect()
}

/// Returns the operation of every route.
#[must_use]
pub fn all_operations() -> Vec<Operation> {
    all_routes().into_iter().map(|route| route.operation).collect()
}

fn serve_http(service: Arc<Service>, config: HttpConfig, bound: BoundHttp) -> Result<ServedHttp, BootError> {
    serve_site(service, config, bound, site())
}

/// Serves a site on bound listeners.
///
/// # Errors
/// Returns that the certificate couldn't be used.
pub fn serve_site(
    service: Arc<Service>,
    config: HttpConfig,
    bound: BoundHttp,
    site: Site,
) -> Result<ServedHttp, BootError> {
    let BoundHttp { clear, tls, challenges, redirect_to_https } = bound;
    let listeners = HttpListeners { clear, tls, challenges, redirect_to_https };
    let served =
        listeners::serve(service, config, site, listeners).map_err(|error| BootError::Tls(error.to_string()))?;
    Ok(Box::pin(served))
}
