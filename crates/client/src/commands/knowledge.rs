//! `posthouse knowledge list | get | search | add | delete`.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use serde_json::{Map, Value, json};

use super::input;
use super::list::{self, List, Paging};
use crate::{
    api::{Api, Call, Query, segment},
    error::ClientError,
    inbox,
    output::{Column, column},
    session::Session,
};

/// Endings of files that `add` reads in a folder.
const ENDINGS: [&str; 22] = [
    "md", "markdown", "txt", "text", "html", "htm", "rst", "adoc", "csv", "pdf", "docx", "xlsx", "pptx", "odt", "ods",
    "odp", "rtf", "epub", "tsv", "eml", "msg", "ics",
];
/// The most files that `add` reads.
const FILES_MAX: usize = 20_000;
/// The deepest folder that `add` reads.
const DEPTH_MAX: usize = 32;

/// Commands for knowledge documents.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// List documents, newest first.
    List(ListOptions),
    /// Show a document.
    Get(Get),
    /// Search documents by words and meaning.
    Search(Search),
    /// Add files, or all files of folders; files that were added before get a new version.
    Add(Add),
    /// Delete a document.
    Delete(Delete),
}

/// Options of `posthouse knowledge list`.
#[derive(Args, Debug)]
pub struct ListOptions {
    /// Only documents of this inbox (id or address).
    #[arg(long, value_name = "INBOX")]
    inbox: Option<String>,
    #[command(flatten)]
    paging: Paging,
}

/// Options of `posthouse knowledge get`.
#[derive(Args, Debug)]
pub struct Get {
    /// Id of the document.
    id: String,
}

/// Options of `posthouse knowledge search`.
#[derive(Args, Debug)]
pub struct Search {
    /// Words or a question.
    #[arg(required = true)]
    query: Vec<String>,
    /// Documents of this inbox (id or address) and of the whole workspace.
    #[arg(long, value_name = "INBOX")]
    inbox: Option<String>,
    /// Most documents.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=50))]
    limit: u32,
}

const ADD_EXAMPLES: &str = "\
Examples:
  posthouse knowledge add help/
  posthouse knowledge add returns.md --title Returns --inbox support@agents.example";

/// Options of `posthouse knowledge add`.
#[derive(Args, Debug)]
#[command(after_help = ADD_EXAMPLES)]
pub struct Add {
    /// Files or folders.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Inbox (id or address) that the documents are for; left out: every inbox.
    #[arg(long, value_name = "INBOX")]
    inbox: Option<String>,
    /// Title, for one file; left out: the file's name.
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
}

/// Options of `posthouse knowledge delete`.
#[derive(Args, Debug)]
pub struct Delete {
    /// Id of the document.
    id: String,
}

const COLUMNS: &[Column] = &[
    column("Title", "title"),
    column("Version", "version"),
    column("Changed", "updated_at"),
    column("Inbox", "inbox_id"),
    column("Source", "source_id"),
    column("Id", "id"),
];

const DETAILS: &[Column] = &[
    column("Title", "title"),
    column("Version", "version"),
    column("Inbox", "inbox_id"),
    column("Source", "source_id"),
    column("Created", "created_at"),
    column("Changed", "updated_at"),
    column("Id", "id"),
    column("Body", "body"),
];

const RESULTS: &[Column] = &[column("Title", "title"), column("Match", "snippet"), column("Id", "id")];

/// Runs a command for knowledge documents.
pub(crate) async fn run(session: &Session, command: Command) -> Result<(), ClientError> {
    let api = session.api()?;
    match command {
        Command::List(given) => {
            let query = Query::default().maybe("inbox_id", inbox_id(&api, given.inbox.as_deref()).await?);
            list::print(
                session,
                &api,
                List { path: "/v1/knowledge".into(), query, columns: COLUMNS, untrusted: "" },
                &given.paging,
            )
            .await
        }
        Command::Get(given) => {
            let document = api.json(Call::get(path(&given.id))).await?;
            session.output.object(&document, DETAILS)
        }
        Command::Search(given) => search(session, &api, given).await,
        Command::Add(given) => add(session, &api, given).await,
        Command::Delete(given) => {
            api.call(Call::delete(path(&given.id))).await?;
            session.output.sentence("Deleted.", &json!({ "deleted": true, "id": given.id }))
        }
    }
}

fn path(id: &str) -> String {
    format!("/v1/knowledge/{}", segment(id))
}

async fn inbox_id(api: &Api, inbox: Option<&str>) -> Result<Option<String>, ClientError> {
    match inbox {
        Some(inbox) => Ok(Some(inbox::find(api, inbox).await?.id)),
        None => Ok(None),
    }
}

async fn search(session: &Session, api: &Api, given: Search) -> Result<(), ClientError> {
    let query = Query::default()
        .with("q", given.query.join(" "))
        .maybe("inbox_id", inbox_id(api, given.inbox.as_deref()).await?)
        .with("limit", given.limit);
    let found = api.json(Call::get("/v1/knowledge/search").query(&query)).await?;
    session.output.items(found["data"].as_array().map_or(&[][..], Vec::as_slice), RESULTS)
}

/// Uploads every file; one that fails doesn't stop the others.
async fn add(session: &Session, api: &Api, given: Add) -> Result<(), ClientError> {
    let files = files_of(&given.paths)?;
    if given.title.is_some() && files.len() != 1 {
        return Err(ClientError::Usage("--title is for one file".into()));
    }
    let inbox = inbox_id(api, given.inbox.as_deref()).await?;
    let (mut added, mut failed) = (0, 0);
    for (number, file) in (1..).zip(&files) {
        session.output.progress(&format!("Adding {number} of {}: {}", files.len(), file.source));
        match upload(api, file, inbox.as_deref(), given.title.as_deref()).await {
            Ok(document) => {
                added += 1;
                session.output.progress("");
                session.output.object(&document, &COLUMNS[..2])?;
            }
            Err(error @ (ClientError::Unreachable(_) | ClientError::OutputClosed)) => return Err(error),
            Err(error) => {
                failed += 1;
                session.output.progress("");
                session.output.warn(&format!("{}: {}", file.source, error.lines().0));
            }
        }
    }
    session.output.progress("");
    if failed > 0 {
        return Err(ClientError::Failed(format!("{failed} of {} files weren't added", added + failed)));
    }
    Ok(())
}

/// A file to add.
struct SourceFile {
    path: PathBuf,
    /// The name of its source: the path from the folder that was named.
    source: String,
}

async fn upload(api: &Api, file: &SourceFile, inbox: Option<&str>, title: Option<&str>) -> Result<Value, ClientError> {
    let mut body = Map::new();
    body.insert("file".into(), input::attachment(&file.path)?);
    body.insert("source_id".into(), file.source.clone().into());
    body.insert("inbox_id".into(), inbox.into());
    if let Some(title) = title {
        body.insert("title".into(), title.into());
    }
    let mut document = api.json(Call::post("/v1/knowledge").body(body.into())).await?;
    if let Some(members) = document.as_object_mut() {
        members.remove("body");
    }
    Ok(document)
}

/// Returns the named files, and in folders all files whose text is read.
fn files_of(paths: &[PathBuf]) -> Result<Vec<SourceFile>, ClientError> {
    let mut found = Vec::new();
    for path in paths {
        let name =
            path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned());
        if path.is_dir() {
            folder(path, "", 0, &mut found)?;
        } else {
            found.push(SourceFile { path: path.clone(), source: name });
        }
    }
    if found.is_empty() {
        return Err(ClientError::Failed(format!(
            "no file ends with {}",
            ENDINGS.map(|end| format!(".{end}")).join(", ")
        )));
    }
    Ok(found)
}

/// Adds the files of a folder, in the order of their names. Hidden files and links to folders are skipped.
fn folder(path: &Path, below: &str, depth: usize, found: &mut Vec<SourceFile>) -> Result<(), ClientError> {
    let unreadable = |error: std::io::Error| ClientError::Failed(format!("{} can't be read: {error}", path.display()));
    let mut entries = std::fs::read_dir(path).and_then(Iterator::collect::<Result<Vec<_>, _>>).map_err(unreadable)?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let name = entry.file_name().to_string_lossy().into_owned();
        let kind = entry.file_type().map_err(unreadable)?;
        if name.starts_with('.') {
            continue;
        }
        let source = format!("{below}{name}");
        if kind.is_dir() && depth < DEPTH_MAX {
            folder(&entry.path(), &format!("{source}/"), depth + 1, found)?;
        } else if kind.is_file() && has_text(&name) {
            if found.len() >= FILES_MAX {
                return Err(ClientError::Failed(format!("there are more than {FILES_MAX} files; name fewer folders")));
            }
            found.push(SourceFile { path: entry.path(), source });
        }
    }
    Ok(())
}

fn has_text(name: &str) -> bool {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    ending.is_some_and(|ending| ENDINGS.contains(&ending.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_read_in_order_without_hidden_and_other_files() {
        let root = std::env::temp_dir().join(format!("posthouse-knowledge-{}", std::process::id()));
        std::fs::create_dir_all(root.join("b/.git")).unwrap();
        for name in ["c.md", "a.TXT", "b/d.html", "b/.git/e.md", "logo.png", ".hidden.md"] {
            std::fs::write(root.join(name), "x").unwrap();
        }
        let sources: Vec<String> =
            files_of(std::slice::from_ref(&root)).unwrap().into_iter().map(|file| file.source).collect();
        assert_eq!(sources, ["a.TXT", "b/d.html", "c.md"]);
        let one = files_of(&[root.join("logo.png")]).unwrap();
        assert_eq!(one[0].source, "logo.png", "a named file is the server's to refuse");
        std::fs::remove_dir_all(&root).unwrap();
    }
}
