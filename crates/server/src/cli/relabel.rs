//! `posthouse admin relabel`.

use clap::Args;
use serde_json::json;

use super::options::GlobalOptions;
use super::outcome::{CommandEffect, CommandError, OutputOptions, print};
use super::runtime;
use crate::boot;
use posthouse_app::inbound::relabel::{self, RelabelTotals};

/// Options of `posthouse admin relabel`.
#[derive(Args, Debug)]
pub(super) struct Options {
    /// Only count the messages that would change.
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    output: OutputOptions,
}

pub(super) fn run(given: &Options, options: &GlobalOptions) -> Result<(), CommandError> {
    let config = options.load_with_store()?;
    let done = runtime()?.block_on(async {
        let service = boot::bare_program(&config)?;
        let done = relabel::run(&service, given.dry_run).await.map_err(|refusal| CommandError::failed(refusal.message));
        boot::close(service.store.clone()).await;
        done
    })?;
    let RelabelTotals { read, changed, unreadable } = done;
    let json = json!({ "read": read, "changed": changed, "unreadable": unreadable, "dry_run": given.dry_run });
    let verb = if given.dry_run { "would change" } else { "changed" };
    let mut text = format!("Read {read} received messages; {changed} {verb}.");
    if unreadable > 0 {
        text.push_str(&format!(
            " {unreadable} could not be read and are unchanged: see the log, and run `posthouse check`."
        ));
    }
    let done = if given.dry_run { CommandEffect::Nothing } else { CommandEffect::This(text.clone()) };
    print(&given.output, &json, &text, &done)
}
