//! Reading and changing messages (API document, Messages; contract §4.6).

use std::sync::Arc;

use axum::http::Method;
use posthouse_domain::{
    auth::{Caller, Permission},
    error::{Code, Refusal},
    id::{InboxId, MessageId},
    inbox::Inbox,
    label::{BLOCKED, LabelChange, PROMOTIONS},
    message::{Channel, Direction, Kind, Status},
    page::Position,
    time::Time,
};
use posthouse_store::{
    Tx,
    message_list::{self, Filter, Place},
    messages::{self, Record},
};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::queue::LeaseText;
use crate::{
    app::{
        App,
        change_message::{self, MessageChange},
        visible,
    },
    http::{
        route::{Answer, Input, Route},
        wire::{
            CommaList, Cursor, Empty, Label, Limit, List, OwnLabel, Problems, choice, member, object, paging, query,
        },
    },
    views::{BatchView, PageView, message::MessageView},
};

/// Most labels of a list's filter.
const LABEL_FILTERS_MAX: usize = 10;

pub(crate) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::GET, "/v1/inboxes/{id}/messages", "listMessages", Permission::MessagesRead)
            .summary("The messages of an inbox, newest first.")
            .answers::<PageView<MessageView<'_>>>(200)
            .errors(&[Code::InvalidCursor, Code::NotFound])
            .handle(list),
        Route::new(Method::GET, "/v1/messages/{id}", "getMessage", Permission::MessagesRead)
            .summary("One message.")
            .answers::<MessageView<'_>>(200)
            .errors(&[Code::NotFound])
            .handle(get),
        Route::new(Method::PATCH, "/v1/messages/{id}", "updateMessage", Permission::MessagesWrite)
            .summary("Changes labels and read state; labels of the system stay as they are.")
            .answers::<MessageView<'_>>(200)
            .errors(&[Code::NotFound, Code::LeaseExpired])
            .handle(update),
        Route::new(Method::POST, "/v1/messages/batch-get", "batchGetMessages", Permission::MessagesRead)
            .summary("Up to 100 messages by id.")
            .answers::<BatchView<MessageView<'_>>>(200)
            .handle(batch_get),
        Route::new(Method::POST, "/v1/messages/batch-update", "batchUpdateMessages", Permission::MessagesWrite)
            .summary("Changes labels and read state of up to 100 messages at once.")
            .answers::<BatchView<MessageView<'_>>>(200)
            .handle(batch_update),
        Route::new(Method::POST, "/v1/messages/{id}/release", "releaseMessage", Permission::MessagesRelease)
            .summary("Lets held mail through. Mail that a receive list stopped cannot be released.")
            .answers::<MessageView<'_>>(200)
            .errors(&[Code::NotFound, Code::NotHeld, Code::MessageBlocked])
            .handle(release),
    ]
}

choice! {
    /// How far received mail was screened.
    enum Screening {
        /// Checked, or exempt.
        Screened = "screened",
        /// Not checked yet.
        Pending = "pending",
        /// Kept back.
        Held = "held",
        /// Let through.
        Released = "released",
    }
}

choice! {
    /// Whether promotions and spam are listed.
    enum Promotions {
        /// Among the others.
        Include = "include",
        /// Not at all.
        Exclude = "exclude",
        /// Alone.
        Only = "only",
    }
}

query! {
    /// What a list of messages is narrowed to.
    struct ListQuery {
        /// Labels joined by commas; a message must have all of them.
        labels: CommaList<Label, LABEL_FILTERS_MAX>,
        /// Read or unread mail alone.
        is_read: Option<bool>,
        /// Received or sent mail alone.
        direction: Option<Direction>,
        /// Mail of that status alone.
        status: Option<Status>,
        /// Mail that a receive list stopped is listed too.
        include_blocked: bool,
        /// Mail of that channel alone.
        channel: Option<Channel>,
        /// Mail of that type alone.
        kind = "type": Option<Kind>,
        /// Received mail in that state of screening alone.
        screening: Option<Screening>,
        /// Show the content of mail that is not screened yet.
        include_unscreened: bool,
        /// Show the content of held mail; needs messages:release.
        include_held: bool,
        /// Whether mail labelled ai:sales or local:spam is listed; left out, the inbox's promotions_filter decides.
        promotions: Option<Promotions>,
        /// The next_cursor of the page before.
        cursor: Option<Cursor>,
        /// Most messages of the page; 25 when left out.
        limit: Option<Limit>,
    }
}

query! {
    /// Whether content that screening keeps back is wanted.
    pub(super) struct ScreeningQuery {
        /// Show the content of mail that is not screened yet.
        include_unscreened: bool,
        /// Show the content of held mail; needs messages:release.
        include_held: bool,
    }
}

object! {
    /// Which messages are wanted.
    struct BatchGet {
        /// Their ids.
        ids: List<Uuid, 1, 100>,
        /// Show the content of mail that is not screened yet.
        include_unscreened: Option<bool>,
        /// Show the content of held mail; needs messages:release.
        include_held: Option<bool>,
    }
}

object! {
    /// A change of one message.
    struct Update {
        /// Labels to add behind those that are there.
        add_labels: Option<List<OwnLabel, 0, 50>>,
        /// Labels to remove.
        remove_labels: Option<List<OwnLabel, 0, 50>>,
        /// The new read state.
        is_read: Option<bool>,
        /// The lease under which the message was claimed; the change is refused with lease_expired when it is not the current one.
        lease_id: Option<LeaseText>,
    }
    check no_label_both_ways;
}

object! {
    /// A change of several messages.
    struct BatchUpdate {
        /// Their ids.
        ids: List<Uuid, 1, 100>,
        /// Labels to add behind those that are there.
        add_labels: Option<List<OwnLabel, 0, 50>>,
        /// Labels to remove.
        remove_labels: Option<List<OwnLabel, 0, 50>>,
        /// The new read state.
        is_read: Option<bool>,
    }
    check no_label_both_ways;
}

impl ScreeningQuery {
    /// Refuses callers who want held mail without the permission to release it (contract §4.4).
    ///
    /// # Errors
    /// `insufficient_permissions`.
    pub(super) fn check(&self, caller: &Caller) -> Result<(), Refusal> {
        // No mail waits for screening yet; what is held was stopped by a list.
        let _ = self.include_unscreened;
        let name = Permission::MessagesRelease.text();
        if !self.include_held || caller.permissions.has(Permission::MessagesRelease) {
            return Ok(());
        }
        let refusal = Refusal::new(Code::InsufficientPermissions, format!("include_held needs the permission {name}."));
        Err(refusal.detail("permission", name).with_fix(format!("Use an API key with the permission {name}.")))
    }

    /// Opens what the caller asked for.
    fn open(&self, records: &mut [Record]) {
        if self.include_held {
            records.iter_mut().for_each(|record| record.withheld = false);
        }
    }
}

/// A label cannot be given and taken at once.
pub(super) fn no_label_both_ways(given: &Map<String, Value>, path: &str, problems: &mut Problems) {
    let labels = |name: &str| given.get(name).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let added = labels("add_labels");
    for (at, label) in labels("remove_labels").iter().enumerate() {
        if let Some(text) = label.as_str().filter(|_| added.contains(label)) {
            let path = member(path, &format!("remove_labels[{at}]"));
            problems.add::<()>(&path, format!("{text} is in add_labels too"));
        }
    }
}

/// The labels of a change, from their wire form.
pub(super) fn label_change<L: Into<String>>(
    add: Option<List<L, 0, 50>>,
    remove: Option<List<L, 0, 50>>,
) -> LabelChange {
    let texts =
        |labels: Option<List<L, 0, 50>>| labels.map_or(Vec::new(), |list| list.0.into_iter().map(L::into).collect());
    LabelChange { add: texts(add), remove: texts(remove) }
}

impl ListQuery {
    fn screening(&self) -> ScreeningQuery {
        ScreeningQuery { include_unscreened: self.include_unscreened, include_held: self.include_held }
    }

    /// The filter for the store; nothing when no message can pass it.
    fn filter(&self, inbox: &Inbox) -> Option<Filter> {
        let mut labels: Vec<String> = self.labels.0.iter().map(|label| label.0.clone()).collect();
        let mut include_blocked = self.include_blocked;
        let mut direction = self.direction;
        match self.screening {
            // Only received mail is screened, and all of it is, as long as nothing but lists holds it back.
            Some(Screening::Held) if direction != Some(Direction::Outbound) => {
                // Nothing is held but what a receive list stopped.
                labels.push(BLOCKED.to_owned());
            }
            Some(Screening::Screened) if direction != Some(Direction::Outbound) => {
                direction = Some(Direction::Inbound);
                include_blocked = false;
            }
            Some(_) => return None,
            None => {}
        }
        let default = if inbox.filters_promotions() { Promotions::Exclude } else { Promotions::Include };
        let promotions = self.promotions.unwrap_or(default);
        let mut hidden_labels = if include_blocked { Vec::new() } else { vec![BLOCKED] };
        if promotions == Promotions::Exclude {
            hidden_labels.extend(PROMOTIONS);
        }
        Some(Filter {
            labels,
            any_label: if promotions == Promotions::Only { PROMOTIONS.to_vec() } else { Vec::new() },
            hidden_labels,
            is_read: self.is_read,
            direction,
            status: self.status,
            channel: self.channel,
            kind: self.kind,
        })
    }
}

async fn list(app: Arc<App>, input: Input<ListQuery>) -> Result<Answer, Refusal> {
    let id: InboxId = input.path.id("id", "inbox")?;
    let (caller, query) = (input.caller, input.query);
    query.screening().check(&caller)?;
    let (records, next) = app.store.read(move |tx| read_page(tx, &caller, id, &query)).await?;
    Answer::json(200, &PageView { data: records.iter().map(MessageView::of).collect(), next_cursor: next })
}

fn read_page(
    tx: &mut Tx,
    caller: &Caller,
    id: InboxId,
    query: &ListQuery,
) -> Result<(Vec<Record>, Option<String>), Refusal> {
    let inbox = visible::inbox(tx, caller, id)?;
    let filter = query.filter(&inbox);
    let named = format!("messages of {id}: {filter:?}");
    let paging = paging(named, query.cursor.as_ref(), query.limit)?;
    let Some(filter) = filter else { return Ok((Vec::new(), None)) };
    let place = Place { workspace: caller.workspace, inbox: id };
    let before = paging.after.map(|after: Position| Time::from_millis(after.sort));
    let mut found = message_list::page(tx, place, &filter, before, paging.fetched())?;
    let next = paging.cut(&mut found, |m| Position { sort: m.created_at.millis(), id: m.id.0 });
    let mut records = messages::records(tx, caller.workspace, found)?;
    query.screening().open(&mut records);
    Ok((records, next))
}

async fn get(app: Arc<App>, input: Input<ScreeningQuery>) -> Result<Answer, Refusal> {
    let id: MessageId = input.path.id("id", "message")?;
    let caller = input.caller;
    input.query.check(&caller)?;
    let read = app.store.read(move |tx| {
        let message = visible::message(tx, &caller, id)?;
        Ok::<_, Refusal>(messages::records(tx, caller.workspace, vec![message])?)
    });
    let mut records = read.await?;
    input.query.open(&mut records);
    one(&records)
}

async fn update(app: Arc<App>, input: Input<Empty, Update>) -> Result<Answer, Refusal> {
    let id: MessageId = input.path.id("id", "message")?;
    let Update { add_labels, remove_labels, is_read, lease_id } = input.body;
    let lease = lease_id.map(|lease| lease.0);
    let change = MessageChange { labels: label_change(add_labels, remove_labels), is_read, lease };
    let changed = change_message::change(&app, input.caller, vec![id], change).await?;
    one(&changed)
}

async fn batch_get(app: Arc<App>, input: Input<Empty, BatchGet>) -> Result<Answer, Refusal> {
    let BatchGet { ids, include_unscreened, include_held } = input.body;
    let (caller, ids) = (input.caller, unique(ids));
    let screening = ScreeningQuery {
        include_unscreened: include_unscreened.unwrap_or_default(),
        include_held: include_held.unwrap_or_default(),
    };
    screening.check(&caller)?;
    let wanted = ids.clone();
    let records = app.store.read(move |tx| {
        let found = visible::messages(tx, &caller, &wanted)?;
        Ok::<_, Refusal>(messages::records(tx, caller.workspace, found)?)
    });
    let mut records = records.await?;
    screening.open(&mut records);
    batch(&records, &ids)
}

async fn batch_update(app: Arc<App>, input: Input<Empty, BatchUpdate>) -> Result<Answer, Refusal> {
    let BatchUpdate { ids, add_labels, remove_labels, is_read } = input.body;
    let ids = unique(ids);
    let change = MessageChange { labels: label_change(add_labels, remove_labels), is_read, lease: None };
    let changed = change_message::change(&app, input.caller, ids.clone(), change).await?;
    batch(&changed, &ids)
}

async fn release(app: Arc<App>, input: Input) -> Result<Answer, Refusal> {
    let id: MessageId = input.path.id("id", "message")?;
    let caller = input.caller;
    let message = app.store.read(move |tx| visible::message(tx, &caller, id)).await?;
    // Nothing is held but what a receive list stopped.
    if message.labels.iter().any(|label| label == BLOCKED) {
        return Err(Refusal::new(Code::MessageBlocked, "A receive list stopped this message."));
    }
    Err(Refusal::new(Code::NotHeld, "This message is not held."))
}

/// The ids, each once, in their order.
fn unique(ids: List<Uuid, 1, 100>) -> Vec<MessageId> {
    let mut seen = Vec::with_capacity(ids.0.len());
    for id in ids.0.into_iter().map(MessageId) {
        if !seen.contains(&id) {
            seen.push(id);
        }
    }
    seen
}

fn one(records: &[Record]) -> Result<Answer, Refusal> {
    let record = records.first().ok_or_else(|| Refusal::not_found("message"))?;
    Answer::json(200, &MessageView::of(record))
}

fn batch(records: &[Record], ids: &[MessageId]) -> Result<Answer, Refusal> {
    let missing = ids.iter().filter(|id| !records.iter().any(|r| r.message.id == **id)).map(ToString::to_string);
    Answer::json(200, &BatchView { data: records.iter().map(MessageView::of).collect(), missing: missing.collect() })
}
