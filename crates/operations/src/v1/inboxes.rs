//! `/v1/inboxes`.

pub(super) mod agent;
pub(super) mod drafts;
mod escalation;
mod forwarding;
mod identity;
mod identity_token;
mod messages;
mod sending;
mod threads;
mod verification;

use posthouse_api::views::{agent::CreatedAgentView, inbox::InboxView};
use posthouse_api::wire::{
    BoundedInt, DomainName, Metadata, MetadataFilters, Patch, Replacement, ScreeningChoice, ShownName, member,
};
use posthouse_app::agents::{self, change::CardChange, create::CreatedAgent};
use posthouse_app::inboxes::read::{self, InboxLifetime, InboxListRequest};
use posthouse_app::inboxes::{change, change::InboxChange, create::Lifespan, create::NewInbox, delete};
use posthouse_call::prelude::*;
use posthouse_domain::{InboxKind, Username, inbox, list::domain_text, metadata};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use agent::CardBody;

/// Longest `client_id` and display name in characters.
pub(super) const NAME_CHARS_MAX: usize = 255;
/// Longest reason of a pause in characters.
const REASON_CHARS_MAX: usize = 500;

type Ttl = BoundedInt<{ inbox::TTL_SECONDS_MIN }, { inbox::TTL_SECONDS_MAX }>;

pub(super) fn operations() -> Vec<Operation> {
    let chapters = [
        own(),
        agent::operations(),
        identity::operations(),
        identity_token::operations(),
        messages::operations(),
        verification::operations(),
        threads::operations(),
        drafts::operations(),
        forwarding::operations(),
        escalation::operations(),
    ];
    chapters.into_iter().flatten().collect()
}

fn own() -> Vec<Operation> {
    use Permission::{InboxesRead, InboxesWrite};
    vec![
        Operation::new(Method::Post, "/v1/inboxes", "createInbox", InboxesWrite)
            .workspace_wide()
            .summary("Creates an inbox. A repeated request with the same client_id returns the existing inbox.")
            .responds::<CreatedAgentView<InboxView>>(201)
            .responds::<CreatedAgentView<InboxView>>(200)
            .errors(&[
                ErrorCode::PlanLimitInboxes,
                ErrorCode::TemporaryInboxLimit,
                ErrorCode::AddressTaken,
                ErrorCode::DomainNotVerified,
                ErrorCode::InvalidHandle,
                ErrorCode::UnclaimedWorkspace,
                ErrorCode::PlanLimitPublicListings,
                ErrorCode::HandleTaken,
                ErrorCode::VisibilityUnavailable,
                ErrorCode::RoutingUnavailable,
                ErrorCode::DirectoryDisabled,
            ])
            .handle(create),
        Operation::new(Method::Get, "/v1/inboxes", "listInboxes", InboxesRead)
            .summary("Lists the inboxes the key can access, newest first.")
            .responds::<PageView<InboxView>>(200)
            .errors(&[ErrorCode::InvalidCursor])
            .handle(page),
        Operation::new(Method::Get, "/v1/inboxes/{id}", "getInbox", InboxesRead)
            .summary("Returns one inbox or identity.")
            .responds::<InboxView>(200)
            .handle(get),
        Operation::new(Method::Patch, "/v1/inboxes/{id}", "updateInbox", InboxesWrite)
            .summary("Updates an inbox or identity. Metadata is merged; a null value deletes its key.")
            .responds::<InboxView>(200)
            // Only an owner changes `screening`.
            .errors(&[ErrorCode::Forbidden])
            .handle(update),
        Operation::new(Method::Delete, "/v1/inboxes/{id}", "deleteInbox", InboxesWrite)
            .summary("Deletes an inbox or identity for good. Temporary inboxes are wiped. The address is never reused.")
            .responds_with(204, None)
            .handle(delete),
        Operation::new(Method::Post, "/v1/inboxes/{id}/pause", "pauseInbox", InboxesWrite)
            .repeatable()
            .summary(
                "Pauses an inbox or identity: it sends nothing and holds its events back, but still receives mail.",
            )
            .responds::<InboxView>(200)
            .handle(pause),
        Operation::new(Method::Post, "/v1/inboxes/{id}/resume", "resumeInbox", InboxesWrite)
            .repeatable()
            .summary(
                "Resumes a paused inbox or identity. Events that were held back are delivered in order of arrival.",
            )
            .responds::<ResumedView>(200)
            .handle(resume),
    ]
}

object! {
    /// An inbox to create: permanent, or temporary with a lifetime in seconds.
    struct CreateInboxBody {
        /// The part of the address before the @. If omitted, a readable one is generated.
        username: Option<Username>,
        /// The name that recipients see.
        display_name: Option<ShownName<NAME_CHARS_MAX>>,
        /// Your own id for the inbox. A repeated request with the same id returns the existing inbox.
        client_id: Option<BoundedLine<1, NAME_CHARS_MAX>>,
        /// Your own data.
        metadata: Option<Metadata>,
        /// A verified domain of the workspace, or the service's default domain. Default: the default domain.
        domain: Option<DomainName>,
        /// Creates a temporary inbox: it only receives, and expires after this many seconds.
        ttl_seconds: Option<Ttl>,
        /// The card of the agent. Requires `directory:write`.
        card: Option<CardBody>,
    }
    check temporary_alone, schema only_temporary;
}

object! {
    /// Changes to an inbox. Omitted members stay unchanged.
    struct UpdateInboxBody {
        /// The name that recipients see. Null clears it.
        display_name: Patch<ShownName<NAME_CHARS_MAX>>,
        /// Merged into the existing metadata. A null value deletes its key.
        metadata: Replacement<Metadata>,
        /// The lifetime of a temporary inbox in seconds from now, up to 24 hours after its creation.
        ttl_seconds: Replacement<Ttl>,
        /// Whether message lists leave out promotions and spam by default. Null restores the default of the address.
        promotions_filter: Patch<bool>,
        /// How mail of this inbox is screened for agents; for owners with a session only. Null restores the setting of the
        /// workspace.
        screening: Patch<ScreeningChoice>,
    }
}

object! {
    /// Pauses an inbox.
    struct PauseInboxBody {
        /// Why the inbox is paused, for people.
        reason: Option<BoundedText<1, REASON_CHARS_MAX>>,
    }
}

query! {
    /// Filters and page of a list of inboxes.
    struct InboxListQuery {
        /// The `next_cursor` of the previous page.
        cursor: Option<Cursor>,
        /// Maximum number of inboxes per page. Default: 25.
        limit: Limit,
        /// Whether to list temporary inboxes, too.
        include_temporary: bool,
        /// Whether to list temporary inboxes only.
        temporary: bool,
        /// Only inboxes whose metadata has this value, compared as text. With several values, all must match.
        metadata: MetadataFilters,
    }
}

/// An inbox after its pause ended.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ResumedInbox")]
struct ResumedView {
    #[serde(flatten)]
    inbox: InboxView,
    /// Number of events that were held back and are now delivered.
    released_events: u64,
}

async fn create(service: Arc<Service>, input: Input<EmptyInput, CreateInboxBody>) -> Result<Outcome, Refusal> {
    let (new, card) = input.body.parse();
    let CreatedAgent { created, card } = agents::create::create(&service, input.caller, new, card).await?;
    let view = CreatedAgentView { created: created.view, card };
    Outcome::json(if created.is_new { 201 } else { 200 }, &view)
}

async fn page(service: Arc<Service>, input: Input<InboxListQuery>) -> Result<Outcome, Refusal> {
    let page = read::page(&service, input.caller, input.query.parse()).await?;
    Outcome::page(&service, &page, |view| view)
}

async fn get(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    let id = input.path.id("id", "inbox")?;
    Outcome::json(200, &read::get(&service, input.caller, id).await?)
}

async fn update(service: Arc<Service>, input: Input<EmptyInput, UpdateInboxBody>) -> Result<Outcome, Refusal> {
    let id = input.path.id("id", "inbox")?;
    Outcome::json(200, &change::change(&service, input.caller, id, input.body.parse()).await?)
}

async fn delete(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    let id = input.path.id("id", "inbox")?;
    delete::delete(&service, input.caller, id).await?;
    Ok(Outcome::empty())
}

async fn pause(service: Arc<Service>, input: Input<EmptyInput, PauseInboxBody>) -> Result<Outcome, Refusal> {
    let id = input.path.id("id", "inbox")?;
    let reason = input.body.reason.map(|text| text.0);
    Outcome::json(200, &change::pause(&service, input.caller, id, reason).await?)
}

async fn resume(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    let id = input.path.id("id", "inbox")?;
    let resumed = change::resume(&service, input.caller, id).await?;
    Outcome::json(200, &ResumedView { inbox: resumed.view, released_events: resumed.released_events })
}

/// Reports members that a temporary inbox cannot have.
fn temporary_alone(given: &Map<String, Value>, path: &str, problems: &mut Problems) {
    let is_given = |name: &str| given.get(name).is_some_and(|value| !value.is_null());
    if is_given("ttl_seconds") {
        for name in ["username", "domain", "client_id"].into_iter().filter(|name| is_given(name)) {
            let problem = "can't be combined with `ttl_seconds`: a temporary inbox gets a random address";
            problems.add::<()>(&member(path, name), problem);
        }
    }
}

/// [`temporary_alone`] as a condition of JSON Schema.
fn only_temporary() -> Value {
    let omitted = json!({ "type": "null" });
    let chosen = json!({ "username": omitted, "domain": omitted, "client_id": omitted });
    json!({ "anyOf": [{ "properties": { "ttl_seconds": omitted } }, { "properties": chosen }] })
}

/// Returns the metadata of a new inbox or identity. Null values delete keys, and it has none; the schema limits the number of
/// keys.
pub(super) fn new_metadata(given: Option<Metadata>) -> metadata::Metadata {
    metadata::merge(metadata::Metadata::new(), &given.unwrap_or_default().0).unwrap_or_default()
}

impl CreateInboxBody {
    fn parse(self) -> (NewInbox, Option<CardChange>) {
        let life = match self.ttl_seconds {
            Some(ttl) => Lifespan::Temporary { ttl_seconds: ttl.0 },
            None => Lifespan::Permanent {
                username: self.username,
                client_id: self.client_id.map(|id| id.0),
                domain: self.domain.map(|domain| domain_text(&domain.0).unwrap_or(domain.0)),
            },
        };
        let metadata = new_metadata(self.metadata);
        let display_name = self.display_name.map(|name| name.0);
        (NewInbox { kind: InboxKind::Mailbox, life, display_name, metadata }, self.card.map(CardBody::parse))
    }
}

impl UpdateInboxBody {
    fn parse(self) -> InboxChange {
        InboxChange {
            display_name: self.display_name.change().map(|name| name.map(|line| line.0)),
            metadata: self.metadata.0.unwrap_or_default().0,
            ttl_seconds: self.ttl_seconds.0.map(|ttl| ttl.0),
            promotions_filter: self.promotions_filter.change(),
            screening: self.screening.change().map(|choice| choice.map(|choice| choice.0)),
        }
    }
}

impl InboxListQuery {
    fn parse(self) -> InboxListRequest {
        let lives = match (self.temporary, self.include_temporary) {
            (true, _) => InboxLifetime::Temporary,
            (false, true) => InboxLifetime::Any,
            (false, false) => InboxLifetime::Permanent,
        };
        InboxListRequest { lives, metadata: self.metadata.0, page: paging(self.cursor, self.limit) }
    }
}
