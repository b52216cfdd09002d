//! OAuth clients of connectors: fetched metadata documents, and clients that registered themselves.

use posthouse_domain::connector::REGISTERED_CLIENTS_MAX;
use posthouse_domain::{ClientKind, ConnectorClient, Time};

use crate::{Result, Tx, statements};

statements! {
    fn insert_row(client: row &ConnectorClient) =
        "{insert connector_clients} ON CONFLICT (client_id) DO UPDATE SET name = excluded.name, uri = excluded.uri,
        redirect_uris = excluded.redirect_uris, created_at = excluded.created_at, expires_at = excluded.expires_at";
    /// Returns the client with an id, expired or not.
    pub fn get(client_id: &str) -> Option<ConnectorClient> =
        "SELECT {connector_clients} FROM connector_clients WHERE client_id = :client_id";
    /// Keeps a registered client that was used until at least this time.
    pub fn keep(client_id: &str, expires_at: Time; kind = ClientKind::Registered) =
        "UPDATE connector_clients SET expires_at = :expires_at WHERE client_id = :client_id AND kind = :kind AND expires_at < :expires_at";
    fn count_registered(most: u64; kind = ClientKind::Registered) -> u64 =
        "SELECT count(*) FROM (SELECT 1 FROM connector_clients WHERE kind = :kind LIMIT :most) s";
    fn delete_first_expiring(; kind = ClientKind::Registered) =
        "DELETE FROM connector_clients WHERE client_id IN
        (SELECT client_id FROM connector_clients WHERE kind = :kind ORDER BY expires_at LIMIT 1)";
    fn prune_kind(kind: ClientKind, now: Time, limit: u32) -> u64 =
        "DELETE FROM connector_clients WHERE client_id IN
        (SELECT client_id FROM connector_clients WHERE kind = :kind AND expires_at <= :now LIMIT :limit)";
}

/// Stores a client, in place of an earlier version. If there are too many registered clients, the one that expires first
/// makes room: it is one that nobody approved.
pub fn store(tx: &mut Tx, client: &ConnectorClient) -> Result<()> {
    if client.kind == ClientKind::Registered && count_registered(tx, REGISTERED_CLIENTS_MAX)? >= REGISTERED_CLIENTS_MAX
    {
        delete_first_expiring(tx)?;
    }
    insert_row(tx, client)
}

/// Deletes up to `limit` expired clients of each kind; returns how many.
pub fn prune(tx: &mut Tx, now: Time, limit: u32) -> Result<u64> {
    Ok(prune_kind(tx, ClientKind::Document, now, limit)? + prune_kind(tx, ClientKind::Registered, now, limit)?)
}
