//! Changes labels and the read state of messages, at a caller's request.

use posthouse_domain::{auth::Caller, error::Refusal, id::MessageId, label::LabelChange, record::Record};
use posthouse_store::messages;

use super::claim::FencingToken;
use crate::{access::visible, app::App};

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

/// Changes the messages among up to 100 that the caller may see, in one transaction. Returns them in the order of
/// `ids`.
///
/// # Errors
/// Returns `invalid_request` for system labels or too many labels, `lease_expired` if the lease is not valid, or an
/// error if the database call fails.
pub async fn change(
    app: &App,
    caller: Caller,
    ids: Vec<MessageId>,
    change: MessageChange,
) -> Result<Vec<Record>, Refusal> {
    let now = app.clock.now();
    let work = move |tx: &mut posthouse_store::Tx| {
        if let Some(lease) = &change.lease {
            // Lock the queue item before the message, in the same order as an ack.
            for message in visible::messages(tx, &caller, &ids)? {
                FencingToken { message: message.id, lease: lease.clone() }.check(tx, &caller, now)?;
            }
        }
        messages::lock(tx, caller.workspace, &ids)?;
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
