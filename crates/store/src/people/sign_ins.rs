//! Requests for links that sign people in. The token is derived from the mail; only its digest is stored.

use posthouse_domain::{MessageId, SignIn, SignInId, SignInPurpose, Time, WorkspaceId};

use crate::{Result, Tx, statements};

statements! {
    /// Stores a request; `digest` is that of a link which isn't mailed.
    pub fn insert(request: row &SignIn, digest: Option<&[u8; 32]>) = "{insert sign_ins}";
    /// Returns how many links an address requested after a time.
    pub fn count_since(email: &str, since: Time) -> u64 =
        "SELECT count(*) FROM sign_ins WHERE email = :email AND purpose IN ('sign_in', 'sign_up') AND created_at > :since";
    /// Returns how many people a workspace invited after a time.
    pub fn count_invitations(workspace: WorkspaceId, since: Time) -> u64 =
        "SELECT count(*) FROM sign_ins WHERE workspace_id = :workspace AND purpose = 'invitation' AND created_at > :since";
    /// Returns a request.
    pub fn get(id: SignInId) -> Option<SignIn> = "SELECT {sign_ins} FROM sign_ins WHERE id = :id";
    /// Records the mail with the link, and what it offers; returns whether the request was still without one.
    pub fn set_mailed(id: SignInId, purpose: SignInPurpose, message: MessageId, digest: &[u8; 32], expires_at: Time) -> bool =
        "UPDATE sign_ins SET purpose = :purpose, message_id = :message, digest = :digest, expires_at = :expires_at WHERE id = :id AND digest IS NULL";
    fn take(digest: &[u8; 32]) -> Option<SignIn> = "DELETE FROM sign_ins WHERE digest = :digest RETURNING {sign_ins}";
    /// Returns the newest mailed link of an address that hasn't expired.
    pub fn newest(email: &str, now: Time) -> Option<SignIn> =
        "SELECT {sign_ins} FROM sign_ins WHERE email = :email AND message_id IS NOT NULL AND expires_at > :now
        ORDER BY created_at DESC, id DESC LIMIT 1";
    /// Returns the newest mailed link of an address that hasn't expired, and locks it.
    pub fn lock_newest(email: &str, now: Time) -> Option<SignIn> =
        "SELECT {sign_ins} FROM sign_ins WHERE email = :email AND message_id IS NOT NULL AND expires_at > :now
        ORDER BY created_at DESC, id DESC LIMIT 1 {FOR_UPDATE}";
    /// Counts a code that was wrong.
    pub fn count_try(id: SignInId) = "UPDATE sign_ins SET tries_left = tries_left - 1 WHERE id = :id";
    /// Deletes a request.
    pub fn delete(id: SignInId) = "DELETE FROM sign_ins WHERE id = :id";
    /// Deletes the links that an address requested, and those to one workspace: after a sign-in, none of them is needed.
    pub fn delete_of_email(email: &str, workspace: WorkspaceId) =
        "DELETE FROM sign_ins WHERE email = :email AND (purpose IN ('sign_in', 'sign_up') OR workspace_id = :workspace)";
    /// Deletes up to `limit` expired requests; returns how many.
    pub fn prune(now: Time, limit: u32) -> u64 =
        "DELETE FROM sign_ins WHERE id IN (SELECT id FROM sign_ins WHERE expires_at <= :now ORDER BY expires_at LIMIT :limit)";
}

/// Deletes the request whose token has this digest, and returns it unless it expired.
pub fn consume(tx: &mut Tx, digest: &[u8; 32], now: Time) -> Result<Option<SignIn>> {
    Ok(take(tx, digest)?.filter(|sign_in| now < sign_in.expires_at))
}
