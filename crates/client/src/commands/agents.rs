//! `posthouse agents setup`: connects an agent or editor to Posthouse by its configuration file.
//!
//! The file gets the command of the MCP server and no key: the server uses the stored one.

mod edit;
mod harness;

use std::{
    fs,
    path::{Path, PathBuf},
};

use clap::{Args, Subcommand};
use serde_json::json;

use super::input;
use crate::{environment, error::ClientError, profiles, session::Session};
use edit::{Entry, by_hand, edited};
use harness::{Harness, HarnessName};

/// What a kept copy of a changed file is called, after its name.
const COPY_ENDING: &str = ".before-posthouse";

/// Commands for agents.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Write the MCP server into the configuration of an agent or editor.
    Setup(Setup),
}

const EXAMPLES: &str = "\
Examples:
  Show the change, and ask:
    posthouse agents setup claude-code
  An agent that may only read mail:
    posthouse agents setup cursor --profile-tools read --yes
  Undo it:
    posthouse agents setup cursor --remove

The file gets no API key: posthouse mcp uses the stored one, see posthouse login.";

/// Options of `posthouse agents setup`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Setup {
    /// Agent or editor.
    #[arg(value_enum, value_name = "CLIENT")]
    client: HarnessName,
    /// Tools that it gets: read, reply, admin or all.
    #[arg(long, value_name = "NAME", value_parser = ["read", "reply", "admin", "all"])]
    profile_tools: Option<String>,
    /// Don't ask.
    #[arg(long, conflicts_with = "print")]
    yes: bool,
    /// Only print the change.
    #[arg(long)]
    print: bool,
    /// Remove the MCP server again.
    #[arg(long)]
    remove: bool,
}

/// Runs a command for agents.
pub(crate) fn run(session: &Session, command: Command) -> Result<(), ClientError> {
    let Command::Setup(given) = command;
    let harness = Harness::of(given.client);
    let path = harness.path(&session.environment)?;
    // A link to a file elsewhere stays a link.
    let path = fs::canonicalize(&path).unwrap_or(path);
    let before = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(ClientError::Failed(format!("cannot read {}: {error}", path.display()))),
    };
    let entry = entry(session, &given);
    let after = edited(&harness, &before, (!given.remove).then_some(&entry)).map_err(|why| {
        let advice = by_hand(&harness, &entry);
        ClientError::Failed(format!("{} {why}; change it by hand: {advice}", path.display()))
    })?;
    let result = json!({ "client": harness.title, "path": path.display().to_string(), "changed": before != after });
    if before == after && (given.remove || !given.print) {
        return session.output.sentence(&format!("{} is already as it should be.", path.display()), &result);
    }
    show_change(session, &path, &before, &after)?;
    if given.print {
        return if given.remove { Ok(()) } else { print(session, &harness, &path, &entry) };
    }
    if !given.yes && !confirmed(session)? {
        return Err(ClientError::Failed("nothing was changed".to_owned()));
    }
    if given.remove && is_ours(&harness, &path, &after) {
        delete(&path, harness.root(&session.environment))?;
    } else {
        write(&path, &before, &after)?;
    }
    let done = if given.remove { "disconnected" } else { "connected" };
    session.output.sentence(&format!("{} is {done}; start it again to use the change.", harness.title), &result)
}

fn entry(session: &Session, given: &Setup) -> Entry {
    let mut args = vec!["mcp".to_owned()];
    for (option, value) in [
        ("--base-url", session.given_base_url()),
        ("--profile", session.given_profile()),
        ("--profile-tools", given.profile_tools.clone()),
    ] {
        if let Some(value) = value {
            args.extend([option.to_owned(), value]);
        }
    }
    let program = environment::program().map(|path| path.display().to_string());
    Entry { command: program.unwrap_or_else(|| "posthouse".to_owned()), args }
}

/// Prints the entry as a file without other entries has it: what else the file holds may be secret.
fn print(session: &Session, harness: &Harness, path: &Path, entry: &Entry) -> Result<(), ClientError> {
    let snippet = edited(harness, "", Some(entry)).map_err(ClientError::Failed)?;
    let result = json!({ "client": harness.title, "path": path.display().to_string(), "snippet": snippet });
    session.output.single_text(&snippet, &result)
}

/// Prints the lines that change.
fn show_change(session: &Session, path: &Path, before: &str, after: &str) -> Result<(), ClientError> {
    if before == after {
        session.output.note(&format!("{} is already as it should be.", path.display()));
        return Ok(());
    }
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let same_start = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let rest = old.len().min(new.len()) - same_start;
    let same_end = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    session.output.note(&format!("Change of {}:", path.display()));
    for line in &old[same_start..old.len() - same_end] {
        session.output.note(&format!("- {line}"));
    }
    for line in &new[same_start..new.len() - same_end] {
        session.output.note(&format!("+ {line}"));
    }
    Ok(())
}

fn confirmed(session: &Session) -> Result<bool, ClientError> {
    if !input::is_terminal() {
        return Err(ClientError::Usage("standard input is no terminal; pass --yes to write the change".to_owned()));
    }
    session.output.prompt("Write this change? [y/N] ");
    let mut line = String::new();
    std::io::stdin()
        .read_line(&mut line)
        .map_err(|error| ClientError::Failed(format!("cannot read standard input: {error}")))?;
    Ok(matches!(line.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}

/// Returns whether a file without the entry has nothing else, and wasn't there before the entry: then no copy was kept.
fn is_ours(harness: &Harness, path: &Path, after: &str) -> bool {
    edit::is_blank(harness, after) && !copy_of(path).exists()
}

/// Deletes a file, and the directories of it that are empty then.
fn delete(path: &Path, root: Option<&Path>) -> Result<(), ClientError> {
    fs::remove_file(path).map_err(|error| ClientError::Failed(format!("cannot remove {}: {error}", path.display())))?;
    let below = |directory: &&Path| root.is_some_and(|root| directory.starts_with(root) && *directory != root);
    for directory in path.ancestors().skip(1).take_while(below) {
        if fs::remove_dir(directory).is_err() {
            break;
        }
    }
    Ok(())
}

/// Returns where the copy of a file is kept.
fn copy_of(path: &Path) -> PathBuf {
    let mut copy = path.as_os_str().to_owned();
    copy.push(COPY_ENDING);
    PathBuf::from(copy)
}

/// Writes the file and keeps a copy of what it was. A second change keeps the first copy: it is what the person had.
fn write(path: &Path, before: &str, after: &str) -> Result<(), ClientError> {
    use std::os::unix::fs::PermissionsExt;
    let failed = |error| ClientError::Failed(format!("cannot write {}: {error}", path.display()));
    let mode = fs::metadata(path).map_or(0o600, |file| file.permissions().mode() & 0o777);
    if !before.is_empty() {
        let copy = copy_of(path);
        if !(copy.exists() && before.contains(edit::NAME)) {
            profiles::write_whole(&copy, before.as_bytes(), mode).map_err(failed)?;
        }
    }
    profiles::write_whole(path, after.as_bytes(), mode).map_err(failed)
}
