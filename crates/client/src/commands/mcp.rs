//! `posthouse mcp`: an MCP server on standard input and output that passes every message on to `/mcp` of a server.
//!
//! It adds what only a program on the user's machine can do: it starts without a key and signs up, and it reads files
//! that a tool names by their path. Standard output has messages of the protocol only.

mod bridge;
mod channel;
mod events;
mod files;
mod keyless;
mod lines;
mod messages;
mod saving;
mod signup;
mod uploads;

use std::path::PathBuf;

use clap::Args;

use super::tail::SubscriptionOptions;
use crate::{api::Api, environment::SERVICE_API_KEY, error::ClientError, http::Http, profiles, session::Session};
use bridge::Bridge;
use files::FileAccess;

/// Largest file of `--save-key` in bytes.
const KEY_FILE_BYTES_MAX: u64 = 4_096;

const EXAMPLES: &str = "\
Examples:
  Let posthouse write the configuration of an agent:
    posthouse agents setup claude-code
  In any other client, as the command of the server:
    posthouse mcp --base-url https://mail.example.com --profile-tools all
  Push events into a session of Claude Code, which is started with
  --dangerously-load-development-channels server:posthouse:
    posthouse mcp --channel --inbox support@agents.example
  Start without a key, and keep the one that the agent gets by signing up:
    posthouse mcp --save-key ~/.config/posthouse/agent.env

Attachments can name a file by its path. The file must be below the directory
that the command runs in, or below one of --files, and not be hidden.";

/// Options of `posthouse mcp`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Mcp {
    /// Tools to offer: read, reply, admin or all.
    #[arg(long, value_name = "NAME", default_value = "reply", value_parser = ["read", "reply", "admin", "all"])]
    profile_tools: String,
    /// File for the key of a sign-up; without another key, it is read at the start.
    #[arg(long, value_name = "FILE")]
    save_key: Option<PathBuf>,
    /// Directory whose files may be attached; repeatable [default: the one that the
    /// command runs in, unless it is / or your home].
    #[arg(long, value_name = "DIR")]
    files: Vec<PathBuf>,
    /// Push events into the session, for clients that support channels.
    #[arg(long)]
    channel: bool,
    /// With --channel: id or address of an inbox; repeatable [default: all].
    #[arg(long, value_name = "INBOX", requires = "channel")]
    inbox: Vec<String>,
    /// With --channel: type of event; repeatable [default: received, released and
    /// bounced messages, and sent drafts].
    #[arg(long, value_name = "TYPE", requires = "channel")]
    event: Vec<String>,
}

/// Passes messages on until standard input ends.
pub(crate) async fn run(session: &Session, given: Mcp) -> Result<(), ClientError> {
    let credentials = session.credentials()?;
    let key = match (credentials.key, &given.save_key) {
        (Some(key), _) => Some(key),
        (None, Some(path)) => saved_key(path)?,
        (None, None) => None,
    };
    let files = FileAccess::new(given.files, session.environment.home.as_deref())?;
    let api = Api::new(Http::new(credentials.base)?, key.clone());
    let channel = given.channel.then(|| SubscriptionOptions::of(given.inbox, given.event));
    Bridge::new(api, key, given.profile_tools, given.save_key, files).with_channel(channel).run().await
}

/// Reads the key that an earlier sign-up stored.
fn saved_key(path: &std::path::Path) -> Result<Option<String>, ClientError> {
    let unreadable = |why: String| ClientError::Failed(format!("cannot read --save-key {}: {why}", path.display()));
    match std::fs::metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(error.to_string())),
        Ok(file) if file.len() > KEY_FILE_BYTES_MAX => return Err(unreadable("it is too large".to_owned())),
        Ok(_) => {}
    }
    let text = std::fs::read_to_string(path).map_err(|error| unreadable(error.to_string()))?;
    let prefix = format!("{SERVICE_API_KEY}=");
    let key = text.lines().find_map(|line| line.trim().strip_prefix(&prefix)).map(str::trim);
    key.filter(|key| !key.is_empty())
        .map(|key| Some(key.to_owned()))
        .ok_or_else(|| unreadable(format!("it has no line {prefix}KEY; remove the file, or name another")))
}

/// Stores the key of a sign-up for the next start.
///
/// # Errors
/// Fails if the file can't be written.
fn save_key(path: &std::path::Path, key: &str) -> Result<(), ClientError> {
    profiles::write_whole(path, format!("{SERVICE_API_KEY}={key}\n").as_bytes(), 0o600)
        .map_err(|error| ClientError::Failed(format!("cannot write --save-key {}: {error}", path.display())))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn the_key_of_a_sign_up_is_private_and_read_back() {
        let home = std::env::temp_dir().join(format!("posthouse-client-save-key-{}", std::process::id()));
        let path = home.join("agent.env");
        assert_eq!(saved_key(&path).unwrap(), None);
        save_key(&path, "ph_one").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "SERVICE_API_KEY=ph_one\n");
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(saved_key(&path).unwrap().as_deref(), Some("ph_one"));
        std::fs::write(&path, "OTHER=x\n").unwrap();
        assert!(saved_key(&path).unwrap_err().to_string().contains("SERVICE_API_KEY=KEY"));
        std::fs::remove_dir_all(&home).unwrap();
    }
}
