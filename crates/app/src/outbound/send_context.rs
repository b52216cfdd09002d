//! The common fields of all requests that send.

use posthouse_domain::{Caller, Inbox, InboxId};
use posthouse_store::idempotency;

use crate::messages::claim::FencingToken;

/// The caller, inbox and idempotency key of a request that sends.
#[derive(Clone, Debug)]
pub struct SendContext {
    pub caller: Caller,
    /// The inbox to send from.
    pub inbox: InboxId,
    /// The idempotency key of the request, if any.
    pub key: Option<idempotency::IdempotencyKey>,
    /// The lease that the worker must hold on the original message of a reply or forward.
    pub fence: Option<FencingToken>,
}

impl SendContext {
    /// Returns the context of a message that no request and no claimed message asks for.
    #[must_use]
    pub fn new(caller: Caller, inbox: InboxId) -> Self {
        Self { caller, inbox, key: None, fence: None }
    }

    /// Returns the context of mail that the service sends from an inbox.
    #[must_use]
    pub fn of_service(inbox: &Inbox) -> Self {
        Self::new(Caller::service(inbox.workspace, inbox.id), inbox.id)
    }
}
