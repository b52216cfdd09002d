//! `/platform/waiting-sign-ins`: sign-ins of agents that wait for a person.

use posthouse_api::{views::identity_client::WaitingSignInView, views::user::ListView};
use posthouse_app::sign_in_with::approvals;
use posthouse_call::prelude::*;
use posthouse_domain::Role;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::session(Method::Get, "/platform/waiting-sign-ins", "listWaitingSignIns", Role::Member)
            .summary("Lists up to 50 pending sign-ins that name an agent of the workspace, newest first.")
            .responds::<ListView<WaitingSignInView>>(200)
            .handle(list),
    ]
}

async fn list(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    let waiting = approvals::of_workspace(&service, input.caller).await?;
    let data = waiting.iter().map(|(one, agent)| WaitingSignInView::of(agent, &one.request, &one.client)).collect();
    Outcome::json(200, &ListView { data })
}
