//! Runs the real binary as a command and captures its output and exit code.

use std::{
    path::Path,
    process::{Command, Output, Stdio},
};

use serde_json::Value;

use crate::process::binary;

/// The output and exit code of a command.
#[derive(Debug)]
pub struct CommandResult {
    /// The exit code, or -1 if a signal ended the process.
    pub code: i32,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

/// Builds a command of the binary with these arguments in `dir`, which holds the `posthouse.toml` of
/// [`crate::process::ServiceProcess`].
#[must_use]
pub fn command(dir: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(binary());
    command.args(arguments).args(["--config", "posthouse.toml"]).current_dir(dir).stdin(Stdio::null());
    command
}

/// Runs the command to its end.
///
/// # Panics
/// Panics if the binary can't be run.
#[must_use]
pub fn run(dir: &Path, arguments: &[&str]) -> CommandResult {
    CommandResult::of(command(dir, arguments).output().expect("the binary runs"))
}

impl CommandResult {
    /// Converts the output of a process.
    #[must_use]
    pub fn of(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Self { code: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) }
    }

    /// Returns the standard output of a successful command.
    ///
    /// # Panics
    /// Panics if the exit code is not 0.
    #[must_use]
    pub fn success(self) -> String {
        assert_eq!(self.code, 0, "{}\n{}", self.out, self.err);
        self.out
    }

    /// Returns the one JSON object that a command with this exit code printed.
    ///
    /// # Panics
    /// Panics if the exit code differs or the output is not one line of JSON.
    #[must_use]
    pub fn json(self, code: i32) -> Value {
        assert_eq!(self.code, code, "{}\n{}", self.out, self.err);
        assert_eq!(self.out.lines().count(), 1, "one line: {}", self.out);
        serde_json::from_str(&self.out).expect("the output is JSON")
    }
}
