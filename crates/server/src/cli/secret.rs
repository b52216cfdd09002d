//! `posthouse secret rotate`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use posthouse_store::ExclusiveAccess;
use serde_json::json;

use super::options::GlobalOptions;
use super::outcome::{CommandEffect, CommandError, OutputOptions, print};
use super::runtime;
use crate::boot;
use posthouse_app::keyring::rotate::{self, KeyRotation, RotationError};

#[derive(Subcommand, Debug)]
pub(super) enum Command {
    /// Encrypt all stored secrets with a new instance key; the service must be stopped.
    Rotate(Rotate),
}

/// Shown below the options.
const EXAMPLES: &str = "\
Example:
  systemctl stop posthouse
  posthouse secret rotate --config /etc/posthouse/posthouse.toml
  systemctl start posthouse";

#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Rotate {
    /// File for the new key; required if the key is the setting instance_key. Otherwise instance.key is replaced.
    #[arg(long, value_name = "FILE")]
    to: Option<PathBuf>,
    #[command(flatten)]
    output: OutputOptions,
}

pub(super) fn run(command: Command, options: &GlobalOptions) -> Result<(), CommandError> {
    let Command::Rotate(given) = command;
    let config = options.load_with_store()?;
    let url = boot::database_url(&config)?;
    let Some(_alone) = ExclusiveAccess::with(&url)? else {
        let why = "the service is running and would keep using the old key: stop all its processes, then try again";
        return Err(CommandError::Failed(why.to_owned()));
    };
    let rotated = runtime()?.block_on(async {
        let service = boot::bare_program(&config)?;
        let rotated = rotate::rotate(&service, given.to.as_deref()).await.map_err(|error| match error {
            RotationError::NoFile | RotationError::NeedlessFile => CommandError::Usage(error.to_string()),
            other => CommandError::failed(other),
        });
        boot::close(service.store.clone()).await;
        rotated
    })?;
    let json = json!({
        "secrets": rotated.secrets,
        "key_file": rotated.key.display().to_string(),
        "old_key_file": rotated.old.as_ref().map(|old| old.display().to_string()),
    });
    let text = summary(&rotated);
    print(&given.output, &json, &text, &CommandEffect::This(text.clone()))
}

fn summary(rotated: &KeyRotation) -> String {
    let done = match rotated.secrets {
        Some(count) => format!("Encrypted {count} secrets with a new instance key."),
        None => "The secrets are already encrypted with this key.".to_owned(),
    };
    let key = rotated.key.display();
    let next = match &rotated.old {
        Some(old) => format!(
            "The new key is {key};\nthe old key is {}.\nEarlier backups need the old key: keep it as long as you \
             keep them. Copy the new key to every\nmachine that serves this store, and make a backup.",
            old.display()
        ),
        None => format!(
            "The new key is in {key}: use it as the setting instance_key (or instance_key_file = \"{key}\")\n\
            before the next start. Earlier backups need the old key."
        ),
    };
    format!("{done}\n{next}")
}
