//! `/platform/invitations`: a person declines an invitation. Accepting one begins a session, so it is in the crate of pages.

use posthouse_app::people::invitations;
use posthouse_call::prelude::*;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::person(Method::Delete, "/platform/invitations/{id}", "declineInvitation")
            .summary("Declines an invitation. It can't be accepted afterwards.")
            .responds_with(204, None)
            .errors(&[ErrorCode::NotFound])
            .handle(decline),
    ]
}

async fn decline(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    invitations::decline(&service, input.caller, input.path.id("id", "invitation")?).await?;
    Ok(Outcome::empty())
}
