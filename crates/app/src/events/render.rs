//! Loads the inboxes, messages and drafts that events show, in their current state.

use posthouse_api::views::event::RenderableEvent;
use posthouse_api::views::event::draft::{DraftSnapshot, LoadedDraftEvent, add_bodies, is_of_draft};
use posthouse_api::views::inbox::InboxView;
use posthouse_domain::{
    DraftId, Event, EventId, EventKind, Inbox, InboxId, Message, MessageId, NewEvent, Plans, Record, RecordView, Time,
    WorkspaceId,
};
use posthouse_store::{Result, Tx, drafts, inboxes, messages, workspaces};

use crate::inboxes::view;

/// How much of the objects in events is loaded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EventDetail {
    /// How much of each message and draft.
    pub view: RecordView,
    /// Bytes of bodies that all events show together.
    pub bytes_max: u64,
}

impl EventDetail {
    /// Loads everything, as far as the bodies fit.
    #[must_use]
    pub const fn full(bytes_max: u64) -> Self {
        Self { view: RecordView::Full, bytes_max }
    }
}

/// Loads the objects shown by the first of up to 100 events of one workspace: as many events as show the bodies
/// that `show` allows, but at least one. Leaves out messages in deleted inboxes.
pub fn load(
    tx: &mut Tx,
    workspace: WorkspaceId,
    mut events: Vec<Event>,
    plans: &Plans,
    now: Time,
    show: EventDetail,
) -> Result<Vec<RenderableEvent>> {
    let Some(tenant) = workspaces::get(tx, workspace)? else { return Ok(Vec::new()) };
    let mut found = messages::get_many(tx, workspace, &message_ids(&events))?;
    if show.view == RecordView::Full {
        let count = fitting(tx, workspace, &events, &found, show.bytes_max)?;
        events.truncate(count);
    }
    let mut rows: Vec<Inbox> = Vec::new();
    let shows_inbox = |event: &&Event| event.event.message.is_some() || is_of_draft(event.event.kind);
    for id in events.iter().filter(shows_inbox).filter_map(|event| event.event.inbox) {
        if !rows.iter().any(|inbox| inbox.id == id) {
            rows.extend(inboxes::get(tx, workspace, id)?);
        }
    }
    let views: Vec<(InboxId, InboxView)> =
        rows.iter().map(|row| row.id).zip(view::load_all(tx, &rows, plans.of(tenant.plan), now)?).collect();
    let ids = message_ids(&events);
    found.retain(|message| ids.contains(&message.id));
    found.retain(|message| rows.iter().any(|inbox| inbox.id == message.inbox && inbox.deleted_at.is_none()));
    let records = messages::records_in(tx, workspace, found, show.view)?;
    let drafts = load_drafts(tx, workspace, &events, show.view)?;
    let shown = events.into_iter().map(|event| {
        let inbox = views.iter().find(|(id, _)| Some(*id) == event.event.inbox).map(|(_, view)| view.clone());
        let record = records.iter().find(|record| Some(record.message.id) == event.event.message);
        let shows_release = event.event.kind == EventKind::MessageReleased;
        let record = record.map(|record| Record { shows_release, ..record.clone() });
        let draft = drafts.iter().find(|(id, _)| *id == event.event.id).map(|(_, draft)| draft.clone());
        RenderableEvent::new(event, inbox, record, draft)
    });
    Ok(shown.collect())
}

fn message_ids(events: &[Event]) -> Vec<MessageId> {
    let mut ids: Vec<MessageId> = events.iter().filter_map(|event| event.event.message).collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// Returns how many of the events show bodies of `bytes_max` together, but at least one. Each event counts in full,
/// because each is rendered on its own.
fn fitting(tx: &mut Tx, workspace: WorkspaceId, events: &[Event], found: &[Message], bytes_max: u64) -> Result<usize> {
    let raw = |event: &Event| found.iter().find(|m| Some(m.id) == event.event.message).map_or(0, |m| m.size_bytes);
    let of_messages = if messages::may_exceed(events.iter().map(raw).sum(), bytes_max) {
        messages::body_bytes(tx, workspace, &message_ids(events))?
    } else {
        Vec::new()
    };
    let ids: Vec<(EventId, DraftId)> = draft_ids(events);
    let mut distinct: Vec<DraftId> = ids.iter().map(|(_, id)| *id).collect();
    distinct.sort_unstable();
    distinct.dedup();
    let of_drafts = drafts::body_bytes(tx, workspace, &distinct)?;
    let size = |event: &NewEvent| {
        let message = of_messages.iter().find(|(id, _)| Some(*id) == event.message).map_or(0, |(_, size)| *size);
        let draft = ids.iter().find(|(of, _)| *of == event.id).map(|(_, draft)| *draft);
        message + of_drafts.iter().find(|(id, _)| Some(*id) == draft).map_or(0, |(_, size)| *size)
    };
    let (mut sum, mut count) = (0, 0);
    for event in events {
        sum += size(&event.event);
        if count > 0 && sum > bytes_max {
            break;
        }
        count += 1;
    }
    Ok(count)
}

/// Returns the events about a draft, with its id.
fn draft_ids(events: &[Event]) -> Vec<(EventId, DraftId)> {
    let about = events.iter().map(|event| &event.event).filter(|event| is_of_draft(event.kind));
    let id = |event: &NewEvent| {
        let read = serde_json::from_str::<LoadedDraftEvent>(&event.detail_json).ok()?;
        Some((event.id, draft_id(&read)?))
    };
    about.filter_map(id).collect()
}

fn draft_id(read: &LoadedDraftEvent) -> Option<DraftId> {
    read.draft.get("id")?.as_str()?.parse().ok()
}

/// Returns the drafts of up to 100 events, as they were at the time of each event. A summary has no bodies.
fn load_drafts(
    tx: &mut Tx,
    workspace: WorkspaceId,
    events: &[Event],
    view: RecordView,
) -> Result<Vec<(EventId, DraftSnapshot)>> {
    let about = events.iter().map(|event| &event.event).filter(|event| is_of_draft(event.kind));
    let read = |event: &NewEvent| Some((event.id, serde_json::from_str::<LoadedDraftEvent>(&event.detail_json).ok()?));
    let mut kept: Vec<(EventId, LoadedDraftEvent)> = about.filter_map(read).collect();
    if view == RecordView::Summary {
        return Ok(kept.into_iter().map(|(id, read)| (id, read.draft)).collect());
    }
    let mut ids: Vec<DraftId> = kept.iter().filter_map(|(_, read)| draft_id(read)).collect();
    ids.sort_unstable();
    ids.dedup();
    let rows = drafts::get_many(tx, workspace, &ids)?;
    for (_, read) in &mut kept {
        let wanted = draft_id(read);
        if let Some(row) = rows.iter().find(|row| Some(row.id) == wanted && row.revision == read.revision) {
            add_bodies(&mut read.draft, row);
        }
    }
    Ok(kept.into_iter().map(|(id, read)| (id, read.draft)).collect())
}
