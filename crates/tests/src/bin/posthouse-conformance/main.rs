//! The service with the tools, resources and prompts that the official conformance suite of the Model Context Protocol wants
//! to find (`scripts/mcp-conformance.sh`). Everything else is the service as it is.

mod asking;
mod content;
mod fixtures;
mod rounds;

use std::{process::ExitCode, sync::Arc};

use posthouse_app::{Service, settings::http::HttpConfig};
use posthouse_server::boot::{
    BootError,
    web::{BoundHttp, ServedHttp},
};

use fixtures::Fixtures;

fn main() -> ExitCode {
    posthouse::run_with(serve)
}

fn serve(service: Arc<Service>, config: HttpConfig, bound: BoundHttp) -> Result<ServedHttp, BootError> {
    posthouse::serve_site(service, config, bound, posthouse::site_with(Box::<Fixtures>::default()))
}
