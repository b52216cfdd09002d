//! Agents: inboxes and identities with their cards, and what was decided against them. The index that searches use is
//! in `card_index.rs`.

pub mod agent_keys;
pub mod agent_reports;
pub mod card_index;
pub mod handles;
pub mod identity_approvals;
pub mod identity_clients;
pub mod identity_requests;
pub mod identity_sign_ins;
pub mod identity_tokens;

use posthouse_domain::{
    Agent, AgentHandle, Capabilities, Card, CardVisibility, ClaimStatus, HandleName, InboxId, InboxKind,
    ListingProblem, ListingState, MessageKind, PageRange, Sanction, SanctionKind, Skill, Time, WorkspaceId,
};

use crate::{Result, Tx, statements};

/// The columns of an agent in the order that rows are read, from `inboxes i` with the tables of [`joins!`].
macro_rules! columns {
    () => {
        "i.workspace_id, i.id, i.kind, i.address, i.username, i.domain, i.display_name, i.expires_at, i.deleted_at,
        w.claim_status, w.status AS workspace_status, h.handle AS workspace_handle, s.kind AS sanction,
        EXISTS (SELECT 1 FROM mail_domains m WHERE m.workspace_id = i.workspace_id AND m.name = i.domain AND m.owned = 1
          AND m.status = 'verified' LIMIT 1 OFFSET 0) AS has_verified_domain,
        c.name, c.description, c.skills, c.accepts_types, c.languages, c.input_modes, c.documentation_url, c.visibility, c.handle, c.indexable,
        c.listing, c.listing_problems, c.listed_at, c.revoked_at, c.revocation_reason, c.number, c.created_at, c.updated_at"
    };
}
pub(crate) use columns;

/// The tables that belong to `inboxes i`.
macro_rules! joins {
    () => {
        " CROSS JOIN {pg:LATERAL (SELECT * FROM} workspaces w {lite:ON}{pg:WHERE} w.id = i.workspace_id {pg:OFFSET 0) w}
        LEFT JOIN {pg:LATERAL (SELECT * FROM} handles h {lite:ON}{pg:WHERE} h.workspace_id = i.workspace_id AND h.state = 'current' {pg:OFFSET 0) h ON TRUE}
        LEFT JOIN {pg:LATERAL (SELECT * FROM} agent_sanctions s {lite:ON}{pg:WHERE} s.workspace_id = i.workspace_id AND s.inbox_id = i.id {pg:OFFSET 0) s ON TRUE}
        LEFT JOIN {pg:LATERAL (SELECT * FROM} agent_cards c {lite:ON}{pg:WHERE} c.workspace_id = i.workspace_id AND c.inbox_id = i.id {pg:OFFSET 0) c ON TRUE}"
    };
}
pub(crate) use joins;

macro_rules! select {
    ($from:literal, $rest:literal) => {
        concat!("SELECT ", columns!(), " FROM ", $from, joins!(), " WHERE ", $rest)
    };
}

statements! {
    /// Returns the agent with that inbox or identity, even if deleted.
    pub fn get(workspace: WorkspaceId, inbox: InboxId) -> Option<Agent> =
        select!("inboxes i", "i.workspace_id = :workspace AND i.id = :inbox");
    /// Returns the agent that has or had a canonical address, in any workspace.
    pub fn by_address(address: &str) -> Option<Agent> =
        select!("addresses a CROSS JOIN {pg:LATERAL (SELECT * FROM} inboxes i {lite:ON}{pg:WHERE} i.workspace_id = a.workspace_id
        AND i.id = a.inbox_id {pg:OFFSET 0) i}", "a.address = :address");
    fn inbox_by_handle(workspace: WorkspaceId, part: &AgentHandle) -> Option<InboxId> =
        "SELECT inbox_id FROM agent_cards WHERE workspace_id = :workspace AND handle = :part AND handle IS NOT NULL";
    /// Stores a new card; returns `false` if its handle or number is in use.
    pub fn insert(
        agent: &Agent { workspace, inbox },
        card: &Card {
            name, description, skills: card.capabilities.skills, accepts_types: card.capabilities.accepts_types,
            languages: card.capabilities.languages, input_modes: card.capabilities.input_modes, documentation_url,
            visibility, handle, is_indexable, listing, listing_problems, listed_at, revoked_at, revocation_reason,
            updated_at, number, created_at,
        },
    ) -> bool =
        "INSERT INTO agent_cards (workspace_id, inbox_id, name, description, skills, accepts_types, languages, input_modes, documentation_url, visibility, handle,
        indexable, listing, listing_problems, listed_at, revoked_at, revocation_reason, updated_at, number, created_at)
        VALUES (:workspace, :inbox, :name, :description, :skills, :accepts_types, :languages, :input_modes, :documentation_url, :visibility, :handle,
        :is_indexable, :listing, :listing_problems, :listed_at, :revoked_at, :revocation_reason, :updated_at, :number, :created_at)
        ON CONFLICT DO NOTHING";
    /// Writes the fields of a card that can change. Its handle must not be in use.
    pub fn update(
        agent: &Agent { workspace, inbox },
        card: &Card {
            name, description, skills: card.capabilities.skills, accepts_types: card.capabilities.accepts_types,
            languages: card.capabilities.languages, input_modes: card.capabilities.input_modes, documentation_url,
            visibility, handle, is_indexable, listing, listing_problems, listed_at, revoked_at, revocation_reason,
            updated_at,
        },
    ) =
        "UPDATE agent_cards SET (name, description, skills, accepts_types, languages, input_modes, documentation_url, visibility, handle,
        indexable, listing, listing_problems, listed_at, revoked_at, revocation_reason, updated_at)
        = (:name, :description, :skills, :accepts_types, :languages, :input_modes, :documentation_url, :visibility, :handle,
        :is_indexable, :listing, :listing_problems, :listed_at, :revoked_at, :revocation_reason, :updated_at)
        WHERE workspace_id = :workspace AND inbox_id = :inbox";
    /// Deletes the row of a card; returns whether there was one. [`crate::card_index::delete_card`] also deletes it from
    /// searches.
    pub(crate) fn delete_row(workspace: WorkspaceId, inbox: InboxId) -> bool =
        "DELETE FROM agent_cards WHERE workspace_id = :workspace AND inbox_id = :inbox";
    /// Returns the number of public cards of a workspace. Counts at most `most` of them.
    pub fn count_public(workspace: WorkspaceId, most: u64) -> u64 =
        "SELECT count(*) FROM (SELECT 1 FROM agent_cards c WHERE c.workspace_id = :workspace AND c.visibility = 'public' LIMIT :most) s";
    /// Records a decision against an agent; it replaces an earlier one.
    pub fn sanction(decision: &Sanction { workspace, inbox, kind, reason, parties, created_at }) =
        "INSERT INTO agent_sanctions (workspace_id, inbox_id, kind, reason, parties, created_at)
        VALUES (:workspace, :inbox, :kind, :reason, :parties, :created_at)
        ON CONFLICT (workspace_id, inbox_id) DO UPDATE SET kind = excluded.kind, reason = excluded.reason,
        parties = excluded.parties, created_at = excluded.created_at, review_requested_at = NULL, review_note = NULL";
    /// Records that the owner asks for a review; returns whether it is the first request.
    pub fn request_review(workspace: WorkspaceId, inbox: InboxId, note: Option<&str>, now: Time) -> bool =
        "UPDATE agent_sanctions SET review_requested_at = :now, review_note = :note
        WHERE workspace_id = :workspace AND inbox_id = :inbox AND review_requested_at IS NULL";
    /// Returns what was decided against an agent.
    pub fn sanction_of(workspace: WorkspaceId, inbox: InboxId) -> Option<Sanction> =
        "SELECT {agent_sanctions} FROM agent_sanctions WHERE workspace_id = :workspace AND inbox_id = :inbox";
    /// Ends what was decided against an agent; returns whether there was something.
    pub fn end_sanction(workspace: WorkspaceId, inbox: InboxId) -> bool =
        "DELETE FROM agent_sanctions WHERE workspace_id = :workspace AND inbox_id = :inbox";
    /// Returns decisions against agents, newest first.
    pub fn sanctioned(page: PageRange { sort: page.sort(), id: page.id(), limit }) -> Vec<Sanction> =
        "SELECT {agent_sanctions} FROM agent_sanctions WHERE (created_at, inbox_id) < (:sort, :id) ORDER BY created_at DESC, inbox_id DESC LIMIT :limit";
}

/// Returns the agent with that part of a handle in a workspace.
pub fn by_handle(tx: &mut Tx, workspace: WorkspaceId, part: &AgentHandle) -> Result<Option<Agent>> {
    inbox_by_handle(tx, workspace, part)?.map_or(Ok(None), |inbox| get(tx, workspace, inbox))
}

crate::from_row!(Agent {
    workspace = workspace_id: WorkspaceId, inbox = id: InboxId, kind: InboxKind, address: String, username: String,
    domain: String, display_name: Option<String>, expires_at: Option<Time>, deleted_at: Option<Time>,
    claim = claim_status: ClaimStatus, workspace_status: String, workspace_handle: Option<HandleName>,
    sanction: Option<SanctionKind>, has_verified_domain: bool, name: Option<String>, description: Option<String>,
    skills: Option<Vec<Skill>>, accepts_types: Option<Vec<MessageKind>>, languages: Option<Vec<String>>,
    input_modes: Option<Vec<String>>, documentation_url: Option<String>, visibility: Option<CardVisibility>,
    handle: Option<AgentHandle>, indexable: Option<bool>, listing: Option<ListingState>,
    listing_problems: Option<Vec<ListingProblem>>, listed_at: Option<Time>, revoked_at: Option<Time>,
    revocation_reason: Option<String>, number: Option<i64>, created_at: Option<Time>, updated_at: Option<Time>,
} => {
    // The columns of a card are null together.
    let card = match (name, number, created_at, updated_at) {
        (Some(name), Some(number), Some(created_at), Some(updated_at)) => Some(Card {
            name, description,
            capabilities: Capabilities {
                skills: skills.unwrap_or_default(),
                accepts_types: accepts_types.unwrap_or_default(),
                languages: languages.unwrap_or_default(),
                input_modes: input_modes.unwrap_or_default(),
            },
            documentation_url,
            visibility: visibility.unwrap_or_default(),
            handle,
            is_indexable: indexable.unwrap_or(false),
            listing,
            listing_problems: listing_problems.unwrap_or_default(),
            listed_at, revoked_at, revocation_reason, number, created_at, updated_at,
        }),
        _ => None,
    };
    Self {
        workspace, inbox, kind, address, username, domain, display_name, has_verified_domain, claim,
        is_workspace_suspended: workspace_status == "suspended",
        workspace_handle, expires_at, deleted_at, sanction, card,
    }
});
