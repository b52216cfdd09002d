//! `/v1/inboxes/{id}/agent`: the card of an agent of the workspace. See `docs/reference/directory.md`.

mod keys;

use posthouse_api::views::{agent::AgentBundleView, agent::oasf::OasfRecordView};
use posthouse_api::wire::{
    AgentRevocationReason, CardLine, CardProse, DocumentationUrl, HandlePartText, LanguageTag, MediaRange,
    OasfClassValue, Patch, Replacement, SkillId,
};
use posthouse_app::agents::{cards, change, change::CardChange, review, switches};
use posthouse_call::prelude::*;
use posthouse_domain::agent::card::{
    DESCRIPTION_CHARS_MAX, INPUT_MODES_MAX, LANGUAGES_MAX, NAME_CHARS_MAX, SKILL_DESCRIPTION_CHARS_MAX, SKILLS_MAX,
    TAG_CHARS_MAX, TAGS_MAX, distinct,
};
use posthouse_domain::{Capabilities, CardVisibility, MessageKind, Routing, Skill};
use serde_json::{Map, Value};

/// Path of the card of an agent.
const AGENT: &str = "/v1/inboxes/{id}/agent";

/// Longest note with a request for a review, in characters.
const REVIEW_NOTE_CHARS_MAX: usize = 2_000;

/// The error codes of a card that is written.
const CARD_ERROR_CODES: &[ErrorCode] = &[
    ErrorCode::InvalidHandle,
    ErrorCode::Forbidden,
    ErrorCode::UnclaimedWorkspace,
    ErrorCode::PlanLimitPublicListings,
    ErrorCode::HandleTaken,
    ErrorCode::VisibilityUnavailable,
    ErrorCode::RoutingUnavailable,
    ErrorCode::DirectoryDisabled,
];

pub(crate) fn operations() -> Vec<Operation> {
    own().into_iter().chain(keys::operations()).collect()
}

fn own() -> Vec<Operation> {
    use Permission::{DirectoryWrite, InboxesRead};
    const DISABLED: &[ErrorCode] = &[ErrorCode::DirectoryDisabled];
    [
        Operation::new(Method::Get, AGENT, "getAgent", InboxesRead)
            .summary("Returns the agent behind an inbox or identity: its card, keys and standing.")
            .responds::<AgentBundleView>(200)
            .errors(DISABLED)
            .handle(read),
        Operation::new(Method::Patch, AGENT, "updateAgentCard", DirectoryWrite)
            .summary("Changes the card of an agent, or creates it. A new card is private. Omitted members stay unchanged.")
            .responds::<AgentBundleView>(200)
            .errors(CARD_ERROR_CODES)
            .handle(update),
        Operation::new(Method::Delete, AGENT, "deleteAgentCard", DirectoryWrite)
            .summary("Deletes the card of an agent. It leaves the directory at once; the inbox or identity stays.")
            .responds_with(204, None)
            .errors(DISABLED)
            .handle(delete),
        Operation::new(Method::Post, "/v1/inboxes/{id}/agent/revoke", "revokeAgent", DirectoryWrite)
            .destructive()
            .summary("Revokes an agent: its messages are no longer signed, and checks of its signatures show it. Mail still flows.")
            .responds::<AgentBundleView>(200)
            .errors(DISABLED)
            .handle(revoke),
        Operation::new(Method::Post, "/v1/inboxes/{id}/agent/restore", "restoreAgent", DirectoryWrite)
            .without_body()
            .summary("Restores a revoked agent.")
            .responds::<AgentBundleView>(200)
            .errors(&[ErrorCode::AgentSuspended, ErrorCode::DirectoryDisabled])
            .handle(restore),
        Operation::new(Method::Post, "/v1/inboxes/{id}/agent/review", "requestAgentReview", DirectoryWrite)
            .summary("Asks the operator to review a suspension, or reports that hid the listing. A second request changes nothing.")
            .responds::<AgentBundleView>(202)
            .errors(&[ErrorCode::NotSuspended, ErrorCode::DirectoryDisabled])
            .handle(request_review),
        Operation::new(Method::Get, "/v1/inboxes/{id}/agent/oasf", "getAgentOasf", InboxesRead)
            .summary("Returns the card as a record of the Open Agentic Schema Framework, whatever its visibility.")
            .responds::<OasfRecordView>(200)
            .errors(DISABLED)
            .handle(oasf),
    ]
    .into_iter()
    .map(|route: Operation| route.behind_switch(switches::check))
    .collect()
}

object! {
    /// A request for a review.
    struct AgentReviewBody {
        /// What the operator should know.
        note: Option<BoundedText<1, REVIEW_NOTE_CHARS_MAX>>,
    }
}

object! {
    /// A skill of an agent.
    struct SkillBody {
        /// Your id for the skill, unique within the card.
        id: SkillId,
        /// The name.
        name: CardLine<NAME_CHARS_MAX>,
        /// What it does.
        description: Option<CardProse<SKILL_DESCRIPTION_CHARS_MAX>>,
        /// Words to find it by.
        tags: Option<BoundedList<CardLine<TAG_CHARS_MAX>, 0, TAGS_MAX>>,
        /// The class in the Open Agentic Schema Framework: its number or name.
        oasf: Option<OasfClassValue>,
    }
}

object! {
    /// What an agent can do and accepts. It replaces all capabilities of the card.
    struct CapabilitiesBody {
        /// Skills.
        skills: Option<BoundedList<SkillBody, 0, SKILLS_MAX>>,
        /// The types of messages that the agent accepts. Default: `message`.
        accepts_types: Option<BoundedList<MessageKind, 1, { MessageKind::ALL.len() }>>,
        /// The languages that it reads.
        languages: Option<BoundedList<LanguageTag, 0, LANGUAGES_MAX>>,
        /// The media types that it reads. Default: `text/plain` and `application/json`.
        input_modes: Option<BoundedList<MediaRange, 0, INPUT_MODES_MAX>>,
    }
    check skills_are_distinct;
}

object! {
    /// The card of an agent. Omitted members stay unchanged. No text may contain HTML, links, email addresses or
    /// invisible characters.
    pub(in crate::v1) struct CardBody {
        /// The name. Default: the display name of the inbox.
        name: Replacement<CardLine<NAME_CHARS_MAX>>,
        /// What the agent does. Null empties it.
        description: Patch<CardProse<DESCRIPTION_CHARS_MAX>>,
        /// What the agent can do and accepts.
        capabilities: Replacement<CapabilitiesBody>,
        /// An https URL with documentation. Null removes it.
        documentation_url: Patch<DocumentationUrl>,
        /// Who sees the card: `private` (found by its exact address, in minimal form), `workspace` or `public`.
        visibility: Replacement<CardVisibility>,
        /// How messages reach the agent. Only `relay` is available.
        routing: Replacement<Routing>,
        /// The agent part of the handle. Null clears it.
        handle: Patch<HandlePartText>,
        /// Whether search engines may index the public page. Default: `false`.
        indexable: Replacement<bool>,
    }
}

object! {
    /// Revokes an agent.
    struct RevokeAgentBody {
        /// Why, for people.
        reason: Option<AgentRevocationReason>,
    }
}

/// Reports ids that several skills have.
fn skills_are_distinct(given: &Map<String, Value>, path: &str, problems: &mut Problems) {
    let skills = given.get("skills").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let id = |skill: &Value| skill.get("id").and_then(Value::as_str).map(str::to_owned);
    let ids: Vec<Option<String>> = skills.iter().map(id).collect();
    for (at, one) in ids.iter().enumerate() {
        if one.is_some() && ids[..at].contains(one) {
            problems.add::<()>(&format!("{}[{at}].id", posthouse_api::wire::member(path, "skills")), "must be unique");
        }
    }
}

impl SkillBody {
    fn parse(self) -> Skill {
        Skill {
            id: self.id.0,
            name: self.name.0,
            description: self.description.map(|text| text.0).filter(|text| !text.is_empty()),
            tags: self
                .tags
                .map(|tags| distinct(tags.0.into_iter().map(|tag| tag.0), str::to_owned))
                .unwrap_or_default(),
            oasf: self.oasf.map(|class| class.0),
        }
    }
}

impl CapabilitiesBody {
    fn parse(self) -> Capabilities {
        let default = Capabilities::default();
        let mut accepts_types = self.accepts_types.map_or(default.accepts_types, |types| types.0);
        accepts_types.sort_unstable();
        accepts_types.dedup();
        let languages = self.languages.map(|all| distinct(all.0.into_iter().map(|tag| tag.0), str::to_lowercase));
        let input_modes = self.input_modes.map(|all| distinct(all.0.into_iter().map(|mode| mode.0), str::to_owned));
        let (languages, input_modes) = (languages.unwrap_or_default(), input_modes.unwrap_or_default());
        Capabilities {
            skills: self.skills.map(|all| all.0.into_iter().map(SkillBody::parse).collect()).unwrap_or_default(),
            accepts_types,
            languages,
            input_modes,
        }
    }
}

impl CardBody {
    pub(in crate::v1) fn parse(self) -> CardChange {
        let filled = |text: Option<String>| text.filter(|text| !text.is_empty());
        CardChange {
            name: self.name.0.map(|name| name.0),
            description: self.description.change().map(|text| filled(text.map(|text| text.0))),
            capabilities: self.capabilities.0.map(CapabilitiesBody::parse),
            documentation_url: self.documentation_url.change().map(|url| url.map(|url| url.0)),
            visibility: self.visibility.0,
            routing: self.routing.0,
            handle: self.handle.change().map(|part| part.map(|part| part.0)),
            is_indexable: self.indexable.0,
        }
    }
}

async fn read(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    let id = input.path.id("id", "inbox")?;
    Outcome::json(200, &cards::bundle(&service, input.caller, id).await?)
}

async fn update(service: Arc<Service>, input: Input<EmptyInput, CardBody>) -> Result<Outcome, Refusal> {
    let id = input.path.id("id", "inbox")?;
    Outcome::json(200, &change::change(&service, input.caller, id, input.body.parse()).await?)
}

async fn delete(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    let id = input.path.id("id", "inbox")?;
    change::delete(&service, input.caller, id).await?;
    Ok(Outcome::empty())
}

async fn revoke(service: Arc<Service>, input: Input<EmptyInput, RevokeAgentBody>) -> Result<Outcome, Refusal> {
    let id = input.path.id("id", "inbox")?;
    let reason = input.body.reason.map(|text| text.0);
    Outcome::json(200, &change::revoke(&service, input.caller, id, reason).await?)
}

async fn request_review(service: Arc<Service>, input: Input<EmptyInput, AgentReviewBody>) -> Result<Outcome, Refusal> {
    let id = input.path.id("id", "inbox")?;
    let agent = review::request(&service, input.caller, id, input.body.note.map(|note| note.0)).await?;
    Outcome::json(202, &agent)
}

async fn restore(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    let id = input.path.id("id", "inbox")?;
    Outcome::json(200, &change::restore(&service, input.caller, id).await?)
}

async fn oasf(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    let id = input.path.id("id", "inbox")?;
    Outcome::json(200, &cards::oasf(&service, input.caller, id).await?)
}
