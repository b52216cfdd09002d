//! `/v1/suppressions`: addresses the workspace does not send to.

use posthouse_api::{views::suppression::SuppressionView, wire::AddressText};
use posthouse_app::contacts::suppressions::{self, SuppressionFilter};
use posthouse_call::prelude::*;
use posthouse_domain::{SuppressionReason, list::searched_text};

pub(crate) fn operations() -> Vec<Operation> {
    use Permission::{ContactsRead, ContactsWrite};
    vec![
        Operation::new(Method::Get, "/v1/suppressions", "listSuppressions", ContactsRead)
            .summary("Lists suppressed addresses, newest first.")
            .responds::<PageView<SuppressionView<'_>>>(200)
            .errors(&[ErrorCode::InvalidCursor])
            .handle(list),
        Operation::new(Method::Post, "/v1/suppressions", "createSuppression", ContactsWrite)
            .workspace_wide()
            .repeatable()
            .summary("Suppresses an address. An existing suppression keeps its reason and is returned with 200.")
            .responds::<SuppressionView<'_>>(201)
            .responds::<SuppressionView<'_>>(200)
            .handle(create),
        Operation::new(Method::Delete, "/v1/suppressions/{address}", "deleteSuppression", ContactsWrite)
            .workspace_wide()
            .summary("Deletes the suppression of an address, so that the workspace can send to it again.")
            .responds_with(204, None)
            .errors(&[ErrorCode::NotFound])
            .handle(delete),
    ]
}

choice! {
    /// Why an address is suppressed.
    enum ReasonChoice {
        /// Its server refused mail permanently.
        Bounce = "bounce",
        /// Its owner marked a message as spam.
        Complaint = "complaint",
        /// Added by a request.
        Manual = "manual",
    }
}

query! {
    /// Filters and page of a list of suppressions.
    struct SuppressionListQuery {
        /// Part of the address.
        q: Option<BoundedLine<1, 200>>,
        /// Only suppressions with this reason.
        reason: Option<ReasonChoice>,
        /// The `next_cursor` of the previous page.
        cursor: Option<Cursor>,
        /// Maximum number of suppressions per page. Default: 25.
        limit: Limit,
    }
}

object! {
    /// An address to suppress.
    struct CreateSuppressionBody {
        /// The address, without a name.
        address: AddressText,
    }
}

async fn list(service: Arc<Service>, input: Input<SuppressionListQuery>) -> Result<Outcome, Refusal> {
    let SuppressionListQuery { q, reason, cursor, limit } = input.query;
    let filter = SuppressionFilter {
        q: q.as_ref().map(|q| searched_text(&q.0)),
        reason: reason.and_then(|reason| SuppressionReason::parse(reason.text())),
    };
    let page = suppressions::page(&service, input.caller, filter, paging(cursor, limit)).await?;
    Outcome::page(&service, &page, SuppressionView::of)
}

async fn create(service: Arc<Service>, input: Input<EmptyInput, CreateSuppressionBody>) -> Result<Outcome, Refusal> {
    let made = suppressions::add(&service, input.caller, &input.body.address.0).await?;
    Outcome::json(if made.is_new { 201 } else { 200 }, &SuppressionView::of(&made.suppression))
}

async fn delete(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    suppressions::remove(&service, input.caller, input.path.text("address")).await?;
    Ok(Outcome::empty())
}
