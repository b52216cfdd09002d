//! Commands whose arguments are built when they are used: a program starts with one command and has a hundred.

use clap::{Args, Command, Subcommand, builder::Resettable};

/// Adds the arguments of a command.
#[must_use]
pub fn arguments<T: Args>(command: Command) -> Command {
    T::augment_args(command)
}

/// Adds the commands of a command, one of which is required.
#[must_use]
pub fn commands<T: Subcommand>(command: Command) -> Command {
    T::augment_subcommands(command).subcommand_required(true).arg_required_else_help(true)
}

/// Adds arguments to a command, but not what their struct says about itself: the command has its own description.
#[must_use]
pub fn described(command: Command, augment: impl FnOnce(Command) -> Command) -> Command {
    let (about, long_about) = (command.get_about().cloned(), command.get_long_about().cloned());
    augment(command).about(Resettable::from(about)).long_about(Resettable::from(long_about))
}

/// Parses a struct of `command`, which `$bound` reads, and `options`, and builds its arguments when the command is used.
#[macro_export]
macro_rules! deferred_arguments {
    ($name:ident, $bound:path, $augment:ident, $options:ty) => {
        impl<T: $bound> clap::FromArgMatches for $name<T> {
            fn from_arg_matches(matches: &clap::ArgMatches) -> Result<Self, clap::Error> {
                Self::from_arg_matches_mut(&mut matches.clone())
            }

            fn from_arg_matches_mut(matches: &mut clap::ArgMatches) -> Result<Self, clap::Error> {
                // The matches of a command below are taken out by the first reader.
                let options = <$options as clap::FromArgMatches>::from_arg_matches_mut(matches)?;
                Ok(Self { command: T::from_arg_matches_mut(matches)?, options })
            }

            fn update_from_arg_matches(&mut self, matches: &clap::ArgMatches) -> Result<(), clap::Error> {
                *self = Self::from_arg_matches(matches)?;
                Ok(())
            }
        }

        impl<T: $bound> clap::Args for $name<T> {
            fn augment_args(command: clap::Command) -> clap::Command {
                command.defer(|command| {
                    $crate::deferred::described(command, |command| {
                        <$options as clap::Args>::augment_args($crate::deferred::$augment::<T>(command))
                    })
                })
            }

            fn augment_args_for_update(command: clap::Command) -> clap::Command {
                Self::augment_args(command)
            }
        }
    };
}
