//! Structured data from the text of an attachment, by the operator's model server.
//!
//! The model gets the text and nothing else of the workspace, and its answer is data: no tool and no recipient can be reached
//! from here. The answer must match the schema, and a place counts only if the text has its words.

use posthouse_domain::{
    AiProcessing, Attachment, Caller, ErrorCode, ExtractionStatus, LimitName, Refusal, WorkspaceId, error::Detail,
};
use posthouse_store::{Tx, attachment_texts, workspaces};
use serde_json::{Value, json};

use super::{
    places::{SearchedText, SourcedData, ValuePlace, places},
    schemas::DataSchema,
    text::{self, TextRequest},
};
use crate::{
    model_server::{self, Fence, ModelServerError, Question, TIMEOUT_MS},
    service::Service,
};

/// Characters of the text that the model gets.
pub const TEXT_CHARS_MAX: u64 = 100_000;
/// Seconds until a caller should try again.
const RETRY_S: u64 = 10;

/// What to extract.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExtractionRequest {
    /// The attachment.
    pub of: TextRequest,
    /// The form of the data.
    pub schema: DataSchema,
    /// What the caller adds to the instructions.
    pub instructions: Option<String>,
}

/// Extracted data.
#[derive(Clone, PartialEq, Debug)]
pub struct ExtractedData {
    pub attachment: Attachment,
    /// The data, in the form of the schema.
    pub data: Value,
    /// Where values stand in the text.
    pub places: Vec<ValuePlace>,
    pub model: String,
    /// Whether the first answer didn't match the schema.
    pub repaired: bool,
    /// Whether the model got only the beginning of the text.
    pub truncated: bool,
}

/// Extracts data.
///
/// # Errors
/// Returns `not_found`, `message_withheld`, `ai_disabled`, `plan_limit_structured_extractions`, `extraction_pending`,
/// `extraction_unavailable`, `structured_output_invalid` or `llm_unavailable`.
pub async fn extract(service: &Service, caller: Caller, request: ExtractionRequest) -> Result<ExtractedData, Refusal> {
    let result = ask(service, caller, request).await;
    let outcome = match &result {
        Ok(data) if data.repaired => "repaired",
        Ok(_) => "done",
        Err(refusal) => refusal.code.text(),
    };
    service.metrics.structured_extraction(outcome);
    result
}

async fn ask(service: &Service, caller: Caller, request: ExtractionRequest) -> Result<ExtractedData, Refusal> {
    let ExtractionRequest { of, schema, instructions } = request;
    let (now, plans) = (service.clock.now(), service.config.plans);
    let is_configured = service.config.ai.drafting && service.config.ai.endpoint.is_some();
    let read = move |tx: &mut Tx| {
        let attachment = text::find(tx, &caller, of)?;
        let tenant = workspaces::get(tx, caller.workspace)?;
        if !is_configured || tenant.as_ref().is_none_or(|tenant| tenant.ai_processing != AiProcessing::Full) {
            let message = "AI processing of this workspace is not `full`, or this server has no model server.";
            return Err(Refusal::new(ErrorCode::AiDisabled, message));
        }
        let limit = tenant.and_then(|tenant| plans.of(tenant.plan).structured_extractions_per_month);
        check_limit(limit, attachment_texts::extractions_this_month(tx, caller.workspace, now)?)?;
        check_text(&attachment)?;
        let page = attachment_texts::read(tx, caller.workspace, attachment.id, 0, TEXT_CHARS_MAX)?;
        Ok::<_, Refusal>((attachment, page))
    };
    let (attachment, page) = service.read(caller.workspace, read).await?;
    let answer_schema = answer_schema(&schema);
    let fence = Fence::new(service.clock.as_ref());
    let system = instructions_of(&fence, instructions.as_deref());
    let user = fence.mark(&page.text);
    let question =
        Question { name: "extraction", system: &system, user: &user, schema: &answer_schema, timeout_ms: TIMEOUT_MS };
    let endpoint = service.config.ai.endpoint.as_ref();
    let answer = model_server::complete(service.http_out.as_ref(), endpoint, question).await.map_err(refusal)?;
    count(service, caller.workspace).await?;
    let sources = answer.value["sources"].as_array().cloned().unwrap_or_default();
    let data = answer.value["data"].clone();
    let schema = schema.json();
    let sourced = SourcedData { data: &data, schema: &schema, sources: &sources };
    let places = places(&SearchedText::new(&page.text), sourced);
    let is_cut = attachment.extraction.as_ref().is_some_and(|extraction| extraction.truncated);
    let truncated = page.next_offset.is_some() || is_cut;
    Ok(ExtractedData { attachment, data, places, model: answer.model, repaired: answer.repaired, truncated })
}

fn check_limit(limit: Option<u64>, used: u64) -> Result<(), Refusal> {
    let Some(max) = limit.filter(|max| used >= *max) else { return Ok(()) };
    let message = format!("The plan's limit of {max} structured extractions per month is used up.");
    Err(Refusal::new(ErrorCode::PlanLimitStructuredExtractions, message)
        .detail(Detail::Limit(LimitName::StructuredExtractionsPerMonth))
        .detail(Detail::Max(max)))
}

/// Checks that an attachment has a text.
fn check_text(attachment: &Attachment) -> Result<(), Refusal> {
    let unavailable = |problem: String| Refusal::new(ErrorCode::ExtractionUnavailable, problem);
    match &attachment.extraction {
        Some(extraction) if extraction.status == ExtractionStatus::Done && extraction.chars != Some(0) => Ok(()),
        Some(extraction) if extraction.status == ExtractionStatus::Pending => {
            Err(Refusal::new(ErrorCode::ExtractionPending, "The text of this attachment is still being read."))
        }
        Some(extraction) => {
            let problem = extraction.error.as_ref().map_or("The attachment has no text.", |error| &error.message);
            Err(unavailable(problem.to_owned()))
        }
        None => Err(unavailable("The text of this attachment was never read.".to_owned())),
    }
}

/// Returns the schema of the model's answer: the data, and where each value was read. A source that is wrong or missing costs
/// the source, not the data.
fn answer_schema(schema: &DataSchema) -> Value {
    let source = json!({
        "type": "object",
        "properties": {
            "pointer": { "type": ["string", "null"], "description": "JSON pointer of the value in data, such as /total" },
            "quote": {
                "type": ["string", "null"], "description": "The words of the document that have the value, unchanged",
            },
        },
        "required": ["pointer", "quote"],
    });
    json!({
        "type": "object",
        "properties": {
            "data": schema.json(),
            "sources": { "type": ["array", "null"], "items": source },
        },
        "required": ["data", "sources"],
        "additionalProperties": false,
    })
}

fn instructions_of(fence: &Fence, of_caller: Option<&str>) -> String {
    let mut text = format!(
        "You read a document and return data from it. Take every value from the document; never guess one. A value that \
         the document doesn't have is null. Name in `sources` the words of the document that have each value.\n\n{}",
        fence.rule()
    );
    if let Some(instructions) = of_caller {
        text.push_str("\n\nInstructions of the owner of the document:\n");
        text.push_str(instructions);
    }
    text
}

fn refusal(error: ModelServerError) -> Refusal {
    match error {
        ModelServerError::Invalid(places) => Refusal::new(
            ErrorCode::StructuredOutputInvalid,
            "The model's answer doesn't match the schema, even after it was asked to repair it.",
        )
        .detail(Detail::SchemaErrors(in_data(&places))),
        ModelServerError::NotConfigured => Refusal::new(ErrorCode::AiDisabled, "This server has no model server."),
        error => {
            Refusal::new(ErrorCode::LlmUnavailable, format!("Nothing was extracted: {error}.")).retry_after(RETRY_S)
        }
    }
}

/// Returns the places in the data, which the caller's schema describes, of the places in an answer. The empty pointer is all of
/// the data.
fn in_data(places: &[String]) -> Vec<String> {
    let within = |place: &String| {
        let rest = place.strip_prefix("/data").filter(|rest| rest.is_empty() || rest.starts_with('/'))?;
        Some(rest.to_owned())
    };
    let found: Vec<String> = places.iter().filter_map(within).collect();
    if found.is_empty() { vec![String::new()] } else { found }
}

/// Counts an extraction that has a result. Two at once can't both be the last one.
async fn count(service: &Service, workspace: WorkspaceId) -> Result<(), Refusal> {
    let (now, plans) = (service.clock.now(), service.config.plans);
    let work = move |tx: &mut Tx| {
        let used = attachment_texts::count_extraction(tx, workspace, now)?;
        let tenant = workspaces::get(tx, workspace)?;
        check_limit(tenant.and_then(|tenant| plans.of(tenant.plan).structured_extractions_per_month), used)
    };
    service.write(work).await
}
