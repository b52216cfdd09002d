//! Judges the recipients and the content of an outgoing message for the gate: where each address comes from, and which
//! secrets the message contains (`docs/decisions/sending.md#0150-outbound-policy`).

pub(crate) mod content;
pub(crate) mod files;
pub(crate) mod held;
pub(crate) mod origins;

use posthouse_domain::{Caller, Principal};

/// Returns whether a person makes the request, whose decision needs no approval.
pub(crate) const fn is_person(caller: &Caller) -> bool {
    match caller.principal {
        Principal::User(_) | Principal::Operator => true,
        Principal::Key(_) | Principal::Connector(_) | Principal::Service { .. } => false,
    }
}
