//! `posthouse admin relabel`.

use clap::{Args, Subcommand};
use serde_json::json;

use super::{Common, Done, Failure, print, runtime};
use crate::{
    app::relabel::{self, Relabeled},
    boot,
};

#[derive(Subcommand, Debug)]
pub(super) enum Command {
    /// Read the raw bytes of received mail again and set author and labels by today's rules, also while the service runs.
    Relabel(Relabel),
}

#[derive(Args, Debug)]
pub(super) struct Relabel {
    /// Only count what would change.
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    common: Common,
}

pub(super) fn run(command: Command) -> Result<(), Failure> {
    let Command::Relabel(given) = command;
    let config = given.common.load()?;
    let done = runtime()?.block_on(async {
        let app = boot::bare_program(&config)?;
        let done = relabel::run(&app, given.dry_run).await.map_err(|refusal| Failure::failed(refusal.message));
        boot::close(app.store.clone()).await;
        done
    })?;
    let Relabeled { read, changed, unreadable } = done;
    let json = json!({ "read": read, "changed": changed, "unreadable": unreadable, "dry_run": given.dry_run });
    let verb = if given.dry_run { "would change" } else { "changed" };
    let mut text = format!("Read {read} received messages; {changed} {verb}.");
    if unreadable > 0 {
        text.push_str(&format!(
            " {unreadable} could not be read and stay as they are: see the log, and run `posthouse check`."
        ));
    }
    let told = if given.dry_run { Done::Nothing } else { Done::This(text.clone()) };
    print(&given.common, &json, &text, &told)
}
