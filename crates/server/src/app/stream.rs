//! The stream of events: its one-time tokens, who may listen, and what a subscription begins with (contract §12).
//!
//! Live events come from [`Streams`](crate::streams::Streams). A subscription and what is live afterwards touch without a
//! gap: the place up to which it was looked is known to both.

use posthouse_domain::{
    auth::{Caller, KEY_RANDOM_CHARS, Permission},
    error::{Code, Refusal},
    event::{Event, EventKind, Payload},
    id::{EventId, InboxId, WorkspaceId},
    stream::{REPLAY_EVENTS_MAX, REPLAY_MS, StreamToken, TOKEN_MS},
    time::Time,
};
use posthouse_store::{Result as Stored, Tx, events, keys, stream_tokens};

use super::{App, read_events::Filter, recognise::needs};
use crate::views::event::{self as view, EventView};

/// Events that are looked at at once in a replay.
const STEP: u32 = 200;
/// Events that are looked through for a replay: one of rare kinds ends here.
const LOOKED_THROUGH_MAX: usize = 20_000;

/// A token that was just made.
#[derive(Clone, Debug)]
pub struct Issued {
    /// The secret.
    pub token: StreamToken,
    /// Until when it can be used.
    pub expires_at: Time,
}

/// Makes a token that stands for the caller's key, once.
///
/// # Errors
/// The store's own.
pub async fn issue(app: &App, caller: Caller) -> Result<Issued, Refusal> {
    let mut random = [0; 2 * KEY_RANDOM_CHARS];
    app.clock.random(&mut random);
    let token = StreamToken::from_random(&random);
    let (digest, now) = (token.digest(), app.clock.now());
    let expires_at = now.plus_ms(TOKEN_MS);
    let of = (caller.workspace, caller.key);
    app.store.write(move |tx| stream_tokens::insert(tx, of, &digest, (now, expires_at))).await?;
    Ok(Issued { token, expires_at })
}

/// Uses a token up.
///
/// # Errors
/// `unauthorized`, or the store's own.
pub async fn redeem(app: &App, text: &str) -> Result<Caller, Refusal> {
    let unknown = || Refusal::new(Code::Unauthorized, "The stream token is unknown, used or expired.");
    let digest = StreamToken::parse(text).ok_or_else(unknown)?.digest();
    let now = app.clock.now();
    let found = app.store.write(move |tx| -> Stored<Option<Caller>> {
        match stream_tokens::take(tx, &digest, now)? {
            Some((workspace, key)) => keys::standing(tx, workspace, key),
            None => Ok(None),
        }
    });
    found.await?.ok_or_else(unknown)
}

/// Whether the caller may listen.
///
/// # Errors
/// `insufficient_permissions`.
pub fn may_listen(caller: &Caller) -> Result<(), Refusal> {
    needs(caller, Permission::MessagesRead)
}

/// What a client wants to hear.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// The inboxes; none: every event that the key sees.
    pub inboxes: Option<Vec<InboxId>>,
    /// The kinds; none named: every kind.
    pub kinds: Vec<EventKind>,
    /// The last event that it saw.
    pub since: Option<EventId>,
}

/// What a subscription begins with.
#[derive(Clone, Debug)]
pub struct Subscription {
    /// What it takes.
    pub filter: Filter,
    /// Everything up to this place is in the replay or was seen before.
    pub seen: i64,
    /// What was missed, oldest first.
    pub replay: Vec<Event>,
    /// Whether more was missed than is replayed.
    pub is_truncated: bool,
}

/// Begins a subscription.
///
/// # Errors
/// `not_found` for an inbox that the caller cannot see, or the store's own.
pub async fn subscribe(app: &App, caller: Caller, wanted: Wanted) -> Result<Subscription, Refusal> {
    let oldest = app.clock.now().plus_ms(-REPLAY_MS);
    app.store.read(move |tx| begin(tx, caller, wanted.clone(), oldest)).await
}

fn begin(tx: &mut Tx, caller: Caller, wanted: Wanted, oldest: Time) -> Result<Subscription, Refusal> {
    let filter = Filter::of(tx, &caller, wanted.kinds, wanted.inboxes)?;
    let seen = events::head(tx, caller.workspace)?;
    let mut subscription = Subscription { filter, seen, replay: Vec::new(), is_truncated: false };
    if let Some(since) = wanted.since {
        let place = events::seq_of(tx, caller.workspace, since)?;
        subscription.is_truncated = place.is_none();
        replay(tx, caller.workspace, &mut subscription, place.unwrap_or(0), oldest)?;
    }
    Ok(subscription)
}

/// Collects what was missed, newest first, until there is enough of it or it is too old.
fn replay(tx: &mut Tx, workspace: WorkspaceId, to: &mut Subscription, after: i64, oldest: Time) -> Stored<()> {
    let inbox = to.filter.only_inbox();
    let (mut before, mut looked_through) = (to.seen + 1, 0);
    'looking: loop {
        let step = events::between(tx, workspace, inbox, (after, before), STEP)?;
        looked_through += step.len();
        let is_end = step.len() < STEP as usize;
        for event in step {
            before = event.seq;
            let is_wanted = to.filter.takes(&event);
            if event.event.at < oldest || (is_wanted && to.replay.len() == REPLAY_EVENTS_MAX) {
                to.is_truncated = true;
                break 'looking;
            }
            if is_wanted {
                to.replay.push(event);
            }
        }
        if is_end {
            break;
        }
        if looked_through >= LOOKED_THROUGH_MAX {
            to.is_truncated = true;
            break;
        }
    }
    to.replay.reverse();
    Ok(())
}

/// Up to 100 events as they are shown on the wire.
///
/// # Errors
/// The store's own.
pub async fn show(app: &App, workspace: WorkspaceId, some: Vec<Event>, form: Payload) -> Result<Vec<String>, Refusal> {
    let (plans, now) = (app.config.plans, app.clock.now());
    app.store
        .read(move |tx| {
            let shown = view::load(tx, workspace, some.clone(), (&plans, now))?;
            Ok(shown.iter().map(|shown| written(&EventView::in_form(shown, form))).collect())
        })
        .await
}

/// An event as JSON text.
#[must_use]
pub fn written(event: &EventView<'_>) -> String {
    // A view of ours can always be written.
    serde_json::to_string(event).unwrap_or_default()
}
