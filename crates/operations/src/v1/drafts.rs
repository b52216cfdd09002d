//! `/v1/drafts`: the drafts of every inbox.

use posthouse_api::views::draft::DraftView;
use posthouse_call::prelude::*;
use uuid::Uuid;

use super::inboxes::drafts::{InboxDraftsQuery, page};

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::new(Method::Get, "/v1/drafts", "listDrafts", Permission::DraftsRead)
            .summary("Lists the drafts of every inbox the key can access, newest first.")
            .responds::<PageView<DraftView<'_>>>(200)
            .errors(&[ErrorCode::InvalidCursor, ErrorCode::NotFound])
            .handle(list),
    ]
}

query! {
    /// Filters and page of a list of drafts.
    struct DraftsQuery {
        /// Only drafts of this inbox.
        inbox_id: Option<Uuid>,
    }
    with list: InboxDraftsQuery;
}

async fn list(service: Arc<Service>, input: Input<DraftsQuery>) -> Result<Outcome, Refusal> {
    let inbox = input.caller.scope().narrow(input.query.inbox_id.map(InboxId))?;
    page(&service, input.caller, inbox, input.query.list).await
}
