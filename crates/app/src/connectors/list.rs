//! The connectors of a workspace, as people manage them.

use posthouse_domain::{
    Caller, ConnectorEnd, ConnectorId, CursorPosition, ErrorCode, GrantedConnector, Page, PageParameters, Refusal, Role,
};
use posthouse_store::{Tx, connectors};

use crate::access::connectors::{ConnectorEnding, load};
use crate::{people::sessions, service::Service};

/// Returns a page of the connectors of the workspace, newest first.
///
/// # Errors
/// Returns `invalid_cursor`.
pub async fn page(service: &Service, caller: Caller, page: PageParameters) -> Result<Page<GrantedConnector>, Refusal> {
    let list = page.of_list(format!("connectors of {}", caller.workspace))?;
    let range = list.page();
    let read = move |tx: &mut Tx| -> Result<Vec<GrantedConnector>, Refusal> {
        let rows = connectors::page(tx, caller.workspace, &range)?;
        let mut all = Vec::with_capacity(rows.len());
        for connector in rows {
            all.push(load(tx, connector)?);
        }
        Ok(all)
    };
    let found = service.read(caller.workspace, read).await?;
    let position = |last: &GrantedConnector| CursorPosition::of(last.connector.created_at, last.connector.id.0);
    Ok(list.page_of(found, position))
}

/// Revokes a connector, and ends its streams.
///
/// # Errors
/// Returns `not_found` if the workspace has no such connector or `forbidden` if a member revokes that of another person.
pub async fn revoke(service: &Service, caller: Caller, id: ConnectorId) -> Result<(), Refusal> {
    let person = sessions::user(&caller)?;
    let ending = ConnectorEnding { reason: ConnectorEnd::Revoked, ids: service.clock.ids(), now: service.clock.now() };
    let work = move |tx: &mut Tx| {
        let connector = connectors::lock(tx, caller.workspace, id)?.ok_or_else(|| Refusal::not_found("connector"))?;
        if connector.user != person.user && person.role != Role::Owner {
            return Err(Refusal::new(ErrorCode::Forbidden, "Only owners revoke connectors of other people.")
                .with_fix("Ask an owner, or the person who approved it."));
        }
        Ok::<_, Refusal>(ending.clone().end(tx, connector)?)
    };
    service.write(work).await
}
