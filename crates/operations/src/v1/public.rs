//! `/v1/public`: the public directory, for everyone, with or without a key. See `docs/reference/directory.md`.

use posthouse_api::views::agent::oasf::{self, OasfRecordView};
use posthouse_api::views::agent::{CardResultView, CardView, HandleResultView, PublishedKeysView, ShownAgent};
use posthouse_api::wire::{CapabilityText, CardQueryText};
use posthouse_app::agents::{a2a, resolve, resolve::AgentName, resolve::PublicAgent, search, switches};
use posthouse_app::limits::directory::DirectoryLimit;
use posthouse_call::prelude::*;
use posthouse_call::{CacheRule, PathParams, render_page, render_view};
use posthouse_domain::{CardQuery, MessageKind, SearchedCards};
use posthouse_mail::address::Address;

use super::directory::CardLimit;

/// How long clients and proxies may cache public documents, in seconds.
pub const CACHED_S: u32 = 60;
/// The error codes of a document about one agent.
const ERROR_CODES: &[ErrorCode] =
    &[ErrorCode::AgentNotFound, ErrorCode::RateLimited, ErrorCode::PublicDirectoryDisabled];

pub(crate) fn operations() -> Vec<Operation> {
    let one = |path, name, summary| {
        Operation::public(Method::Get, path, name)
            .summary(summary)
            .responds_with(304, None)
            .errors(ERROR_CODES)
            .behind_switch(switches::check_public)
            .counted_for(DirectoryLimit::Public)
            .cross_origin()
    };
    vec![
        Operation::public(Method::Get, "/v1/public/agents", "listPublicAgents")
            .summary("Searches the public directory, newest first. Needs no key.")
            .responds::<PageView<CardView>>(200)
            .responds_with(304, None)
            .errors(&[ErrorCode::InvalidCursor, ErrorCode::RateLimited, ErrorCode::PublicDirectoryDisabled])
            .behind_switch(switches::check_public)
            .counted_for(DirectoryLimit::Public)
            .cross_origin()
            .handle(page),
        one("/v1/public/agents/{address}", "getPublicAgent", "Returns the card of a listed agent. Needs no key.")
            .responds::<CardResultView>(200)
            .handle(card),
        one(
            "/v1/public/agents/{address}/agent-card.json",
            "getPublicA2aCard",
            "Returns the A2A card of a listed agent, signed by the service if agent messages are switched on. Needs no key.",
        )
        .responds::<serde_json::Map<String, serde_json::Value>>(200)
        .handle(a2a_card),
        one(
            "/v1/public/agents/{address}/oasf.json",
            "getPublicAgentOasf",
            "Returns a listed agent as a record of the Open Agentic Schema Framework. Needs no key.",
        )
        .responds::<OasfRecordView>(200)
        .handle(oasf_record),
        one(
            "/v1/public/agents/{address}/keys.json",
            "getPublicAgentKeys",
            "Returns the keys that a listed agent holds. Needs no key.",
        )
        .responds::<PublishedKeysView>(200)
        .handle(keys),
        one(
            "/v1/public/handles/{workspace}/{agent}",
            "getPublicAgentByHandle",
            "Returns the listed agent behind a handle. Renamed handles are followed for 90 days. Needs no key.",
        )
        .responds::<HandleResultView>(200)
        .handle(handle),
    ]
}

query! {
    /// The conditions and page of a search in the public directory.
    struct PublicSearchQuery {
        /// A part of the name, the description, or the name or tag of a skill. Case is ignored.
        q: Option<CardQueryText>,
        /// A skill id, tag or OASF class, exactly.
        capability: Option<CapabilityText>,
        /// A type of message that the agent accepts.
        kind = "type": Option<MessageKind>,
        /// The `next_cursor` of the previous page.
        cursor: Option<Cursor>,
        /// Maximum number of cards per page. Default: 20.
        limit: CardLimit,
    }
}

/// Adds the fields of a document.
fn document(response: Outcome) -> Outcome {
    response.with("x-content-type-options", "nosniff").with("x-robots-tag", "noindex")
}

async fn page(service: Arc<Service>, input: PublicInput<PublicSearchQuery>) -> Result<Outcome, Refusal> {
    let given = input.query;
    let query = CardQuery {
        scope: SearchedCards::Public,
        text: given.q.map(|text| text.0),
        capability: given.capability.map(|text| text.0),
        accepts: given.kind,
    };
    let page = search::search(&service, None, query, paging(given.cursor, given.limit)).await?;
    let body = render_page(&page, service.config.limits.page_bytes, |card| card)?.into_json();
    Ok(document(Outcome::rendered_json(200, body).cached(CacheRule { seconds: CACHED_S, identity: None })))
}

/// Returns the listed agent that a path names.
///
/// # Errors
/// Returns `agent_not_found` if no agent with that address is listed.
pub async fn named(service: &Service, path: &PathParams) -> Result<PublicAgent, Refusal> {
    let address = Address::parse(path.text("address")).map_err(|_| resolve::not_found())?;
    resolve::public(service, AgentName::Address(address)).await
}

/// Returns what views of a listed agent show.
///
/// # Errors
/// Returns `agent_not_found` if it isn't shown any more.
pub fn shown(found: &PublicAgent) -> Result<ShownAgent<'_>, Refusal> {
    found.viewer.shown(&found.agent, &found.keys).ok_or_else(resolve::not_found)
}

async fn card(service: Arc<Service>, input: PublicInput) -> Result<Outcome, Refusal> {
    let found = named(&service, &input.path).await?;
    let view = CardResultView { card: shown(&found)?.public(), redirected_from: None };
    Ok(document(Outcome::cached_json(CACHED_S, &view)?))
}

async fn a2a_card(service: Arc<Service>, input: PublicInput) -> Result<Outcome, Refusal> {
    let found = named(&service, &input.path).await?;
    let signed = a2a::card(&service, &shown(&found)?).await?;
    let body = render_view(&signed.card)?;
    // Each signature of one card differs, so the tag is that of what was signed.
    let rule = CacheRule { seconds: CACHED_S, identity: Some(signed.identity.into_bytes()) };
    Ok(document(Outcome::rendered_json(200, body).cached(rule)))
}

async fn oasf_record(service: Arc<Service>, input: PublicInput) -> Result<Outcome, Refusal> {
    let found = named(&service, &input.path).await?;
    let record = oasf::record(&shown(&found)?, true);
    Ok(document(Outcome::cached_json(CACHED_S, &record)?))
}

async fn keys(service: Arc<Service>, input: PublicInput) -> Result<Outcome, Refusal> {
    let found = named(&service, &input.path).await?;
    let view = PublishedKeysView { keys: found.keys };
    Ok(document(Outcome::cached_json(CACHED_S, &view)?))
}

async fn handle(service: Arc<Service>, input: PublicInput) -> Result<Outcome, Refusal> {
    let handle = format!("@{}/{}", input.path.text("workspace"), input.path.text("agent"));
    let found = resolve::public(&service, AgentName::Handle(handle)).await?;
    let view = HandleResultView {
        handle: found.agent.handle().ok_or_else(resolve::not_found)?,
        address: found.agent.address.clone(),
        card: shown(&found)?.public(),
        redirected_from: found.redirected_from.clone(),
    };
    Ok(document(Outcome::cached_json(CACHED_S, &view)?))
}
