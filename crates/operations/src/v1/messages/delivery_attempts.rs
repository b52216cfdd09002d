//! `GET /v1/messages/{id}/delivery-attempts`: what each recipient's server answered to each attempt.

use posthouse_api::views::delivery::DeliveryAttemptView;
use posthouse_app::messages::read;
use posthouse_call::prelude::*;
use posthouse_domain::MessageId;

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
        limit: Limit,
    }
}

async fn list(service: Arc<Service>, input: Input<AttemptsQuery>) -> Result<Outcome, Refusal> {
    let id: MessageId = input.path.id("id", "message")?;
    let page = paging(input.query.cursor, input.query.limit);
    let attempts = read::delivery_attempts(&service, input.caller, id, page).await?;
    Outcome::page(&service, &attempts, DeliveryAttemptView::of)
}
