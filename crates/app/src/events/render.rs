//! Loads the inboxes, messages and drafts that events show, in their current state.

use posthouse_api::views::{
    event::{
        RenderableEvent,
        draft::{DraftSnapshot, LoadedDraftEvent, add_bodies, is_of_draft},
    },
    inbox::InboxView,
};
use posthouse_domain::{
    event::{Event, NewEvent},
    id::{DraftId, EventId, InboxId, MessageId, WorkspaceId},
    inbox::Inbox,
    plan::Plans,
    time::Time,
};
use posthouse_store::{Result, Tx, drafts, inboxes, messages, workspaces};

use crate::inboxes::view;

/// Loads the objects shown by up to 100 events of one workspace. Leaves out messages in deleted inboxes.
///
/// # Errors
/// Returns an error if the database call fails.
pub fn load(
    tx: &mut Tx,
    workspace: WorkspaceId,
    events: Vec<Event>,
    plans: &Plans,
    now: Time,
) -> Result<Vec<RenderableEvent>> {
    let Some(tenant) = workspaces::get(tx, workspace)? else { return Ok(Vec::new()) };
    let of_messages = || events.iter().filter(|event| event.event.message.is_some());
    let mut rows: Vec<Inbox> = Vec::new();
    let of_drafts = || events.iter().filter(|event| is_of_draft(event.event.kind));
    for id in of_messages().chain(of_drafts()).filter_map(|event| event.event.inbox) {
        if !rows.iter().any(|inbox| inbox.id == id) {
            rows.extend(inboxes::get(tx, workspace, id)?);
        }
    }
    let views: Vec<(InboxId, InboxView)> =
        rows.iter().map(|row| row.id).zip(view::load_all(tx, &rows, plans.of(tenant.plan), now)?).collect();
    let mut ids: Vec<MessageId> = of_messages().filter_map(|event| event.event.message).collect();
    ids.sort_unstable();
    ids.dedup();
    let mut found = messages::get_many(tx, workspace, &ids)?;
    found.retain(|message| rows.iter().any(|inbox| inbox.id == message.inbox && inbox.deleted_at.is_none()));
    let records = messages::records(tx, workspace, found)?;
    let drafts = load_drafts(tx, workspace, &events)?;
    let shown = events.into_iter().map(|event| {
        let inbox = views.iter().find(|(id, _)| Some(*id) == event.event.inbox).map(|(_, view)| view.clone());
        let record = records.iter().find(|record| Some(record.message.id) == event.event.message).cloned();
        let draft = drafts.iter().find(|(id, _)| *id == event.event.id).map(|(_, draft)| draft.clone());
        RenderableEvent::new(event, inbox, record, draft)
    });
    Ok(shown.collect())
}

/// Returns the drafts of up to 100 events, as they were at the time of each event.
fn load_drafts(tx: &mut Tx, workspace: WorkspaceId, events: &[Event]) -> Result<Vec<(EventId, DraftSnapshot)>> {
    let about = events.iter().map(|event| &event.event).filter(|event| is_of_draft(event.kind));
    let read = |event: &NewEvent| Some((event.id, serde_json::from_str::<LoadedDraftEvent>(&event.detail_json).ok()?));
    let mut kept: Vec<(EventId, LoadedDraftEvent)> = about.filter_map(read).collect();
    let id = |read: &LoadedDraftEvent| read.draft.get("id")?.as_str()?.parse::<DraftId>().ok();
    let mut ids: Vec<DraftId> = kept.iter().filter_map(|(_, read)| id(read)).collect();
    ids.sort_unstable();
    ids.dedup();
    let rows = drafts::get_many(tx, workspace, &ids)?;
    for (_, read) in &mut kept {
        let wanted = id(read);
        if let Some(row) = rows.iter().find(|row| Some(row.id) == wanted && row.revision == read.revision) {
            add_bodies(&mut read.draft, row);
        }
    }
    Ok(kept.into_iter().map(|(id, read)| (id, read.draft)).collect())
}
