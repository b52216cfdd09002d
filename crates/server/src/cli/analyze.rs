//! `posthouse admin analyze`.

use clap::Args;
use serde_json::json;

use super::options::GlobalOptions;
use super::outcome::{CommandEffect, CommandError, OutputOptions, print};
use super::{runtime, workspace};
use crate::boot;
use posthouse_app::analysis::rerun::{self, RerunChoice};

/// Options of `posthouse admin analyze`.
#[derive(Args, Debug)]
pub(super) struct Options {
    /// Only mail of this workspace.
    #[arg(long, value_name = "ID")]
    workspace: Option<String>,
    /// Analyze mail again that has answers; otherwise only mail that failed or was skipped.
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    output: OutputOptions,
}

pub(super) fn run(given: &Options, options: &GlobalOptions) -> Result<(), CommandError> {
    let config = options.load_with_store()?;
    let id = given.workspace.as_deref().map(workspace::workspace_id).transpose()?;
    let choice = RerunChoice { workspace: id, all: given.all };
    let queued = runtime()?.block_on(async {
        let service = boot::bare_program(&config)?;
        let done = rerun::rerun(&service, choice).await.map_err(|refusal| CommandError::failed(refusal.message));
        boot::close(service.store.clone()).await;
        done
    })?;
    let text = format!("{queued} messages will be analyzed by the running server.");
    print(&given.output, &json!({ "queued": queued }), &text, &CommandEffect::This(text.clone()))
}
