//! `/dev/…`: what exists only on this machine, while mail to other domains is captured.

mod inbound;
mod outbox;

use posthouse_call::Operation;

pub(crate) fn operations() -> Vec<Operation> {
    inbound::operations().into_iter().chain(outbox::operations()).collect()
}
