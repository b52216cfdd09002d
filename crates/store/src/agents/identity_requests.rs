//! Sign-ins in a browser. A row is found by digests of the secrets that the browser and the app have.

use posthouse_domain::{
    id::{IdentityRequestId, InboxId, WorkspaceId},
    identity::{IdentityRequest, IdentityRequestState},
    time::Time,
};

use crate::{Result, Tx, message_list::InboxRef, p, statements};

/// Builds a statement that reads sign-ins.
macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT id, user_code, client_id, redirect_uri, scope, state, nonce, code_challenge, hinted_id, status, workspace_id, inbox_id, ",
            "approved_at, code_expires_at, used_at, ip, network, user_agent, created_at, expires_at FROM identity_requests ",
            $rest
        )
    };
}

statements! {
    INSERT = "INSERT INTO identity_requests (id, secret_sha256, code_sha256, user_code, client_id, redirect_uri, scope, state, nonce,
        code_challenge, hinted_id, status, workspace_id, inbox_id, approved_at, code_expires_at, ip, network, user_agent, created_at,
        expires_at, kept_until)
        VALUES ({PARAMETERS})";
    COUNT_OF_APP = "SELECT count(*) FROM identity_requests WHERE client_id = $1 AND expires_at > $2 AND status = 'pending'";
    COUNT_OF_APP_AND_NETWORK = "SELECT count(*) FROM identity_requests WHERE client_id = $1 AND network = $3 AND expires_at > $2
        AND status = 'pending'";
    COUNT_OF_AGENT = "SELECT count(*) FROM identity_requests WHERE hinted_id = $1 AND expires_at > $2 AND status = 'pending'";
    COUNT_OF_AGENT_AND_NETWORK = "SELECT count(*) FROM identity_requests WHERE hinted_id = $1 AND expires_at > $2 AND network = $3
        AND status = 'pending'";
    LARGEST_OF_APP = "SELECT network, count(*) AS sign_ins FROM identity_requests WHERE client_id = $1 AND expires_at > $2
        AND status = 'pending' GROUP BY network ORDER BY count(*) DESC, network LIMIT 1";
    LARGEST_OF_AGENT = "SELECT network, count(*) AS sign_ins FROM identity_requests WHERE hinted_id = $1 AND expires_at > $2
        AND status = 'pending' GROUP BY network ORDER BY count(*) DESC, network LIMIT 1";
    END_OLDEST_OF_APP = "DELETE FROM identity_requests WHERE id IN (SELECT id FROM identity_requests WHERE client_id = $1
        AND network = $3 AND expires_at > $2 AND status = 'pending' ORDER BY expires_at, id LIMIT 1)";
    END_OLDEST_OF_AGENT = "DELETE FROM identity_requests WHERE id IN (SELECT id FROM identity_requests WHERE hinted_id = $1
        AND expires_at > $2 AND network = $3 AND status = 'pending' ORDER BY expires_at, id LIMIT 1)";
    /// Returns the sign-in of a waiting page.
    pub fn by_secret(sha256: &[u8; 32], now: Time) -> Option<IdentityRequest> =
        select!("WHERE secret_sha256 = :sha256 AND expires_at > :now");
    /// Returns the sign-in of an authorization code, used or not, and locks its row until the end of the transaction.
    pub fn lock_by_code(sha256: &[u8; 32], now: Time) -> Option<IdentityRequest> =
        select!("WHERE code_sha256 = :sha256 AND kept_until > :now {FOR_UPDATE}");
    /// Returns the waiting sign-in with the code that its page shows.
    pub fn pending_by_user_code(code: &str, now: Time) -> Option<IdentityRequest> =
        select!("WHERE user_code = :code AND expires_at > :now AND status = 'pending'");
    /// Returns the waiting sign-in with the code that its page shows, and locks its row until the end of the transaction.
    pub fn lock_by_user_code(code: &str, now: Time) -> Option<IdentityRequest> =
        select!("WHERE user_code = :code AND expires_at > :now AND status = 'pending' {FOR_UPDATE}");
    /// Returns the waiting sign-ins that name an agent, newest first.
    pub fn pending_of(inbox: InboxId, now: Time, limit: u32) -> Vec<IdentityRequest> =
        select!("WHERE hinted_id = :inbox AND expires_at > :now AND status = 'pending' ORDER BY created_at DESC, id DESC LIMIT :limit");
    /// Returns the waiting sign-ins that name an agent of a workspace, newest first.
    pub fn pending_of_workspace(workspace: WorkspaceId, now: Time, limit: u32) -> Vec<IdentityRequest> =
        select!("WHERE id IN (SELECT r.id FROM inboxes i CROSS JOIN {pg:LATERAL (SELECT * FROM} identity_requests r {lite:ON}{pg:WHERE}
        r.hinted_id = i.id AND r.expires_at > :now {pg:OFFSET 0) r} WHERE i.workspace_id = :workspace AND i.deleted_at IS NULL AND r.status = 'pending'
        ORDER BY r.created_at DESC, r.id DESC LIMIT :limit) ORDER BY created_at DESC, id DESC");
    DECIDE = "UPDATE identity_requests SET status = $2, workspace_id = $3, inbox_id = $4, approved_at = $5 WHERE id = $1";
    /// Records that the browser got the authorization code, once; later calls change nothing.
    pub fn deliver(id: IdentityRequestId, code_expires_at: Time) =
        "UPDATE identity_requests SET code_expires_at = :code_expires_at, kept_until = {GREATEST}(kept_until, :code_expires_at)
        WHERE id = :id AND code_expires_at IS NULL";
    /// Uses an authorization code up; returns `false` if it was used before.
    pub fn set_used(id: IdentityRequestId, now: Time, kept_until: Time) -> bool =
        "UPDATE identity_requests SET used_at = :now, kept_until = :kept_until WHERE id = :id AND used_at IS NULL";
    /// Deletes the sign-ins of an app.
    pub fn delete_of_client(client_id: &str) = "DELETE FROM identity_requests WHERE client_id = :client_id";
    DELETE_OF_INBOX = "DELETE FROM identity_requests WHERE workspace_id = $1 AND inbox_id = $2";
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

/// The agent that a sign-in was decided for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RequestDecision {
    /// Approved or denied.
    pub status: IdentityRequestState,
    /// The workspace of the agent.
    pub workspace: WorkspaceId,
    /// The agent.
    pub inbox: InboxId,
}

/// Stores a sign-in.
pub fn insert(tx: &mut Tx, r: &IdentityRequest, digests: &RequestDigests) -> Result<()> {
    tx.exec(
        &INSERT,
        p![
            r.id,
            digests.secret,
            digests.code,
            r.user_code,
            r.client_id,
            r.redirect_uri,
            r.scope,
            r.state,
            r.nonce,
            r.code_challenge,
            r.hinted,
            r.status,
            r.workspace,
            r.inbox,
            r.approved_at,
            r.code_expires_at,
            r.ip,
            r.network,
            r.user_agent,
            r.created_at,
            r.expires_at,
            r.expires_at
        ],
    )?;
    Ok(())
}

/// The app or the agent whose waiting sign-ins are counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WaitingOf<'a> {
    /// An app, by its public id.
    App(&'a str),
    /// An agent that apps named.
    Agent(InboxId),
}

/// The client address with the most waiting sign-ins.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LargestWaiting {
    /// The network that counts as one client address.
    pub network: String,
    /// The number of its sign-ins.
    pub sign_ins: u64,
}

/// Returns the number of sign-ins that wait, of all client addresses or of one.
pub fn count_pending(tx: &mut Tx, of: WaitingOf<'_>, network: Option<&str>, now: Time) -> Result<u64> {
    let count: Option<u64> = match (of, network) {
        (WaitingOf::App(client_id), None) => tx.value(&COUNT_OF_APP, p![client_id, now])?,
        (WaitingOf::App(client_id), Some(network)) => {
            tx.value(&COUNT_OF_APP_AND_NETWORK, p![client_id, now, network])?
        }
        (WaitingOf::Agent(agent), None) => tx.value(&COUNT_OF_AGENT, p![agent, now])?,
        (WaitingOf::Agent(agent), Some(network)) => tx.value(&COUNT_OF_AGENT_AND_NETWORK, p![agent, now, network])?,
    };
    Ok(count.unwrap_or(0))
}

/// Returns the client address with the most sign-ins that wait.
pub fn largest_pending(tx: &mut Tx, of: WaitingOf<'_>, now: Time) -> Result<Option<LargestWaiting>> {
    match of {
        WaitingOf::App(client_id) => tx.one(&LARGEST_OF_APP, p![client_id, now]),
        WaitingOf::Agent(agent) => tx.one(&LARGEST_OF_AGENT, p![agent, now]),
    }
}

/// Ends the oldest sign-in of a client address that waits.
pub fn end_oldest(tx: &mut Tx, of: WaitingOf<'_>, network: &str, now: Time) -> Result<()> {
    match of {
        WaitingOf::App(client_id) => tx.exec(&END_OLDEST_OF_APP, p![client_id, now, network])?,
        WaitingOf::Agent(agent) => tx.exec(&END_OLDEST_OF_AGENT, p![agent, now, network])?,
    };
    Ok(())
}

/// Records the decision about a waiting sign-in whose row is locked.
pub fn decide(tx: &mut Tx, id: IdentityRequestId, decision: &RequestDecision, now: Time) -> Result<()> {
    tx.exec(&DECIDE, p![id, decision.status, decision.workspace, decision.inbox, now])?;
    Ok(())
}

/// Deletes the sign-ins that an agent decided.
pub fn delete_of_inbox(tx: &mut Tx, inbox: InboxRef) -> Result<()> {
    tx.exec(&DELETE_OF_INBOX, p![inbox.workspace, inbox.inbox])?;
    Ok(())
}

crate::from_row!(IdentityRequest {
    id,
    user_code,
    client_id,
    redirect_uri,
    scope,
    state,
    nonce,
    code_challenge,
    hinted = hinted_id,
    status,
    workspace = workspace_id,
    inbox = inbox_id,
    approved_at,
    code_expires_at,
    used_at,
    ip,
    network,
    user_agent,
    created_at,
    expires_at,
});
crate::from_row!(LargestWaiting { network, sign_ins });
