//! The sign-in history of agents, and the apps that an agent has signed in to.

use posthouse_domain::{IdentitySignIn, IdentitySignInEvent, PageRange, SignedInApp, Time};

use crate::{Result, Tx, message_list::InboxRef, statements};

statements! {
    /// Stores a line of the history. Returns `false` if the token already has a line with this event.
    pub fn insert(line: row &IdentitySignIn) -> bool = "{insert identity_sign_ins} ON CONFLICT (jti, event) DO NOTHING";
    /// Returns the line of a token that was issued, of any workspace.
    pub fn issued(jti: &str; event = IdentitySignInEvent::TokenIssued) -> Option<IdentitySignIn> =
        "SELECT {identity_sign_ins} FROM identity_sign_ins WHERE jti = :jti AND event = :event";
    /// Returns a page of the history of an agent, newest first.
    pub fn page(
        inbox: InboxRef { workspace, inbox }, page: PageRange { sort: page.sort(), id: page.id(), limit },
    ) -> Vec<IdentitySignIn> =
        "SELECT {identity_sign_ins} FROM identity_sign_ins WHERE workspace_id = :workspace AND inbox_id = :inbox AND (created_at, id) < (:sort, :id) ORDER BY created_at DESC, id DESC LIMIT :limit";
    /// Deletes up to `limit` old lines; returns how many.
    pub fn prune(before: Time, limit: u32) -> u64 = "DELETE FROM identity_sign_ins WHERE (workspace_id, id) IN
        (SELECT workspace_id, id FROM identity_sign_ins WHERE created_at <= :before LIMIT :limit)";
    /// Counts a sign-in of an agent to an app.
    pub fn count_app(
        sign_in: &IdentitySignIn { workspace, inbox, client_id, client_name, created_at }, homepage_url: Option<&str>,
    ) = "INSERT INTO identity_apps (workspace_id, inbox_id, client_id, name, homepage_url, last_signed_in_at, sign_ins)
        VALUES (:workspace, :inbox, :client_id, :client_name, :homepage_url, :created_at, 1) ON CONFLICT (workspace_id, inbox_id, client_id) DO UPDATE SET
        sign_ins = identity_apps.sign_ins + 1, name = excluded.name, homepage_url = excluded.homepage_url,
        last_signed_in_at = excluded.last_signed_in_at";
    /// Returns the apps that an agent has signed in to, the last one first.
    pub fn apps(inbox: InboxRef { workspace, inbox }, limit: u32) -> Vec<SignedInApp> =
        "SELECT {identity_apps} FROM identity_apps
        WHERE workspace_id = :workspace AND inbox_id = :inbox ORDER BY last_signed_in_at DESC, client_id LIMIT :limit";
    fn delete_history(inbox: InboxRef { workspace, inbox }) =
        "DELETE FROM identity_sign_ins WHERE workspace_id = :workspace AND inbox_id = :inbox";
    fn delete_apps(inbox: InboxRef { workspace, inbox }) =
        "DELETE FROM identity_apps WHERE workspace_id = :workspace AND inbox_id = :inbox";
}

/// Deletes the history and the apps of an agent that is wiped.
pub fn delete_of_inbox(tx: &mut Tx, inbox: InboxRef) -> Result<()> {
    delete_history(tx, inbox)?;
    delete_apps(tx, inbox)
}
