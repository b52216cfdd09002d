//! Suppressions: addresses of a workspace that nothing is sent to, because they bounced, complained or were put there by
//! hand (decision 15). Addresses are canonical here.

use posthouse_domain::{
    id::{MessageId, WorkspaceId},
    time::Time,
};

use crate::{Result, Tx, many, p, statements, workspaces::named};

statements! {
    AMONG = "SELECT address, reason FROM {EACH_TEXT} suppressions s WHERE s.workspace_id = $1 AND s.address {AMONG} {pg:s} ORDER BY address";
    INSERT = "INSERT INTO suppressions (workspace_id, address, reason, detail, message_id, created_at) VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT (workspace_id, address) DO NOTHING";
    COUNT = "SELECT count(*) FROM suppressions WHERE workspace_id = $1";
    REMOVE = "DELETE FROM suppressions WHERE workspace_id = $1 AND address = $2";
}

/// How many addresses a workspace sends nothing to.
///
/// # Errors
/// The store's own.
pub fn count(tx: &mut Tx, workspace: WorkspaceId) -> Result<u64> {
    Ok(tx.one::<(i64,)>(&COUNT, p![workspace])?.map_or(0, |(count,)| u64::try_from(count).unwrap_or(0)))
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
    let found: Vec<(String, String)> = many::rows(tx, &AMONG, workspace, addresses)?;
    found.into_iter().map(|(address, reason)| Ok((address, named(&reason, Reason::parse)?))).collect()
}

/// Suppresses an address; says whether it was not suppressed before. The first reason stays.
///
/// # Errors
/// The store's own.
pub fn insert(tx: &mut Tx, suppression: &Suppression) -> Result<bool> {
    let s = suppression;
    Ok(tx.exec(&INSERT, p![s.workspace, s.address, s.reason.text(), s.detail, s.message, s.created_at])? == 1)
}

/// Lifts a suppression; says whether there was one.
///
/// # Errors
/// The store's own.
pub fn remove(tx: &mut Tx, workspace: WorkspaceId, address: &str) -> Result<bool> {
    Ok(tx.exec(&REMOVE, p![workspace, address])? == 1)
}
