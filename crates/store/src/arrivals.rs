//! What long-polls look for: whether an inbox has a newer message, and glimpses of its messages in order (contract §4.7).
//!
//! A glimpse is small, so that looking is cheap; the whole record is read for the one that is found.

use posthouse_domain::{
    id::{InboxId, MessageId, WorkspaceId},
    message::{Channel, Direction, Kind, Verification},
    time::Time,
};

use crate::{FromRow, Json, Result, Row, Tx, many, message_list::Place, messages::StoredVerification, p, statements};

statements! {
    NEWEST = "SELECT i.id, i.last_message_at,
        COALESCE((SELECT q.stirs FROM queues q WHERE q.workspace_id = i.workspace_id AND q.inbox_id = i.id), 0)
        FROM {EACH} inboxes i WHERE i.workspace_id = $1 AND i.deleted_at IS NULL AND i.id {AMONG} {pg:i}";
    AFTER = "SELECT m.id, m.created_at, m.from_text, m.subject, m.labels, m.verification FROM messages m
        WHERE m.workspace_id = $1 AND m.inbox_id = $2 AND m.created_at > $3 AND m.direction = $4
        AND m.channel = COALESCE($5, m.channel) AND m.type = COALESCE($6, m.type)
        AND NOT EXISTS (SELECT 1 FROM message_labels l WHERE l.workspace_id = $1 AND l.inbox_id = $2 AND l.label = 'blocked'
          AND l.created_at = m.created_at LIMIT 1 OFFSET 0)
        ORDER BY m.created_at LIMIT $7";
    VERIFICATIONS = "SELECT m.id, m.created_at, m.from_text, m.subject, m.labels, m.verification FROM messages m
        WHERE m.workspace_id = $1 AND m.inbox_id = $2 AND m.created_at > $3 AND m.created_at < $4
        AND m.direction = 'inbound' AND m.verification IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM message_labels l WHERE l.workspace_id = $1 AND l.inbox_id = $2 AND l.label = 'blocked'
          AND l.created_at = m.created_at LIMIT 1 OFFSET 0)
        ORDER BY m.created_at DESC LIMIT $5";
}

/// What is seen of a message from afar.
#[derive(Clone, PartialEq, Debug)]
pub struct Glimpse {
    /// The message.
    pub id: MessageId,
    /// When it was stored.
    pub created_at: Time,
    /// `From` in header form.
    pub from: String,
    /// `Subject`.
    pub subject: Option<String>,
    /// Its labels.
    pub labels: Vec<String>,
    /// A code or link that was found.
    pub verification: Option<Verification>,
}

/// Which messages are looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sort {
    /// Which way it went.
    pub direction: Direction,
    /// What it travelled on.
    pub channel: Option<Channel>,
    /// The sender's advisory kind.
    pub kind: Option<Kind>,
}

/// The `created_at` of the newest message of up to 100 inboxes, and how often their work queues were stirred; deleted ones
/// are left out.
///
/// # Errors
/// The store's own.
pub fn newest(tx: &mut Tx, workspace: WorkspaceId, inboxes: &[InboxId]) -> Result<Vec<(InboxId, Time, i64)>> {
    many::rows(tx, &NEWEST, workspace, inboxes)
}

/// Up to `limit` messages of that sort behind `since`, oldest first; blocked mail is passed over.
///
/// # Errors
/// The store's own.
pub fn after(tx: &mut Tx, place: Place, sort: Sort, since: Time, limit: u32) -> Result<Vec<Glimpse>> {
    let (channel, kind) = (sort.channel.map(Channel::text), sort.kind.map(Kind::text));
    tx.rows(&AFTER, p![place.workspace, place.inbox, since, sort.direction.text(), channel, kind, limit])
}

/// A stretch of time, both ends excluded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Between {
    /// After this time.
    pub since: Time,
    /// Before this one.
    pub until: Time,
}

/// Up to `limit` received messages with a code or link, newest first; blocked mail is passed over.
///
/// # Errors
/// The store's own.
pub fn verifications(tx: &mut Tx, place: Place, between: Between, limit: u32) -> Result<Vec<Glimpse>> {
    tx.rows(&VERIFICATIONS, p![place.workspace, place.inbox, between.since, between.until, limit])
}

impl FromRow for Glimpse {
    const COLUMNS: usize = 6;

    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            id: row.take()?,
            created_at: row.take()?,
            from: row.take()?,
            subject: row.take()?,
            labels: row.take::<Json<Vec<String>>>()?.0,
            verification: row.take::<Option<Json<StoredVerification>>>()?.map(|stored| stored.0.into()),
        })
    }
}
