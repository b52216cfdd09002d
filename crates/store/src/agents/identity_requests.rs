//! Sign-ins in a browser. A row is found by digests of the secrets that the browser and the app have.

pub use posthouse_domain::RequestDecision;
use posthouse_domain::{IdentityRequest, IdentityRequestId, InboxId, Time, WorkspaceId};

use crate::{Result, Tx, message_list::InboxRef, statements};

statements! {
    /// Stores a sign-in.
    pub fn insert(
        request: row &IdentityRequest,
        digests: &RequestDigests { secret_sha256: digests.secret, code_sha256: digests.code };
        kept_until = request.expires_at,
    ) = "{insert identity_requests}";
    fn count_of_app(app: &str, now: Time) -> u64 =
        "SELECT count(*) FROM identity_requests WHERE client_id = :app AND expires_at > :now AND status = 'pending'";
    fn count_of_app_and_network(app: &str, network: &str, now: Time) -> u64 =
        "SELECT count(*) FROM identity_requests WHERE client_id = :app AND network = :network AND expires_at > :now AND status = 'pending'";
    fn count_of_agent(agent: InboxId, now: Time) -> u64 =
        "SELECT count(*) FROM identity_requests WHERE hinted_id = :agent AND expires_at > :now AND status = 'pending'";
    fn count_of_agent_and_network(agent: InboxId, network: &str, now: Time) -> u64 =
        "SELECT count(*) FROM identity_requests WHERE hinted_id = :agent AND network = :network AND expires_at > :now AND status = 'pending'";
    fn largest_of_app(app: &str, now: Time) -> Option<LargestWaiting> =
        "SELECT network, count(*) AS sign_ins FROM identity_requests WHERE client_id = :app AND expires_at > :now
    AND status = 'pending' GROUP BY network ORDER BY count(*) DESC, network LIMIT 1";
    fn largest_of_agent(agent: InboxId, now: Time) -> Option<LargestWaiting> =
        "SELECT network, count(*) AS sign_ins FROM identity_requests WHERE hinted_id = :agent AND expires_at > :now
    AND status = 'pending' GROUP BY network ORDER BY count(*) DESC, network LIMIT 1";
    fn end_oldest_of_app(app: &str, network: &str, now: Time) =
        "DELETE FROM identity_requests WHERE id IN (SELECT id FROM identity_requests WHERE client_id = :app
    AND network = :network AND expires_at > :now AND status = 'pending' ORDER BY expires_at, id LIMIT 1)";
    fn end_oldest_of_agent(agent: InboxId, network: &str, now: Time) =
        "DELETE FROM identity_requests WHERE id IN (SELECT id FROM identity_requests WHERE hinted_id = :agent
    AND network = :network AND expires_at > :now AND status = 'pending' ORDER BY expires_at, id LIMIT 1)";
    /// Returns the sign-in of a waiting page.
    pub fn by_secret(sha256: &[u8; 32], now: Time) -> Option<IdentityRequest> =
        "SELECT {identity_requests} FROM identity_requests WHERE secret_sha256 = :sha256 AND expires_at > :now";
    /// Returns the sign-in of an authorization code, used or not, and locks its row until the end of the transaction.
    pub fn lock_by_code(sha256: &[u8; 32], now: Time) -> Option<IdentityRequest> =
        "SELECT {identity_requests} FROM identity_requests WHERE code_sha256 = :sha256 AND kept_until > :now {FOR_UPDATE}";
    /// Returns the waiting sign-in with the code that its page shows.
    pub fn pending_by_user_code(code: &str, now: Time) -> Option<IdentityRequest> =
        "SELECT {identity_requests} FROM identity_requests WHERE user_code = :code AND expires_at > :now AND status = 'pending'";
    /// Returns the waiting sign-in with the code that its page shows, and locks its row until the end of the transaction.
    pub fn lock_by_user_code(code: &str, now: Time) -> Option<IdentityRequest> =
        "SELECT {identity_requests} FROM identity_requests WHERE user_code = :code AND expires_at > :now AND status = 'pending' {FOR_UPDATE}";
    /// Returns the waiting sign-ins that name an agent, newest first.
    pub fn pending_of(inbox: InboxId, now: Time, limit: u32) -> Vec<IdentityRequest> =
        "SELECT {identity_requests} FROM identity_requests WHERE hinted_id = :inbox AND expires_at > :now AND status = 'pending' ORDER BY created_at DESC, id DESC LIMIT :limit";
    /// Returns the waiting sign-ins that name an agent of a workspace, newest first.
    pub fn pending_of_workspace(workspace: WorkspaceId, now: Time, limit: u32) -> Vec<IdentityRequest> =
        "SELECT {identity_requests} FROM identity_requests WHERE id IN (SELECT r.id FROM inboxes i CROSS JOIN {pg:LATERAL (SELECT * FROM} identity_requests r {lite:ON}{pg:WHERE}
        r.hinted_id = i.id AND r.expires_at > :now {pg:OFFSET 0) r} WHERE i.workspace_id = :workspace AND i.deleted_at IS NULL AND r.status = 'pending'
        ORDER BY r.created_at DESC, r.id DESC LIMIT :limit) ORDER BY created_at DESC, id DESC";
    /// Records the decision about a waiting sign-in whose row is locked.
    pub fn decide(id: IdentityRequestId, decision: &RequestDecision { status, workspace, inbox }, now: Time) =
        "UPDATE identity_requests SET status = :status, workspace_id = :workspace, inbox_id = :inbox, approved_at = :now WHERE id = :id";
    /// Records that the browser got the authorization code, once; later calls change nothing.
    pub fn deliver(id: IdentityRequestId, code_expires_at: Time) =
        "UPDATE identity_requests SET code_expires_at = :code_expires_at, kept_until = {GREATEST}(kept_until, :code_expires_at)
        WHERE id = :id AND code_expires_at IS NULL";
    /// Uses an authorization code up; returns `false` if it was used before.
    pub fn set_used(id: IdentityRequestId, now: Time, kept_until: Time) -> bool =
        "UPDATE identity_requests SET used_at = :now, kept_until = :kept_until WHERE id = :id AND used_at IS NULL";
    /// Deletes the sign-ins of an app.
    pub fn delete_of_client(client_id: &str) = "DELETE FROM identity_requests WHERE client_id = :client_id";
    /// Deletes the sign-ins that an agent decided.
    pub fn delete_of_inbox(inbox: InboxRef { workspace, inbox }) =
        "DELETE FROM identity_requests WHERE workspace_id = :workspace AND inbox_id = :inbox";
    /// Deletes up to `limit` sign-ins that aren't needed any more; returns how many.
    pub fn prune(now: Time, limit: u32) -> u64 =
        "DELETE FROM identity_requests WHERE id IN (SELECT id FROM identity_requests WHERE kept_until <= :now LIMIT :limit)";
}

/// SHA-256 of the secrets of a sign-in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RequestDigests {
    /// Of the secret in the address of the waiting page.
    pub secret: [u8; 32],
    /// Of the authorization code.
    pub code: [u8; 32],
}

/// The app or the agent whose waiting sign-ins are counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WaitingOf<'a> {
    /// An app, by its public id.
    App(&'a str),
    /// An agent that apps named.
    Agent(InboxId),
}

crate::row_struct!(
    /// The client address with the most waiting sign-ins.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub LargestWaiting {
        /// The network that counts as one client address.
        network: String,
        /// The number of its sign-ins.
        sign_ins: u64,
    }
);

/// Returns the number of sign-ins that wait, of all client addresses or of one.
pub fn count_pending(tx: &mut Tx, of: WaitingOf<'_>, network: Option<&str>, now: Time) -> Result<u64> {
    match (of, network) {
        (WaitingOf::App(app), None) => count_of_app(tx, app, now),
        (WaitingOf::App(app), Some(network)) => count_of_app_and_network(tx, app, network, now),
        (WaitingOf::Agent(agent), None) => count_of_agent(tx, agent, now),
        (WaitingOf::Agent(agent), Some(network)) => count_of_agent_and_network(tx, agent, network, now),
    }
}

/// Returns the client address with the most sign-ins that wait.
pub fn largest_pending(tx: &mut Tx, of: WaitingOf<'_>, now: Time) -> Result<Option<LargestWaiting>> {
    match of {
        WaitingOf::App(app) => largest_of_app(tx, app, now),
        WaitingOf::Agent(agent) => largest_of_agent(tx, agent, now),
    }
}

/// Ends the oldest sign-in of a client address that waits.
pub fn end_oldest(tx: &mut Tx, of: WaitingOf<'_>, network: &str, now: Time) -> Result<()> {
    match of {
        WaitingOf::App(app) => end_oldest_of_app(tx, app, network, now),
        WaitingOf::Agent(agent) => end_oldest_of_agent(tx, agent, network, now),
    }
}
