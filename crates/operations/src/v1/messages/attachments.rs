//! `/v1/messages/{id}/attachments/{attachment_id}`: the text of an attachment, and structured data from it.

use std::num::NonZeroUsize;

use posthouse_api::views::extraction::{
    AttachmentTextView, StructuredExtractionView, StructuredResult, ValueSourceView,
};
use posthouse_api::wire::{BodyValue, BoundedInt, BoundedText, Problems};
use posthouse_app::extraction::page_image;
use posthouse_app::extraction::places::ValuePlace;
use posthouse_app::extraction::schemas::DataSchema;
use posthouse_app::extraction::structured::{self, ExtractionRequest};
use posthouse_app::extraction::text::{self, TextRequest};
use posthouse_call::prelude::*;
use posthouse_domain::OptIns;
use serde_json::{Value, json};

use crate::v1::downloads::for_download;
use crate::v1::fields::ScreeningQuery;

/// Longest page of a text, in characters.
const CHARS_MAX: i64 = 200_000;
/// Largest offset: more characters than any text has.
const OFFSET_MAX: i64 = 100_000_000;
/// Longest instructions in characters.
const INSTRUCTIONS_CHARS_MAX: usize = 2_000;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::new(
            Method::Get,
            "/v1/messages/{id}/attachments/{attachment_id}/text",
            "getAttachmentText",
            Permission::MessagesRead,
        )
        .summary("Returns a page of the text of an attachment. The text is null until `extraction.status` is `done`.")
        .responds::<AttachmentTextView<'_>>(200)
        .errors(&[ErrorCode::NotFound, ErrorCode::MessageWithheld])
        .handle(text),
        Operation::new(
            Method::Get,
            "/v1/messages/{id}/attachments/{attachment_id}/pages/{page}",
            "getAttachmentPage",
            Permission::MessagesRead,
        )
        .summary("Returns the image of a page of a PDF as PNG. The first page is 1.")
        .responds_with(200, Some("image/png"))
        .errors(&[
            ErrorCode::Forbidden,
            ErrorCode::MessageWithheld,
            ErrorCode::NotFound,
            ErrorCode::ExtractionUnavailable,
            ErrorCode::ContentDamaged,
        ])
        .handle(page),
        Operation::new(
            Method::Post,
            "/v1/messages/{id}/attachments/{attachment_id}/extract",
            "extractAttachment",
            Permission::AttachmentsExtract,
        )
        .reads()
        .summary(
            "Returns structured data from the text of an attachment: an invoice, a receipt, a tax form, or in the form of \
             a schema. Each value has the place where it was read.",
        )
        .responds::<StructuredExtractionView<'_>>(200)
        .errors(&[
            ErrorCode::PlanLimitStructuredExtractions,
            ErrorCode::AiDisabled,
            ErrorCode::MessageWithheld,
            ErrorCode::NotFound,
            ErrorCode::ExtractionPending,
            ErrorCode::ExtractionUnavailable,
            ErrorCode::StructuredOutputInvalid,
            ErrorCode::LlmUnavailable,
        ])
        .handle(extract),
    ]
}

query! {
    /// A page of a text.
    struct TextQuery {
        /// Where the page begins, in characters. Default: 0.
        offset: Option<BoundedInt<0, OFFSET_MAX>>,
        /// Maximum length of the page in characters. Default: 200,000.
        max_chars: Option<BoundedInt<1, CHARS_MAX>>,
    }
    with screening: ScreeningQuery;
}

/// The schema of the data: the name of a built-in one, or a JSON Schema.
#[derive(Clone, PartialEq, Eq, Debug)]
struct SchemaBody(DataSchema);

impl BodyValue for SchemaBody {
    fn schema() -> Value {
        let custom = json!({
            "title": "CustomSchema",
            "type": "object",
            "properties": { "type": { "const": "object" } },
            "required": ["type"],
            "description": "JSON Schema without `pattern`, `format` and references.",
        });
        let named = json!({ "title": "NamedSchema", "type": "string", "enum": ["invoice", "receipt", "tax_form"] });
        json!({ "title": "ExtractionSchema", "anyOf": [named, custom] })
    }

    fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Self> {
        let schema = match value {
            Value::String(name) => DataSchema::named(name)
                .ok_or_else(|| "must be `invoice`, `receipt`, `tax_form` or a JSON Schema".to_owned()),
            schema => DataSchema::custom(schema.clone()),
        };
        schema.map_or_else(|problem| problems.add(path, problem), |schema| Some(Self(schema)))
    }
}

object! {
    /// What to extract.
    struct ExtractBody {
        /// Schema of the data: `invoice`, `receipt`, `tax_form`, or a JSON Schema whose root has the type `object`.
        schema: SchemaBody,
        /// What the model should know beside the schema.
        instructions: Option<BoundedText<1, INSTRUCTIONS_CHARS_MAX>>,
    }
}

async fn text(service: Arc<Service>, input: Input<TextQuery>) -> Result<Outcome, Refusal> {
    input.query.screening.check(&input.caller)?;
    let number = |given: Option<i64>, default| u64::try_from(given.unwrap_or(default)).unwrap_or(0);
    let request = TextRequest {
        message: input.path.id("id", "message")?,
        attachment: input.path.id("attachment_id", "attachment")?,
        offset: number(input.query.offset.map(|offset| offset.0), 0),
        chars_max: number(input.query.max_chars.map(|chars| chars.0), CHARS_MAX),
        opt_ins: input.query.screening.opt_ins(),
    };
    let found = text::read(&service, input.caller, request).await?;
    Outcome::json(200, &AttachmentTextView::of(&found.attachment, found.page.as_ref(), request.offset))
}

async fn page(service: Arc<Service>, input: Input<ScreeningQuery>) -> Result<Outcome, Refusal> {
    input.query.check(&input.caller)?;
    let (message, attachment) = (input.path.id("id", "message")?, input.path.id("attachment_id", "attachment")?);
    let number: NonZeroUsize = input.path.id("page", "page")?;
    let of = TextRequest { message, attachment, offset: 0, chars_max: 0, opt_ins: input.query.opt_ins() };
    let image = page_image::render(&service, input.caller, of, number.get() - 1).await?;
    Ok(for_download(Outcome::typed(200, "image/png", image), &format!("page-{number}.png")))
}

async fn extract(service: Arc<Service>, input: Input<EmptyInput, ExtractBody>) -> Result<Outcome, Refusal> {
    let (message, attachment) = (input.path.id("id", "message")?, input.path.id("attachment_id", "attachment")?);
    let of = TextRequest { message, attachment, offset: 0, chars_max: 0, opt_ins: OptIns::default() };
    let schema = input.body.schema.0;
    let name = schema.name();
    let instructions = input.body.instructions.map(|text| text.0);
    let found = structured::extract(&service, input.caller, ExtractionRequest { of, schema, instructions }).await?;
    Outcome::json(200, &view(&found, name))
}

fn view<'a>(found: &'a structured::ExtractedData, schema: &'a str) -> StructuredExtractionView<'a> {
    let result = StructuredResult {
        message: found.attachment.message,
        attachment: &found.attachment,
        schema,
        data: &found.data,
        model: &found.model,
        repaired: found.repaired,
        truncated: found.truncated,
    };
    StructuredExtractionView::of(result, found.places.iter().map(source).collect())
}

fn source(place: &ValuePlace) -> ValueSourceView<'_> {
    let ValuePlace { pointer, quote, offset, length, page } = place;
    ValueSourceView { pointer, quote, offset: *offset, length: *length, page: *page }
}
