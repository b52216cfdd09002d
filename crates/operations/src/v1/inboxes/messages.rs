//! `/v1/inboxes/{id}/messages/…`: sending, and waiting for mail.

mod invitation;
pub(super) mod send;
mod wait;

use posthouse_call::Operation;

pub(super) fn operations() -> Vec<Operation> {
    send::operations().into_iter().chain(invitation::operations()).chain(wait::operations()).collect()
}
