//! The end of a connector's access, wherever the reason for it arises: by a person, by its client, with the membership, with
//! the last inbox, or because a token was used twice.

use posthouse_api::views::{connector::ConnectorView, event::data};
use posthouse_domain::{
    Actor, Connector, ConnectorEnd, ConnectorId, ConnectorReach, EventKind, GrantedConnector, IdGenerator, NewEvent,
    Time, UserId, WorkspaceId,
};
use posthouse_store::{Result as StoreResult, Tx, connectors, events, users};

/// Returns a connector with its inboxes and its person.
pub fn load(tx: &mut Tx, connector: Connector) -> StoreResult<GrantedConnector> {
    let inboxes = match connector.reach {
        ConnectorReach::Inboxes => connectors::inboxes(tx, connector.workspace, connector.id)?,
        ConnectorReach::Org | ConnectorReach::Workspace => Vec::new(),
    };
    let person = users::get(tx, connector.user)?;
    let approved_by = Actor::user(connector.user, person.map(|person| person.email).unwrap_or_default());
    Ok(GrantedConnector { connector, inboxes, approved_by })
}

/// What ends connectors, for transactions.
#[derive(Clone, Debug)]
pub struct ConnectorEnding {
    /// Why.
    pub reason: ConnectorEnd,
    /// The ids of events.
    pub ids: IdGenerator,
    pub now: Time,
}

impl ConnectorEnding {
    /// Ends the access of a connector: deletes it with its tokens, and appends `connector.revoked`. Does nothing if it has
    /// ended.
    pub fn end(&self, tx: &mut Tx, connector: Connector) -> StoreResult<()> {
        let granted = load(tx, connector)?;
        self.end_granted(tx, &granted)
    }

    fn end_granted(&self, tx: &mut Tx, granted: &GrantedConnector) -> StoreResult<()> {
        let Connector { workspace, id, .. } = granted.connector;
        if !connectors::delete(tx, workspace, id)? {
            return Ok(());
        }
        let detail = data::ConnectorRevoked { connector: ConnectorView::of(granted), reason: self.reason.text() };
        let event = NewEvent::new(EventKind::ConnectorRevoked, workspace, self.ids.next(), self.now);
        events::append(tx, &event.with_detail(data::text(&detail)))
    }

    /// Ends the connectors that a person approved.
    pub fn end_of_member(&self, tx: &mut Tx, workspace: WorkspaceId, user: UserId) -> StoreResult<()> {
        for id in connectors::of_user(tx, workspace, user)? {
            if let Some(connector) = connectors::lock(tx, workspace, id)? {
                self.end(tx, connector)?;
            }
        }
        Ok(())
    }

    /// Ends those of some connectors that have no inbox left. `before` has them as they were.
    pub fn end_without_inbox(&self, tx: &mut Tx, before: &[GrantedConnector]) -> StoreResult<()> {
        for granted in before {
            let Connector { workspace, id, .. } = granted.connector;
            if connectors::inboxes(tx, workspace, id)?.is_empty() {
                self.end_granted(tx, granted)?;
            }
        }
        Ok(())
    }
}

/// Returns the connectors of a list as they are.
pub fn load_all(tx: &mut Tx, workspace: WorkspaceId, ids: &[ConnectorId]) -> StoreResult<Vec<GrantedConnector>> {
    let mut all = Vec::with_capacity(ids.len());
    for id in ids {
        if let Some(connector) = connectors::lock(tx, workspace, *id)? {
            all.push(load(tx, connector)?);
        }
    }
    Ok(all)
}
