//! Labels and read state of messages, changed by a caller (contract §4.6).

use posthouse_domain::{auth::Caller, error::Refusal, id::MessageId, label::LabelChange};
use posthouse_store::messages::{self, Record};

use super::{App, claim::Fence, visible};

/// What a caller changes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MessageChange {
    /// Labels added and removed.
    pub labels: LabelChange,
    /// The new read state; none keeps it.
    pub is_read: Option<bool>,
    /// The lease of a worker who must hold the message.
    pub lease: Option<String>,
}

/// Changes those of up to 100 messages that the caller may see, all or none of them; gives them as they are then, in the
/// order of the ids.
///
/// # Errors
/// `invalid_request` for labels of the system or too many labels, `lease_expired`, or the store's own.
pub async fn change(
    app: &App,
    caller: Caller,
    ids: Vec<MessageId>,
    change: MessageChange,
) -> Result<Vec<Record>, Refusal> {
    let now = app.clock.now();
    let work = move |tx: &mut posthouse_store::Tx| {
        if let Some(lease) = &change.lease {
            // The place in the queue is taken before the message, as an ack does it.
            for message in visible::messages(tx, &caller, &ids)? {
                Fence { message: message.id, lease: lease.clone() }.check(tx, &caller, now)?;
            }
        }
        messages::hold(tx, caller.workspace, &ids)?;
        let mut found = visible::messages(tx, &caller, &ids)?;
        for message in &mut found {
            let before = message.clone();
            message.labels = change.labels.applied(&before.labels)?;
            message.is_read = change.is_read.unwrap_or(before.is_read);
            if *message != before {
                messages::set_labels(tx, &before, message)?;
            }
        }
        Ok::<_, Refusal>(messages::records(tx, caller.workspace, found)?)
    };
    app.store.write(work).await
}
