//! `/v1/inboxes/{id}/threads`.

use posthouse_api::views::thread::ThreadView;
use posthouse_call::prelude::*;

use crate::v1::threads::{InboxThreadsQuery, page};

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::new(Method::Get, "/v1/inboxes/{id}/threads", "listInboxThreads", Permission::MessagesRead)
            .summary("Lists the threads of an inbox, most recent activity first.")
            .responds::<PageView<ThreadView<'_>>>(200)
            .errors(&[ErrorCode::InvalidCursor, ErrorCode::NotFound])
            .handle(list),
    ]
}

async fn list(service: Arc<Service>, input: Input<InboxThreadsQuery>) -> Result<Outcome, Refusal> {
    let inbox: InboxId = input.path.id("id", "inbox")?;
    page(&service, input.caller, Some(inbox), input.query).await
}
