//! Releases held mail where screening was switched off, so that it reaches agents as all mail does.
//!
//! A job does it after the setting is stored, one message per transaction, because an inbox may hold much mail. Mail that a
//! receive list or a rule of the owner stopped stays held: these don't depend on the setting.

use posthouse_domain::{CursorPosition, HoldReason, Message, MessageId, PageRange, ScreeningMode, WorkspaceId};
use posthouse_store::{Error, Result, Tx, inboxes, message_list, messages};

use super::show::{Showing, release_pending, show};
use crate::service::{ReadScope, Service};

/// Messages read at once.
const STEP: u32 = 100;

/// Releases the held and pending mail of every inbox of a workspace whose screening is off.
///
/// # Errors
/// Returns an error if a store call fails.
pub async fn release_all(service: &Service, workspace: WorkspaceId) -> Result<()> {
    let (mut held, mut after) = (Vec::new(), None);
    loop {
        let page = PageRange { after, limit: STEP };
        let work = move |tx: &mut Tx| message_list::held(tx, workspace, None, page);
        let found = service.read(ReadScope::Service, work).await?;
        held.extend(found.iter().filter(|message| is_stopped_by_screening(message)).map(|message| message.id));
        let Some(last) = found.last() else { break };
        after = Some(CursorPosition::of(last.created_at, last.id.0));
    }
    // The oldest first, so that they follow each other as they arrived.
    for id in held.into_iter().rev() {
        release_one(service, workspace, id).await?;
    }
    Ok(())
}

fn is_stopped_by_screening(message: &Message) -> bool {
    message.is_held() && !matches!(message.held, Some(HoldReason::Blocked | HoldReason::Rule))
}

async fn release_one(service: &Service, workspace: WorkspaceId, id: MessageId) -> Result<()> {
    let (ids, now) = (service.clock.ids(), service.clock.now());
    let key = service.address_key().map_err(|refusal| Error::Internal(refusal.message.into()))?;
    let work = move |tx: &mut Tx| {
        let Some(found) = messages::get(tx, workspace, id)? else { return Ok(()) };
        // The inbox before the message, as storing a message does.
        let Some(inbox) = inboxes::lock(tx, workspace, found.inbox)? else { return Ok(()) };
        messages::lock(tx, workspace, &[id])?;
        let Some(message) = messages::get(tx, workspace, id)?.filter(is_stopped_by_screening) else { return Ok(()) };
        if messages::screening_mode(tx, workspace, inbox.id)? != ScreeningMode::Off {
            return Ok(());
        }
        let showing = Showing { inbox: &inbox, key: &key, ids: &ids.clone(), now };
        match message.held {
            Some(HoldReason::Pending) => release_pending(tx, &message, HoldReason::Pending, showing),
            _ => show(tx, &message, showing),
        }
    };
    service.write(work).await
}
