//! `/platform/connectors`: programs that a person allowed to act in the workspace.

use posthouse_api::views::connector::ConnectorView;
use posthouse_app::connectors::list;
use posthouse_call::prelude::*;
use posthouse_domain::Role;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::session(Method::Get, "/platform/connectors", "listConnectors", Role::Member)
            .summary("Lists the connectors, newest first.")
            .responds::<PageView<ConnectorView>>(200)
            .errors(&[ErrorCode::InvalidCursor])
            .handle(list),
        Operation::session(Method::Delete, "/platform/connectors/{id}", "revokeConnector", Role::Member)
            .summary("Revokes a connector, and ends its tokens and streams. Only owners revoke those of other people.")
            .responds_with(204, None)
            .errors(&[ErrorCode::Forbidden, ErrorCode::NotFound])
            .handle(revoke),
    ]
}

query! {
    /// Page of a list of connectors.
    struct ConnectorListQuery {
        /// The `next_cursor` of the previous page.
        cursor: Option<Cursor>,
        /// Maximum number of connectors per page. Default: 25.
        limit: Limit,
    }
}

async fn list(service: Arc<Service>, input: Input<ConnectorListQuery>) -> Result<Outcome, Refusal> {
    let page = list::page(&service, input.caller, paging(input.query.cursor, input.query.limit)).await?;
    Outcome::page(&service, &page, ConnectorView::of)
}

async fn revoke(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    list::revoke(&service, input.caller, input.path.id("id", "connector")?).await?;
    Ok(Outcome::empty())
}
