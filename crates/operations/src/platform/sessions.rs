//! `/platform/sessions`.

use posthouse_api::views::user::{ListView, SessionView};
use posthouse_app::people::sessions;
use posthouse_call::prelude::*;
use posthouse_domain::Role;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::session(Method::Get, "/platform/sessions", "listSessions", Role::Member)
            .summary("Lists the person's sessions in this workspace, most recently used first, without pages.")
            .responds::<ListView<SessionView<'_>>>(200)
            .handle(list),
        Operation::session(Method::Delete, "/platform/sessions/{id}", "endSession", Role::Member)
            .summary("Ends one of the person's sessions, and its streams.")
            .responds_with(204, None)
            .errors(&[ErrorCode::NotFound])
            .handle(end),
    ]
}

async fn list(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    let current = sessions::user(&input.caller)?.session;
    let all = sessions::list(&service, input.caller).await?;
    let data = all.iter().map(|session| SessionView::of(session, current)).collect();
    Outcome::json(200, &ListView { data })
}

async fn end(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    sessions::end(&service, input.caller, input.path.id("id", "session")?).await?;
    Ok(Outcome::empty())
}
