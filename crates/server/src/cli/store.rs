//! Commands on the store as a whole: `migrate`, `backup`, `restore`.

use std::path::{Path, PathBuf};

use clap::Args;
use posthouse_store::backup::{self, Contents};
use serde_json::json;

use super::{Common, Done, Failure, print, runtime};
use crate::boot;

/// What of the data directory belongs to a backup beside database and blobs: what stored secrets are sealed with, and the
/// certificate that senders may have remembered.
const FOLDERS: &[&str] = &["instance.key", "tls"];

/// `posthouse backup FILE`, `posthouse restore FILE`.
#[derive(Args, Debug)]
pub(super) struct Archive {
    /// The archive, a tar file.
    file: PathBuf,
    #[command(flatten)]
    common: Common,
}

pub(super) fn migrate(common: &Common) -> Result<(), Failure> {
    let config = common.load()?;
    let applied = boot::migrate(&config)?;
    let text = match applied.as_slice() {
        [] => "The schema is up to date.".to_owned(),
        names => format!("Applied {}.", names.join(", ")),
    };
    print(common, &json!({ "applied": applied }), &text, &Done::This("the schema is up to date".to_owned()))
}

pub(super) fn backup(given: &Archive) -> Result<(), Failure> {
    is_file(&given.file)?;
    let config = given.common.load()?;
    boot::check_belonging(&config)?;
    let source = backup::Source {
        database: boot::database_url(&config)?,
        data_dir: config.data_dir.clone(),
        folders: FOLDERS.iter().map(|name| (*name).to_owned()).collect(),
    };
    let blobs = boot::open_blobs(&config)?;
    let contents = runtime()?.block_on(backup::save(&source, &blobs, &given.file))?;
    done(given, "Saved", contents)
}

pub(super) fn restore(given: &Archive) -> Result<(), Failure> {
    is_file(&given.file)?;
    let config = given.common.load()?;
    if config.database_url.as_deref().is_some_and(|url| !url.starts_with("sqlite:")) {
        return Err(Failure::Failed("restore is for the embedded database; use the tools of PostgreSQL".to_owned()));
    }
    let blobs = boot::open_blobs(&config)?;
    let contents = runtime()?.block_on(backup::restore(&given.file, &config.data_dir, &blobs))?;
    done(given, "Restored", contents)
}

/// Elsewhere `-` is standard output or input; here it would be a file of that name.
fn is_file(path: &Path) -> Result<(), Failure> {
    if path == Path::new("-") {
        let what = "FILE - must be a file: name one, such as /backup/posthouse.tar (one that is called so is ./-)";
        return Err(Failure::Usage(what.to_owned()));
    }
    Ok(())
}

fn done(given: &Archive, what: &str, contents: Contents) -> Result<(), Failure> {
    let file = given.file.display().to_string();
    let text = format!("{what} the database, {} blobs and {} other files: {file}", contents.blobs, contents.files);
    let json = json!({ "file": file, "blobs": contents.blobs, "files": contents.files });
    print(&given.common, &json, &text, &Done::This(text.clone()))
}
