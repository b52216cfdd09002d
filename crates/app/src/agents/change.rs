//! Creates, changes, deletes, revokes and restores cards.

use posthouse_api::views::agent::AgentBundleView;
use posthouse_domain::{
    Agent, AgentHandle, Caller, Capabilities, Card, CardDocument, CardVisibility, ClaimStatus, Detail, ErrorCode,
    IdGenerator, InboxId, JobId, JobKind, JobReason, LimitName, ListingState, Plans, Refusal, Routing, SECOND_MS,
    Scope, Standing, Time, agent::card::default_name, agent::handle::AGENT_HANDLES_PER_DAY,
    agent::handle::check_length,
};
use posthouse_store::{Tx, agents, card_index, handles, inboxes, jobs, jobs::NewJob, workspaces};

use super::{cards::BundleLoader, cards::no_card, events::CardEvents, switches};
use crate::{
    access::authorize::{WiderScope, too_narrow},
    inboxes::change as inbox_change,
    limits::fixed_window::WindowCount,
    service::Service,
};

/// Low bits of a card's number, which make it unique within a millisecond.
const NUMBER_RANDOM_BITS: u32 = 22;
/// Numbers tried before a card is refused; two cards of one millisecond share a number in one of four million cases.
const NUMBERS_TRIED_MAX: i64 = 4;

/// A change of a card. `None` leaves a field unchanged; `None` inside clears it.
#[derive(Clone, Debug, Default)]
pub struct CardChange {
    pub name: Option<String>,
    /// What the agent does.
    pub description: Option<Option<String>>,
    /// What it can do and accepts; replaces all capabilities.
    pub capabilities: Option<Capabilities>,
    pub documentation_url: Option<Option<String>>,
    /// Who sees the card.
    pub visibility: Option<CardVisibility>,
    /// How messages reach the agent.
    pub routing: Option<Routing>,
    /// The agent part of the handle.
    pub handle: Option<Option<String>>,
    /// Whether search engines may index the public page.
    pub is_indexable: Option<bool>,
}

/// A change of a card whose form was checked, for a transaction that may do more.
#[derive(Clone)]
pub struct CardWrite {
    change: CardChange,
    handle: Option<Option<AgentHandle>>,
    is_public_on: bool,
    plans: Plans,
    ids: IdGenerator,
    random: i64,
    events: CardEvents,
}

/// Checks what needs no transaction.
///
/// # Errors
/// Returns `directory_disabled`, `routing_unavailable`, `visibility_unavailable` or `invalid_handle`.
pub fn plan(service: &Service, change: CardChange) -> Result<CardWrite, Refusal> {
    switches::check(service)?;
    let is_public_on = switches::is_public(service);
    if change.routing == Some(Routing::DirectPreferred) {
        return Err(Refusal::new(ErrorCode::RoutingUnavailable, "The routing `direct_preferred` is not available."));
    }
    let handle = change.handle.as_ref().map(|part| part.as_deref().map(AgentHandle::parse).transpose()).transpose()?;
    let mut random = [0; 4];
    service.clock.random(&mut random);
    let random = i64::from(u32::from_be_bytes(random)) & ((1 << NUMBER_RANDOM_BITS) - 1);
    let (plans, ids, events) = (service.config.plans, service.clock.ids(), CardEvents::of(service));
    Ok(CardWrite { change, handle, is_public_on, plans, ids, random, events })
}

/// Changes the card of an agent, or creates it.
///
/// # Errors
/// Returns `not_found`, `invalid_handle`, `handle_taken`, `forbidden`, `unclaimed_workspace`, or `plan_limit_public_listings`, the errors of [`plan`].
pub async fn change(
    service: &Service,
    caller: Caller,
    id: InboxId,
    change: CardChange,
) -> Result<AgentBundleView, Refusal> {
    let write = plan(service, change)?;
    let now = write.now();
    if let Some(Some(_)) = write.handle {
        check_handle_changes(service.agent_handles.peek(caller.workspace, AGENT_HANDLES_PER_DAY, now))?;
    }
    let loader = BundleLoader::of(service).await?;
    let work = move |tx: &mut Tx| {
        let before = agents::get(tx, caller.workspace, id)?.and_then(|agent| agent.card?.handle);
        let agent = write.execute(tx, &caller, id)?;
        let is_renamed = agent.card.as_ref().is_some_and(|card| card.handle.is_some() && card.handle != before);
        Ok::<_, Refusal>((loader.load(tx, &agent)?, is_renamed))
    };
    let (view, is_renamed) = service.write(work).await?;
    if is_renamed {
        service.agent_handles.count(caller.workspace, AGENT_HANDLES_PER_DAY, now);
    }
    Ok(view)
}

fn check_handle_changes(count: WindowCount) -> Result<(), Refusal> {
    if count.is_allowed {
        return Ok(());
    }
    let seconds = u64::try_from(count.ends_in_ms / SECOND_MS).unwrap_or(0).max(1);
    let message = format!("The workspace changed {AGENT_HANDLES_PER_DAY} handles of agents within 24 hours.");
    Err(Refusal::new(ErrorCode::RateLimited, message).at_limit(
        LimitName::AgentHandlesPerDay,
        AGENT_HANDLES_PER_DAY,
        seconds,
    ))
}

impl CardWrite {
    /// Writes the card; returns the agent with it.
    ///
    /// # Errors
    /// Returns the errors of [`change`].
    pub fn execute(&self, tx: &mut Tx, caller: &Caller, id: InboxId) -> Result<Agent, Refusal> {
        let mut agent = take(tx, caller, id, self.now())?;
        let before = agent.card.clone();
        let mut card = self.changed(&agent, before.as_ref());
        self.check_visibility(tx, caller, &agent, before.as_ref(), &card)?;
        self.check_handle(tx, &agent, &card)?;
        self.settle_listing(tx, &agent, before.as_ref(), &mut card)?;
        if before.as_ref().is_some_and(|old| Card { updated_at: old.updated_at, ..card.clone() } == *old) {
            return Ok(agent);
        }
        match before {
            Some(_) => agents::update(tx, &agent, &card)?,
            None => self.insert(tx, &agent, &mut card)?,
        }
        agent.card = Some(card);
        index(tx, &agent)?;
        self.events.updated(tx, &agent)?;
        Ok(agent)
    }

    const fn now(&self) -> Time {
        self.events.viewer.now
    }

    /// Returns the card with the change applied.
    fn changed(&self, agent: &Agent, before: Option<&Card>) -> Card {
        let (change, now) = (&self.change, self.now());
        let mut card = before.cloned().unwrap_or_else(|| self.blank(agent));
        if let Some(name) = &change.name {
            card.name.clone_from(name);
        }
        if let Some(description) = &change.description {
            card.description.clone_from(description);
        }
        if let Some(capabilities) = &change.capabilities {
            card.capabilities = capabilities.clone();
        }
        if let Some(url) = &change.documentation_url {
            card.documentation_url.clone_from(url);
        }
        if let Some(handle) = &self.handle {
            card.handle.clone_from(handle);
        }
        card.visibility = change.visibility.unwrap_or(card.visibility);
        card.is_indexable = change.is_indexable.unwrap_or(card.is_indexable);
        card.updated_at = now;
        card
    }

    /// Returns a new card: named like the inbox, and private.
    fn blank(&self, agent: &Agent) -> Card {
        let name = default_name(agent.display_name.as_deref(), &agent.username);
        Card::new(name, (self.now().millis() << NUMBER_RANDOM_BITS) | self.random, self.now())
    }

    /// Checks that the card may have a visibility that it didn't have before.
    fn check_visibility(
        &self,
        tx: &mut Tx,
        caller: &Caller,
        agent: &Agent,
        before: Option<&Card>,
        card: &Card,
    ) -> Result<(), Refusal> {
        if before.map_or(CardVisibility::Private, |card| card.visibility) == card.visibility {
            return Ok(());
        }
        let is_public = card.visibility == CardVisibility::Public;
        if is_public && caller.scope() != Scope::Org {
            let message = "Only the scope `org` can make a card public.";
            return Err(too_narrow(caller, WiderScope::Org, Refusal::new(ErrorCode::Forbidden, message)));
        }
        if card.visibility != CardVisibility::Private && agent.claim == ClaimStatus::Unclaimed {
            let message = "The cards of an unclaimed workspace are private.";
            let fix = "Have a person claim the workspace first: `POST /v1/signup/claim`.";
            return Err(Refusal::new(ErrorCode::UnclaimedWorkspace, message).with_fix(fix));
        }
        if is_public && !self.is_public_on {
            let message = "The public directory is switched off on this server.";
            return Err(Refusal::new(ErrorCode::VisibilityUnavailable, message));
        }
        if is_public {
            inboxes::take_workspace(tx, agent.workspace)?;
            let tenant = workspaces::get(tx, agent.workspace)?.ok_or_else(|| Refusal::not_found("workspace"))?;
            if let Some(most) = tenant.limits(&self.plans).public_listings {
                check_limit(agents::count_public(tx, agent.workspace, most)?, most)?;
            }
        }
        Ok(())
    }

    fn check_handle(&self, tx: &mut Tx, agent: &Agent, card: &Card) -> Result<(), Refusal> {
        let (Some(Some(_)), Some(part)) = (&self.handle, &card.handle) else { return Ok(()) };
        // Of two agents that choose the same part at once, the second one sees the first.
        inboxes::take_workspace(tx, agent.workspace)?;
        let Some(workspace) = handles::current(tx, agent.workspace)? else {
            let message = "The workspace has no handle, which the handle of an agent needs.";
            return Err(Refusal::new(ErrorCode::InvalidHandle, message)
                .with_fix("Claim a handle for the workspace first: `PUT /v1/directory/handle`."));
        };
        check_length(&workspace, part)?;
        match agents::by_handle(tx, agent.workspace, part)? {
            Some(other) if other.inbox != agent.inbox => Err(handle_in_use(part)),
            _ => Ok(()),
        }
    }

    /// Sets the listing of a card that became or stopped being public, or whose texts changed: it is checked again.
    fn settle_listing(
        &self,
        tx: &mut Tx,
        agent: &Agent,
        before: Option<&Card>,
        card: &mut Card,
    ) -> Result<(), Refusal> {
        if card.visibility != CardVisibility::Public {
            (card.listing, card.listed_at, card.listing_problems) = (None, None, Vec::new());
            return Ok(());
        }
        let is_same = before.is_some_and(|old| {
            old.visibility == CardVisibility::Public && old.texts() == card.texts() && old.listing.is_some()
        });
        if !is_same {
            (card.listing, card.listing_problems) = (Some(ListingState::Pending), Vec::new());
            jobs::enqueue(tx, &check_job(self.ids.clone().next(), agent, self.now()))?;
        }
        Ok(())
    }

    fn insert(&self, tx: &mut Tx, agent: &Agent, card: &mut Card) -> Result<(), Refusal> {
        for _ in 0..NUMBERS_TRIED_MAX {
            if agents::insert(tx, agent, card)? {
                return Ok(());
            }
            card.number += 1;
        }
        match &card.handle {
            Some(part) => Err(handle_in_use(part)),
            None => Err(Refusal::new(ErrorCode::Internal, "The card couldn't be stored.")),
        }
    }
}

fn handle_in_use(part: &AgentHandle) -> Refusal {
    let message = format!("Another agent of the workspace has the handle {part}.");
    Refusal::new(ErrorCode::HandleTaken, message).with_fix("Choose another handle for one of the agents.")
}

fn check_limit(used: u64, max: u64) -> Result<(), Refusal> {
    if used < max {
        return Ok(());
    }
    let message = format!("The workspace has {used} of the {max} public cards it can have.");
    Err(Refusal::new(ErrorCode::PlanLimitPublicListings, message).detail(Detail::Max(max)))
}

fn check_job(id: JobId, agent: &Agent, now: Time) -> NewJob {
    NewJob::new(JobKind::ListingCheck, JobReason::CardChanged, agent.workspace, agent.inbox.0, id, now)
}

/// Puts the card of an agent into the index of searches, or removes it.
pub(super) fn index(tx: &mut Tx, agent: &Agent) -> posthouse_store::Result<()> {
    let Some(card) = &agent.card else { return Ok(()) };
    let is_listed = card.visibility == CardVisibility::Public && card.listing == Some(ListingState::Listed);
    let is_found = card.visibility != CardVisibility::Private && card.revoked_at.is_none();
    let document = is_found.then(|| CardDocument::of(agent.workspace, card, is_listed));
    card_index::put(tx, agent, card.number, document.as_ref())
}

/// Locks the inbox or identity of an agent and returns the agent.
fn take(tx: &mut Tx, caller: &Caller, id: InboxId, now: Time) -> Result<Agent, Refusal> {
    inbox_change::take(tx, caller, id, now)?;
    agents::get(tx, caller.workspace, id)?.ok_or_else(|| Refusal::not_found("inbox"))
}

/// Deletes the card of an agent. Its inbox or identity stays.
///
/// # Errors
/// Returns `directory_disabled` or `not_found` if the agent is missing or has no card.
pub async fn delete(service: &Service, caller: Caller, id: InboxId) -> Result<(), Refusal> {
    switches::check(service)?;
    let events = CardEvents::of(service);
    let work = move |tx: &mut Tx| {
        let agent = take(tx, &caller, id, events.viewer.now)?;
        if !card_index::delete_card(tx, agent.workspace, agent.inbox)? {
            return Err(no_card());
        }
        Ok(events.deleted(tx, &agent)?)
    };
    service.write(work).await
}

/// Revokes an agent: its messages are no longer signed, and checks of its signatures show it.
///
/// # Errors
/// Returns `directory_disabled` or `not_found` if the agent is missing or has no card.
pub async fn revoke(
    service: &Service,
    caller: Caller,
    id: InboxId,
    reason: Option<String>,
) -> Result<AgentBundleView, Refusal> {
    switches::check(service)?;
    let loader = BundleLoader::of(service).await?;
    let work = move |tx: &mut Tx| {
        let now = loader.events.viewer.now;
        let mut agent = take(tx, &caller, id, now)?;
        let mut card = agent.card.clone().ok_or_else(no_card)?;
        if card.revoked_at.is_none() {
            (card.revoked_at, card.revocation_reason, card.updated_at) = (Some(now), reason.clone(), now);
            agents::update(tx, &agent, &card)?;
            agent.card = Some(card);
            index(tx, &agent)?;
            loader.events.revoked(tx, &agent, reason.clone())?;
        }
        loader.load(tx, &agent)
    };
    service.write(work).await
}

/// Restores a revoked agent.
///
/// # Errors
/// Returns `directory_disabled`, `not_found` if the agent is missing or has no card, or `agent_suspended` if the operator
/// suspended it.
pub async fn restore(service: &Service, caller: Caller, id: InboxId) -> Result<AgentBundleView, Refusal> {
    switches::check(service)?;
    let loader = BundleLoader::of(service).await?;
    let work = move |tx: &mut Tx| {
        let now = loader.events.viewer.now;
        let mut agent = take(tx, &caller, id, now)?;
        if agent.standing(now) == Standing::Suspended {
            return Err(Refusal::new(
                ErrorCode::AgentSuspended,
                "The operator of this server suspended the agent or its workspace.",
            ));
        }
        let mut card = agent.card.clone().ok_or_else(no_card)?;
        if card.revoked_at.is_some() {
            (card.revoked_at, card.revocation_reason, card.updated_at) = (None, None, now);
            agents::update(tx, &agent, &card)?;
            agent.card = Some(card);
            index(tx, &agent)?;
            loader.events.updated(tx, &agent)?;
        }
        loader.load(tx, &agent)
    };
    service.write(work).await
}
