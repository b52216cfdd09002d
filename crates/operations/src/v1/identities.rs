//! `/v1/identities`: agents without mail.

use posthouse_api::views::{agent::CreatedAgentView, identity::IdentityView};
use posthouse_api::wire::{Metadata, MetadataFilters, Patch, Replacement, ShownName};
use posthouse_app::agents::{self, change::CardChange, create::CreatedAgent};
use posthouse_app::inboxes::read::{self, InboxLifetime, InboxListRequest};
use posthouse_app::inboxes::{change, change::InboxChange, create::Lifespan, create::NewInbox, delete};
use posthouse_call::prelude::*;
use posthouse_domain::{InboxKind, Username};

use super::inboxes::{NAME_CHARS_MAX, agent::CardBody, new_metadata};

/// Path of all identities.
const ALL: &str = "/v1/identities";
/// Path of one identity.
const ONE: &str = "/v1/identities/{id}";

pub(crate) fn operations() -> Vec<Operation> {
    use Permission::{InboxesRead, InboxesWrite};
    vec![
        Operation::new(Method::Post, ALL, "createIdentity", InboxesWrite)
            .workspace_wide()
            .summary(
                "Creates an agent without mail. A repeated request with the same client_id returns the existing one.",
            )
            .responds::<CreatedAgentView<IdentityView>>(201)
            .responds::<CreatedAgentView<IdentityView>>(200)
            .errors(&[
                ErrorCode::PlanLimitIdentities,
                ErrorCode::AddressTaken,
                ErrorCode::InvalidHandle,
                ErrorCode::UnclaimedWorkspace,
                ErrorCode::PlanLimitPublicListings,
                ErrorCode::HandleTaken,
                ErrorCode::VisibilityUnavailable,
                ErrorCode::RoutingUnavailable,
                ErrorCode::DirectoryDisabled,
            ])
            .handle(create),
        Operation::new(Method::Get, ALL, "listIdentities", InboxesRead)
            .summary("Lists the identities the key can access, newest first.")
            .responds::<PageView<IdentityView>>(200)
            .errors(&[ErrorCode::InvalidCursor])
            .handle(page),
        Operation::new(Method::Get, ONE, "getIdentity", InboxesRead)
            .summary("Returns one identity.")
            .responds::<IdentityView>(200)
            .handle(get),
        Operation::new(Method::Patch, ONE, "updateIdentity", InboxesWrite)
            .summary("Updates an identity. Metadata is merged; a null value deletes its key.")
            .responds::<IdentityView>(200)
            .handle(update),
        Operation::new(Method::Delete, ONE, "deleteIdentity", InboxesWrite)
            .summary("Deletes an identity for good. Its address is never reused.")
            .responds_with(204, None)
            .handle(delete),
    ]
}

object! {
    /// An identity to create.
    struct CreateIdentityBody {
        /// The part of the address before the @. If omitted, a readable one is generated.
        username: Option<Username>,
        /// The name of the agent, for people.
        display_name: Option<ShownName<NAME_CHARS_MAX>>,
        /// Your own id for the identity. A repeated request with the same id returns the existing identity.
        client_id: Option<BoundedLine<1, NAME_CHARS_MAX>>,
        /// Your own data.
        metadata: Option<Metadata>,
        /// The card of the agent. Requires `directory:write`.
        card: Option<CardBody>,
    }
}

object! {
    /// Changes to an identity. Omitted members stay unchanged.
    struct UpdateIdentityBody {
        /// The name of the agent, for people. Null clears it.
        display_name: Patch<ShownName<NAME_CHARS_MAX>>,
        /// Merged into the existing metadata. A null value deletes its key.
        metadata: Replacement<Metadata>,
    }
}

query! {
    /// Filters and page of a list of identities.
    struct IdentityListQuery {
        /// The `next_cursor` of the previous page.
        cursor: Option<Cursor>,
        /// Maximum number of identities per page. Default: 25.
        limit: Limit,
        /// Only identities whose metadata has this value, compared as text. With several values, all must match.
        metadata: MetadataFilters,
    }
}

async fn create(service: Arc<Service>, input: Input<EmptyInput, CreateIdentityBody>) -> Result<Outcome, Refusal> {
    let (new, card) = input.body.parse();
    let CreatedAgent { created, card } = agents::create::create(&service, input.caller, new, card).await?;
    let view = CreatedAgentView { created: IdentityView::of(&created.inbox), card };
    Outcome::json(if created.is_new { 201 } else { 200 }, &view)
}

async fn page(service: Arc<Service>, input: Input<IdentityListQuery>) -> Result<Outcome, Refusal> {
    let IdentityListQuery { cursor, limit, metadata } = input.query;
    let (lives, metadata, page) = (InboxLifetime::Permanent, metadata.0, paging(cursor, limit));
    let page = read::identities(&service, input.caller, InboxListRequest { lives, metadata, page }).await?;
    Outcome::page(&service, &page, IdentityView::of)
}

async fn get(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    let id = input.path.id("id", "identity")?;
    Outcome::json(200, &IdentityView::of(&read::identity(&service, input.caller, id).await?))
}

async fn update(service: Arc<Service>, input: Input<EmptyInput, UpdateIdentityBody>) -> Result<Outcome, Refusal> {
    let id = input.path.id("id", "identity")?;
    Outcome::json(200, &change::change_identity(&service, input.caller, id, input.body.parse()).await?)
}

async fn delete(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    let id = input.path.id("id", "identity")?;
    delete::delete_identity(&service, input.caller, id).await?;
    Ok(Outcome::empty())
}

impl CreateIdentityBody {
    fn parse(self) -> (NewInbox, Option<CardChange>) {
        let life =
            Lifespan::Permanent { username: self.username, client_id: self.client_id.map(|id| id.0), domain: None };
        let metadata = new_metadata(self.metadata);
        let display_name = self.display_name.map(|name| name.0);
        (NewInbox { kind: InboxKind::Identity, life, display_name, metadata }, self.card.map(CardBody::parse))
    }
}

impl UpdateIdentityBody {
    fn parse(self) -> InboxChange {
        InboxChange {
            display_name: self.display_name.change().map(|name| name.map(|line| line.0)),
            metadata: self.metadata.0.unwrap_or_default().0,
            ..InboxChange::default()
        }
    }
}
