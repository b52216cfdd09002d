//! Long polls for the oldest message after a time, and for the newest verification.
//!
//! A wait returns mail when it becomes visible to its caller. Each change that shows mail to more callers makes the mail the
//! newest of its inbox, so that it is after every `since` that a caller can have.
//!
//! Commits wake the waiters; there is no polling. A response is sent by its timeout, and at once when the process
//! drains.

use std::future::Future;

use posthouse_domain::{Caller, InboxId, Message, OptIns, Record, Refusal, SenderFilter, Time};
use posthouse_store::arrivals::{self, ArrivalSummary, ArrivalTimeRange};
use posthouse_store::{Tx, message_list::InboxRef, messages};

pub use posthouse_store::arrivals::ArrivalFilter;

use super::read;
use crate::access::{authenticate::check_active, visible};
use crate::memory::waiters::InboxWatch;
use crate::service::{ReadScope, Service};

/// Messages read per query.
const READ_MAX: u32 = 200;

/// The inbox and the time limits of a long poll.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LongPoll {
    pub inbox: InboxId,
    /// Only messages after this time count; `None` for the time of the request.
    pub since: Option<Time>,
    /// When the request arrived.
    pub arrived_at: Time,
    /// The timeout, in milliseconds.
    pub timeout_ms: i64,
}

/// A filter for messages.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct NewMessageFilter {
    /// The authenticated author.
    pub from: Option<SenderFilter>,
    /// A substring of the subject, case-insensitive.
    pub subject: Option<String>,
}

impl NewMessageFilter {
    fn lowered(self) -> Self {
        Self { subject: self.subject.map(|part| part.to_lowercase()), ..self }
    }

    /// Returns true if the message matches; the substring of the subject must be in lower case.
    fn matches(&self, summary: &ArrivalSummary) -> bool {
        let subject = summary.subject.as_deref().unwrap_or_default();
        self.from.as_ref().is_none_or(|from| from.matches_authenticated(&summary.from, &summary.labels))
            && self.subject.as_ref().is_none_or(|part| subject.to_lowercase().contains(part))
    }
}

/// Waits for the oldest message that matches.
///
/// # Errors
/// Returns `not_found` if the inbox is missing or `unauthorized` if the caller lost access while waiting.
pub async fn message(
    service: &Service,
    caller: Caller,
    long_poll: LongPoll,
    sort: ArrivalFilter,
    parts: NewMessageFilter,
) -> Result<Option<Record>, Refusal> {
    // Boxed, because the future would otherwise keep space for the read while it waits for mail.
    let start = Box::pin(Start::of(service, caller, long_poll)).await?;
    before_timeout(service, long_poll, Box::pin(find_message(service, start, sort, parts.lowered()))).await
}

/// Waits for the newest received message with a code or link from the given author. Messages that failed authentication
/// count only with `unauthenticated`.
///
/// # Errors
/// Returns `not_found` if the inbox is missing or `unauthorized` if the caller lost access while waiting.
pub async fn verification(
    service: &Service,
    caller: Caller,
    long_poll: LongPoll,
    from: Option<SenderFilter>,
    unauthenticated: bool,
) -> Result<Option<Message>, Refusal> {
    let start = Box::pin(Start::of(service, caller, long_poll)).await?;
    before_timeout(service, long_poll, Box::pin(find_verification(service, start, from, unauthenticated))).await
}

/// Runs a search until it ends, the timeout passes or the process drains.
async fn before_timeout<T>(
    service: &Service,
    long_poll: LongPoll,
    search: impl Future<Output = Result<T, Refusal>>,
) -> Result<Option<T>, Refusal> {
    let until = long_poll.arrived_at.plus_ms(long_poll.timeout_ms);
    tokio::select! {
        biased;
        found = search => found.map(Some),
        () = service.lifecycle.drained() => Ok(None),
        () = service.clock.sleep_until(until) => Ok(None),
    }
}

/// The starting point of a search.
struct Start {
    caller: Caller,
    inbox_ref: InboxRef,
    watch: InboxWatch,
    /// `created_at` of the inbox's newest message.
    newest: Time,
    /// Only messages after this time count.
    since: Time,
}

impl Start {
    /// Registers the watch before the first read, so that no commit in between is missed.
    async fn of(service: &Service, caller: Caller, long_poll: LongPoll) -> Result<Self, Refusal> {
        let inbox_ref = InboxRef { workspace: caller.workspace, inbox: long_poll.inbox };
        let watch = service.waiters.watch(&service.store, inbox_ref);
        let read = move |tx: &mut Tx| Ok::<_, Refusal>(visible::inbox(tx, &caller, inbox_ref.inbox)?.last_message_at);
        let newest = service.read(ReadScope::Statement, read).await?;
        let since = long_poll.since.unwrap_or_else(|| request_time(long_poll.arrived_at, newest, service.clock.now()));
        Ok(Self { caller, inbox_ref, watch, newest, since })
    }
}

/// Returns the time of a request on the time scale of an inbox: that of its newest message, so that mail whose commit
/// was in progress when the request arrived is found. A message stored between the request and the first read is newer
/// than the request, so the time of arrival is the upper bound. Messages of one millisecond get later times than the
/// clock, one millisecond apart; times ahead of the clock have no relation to the request, and such messages count as
/// older.
fn request_time(arrived_at: Time, newest: Time, now: Time) -> Time {
    if newest <= now { newest.min(arrived_at) } else { newest }
}

async fn find_message(
    service: &Service,
    start: Start,
    sort: ArrivalFilter,
    parts: NewMessageFilter,
) -> Result<Record, Refusal> {
    let Start { caller, inbox_ref, mut watch, mut newest, mut since } = start;
    loop {
        while since < newest {
            // Withheld mail has positions of its own, which take a statement each.
            let scope = if sort.opt_ins == OptIns::default() { ReadScope::Statement } else { ReadScope::Lookup };
            let read = service.read(scope, move |tx| arrivals::after(tx, inbox_ref, sort, since, READ_MAX));
            let summaries = Box::pin(read).await?;
            for found in summaries.iter().filter(|summary| parts.matches(summary)) {
                let id = found.id;
                // The message may have been deleted or withheld since the first query.
                let read = service.read(ReadScope::Service, move |tx| {
                    check_active(tx, &caller)?;
                    Ok::<_, Refusal>(messages::record(tx, inbox_ref.workspace, id)?)
                });
                let Some(mut record) = Box::pin(read).await? else { continue };
                read::open(&caller, sort.opt_ins, std::slice::from_mut(&mut record));
                if record.withheld {
                    continue;
                }
                read::mark_opened(service, &caller, read::opened(sort.opt_ins, [&record])).await;
                // The caller pages by it, so it must be the time of the first query.
                record.message.created_at = found.created_at;
                return Ok(record);
            }
            match summaries.last() {
                Some(last) if summaries.len() == READ_MAX as usize => since = last.created_at,
                _ => since = newest,
            }
        }
        newest = watch.newer(newest).await?;
    }
}

async fn find_verification(
    service: &Service,
    start: Start,
    from: Option<SenderFilter>,
    unauthenticated: bool,
) -> Result<Message, Refusal> {
    let fits = |g: &ArrivalSummary| match (&from, unauthenticated) {
        (None, _) => true,
        (Some(from), true) => from.matches(&g.from),
        (Some(from), false) => from.matches_authenticated(&g.from, &g.labels),
    };
    let Start { caller, inbox_ref, mut watch, mut newest, mut since } = start;
    loop {
        let mut until = newest.plus_ms(1);
        while since < until {
            let between = ArrivalTimeRange { since, until };
            let read =
                service.read(ReadScope::Statement, move |tx| arrivals::verifications(tx, inbox_ref, between, READ_MAX));
            let summaries = Box::pin(read).await?;
            let trusted =
                |g: &ArrivalSummary| unauthenticated || g.verification.as_ref().is_some_and(|v| !v.auth_failed);
            for found in summaries.iter().filter(|summary| trusted(summary) && fits(summary)) {
                let id = found.id;
                let read = service.read(ReadScope::Service, move |tx| {
                    check_active(tx, &caller)?;
                    let message = messages::get(tx, inbox_ref.workspace, id)?;
                    Ok::<_, Refusal>(message.filter(|message| !message.is_held()))
                });
                if let Some(message) = Box::pin(read).await? {
                    return Ok(message);
                }
            }
            match summaries.last() {
                Some(last) if summaries.len() == READ_MAX as usize => until = last.created_at,
                _ => break,
            }
        }
        since = since.max(newest);
        newest = watch.newer(newest).await?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mail_between_the_request_and_the_first_read_is_not_older_than_the_request() {
        let ms = Time::from_millis;
        for (arrived, newest, now, since, why) in [
            (100, 50, 101, 50, "mail whose commit was in progress at the request has an earlier time"),
            (100, 100, 101, 100, "stored in the millisecond of the request"),
            (100, 103, 105, 100, "stored between the request and the first read"),
            (100, 102, 100, 102, "the third message of one millisecond, all before the request"),
        ] {
            assert_eq!(request_time(ms(arrived), ms(newest), ms(now)), ms(since), "{why}");
        }
    }
}
