//! The `posthouse` binary: the server with the HTTP API.

use std::{process::ExitCode, sync::Arc};

use posthouse_app::{Instance, settings::http::HttpConfig};
use posthouse_http::listeners::{self, HttpListeners};
use posthouse_server::boot::{
    BootError,
    web::{BoundHttp, ServedHttp},
};
use tikv_jemallocator::Jemalloc;

/// Faster than the allocator of glibc for many threads that parse mail, and it returns memory to the system while
/// thousands of connections wait; see docs/decisions.
#[global_allocator]
static ALLOCATOR: Jemalloc = Jemalloc;

fn main() -> ExitCode {
    posthouse_server::cli::run(serve_http)
}

fn serve_http(instance: Arc<Instance>, config: HttpConfig, bound: BoundHttp) -> Result<ServedHttp, BootError> {
    let BoundHttp { clear, tls, challenges, redirect_to_https } = bound;
    let listeners = HttpListeners { clear, tls, challenges, redirect_to_https };
    let served = listeners::serve(instance, config, listeners).map_err(|error| BootError::Tls(error.to_string()))?;
    Ok(Box::pin(served))
}
