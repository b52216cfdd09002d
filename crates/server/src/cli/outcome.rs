//! How a command ends: its result, or why it did not succeed.

use std::io::Write as _;

use clap::Args;
use posthouse_app::settings::problem::ConfigError;

use crate::boot::{BootError, owner::OwnerError};

/// Why a command did not succeed.
#[derive(Debug)]
pub(super) enum CommandError {
    /// Exit code 1.
    Failed(String),
    /// Exit code 2.
    Usage(String),
}

impl CommandError {
    pub(super) fn failed(cause: impl std::fmt::Display) -> Self {
        Self::Failed(cause.to_string())
    }

    pub(super) fn into_text(self) -> String {
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

impl From<BootError> for CommandError {
    fn from(error: BootError) -> Self {
        match error {
            BootError::Config(error) => error.into(),
            error @ BootError::ReadyFile { .. } => Self::Usage(error.to_string()),
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

/// Options of commands that print a result.
#[derive(Args, Clone, Debug)]
pub(super) struct OutputOptions {
    /// Print one JSON object.
    #[arg(long)]
    pub(super) json: bool,
}

/// What a command changed before it printed its result.
pub(super) enum CommandEffect {
    /// The command only read.
    Nothing,
    /// The command changed something; the text says what, in case the result can't be printed.
    This(String),
}

/// Prints a result as JSON or text. If standard output can't be written, the error states what was changed, because the
/// result may contain a secret that is shown only once.
pub(super) fn print(
    output: &OutputOptions,
    json: &serde_json::Value,
    text: &str,
    done: &CommandEffect,
) -> Result<(), CommandError> {
    if output.json { print_text(&json.to_string(), done) } else { print_text(text, done) }
}

/// [`print`] for a result that is always text.
pub(super) fn print_text(text: &str, done: &CommandEffect) -> Result<(), CommandError> {
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
