//! Claiming mail from the work queue of an inbox (contract §4.8, decision 24).
//!
//! One transaction a look: it takes the queue's row, buries what was handed out too often, lets out what time kept back,
//! takes over what came since the last look and leases the oldest. Who waits is woken by the commit of a mail of that
//! inbox, by a message that is given back, and by time; never by polling.

use posthouse_domain::{
    auth::Caller,
    error::Refusal,
    id::{Ids, InboxId, LeaseId, MessageId, ThreadId},
    inbox::Inbox,
    queue::{DEAD_LETTER, Item, State, Wanted, lease_expired},
    time::Time,
};
use posthouse_store::{
    Result as Stored, Tx,
    message_list::Place,
    messages::{self, Record},
    queue::{self, Lease},
    workspaces,
};

use super::{App, visible};
use crate::arrivals::News;

/// Candidates that are looked at beyond those wanted: some share a conversation.
const CANDIDATES_SPARE: u32 = 16;
/// Pulls of one transaction, so that nobody waits long behind one that finds nothing in a long history.
const PULLS_MAX: usize = 20;
/// Dead letters that one look buries.
const BURIED_MAX: u32 = 50;

/// What is claimed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    /// From which inbox.
    pub inbox: InboxId,
    /// How many messages at most.
    pub limit: u32,
    /// How long each is leased, in milliseconds.
    pub lease_ms: i64,
    /// Who asks, for people who look.
    pub consumer: Option<String>,
    /// How long to wait while there is nothing, in milliseconds.
    pub wait_ms: i64,
    /// Where the queue begins, if this is the first claim.
    pub since: Option<Time>,
    /// Which mail.
    pub wanted: Wanted,
}

/// A message that was handed out.
#[derive(Clone, PartialEq, Debug)]
pub struct Claimed {
    /// The lease.
    pub lease: LeaseId,
    /// Its end.
    pub until: Time,
    /// How often the message was handed out with this time.
    pub deliveries: u32,
    /// The message.
    pub record: Record,
}

/// The answer to a claim.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Claims {
    /// What was handed out, oldest first.
    pub claimed: Vec<Claimed>,
    /// Whether nothing is handed out because the inbox is paused or the workspace stopped.
    pub is_paused: bool,
}

/// A lease that was just given.
#[derive(Clone, Copy, Debug)]
struct Given {
    lease: LeaseId,
    until: Time,
    deliveries: u32,
    message: MessageId,
    thread: ThreadId,
}

/// What one look found.
enum Look {
    Paused,
    Given(Vec<Given>),
    /// Nothing yet: the look ended before the end of a long history.
    Unfinished,
    /// Nothing. There may be something after other news, or at that time.
    Nothing(News, Option<Time>),
}

/// Claims messages, and waits for some if asked to.
///
/// # Errors
/// `not_found` for the inbox, or the store's own.
pub async fn claim(app: &App, caller: Caller, claim: Claim) -> Result<Claims, Refusal> {
    let deadline = app.clock.now().plus_ms(claim.wait_ms);
    let place = Place { workspace: caller.workspace, inbox: claim.inbox };
    // Registered before the first look, so that nothing is missed between looking and sleeping.
    let mut watch = app.arrivals.watch(&app.store, place);
    loop {
        let (order, ids, now) = (claim.clone(), app.clock.ids(), app.clock.now());
        let look = app.store.write(move |tx| look(tx, caller, &order, &ids.clone(), now)).await?;
        let (news, due) = match look {
            Look::Paused => return Ok(Claims { claimed: Vec::new(), is_paused: true }),
            Look::Given(given) => return read(app, caller, given).await,
            Look::Unfinished => continue,
            Look::Nothing(news, due) => (news, due),
        };
        if now >= deadline {
            return Ok(Claims::default());
        }
        let until = due.map_or(deadline, |due| due.min(deadline));
        tokio::select! {
            biased;
            other = watch.other_than(news) => drop(other?),
            () = app.life.drained() => return Ok(Claims::default()),
            () = app.clock.sleep_until(until) => {}
        }
    }
}

fn look(tx: &mut Tx, caller: Caller, claim: &Claim, ids: &Ids, now: Time) -> Result<Look, Refusal> {
    let inbox = visible::inbox(tx, &caller, claim.inbox)?;
    let workspace = workspaces::get(tx, caller.workspace)?.ok_or_else(|| Refusal::not_found("workspace"))?;
    let place = Place { workspace: inbox.workspace, inbox: inbox.id };
    // What is stored later has a later time than the newest message, whatever the clock says.
    let beginning = claim.since.map_or(inbox.last_message_at, |since| since.plus_ms(-1));
    let found = queue::take(tx, place, beginning, now)?;
    if workspace.stopped_at.is_some() || inbox.is_paused() {
        return Ok(Look::Paused);
    }
    bury_spent(tx, Some(place), now, BURIED_MAX)?;
    queue::promote(tx, place, now)?;
    let (given, is_finished) = give(tx, &inbox, (found.position, claim), ids, now)?;
    if !given.is_empty() {
        return Ok(Look::Given(given));
    }
    if !is_finished {
        return Ok(Look::Unfinished);
    }
    let news = News { newest: inbox.last_message_at, stirs: found.stirs };
    Ok(Look::Nothing(news, queue::next_due(tx, place, now)?))
}

/// Leases the oldest messages that are wanted, one of a conversation; says whether it saw everything.
fn give(
    tx: &mut Tx,
    inbox: &Inbox,
    (began, claim): (Time, &Claim),
    ids: &Ids,
    now: Time,
) -> Stored<(Vec<Given>, bool)> {
    let place = Place { workspace: inbox.workspace, inbox: inbox.id };
    let (limit, chunk) = (claim.limit as usize, claim.limit * 2 + CANDIDATES_SPARE);
    let mut given: Vec<Given> = Vec::with_capacity(limit);
    let (mut after, mut position, mut pulls) = (Time::from_millis(0), began, 0);
    while given.len() < limit {
        let found = queue::candidates(tx, place, claim.wanted, (after, now), chunk)?;
        for candidate in &found {
            after = candidate.created_at;
            if given.len() == limit || claim.wanted.analysed {
                break;
            }
            if given.iter().any(|given| given.thread == candidate.thread) {
                continue;
            }
            let lease: LeaseId = ids.next();
            let until = now.plus_ms(claim.lease_ms);
            let terms = Lease { id: lease, until, consumer: claim.consumer.as_deref() };
            if let Some(deliveries) = queue::lease(tx, place.workspace, candidate.message, terms)? {
                given.push(Given { lease, until, deliveries, message: candidate.message, thread: candidate.thread });
            }
        }
        if found.len() == chunk as usize {
            continue;
        }
        if position >= inbox.last_message_at || pulls == PULLS_MAX {
            break;
        }
        let Some(last) = queue::pull(tx, place, position)? else { break };
        (position, pulls) = (last, pulls + 1);
    }
    if position != began {
        queue::move_to(tx, place, position)?;
    }
    Ok((given, pulls < PULLS_MAX))
}

/// Makes dead letters of those whose last delivery has run out; says how many.
///
/// # Errors
/// The store's own.
pub fn bury_spent(tx: &mut Tx, place: Option<Place>, now: Time, limit: u32) -> Stored<usize> {
    let spent = queue::spent(tx, place, now, limit)?;
    for item in &spent {
        bury(tx, item, now)?;
    }
    Ok(spent.len())
}

/// Makes a dead letter of a message.
///
/// # Errors
/// The store's own.
pub fn bury(tx: &mut Tx, item: &Item, now: Time) -> Stored<()> {
    queue::settle(tx, item, State::Dead, now)?;
    messages::hold(tx, item.workspace, &[item.message])?;
    let Some(before) = messages::get(tx, item.workspace, item.message)? else { return Ok(()) };
    if !before.labels.iter().any(|label| label == DEAD_LETTER) {
        let mut after = before.clone();
        after.labels.push(DEAD_LETTER.to_owned());
        messages::set_labels(tx, &before, &after)?;
    }
    Ok(())
}

/// Reads what was handed out. A message that was deleted since is left out.
async fn read(app: &App, caller: Caller, given: Vec<Given>) -> Result<Claims, Refusal> {
    let wanted: Vec<MessageId> = given.iter().map(|given| given.message).collect();
    let work = move |tx: &mut Tx| {
        let found = messages::get_many(tx, caller.workspace, &wanted)?;
        messages::records(tx, caller.workspace, found)
    };
    let mut records = app.store.read(work).await?;
    let mut claimed = Vec::with_capacity(given.len());
    for Given { lease, until, deliveries, message, .. } in given {
        if let Some(at) = records.iter().position(|record| record.message.id == message) {
            claimed.push(Claimed { lease, until, deliveries, record: records.swap_remove(at) });
        }
    }
    Ok(Claims { claimed, is_paused: false })
}

/// A lease that a change of something else carries along, so that a worker who lost it changes nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fence {
    /// The message that was claimed.
    pub message: MessageId,
    /// The lease, as the caller names it.
    pub lease: String,
}

impl Fence {
    /// Lets those through who hold the message or have finished it. The row stays taken until the end of the transaction,
    /// so that nobody claims the message meanwhile.
    ///
    /// # Errors
    /// `lease_expired`, or the store's own.
    pub fn check(&self, tx: &mut Tx, caller: &Caller, now: Time) -> Result<(), Refusal> {
        let item = queue::item(tx, caller.workspace, self.message)?;
        let item = item.filter(|item| caller.scope.sees(item.inbox)).ok_or_else(lease_expired)?;
        item.worth(&self.lease, now).map(drop)
    }
}
