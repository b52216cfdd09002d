//! Changes labels and the read state of messages, at a caller's request.

use posthouse_domain::{Caller, IdGenerator, LabelChange, Message, MessageId, Record, Refusal, Time};
use posthouse_store::{Tx, messages};

use super::claim::FencingToken;
use crate::{access::visible, escalation::record::raise, service::Service};

/// A change of messages.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MessageChange {
    /// Labels added and removed.
    pub labels: LabelChange,
    /// The new read state; `None` keeps the state.
    pub is_read: Option<bool>,
    /// The fencing token of a worker that must hold the message.
    pub lease: Option<String>,
}

/// Changes a message in one transaction, if the caller may see it, and returns it.
///
/// # Errors
/// Returns `invalid_request` for system labels or too many labels or `lease_expired` if the lease is not valid.
pub async fn change(
    service: &Service,
    caller: Caller,
    id: MessageId,
    change: MessageChange,
) -> Result<Vec<Record>, Refusal> {
    let (ids, now) = (service.clock.ids(), service.clock.now());
    let work = move |tx: &mut Tx| {
        let changed = apply(tx, &caller, &[id], &change, &ids.clone(), now)?;
        Ok::<_, Refusal>(messages::records(tx, caller.workspace, changed)?)
    };
    service.write(work).await
}

/// Changes the messages among up to 100 that the caller may see, in one transaction.
///
/// # Errors
/// See [`change`].
pub async fn change_many(
    service: &Service,
    caller: Caller,
    ids: Vec<MessageId>,
    change: MessageChange,
) -> Result<(), Refusal> {
    let (new_ids, now) = (service.clock.ids(), service.clock.now());
    service.write(move |tx| apply(tx, &caller, &ids, &change, &new_ids.clone(), now).map(drop)).await
}

fn apply(
    tx: &mut Tx,
    caller: &Caller,
    ids: &[MessageId],
    change: &MessageChange,
    new_ids: &IdGenerator,
    now: Time,
) -> Result<Vec<Message>, Refusal> {
    if let Some(lease) = &change.lease {
        // Lock the queue item before the message, in the same order as an ack.
        for message in visible::messages(tx, caller, ids)? {
            FencingToken { message: message.id, lease: lease.clone() }.check(tx, caller, now)?;
        }
    }
    messages::lock(tx, caller.workspace, ids)?;
    let mut found = visible::messages(tx, caller, ids)?;
    for message in &mut found {
        let before = message.clone();
        message.labels = change.labels.applied(&before.labels)?;
        message.is_read = change.is_read.unwrap_or(before.is_read);
        if *message != before {
            messages::set_labels(tx, &before, message)?;
            let added = message.labels.iter().filter(|label| !before.labels.contains(label)).map(String::as_str);
            raise::raise_labels(tx, message, added, new_ids, now)?;
        }
    }
    Ok(found)
}
