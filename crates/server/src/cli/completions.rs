//! `posthouse completions`.

use clap::{Args, CommandFactory, ValueEnum};
use clap_complete::{Shell, generate};

use super::Cli;
use super::outcome::{CommandEffect, CommandError, print_text};

/// Where the scripts belong.
const EXAMPLES: &str = "\
Examples:
  bash:
    mkdir -p ~/.local/share/bash-completion/completions
    cd ~/.local/share/bash-completion/completions
    posthouse completions bash > posthouse
  zsh, in a directory of $fpath:
    posthouse completions zsh > ~/.zfunc/_posthouse
  fish:
    posthouse completions fish > ~/.config/fish/completions/posthouse.fish";

/// Options of `posthouse completions`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Options {
    /// The shell.
    #[arg(value_enum)]
    shell: ShellName,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ShellName {
    Bash,
    Zsh,
    Fish,
}

pub(super) fn run(given: &Options) -> Result<(), CommandError> {
    let shell = match given.shell {
        ShellName::Bash => Shell::Bash,
        ShellName::Zsh => Shell::Zsh,
        ShellName::Fish => Shell::Fish,
    };
    let mut script = Vec::new();
    generate(shell, &mut Cli::command(), "posthouse", &mut script);
    print_text(String::from_utf8_lossy(&script).trim_end(), &CommandEffect::Nothing)
}
