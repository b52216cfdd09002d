//! The sign-in history of agents, and the apps that an agent has signed in to.

use posthouse_domain::{
    identity::{IdentitySignIn, IdentitySignInEvent, SignedInApp},
    page::{CursorPosition, PageRange},
    time::Time,
};
use uuid::Uuid;

use crate::{Result, Tx, message_list::InboxRef, p, statements};

statements! {
    /// Stores a line of the history. Returns `false` if the token already has a line with this event.
    pub fn insert(row: &IdentitySignIn) -> bool = "{insert identity_sign_ins} ON CONFLICT (jti, event) DO NOTHING";
    BY_TOKEN = "SELECT {identity_sign_ins} FROM identity_sign_ins WHERE jti = $1 AND event = $2";
    PAGE = "SELECT {identity_sign_ins} FROM identity_sign_ins WHERE workspace_id = $1 AND inbox_id = $2 AND (created_at, id) < ($3, $4) ORDER BY created_at DESC, id DESC LIMIT $5";
    /// Deletes up to `limit` old lines; returns how many.
    pub fn prune(before: Time, limit: u32) -> u64 = "DELETE FROM identity_sign_ins WHERE (workspace_id, id) IN
        (SELECT workspace_id, id FROM identity_sign_ins WHERE created_at <= :before LIMIT :limit)";
    COUNT_APP = "INSERT INTO identity_apps (workspace_id, inbox_id, client_id, name, homepage_url, last_signed_in_at, sign_ins)
        VALUES ($1, $2, $3, $4, $5, $6, 1) ON CONFLICT (workspace_id, inbox_id, client_id) DO UPDATE SET
        sign_ins = identity_apps.sign_ins + 1, name = excluded.name, homepage_url = excluded.homepage_url,
        last_signed_in_at = excluded.last_signed_in_at";
    APPS = "SELECT client_id, name, homepage_url, last_signed_in_at, sign_ins FROM identity_apps
        WHERE workspace_id = $1 AND inbox_id = $2 ORDER BY last_signed_in_at DESC, client_id LIMIT $3";
    DELETE_HISTORY = "DELETE FROM identity_sign_ins WHERE workspace_id = $1 AND inbox_id = $2";
    DELETE_APPS = "DELETE FROM identity_apps WHERE workspace_id = $1 AND inbox_id = $2";
}

/// Returns the line of a token that was issued, of any workspace.
pub fn issued(tx: &mut Tx, jti: &str) -> Result<Option<IdentitySignIn>> {
    tx.one(&BY_TOKEN, p![jti, IdentitySignInEvent::TokenIssued])
}

/// Returns a page of the history of an agent, newest first.
pub fn page(tx: &mut Tx, inbox: InboxRef, page: PageRange) -> Result<Vec<IdentitySignIn>> {
    let after = page.after.unwrap_or(CursorPosition { sort: i64::MAX, id: Uuid::max() });
    tx.rows(&PAGE, p![inbox.workspace, inbox.inbox, after.sort, after.id, page.limit])
}

/// Counts a sign-in of an agent to an app.
pub fn count_app(tx: &mut Tx, s: &IdentitySignIn, homepage_url: Option<&str>) -> Result<()> {
    tx.exec(&COUNT_APP, p![s.workspace, s.inbox, s.client_id, s.client_name, homepage_url, s.created_at])?;
    Ok(())
}

/// Returns the apps that an agent has signed in to, the last one first.
pub fn apps(tx: &mut Tx, inbox: InboxRef, limit: u32) -> Result<Vec<SignedInApp>> {
    tx.rows(&APPS, p![inbox.workspace, inbox.inbox, limit])
}

/// Deletes the history and the apps of an agent that is wiped.
pub fn delete_of_inbox(tx: &mut Tx, inbox: InboxRef) -> Result<()> {
    tx.exec(&DELETE_HISTORY, p![inbox.workspace, inbox.inbox])?;
    tx.exec(&DELETE_APPS, p![inbox.workspace, inbox.inbox])?;
    Ok(())
}

crate::from_row!(SignedInApp { client_id, name, homepage_url, last_signed_in_at, sign_ins });
