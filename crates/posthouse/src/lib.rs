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
use posthouse_server::boot::{
    BootError,
    web::{BoundHttp, ServedHttp},
};

/// Runs a command of the binary.
#[must_use]
pub fn run() -> ExitCode {
    posthouse_server::cli::run(serve_http)
}

/// Returns what the service serves.
#[must_use]
pub fn site() -> Site {
    Site { routes: all_routes(), unmatched: posthouse_pages::unmatched }
}

/// Returns every route of the service, in the order of the API reference.
#[must_use]
pub fn all_routes() -> Vec<Route> {
    let chapters = [
        routes::own(),
        posthouse_operations::operations().into_iter().map(Route::from).collect(),
        posthouse_pages::routes(),
    ];
    chapters.into_iter().flatten().collect()
}

/// Returns the operation of every route.
#[must_use]
pub fn all_operations() -> Vec<Operation> {
    all_routes().into_iter().map(|route| route.operation).collect()
}

fn serve_http(service: Arc<Service>, config: HttpConfig, bound: BoundHttp) -> Result<ServedHttp, BootError> {
    let BoundHttp { clear, tls, challenges, redirect_to_https } = bound;
    let listeners = HttpListeners { clear, tls, challenges, redirect_to_https };
    let served =
        listeners::serve(service, config, site(), listeners).map_err(|error| BootError::Tls(error.to_string()))?;
    Ok(Box::pin(served))
}
