//! Long-polls: the oldest message behind a moment, and the newest code or link (contract §4.7).
//!
//! Woken by the commit, never by polling. The answer never comes later than asked for, and at once when the process drains.

use std::future::Future;

use posthouse_domain::{auth::Caller, error::Refusal, id::InboxId, message::Message, time::Time};
use posthouse_store::{
    arrivals::{self, Between, Glimpse, Sort},
    message_list::Place,
    messages::{self, Record},
};

use super::{App, visible};

/// Messages that are glimpsed at in one read.
const LOOK_MAX: u32 = 200;

/// Where and how long somebody waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Patience {
    /// Which inbox.
    pub inbox: InboxId,
    /// Behind which moment; none: behind the inbox's newest message.
    pub since: Option<Time>,
    /// How long, in milliseconds.
    pub timeout_ms: i64,
}

/// Parts of a message, in any case of letters.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Parts {
    /// A part of the From header.
    pub from: Option<String>,
    /// A part of the subject.
    pub subject: Option<String>,
}

impl Parts {
    fn lowered(self) -> Self {
        let lower = |part: Option<String>| part.map(|part| part.to_lowercase());
        Self { from: lower(self.from), subject: lower(self.subject) }
    }

    /// Whether the message has the parts, which are in lower case.
    fn fit(&self, glimpse: &Glimpse) -> bool {
        let has =
            |text: &str, part: &Option<String>| part.as_ref().is_none_or(|part| text.to_lowercase().contains(part));
        has(&glimpse.from, &self.from) && has(glimpse.subject.as_deref().unwrap_or_default(), &self.subject)
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
    let until = app.clock.now().plus_ms(patience.timeout_ms);
    in_time(app, until, Box::pin(seek_message(app, caller, patience, sort, parts.lowered()))).await
}

/// Waits for the newest received message with a code or link, from a sender with that part; from one that failed
/// authentication only if wanted.
///
/// # Errors
/// `not_found` for the inbox, or the store's own.
pub async fn verification(
    app: &App,
    caller: Caller,
    patience: Patience,
    (from, unauthenticated): (Option<String>, bool),
) -> Result<Option<Message>, Refusal> {
    let until = app.clock.now().plus_ms(patience.timeout_ms);
    let parts = Parts { from, subject: None }.lowered();
    in_time(app, until, Box::pin(seek_verification(app, caller, patience, parts, unauthenticated))).await
}

/// What is found before that time and before the process drains.
async fn in_time<T>(
    app: &App,
    until: Time,
    seek: impl Future<Output = Result<T, Refusal>>,
) -> Result<Option<T>, Refusal> {
    tokio::select! {
        biased;
        found = seek => found.map(Some),
        () = app.life.drained() => Ok(None),
        () = app.clock.sleep_until(until) => Ok(None),
    }
}

/// The inbox as it is when the request arrives.
async fn newest_of(app: &App, caller: Caller, inbox: InboxId) -> Result<Time, Refusal> {
    app.store.read_one(move |tx| Ok::<_, Refusal>(visible::inbox(tx, &caller, inbox)?.last_message_at)).await
}

async fn seek_message(
    app: &App,
    caller: Caller,
    patience: Patience,
    sort: Sort,
    parts: Parts,
) -> Result<Record, Refusal> {
    let place = Place { workspace: caller.workspace, inbox: patience.inbox };
    let mut watch = app.arrivals.watch(&app.store, place);
    let mut newest = newest_of(app, caller, patience.inbox).await?;
    let mut since = patience.since.unwrap_or(newest);
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
    caller: Caller,
    patience: Patience,
    parts: Parts,
    unauthenticated: bool,
) -> Result<Message, Refusal> {
    let place = Place { workspace: caller.workspace, inbox: patience.inbox };
    let mut watch = app.arrivals.watch(&app.store, place);
    let mut newest = newest_of(app, caller, patience.inbox).await?;
    let mut since = patience.since.unwrap_or(newest);
    loop {
        let mut until = newest.plus_ms(1);
        while since < until {
            let between = Between { since, until };
            let glimpses = app.store.read_one(move |tx| arrivals::verifications(tx, place, between, LOOK_MAX)).await?;
            let trusted = |g: &Glimpse| unauthenticated || g.verification.as_ref().is_some_and(|v| !v.auth_failed);
            for found in glimpses.iter().filter(|glimpse| trusted(glimpse) && parts.fit(glimpse)) {
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
