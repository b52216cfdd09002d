//! Claims messages from the work queue of an inbox (`docs/reference/queue.md`).
//!
//! Each attempt is one transaction: it locks the queue's row, makes dead letters of messages with too many deliveries,
//! makes delayed messages available, adds the messages stored since the last claim and leases the oldest ones. A
//! waiting claim is woken by a commit of new mail, by a returned message and by due times, never by polling.
//!
//! Withheld mail isn't in the queue. A claim that accepts it adds a message when it leases it; after that, only such claims
//! find the message, until it is released.

use posthouse_domain::{
    Caller, ClaimFilter, ClaimedMessage, Claims, IdGenerator, Inbox, InboxId, LeaseId, MessageId, OptIns, QueueItem,
    QueueItemState, Refusal, ThreadId, Time, WorkspaceId, queue::DEAD_LETTER, queue::lease_expired,
};
use posthouse_store::queue::{self, QueueCandidate, QueueLease, WithheldRange};
use posthouse_store::{Result as StoreResult, Tx, message_list::InboxRef, messages, workspaces};

use crate::{access::authenticate::check_active, access::visible, memory::waiters::InboxActivity, service::Service};

/// Candidates read in addition to those requested, because some share a thread.
const CANDIDATES_SPARE: u32 = 16;
/// Pulls per transaction, so that a claim without matches in a long history doesn't block others for long.
const PULLS_MAX: usize = 20;
/// Candidates whose sizes are read at once.
const SIZES_STEP: usize = 50;
/// Dead letters made per attempt.
const DEAD_LETTERS_MAX: u32 = 50;

/// A claim request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClaimRequest {
    pub inbox: InboxId,
    /// Maximum number of messages.
    pub limit: u32,
    /// The length of each lease, in milliseconds.
    pub lease_ms: i64,
    /// The consumer's name, for display only.
    pub consumer: Option<String>,
    /// How long to wait if no message is available, in milliseconds.
    pub wait_ms: i64,
    /// Where the queue starts if this is its first claim.
    pub since: Option<Time>,
    /// The filter for messages.
    pub wanted: ClaimFilter,
}

/// A new lease on a message.
#[derive(Clone, Copy, Debug)]
struct NewLease {
    lease: LeaseId,
    until: Time,
    deliveries: u32,
    message: MessageId,
    thread: ThreadId,
}

/// The result of one claim attempt.
enum Attempt {
    Paused,
    Leased(Vec<NewLease>),
    /// Nothing yet: the attempt ended before the end of a long history.
    Unfinished,
    /// Nothing is available before the inbox changes from this state, or before that time.
    Nothing(InboxActivity, Option<Time>),
}

/// Claims messages; waits for some if requested.
///
/// # Errors
/// Returns `not_found` if the inbox is missing or `unauthorized` if the caller lost access while waiting.
pub async fn claim(service: &Service, caller: Caller, claim: ClaimRequest) -> Result<Claims, Refusal> {
    let deadline = service.clock.now().plus_ms(claim.wait_ms);
    let inbox_ref = InboxRef { workspace: caller.workspace, inbox: claim.inbox };
    // Registered before the first attempt, so that no message between the attempt and the wait is missed.
    let mut watch = service.waiters.watch(&service.store, inbox_ref);
    let mut has_waited = false;
    loop {
        let (request, bytes_max) = (claim.clone(), service.config.limits.page_bytes);
        let (ids, now) = (service.clock.ids(), service.clock.now());
        let work = move |tx: &mut Tx| {
            if has_waited {
                check_active(tx, &caller)?;
            }
            attempt(tx, caller, &request, &ids.clone(), now, bytes_max)
        };
        let attempt = service.write(work).await?;
        let (activity, due) = match attempt {
            Attempt::Paused => return Ok(Claims { claimed: Vec::new(), is_paused: true }),
            Attempt::Leased(leases) => return read(service, caller, leases, claim.wanted.opt_ins).await,
            Attempt::Unfinished => continue,
            Attempt::Nothing(activity, due) => (activity, due),
        };
        if now >= deadline {
            return Ok(Claims::default());
        }
        let until = due.map_or(deadline, |due| due.min(deadline));
        has_waited = true;
        tokio::select! {
            biased;
            other = watch.other_than(activity) => drop(other?),
            () = service.lifecycle.drained() => return Ok(Claims::default()),
            () = service.clock.sleep_until(until) => {}
        }
    }
}

fn attempt(
    tx: &mut Tx,
    caller: Caller,
    claim: &ClaimRequest,
    ids: &IdGenerator,
    now: Time,
    bytes_max: u64,
) -> Result<Attempt, Refusal> {
    let inbox = visible::inbox(tx, &caller, claim.inbox)?;
    let workspace = workspaces::get(tx, caller.workspace)?.ok_or_else(|| Refusal::not_found("workspace"))?;
    let inbox_ref = InboxRef { workspace: inbox.workspace, inbox: inbox.id };
    // Messages stored later have a later time than the newest message, whatever the clock shows.
    let beginning = claim.since.map_or(inbox.last_message_at, |since| since.plus_ms(-1));
    let queue = queue::lock(tx, inbox_ref, beginning, now)?;
    if workspace.stopped_at.is_some() || inbox.is_paused() {
        return Ok(Attempt::Paused);
    }
    dead_letter_exhausted(tx, Some(inbox_ref), now, DEAD_LETTERS_MAX)?;
    queue::promote(tx, inbox_ref, now)?;
    let (leases, is_finished) =
        lease_oldest(tx, &inbox, queue.position, claim, ids, now, ClaimBudget::new(claim, bytes_max))?;
    if !leases.is_empty() {
        return Ok(Attempt::Leased(leases));
    }
    if !is_finished {
        return Ok(Attempt::Unfinished);
    }
    let activity = InboxActivity { newest: inbox.last_message_at, changes: queue.changes };
    Ok(Attempt::Nothing(activity, queue::next_due(tx, inbox_ref, now)?))
}

/// Leases the oldest matching messages after position `start`, one per thread, as far as the response has room for
/// them. Returns the leases, and whether the whole history was searched.
fn lease_oldest(
    tx: &mut Tx,
    inbox: &Inbox,
    start: Time,
    claim: &ClaimRequest,
    ids: &IdGenerator,
    now: Time,
    mut budget: ClaimBudget,
) -> StoreResult<(Vec<NewLease>, bool)> {
    let inbox_ref = InboxRef { workspace: inbox.workspace, inbox: inbox.id };
    let (limit, chunk) = (claim.limit as usize, claim.limit * 2 + CANDIDATES_SPARE);
    let mut leases: Vec<NewLease> = Vec::with_capacity(limit);
    let (mut after, mut position, mut pulls) = (Time::from_millis(0), start, 0);
    'search: while leases.len() < limit {
        let found = candidates(tx, inbox_ref, claim.wanted, WithheldRange { after, position }, chunk, now)?;
        for (at, candidate) in found.iter().enumerate() {
            after = candidate.created_at;
            if leases.len() == limit {
                break;
            }
            if leases.iter().any(|lease| lease.thread == candidate.thread) {
                continue;
            }
            if !budget.has_room(tx, inbox_ref.workspace, &found[at..])? && !leases.is_empty() {
                break 'search;
            }
            let lease: LeaseId = ids.next();
            let until = now.plus_ms(claim.lease_ms);
            let terms = QueueLease { id: lease, until, consumer: claim.consumer.as_deref() };
            if claim.wanted.opt_ins != OptIns::default() {
                queue::add_withheld(tx, inbox_ref.workspace, candidate.message)?;
            }
            if let Some(deliveries) = queue::lease(tx, inbox_ref.workspace, candidate.message, terms)? {
                if claim.wanted.opt_ins.held {
                    messages::mark_opened(tx, inbox_ref.workspace, candidate.message, now)?;
                }
                let (message, thread) = (candidate.message, candidate.thread);
                leases.push(NewLease { lease, until, deliveries, message, thread });
            }
        }
        if found.len() == chunk as usize {
            continue;
        }
        if position >= inbox.last_message_at || pulls == PULLS_MAX {
            break;
        }
        let Some(last) = queue::pull(tx, inbox_ref, position)? else { break };
        (position, pulls) = (last, pulls + 1);
    }
    if position != start {
        queue::move_to(tx, inbox_ref, position)?;
    }
    Ok((leases, pulls < PULLS_MAX))
}

/// Returns up to `limit` claimable messages in this range, oldest first: those in the queue, and withheld ones that the
/// claim accepts.
fn candidates(
    tx: &mut Tx,
    inbox: InboxRef,
    wanted: ClaimFilter,
    range: WithheldRange,
    limit: u32,
    now: Time,
) -> StoreResult<Vec<QueueCandidate>> {
    let mut found = queue::candidates(tx, inbox, wanted, range.after, limit, now)?;
    if wanted.opt_ins != OptIns::default() {
        found.extend(queue::withheld_candidates(tx, inbox, wanted, range, limit, now)?);
        found.sort_by_key(|candidate| candidate.created_at);
        found.truncate(limit as usize);
    }
    Ok(found)
}

/// The bytes of bodies that the response to a claim has room for. Messages beyond it are not leased.
struct ClaimBudget {
    bytes_left: u64,
    /// The sizes of the next candidates; unused if the claim is for one message, which is always returned.
    sizes: Option<Vec<(MessageId, u64)>>,
}

impl ClaimBudget {
    fn new(claim: &ClaimRequest, bytes_max: u64) -> Self {
        Self { bytes_left: bytes_max, sizes: (claim.limit > 1).then(Vec::new) }
    }

    /// Takes the room of the first of these candidates, and returns whether there was enough.
    fn has_room(&mut self, tx: &mut Tx, workspace: WorkspaceId, next: &[QueueCandidate]) -> StoreResult<bool> {
        let (Some(sizes), Some(first)) = (&mut self.sizes, next.first()) else { return Ok(true) };
        if !sizes.iter().any(|(id, _)| *id == first.message) {
            let ids: Vec<MessageId> = next.iter().map(|candidate| candidate.message).take(SIZES_STEP).collect();
            *sizes = messages::body_bytes(tx, workspace, &ids)?;
        }
        let size = sizes.iter().find(|(id, _)| *id == first.message).map_or(0, |(_, size)| *size);
        let has_room = size <= self.bytes_left;
        self.bytes_left = self.bytes_left.saturating_sub(size);
        Ok(has_room)
    }
}

/// Makes dead letters of the messages whose last delivery has expired; returns how many.
pub fn dead_letter_exhausted(tx: &mut Tx, inbox_ref: Option<InboxRef>, now: Time, limit: u32) -> StoreResult<u64> {
    let spent = queue::exhausted(tx, inbox_ref, now, limit)?;
    for item in &spent {
        dead_letter(tx, item, now)?;
    }
    Ok(spent.len() as u64)
}

/// Makes a message a dead letter.
pub fn dead_letter(tx: &mut Tx, item: &QueueItem, now: Time) -> StoreResult<()> {
    queue::settle(tx, item, QueueItemState::Dead, now)?;
    messages::lock(tx, item.workspace, &[item.message])?;
    let Some(before) = messages::get(tx, item.workspace, item.message)? else { return Ok(()) };
    if !before.labels.iter().any(|label| label == DEAD_LETTER) {
        let mut after = before.clone();
        after.labels.push(DEAD_LETTER.to_owned());
        messages::set_labels(tx, &before, &after)?;
    }
    Ok(())
}

/// Loads the leased messages. Leaves out messages that were deleted since.
async fn read(service: &Service, caller: Caller, leases: Vec<NewLease>, opt_ins: OptIns) -> Result<Claims, Refusal> {
    let ids: Vec<MessageId> = leases.iter().map(|lease| lease.message).collect();
    let work = move |tx: &mut Tx| {
        let found = messages::get_many(tx, caller.workspace, &ids)?;
        messages::records(tx, caller.workspace, found)
    };
    let mut records = service.read(caller.workspace, work).await?;
    super::read::open(&caller, opt_ins, &mut records);
    let mut claimed = Vec::with_capacity(leases.len());
    for NewLease { lease, until, deliveries, message, .. } in leases {
        if let Some(at) = records.iter().position(|record| record.message.id == message) {
            claimed.push(ClaimedMessage { lease, until, deliveries, record: records.swap_remove(at) });
        }
    }
    Ok(Claims { claimed, is_paused: false })
}

/// A fencing token that travels with a write, so that the write of a worker that lost its lease is rejected.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FencingToken {
    /// The claimed message.
    pub message: MessageId,
    /// The lease, as given by the caller.
    pub lease: String,
}

impl FencingToken {
    /// Checks that the lease is current or that its claim was acked. The queue item stays locked until the end of the
    /// transaction, so that the message cannot be claimed in between.
    ///
    /// # Errors
    /// Returns `lease_expired` if the lease is not valid.
    pub fn check(&self, tx: &mut Tx, caller: &Caller, now: Time) -> Result<(), Refusal> {
        let item = queue::item(tx, caller.workspace, self.message)?;
        let item = item.filter(|item| caller.scope().allows_inbox(item.inbox)).ok_or_else(lease_expired)?;
        item.check_lease(&self.lease, now).map(drop)
    }
}
