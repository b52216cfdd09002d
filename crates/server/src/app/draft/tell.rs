//! The events of drafts. The log keeps the draft as it was, without bodies: those are shown from the row while it has them.

use posthouse_domain::{
    draft::Draft,
    event::{EventKind, NewEvent},
    id::Ids,
    time::Time,
};
use posthouse_store::{Result, Tx, events};

use crate::views::event::{data, draft as view};

/// Appends an event about a draft. A pause holds back the events of mail, not what callers do to drafts.
pub(super) fn tell(tx: &mut Tx, kind: EventKind, draft: &Draft, ids: &Ids, at: Time) -> Result<()> {
    let event = NewEvent {
        workspace: draft.workspace,
        id: ids.next(),
        kind,
        inbox: Some(draft.inbox),
        thread: draft.thread,
        message: draft.sent_message,
        detail_json: data::text(&view::Kept::of(draft)),
        at,
    };
    events::append(tx, &event)
}
