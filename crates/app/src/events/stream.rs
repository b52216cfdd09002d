//! The event stream: one-time tokens, permission checks and the start of a subscription (`docs/reference/stream.md`).
//!
//! Live events come from [`Streams`](crate::memory::streams::Streams). The replay and the live events leave
//! no gap, because both use the position up to which the replay was read.

use posthouse_api::views::event::EventView;
use posthouse_domain::{
    Caller, Credential, ErrorCode, Event, EventId, EventKind, EventPayload, InboxId, LimitName, Permission, Refusal,
    StreamToken, Time, Workspace, WorkspaceId, auth::KEY_RANDOM_CHARS, stream::REPLAY_EVENTS_MAX, stream::REPLAY_MS,
    stream::TOKEN_VALID_MS,
};
use posthouse_store::{Result as StoreResult, Tx, events, events::EventRange, stream_tokens};

use crate::events::{log::EventFilter, render, render::EventDetail};
use crate::limits::shared_budget::BudgetShare;
use crate::{access::authorize::require_permission, service::Service};

/// When a client should try again to open a stream beyond the limit, in seconds.
const STREAM_RETRY_S: u64 = 10;
/// Events read per query during a replay.
const STEP: u32 = 200;
/// Events scanned for a replay at most; a replay of rare types is truncated here.
const SCANNED_MAX: usize = 20_000;

/// A new stream token.
#[derive(Clone, Debug)]
pub struct IssuedStreamToken {
    /// The secret.
    pub token: StreamToken,
    pub expires_at: Time,
}

/// Issues a single-use token for the caller's key or session.
///
/// # Errors
/// Returns `forbidden` if the caller has no API key and no session.
pub async fn issue(service: &Service, caller: Caller) -> Result<IssuedStreamToken, Refusal> {
    let mut random = [0; 2 * KEY_RANDOM_CHARS];
    service.clock.random(&mut random);
    let token = StreamToken::from_random(&random);
    let (digest, now) = (token.digest(), service.clock.now());
    let expires_at = now.plus_ms(TOKEN_VALID_MS);
    let credential = match caller.credential()? {
        Credential::Connector(_) => {
            // The stream belongs to the HTTP API, which tokens of connectors are not for.
            return Err(Refusal::new(ErrorCode::Forbidden, "A connector can't open the stream of the HTTP API.")
                .with_fix("Subscribe to events by MCP, or use an API key."));
        }
        credential @ (Credential::Key(_) | Credential::Session(_)) => credential,
    };
    let token_row = stream_tokens::StreamTokenRow { workspace: caller.workspace, credential, expires_at };
    service.write(move |tx| stream_tokens::insert(tx, &token_row, &digest, now)).await?;
    Ok(IssuedStreamToken { token, expires_at })
}

/// Checks that the caller may subscribe to events.
///
/// # Errors
/// Returns `insufficient_permissions` if it may not.
pub fn check_can_subscribe(caller: &Caller) -> Result<(), Refusal> {
    require_permission(caller, Permission::MessagesRead)
}

/// Counts a stream of a workspace, until the share is dropped.
///
/// # Errors
/// Returns `rate_limited` if the workspace has as many as its plan allows.
pub fn share(service: &Service, workspace: &Workspace) -> Result<BudgetShare<WorkspaceId>, Refusal> {
    let max = service.config.plans.of(workspace.plan).streams;
    service.streams.take_one(workspace.id, max).map_err(|exceeded| {
        let max = exceeded.max();
        let refusal = Refusal::new(ErrorCode::RateLimited, format!("This workspace has {max} open streams."));
        let refusal = refusal.with_fix("Close a stream, or use one stream for several inboxes.");
        refusal.at_limit(LimitName::Streams, max, STREAM_RETRY_S)
    })
}

/// A subscription request.
#[derive(Clone, Debug, Default)]
pub struct SubscriptionRequest {
    /// The inboxes; `None` for every event that the key may see.
    pub inboxes: Option<Vec<InboxId>>,
    /// The event types; empty for all types.
    pub kinds: Vec<EventKind>,
    /// The last event that the client received.
    pub since: Option<EventId>,
}

/// The start of a subscription: its filter and its replay.
#[derive(Clone, Debug)]
pub struct SubscriptionStart {
    /// The filter for live events.
    pub filter: EventFilter,
    /// The log position up to which events are in the replay or were received before.
    pub seen: i64,
    /// The missed events, oldest first.
    pub replay: Vec<Event>,
    /// Whether the replay leaves out missed events.
    pub is_truncated: bool,
}

/// Starts a subscription.
///
/// # Errors
/// Returns `not_found` for an inbox that the caller cannot see.
pub async fn subscribe(
    service: &Service,
    caller: Caller,
    wanted: SubscriptionRequest,
) -> Result<SubscriptionStart, Refusal> {
    let oldest = service.clock.now().plus_ms(-REPLAY_MS);
    service.read(caller.workspace, move |tx| begin(tx, caller, wanted.clone(), oldest)).await
}

fn begin(tx: &mut Tx, caller: Caller, wanted: SubscriptionRequest, oldest: Time) -> Result<SubscriptionStart, Refusal> {
    let filter = EventFilter::of(tx, &caller, wanted.kinds, wanted.inboxes)?;
    let seen = events::head(tx, caller.workspace)?;
    let mut subscription = SubscriptionStart { filter, seen, replay: Vec::new(), is_truncated: false };
    if let Some(since) = wanted.since {
        let position = events::seq_of(tx, caller.workspace, since)?;
        subscription.is_truncated = position.is_none();
        replay(tx, caller.workspace, &mut subscription, position.unwrap_or(0), oldest)?;
    }
    Ok(subscription)
}

/// Collects missed events, newest first, until the limit of events or age is reached.
fn replay(
    tx: &mut Tx,
    workspace: WorkspaceId,
    to: &mut SubscriptionStart,
    after: i64,
    oldest: Time,
) -> StoreResult<()> {
    let inbox = to.filter.only_inbox();
    let (mut before, mut scanned) = (to.seen + 1, 0);
    'scan: loop {
        let step = events::between(tx, workspace, inbox, EventRange { after, before }, STEP)?;
        scanned += step.len();
        let is_end = step.len() < STEP as usize;
        for event in step {
            before = event.seq;
            let is_wanted = to.filter.matches(&event);
            if event.event.at < oldest || (is_wanted && to.replay.len() == REPLAY_EVENTS_MAX) {
                to.is_truncated = true;
                break 'scan;
            }
            if is_wanted {
                to.replay.push(event);
            }
        }
        if is_end {
            break;
        }
        if scanned >= SCANNED_MAX {
            to.is_truncated = true;
            break;
        }
    }
    to.replay.reverse();
    Ok(())
}

/// Renders the first of up to 100 events as JSON texts: as many as fit in `limits.page_bytes`, but at least one. Returns
/// none if the workspace no longer exists.
pub async fn render_events(
    service: &Service,
    workspace: WorkspaceId,
    some: Vec<Event>,
    form: EventPayload,
) -> Result<Vec<String>, Refusal> {
    let (plans, now, bytes_max) = (service.config.plans, service.clock.now(), service.config.limits.page_bytes);
    service
        .read(workspace, move |tx| {
            let shown = render::load(tx, workspace, some.clone(), &plans, now, EventDetail::full(bytes_max))?;
            Ok(shown.iter().map(|shown| EventView::in_form(shown, form).to_json()).collect())
        })
        .await
}
