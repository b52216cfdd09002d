//! Suppressions: addresses of a workspace that nothing is sent to, because they bounced, complained or were put there by
//! hand (decision 15). Addresses are canonical here.

use posthouse_domain::{
    id::{MessageId, WorkspaceId},
    time::Time,
};

use crate::{Result, Tx, many, p, statements, values::like_pattern};

statements! {
    AMONG = "SELECT address, reason FROM {EACH_TEXT} suppressions s WHERE s.workspace_id = $1 AND s.address {AMONG} {pg:s} ORDER BY address";
    INSERT = "INSERT INTO suppressions (workspace_id, address, reason, detail, message_id, created_at) VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT (workspace_id, address) DO NOTHING";
    GET = "SELECT workspace_id, address, reason, detail, message_id, created_at FROM suppressions WHERE workspace_id = $1 AND address = $2";
    PAGE = "SELECT workspace_id, address, reason, detail, message_id, created_at FROM suppressions WHERE workspace_id = $1
        AND (created_at, address) < ($2, $3) AND reason = COALESCE($4, reason) AND address LIKE $5 ESCAPE '!'
        ORDER BY created_at DESC, address DESC LIMIT $6";
    COUNT = "SELECT count(*) FROM suppressions WHERE workspace_id = $1";
    REMOVE = "DELETE FROM suppressions WHERE workspace_id = $1 AND address = $2";
}

/// Why an address is suppressed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// Its server refused for good.
    Bounce,
    /// Its owner marked a message as spam.
    Complaint,
    /// Somebody of the workspace asked for it.
    Manual,
}

impl Reason {
    /// The name on the wire and in the store.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Bounce => "bounce",
            Self::Complaint => "complaint",
            Self::Manual => "manual",
        }
    }

    /// The reason of that name.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Bounce, Self::Complaint, Self::Manual].into_iter().find(|reason| reason.text() == text)
    }
}

/// A suppression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Suppression {
    /// The tenant.
    pub workspace: WorkspaceId,
    /// The canonical address.
    pub address: String,
    /// Why.
    pub reason: Reason,
    /// What the remote server or the complaint said.
    pub detail: Option<String>,
    /// The message that led to it.
    pub message: Option<MessageId>,
    /// Since when.
    pub created_at: Time,
}

/// Those of up to [`crate::dialect::IDS_MAX`] canonical addresses that are suppressed, sorted, and why.
///
/// # Errors
/// The store's own.
pub fn among(tx: &mut Tx, workspace: WorkspaceId, addresses: &[&str]) -> Result<Vec<(String, Reason)>> {
    many::rows(tx, &AMONG, workspace, addresses)
}

/// Suppresses an address; says whether it was not suppressed before. The first reason stays.
///
/// # Errors
/// The store's own.
pub fn insert(tx: &mut Tx, suppression: &Suppression) -> Result<bool> {
    let s = suppression;
    Ok(tx.exec(&INSERT, p![s.workspace, s.address, s.reason, s.detail, s.message, s.created_at])? == 1)
}

/// Lifts a suppression; says whether there was one.
///
/// # Errors
/// The store's own.
pub fn remove(tx: &mut Tx, workspace: WorkspaceId, address: &str) -> Result<bool> {
    Ok(tx.exec(&REMOVE, p![workspace, address])? == 1)
}

/// The suppression of a canonical address.
///
/// # Errors
/// The store's own.
pub fn get(tx: &mut Tx, workspace: WorkspaceId, address: &str) -> Result<Option<Suppression>> {
    tx.one(&GET, p![workspace, address])
}

/// What a list of suppressions is narrowed to. Its `Debug` text names it in cursors.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Filter {
    /// A part of the address.
    pub q: Option<String>,
    /// The reason.
    pub reason: Option<Reason>,
}

/// Up to `limit` suppressions that pass the filter, behind the one of that time and address, newest first.
///
/// # Errors
/// The store's own.
pub fn page(
    tx: &mut Tx,
    workspace: WorkspaceId,
    filter: &Filter,
    behind: Option<(Time, &str)>,
    limit: u32,
) -> Result<Vec<Suppression>> {
    let (at, address) = behind.unwrap_or((Time::from_millis(i64::MAX), ""));
    let reason = filter.reason.map(Reason::text);
    tx.rows(&PAGE, p![workspace, at, address, reason, like_pattern(filter.q.as_deref()), limit])
}

crate::from_row!(Suppression { workspace, address, reason, detail, message, created_at });
