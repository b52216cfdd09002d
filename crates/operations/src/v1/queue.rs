//! `/v1/queue`: work queues for people.

use posthouse_api::views::queue::{QueueItemView, QueueView};
use posthouse_api::views::user::ListView;
use posthouse_app::messages::queue_items::{self, ListedItem, QueueItems};
use posthouse_call::prelude::*;
use uuid::Uuid;

pub(crate) fn operations() -> Vec<Operation> {
    vec![
        Operation::new(Method::Get, "/v1/queue", "listQueues", Permission::MessagesRead)
            .summary("Returns the counts of every work queue that the key can access, without pages.")
            .responds::<ListView<QueueView>>(200)
            .errors(&[ErrorCode::NotFound])
            .handle(states),
        Operation::new(Method::Get, "/v1/queue/items", "listQueueItems", Permission::MessagesRead)
            .summary("Lists the messages in flight, or the dead letters, of every queue that the key can access.")
            .responds::<PageView<QueueItemView<'_>>>(200)
            .errors(&[ErrorCode::InvalidCursor, ErrorCode::NotFound])
            .handle(list),
    ]
}

choice! {
    /// Which messages of the queues.
    enum ItemState {
        /// Those under a lease.
        InFlight = "in_flight",
        /// Dead letters.
        DeadLetter = "dead_letter",
    }
}

query! {
    /// Which queues.
    struct QueuesQuery {
        /// Only the queue of this inbox.
        inbox_id: Option<Uuid>,
    }
}

query! {
    /// Filters and page of the messages in queues.
    struct ItemsQuery {
        /// Which messages. Default: `in_flight`.
        state: Option<ItemState>,
        /// Only the queue of this inbox.
        inbox_id: Option<Uuid>,
        /// The `next_cursor` of the previous page.
        cursor: Option<Cursor>,
        /// Maximum number of messages per page. Default: 25.
        limit: Limit,
    }
}

async fn states(service: Arc<Service>, input: Input<QueuesQuery>) -> Result<Outcome, Refusal> {
    let found = queue_items::states(&service, input.caller, input.query.inbox_id.map(InboxId)).await?;
    Outcome::json(200, &ListView { data: found.iter().map(QueueView::of).collect() })
}

async fn list(service: Arc<Service>, input: Input<ItemsQuery>) -> Result<Outcome, Refusal> {
    let ItemsQuery { state, inbox_id, cursor, limit } = input.query;
    let which = match state {
        None | Some(ItemState::InFlight) => QueueItems::InFlight,
        Some(ItemState::DeadLetter) => QueueItems::Dead,
    };
    let inbox = inbox_id.map(InboxId);
    let items = queue_items::page(&service, input.caller, inbox, which, paging(cursor, limit)).await?;
    Outcome::page(&service, &items, |item: &ListedItem| {
        QueueItemView::of(&item.entry, &item.from, item.subject.as_deref())
    })
}
