//! `/v1/held-messages`: received mail that waits for a release, or for its screening.

use posthouse_api::views::message::MessageView;
use posthouse_app::messages::read::{self, HeldListRequest};
use posthouse_call::prelude::*;
use posthouse_domain::{OptIns, RecordView};
use uuid::Uuid;

use super::{fields::detail, render_messages};

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::new(Method::Get, "/v1/held-messages", "listHeldMessages", Permission::MessagesRead)
            .summary("Lists the held and the pending messages of every inbox the key can access, newest first.")
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
        /// Whether to include the content of mail that is not screened yet.
        include_unscreened: bool,
        /// Whether to include the content of held mail. Requires `messages:release`.
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
    let HeldQuery { inbox_id, include_unscreened, include_held, view, cursor, limit } = input.query;
    let (inbox, page) = (inbox_id.map(InboxId), paging(cursor, limit));
    let opt_ins = OptIns { unscreened: include_unscreened, held: include_held };
    let request = HeldListRequest { inbox, detail: detail(view, opt_ins), page };
    let rendered = read::held(&service, input.caller, request, render_messages(&service)).await?;
    Ok(Outcome::rendered_json(200, rendered.into_json()))
}
