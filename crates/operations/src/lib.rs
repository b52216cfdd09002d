//! The operations of the service, in folders along the URL: `/v1/inboxes` is `v1/inboxes.rs`, and what lies below it is in
//! `v1/inboxes/`. The body of a request stands beside its handler.
//!
//! Operations decode, call one use case and render. They know no transport.

mod dev;
mod oidc;
pub mod platform;
pub mod v1;
mod well_known;

use posthouse_call::Operation;

/// Returns every operation, in the order of the API reference.
#[must_use]
pub fn operations() -> Vec<Operation> {
    let chapters =
        [v1::operations(), platform::operations(), oidc::operations(), well_known::operations(), dev::operations()];
    chapters.into_iter().flatten().collect()
}
