//! `/v1/suppressions`: addresses the workspace does not send to.

use posthouse_api::{views::suppression::SuppressionView, wire::AddressText};
use posthouse_app::contacts::suppressions;
use posthouse_call::prelude::*;
use posthouse_domain::{NamedCursorPosition, Page, PageRequest, Suppression, SuppressionReason, list::searched_text};
use posthouse_store::{Tx, suppressions as stored, suppressions::SuppressionFilter};

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
        limit: Option<Limit>,
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
    let (caller, query) = (input.caller, input.query);
    let page = service.read(caller.workspace, move |tx| read_page(tx, &caller, &query)).await?;
    Outcome::page(&service, &page, SuppressionView::of)
}

fn read_page(tx: &mut Tx, caller: &Caller, query: &SuppressionListQuery) -> Result<Page<Suppression>, Refusal> {
    let filter = SuppressionFilter {
        q: query.q.as_ref().map(|q| searched_text(&q.0)),
        reason: query.reason.and_then(|reason| SuppressionReason::parse(reason.text())),
    };
    let named = format!("suppressions of {}: {filter:?}", caller.workspace);
    let paging: PageRequest<NamedCursorPosition> = paging(named, query.cursor.as_ref(), query.limit)?;
    let found = stored::page(tx, caller.workspace, &filter, paging.after.as_ref(), paging.rows_to_fetch())?;
    Ok(paging.page_of(found, |s| NamedCursorPosition { sort: s.created_at.millis(), name: s.address.clone() }))
}

async fn create(service: Arc<Service>, input: Input<EmptyInput, CreateSuppressionBody>) -> Result<Outcome, Refusal> {
    let made = suppressions::add(&service, input.caller, &input.body.address.0).await?;
    Outcome::json(if made.is_new { 201 } else { 200 }, &SuppressionView::of(&made.suppression))
}

async fn delete(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    suppressions::remove(&service, input.caller, input.path.text("address")).await?;
    Ok(Outcome::empty())
}
