//! `posthouse serve`.

use std::{net::SocketAddr, path::PathBuf};

use clap::{Args, ValueEnum};

use super::Failure;
use crate::{
    boot::{self, ReadyFile, Role},
    config::{self, Listeners, SOCKET_WRONG, Sources},
};

/// Options of `posthouse serve`.
#[derive(Args, Debug)]
pub(super) struct Options {
    /// The TOML configuration file; the environment (POSTHOUSE__SECTION__KEY) goes over it.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Where the embedded database, blobs and keys are.
    #[arg(long, value_name = "DIR")]
    data_dir: Option<PathBuf>,
    /// Written, whole, once every listener is bound.
    #[arg(long, value_name = "FILE")]
    ready_file: Option<PathBuf>,
    /// Address and port of the API, instead of http.listen.
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    http_listen: Option<SocketAddr>,
    /// Addresses and ports of the mail exchanger, instead of smtp.listen; several joined by commas.
    #[arg(long, value_delimiter = ',', value_name = "ADDRESS", value_parser = address)]
    smtp_listen: Vec<SocketAddr>,
    /// Addresses and ports of submission, instead of submission.listen; several joined by commas.
    #[arg(long, value_delimiter = ',', value_name = "ADDRESS", value_parser = address)]
    submission_listen: Vec<SocketAddr>,
    /// What this process does.
    #[arg(long, value_delimiter = ',', value_name = "ROLES", default_value = "http,smtp,submission,worker")]
    roles: Vec<Role>,
    /// Begin a new store where there are remains of one whose database is gone; the remains are moved aside.
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
    text.trim().parse().map_err(|_| SOCKET_WRONG.to_owned())
}

pub(super) fn run(mut options: Options) -> Result<(), Failure> {
    // Before anything can fail: a file of the run before would say that this one is ready.
    let ready_file = options.ready_file.take().map(ReadyFile::claim).transpose()?;
    // A role that is named twice is one.
    let mut roles: Vec<Role> = Vec::new();
    options.roles.into_iter().for_each(|role| {
        if !roles.contains(&role) {
            roles.push(role)
        }
    });
    let listeners =
        Listeners { http: options.http_listen, smtp: options.smtp_listen, submission: options.submission_listen };
    let sources = Sources::of_process(options.config, options.data_dir).with_listeners(listeners);
    let config = config::load(&sources)?;
    crate::telemetry::start(&config.log);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(Failure::failed)?;
    let served = runtime.block_on(boot::serve(config, boot::Plan { roles, ready_file, new_store: options.new_store }));
    // What is still running after the drain has had its time; it must not hold the process up.
    runtime.shutdown_background();
    served.map_err(Failure::from)
}
