//! The command line: arguments, output and exit codes (`docs/OPERATING.md`).
//!
//! Standard output has only results, with `--json` exactly one object; everything else goes to standard error.
//! Exit codes: 0 success, 1 failure, 2 invalid usage or configuration.

mod admin;
mod check;
mod completions;
mod directory;
mod domain;
mod key;
mod man;
mod progress;
mod secret;
mod serve;
mod signing_key;
mod store;
mod suggested;
mod workspace;

use std::{path::PathBuf, process::ExitCode};

use clap::{Args, CommandFactory, Parser, Subcommand};

use crate::{
    boot::{
        owner::{self, OwnerError},
        web::HttpServer,
    },
    config::{Configuration, Sources, absolute},
};
use posthouse_app::settings::problem::ConfigError;

/// Shown below the list of commands.
const EXAMPLES: &str = "\
Examples:
  Start the service on this machine and print an API key:
    posthouse serve
  Use other ports, because some are in use:
    posthouse serve --http-listen 127.0.0.1:8090 --smtp-listen 127.0.0.1:2590
  Check configuration, storage, ports, certificate and DNS, and change nothing:
    posthouse check --config /etc/posthouse/posthouse.toml
  Create a workspace with an API key:
    posthouse workspace create --name \"My workspace\" --owner you@example.com
  Save all data while the service runs:
    posthouse backup /backup/posthouse.tar

`posthouse help COMMAND` shows the options of a command. The running service has
the API reference at /docs.";

/// Posthouse is an email server for AI agents in one binary.
///
/// Programs get their own addresses, and send, receive, wait for and search mail
/// over an HTTP API. Without configuration it runs on this machine only, keeps its
/// data in ./data, and captures outgoing mail instead of sending it.
#[derive(Parser, Debug)]
#[command(name = "posthouse", version, verbatim_doc_comment, after_help = EXAMPLES)]
#[command(arg_required_else_help = true, max_term_width = 80)]
struct Cli {
    #[command(flatten)]
    options: GlobalOptions,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Run the service.
    Serve(serve::Options),
    /// Create, list and change workspaces.
    #[command(subcommand)]
    Workspace(workspace::Command),
    /// Create, list and revoke API keys.
    #[command(subcommand)]
    Key(key::Command),
    /// Manage custom domains and show their DNS records.
    #[command(subcommand)]
    Domain(domain::Command),
    /// Replace the key that encrypts stored secrets.
    #[command(subcommand)]
    Secret(secret::Command),
    /// List, rotate and revoke the keys that sign agent messages and identity tokens.
    #[command(subcommand, alias = "keys")]
    SigningKey(signing_key::Command),
    /// Review, suspend and restore agents in the directory.
    #[command(subcommand)]
    Directory(directory::Command),
    /// Apply pending schema migrations and exit.
    Migrate(OutputOptions),
    /// Check everything the service needs; changes nothing.
    Check(check::Options),
    /// Maintain stored data.
    #[command(subcommand)]
    Admin(admin::Command),
    /// Save database, blobs and instance key in one file, also while the service runs.
    Backup(store::Archive),
    /// Restore a backup into an empty data directory.
    Restore(store::Archive),
    /// Print a completion script for a shell.
    Completions(completions::Options),
    /// Print the manual page, or write those of all commands.
    Man(man::Options),
}

/// Options that every command accepts, before and after its name.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Global options")]
struct GlobalOptions {
    /// TOML configuration file; environment variables (POSTHOUSE__SECTION__KEY) override it.
    #[arg(long, value_name = "FILE", global = true, display_order = 100)]
    config: Option<PathBuf>,
    /// Directory of the embedded database, blobs and keys [default: ./data].
    #[arg(long, value_name = "DIR", global = true, display_order = 101)]
    data_dir: Option<PathBuf>,
}

/// Options of commands that print a result.
#[derive(Args, Clone, Debug)]
struct OutputOptions {
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

impl GlobalOptions {
    fn sources(&self) -> Sources {
        Sources::of_process(self.config.clone(), self.data_dir.clone())
    }

    /// Loads the configuration for a command that works on a store, and checks that there is one.
    fn load_with_store(&self) -> Result<Configuration, CommandError> {
        let config = self.load()?;
        crate::boot::require_store(&config)?;
        Ok(config)
    }

    /// Loads the configuration. From here on, root works as the owner of the store.
    fn load(&self) -> Result<Configuration, CommandError> {
        let config = self.load_as_caller()?;
        owner::become_owner(&config)?;
        Ok(config)
    }

    /// [`GlobalOptions::load`] for a command that becomes the owner itself. Its paths are absolute, because errors name them.
    fn load_as_caller(&self) -> Result<Configuration, CommandError> {
        let mut config = crate::config::load(&self.sources())?;
        config.data_dir = absolute(&config.data_dir);
        crate::telemetry::start(&config.log);
        Ok(config)
    }
}

/// Why a command did not succeed.
#[derive(Debug)]
enum CommandError {
    /// Exit code 1.
    Failed(String),
    /// Exit code 2.
    Usage(String),
}

impl CommandError {
    fn failed(cause: impl std::fmt::Display) -> Self {
        Self::Failed(cause.to_string())
    }

    fn into_text(self) -> String {
        match self {
            Self::Failed(text) | Self::Usage(text) => text,
        }
    }
}

impl From<ConfigError> for CommandError {
    fn from(error: ConfigError) -> Self {
        Self::Usage(error.to_string())
    }
}

impl From<OwnerError> for CommandError {
    fn from(error: OwnerError) -> Self {
        Self::failed(error)
    }
}

impl From<crate::boot::BootError> for CommandError {
    fn from(error: crate::boot::BootError) -> Self {
        match error {
            crate::boot::BootError::Config(error) => error.into(),
            error @ crate::boot::BootError::ReadyFile { .. } => Self::Usage(error.to_string()),
            error => Self::Failed(error.to_string()),
        }
    }
}

impl From<posthouse_store::Error> for CommandError {
    fn from(error: posthouse_store::Error) -> Self {
        Self::Failed(match error.internal() {
            "" => error.to_string(),
            // Some errors already contain their cause.
            cause if error.to_string().contains(cause) => error.to_string(),
            cause => format!("{error}: {cause}"),
        })
    }
}

/// Parses the arguments of this process and runs the command. `serve` serves HTTP with `http`.
#[must_use]
pub fn run(http: HttpServer) -> ExitCode {
    posthouse_app::files::make_all_private();
    let Cli { options, command } = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    let done = match command {
        Command::Serve(given) => serve::run(given, &options, http),
        Command::Workspace(command) => workspace::run(command, &options),
        Command::Key(command) => key::run(command, &options),
        Command::Domain(command) => domain::run(command, &options),
        Command::Secret(command) => secret::run(command, &options),
        Command::SigningKey(command) => signing_key::run(command, &options),
        Command::Directory(command) => directory::run(command, &options),
        Command::Migrate(output) => store::migrate(&output, &options),
        Command::Check(given) => check::run(&given, &options),
        Command::Admin(command) => admin::run(command, &options),
        Command::Backup(given) => store::backup(&given, &options),
        Command::Restore(given) => store::restore(&given, &options),
        Command::Completions(given) => completions::run(&given),
        Command::Man(given) => man::run(&given),
    };
    let (code, message) = match done {
        Ok(()) => return ExitCode::SUCCESS,
        Err(CommandError::Failed(message)) => (1, message),
        Err(CommandError::Usage(message)) => (2, message),
    };
    let message = suggested::with_options(&message, &Cli::command(), &options.sources().command_options());
    eprintln!("posthouse: {message}");
    ExitCode::from(code)
}

/// Builds the runtime that a command blocks on.
fn runtime() -> Result<tokio::runtime::Runtime, CommandError> {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().map_err(CommandError::failed)
}

/// Checks and trims the value of `--name`.
fn checked_name(text: &str) -> Result<String, CommandError> {
    let name = text.trim().to_owned();
    if name.is_empty() || name.chars().count() > 100 || name.chars().any(char::is_control) {
        return Err(CommandError::Usage("--name must be one line of 1 to 100 characters".to_owned()));
    }
    Ok(name)
}

/// What a command changed before it printed its result.
enum CommandEffect {
    /// The command only read.
    Nothing,
    /// The command changed something; the text says what, in case the result can't be printed.
    This(String),
}

/// Prints a result as JSON or text. If standard output can't be written, the error states what was changed, because the
/// result may contain a secret that is shown only once.
fn print(
    output: &OutputOptions,
    json: &serde_json::Value,
    text: &str,
    done: &CommandEffect,
) -> Result<(), CommandError> {
    if output.json { print_text(&json.to_string(), done) } else { print_text(text, done) }
}

/// [`print`] for a result that is always text.
fn print_text(text: &str, done: &CommandEffect) -> Result<(), CommandError> {
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    let written = writeln!(out, "{text}");
    let Err(error) = written.and_then(|()| out.flush()) else { return Ok(()) };
    let done = match done {
        // A closed pipe isn't an error: the reader stopped early.
        CommandEffect::Nothing if error.kind() == std::io::ErrorKind::BrokenPipe => return Ok(()),
        CommandEffect::Nothing => "nothing was changed",
        CommandEffect::This(done) => done,
    };
    Err(CommandError::Failed(format!("cannot write to standard output ({error}); {done}")))
}

#[cfg(test)]
mod tests {
    use posthouse_store::Error;

    use super::*;

    #[test]
    fn error_causes_are_printed_once() {
        let text = |error: Error| CommandError::from(error).into_text();
        assert_eq!(text(Error::Schema("w is not empty".into())), "w is not empty");
        assert_eq!(
            text(Error::StorageFull("no space left".into())),
            "the storage is full or not writable: no space left"
        );
    }
}
