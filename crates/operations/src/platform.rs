//! `/platform/…`: what the dashboard needs beyond the API: sessions, keys, members and settings. These operations
//! authenticate with the session of a person only; sign-in is in the crate of pages.

mod api_keys;
mod connector_requests;
mod connectors;
mod invitations;
mod me;
mod members;
mod org;
mod rules;
mod screening;
mod sessions;
mod usage;
mod waiting_sign_ins;
mod workspaces;

use posthouse_api::views::user::SignedInView;
use posthouse_app::people::sign_in::Person;
use posthouse_call::prelude::*;

/// Returns the view of a person with a session.
#[must_use]
pub fn signed_in_view<'a>(service: &Service, person: &'a Person) -> SignedInView<'a> {
    let membership = person.membership.as_ref();
    let (role, workspace) = (membership.map(|found| found.role), membership.map(|found| &found.workspace));
    SignedInView::of(&person.user, role, workspace, &person.invitations, service.config.is_loopback_profile())
}

pub(crate) fn operations() -> Vec<Operation> {
    [
        me::operations(),
        sessions::operations(),
        api_keys::operations(),
        connectors::operations(),
        connector_requests::operations(),
        usage::operations(),
        org::operations(),
        screening::operations(),
        rules::operations(),
        members::operations(),
        invitations::operations(),
        waiting_sign_ins::operations(),
        workspaces::operations(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
