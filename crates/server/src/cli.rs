//! The command line: arguments, output and exit codes (`docs/OPERATING.md`).
//!
//! Standard output has only results, with `--json` exactly one object; everything else goes to standard error.
//! Exit codes: 0 success, 1 failure, 2 invalid usage or configuration.

mod analyze;
mod check;
mod completions;
mod directory;
mod domain;
mod key;
mod man;
mod options;
mod outcome;
mod progress;
mod read_file;
mod relabel;
mod secret;
mod serve;
mod signing_key;
mod store;
mod stored_keys;
mod suggested;
mod workspace;

use std::{io::Write as _, process::ExitCode};

use clap::{
    Args, CommandFactory, Parser, Subcommand,
    error::{ContextKind, ContextValue, ErrorKind},
};

use posthouse_client::{LeadingOptions, Program, deferred_arguments, help_of, named_command, usage_json};

use crate::boot::web::HttpServer;
use options::{GlobalOptions, LeadingStoreOptions};
use outcome::{CommandError, OutputOptions};

/// Shown below the list of commands.
const EXAMPLES: &str = "\
Examples:
  Start the service on this machine and print an API key:
    posthouse serve
  From a key to a received code, on any machine:
    posthouse login --base-url https://mail.example.com
    posthouse inboxes create
    posthouse wait-code ADDRESS
  Send a message, and read what arrives:
    posthouse send ADDRESS --to ada@example.com --subject Hi --text Hello
    posthouse tail
  Check configuration, storage, ports, certificate and DNS, and change nothing:
    posthouse admin check --config /etc/posthouse/posthouse.toml

`posthouse help COMMAND` shows the options of a command. The operator's commands
are under `posthouse admin`; workspace, key, migrate, check, backup and restore
also work without it. The running service has the API reference at /docs.";

/// Posthouse is an email server for AI agents in one binary.
///
/// Programs get their own addresses, and send, receive, wait for and search mail
/// over an HTTP API. `posthouse serve` runs the service: without configuration on
/// this machine only, with its data in ./data, and it captures outgoing mail
/// instead of sending it. The other commands use any Posthouse server.
#[derive(Parser, Debug)]
#[command(name = "posthouse", version, verbatim_doc_comment, after_help = EXAMPLES)]
#[command(arg_required_else_help = true, max_term_width = 80)]
struct Cli {
    #[command(flatten)]
    store: LeadingStoreOptions,
    #[command(flatten)]
    client: LeadingOptions,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Run the service.
    Serve(OnStore<serve::Options>),
    #[command(flatten)]
    Client(posthouse_client::Command),
    /// Operate a service: workspaces, keys, domains, checks, backups.
    Admin(OnStoreGroup<OperatorCommand>),
    #[command(flatten)]
    Alias(OperatorAlias),
    /// Print a completion script for a shell.
    Completions(completions::Options),
    /// Print the manual page, or write those of all commands.
    Man(man::Options),
    /// Read the file on standard input; the service starts this for each attachment.
    #[command(hide = true)]
    ReadFile,
    /// Read the image on standard input by OCR; the service starts this.
    #[command(hide = true)]
    ReadImage(read_file::ImageOptions),
}

/// A command of the operator, which works on the store that the configuration names.
#[derive(Subcommand, Debug)]
enum OperatorCommand {
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
    #[command(subcommand)]
    SigningKey(signing_key::Command),
    /// Review, suspend and restore agents in the directory.
    #[command(subcommand)]
    Directory(directory::Command),
    /// Apply pending schema migrations and exit.
    Migrate(OutputOptions),
    /// Check everything the service needs; changes nothing.
    Check(check::Options),
    /// Parse received mail again and set author and labels by the current rules; the service may be running.
    Relabel(relabel::Options),
    /// Analyze received mail again, such as after a new model, while the service runs.
    Analyze(analyze::Options),
    /// Save database, blobs and instance key in one file, also while the service runs.
    Backup(store::Archive),
    /// Restore a backup into an empty data directory.
    Restore(store::Archive),
}

/// The operator's commands without `admin`, as they were called first.
#[derive(Subcommand, Debug)]
enum OperatorAlias {
    /// Create, list and change workspaces.
    #[command(hide = true)]
    Workspace(OnStoreGroup<workspace::Command>),
    /// Create, list and revoke API keys.
    #[command(hide = true)]
    Key(OnStoreGroup<key::Command>),
    /// Manage custom domains and show their DNS records.
    #[command(hide = true)]
    Domain(OnStoreGroup<domain::Command>),
    /// Replace the key that encrypts stored secrets.
    #[command(hide = true)]
    Secret(OnStoreGroup<secret::Command>),
    /// List, rotate and revoke the keys that sign agent messages and identity tokens.
    #[command(hide = true)]
    SigningKey(OnStoreGroup<signing_key::Command>),
    /// Review, suspend and restore agents in the directory.
    #[command(hide = true)]
    Directory(OnStoreGroup<directory::Command>),
    /// Apply pending schema migrations and exit.
    #[command(hide = true)]
    Migrate(OnStore<OutputOptions>),
    /// Check everything the service needs; changes nothing.
    #[command(hide = true)]
    Check(OnStore<check::Options>),
    /// Save database, blobs and instance key in one file, also while the service runs.
    #[command(hide = true)]
    Backup(OnStore<store::Archive>),
    /// Restore a backup into an empty data directory.
    #[command(hide = true)]
    Restore(OnStore<store::Archive>),
}

/// A command with the options that name the store.
#[derive(Debug)]
struct OnStore<T: Args> {
    command: T,
    options: GlobalOptions,
}

/// A group of commands with the options that name the store.
#[derive(Debug)]
struct OnStoreGroup<T: Subcommand> {
    command: T,
    options: GlobalOptions,
}

deferred_arguments!(OnStore, Args, arguments, GlobalOptions);
deferred_arguments!(OnStoreGroup, Subcommand, commands, GlobalOptions);

impl OperatorAlias {
    /// Returns the command as it is called under `admin`.
    fn resolve(self) -> (OperatorCommand, GlobalOptions) {
        use OperatorCommand as To;
        match self {
            Self::Workspace(given) => (To::Workspace(given.command), given.options),
            Self::Key(given) => (To::Key(given.command), given.options),
            Self::Domain(given) => (To::Domain(given.command), given.options),
            Self::Secret(given) => (To::Secret(given.command), given.options),
            Self::SigningKey(given) => (To::SigningKey(given.command), given.options),
            Self::Directory(given) => (To::Directory(given.command), given.options),
            Self::Migrate(given) => (To::Migrate(given.command), given.options),
            Self::Check(given) => (To::Check(given.command), given.options),
            Self::Backup(given) => (To::Backup(given.command), given.options),
            Self::Restore(given) => (To::Restore(given.command), given.options),
        }
    }
}

/// Parses the arguments of this process and runs the command. `serve` serves HTTP with `http`.
#[must_use]
pub fn run(http: HttpServer) -> ExitCode {
    posthouse_app::files::make_all_private();
    let Cli { mut store, client, mut command } = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) if error.use_stderr() => return misused(&without_internal(error)),
        Err(help) => {
            let _ = help.print();
            return ExitCode::SUCCESS;
        }
    };
    if let Command::Client(command) = &mut command
        && let Some(given) = command.local_store()
    {
        given.config = given.config.take().or(store.config.take());
        given.data_dir = given.data_dir.take().or(store.data_dir.take());
    }
    let misplaced = match command {
        Command::Client(_) => store.first_given(),
        _ => client.first_given(),
    };
    if let Some(option) = misplaced {
        return misplaced_option(option);
    }
    let (options, done) = match command {
        Command::Client(command) => {
            let program = Program { tree: Cli::command, local_keys: &stored_keys::StoredKeys };
            return posthouse_client::run(command, client, &program);
        }
        Command::Completions(given) => return report(completions::run(&given), ""),
        Command::Man(given) => return report(man::run(&given), ""),
        Command::ReadFile => return read_file::run(),
        Command::ReadImage(given) => return read_file::run_ocr(given),
        Command::Serve(given) => {
            let options = given.options.with_leading(store);
            let done = serve::run(given.command, &options, http);
            (options, done)
        }
        Command::Admin(OnStoreGroup { command, options }) => {
            let options = options.with_leading(store);
            let done = operate(command, &options);
            (options, done)
        }
        Command::Alias(alias) => {
            let (command, options) = alias.resolve();
            let options = options.with_leading(store);
            let done = operate(command, &options);
            (options, done)
        }
    };
    report(done, &options.sources().command_options())
}

/// Commands that only the service starts.
const INTERNAL: [&str; 2] = ["read-file", "read-image"];

/// Removes commands that only the service starts from the suggestions of an error.
fn without_internal(mut error: clap::Error) -> clap::Error {
    let suggested = error.remove(ContextKind::SuggestedSubcommand);
    if let Some(ContextValue::Strings(mut names)) = suggested {
        names.retain(|name| !INTERNAL.contains(&name.as_str()));
        if !names.is_empty() {
            error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(names));
        }
    }
    error
}

/// Prints why the arguments are invalid, as the output was asked for.
fn misused(error: &clap::Error) -> ExitCode {
    if wants_json() {
        // Without a command, the parser prints the help.
        let is_missing = error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
        let printed = if is_missing { "a command is missing".to_owned() } else { error.render().to_string() };
        say(&usage_json(&printed, &command_name()));
    } else {
        let _ = error.print();
    }
    ExitCode::from(2)
}

fn misplaced_option(option: &str) -> ExitCode {
    let problem = format!("the command has no option {option}");
    if wants_json() {
        say(&usage_json(&problem, &command_name()));
    } else {
        say(&format!("posthouse: {problem}; see {}", help_of(&command_name())));
    }
    ExitCode::from(2)
}

/// Writes a line to standard error, if that is still read.
fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Returns the name of the command that the arguments of this process call.
fn command_name() -> String {
    named_command(Cli::command(), crate::config::arguments())
}

/// Returns whether the arguments of this process ask for JSON, also if they can't be parsed.
fn wants_json() -> bool {
    crate::config::arguments().take_while(|argument| argument != "--").any(|argument| argument == "--json")
}

/// Runs a command of the operator.
fn operate(command: OperatorCommand, options: &GlobalOptions) -> Result<(), CommandError> {
    match command {
        OperatorCommand::Workspace(command) => workspace::run(command, options),
        OperatorCommand::Key(command) => key::run(command, options),
        OperatorCommand::Domain(command) => domain::run(command, options),
        OperatorCommand::Secret(command) => secret::run(command, options),
        OperatorCommand::SigningKey(command) => signing_key::run(command, options),
        OperatorCommand::Directory(command) => directory::run(command, options),
        OperatorCommand::Migrate(output) => store::migrate(&output, options),
        OperatorCommand::Check(given) => check::run(&given, options),
        OperatorCommand::Relabel(given) => relabel::run(&given, options),
        OperatorCommand::Analyze(given) => analyze::run(&given, options),
        OperatorCommand::Backup(given) => store::backup(&given, options),
        OperatorCommand::Restore(given) => store::restore(&given, options),
    }
}

/// Prints why a command failed, and returns its exit code. `options` are those that a suggested command needs.
fn report(done: Result<(), CommandError>, options: &str) -> ExitCode {
    let (code, message) = match done {
        Ok(()) => return ExitCode::SUCCESS,
        Err(CommandError::Failed(message)) => (1, message),
        Err(CommandError::Usage(message)) => (2, message),
    };
    let mut tree = Cli::command();
    tree.build();
    say(&format!("posthouse: {}", suggested::with_options(&message, &tree, options)));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_command_that_only_the_service_starts_is_suggested() {
        let suggested = |typo: &str| {
            let error = Cli::try_parse_from(["posthouse", typo]).expect_err("no such command");
            without_internal(error).to_string()
        };
        for (name, at) in INTERNAL.into_iter().flat_map(|name| (0..name.len()).map(move |at| (name, at))) {
            let mut typo = name.to_owned();
            typo.remove(at);
            let shown = suggested(&typo);
            assert!(INTERNAL.iter().all(|internal| !shown.contains(&format!("'{internal}'"))), "{shown}");
        }
        assert!(suggested("thread").contains("'threads'") && suggested("bakup").contains("'backup'"));
    }

    /// A start that builds the arguments of all commands costs several times as much.
    #[test]
    fn a_start_builds_the_arguments_of_no_command() {
        let tree = Cli::command();
        let built = |command: &clap::Command| command.get_arguments().count() + command.get_subcommands().count();
        let lazy = tree
            .get_subcommands()
            .filter(|command| !["completions", "man", "read-image"].contains(&command.get_name()));
        let counts: Vec<(&str, usize)> = lazy.map(|command| (command.get_name(), built(command))).collect();
        assert!(counts.len() > 30 && counts.iter().all(|(_, count)| *count == 0), "{counts:?}");
        let mut whole = tree.clone();
        whole.build();
        for command in whole.get_subcommands().filter(|command| !command.is_hide_set()) {
            let before = tree.find_subcommand(command.get_name()).and_then(clap::Command::get_about);
            assert!(built(command) > 1 || command.get_name() == "help", "{}", command.get_name());
            assert!(before.is_none() || before == command.get_about(), "{}", command.get_name());
        }
    }

    /// Longer ones are broken, and a broken command can't be copied.
    #[test]
    fn examples_fit_in_a_line_of_the_help() {
        fn check(command: &clap::Command, count: &mut usize) {
            let text = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            for line in text.lines() {
                assert!(line.chars().count() <= 80, "{}: {line}", command.get_name());
                *count += 1;
            }
            command.get_subcommands().for_each(|below| check(below, count));
        }
        let (mut tree, mut count) = (Cli::command(), 0);
        tree.build();
        check(&tree, &mut count);
        assert!(count > 100, "{count} lines");
    }
}
