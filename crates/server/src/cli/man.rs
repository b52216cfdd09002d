//! `posthouse man`.

use std::path::PathBuf;

use clap::{Args, CommandFactory};
use clap_mangen::Man;

use super::Cli;
use super::outcome::{CommandEffect, CommandError, print_text};

const EXAMPLES: &str = "\
Examples:
  Read the manual:
    posthouse man | man -l -
  Install the pages of all commands:
    posthouse man --out /usr/local/share/man/man1";

/// Options of `posthouse man`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Options {
    /// Existing directory for the pages of all commands: posthouse.1, posthouse-serve.1 and so on.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub(super) fn run(given: &Options) -> Result<(), CommandError> {
    let command = Cli::command();
    if let Some(directory) = &given.out {
        return clap_mangen::generate_to(command, directory)
            .map_err(|error| CommandError::Failed(format!("cannot write to --out {}: {error}", directory.display())));
    }
    let mut page = Vec::new();
    Man::new(command).render(&mut page).map_err(CommandError::failed)?;
    print_text(String::from_utf8_lossy(&page).trim_end(), &CommandEffect::Nothing)
}
