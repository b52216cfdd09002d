//! The command line (operations.md): what it takes, what it prints and how it exits.
//!
//! Standard output carries answers only, with `--json` exactly one object; everything else goes to standard error.
//! Exit codes: 0 done, 1 failed, 2 bad usage or bad configuration.

mod admin;
mod check;
mod domain;
mod key;
mod secret;
mod serve;
mod store;
mod workspace;

use std::{path::PathBuf, process::ExitCode};

use clap::{Args, Parser, Subcommand};

use crate::config::{self, Config, ConfigError, Sources};

/// Email for AI agents in one binary.
#[derive(Parser, Debug)]
#[command(name = "posthouse", version, about, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Run the service.
    Serve(serve::Options),
    /// Make, list and change workspaces.
    #[command(subcommand)]
    Workspace(workspace::Command),
    /// Make, list and revoke API keys.
    #[command(subcommand)]
    Key(key::Command),
    /// Add, list, show, check and switch off the domains of workspaces, with the records to publish.
    #[command(subcommand)]
    Domain(domain::Command),
    /// Change what stored secrets are sealed with.
    #[command(subcommand)]
    Secret(secret::Command),
    /// Apply pending schema migrations and exit.
    Migrate(Common),
    /// Look at everything the service needs: one line a check, ok, warning or failed.
    Check(check::Options),
    /// Maintain stored data.
    #[command(subcommand)]
    Admin(admin::Command),
    /// Copy an embedded store and its blobs into one file, also while the service runs.
    Backup(store::Archive),
    /// Make an empty data directory what it was when the backup was made.
    Restore(store::Archive),
}

/// What every command takes.
#[derive(Args, Clone, Debug)]
struct Common {
    /// The TOML configuration file; the environment (POSTHOUSE__SECTION__KEY) goes over it.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Where the embedded database, blobs and keys are.
    #[arg(long, value_name = "DIR")]
    data_dir: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

impl Common {
    fn load(&self) -> Result<Config, Failure> {
        let config = config::load(&Sources::of_process(self.config.clone(), self.data_dir.clone()))?;
        crate::telemetry::start(&config.log);
        Ok(config)
    }
}

/// Why a command did not succeed.
#[derive(Debug)]
enum Failure {
    /// Exit code 1.
    Failed(String),
    /// Exit code 2.
    Usage(String),
}

impl Failure {
    fn failed(cause: impl std::fmt::Display) -> Self {
        Self::Failed(cause.to_string())
    }
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        Self::Usage(error.to_string())
    }
}

impl From<crate::boot::BootError> for Failure {
    fn from(error: crate::boot::BootError) -> Self {
        match error {
            crate::boot::BootError::Config(error) => error.into(),
            error @ crate::boot::BootError::ReadyFile { .. } => Self::Usage(error.to_string()),
            error => Self::Failed(error.to_string()),
        }
    }
}

impl From<posthouse_store::Error> for Failure {
    fn from(error: posthouse_store::Error) -> Self {
        Self::Failed(match error.internal() {
            "" => error.to_string(),
            // Some errors are told to everybody as they are.
            cause if error.to_string().contains(cause) => error.to_string(),
            cause => format!("{error}: {cause}"),
        })
    }
}

/// Runs the command of this process.
#[must_use]
pub fn run() -> ExitCode {
    crate::files::make_all_private();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    let done = match cli.command {
        Command::Serve(options) => serve::run(options),
        Command::Workspace(command) => workspace::run(command),
        Command::Key(command) => key::run(command),
        Command::Domain(command) => domain::run(command),
        Command::Secret(command) => secret::run(command),
        Command::Migrate(common) => store::migrate(&common),
        Command::Check(options) => check::run(&options),
        Command::Admin(command) => admin::run(command),
        Command::Backup(given) => store::backup(&given),
        Command::Restore(given) => store::restore(&given),
    };
    let (code, message) = match done {
        Ok(()) => return ExitCode::SUCCESS,
        Err(Failure::Failed(message)) => (1, message),
        Err(Failure::Usage(message)) => (2, message),
    };
    eprintln!("posthouse: {message}");
    ExitCode::from(code)
}

/// A runtime for what a command waits for.
fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().map_err(Failure::failed)
}

/// The value of `--name`.
fn checked_name(text: &str) -> Result<String, Failure> {
    let name = text.trim().to_owned();
    if name.is_empty() || name.chars().count() > 100 || name.chars().any(char::is_control) {
        return Err(Failure::Usage("--name must be one line of 1 to 100 characters".to_owned()));
    }
    Ok(name)
}

/// What a command had done when it printed its answer.
enum Done {
    /// It only read.
    Nothing,
    /// That, in words for who does not get to see the answer.
    This(String),
}

/// Prints an answer: the JSON object, or the text. Who does not get it is told what was done all the same: an answer may
/// have what is shown only once.
fn print(common: &Common, json: &serde_json::Value, text: &str, done: &Done) -> Result<(), Failure> {
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    let written = if common.json { writeln!(out, "{json}") } else { writeln!(out, "{text}") };
    let Err(error) = written.and_then(|()| out.flush()) else { return Ok(()) };
    let done = match done {
        // A reader that has seen enough.
        Done::Nothing if error.kind() == std::io::ErrorKind::BrokenPipe => return Ok(()),
        Done::Nothing => "nothing was changed",
        Done::This(done) => done,
    };
    Err(Failure::Failed(format!("standard output cannot be written ({error}); {done}")))
}

#[cfg(test)]
mod tests {
    use posthouse_store::Error;

    use super::*;

    #[test]
    fn an_operator_reads_each_cause_once() {
        let text = |error: Error| match Failure::from(error) {
            Failure::Failed(text) | Failure::Usage(text) => text,
        };
        assert_eq!(text(Error::Schema("w is not empty".into())), "w is not empty");
        assert_eq!(text(Error::Full("no space left".into())), "the storage is full or refuses to write: no space left");
    }
}
