//! `posthouse knowledge list | get | search | add | delete`.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

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
/// The most names of skipped files in a line.
const SKIPPED_SHOWN_MAX: usize = 5;
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
  posthouse knowledge add returns.md --title Returns --inbox help@agents.example";

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
    let FoundFiles { files, skipped } = FoundFiles::below(&given.paths)?;
    if given.title.is_some() && files.len() != 1 {
        return Err(ClientError::Usage("--title is for one file; leave it out".into()));
    }
    report_skipped(session, &skipped)?;
    if files.is_empty() {
        let endings = ENDINGS.map(|end| format!(".{end}")).join(", ");
        return Err(ClientError::Failed(format!("there is no file to add; name files that end with {endings}")));
    }
    let inbox = inbox_id(api, given.inbox.as_deref()).await?;
    let (mut added, mut failed) = (0, 0);
    for (number, file) in (1..).zip(&files) {
        session.output.progress(&format!("Adding {number} of {}: {}", files.len(), file.source));
        let done = upload(api, file, inbox.as_deref(), given.title.as_deref()).await;
        session.output.progress("");
        match done {
            Ok(document) => {
                added += 1;
                session.output.object(&document, &COLUMNS[..2])?;
            }
            Err(error @ (ClientError::Unreachable(_) | ClientError::OutputClosed)) => return Err(error),
            Err(error) => {
                failed += 1;
                let mut object = json!({ "source": file.source });
                object["error"] = error.to_json()["error"].take();
                session.output.incident(&format!("{}: {error}", file.source), &object)?;
            }
        }
    }
    if failed > 0 {
        let all = added + failed;
        return Err(ClientError::Failed(format!(
            "{failed} of {all} files weren't added; correct what the output says about each, and add those again"
        )));
    }
    Ok(())
}

/// Names what is not added: for a person in a line for each reason, for a program in one for each file.
fn report_skipped(session: &Session, skipped: &[SkippedFile]) -> Result<(), ClientError> {
    if !session.output.is_table() {
        let object = |file: &SkippedFile| json!({ "source": file.source, "skipped": file.reason.text() });
        return skipped.iter().try_for_each(|file| session.output.incident("", &object(file)));
    }
    for reason in SkipReason::ALL {
        let names: Vec<&str> =
            skipped.iter().filter(|file| file.reason == reason).map(|file| file.source.as_str()).collect();
        let shown = names.iter().take(SKIPPED_SHOWN_MAX).copied().collect::<Vec<_>>().join(", ");
        let more = names.len().saturating_sub(SKIPPED_SHOWN_MAX);
        match (names.len(), more) {
            (0, _) => {}
            (_, 0) => session.output.warn(&format!("Skipped ({}): {shown}", reason.text())),
            _ => session.output.warn(&format!("Skipped ({}): {shown} and {more} more", reason.text())),
        }
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

/// Why a file of a folder is not added.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum SkipReason {
    Hidden,
    Link,
    OtherType,
    NotAFile,
    TooDeep,
}

impl SkipReason {
    const ALL: [Self; 5] = [Self::Hidden, Self::Link, Self::OtherType, Self::NotAFile, Self::TooDeep];

    const fn text(self) -> &'static str {
        match self {
            Self::Hidden => "hidden",
            Self::Link => "a link; name its target to add it",
            Self::OtherType => "not a type whose text is read",
            Self::NotAFile => "not a file",
            Self::TooDeep => "in too many folders; name one of them",
        }
    }
}

/// A file or folder that is not added.
struct SkippedFile {
    source: String,
    reason: SkipReason,
}

/// The files to add, and the others of the same folders.
#[derive(Default)]
struct FoundFiles {
    files: Vec<SourceFile>,
    skipped: Vec<SkippedFile>,
}

impl FoundFiles {
    /// Finds the named files, and in folders all files whose text is read.
    fn below(paths: &[PathBuf]) -> Result<Self, ClientError> {
        let mut found = Self::default();
        for path in paths {
            let name =
                path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned());
            if path.is_dir() {
                found.folder(path, "", 0)?;
            } else {
                found.files.push(SourceFile { path: path.clone(), source: name });
            }
        }
        found.drop_repeated()?;
        Ok(found)
    }

    /// Leaves out files that were named twice.
    ///
    /// # Errors
    /// Fails if two files have one source: the second would become the next version of the first.
    fn drop_repeated(&mut self) -> Result<(), ClientError> {
        let mut places: HashMap<String, PathBuf> = HashMap::new();
        let mut kept = Vec::with_capacity(self.files.len());
        for file in std::mem::take(&mut self.files) {
            let place = file.path.canonicalize().unwrap_or_else(|_| file.path.clone());
            match places.get(&file.source) {
                Some(other) if *other == place => continue,
                Some(other) => {
                    return Err(ClientError::Usage(format!(
                        "{} and {} would both be the source {}, and one would replace the other; add a folder that holds \
                         both, or rename one",
                        other.display(),
                        place.display(),
                        file.source
                    )));
                }
                None => drop(places.insert(file.source.clone(), place)),
            }
            kept.push(file);
        }
        self.files = kept;
        Ok(())
    }

    /// Adds the files of a folder, in the order of their names.
    fn folder(&mut self, path: &Path, below: &str, depth: usize) -> Result<(), ClientError> {
        let unreadable =
            |error: std::io::Error| ClientError::Failed(format!("{} can't be read: {error}", path.display()));
        let mut entries =
            std::fs::read_dir(path).and_then(Iterator::collect::<Result<Vec<_>, _>>).map_err(unreadable)?;
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            let name = entry.file_name().to_string_lossy().into_owned();
            let kind = entry.file_type().map_err(unreadable)?;
            let source = format!("{below}{name}");
            let reason = match kind {
                _ if name.starts_with('.') => SkipReason::Hidden,
                kind if kind.is_symlink() => SkipReason::Link,
                kind if kind.is_dir() && depth < DEPTH_MAX => {
                    self.folder(&entry.path(), &format!("{source}/"), depth + 1)?;
                    continue;
                }
                kind if kind.is_dir() => SkipReason::TooDeep,
                kind if !kind.is_file() => SkipReason::NotAFile,
                _ if !has_text(&name) => SkipReason::OtherType,
                _ => {
                    self.files.push(SourceFile { path: entry.path(), source });
                    if self.files.len() > FILES_MAX {
                        let problem = format!("there are more than {FILES_MAX} files; name fewer folders");
                        return Err(ClientError::Failed(problem));
                    }
                    continue;
                }
            };
            self.skipped.push(SkippedFile { source, reason });
        }
        Ok(())
    }
}

fn has_text(name: &str) -> bool {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    ending.is_some_and(|ending| ENDINGS.contains(&ending.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_read_in_order_and_the_rest_is_named() {
        let root = std::env::temp_dir().join(format!("posthouse-knowledge-{}", std::process::id()));
        std::fs::create_dir_all(root.join("b/.git")).unwrap();
        for name in ["c.md", "a.TXT", "b/d.html", "b/.git/e.md", "logo.png", ".hidden.md", "b/none"] {
            std::fs::write(root.join(name), "x").unwrap();
        }
        std::os::unix::fs::symlink(root.join("c.md"), root.join("link.md")).unwrap();
        std::os::unix::fs::symlink(&root, root.join("b/loop")).unwrap();
        let found = FoundFiles::below(std::slice::from_ref(&root)).unwrap();
        let sources: Vec<&str> = found.files.iter().map(|file| file.source.as_str()).collect();
        assert_eq!(sources, ["a.TXT", "b/d.html", "c.md"]);
        let skipped: Vec<(&str, SkipReason)> =
            found.skipped.iter().map(|file| (file.source.as_str(), file.reason)).collect();
        let wanted = [
            (".hidden.md", SkipReason::Hidden),
            ("b/.git", SkipReason::Hidden),
            ("b/loop", SkipReason::Link),
            ("b/none", SkipReason::OtherType),
            ("link.md", SkipReason::Link),
            ("logo.png", SkipReason::OtherType),
        ];
        assert_eq!(skipped, wanted);
        let one = FoundFiles::below(&[root.join("logo.png")]).unwrap();
        assert_eq!(one.files[0].source, "logo.png", "a named file is the server's to refuse");
        std::fs::remove_dir_all(&root).unwrap();
    }

    #[test]
    fn files_of_one_source_are_refused_before_the_upload() {
        let root = std::env::temp_dir().join(format!("posthouse-knowledge-twice-{}", std::process::id()));
        for folder in ["ka/sub", "kb/sub", "kc"] {
            std::fs::create_dir_all(root.join(folder)).unwrap();
        }
        for name in ["ka/faq.md", "ka/sub/a.md", "kb/faq.md", "kb/sub/b.md", "kc/only.md"] {
            std::fs::write(root.join(name), "x").unwrap();
        }
        let sources = |paths: &[&str]| {
            let paths: Vec<PathBuf> = paths.iter().map(|path| root.join(path)).collect();
            let found = FoundFiles::below(&paths).map_err(|error| error.to_string())?;
            Ok::<_, String>(found.files.into_iter().map(|file| file.source).collect::<Vec<_>>())
        };
        for paths in [&["ka", "kb"][..], &["kb", "ka/faq.md"], &["ka/faq.md", "kb/faq.md"], &["kc", "ka", "kb"]] {
            let error = sources(paths).unwrap_err();
            assert!(error.contains("ka/faq.md and ") || error.contains("kb/faq.md and "), "{error}");
            assert!(error.contains("the source faq.md"), "{error}");
        }
        assert_eq!(sources(&["ka", "kc"]).unwrap(), ["faq.md", "sub/a.md", "only.md"]);
        assert_eq!(sources(&["ka/faq.md", "ka/../ka/faq.md", "ka"]).unwrap(), ["faq.md", "sub/a.md"]);
        assert_eq!(sources(&["."]).unwrap(), ["ka/faq.md", "ka/sub/a.md", "kb/faq.md", "kb/sub/b.md", "kc/only.md"]);
        std::fs::remove_dir_all(&root).unwrap();
    }
}
