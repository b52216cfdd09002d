//! One run of the real binary as a command: what it printed, and how it ended.

use std::{
    path::Path,
    process::{Command, Output, Stdio},
};

use serde_json::Value;

use crate::process::binary;

/// What a command did.
#[derive(Debug)]
pub struct Ran {
    /// The exit code; -1 where a signal ended it.
    pub code: i32,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

/// The binary with these arguments in `dir`, which has the `posthouse.toml` of [`crate::process::Process`].
#[must_use]
pub fn command(dir: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(binary());
    command.args(arguments).args(["--config", "posthouse.toml"]).current_dir(dir).stdin(Stdio::null());
    command
}

/// Runs it to its end.
///
/// # Panics
/// Where it cannot be run.
#[must_use]
pub fn run(dir: &Path, arguments: &[&str]) -> Ran {
    Ran::of(command(dir, arguments).output().expect("the binary runs"))
}

impl Ran {
    /// What a process left.
    #[must_use]
    pub fn of(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Self { code: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) }
    }

    /// What a command that did well printed.
    ///
    /// # Panics
    /// Where it did not.
    #[must_use]
    pub fn well(self) -> String {
        assert_eq!(self.code, 0, "{}\n{}", self.out, self.err);
        self.out
    }

    /// The one JSON object of a command that ended with that code.
    ///
    /// # Panics
    /// Where it ended otherwise or printed something else.
    #[must_use]
    pub fn json(self, code: i32) -> Value {
        assert_eq!(self.code, code, "{}\n{}", self.out, self.err);
        assert_eq!(self.out.lines().count(), 1, "one line: {}", self.out);
        serde_json::from_str(&self.out).expect("the output is JSON")
    }
}
