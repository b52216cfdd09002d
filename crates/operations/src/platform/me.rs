//! `/platform/me`: the person of the session.

use posthouse_api::views::user::SignedInView;
use posthouse_app::people::sessions;
use posthouse_call::prelude::*;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::person(Method::Get, "/platform/me", "getMe")
            .summary("Returns the person of the session, the workspace, and open invitations.")
            .responds::<SignedInView<'_>>(200)
            .handle(me),
    ]
}

async fn me(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    let person = sessions::me(&service, input.caller).await?;
    Outcome::json(200, &super::signed_in_view(&service, &person))
}
