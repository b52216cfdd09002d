//! Sample connectors for the examples of the event catalog.

use posthouse_domain::{
    Actor, ClientKind, Connector, ConnectorEnd, ConnectorPreset, ConnectorReach, GrantedConnector, connector::IDLE_MS,
    event::EventKind, id::InboxId, time::Time,
};

use super::{NOW_MS, data, id};
use crate::views::connector::ConnectorView;

/// Returns the stored detail of an example event.
pub(super) fn detail(kind: EventKind) -> String {
    let connector = ConnectorView::of(&connector());
    match kind {
        EventKind::ConnectorAuthorized => data::text(&data::ConnectorAuthorized { connector }),
        _ => data::text(&data::ConnectorRevoked { connector, reason: ConnectorEnd::Revoked.text() }),
    }
}

fn connector() -> GrantedConnector {
    let now = Time::from_millis(NOW_MS);
    GrantedConnector {
        connector: Connector {
            workspace: id(1),
            id: id(10),
            client_id: "https://assistant.example/oauth/client.json".to_owned(),
            client_kind: ClientKind::Document,
            client_name: "Assistant".to_owned(),
            client_uri: Some("https://assistant.example".to_owned()),
            redirect_uri: "https://assistant.example/oauth/callback".to_owned(),
            user: id(11),
            reach: ConnectorReach::Inboxes,
            permissions: ConnectorPreset::Reply.grants(),
            created_at: now,
            last_used_at: None,
            expires_at: now.plus_ms(IDLE_MS),
        },
        inboxes: vec![id::<InboxId>(3)],
        approved_by: Actor::user(id(11), "dana@example.com".to_owned()),
    }
}
