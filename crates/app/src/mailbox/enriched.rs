//! Merges a finished analysis into its message, and announces it.

use posthouse_domain::{Analysis, EventKind, IdGenerator, Inbox, Message, NewEvent, Time};
use posthouse_store::{Result, Tx, events};

/// Merges an analysis into a message: labels are only added.
pub fn apply(message: &mut Message, analysis: Analysis, now: Time) {
    if let Some(verdict) = analysis.verdict() {
        for label in verdict.labels() {
            if !message.labels.iter().any(|known| known == label) {
                message.labels.push(label.to_owned());
            }
        }
        message.analyzed_at = message.analyzed_at.or(Some(now));
    }
    if analysis != Analysis::Pending {
        message.analysis_due = None;
    }
    message.analysis = Some(analysis);
}

/// Appends `message.enriched`, or holds it while the inbox is paused.
///
/// # Errors
/// Returns an error if a store call fails.
pub fn announce(tx: &mut Tx, message: &Message, inbox: &Inbox, ids: &IdGenerator, now: Time) -> Result<()> {
    let event = NewEvent::new(EventKind::MessageEnriched, message.workspace, ids.next(), now)
        .in_inbox(inbox.id)
        .in_thread(message.thread)
        .about_message(message.id);
    events::append_or_hold(tx, inbox.is_paused(), &event)?;
    tx.wake(message.workspace.0);
    Ok(())
}
