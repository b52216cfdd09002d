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
use edit::{Entry, Remains, added, by_hand, has_entry, removed};
use harness::{Harness, HarnessName};

/// What a kept copy of a changed file is called, after its name.
const COPY_ENDING: &str = ".before-posthouse";
/// Links that are followed to a file that doesn't exist; reading a path with more fails.
const LINKS_MAX: usize = 16;

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

The file gets no API key: posthouse mcp uses that of posthouse login.";

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
    let path = target(path);
    let setup = Change { session, harness, text: read(&path)?, path, given };
    if setup.given.remove { setup.undo() } else { setup.make() }
}

/// Follows the links at a path: a link to a file elsewhere stays a link, also if that file doesn't exist yet.
fn target(path: PathBuf) -> PathBuf {
    fs::canonicalize(&path).unwrap_or_else(|_| {
        let mut path = path;
        for _ in 0..LINKS_MAX {
            let Ok(next) = fs::read_link(&path) else { break };
            path = path.parent().unwrap_or(Path::new("")).join(next);
        }
        path
    })
}

/// The change of a configuration file.
struct Change<'a> {
    session: &'a Session,
    harness: Harness,
    path: PathBuf,
    /// The text of the file; `None` if there is no file.
    text: Option<String>,
    given: Setup,
}

impl Change<'_> {
    fn text(&self) -> &str {
        self.text.as_deref().unwrap_or_default()
    }

    /// Adds the MCP server.
    fn make(&self) -> Result<(), ClientError> {
        let (entry, before) = (entry(self.session, &self.given), self.text());
        let after = added(&self.harness, before, &entry).map_err(|why| self.unchangeable(&why, Some(&entry)))?;
        if self.given.print {
            self.show(&after)?;
            return print(self.session, &self.harness, &self.path, &entry);
        }
        if before == after {
            return self.unchanged();
        }
        self.show(&after)?;
        self.confirm()?;
        self.keep_copy()?;
        write(&self.path, &after, mode_of(&self.path))?;
        self.done("connected")
    }

    /// Removes the MCP server. The file is what it was before.
    fn undo(&self) -> Result<(), ClientError> {
        let copy = copy_of(&self.path);
        let unchangeable = |why: String| self.unchangeable(&why, None);
        if !has_entry(&self.harness, self.text()).map_err(unchangeable)? {
            return if self.given.print { Ok(()) } else { remove_copy(&copy).and_then(|()| self.unchanged()) };
        }
        let before = read(&copy)?;
        let remains = removed(&self.harness, self.text(), before.as_deref()).map_err(unchangeable)?;
        self.show(match &remains {
            Remains::File(text) => text,
            Remains::Nothing => "",
        })?;
        if self.given.print {
            return Ok(());
        }
        self.confirm()?;
        match remains {
            Remains::File(text) => write(&self.path, &text, mode_of(&self.path))?,
            Remains::Nothing => delete(&self.path, self.harness.root(&self.session.environment))?,
        }
        remove_copy(&copy)?;
        self.done("disconnected")
    }

    fn unchangeable(&self, why: &str, entry: Option<&Entry>) -> ClientError {
        let advice = by_hand(&self.harness, entry);
        ClientError::Failed(format!("{} {why}; change it by hand: {advice}", self.path.display()))
    }

    fn result(&self, changed: bool) -> serde_json::Value {
        json!({ "client": self.harness.title, "path": self.path.display().to_string(), "changed": changed })
    }

    fn unchanged(&self) -> Result<(), ClientError> {
        let sentence = format!("{} is already as it should be.", self.path.display());
        self.session.output.sentence(&sentence, &self.result(false))
    }

    fn done(&self, done: &str) -> Result<(), ClientError> {
        let sentence = format!("{} is {done}; start it again to use the change.", self.harness.title);
        self.session.output.sentence(&sentence, &self.result(true))
    }

    fn show(&self, after: &str) -> Result<(), ClientError> {
        show_change(self.session, &self.path, self.text(), after)
    }

    fn confirm(&self) -> Result<(), ClientError> {
        if self.given.yes || confirmed(self.session)? {
            return Ok(());
        }
        Err(ClientError::Failed("nothing was changed".to_owned()))
    }

    /// Keeps a copy of the file without our entry. A second change keeps the first copy: it is what the person had.
    fn keep_copy(&self) -> Result<(), ClientError> {
        let (copy, Some(text)) = (copy_of(&self.path), &self.text) else { return Ok(()) };
        if copy.exists() && has_entry(&self.harness, text).unwrap_or_default() {
            return Ok(());
        }
        write(&copy, text, mode_of(&self.path))
    }
}

/// Reads a file; `None` if it doesn't exist.
fn read(path: &Path) -> Result<Option<String>, ClientError> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(ClientError::Failed(format!("cannot read {}: {error}", path.display()))),
    }
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
    let snippet = added(harness, "", entry).map_err(ClientError::Failed)?;
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

fn remove_copy(copy: &Path) -> Result<(), ClientError> {
    match fs::remove_file(copy) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(ClientError::Failed(format!("cannot remove {}: {error}", copy.display())))
        }
        _ => Ok(()),
    }
}

/// Returns the permissions for a file: those that it has, or of the owner alone.
fn mode_of(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).map_or(0o600, |file| file.permissions().mode() & 0o777)
}

fn write(path: &Path, text: &str, mode: u32) -> Result<(), ClientError> {
    let failed = |error| ClientError::Failed(format!("cannot write {}: {error}", path.display()));
    profiles::write_whole(path, text.as_bytes(), mode).map_err(failed)
}
