//! Commands on the store as a whole: `migrate`, `backup`, `restore`.

use std::{
    fs::File,
    path::{Path, PathBuf},
};

use clap::Args;
use posthouse_store::{
    DatabaseUrl,
    backup::{self, ArchiveFile, BackupProgress, BackupStep, BackupSummary, OnProgress},
    totals::{self, StoreTotals},
};
use serde_json::json;

use super::options::GlobalOptions;
use super::outcome::{CommandEffect, CommandError, OutputOptions, print};
use super::{progress::ProgressLine, runtime};
use crate::{
    boot::{self, owner::WorkingAsOwner},
    config::{Configuration, absolute},
};

/// Entries of the data directory that a backup includes in addition to database and blobs: the instance key, and the
/// self-signed certificate, because senders may have pinned it.
const FOLDERS: &[&str] = &["instance.key", "tls"];

const MIB: u64 = 1 << 20;

/// Shown below the options.
const EXAMPLES: &str = "\
Examples:
  Save all data, also while the service runs:
    posthouse backup /backup/posthouse.tar
  Restore it into a new directory, then start the service with it:
    posthouse restore /backup/posthouse.tar --data-dir /var/lib/posthouse-new
    posthouse serve --data-dir /var/lib/posthouse-new";

/// Options of `posthouse backup FILE` and `posthouse restore FILE`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Archive {
    /// The backup, a tar file.
    file: PathBuf,
    #[command(flatten)]
    output: OutputOptions,
}

pub(super) fn migrate(output: &OutputOptions, options: &GlobalOptions) -> Result<(), CommandError> {
    let config = options.load_with_store()?;
    let applied = boot::migrate(&config)?;
    let text = match applied.as_slice() {
        [] => "The schema is up to date.".to_owned(),
        names => format!("Applied {}.", names.join(", ")),
    };
    print(output, &json!({ "applied": applied }), &text, &CommandEffect::This("the schema is up to date".to_owned()))
}

pub(super) fn backup(given: &Archive, options: &GlobalOptions) -> Result<(), CommandError> {
    is_file(&given.file)?;
    let config = options.load_as_caller()?;
    // The archive is a file of the user who runs this; all else is read as the owner of the store.
    let owner = WorkingAsOwner::begin(&config)?;
    boot::require_store(&config)?;
    boot::check_store_identity(&config)?;
    let totals = totals(&config)?;
    let archive = owner.as_caller(|| ArchiveFile::create(&absolute(&given.file)))??;
    let saved = save(&config, &archive, owner.is_another());
    let contents = owner.as_caller(|| match saved {
        Ok(contents) => archive.keep().map(|()| contents).map_err(CommandError::from),
        Err(error) => {
            archive.discard();
            Err(error)
        }
    })??;
    done(given, "Saved", contents, totals)
}

/// Writes the archive. With `in_data_dir`, the temporary copy of the database isn't next to the archive.
fn save(config: &Configuration, archive: &ArchiveFile, in_data_dir: bool) -> Result<BackupSummary, CommandError> {
    let source = backup::BackupSource {
        database: boot::database_url(config)?,
        data_dir: config.data_dir.clone(),
        folders: FOLDERS.iter().map(|name| (*name).to_owned()).collect(),
    };
    let blobs = boot::open_blobs(config)?;
    let copy = archive.database_copy(in_data_dir.then_some(config.data_dir.as_path()));
    let mut line = ProgressLine::on_terminal();
    let mut show = line.as_mut().map(|line| |progress| line.show(|| backup_text(progress)));
    let on_progress = show.as_mut().map(|show| show as OnProgress<'_>);
    Ok(runtime()?.block_on(backup::save_with_progress(&source, &blobs, archive, &copy, on_progress))?)
}

pub(super) fn restore(given: &Archive, options: &GlobalOptions) -> Result<(), CommandError> {
    is_file(&given.file)?;
    // Before root becomes the owner of the store, who may be unable to read the archive.
    let archive = File::open(&given.file);
    let config = options.load()?;
    let DatabaseUrl::Sqlite(database) = boot::inspect::database_url(&config)? else {
        return Err(CommandError::Failed(
            "restore works only with the embedded database; for PostgreSQL, use its own tools".to_owned(),
        ));
    };
    let archive =
        archive.map_err(|error| CommandError::Failed(format!("{}: {error}", absolute(&given.file).display())))?;
    let blobs = boot::open_blobs(&config)?;
    let target = backup::RestoreTarget { data_dir: &config.data_dir, database: &database, blobs: &blobs };
    let contents = {
        // Its end removes the line before the result is printed.
        let mut line = ProgressLine::on_terminal();
        let mut show = |progress| {
            if let Some(line) = &mut line {
                line.show(|| restore_text(progress));
            }
        };
        runtime()?.block_on(backup::restore_with_progress(archive, target, &mut show))?
    };
    let totals = totals(&config)?;
    done(given, "Restored", contents, totals)
}

/// Rejects `-`, which other programs use for standard input or output.
fn is_file(path: &Path) -> Result<(), CommandError> {
    if path == Path::new("-") {
        let what = "FILE must be the path of a file, such as /backup/posthouse.tar; for a file named -, pass ./-";
        return Err(CommandError::Usage(what.to_owned()));
    }
    Ok(())
}

fn backup_text(progress: BackupProgress) -> String {
    let BackupProgress { step, done, total } = progress;
    match step {
        BackupStep::Database => format!("Saving: {done} of {total} files, copying the database"),
        BackupStep::Files | BackupStep::Check => format!("Saving: {done} of {total} files"),
    }
}

fn restore_text(progress: BackupProgress) -> String {
    let BackupProgress { step, done, total } = progress;
    match step {
        BackupStep::Check => "Restoring: checking the database".to_owned(),
        BackupStep::Files | BackupStep::Database => format!("Restoring: {} of {} MiB", done / MIB, total.div_ceil(MIB)),
    }
}

/// Returns what the store holds.
fn totals(config: &Configuration) -> Result<StoreTotals, CommandError> {
    let store = boot::open_store(config)?;
    let found = store.read_blocking(totals::of_store);
    store.close();
    Ok(found?)
}

fn done(given: &Archive, what: &str, contents: BackupSummary, holds: StoreTotals) -> Result<(), CommandError> {
    let file = given.file.display().to_string();
    let StoreTotals { workspaces, inboxes, messages } = holds;
    let text = format!(
        "{what} the database ({workspaces} workspaces, {inboxes} inboxes, {messages} messages), {} blobs and {} other \
         files: {file}",
        contents.blobs, contents.files
    );
    let json = json!({
        "file": file, "blobs": contents.blobs, "files": contents.files,
        "workspaces": workspaces, "inboxes": inboxes, "messages": messages,
    });
    print(&given.output, &json, &text, &CommandEffect::This(text.clone()))
}
