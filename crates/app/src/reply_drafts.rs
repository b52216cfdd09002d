//! Drafts of replies, written by the operator's model server from the thread, notes about the contact, knowledge and the
//! caller's instructions (`docs/reference/reply-drafts.md`).
//!
//! The model returns text and citations, nothing else: recipients and subject come from the message, nothing is sent, and
//! the model has no tools. Each quote of a citation is looked up in its passage afterward.

mod citations;
mod prompt;

use posthouse_domain::{
    AiProcessing, Caller, Contact, Draft, ErrorCode, Inbox, KnowledgeId, LimitName, Message, MessageId, Permission,
    Plans, Record, Refusal, SECOND_MS,
};
use posthouse_store::knowledge::NewCitation;
use posthouse_store::{Tx, contacts, inboxes, knowledge, message_list, messages, workspaces};

use self::prompt::{ModelReply, Prompt, Sources};
use crate::access::{authorize::require_permission, visible};
use crate::drafts;
use crate::knowledge::search::{self, FoundPassage, KnowledgeSearch};
use crate::model_server::{self, ModelServerError, Question, TIMEOUT_MS};
use crate::service::Service;

/// The longest instructions in characters.
pub const INSTRUCTIONS_CHARS_MAX: usize = 2_000;
/// The messages of the thread that the model reads.
const MESSAGES_MAX: u32 = 12;
/// The bytes of their bodies that are read from the store.
const BYTES_MAX: u64 = 2 << 20;
/// The passages of knowledge that the model reads.
const PASSAGES_MAX: u32 = 8;
/// The characters of the message that knowledge is searched for.
const QUERY_CHARS_MAX: usize = 1_500;
/// The problem of an answer without a text, or with one that is too long.
const EMPTY_TEXT: &str = "the model's answer has no text that can be used";
/// Seconds after which a caller may try again if the model server didn't answer.
const RETRY_S: u64 = 30;

/// A reply draft that a caller requests.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReplyDraftRequest {
    /// The message to reply to.
    pub message: MessageId,
    /// The caller's instructions.
    pub instructions: Option<String>,
    /// Whether to store it as a draft.
    pub save: bool,
}

/// A passage that the reply is based on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Citation {
    pub document: KnowledgeId,
    pub title: String,
    /// The version that has the quote.
    pub version: i64,
    /// Where the quote begins, in characters of the body.
    pub offset: u64,
    /// The quote, as it is in the body.
    pub quote: String,
}

/// A drafted reply.
#[derive(Clone, PartialEq, Debug)]
pub struct ReplyDraft {
    pub text: String,
    /// The passages that it is based on.
    pub citations: Vec<Citation>,
    pub model: String,
    /// The stored draft, if it was requested.
    pub draft: Option<Draft>,
}

/// Drafts a reply to a message. Never sends.
///
/// # Errors
/// Returns `ai_disabled`, `not_found`, `message_withheld`, `rate_limited`, `llm_unavailable`, or with `save` the errors of
/// creating a draft.
pub async fn draft(service: &Service, caller: Caller, request: ReplyDraftRequest) -> Result<ReplyDraft, Refusal> {
    if request.save {
        require_permission(&caller, Permission::DraftsWrite)?;
    }
    let (reader, id) = (caller, request.message);
    let is_configured = service.config.ai.drafting && service.config.ai.endpoint.is_some();
    let plans = service.config.plans;
    let context = service.read(caller.workspace, move |tx| context(tx, &reader, id, &plans, is_configured)).await?;
    count(service, &context)?;
    let passages = passages(service, &caller, &context, request.instructions.as_deref()).await?;
    let instructions = request.instructions.clone();
    let sources = Sources {
        inbox: &context.inbox,
        thread: &context.thread,
        message: &context.record,
        notes: context.contact.as_ref().and_then(|contact| contact.notes.as_deref()),
        passages: &passages,
        instructions: instructions.as_deref(),
    };
    let prompt = Prompt::of(service.clock.as_ref(), &sources);
    let (answer, model) = ask(service, &prompt).await?;
    let citations = citations::checked(&answer.citations, &passages);
    service.metrics.reply_draft("drafted");
    let dropped = answer.citations.len().saturating_sub(citations.len());
    service.metrics.citations(citations.len() as u64, dropped as u64);
    let draft = if request.save {
        Some(drafts::create_by_ai(service, caller, context.inbox.id, id, answer.text.clone()).await?)
    } else {
        None
    };
    record(service, &caller, id, draft.as_ref(), &citations).await?;
    Ok(ReplyDraft { text: answer.text, citations, model, draft })
}

/// What a reply is drafted from.
struct Context {
    inbox: Inbox,
    record: Record,
    /// The newest messages of the thread that the caller may see, oldest first.
    thread: Vec<Record>,
    contact: Option<Contact>,
    limit: Option<u64>,
}

fn context(
    tx: &mut Tx,
    caller: &Caller,
    id: MessageId,
    plans: &Plans,
    is_configured: bool,
) -> Result<Context, Refusal> {
    let message = visible::message(tx, caller, id)?;
    let tenant = workspaces::get(tx, caller.workspace)?.ok_or_else(|| Refusal::not_found("workspace"))?;
    if tenant.ai_processing != AiProcessing::Full || !is_configured {
        let message = "AI processing of this workspace is not `full`, or this server has no model server.";
        return Err(Refusal::new(ErrorCode::AiDisabled, message));
    }
    visible::content(tx, caller, &message)?;
    let inbox = inboxes::get(tx, caller.workspace, message.inbox)?.ok_or_else(|| Refusal::not_found("inbox"))?;
    let contact = match &message.contact_address {
        Some(address) if caller.permissions().has(Permission::ContactsRead) => {
            contacts::by_address(tx, caller.workspace, address)?
        }
        _ => None,
    };
    let thread = thread(tx, &message)?;
    let limit = tenant.limits(plans).ai_drafts_per_day;
    let record = messages::records(tx, caller.workspace, vec![message])?.pop();
    let record = record.ok_or_else(|| Refusal::not_found("message"))?;
    Ok(Context { inbox, record, thread, contact, limit })
}

/// Returns the newest messages of a thread up to a message, oldest first. Withheld ones are left out.
fn thread(tx: &mut Tx, message: &Message) -> Result<Vec<Record>, Refusal> {
    let before = Some(message.created_at.plus_ms(1));
    let newest_first = message_list::of_thread(tx, message.workspace, message.thread, before, MESSAGES_MAX)?;
    let mut records = messages::records_within(tx, message.workspace, newest_first, BYTES_MAX)?;
    records.retain(|record| !record.withheld && record.message.id != message.id);
    records.reverse();
    Ok(records)
}

/// Counts a draft for the limit of the plan.
fn count(service: &Service, context: &Context) -> Result<(), Refusal> {
    let Some(max) = context.limit else { return Ok(()) };
    let counted = service.reply_drafts.count(context.inbox.workspace, max, service.clock.now());
    if counted.is_allowed {
        return Ok(());
    }
    let seconds = u64::try_from(counted.ends_in_ms / SECOND_MS).unwrap_or(0).max(1);
    let message = format!("The workspace had {max} replies drafted within 24 hours, as many as its plan allows.");
    Err(Refusal::new(ErrorCode::RateLimited, message).at_limit(LimitName::AiDraftsPerDay, max, seconds))
}

/// Returns the passages of knowledge that fit the message, for a caller who may read knowledge.
async fn passages(
    service: &Service,
    caller: &Caller,
    context: &Context,
    instructions: Option<&str>,
) -> Result<Vec<FoundPassage>, Refusal> {
    if !caller.permissions().has(Permission::KnowledgeRead) {
        return Ok(Vec::new());
    }
    let bodies = &context.record.bodies;
    let new_text = bodies.extracted_text.as_deref().or(bodies.text.as_deref()).unwrap_or_default();
    let text: String =
        [context.record.message.subject.as_deref().unwrap_or_default(), instructions.unwrap_or_default()]
            .into_iter()
            .flat_map(|part| part.chars().chain(['\n']))
            .chain(new_text.chars().take(QUERY_CHARS_MAX))
            .collect();
    let request = KnowledgeSearch { text, inbox: Some(context.inbox.id), limit: PASSAGES_MAX };
    search::passages(service, *caller, request).await
}

/// Asks the model server.
async fn ask(service: &Service, prompt: &Prompt) -> Result<(ModelReply, String), Refusal> {
    let schema = Prompt::schema();
    let question =
        Question { name: "reply", system: &prompt.system, user: &prompt.user, schema: &schema, timeout_ms: TIMEOUT_MS };
    let endpoint = service.config.ai.endpoint.as_ref();
    match model_server::complete(service.http_out.as_ref(), endpoint, question).await {
        Ok(answer) => {
            let reply = ModelReply::of(&answer.value);
            if reply.text.trim().is_empty() { Err(no_reply(service, EMPTY_TEXT)) } else { Ok((reply, answer.model)) }
        }
        Err(ModelServerError::NotConfigured) => {
            Err(Refusal::new(ErrorCode::AiDisabled, "This server has no model server."))
        }
        Err(ModelServerError::Invalid(places)) if places.iter().any(|place| place == "/text") => {
            Err(no_reply(service, EMPTY_TEXT))
        }
        Err(error) => Err(no_reply(service, &error.to_string())),
    }
}

/// Returns the refusal for a reply that the model server didn't write.
fn no_reply(service: &Service, problem: &str) -> Refusal {
    service.metrics.reply_draft("failed");
    tracing::warn!(cause = problem, "reply_draft.no_answer");
    let message = format!("No reply was drafted: {problem}. Nothing was sent.");
    Refusal::new(ErrorCode::LlmUnavailable, message).retry_after(RETRY_S)
}

/// Records which documents the reply cites.
async fn record(
    service: &Service,
    caller: &Caller,
    message: MessageId,
    draft: Option<&Draft>,
    citations: &[Citation],
) -> Result<(), Refusal> {
    let mut cited: Vec<(KnowledgeId, i64)> = citations.iter().map(|c| (c.document, c.version)).collect();
    cited.sort_unstable();
    cited.dedup_by_key(|(document, _)| *document);
    if cited.is_empty() {
        return Ok(());
    }
    let (workspace, draft, now) = (caller.workspace, draft.map(|draft| draft.id), service.clock.now());
    let work = move |tx: &mut Tx| -> Result<(), Refusal> {
        // The message may have been deleted meanwhile.
        if messages::get(tx, workspace, message)?.is_some() {
            for (document, version) in &cited {
                let (document, version) = (*document, *version);
                knowledge::insert_citation(tx, &NewCitation { workspace, message, document, version, draft }, now)?;
            }
        }
        Ok(())
    };
    service.write(work).await
}
