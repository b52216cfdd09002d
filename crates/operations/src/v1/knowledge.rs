//! `/v1/knowledge`: documents that agents draw on for replies.

use posthouse_api::views::TimestampView;
use posthouse_api::views::knowledge::{KnowledgeItemView, KnowledgeResultsView, KnowledgeVersionView, KnowledgeView};
use posthouse_api::wire::{Base64, PageLimit, Patch, Replacement, member};
use posthouse_app::knowledge::files::KnowledgeFile;
use posthouse_app::knowledge::read::{self, CitationRow, VersionSummary};
use posthouse_app::knowledge::search::{self, KnowledgeSearch};
use posthouse_app::knowledge::write::{self, KnowledgeChange, NewKnowledge};
use posthouse_call::prelude::*;
use posthouse_domain::knowledge::{
    BODY_CHARS_MAX, QUERY_CHARS_MAX, RESULTS_DEFAULT, RESULTS_MAX, SOURCE_ID_CHARS_MAX, TITLE_CHARS_MAX,
};
use posthouse_domain::{KnowledgeId, WorkspaceId};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};
use uuid::Uuid;

/// The longest name of an uploaded file in characters.
const FILENAME_CHARS_MAX: usize = 1_000;

pub(crate) fn operations() -> Vec<Operation> {
    let mut all = writes();
    all.extend(reads());
    all
}

fn reads() -> Vec<Operation> {
    use Permission::KnowledgeRead;
    vec![
        Operation::new(Method::Get, "/v1/knowledge", "listKnowledge", KnowledgeRead)
            .summary("Lists knowledge documents, newest first; with inbox_id, only those of that inbox.")
            .responds::<PageView<KnowledgeItemView>>(200)
            .errors(&[ErrorCode::InvalidCursor, ErrorCode::NotFound])
            .handle(list),
        Operation::new(Method::Get, "/v1/knowledge/search", "searchKnowledge", KnowledgeRead)
            .summary(
                "Searches knowledge by words and meaning; with inbox_id, the documents of that inbox and of the whole \
                 workspace.",
            )
            .responds::<KnowledgeResultsView<'_>>(200)
            .errors(&[ErrorCode::NotFound])
            .handle(find),
        Operation::new(Method::Get, "/v1/knowledge/{id}", "getKnowledge", KnowledgeRead)
            .summary("Returns a knowledge document with its body.")
            .responds::<KnowledgeView<'_>>(200)
            .errors(&[ErrorCode::NotFound])
            .handle(get),
        Operation::new(Method::Get, "/v1/knowledge/{id}/versions", "listKnowledgeVersions", KnowledgeRead)
            .summary("Lists the kept versions of a knowledge document, newest first, without pages.")
            .responds::<VersionsView>(200)
            .errors(&[ErrorCode::NotFound])
            .handle(versions),
        Operation::new(Method::Get, "/v1/knowledge/{id}/versions/{version}", "getKnowledgeVersion", KnowledgeRead)
            .summary("Returns one version of a knowledge document with its body.")
            .responds::<KnowledgeVersionView<'_>>(200)
            .errors(&[ErrorCode::NotFound])
            .handle(version),
        Operation::new(Method::Get, "/v1/knowledge/{id}/answers", "listKnowledgeAnswers", KnowledgeRead)
            .summary("Lists the newest drafted replies that cite a knowledge document, newest first, without pages.")
            .responds::<AnswersView>(200)
            .errors(&[ErrorCode::NotFound])
            .handle(answers),
    ]
}

fn writes() -> Vec<Operation> {
    use Permission::KnowledgeWrite;
    vec![
        Operation::new(Method::Post, "/v1/knowledge", "createKnowledge", KnowledgeWrite)
            .summary(
                "Creates a knowledge document from text or a file. A known source_id makes a new version of its \
                 document, with 200.",
            )
            .with_attachments()
            .accepts_forms()
            .responds::<KnowledgeView<'_>>(201)
            .responds::<KnowledgeView<'_>>(200)
            .errors(&[ErrorCode::Forbidden, ErrorCode::NotFound, ErrorCode::PlanLimitKnowledge])
            .handle(create),
        Operation::new(Method::Patch, "/v1/knowledge/{id}", "updateKnowledge", KnowledgeWrite)
            .summary("Updates a knowledge document. A change of title or body makes a new version.")
            .responds::<KnowledgeView<'_>>(200)
            .errors(&[
                ErrorCode::Forbidden,
                ErrorCode::NotFound,
                ErrorCode::KnowledgeSourceExists,
                ErrorCode::PlanLimitKnowledge,
            ])
            .handle(update),
        Operation::new(Method::Delete, "/v1/knowledge/{id}", "deleteKnowledge", KnowledgeWrite)
            .summary("Deletes a knowledge document with its versions.")
            .responds_with(204, None)
            .errors(&[ErrorCode::Forbidden, ErrorCode::NotFound])
            .handle(delete),
    ]
}

query! {
    /// Filter and page of a list of knowledge documents.
    struct KnowledgeListQuery {
        /// Only documents of this inbox, without those of the whole workspace.
        inbox_id: Option<Uuid>,
        /// The `next_cursor` of the previous page.
        cursor: Option<Cursor>,
        /// Maximum number of documents per page. Default: 25.
        limit: Limit,
    }
}

query! {
    /// A search for knowledge.
    struct KnowledgeSearchQuery {
        /// Words or a question.
        q: BoundedLine<1, QUERY_CHARS_MAX>,
        /// Documents of this inbox and of the whole workspace. If omitted, every document the key can access.
        inbox_id: Option<Uuid>,
        /// Maximum number of documents. Default: 10.
        limit: PageLimit<RESULTS_MAX, RESULTS_DEFAULT>,
    }
}

object! {
    /// A file whose text becomes the body.
    struct KnowledgeFileBody {
        /// Name of the file.
        filename: BoundedLine<1, FILENAME_CHARS_MAX>,
        /// Content type, for names without a known ending.
        content_type: Option<BoundedLine<1, 200>>,
        /// The bytes in base64.
        content_base64: Base64,
    }
}

object! {
    /// A knowledge document to create. With Content-Type multipart/form-data, the same members are form fields and
    /// `file` is the file itself.
    struct CreateKnowledgeBody {
        /// Title. Required unless there is a `file`; its name is then the default.
        title: Option<BoundedLine<1, TITLE_CHARS_MAX>>,
        /// Plain text or Markdown. Either this or `file`.
        body: Option<BoundedText<1, BODY_CHARS_MAX>>,
        /// Text, Markdown, HTML, PDF, an office document or another kind of file whose text can be read.
        file: Option<KnowledgeFileBody>,
        /// The inbox that the document is for. If omitted or null, every inbox of the workspace.
        inbox_id: Option<Uuid>,
        /// Your name for the source, unique in the inbox or the workspace.
        source_id: Option<BoundedLine<1, SOURCE_ID_CHARS_MAX>>,
    }
    check body_or_file, schema has_body_or_file;
}

object! {
    /// Changes to a knowledge document. Omitted members stay unchanged.
    struct UpdateKnowledgeBody {
        /// Title.
        title: Replacement<BoundedLine<1, TITLE_CHARS_MAX>>,
        /// Plain text or Markdown.
        body: Replacement<BoundedText<1, BODY_CHARS_MAX>>,
        /// The inbox that the document is for. Null for every inbox of the workspace.
        inbox_id: Patch<Uuid>,
    }
}

/// A version in a list.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "KnowledgeVersionItem")]
struct VersionView {
    version: i64,
    title: String,
    /// Length of the body in characters.
    chars: u64,
    created_at: TimestampView,
}

/// The kept versions of a document.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "KnowledgeVersions")]
struct VersionsView {
    /// Versions, newest first; at most 20.
    data: Vec<VersionView>,
}

/// A drafted reply that cites a document.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "KnowledgeAnswer")]
struct AnswerView {
    /// Message that the reply is for.
    message_id: Uuid,
    inbox_id: Uuid,
    /// Cited version of the document.
    version: i64,
    /// Draft with the reply; null if it was not stored.
    draft_id: Option<Uuid>,
    created_at: TimestampView,
}

/// Drafted replies that cite a document.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "KnowledgeAnswers")]
struct AnswersView {
    /// Replies, newest first; at most 100.
    data: Vec<AnswerView>,
}

async fn list(service: Arc<Service>, input: Input<KnowledgeListQuery>) -> Result<Outcome, Refusal> {
    let KnowledgeListQuery { inbox_id, cursor, limit } = input.query;
    let found = read::page(&service, input.caller, inbox_id.map(InboxId), paging(cursor, limit)).await?;
    Outcome::page(&service, &found, KnowledgeItemView::of)
}

async fn find(service: Arc<Service>, input: Input<KnowledgeSearchQuery>) -> Result<Outcome, Refusal> {
    let KnowledgeSearchQuery { q, inbox_id, limit } = input.query;
    let request = KnowledgeSearch { text: q.0, inbox: inbox_id.map(InboxId), limit: limit.0 };
    let hits = search::search(&service, input.caller, request).await?;
    Outcome::json(200, &KnowledgeResultsView::of(&hits))
}

async fn get(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    let id = document(&input.path)?;
    Outcome::json(200, &KnowledgeView::of(&read::get(&service, input.caller, id).await?))
}

async fn versions(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    let id = document(&input.path)?;
    let found = read::versions(&service, input.caller, id).await?;
    Outcome::json(200, &VersionsView { data: found.into_iter().map(VersionView::from).collect() })
}

async fn version(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    let (id, number) = (document(&input.path)?, input.path.id("version", "version")?);
    let found = read::version(&service, input.caller, id, number).await?;
    Outcome::json(200, &KnowledgeVersionView::of(&found))
}

async fn answers(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    let id = document(&input.path)?;
    let found = read::answers(&service, input.caller, id).await?;
    Outcome::json(200, &AnswersView { data: found.into_iter().map(AnswerView::from).collect() })
}

async fn create(service: Arc<Service>, input: Input<EmptyInput, CreateKnowledgeBody>) -> Result<Outcome, Refusal> {
    let new = input.body.parse(&service, input.caller.workspace).await?;
    let stored = write::put(&service, input.caller, new).await?;
    Outcome::json(if stored.is_new { 201 } else { 200 }, &KnowledgeView::of(&stored.document))
}

async fn update(service: Arc<Service>, input: Input<EmptyInput, UpdateKnowledgeBody>) -> Result<Outcome, Refusal> {
    let id = document(&input.path)?;
    let UpdateKnowledgeBody { title, body, inbox_id } = input.body;
    let inbox = match inbox_id {
        Patch::Keep => None,
        Patch::Clear => Some(None),
        Patch::Set(inbox) => Some(Some(InboxId(inbox))),
    };
    let change = KnowledgeChange { title: title.0.map(|t| t.0), body: body.0.map(|b| b.0), inbox };
    let changed = write::change(&service, input.caller, id, change).await?;
    Outcome::json(200, &KnowledgeView::of(&changed))
}

async fn delete(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    let id = document(&input.path)?;
    write::delete(&service, input.caller, id).await?;
    Ok(Outcome::empty())
}

fn document(path: &posthouse_call::PathParams) -> Result<KnowledgeId, Refusal> {
    path.id("id", "knowledge document")
}

impl From<VersionSummary> for VersionView {
    fn from(summary: VersionSummary) -> Self {
        let VersionSummary { version, title, chars, created_at } = summary;
        Self { version, title, chars, created_at: created_at.into() }
    }
}

impl From<CitationRow> for AnswerView {
    fn from(row: CitationRow) -> Self {
        let CitationRow { message, inbox, version, draft, created_at } = row;
        let draft_id = draft.map(Into::into);
        Self { message_id: message.into(), inbox_id: inbox.into(), version, draft_id, created_at: created_at.into() }
    }
}

impl CreateKnowledgeBody {
    async fn parse(self, service: &Service, workspace: WorkspaceId) -> Result<NewKnowledge, Refusal> {
        let Self { title, body, file, inbox_id, source_id } = self;
        let (title, body) = match (file, body) {
            (Some(file), _) => {
                let KnowledgeFileBody { filename, content_type, content_base64 } = file;
                let content_type = content_type.map(|t| t.0);
                let file = KnowledgeFile { filename: filename.0, content_type, content: content_base64.0 };
                let title = title.map_or_else(|| file.title(), |title| title.0);
                (title, checked_text(file.text(service, workspace).await?)?)
            }
            (None, body) => {
                (title.map(|title| title.0).unwrap_or_default(), body.map(|body| body.0).unwrap_or_default())
            }
        };
        Ok(NewKnowledge { inbox: inbox_id.map(InboxId), source_id: source_id.map(|id| id.0), title, body })
    }
}

/// Checks the text of a file like a body.
fn checked_text(text: String) -> Result<String, Refusal> {
    let chars = text.chars().count();
    if text.trim().is_empty() {
        return Err(Refusal::invalid_field("file", "has no text"));
    }
    if chars > BODY_CHARS_MAX {
        let problem = format!("has {chars} characters of text; a document may have {BODY_CHARS_MAX}");
        return Err(Refusal::invalid_field("file", problem).with_fix("Split the file into several documents."));
    }
    Ok(text)
}

/// Reports a document with neither or both of `body` and `file`, or with a `body` but no title.
fn body_or_file(given: &Map<String, Value>, path: &str, problems: &mut Problems) {
    let has = |name: &str| given.get(name).is_some_and(|value| !value.is_null());
    match (has("body"), has("file")) {
        (true, true) => drop(problems.add::<()>(&member(path, "file"), "must be omitted if there is a `body`")),
        (false, false) => drop(problems.add::<()>(&member(path, "body"), "is required unless there is a `file`")),
        (true, false) if !has("title") => drop(problems.add::<()>(&member(path, "title"), "is required")),
        _ => {}
    }
}

/// [`body_or_file`] as a condition of JSON Schema.
fn has_body_or_file() -> Value {
    let absent =
        |name: &str| json!({ "not": { "required": [name], "properties": { name: { "not": { "type": "null" } } } } });
    let text = json!({ "type": "string" });
    json!({
        "anyOf": [
            { "required": ["title", "body"], "properties": { "title": text, "body": text }, "allOf": [absent("file")] },
            { "required": ["file"], "properties": { "file": { "type": "object" } }, "allOf": [absent("body")] },
        ],
    })
}
