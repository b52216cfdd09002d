//! Long-polls: the oldest message behind a moment, and the newest code or link (contract §4.7).
//!
//! Woken by the commit, never by polling. The answer never comes later than asked for, and at once when the process drains.

use std::future::Future;

use posthouse_domain::{auth::Caller, error::Refusal, id::InboxId, message::Message, sender::SenderFilter, time::Time};
use posthouse_store::{
    Tx,
    arrivals::{self, Between, Glimpse, Sort},
    message_list::Place,
    messages::{self, Record},
};

use super::{App, visible};
use crate::arrivals::Watch;

/// Messages that are glimpsed at in one read.
const LOOK_MAX: u32 = 200;

/// Where and how long somebody waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Patience {
    /// Which inbox.
    pub inbox: InboxId,
    /// Behind which moment; none: behind the request.
    pub since: Option<Time>,
    /// When the request arrived.
    pub arrived_at: Time,
    /// How long, in milliseconds.
    pub timeout_ms: i64,
}

/// What a message must have.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Parts {
    /// Its author, authenticated.
    pub from: Option<SenderFilter>,
    /// A part of the subject, in any case of letters.
    pub subject: Option<String>,
}

impl Parts {
    fn lowered(self) -> Self {
        Self { subject: self.subject.map(|part| part.to_lowercase()), ..self }
    }

    /// Whether the message has the parts; that of the subject is in lower case.
    fn fit(&self, glimpse: &Glimpse) -> bool {
        let subject = glimpse.subject.as_deref().unwrap_or_default();
        self.from.as_ref().is_none_or(|from| from.matches_authenticated(&glimpse.from, &glimpse.labels))
            && self.subject.as_ref().is_none_or(|part| subject.to_lowercase().contains(part))
    }
}

/// Waits for the oldest message of that sort with those parts.
///
/// # Errors
/// `not_found` for the inbox, or the store's own.
pub async fn message(
    app: &App,
    caller: Caller,
    patience: Patience,
    (sort, parts): (Sort, Parts),
) -> Result<Option<Record>, Refusal> {
    let start = Start::of(app, caller, patience).await?;
    in_time(app, patience, Box::pin(seek_message(app, start, sort, parts.lowered()))).await
}

/// Waits for the newest received message with a code or link, from that author; from one that failed authentication only if
/// wanted.
///
/// # Errors
/// `not_found` for the inbox, or the store's own.
pub async fn verification(
    app: &App,
    caller: Caller,
    patience: Patience,
    (from, unauthenticated): (Option<SenderFilter>, bool),
) -> Result<Option<Message>, Refusal> {
    let start = Start::of(app, caller, patience).await?;
    in_time(app, patience, Box::pin(seek_verification(app, start, from, unauthenticated))).await
}

/// What is found before the patience ends and before the process drains.
async fn in_time<T>(
    app: &App,
    patience: Patience,
    seek: impl Future<Output = Result<T, Refusal>>,
) -> Result<Option<T>, Refusal> {
    let until = patience.arrived_at.plus_ms(patience.timeout_ms);
    tokio::select! {
        biased;
        found = seek => found.map(Some),
        () = app.life.drained() => Ok(None),
        () = app.clock.sleep_until(until) => Ok(None),
    }
}

/// Where a search begins.
struct Start {
    place: Place,
    watch: Watch,
    /// `created_at` of the inbox's newest message.
    newest: Time,
    /// Only messages behind it count.
    since: Time,
}

impl Start {
    /// The watch is there before the look, so that no commit falls between the two.
    async fn of(app: &App, caller: Caller, patience: Patience) -> Result<Self, Refusal> {
        let place = Place { workspace: caller.workspace, inbox: patience.inbox };
        let watch = app.arrivals.watch(&app.store, place);
        let look = move |tx: &mut Tx| Ok::<_, Refusal>(visible::inbox(tx, &caller, place.inbox)?.last_message_at);
        let newest = app.store.read_one(look).await?;
        let since = patience.since.unwrap_or_else(|| request_moment(patience.arrived_at, newest, app.clock.now()));
        Ok(Self { place, watch, newest, since })
    }
}

/// The moment of a request in the time of an inbox. Behind its newest message, so that mail which was on its way to the
/// commit when the request came is found; but a message that came between the request and the first look is not older
/// than the request. The messages of one millisecond have later times than the clock showed (each is a millisecond
/// behind the one before): those that are ahead of the clock say nothing about the request, and are taken as older.
fn request_moment(arrived_at: Time, newest: Time, now: Time) -> Time {
    if newest <= now { newest.min(arrived_at) } else { newest }
}

async fn seek_message(app: &App, start: Start, sort: Sort, parts: Parts) -> Result<Record, Refusal> {
    let Start { place, mut watch, mut newest, mut since } = start;
    loop {
        while since < newest {
            let glimpses = app.store.read_one(move |tx| arrivals::after(tx, place, sort, since, LOOK_MAX)).await?;
            for found in glimpses.iter().filter(|glimpse| parts.fit(glimpse)) {
                let id = found.id;
                // It may have been deleted meanwhile.
                if let Some(record) = app.store.read(move |tx| messages::record(tx, place.workspace, id)).await? {
                    return Ok(record);
                }
            }
            match glimpses.last() {
                Some(last) if glimpses.len() == LOOK_MAX as usize => since = last.created_at,
                _ => since = newest,
            }
        }
        newest = watch.newer(newest).await?;
    }
}

async fn seek_verification(
    app: &App,
    start: Start,
    from: Option<SenderFilter>,
    unauthenticated: bool,
) -> Result<Message, Refusal> {
    let fits = |g: &Glimpse| match (&from, unauthenticated) {
        (None, _) => true,
        (Some(from), true) => from.matches(&g.from),
        (Some(from), false) => from.matches_authenticated(&g.from, &g.labels),
    };
    let Start { place, mut watch, mut newest, mut since } = start;
    loop {
        let mut until = newest.plus_ms(1);
        while since < until {
            let between = Between { since, until };
            let glimpses = app.store.read_one(move |tx| arrivals::verifications(tx, place, between, LOOK_MAX)).await?;
            let trusted = |g: &Glimpse| unauthenticated || g.verification.as_ref().is_some_and(|v| !v.auth_failed);
            for found in glimpses.iter().filter(|glimpse| trusted(glimpse) && fits(glimpse)) {
                let id = found.id;
                if let Some(message) = app.store.read_one(move |tx| messages::get(tx, place.workspace, id)).await? {
                    return Ok(message);
                }
            }
            match glimpses.last() {
                Some(last) if glimpses.len() == LOOK_MAX as usize => until = last.created_at,
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
    fn mail_between_the_request_and_the_first_look_is_not_older_than_the_request() {
        let ms = Time::from_millis;
        for (arrived, newest, now, since, why) in [
            (100, 50, 101, 50, "mail that was being stored when the request came has a time before it"),
            (100, 100, 101, 100, "stored in the millisecond of the request"),
            (100, 103, 105, 100, "stored after the request and before the look"),
            (100, 102, 100, 102, "the third of one millisecond, all before the request"),
        ] {
            assert_eq!(request_moment(ms(arrived), ms(newest), ms(now)), ms(since), "{why}");
        }
    }
}
