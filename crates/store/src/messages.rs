//! Messages: their rows, their labels, and the records that are shown.

use posthouse_domain::{
    id::{InboxId, MessageId, ThreadId, WorkspaceId},
    label::BLOCKED,
    message::{Attachment, Bodies, Delivery, Direction, Message, Status, Verification},
    time::Time,
};
use serde::{Deserialize, Serialize};

use crate::{
    FromRow, Json, Result, Row, Tx, approvals, attachments, contents, many, p, recipients, search, statements,
    workspaces,
};

/// The columns of a message, in the order that rows are read; the table is `m`.
macro_rules! columns {
    () => {
        concat!(
            "SELECT m.workspace_id, m.id, m.inbox_id, m.thread_id, m.content_id, m.direction, m.status, m.channel, m.type, ",
            "m.rfc_message_id, m.in_reply_to, m.refs, m.from_text, m.to_list, m.cc_list, m.bcc_list, m.reply_to, m.subject, ",
            "m.labels, m.is_read, m.auto_reply, m.size_bytes, m.trace, m.verification, m.data, m.answers, m.contact_address, ",
            "(SELECT c.id FROM contacts c WHERE c.workspace_id = m.workspace_id AND c.address = m.contact_address), ",
            "m.has_attachments, m.status_at, m.sent_at, m.received_at, m.created_at"
        )
    };
}

/// A statement that reads messages.
macro_rules! select {
    ($rest:literal) => {
        concat!($crate::messages::columns!(), " FROM messages m ", $rest)
    };
}

pub(crate) use {columns, select};

/// `SELECT` and the columns of a message, for statements that are put together.
pub(crate) const SELECT: &str = columns!();

statements! {
    CLOCK = "UPDATE inboxes SET last_message_at = {GREATEST}(last_message_at + 1, $3), message_count = message_count + 1,
        stored_bytes = stored_bytes + $4 WHERE workspace_id = $1 AND id = $2 RETURNING last_message_at";
    INSERT = "INSERT INTO messages (workspace_id, id, inbox_id, thread_id, content_id, direction, status, channel, type,
        rfc_message_id, in_reply_to, refs, from_text, to_list, cc_list, bcc_list, reply_to, subject, labels, is_read,
        auto_reply, size_bytes, trace, verification, data, answers, contact_address, has_attachments, status_at, sent_at,
        received_at, created_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24,
        $25, $26, $27, $28, $29, $30, $31, $32)";
    LABEL = "INSERT INTO message_labels (workspace_id, inbox_id, label, created_at, message_id) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT DO NOTHING";
    UNLABEL = "DELETE FROM message_labels WHERE workspace_id = $1 AND inbox_id = $2 AND label = $3 AND created_at = $4";
    GET = select!("WHERE m.workspace_id = $1 AND m.id = $2");
    GET_MANY = concat!(columns!(), " FROM {EACH} messages m WHERE m.workspace_id = $1 AND m.id {AMONG} {pg:m}");
    SIZES = "SELECT m.id, m.size_bytes FROM {EACH} messages m WHERE m.workspace_id = $1 AND m.id {AMONG} {pg:m}";
    BY_RFC_ID = "SELECT id, thread_id, direction FROM messages WHERE workspace_id = $1 AND inbox_id = $2 AND rfc_message_id = $3
        ORDER BY created_at + 0 DESC LIMIT 1";
    HOLD = "SELECT created_at FROM messages WHERE workspace_id = $1 AND id = $2 {FOR_UPDATE}";
    SET_LABELS = "UPDATE messages SET labels = $3, is_read = $4 WHERE workspace_id = $1 AND id = $2";
    SET_STATUS = "UPDATE messages SET status = $3, status_at = $4, sent_at = $5 WHERE workspace_id = $1 AND id = $2";
}

/// A message with everything that is shown of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Record {
    /// The message.
    pub message: Message,
    /// Its bodies.
    pub bodies: Bodies,
    /// Its files.
    pub attachments: Vec<Attachment>,
    /// Where it went; empty for received mail.
    pub deliveries: Vec<Delivery>,
    /// Its content is kept back from who did not ask for held mail (contract §4.4).
    pub withheld: bool,
    /// Who vouched for it, when it was a draft.
    pub approval: Option<approvals::OfMessage>,
}

/// A message that a reference leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Referred {
    /// The message.
    pub id: MessageId,
    /// Its conversation.
    pub thread: ThreadId,
    /// Whether it was sent from here.
    pub direction: Direction,
}

/// The `created_at` of the next message of an inbox: now, but always later than the last one's, so that a caller who pages
/// by it misses nothing. Takes the inbox's row: the messages of one inbox are stored one after the other. The row counts
/// the message and its size.
///
/// # Errors
/// The store's own.
pub fn next_created_at(
    tx: &mut Tx,
    (workspace, inbox): (WorkspaceId, InboxId),
    size_bytes: u64,
    now: Time,
) -> Result<Time> {
    Ok(tx.value(&CLOCK, p![workspace, inbox, now, size_bytes])?.unwrap_or(now))
}

/// Stores a message and its labels; its content is stored already, its files and recipients come after. Wakes the
/// workspace, for whoever waits for a message of either direction, event or not.
///
/// # Errors
/// The store's own.
pub fn insert(tx: &mut Tx, message: &Message) -> Result<()> {
    let m = message;
    let verification = m.verification.as_ref().map(|v| Json(StoredVerification::from(v)));
    tx.exec(
        &INSERT,
        p![
            m.workspace,
            m.id,
            m.inbox,
            m.thread,
            m.content,
            m.direction,
            m.status,
            m.channel,
            m.kind,
            m.rfc_message_id,
            m.in_reply_to,
            Json(&m.references),
            m.from,
            Json(&m.to),
            Json(&m.cc),
            Json(&m.bcc),
            m.reply_to,
            m.subject,
            Json(&m.labels),
            m.is_read,
            m.auto_reply,
            m.size_bytes,
            m.trace,
            verification,
            m.data,
            m.answers,
            m.contact_address,
            m.has_attachments,
            m.status_at,
            m.sent_at,
            m.received_at,
            m.created_at
        ],
    )?;
    for label in &m.labels {
        tx.exec(&LABEL, p![m.workspace, m.inbox, label, m.created_at, m.id])?;
    }
    search::wait(tx, m.workspace, m.id)?;
    tx.wake(m.workspace.0);
    Ok(())
}

/// The message of that id.
///
/// # Errors
/// The store's own.
pub fn get(tx: &mut Tx, workspace: WorkspaceId, id: MessageId) -> Result<Option<Message>> {
    tx.one(&GET, p![workspace, id])
}

/// Up to 100 messages by id, in no order; unknown ids are left out.
///
/// # Errors
/// The store's own.
pub fn get_many(tx: &mut Tx, workspace: WorkspaceId, ids: &[MessageId]) -> Result<Vec<Message>> {
    many::rows(tx, &GET_MANY, workspace, ids)
}

/// The sizes in bytes of up to 100 messages; unknown ids are left out.
///
/// # Errors
/// The store's own.
pub fn sizes(tx: &mut Tx, workspace: WorkspaceId, ids: &[MessageId]) -> Result<Vec<(MessageId, u64)>> {
    many::rows(tx, &SIZES, workspace, ids)
}

/// The message of an inbox with that `Message-ID`.
///
/// # Errors
/// The store's own.
pub fn by_rfc_id(
    tx: &mut Tx,
    workspace: WorkspaceId,
    inbox: InboxId,
    rfc_message_id: &str,
) -> Result<Option<Referred>> {
    tx.one(&BY_RFC_ID, p![workspace, inbox, rfc_message_id])
}

/// Takes the rows of messages until the end of the transaction, so that what is read of them now is what is changed. In the
/// order of their ids, so that two who take the same ones do not wait for each other.
///
/// # Errors
/// The store's own.
pub fn hold(tx: &mut Tx, workspace: WorkspaceId, ids: &[MessageId]) -> Result<()> {
    let mut ids = ids.to_vec();
    ids.sort_unstable();
    ids.dedup();
    for id in ids {
        tx.one::<(Time,)>(&HOLD, p![workspace, id])?;
    }
    Ok(())
}

/// Writes labels and read state as they now are in `after`, given how they were.
///
/// # Errors
/// The store's own.
pub fn set_labels(tx: &mut Tx, before: &Message, after: &Message) -> Result<()> {
    tx.exec(&SET_LABELS, p![after.workspace, after.id, Json(&after.labels), after.is_read])?;
    for gone in before.labels.iter().filter(|label| !after.labels.contains(label)) {
        tx.exec(&UNLABEL, p![after.workspace, after.inbox, gone, after.created_at])?;
    }
    for new in after.labels.iter().filter(|label| !before.labels.contains(label)) {
        tx.exec(&LABEL, p![after.workspace, after.inbox, new, after.created_at, after.id])?;
    }
    Ok(())
}

/// Writes the status of a sent message.
///
/// # Errors
/// The store's own.
pub fn set_status(tx: &mut Tx, message: &Message, status: Status, sent_at: Option<Time>, now: Time) -> Result<()> {
    tx.exec(&SET_STATUS, p![message.workspace, message.id, status, now, sent_at])?;
    Ok(())
}

/// Adds to up to 100 messages of one workspace everything that is shown of them; keeps their order.
///
/// # Errors
/// The store's own.
pub fn records(tx: &mut Tx, workspace: WorkspaceId, messages: Vec<Message>) -> Result<Vec<Record>> {
    let ids = |wanted: fn(&Message) -> bool| messages.iter().filter(|m| wanted(m)).map(|m| m.id).collect::<Vec<_>>();
    let contents: Vec<_> = messages.iter().map(|m| m.content).collect();
    let mut bodies = contents::bodies(tx, workspace, &contents)?;
    let attachments = attachments::of(tx, workspace, &ids(|m| m.has_attachments))?;
    let deliveries = recipients::of(tx, workspace, &ids(|m| m.direction == Direction::Outbound))?;
    let screening = messages.iter().any(is_blocked) && screens(tx, workspace)?;
    let approvals = approvals::of(tx, workspace, &ids(|m| m.direction == Direction::Outbound))?;
    let shared = |id, rest: &[Message]| rest.iter().any(|m| m.content == id);
    let mut records = Vec::with_capacity(messages.len());
    for at in 0..messages.len() {
        let message = messages[at].clone();
        let place = bodies.iter().position(|found| found.id == message.content);
        let own = match place {
            Some(place) if shared(message.content, &messages[at + 1..]) => bodies[place].bodies.clone(),
            Some(place) => bodies.swap_remove(place).bodies,
            None => Bodies::default(),
        };
        let files = attachments.iter().filter(|a| a.message == message.id).cloned().collect();
        let went = deliveries.iter().filter(|d| d.message == message.id).map(|d| d.delivery.clone()).collect();
        let withheld = screening && is_blocked(&message);
        let approval = approvals.iter().find(|of| of.message == message.id).cloned();
        records.push(Record { message, bodies: own, attachments: files, deliveries: went, withheld, approval });
    }
    Ok(records)
}

/// Whether a message's content is kept back from who did not ask for held mail: a receive list stopped it, and the
/// workspace screens its mail.
///
/// # Errors
/// The store's own.
pub fn is_withheld(tx: &mut Tx, message: &Message) -> Result<bool> {
    Ok(is_blocked(message) && screens(tx, message.workspace)?)
}

fn is_blocked(message: &Message) -> bool {
    message.labels.iter().any(|label| label == BLOCKED)
}

fn screens(tx: &mut Tx, workspace: WorkspaceId) -> Result<bool> {
    Ok(workspaces::get(tx, workspace)?.is_none_or(|tenant| tenant.screening))
}

/// A message with everything that is shown of it.
///
/// # Errors
/// The store's own.
pub fn record(tx: &mut Tx, workspace: WorkspaceId, id: MessageId) -> Result<Option<Record>> {
    let Some(message) = get(tx, workspace, id)? else { return Ok(None) };
    Ok(records(tx, workspace, vec![message])?.pop())
}

#[derive(Serialize, Deserialize)]
pub(crate) struct StoredVerification {
    code: Option<String>,
    link: Option<String>,
    confidence: f64,
    auth_failed: bool,
}

impl From<&Verification> for StoredVerification {
    fn from(v: &Verification) -> Self {
        Self { code: v.code.clone(), link: v.link.clone(), confidence: v.confidence, auth_failed: v.auth_failed }
    }
}

impl From<StoredVerification> for Verification {
    fn from(v: StoredVerification) -> Self {
        Self { code: v.code, link: v.link, confidence: v.confidence, auth_failed: v.auth_failed }
    }
}

crate::from_row!(Referred { id, thread, direction });

impl FromRow for Message {
    const COLUMNS: usize = 33;

    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            workspace: row.take()?,
            id: row.take()?,
            inbox: row.take()?,
            thread: row.take()?,
            content: row.take()?,
            direction: row.take()?,
            status: row.take()?,
            channel: row.take()?,
            kind: row.take()?,
            rfc_message_id: row.take()?,
            in_reply_to: row.take()?,
            references: row.take::<Json<Vec<String>>>()?.0,
            from: row.take()?,
            to: row.take::<Json<Vec<String>>>()?.0,
            cc: row.take::<Json<Vec<String>>>()?.0,
            bcc: row.take::<Json<Vec<String>>>()?.0,
            reply_to: row.take()?,
            subject: row.take()?,
            labels: row.take::<Json<Vec<String>>>()?.0,
            is_read: row.take()?,
            auto_reply: row.take()?,
            size_bytes: row.take()?,
            trace: row.take()?,
            verification: row.take::<Option<Json<StoredVerification>>>()?.map(|stored| stored.0.into()),
            data: row.take()?,
            answers: row.take()?,
            contact_address: row.take()?,
            contact: row.take()?,
            has_attachments: row.take()?,
            status_at: row.take()?,
            sent_at: row.take()?,
            received_at: row.take()?,
            created_at: row.take()?,
        })
    }
}
