//! Records what is to be escalated to people on call, in the transaction that causes it. the rest of the folder sends it.

pub(crate) mod effective;
pub(crate) mod raise;
mod response;
