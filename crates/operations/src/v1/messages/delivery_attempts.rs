//! `GET /v1/messages/{id}/delivery-attempts`: what each recipient's server answered to each attempt.

use posthouse_api::views::delivery::DeliveryAttemptView;
use posthouse_app::access::visible;
use posthouse_call::prelude::*;
use posthouse_domain::{CursorPosition, KeptAttempt, MessageId};
use posthouse_store::{Tx, delivery_attempts};
use uuid::Uuid;

pub(crate) fn operations() -> Vec<Operation> {
    vec![
        Operation::new(
            Method::Get,
            "/v1/messages/{id}/delivery-attempts",
            "listDeliveryAttempts",
            Permission::MessagesRead,
        )
        .summary(
            "Lists the delivery attempts of a sent message, recipient by recipient, newest first. The newest 50 of \
                 each recipient are kept.",
        )
        .responds::<PageView<DeliveryAttemptView<'_>>>(200)
        .errors(&[ErrorCode::InvalidCursor, ErrorCode::NotFound])
        .handle(list),
    ]
}

query! {
    /// Page of a list.
    struct AttemptsQuery {
        /// The `next_cursor` of the previous page.
        cursor: Option<Cursor>,
        /// Maximum number of attempts per page. Default: 25.
        limit: Option<Limit>,
    }
}

async fn list(service: Arc<Service>, input: Input<AttemptsQuery>) -> Result<Outcome, Refusal> {
    let id: MessageId = input.path.id("id", "message")?;
    let caller = input.caller;
    let paging = paging(format!("delivery attempts {id}"), input.query.cursor.as_ref(), input.query.limit)?;
    let range = paging.page();
    let work = move |tx: &mut Tx| {
        visible::message(tx, &caller, id)?;
        Ok::<_, Refusal>(delivery_attempts::page(tx, caller.workspace, id, range)?)
    };
    let found = service.read(caller.workspace, work).await?;
    let position = |last: &KeptAttempt| CursorPosition {
        sort: i64::from(last.position),
        id: Uuid::from_u128(u128::from(last.attempt)),
    };
    Outcome::page(&service, &paging.page_of(found, position), DeliveryAttemptView::of)
}
