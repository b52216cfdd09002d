//! `posthouse serve`.

use std::{net::SocketAddr, path::PathBuf};

use clap::{Args, ValueEnum};

use super::options::GlobalOptions;
use super::outcome::CommandError;
use crate::{
    boot::{self, ReadyFile, Role, owner, web::HttpServer},
    config::{INVALID_SOCKET, Listeners},
};

/// Shown below the options.
const EXAMPLES: &str = "\
Examples:
  On this machine only; the first start prints an API key:
    posthouse serve
  The same on other ports:
    posthouse serve --http-listen 127.0.0.1:8090 --smtp-listen 127.0.0.1:2590
  With a configuration, as a system service does:
    posthouse serve --config /etc/posthouse/posthouse.toml

While every listener is on loopback and delivery.mode isn't set, outgoing mail
is captured and nothing leaves this machine.";

/// Options of `posthouse serve`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Options {
    /// File to write, atomically, once the service is ready.
    #[arg(long, value_name = "FILE")]
    ready_file: Option<PathBuf>,
    /// Address and port of the API; overrides http.listen.
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    http_listen: Option<SocketAddr>,
    /// Addresses and ports of the mail exchanger, separated by commas; overrides smtp.listen.
    #[arg(long, value_delimiter = ',', value_name = "ADDRESS", value_parser = address)]
    smtp_listen: Vec<SocketAddr>,
    /// Addresses and ports of submission, separated by commas; overrides submission.listen.
    #[arg(long, value_delimiter = ',', value_name = "ADDRESS", value_parser = address)]
    submission_listen: Vec<SocketAddr>,
    /// Parts of the service that this process runs, separated by commas.
    #[arg(long, value_delimiter = ',', value_name = "ROLES", default_value = "http,smtp,submission,worker")]
    roles: Vec<Role>,
    /// Start a new store although the database of the previous one is lost; its remaining files are moved aside.
    #[arg(long)]
    new_store: bool,
}

impl ValueEnum for Role {
    fn value_variants<'a>() -> &'a [Self] {
        &[Role::Http, Role::Smtp, Role::Submission, Role::Worker]
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        Some(clap::builder::PossibleValue::new(self.text()))
    }
}

fn address(text: &str) -> Result<SocketAddr, String> {
    text.trim().parse().map_err(|_| INVALID_SOCKET.to_owned())
}

pub(super) fn run(mut given: Options, options: &GlobalOptions, http: HttpServer) -> Result<(), CommandError> {
    // A role may be named twice.
    let mut roles: Vec<Role> = Vec::new();
    given.roles.into_iter().for_each(|role| {
        if !roles.contains(&role) {
            roles.push(role)
        }
    });
    let listeners = Listeners { http: given.http_listen, smtp: given.smtp_listen, submission: given.submission_listen };
    let loaded = crate::config::load(&options.sources().with_listeners(listeners));
    let became_owner = loaded.as_ref().map_or(Ok(()), |config| {
        crate::telemetry::start(&config.log);
        owner::become_owner(config)
    });
    // Whatever the configuration is: a ready file of a previous run would claim that this process is ready.
    let ready_file = given.ready_file.take().map(ReadyFile::claim).transpose()?;
    became_owner?;
    let mut config = loaded?;
    options.start_clock(&mut config);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(CommandError::failed)?;
    let serve_options = boot::ServeOptions { roles, ready_file, new_store: given.new_store, http };
    let served = runtime.block_on(boot::serve(config, serve_options));
    // Work that is still running used up the drain time and must not block the exit.
    runtime.shutdown_background();
    served.map_err(CommandError::from)
}
