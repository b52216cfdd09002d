//! The commands of the client: one row each, and what runs them.

use std::{ffi::OsString, process::ExitCode};

use clap::{Args, Subcommand};

use crate::{
    commands::{
        account, agents, contacts, doctor, domains, drafts, inboxes, keys, knowledge, listen, mcp, messages, open,
        rehearse, search, send, tail, threads, tree, trigger, wait_code, webhooks,
    },
    deferred_arguments,
    environment::{self, Environment},
    error::ClientError,
    options::{ClientOptions, LeadingOptions},
    session::Session,
};

/// A command of the client.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Store an API key for a server.
    Login(Leaf<account::Login>),
    /// Remove the stored API key.
    Logout(Leaf<account::Logout>),
    /// Show the workspace and the permissions of the API key.
    Whoami(Leaf<account::Whoami>),
    /// List, create, pause and resume inboxes.
    Inboxes(Group<inboxes::Command>),
    /// Send a message.
    Send(Leaf<send::Send>),
    /// Reply to a message in its thread.
    Reply(Leaf<send::Reply>),
    /// List and read messages.
    Messages(Group<messages::Command>),
    /// List and read threads.
    Threads(Group<threads::Command>),
    /// Search the messages of all inboxes.
    Search(Leaf<search::Search>),
    /// Wait for a sign-in code or link and print it.
    WaitCode(Leaf<wait_code::WaitCode>),
    /// Print events as they happen.
    Tail(Leaf<tail::Tail>),
    /// Pass events to a server or program on this machine.
    Listen(Leaf<listen::Listen>),
    /// Make an event happen, for a test.
    Trigger(Leaf<trigger::Trigger>),
    /// Test an agent with attack mails on a service that is thrown away.
    Rehearse(Leaf<rehearse::Rehearse>),
    /// List, read, send, approve and send back drafts.
    Drafts(Group<drafts::Command>),
    /// List, read and change contacts.
    Contacts(Group<contacts::Command>),
    /// List, read, search, add and delete knowledge documents.
    Knowledge(Group<knowledge::Command>),
    /// List, create, delete and replay webhooks.
    Webhooks(Group<webhooks::Command>),
    /// List, add and verify custom domains.
    Domains(Group<domains::Command>),
    /// List, create and revoke API keys.
    Keys(Group<keys::Command>),
    /// Serve agents by MCP on standard input and output.
    Mcp(Leaf<mcp::Mcp>),
    /// Connect agents and editors to Posthouse.
    Agents(Group<agents::Command>),
    /// Open the dashboard, or a record in it.
    Open(Leaf<open::Open>),
    /// Check whether the server can be used; changes nothing.
    Doctor(Leaf<doctor::Doctor>),
    /// Print all commands, for programs.
    Commands(Leaf<tree::Commands>),
}

/// A command without commands of its own.
#[derive(Debug)]
pub struct Leaf<T: Args> {
    command: T,
    options: ClientOptions,
}

/// A command that has commands.
#[derive(Debug)]
pub struct Group<T: Subcommand> {
    command: T,
    options: ClientOptions,
}

deferred_arguments!(Leaf, Args, arguments, ClientOptions);
deferred_arguments!(Group, Subcommand, commands, ClientOptions);

impl Command {
    /// Returns the options that name a store, for a command that works on one.
    pub fn local_store(&mut self) -> Option<&mut keys::LocalStore> {
        match self {
            Self::Keys(given) => Some(given.command.store_mut()),
            _ => None,
        }
    }

    fn options(&self) -> &ClientOptions {
        match self {
            Self::Login(given) => &given.options,
            Self::Logout(given) => &given.options,
            Self::Whoami(given) => &given.options,
            Self::Inboxes(given) => &given.options,
            Self::Send(given) => &given.options,
            Self::Reply(given) => &given.options,
            Self::Messages(given) => &given.options,
            Self::Threads(given) => &given.options,
            Self::Search(given) => &given.options,
            Self::WaitCode(given) => &given.options,
            Self::Tail(given) => &given.options,
            Self::Listen(given) => &given.options,
            Self::Trigger(given) => &given.options,
            Self::Rehearse(given) => &given.options,
            Self::Drafts(given) => &given.options,
            Self::Contacts(given) => &given.options,
            Self::Knowledge(given) => &given.options,
            Self::Webhooks(given) => &given.options,
            Self::Domains(given) => &given.options,
            Self::Keys(given) => &given.options,
            Self::Mcp(given) => &given.options,
            Self::Agents(given) => &given.options,
            Self::Open(given) => &given.options,
            Self::Doctor(given) => &given.options,
            Self::Commands(given) => &given.options,
        }
    }
}

/// What the program knows that the client doesn't.
pub struct Program<'a> {
    /// Builds the command line of the whole program.
    pub tree: fn() -> clap::Command,
    /// The keys of a server on this machine.
    pub local_keys: &'a dyn keys::LocalKeys,
}

/// Runs a command and returns its exit code.
#[must_use]
pub fn run(command: Command, leading: LeadingOptions, program: &Program<'_>) -> ExitCode {
    let options = command.options().clone().with_leading(leading);
    let session = Session::new(options, Environment::of_process());
    let done = match command {
        // A store blocks, which a thread of the runtime must not.
        Command::Keys(given) if given.command.is_local() => {
            keys::run_on_store(&session, given.command, program.local_keys)
        }
        command => run_on_server(&session, command, program),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let error = error.with_help(|| named_command((program.tree)(), environment::arguments()));
            if !matches!(error, ClientError::OutputClosed) {
                session.output.error(&error);
            }
            ExitCode::from(error.exit_code())
        }
    }
}

fn run_on_server(session: &Session, command: Command, program: &Program<'_>) -> Result<(), ClientError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| ClientError::Failed(format!("the program can't start: {error}")))?;
    let done = runtime.block_on(execute(session, command, program.tree));
    // A thread that still reads standard input must not delay the end.
    runtime.shutdown_background();
    done
}

/// Returns the name of the command that these arguments call, such as `drafts send`; empty if they call none.
#[must_use]
pub fn named_command(mut tree: clap::Command, arguments: impl Iterator<Item = OsString>) -> String {
    tree.build();
    let (mut command, mut names) = (&tree, Vec::new());
    let mut arguments = arguments.map(|argument| argument.to_string_lossy().into_owned());
    while let Some(argument) = arguments.next() {
        match argument.strip_prefix('-') {
            Some("-") => break,
            Some(_) if argument.contains('=') => {}
            Some(option) => {
                if takes_value(command, option) {
                    arguments.next();
                }
            }
            None => match command.find_subcommand(&argument) {
                Some(below) => {
                    names.push(below.get_name().to_owned());
                    command = below;
                }
                None => break,
            },
        }
    }
    names.join(" ")
}

/// Returns whether the next argument is the value of an option, which is written without its first hyphen.
fn takes_value(command: &clap::Command, option: &str) -> bool {
    let is_it = |argument: &&clap::Arg| match option.strip_prefix('-') {
        Some(long) => argument.get_long() == Some(long),
        None => argument.get_short().is_some_and(|short| option.chars().eq([short])),
    };
    command.get_arguments().find(is_it).is_some_and(|argument| argument.get_action().takes_values())
}

async fn execute(session: &Session, command: Command, tree: fn() -> clap::Command) -> Result<(), ClientError> {
    match command {
        Command::Login(given) => account::login(session, given.command).await,
        Command::Logout(given) => account::logout(session, given.command),
        Command::Whoami(given) => account::whoami(session, given.command).await,
        Command::Inboxes(given) => inboxes::run(session, given.command).await,
        Command::Send(given) => send::send(session, given.command).await,
        Command::Reply(given) => send::reply(session, given.command).await,
        Command::Messages(given) => messages::run(session, given.command).await,
        Command::Threads(given) => threads::run(session, given.command).await,
        Command::Search(given) => search::run(session, given.command).await,
        Command::WaitCode(given) => wait_code::run(session, given.command).await,
        Command::Tail(given) => tail::run(session, given.command).await,
        Command::Listen(given) => listen::run(session, given.command).await,
        Command::Trigger(given) => trigger::run(session, given.command).await,
        Command::Rehearse(given) => rehearse::run(session, given.command).await,
        Command::Drafts(given) => drafts::run(session, given.command).await,
        Command::Contacts(given) => contacts::run(session, given.command).await,
        Command::Knowledge(given) => knowledge::run(session, given.command).await,
        Command::Webhooks(given) => webhooks::run(session, given.command).await,
        Command::Domains(given) => domains::run(session, given.command).await,
        Command::Keys(given) => keys::run(session, given.command).await,
        Command::Mcp(given) => mcp::run(session, given.command).await,
        Command::Agents(given) => agents::run(session, given.command),
        Command::Open(given) => open::run(session, given.command).await,
        Command::Doctor(given) => doctor::run(session, given.command).await,
        Command::Commands(given) => tree::run(session, given.command, tree),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser, Debug)]
    struct Arguments {
        #[command(subcommand)]
        command: Command,
    }

    fn parsed(arguments: &[&str]) -> Result<String, clap::Error> {
        let program = Arguments::try_parse_from([&["posthouse"], arguments].concat())?;
        Ok(format!("{:?}", program.command))
    }

    #[test]
    fn the_command_is_named_wherever_its_options_are() {
        use clap::CommandFactory;
        for (arguments, name) in [
            (&["whoami", "--jsn"][..], "whoami"),
            (&["--json", "drafts", "send"], "drafts send"),
            (&["drafts", "--profile", "keys", "send-back", "ID"], "drafts send-back"),
            (&["agents", "--profile=keys", "setup", "cursor"], "agents setup"),
            (&["send", "keys"], "send"),
            (&["drafts", "lst"], "drafts"),
            (&["drafts", "--", "list"], "drafts"),
            (&["fly"], ""),
            (&[], ""),
        ] {
            let arguments = arguments.iter().map(OsString::from);
            assert_eq!(named_command(Arguments::command(), arguments), name);
        }
    }

    #[test]
    fn texts_may_begin_with_a_hyphen() {
        for arguments in [
            &["send", "ID", "--to", "a@b.example", "--subject", "-s", "--text", "- one"][..],
            &["reply", "ID", "--text", "- one"],
            &["drafts", "send-back", "ID", "--note", "- one"],
            &["trigger", "webhook.test", "--subject", "-s", "--text", "- one"],
            &["search", "- one"],
        ] {
            let shown = parsed(arguments).unwrap();
            assert!(shown.contains("\"- one\""), "{shown}");
        }
    }

    #[test]
    fn a_search_begins_with_a_hyphen_and_keeps_its_options() {
        let shown = parsed(&["search", "-refund", "order", "--inbox", "ID", "1042", "--json"]).unwrap();
        for part in ["query: \"-refund\"", "more: [\"order\", \"1042\"]", "inbox: Some(\"ID\")", "json: true"] {
            assert!(shown.contains(part), "{shown}");
        }
        for wrong in [&["search"][..], &["search", "--inobx", "ID", "order"]] {
            assert_eq!(parsed(wrong).unwrap_err().exit_code(), 2, "{wrong:?}");
        }
    }
}
