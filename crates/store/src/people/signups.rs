//! Self-signup: unclaimed workspaces with their claim links, used challenges, and the usage of daily limits.

use posthouse_domain::{DailyLimit, Signup, Time, WorkspaceId};

use crate::{Result, Tx, statements};

/// The columns of a signup in the order that rows are read.
macro_rules! select {
    ($rest:literal) => {
        concat!("SELECT workspace_id, agents, claim_email, claim_expires_at FROM signups WHERE ", $rest)
    };
}

statements! {
    /// Stores the signup of a new workspace with its first agent.
    pub fn insert(workspace: WorkspaceId) = "INSERT INTO signups (workspace_id, agents) VALUES (:workspace, 1)";
    /// Returns the signup of a workspace; `None` if the workspace isn't unclaimed.
    pub fn get(workspace: WorkspaceId) -> Option<Signup> = select!("workspace_id = :workspace");
    /// Returns the signup of a workspace and locks its row until the end of the transaction.
    pub fn lock(workspace: WorkspaceId) -> Option<Signup> = select!("workspace_id = :workspace {FOR_UPDATE}");
    /// Returns the signup that a valid claim link belongs to.
    pub fn by_token(sha256: &[u8; 32], now: Time) -> Option<Signup> =
        select!("claim_token_sha256 = :sha256 AND claim_expires_at > :now");
    /// Returns the signup that a valid claim link belongs to and locks its row until the end of the transaction.
    pub fn lock_by_token(sha256: &[u8; 32], now: Time) -> Option<Signup> =
        select!("claim_token_sha256 = :sha256 AND claim_expires_at > :now {FOR_UPDATE}");
    /// Counts another agent unless there are `max`; returns whether it was counted.
    pub fn add_agent(workspace: WorkspaceId, max: u64) -> bool =
        "UPDATE signups SET agents = agents + 1 WHERE workspace_id = :workspace AND agents < :max";
    /// Stores the latest claim link, which replaces an earlier one.
    pub fn set_link(workspace: WorkspaceId, link: &ClaimLink { email, sha256, expires_at }) =
        "UPDATE signups SET claim_email = :email, claim_token_sha256 = :sha256, claim_expires_at = :expires_at WHERE workspace_id = :workspace";
    /// Deletes the signup of a workspace that was claimed.
    pub fn delete(workspace: WorkspaceId) = "DELETE FROM signups WHERE workspace_id = :workspace";
    /// Returns when a workspace was last used: the latest authenticated request, to the minute, or message. `None` if the
    /// workspace doesn't exist.
    pub fn last_activity(workspace: WorkspaceId) -> Option<Time> = "SELECT {GREATEST}(w.created_at,
        COALESCE((SELECT max(k.last_used_at) FROM api_keys k WHERE k.workspace_id = w.id), 0),
        COALESCE((SELECT max(i.last_message_at) FROM inboxes i WHERE i.workspace_id = w.id), 0)) AS last_at FROM workspaces w WHERE w.id = :workspace";
    /// Marks a challenge as used; returns `false` if it was used before.
    pub fn use_challenge(nonce: &[u8], expires_at: Time) -> bool =
        "INSERT INTO used_challenges (nonce, expires_at) VALUES (:nonce, :expires_at) ON CONFLICT (nonce) DO NOTHING";
    /// Deletes up to `limit` expired challenges; returns how many.
    pub fn prune_challenges(now: Time, limit: u32) -> u64 =
        "DELETE FROM used_challenges WHERE nonce IN (SELECT nonce FROM used_challenges WHERE expires_at <= :now LIMIT :limit)";
    fn count_use(limit: DailyLimit, subject: &[u8], now: Time { day: now.day() }, max: u64) -> bool =
        "INSERT INTO signup_usage (kind, subject, day, used) VALUES (:limit, :subject, :day, 1)
        ON CONFLICT (kind, subject, day) DO UPDATE SET used = signup_usage.used + 1 WHERE signup_usage.used < :max";
    /// Returns how many uses of a daily limit were counted today.
    pub fn used(limit: DailyLimit, subject: &[u8], now: Time { day: now.day() }) -> u64 =
        "SELECT used FROM signup_usage WHERE kind = :limit AND subject = :subject AND day = :day";
    /// Deletes the usage of earlier days, up to `limit` rows; returns how many.
    pub fn prune_usage(now: Time { day: now.day() }, limit: u32) -> u64 =
        "DELETE FROM signup_usage WHERE (kind, subject, day) IN (SELECT kind, subject, day FROM signup_usage WHERE day < :day LIMIT :limit)";
}

/// A claim link as stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClaimLink {
    /// The recipient.
    pub email: String,
    /// SHA-256 of the token in the link.
    pub sha256: [u8; 32],
    /// When the link expires.
    pub expires_at: Time,
}

/// Counts one use of a limit by day; returns `false` if `max` uses were counted today. A transaction that counts several
/// limits must do so in the order of [`DailyLimit`] to avoid deadlocks.
pub fn count(tx: &mut Tx, limit: DailyLimit, subject: &[u8], max: u64, now: Time) -> Result<bool> {
    Ok(max > 0 && count_use(tx, limit, subject, now, max)?)
}

crate::from_row!(Signup { workspace = workspace_id, agents, claim_email, claim_expires_at });
