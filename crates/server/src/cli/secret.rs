//! `posthouse secret rotate`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use posthouse_store::Alone;
use serde_json::json;

use super::{Common, Done, Failure, print, runtime};
use crate::{
    app::rotate_key::{self, Rotated, RotationError},
    boot,
};

#[derive(Subcommand, Debug)]
pub(super) enum Command {
    /// Put everything that is sealed under a new instance key; the service must be stopped.
    Rotate(Rotate),
}

#[derive(Args, Debug)]
pub(super) struct Rotate {
    /// Where the new key goes when it is the setting `instance_key`; else it takes the place of `instance.key`.
    #[arg(long, value_name = "FILE")]
    to: Option<PathBuf>,
    #[command(flatten)]
    common: Common,
}

pub(super) fn run(command: Command) -> Result<(), Failure> {
    let Command::Rotate(given) = command;
    let config = given.common.load()?;
    let url = boot::database_url(&config)?;
    let Some(_alone) = Alone::with(&url)? else {
        let why = "the service runs and would go on with the key before: stop it (every process of it), then try again";
        return Err(Failure::Failed(why.to_owned()));
    };
    let rotated = runtime()?.block_on(async {
        let app = boot::bare_program(&config)?;
        let rotated = rotate_key::rotate(&app, given.to.as_deref()).await.map_err(|error| match error {
            RotationError::NoFile | RotationError::NeedlessFile => Failure::Usage(error.to_string()),
            other => Failure::failed(other),
        });
        boot::close(app.store.clone()).await;
        rotated
    })?;
    let json = json!({
        "secrets": rotated.secrets,
        "key_file": rotated.key.display().to_string(),
        "old_key_file": rotated.old.as_ref().map(|old| old.display().to_string()),
    });
    let text = told(&rotated);
    print(&given.common, &json, &text, &Done::This(text.clone()))
}

fn told(rotated: &Rotated) -> String {
    let done = match rotated.secrets {
        Some(count) => format!("Put {count} secrets under a new instance key."),
        None => "The secrets are under this key already.".to_owned(),
    };
    let key = rotated.key.display();
    let next = match &rotated.old {
        Some(old) => format!(
            "The new key is {key}; the one before is {}.\nBackups made until now need the old one: keep it as long as them. \
             Copy the new one to every\nmachine that serves this store, and make a backup.",
            old.display()
        ),
        None => format!(
            "The new key is in {key}: make it the setting instance_key (or instance_key_file = \"{key}\")\n\
             before the next start. Backups made until now need the key before."
        ),
    };
    format!("{done}\n{next}")
}
