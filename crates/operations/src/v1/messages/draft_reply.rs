//! `POST /v1/messages/{id}/draft-reply`: a reply drafted by the operator's model server. Never sends.

use posthouse_api::views::draft::DraftView;
use posthouse_app::reply_drafts::{self, Citation, INSTRUCTIONS_CHARS_MAX, ReplyDraft, ReplyDraftRequest};
use posthouse_call::prelude::*;
use posthouse_domain::MessageId;
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::new(Method::Post, "/v1/messages/{id}/draft-reply", "draftReply", Permission::MessagesRead)
            .summary(
                "Drafts a reply from the thread, knowledge and your instructions. Never sends. With save, the draft is \
                 stored, which needs drafts:write.",
            )
            .responds::<ReplyDraftView<'_>>(200)
            .errors(&[
                ErrorCode::AiDisabled,
                ErrorCode::MessageWithheld,
                ErrorCode::NotFound,
                ErrorCode::LlmUnavailable,
                ErrorCode::PlanLimitStorage,
            ])
            .waits()
            .handle(draft),
    ]
}

object! {
    /// How to draft the reply.
    struct DraftReplyBody {
        /// Your instructions for this reply.
        instructions: Option<BoundedText<0, INSTRUCTIONS_CHARS_MAX>>,
        /// Whether to store the reply as a draft with source `ai`. Default: false.
        save: Option<bool>,
    }
}

/// A drafted reply.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ReplyDraft")]
struct ReplyDraftView<'a> {
    /// Text of the reply.
    text: &'a str,
    /// Passages of knowledge that the reply is based on. Each quote was found in the document.
    citations: Vec<CitationView<'a>>,
    /// Model that wrote the reply.
    model: &'a str,
    /// Stored draft, with `save`.
    #[serde(skip_serializing_if = "Option::is_none")]
    draft: Option<DraftView<'a>>,
}

/// A passage that a reply is based on.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Citation")]
struct CitationView<'a> {
    knowledge_id: Uuid,
    title: &'a str,
    /// Version of the document that has the quote.
    version: i64,
    /// Where the quote begins, in characters of the body.
    offset: u64,
    /// The quote, as it is in the body.
    quote: &'a str,
}

async fn draft(service: Arc<Service>, input: Input<EmptyInput, DraftReplyBody>) -> Result<Outcome, Refusal> {
    let message: MessageId = input.path.id("id", "message")?;
    let DraftReplyBody { instructions, save } = input.body;
    let instructions = instructions.map(|text| text.0).filter(|text| !text.trim().is_empty());
    let request = ReplyDraftRequest { message, instructions, save: save.unwrap_or(false) };
    let drafted = reply_drafts::draft(&service, input.caller, request).await?;
    Outcome::json(200, &ReplyDraftView::of(&drafted))
}

impl<'a> ReplyDraftView<'a> {
    fn of(drafted: &'a ReplyDraft) -> Self {
        let ReplyDraft { text, citations, model, draft } = drafted;
        let citations = citations.iter().map(CitationView::of).collect();
        Self { text, citations, model, draft: draft.as_ref().map(DraftView::of) }
    }
}

impl<'a> CitationView<'a> {
    fn of(citation: &'a Citation) -> Self {
        let Citation { document, title, version, offset, quote } = citation;
        Self { knowledge_id: (*document).into(), title, version: *version, offset: *offset, quote }
    }
}
