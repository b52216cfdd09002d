//! `/v1/held-messages`: received mail that waits for a release.

use posthouse_api::views::message::MessageView;
use posthouse_app::messages::read::{self, HeldListRequest};
use posthouse_call::prelude::*;
use posthouse_domain::{OptIns, RecordView};
use uuid::Uuid;

use super::{fields::detail, render_messages};

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::new(Method::Get, "/v1/held-messages", "listHeldMessages", Permission::MessagesRead)
            .summary("Lists the held messages of every inbox the key can access, newest first.")
            .responds::<PageView<MessageView<'_>>>(200)
            .errors(&[ErrorCode::InvalidCursor, ErrorCode::NotFound])
            .handle(list),
    ]
}

query! {
    /// Filters and page of the held messages.
    struct HeldQuery {
        /// Only messages of this inbox.
        inbox_id: Option<Uuid>,
        /// Whether to include the content. Requires `messages:release`.
        include_held: bool,
        /// How much of each message the list shows: `summary` leaves out bodies, header fields and data. Default: full.
        view: Option<RecordView>,
        /// The `next_cursor` of the previous page.
        cursor: Option<Cursor>,
        /// Maximum number of messages per page. Default: 25.
        limit: Limit,
    }
}

async fn list(service: Arc<Service>, input: Input<HeldQuery>) -> Result<Outcome, Refusal> {
    let HeldQuery { inbox_id, include_held, view, cursor, limit } = input.query;
    let (inbox, page) = (inbox_id.map(InboxId), paging(cursor, limit));
    let request =
        HeldListRequest { inbox, detail: detail(view, OptIns { unscreened: include_held, held: include_held }), page };
    let rendered = read::held(&service, input.caller, request, render_messages(&service)).await?;
    Ok(Outcome::rendered_json(200, rendered.into_json()))
}
