//! Contacts (contract §8): written by the transactions that store mail, one statement a person, and changed by callers.

use posthouse_domain::{
    contact::{Contact, LastSubject, Person},
    id::{ContactId, InboxId, ThreadId, WorkspaceId},
    metadata,
    thread::Thread,
    time::Time,
};
use uuid::Uuid;

use crate::{FromRow, Json, Result, Row, Tx, many, p, statements};

/// The columns of a contact, in the order that rows are read; the table is `c`.
macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT c.workspace_id, c.id, c.address, c.domain, c.name, c.name_source, c.kind, c.kind_source, c.notes, c.metadata, ",
            "c.labels, c.message_count, c.last_subject, c.last_subject_inbox_id, c.first_seen_at, c.last_seen_at, c.created_at FROM ",
            $rest
        )
    };
}

pub(crate) use select;

statements! {
    /// One of our own inboxes is no contact; nor is who was forgotten. What a caller set stays; what a third party calls
    /// somebody ($12 = 0) gives a name only to who has none.
    MEET = "INSERT INTO contacts (workspace_id, id, address, domain, name, name_source, kind, kind_source, metadata, labels,
        message_count, last_subject, last_subject_inbox_id, first_seen_at, last_seen_at, created_at, haystack)
        SELECT $1, $2, $3, $5, $6, 'auto', $7, 'auto', '{}', '[]', 1, $8, $13, $9, $9, $9, $10
        WHERE NOT EXISTS (SELECT 1 FROM addresses a WHERE a.address IN ($3, $4) AND a.workspace_id = $1)
        AND NOT EXISTS (SELECT 1 FROM forgotten_contacts f WHERE f.workspace_id = $1 AND f.digest = $11)
        ON CONFLICT (workspace_id, address) DO UPDATE SET message_count = contacts.message_count + 1,
        last_subject = COALESCE(excluded.last_subject, contacts.last_subject),
        last_subject_inbox_id = CASE WHEN excluded.last_subject IS NULL THEN contacts.last_subject_inbox_id
          ELSE excluded.last_subject_inbox_id END,
        last_seen_at = {GREATEST}(contacts.last_seen_at, excluded.last_seen_at),
        name = CASE WHEN contacts.name_source = 'manual' OR excluded.name IS NULL
          OR (CAST($12 AS BIGINT) = 0 AND contacts.name IS NOT NULL) THEN contacts.name ELSE excluded.name END,
        haystack = CASE WHEN contacts.name_source = 'manual' OR excluded.name IS NULL
          OR (CAST($12 AS BIGINT) = 0 AND contacts.name IS NOT NULL) THEN contacts.haystack ELSE excluded.haystack END,
        kind = CASE WHEN contacts.kind_source = 'manual' OR excluded.kind = 'unknown'
          OR (excluded.kind = 'automated' AND contacts.kind <> 'unknown') THEN contacts.kind ELSE excluded.kind END";
    JOIN_THREAD = "INSERT INTO thread_people (workspace_id, address, thread_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
    GET = select!("contacts c WHERE c.workspace_id = $1 AND c.id = $2");
    TAKE = select!("contacts c WHERE c.workspace_id = $1 AND c.id = $2 {FOR_UPDATE}");
    BY_ADDRESS = select!("contacts c WHERE c.workspace_id = $1 AND c.address = $2");
    UPDATE = "UPDATE contacts SET name = $3, name_source = $4, kind = $5, kind_source = $6, notes = $7, metadata = $8, labels = $9,
        haystack = $10 WHERE workspace_id = $1 AND id = $2";
    LABEL = "INSERT INTO contact_labels (workspace_id, label, contact_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
    UNLABEL = "DELETE FROM contact_labels WHERE workspace_id = $1 AND label = $2 AND contact_id = $3";
    PUT_METADATA = "INSERT INTO contact_metadata (workspace_id, key, value, contact_id) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING";
    DROP_METADATA = "DELETE FROM contact_metadata WHERE workspace_id = $1 AND contact_id = $2";
    /// Of subjects whose inbox was not noted, the time of the message is the contact's.
    FORGET_OLD_SUBJECTS = "UPDATE contacts SET last_subject = NULL WHERE workspace_id = $1 AND last_subject_inbox_id IS NULL
        AND last_seen_at IN (SELECT m.created_at FROM messages m WHERE m.workspace_id = $1 AND m.inbox_id = $2)";
    FORGET_SUBJECTS = "UPDATE contacts SET last_subject = NULL, last_subject_inbox_id = NULL WHERE workspace_id = $1
        AND last_subject_inbox_id = $2";
    FORGET_SUBJECT = "UPDATE contacts SET last_subject = NULL, last_subject_inbox_id = NULL WHERE workspace_id = $1 AND last_seen_at = $3
        AND (last_subject_inbox_id = $2 OR last_subject_inbox_id IS NULL)";
    FORGET = "INSERT INTO forgotten_contacts (workspace_id, digest) VALUES ($1, $2) ON CONFLICT DO NOTHING";
    REMEMBER = "DELETE FROM forgotten_contacts WHERE workspace_id = $1 AND digest = $2";
    DELETE_LABELS = "DELETE FROM contact_labels WHERE workspace_id = $1 AND contact_id IN ({IDS}) RETURNING contact_id";
    DELETE_METADATA = "DELETE FROM contact_metadata WHERE workspace_id = $1 AND contact_id IN ({IDS}) RETURNING contact_id";
    DELETE = "DELETE FROM contacts WHERE workspace_id = $1 AND id IN ({IDS}) RETURNING id";
    /// The newest by when they began are looked at; of those the newest by activity are shown.
    THREADS = "SELECT t.workspace_id, t.id, t.inbox_id, t.subject, t.participants, t.message_count, t.labels, t.metadata,
        t.last_message_at, t.created_at FROM
        (SELECT p.thread_id FROM thread_people p WHERE p.workspace_id = $1 AND p.address = $2 ORDER BY p.thread_id DESC LIMIT $3) newest
        JOIN threads t ON t.workspace_id = $1 AND t.id = newest.thread_id
        JOIN inboxes i ON i.workspace_id = $1 AND i.id = t.inbox_id AND i.deleted_at IS NULL
        WHERE t.message_count > 0 AND t.inbox_id = COALESCE($4, t.inbox_id)
        ORDER BY t.last_message_at DESC, t.id DESC LIMIT $5";
    SUPPRESSED = "SELECT count(*) FROM suppressions s JOIN contacts c ON c.workspace_id = s.workspace_id AND c.address = s.address
        WHERE s.workspace_id = $1";
}

/// Threads of a contact that are looked at for the newest activity.
const THREADS_LOOKED_AT: u32 = 500;

/// What a mail is to the people in it.
#[derive(Clone, Copy, Debug)]
pub struct Occasion<'a> {
    /// The tenant.
    pub workspace: WorkspaceId,
    /// The inbox it came to or was sent from.
    pub inbox: InboxId,
    /// Its subject without prefixes.
    pub subject: Option<&'a str>,
    /// When it was stored.
    pub at: Time,
}

/// Makes or renews the contact of somebody in a mail; not one of our own inboxes, nor somebody who was forgotten. `digest`
/// is the keyed hash of the address.
///
/// # Errors
/// The store's own.
pub fn meet(tx: &mut Tx, occasion: Occasion<'_>, id: ContactId, person: &Person, digest: &[u8]) -> Result<()> {
    let (o, who) = (occasion, person);
    tx.exec(
        &MEET,
        p![
            o.workspace,
            id,
            who.address,
            who.untagged,
            who.domain,
            who.name,
            who.kind,
            o.subject,
            o.at,
            who.haystack(),
            digest,
            i64::from(who.own_name),
            o.subject.map(|_| o.inbox)
        ],
    )?;
    Ok(())
}

/// Notes that an address takes part in a thread.
///
/// # Errors
/// The store's own.
pub fn join_thread(tx: &mut Tx, workspace: WorkspaceId, address: &str, thread: ThreadId) -> Result<()> {
    tx.exec(&JOIN_THREAD, p![workspace, address, thread])?;
    Ok(())
}

/// The contact of that id.
///
/// # Errors
/// The store's own.
pub fn get(tx: &mut Tx, workspace: WorkspaceId, id: ContactId) -> Result<Option<Contact>> {
    tx.one(&GET, p![workspace, id])
}

/// The contact of that id, to be changed in this transaction.
///
/// # Errors
/// The store's own.
pub fn take(tx: &mut Tx, workspace: WorkspaceId, id: ContactId) -> Result<Option<Contact>> {
    tx.one(&TAKE, p![workspace, id])
}

/// The contact of a canonical address.
///
/// # Errors
/// The store's own.
pub fn by_address(tx: &mut Tx, workspace: WorkspaceId, address: &str) -> Result<Option<Contact>> {
    tx.one(&BY_ADDRESS, p![workspace, address])
}

/// Writes what callers can change, given how it was.
///
/// # Errors
/// The store's own.
pub fn update(tx: &mut Tx, before: &Contact, after: &Contact) -> Result<()> {
    let c = after;
    tx.exec(
        &UPDATE,
        p![
            c.workspace,
            c.id,
            c.name,
            c.name_source,
            c.kind,
            c.kind_source,
            c.notes,
            c.metadata_json,
            Json(&c.labels),
            c.haystack()
        ],
    )?;
    for gone in before.labels.iter().filter(|label| !after.labels.contains(label)) {
        tx.exec(&UNLABEL, p![c.workspace, gone, c.id])?;
    }
    for new in after.labels.iter().filter(|label| !before.labels.contains(label)) {
        tx.exec(&LABEL, p![c.workspace, new, c.id])?;
    }
    if before.metadata_json != after.metadata_json {
        tx.exec(&DROP_METADATA, p![c.workspace, c.id])?;
        for (key, value) in &metadata::read(&c.metadata_json) {
            tx.exec(&PUT_METADATA, p![c.workspace, key, metadata::filter_text(value), c.id])?;
        }
    }
    Ok(())
}

/// Takes the subjects that came from the mail of an inbox. While its messages are still there.
///
/// # Errors
/// The store's own.
pub fn forget_subjects(tx: &mut Tx, workspace: WorkspaceId, inbox: InboxId) -> Result<()> {
    tx.exec(&FORGET_OLD_SUBJECTS, p![workspace, inbox])?;
    tx.exec(&FORGET_SUBJECTS, p![workspace, inbox])?;
    Ok(())
}

/// Takes the subjects that came from one message of an inbox.
///
/// # Errors
/// The store's own.
pub fn forget_subject(tx: &mut Tx, workspace: WorkspaceId, inbox: InboxId, created_at: Time) -> Result<()> {
    tx.exec(&FORGET_SUBJECT, p![workspace, inbox, created_at])?;
    Ok(())
}

/// Keeps received mail from making the contact of an address again.
///
/// # Errors
/// The store's own.
pub fn forget(tx: &mut Tx, workspace: WorkspaceId, digest: &[u8]) -> Result<()> {
    tx.exec(&FORGET, p![workspace, digest])?;
    Ok(())
}

/// Lets mail make the contact of an address again.
///
/// # Errors
/// The store's own.
pub fn remember(tx: &mut Tx, workspace: WorkspaceId, digest: &[u8]) -> Result<()> {
    tx.exec(&REMEMBER, p![workspace, digest])?;
    Ok(())
}

/// Deletes up to [`crate::dialect::IDS_MAX`] contacts; says how many there were.
///
/// # Errors
/// The store's own.
pub fn delete(tx: &mut Tx, workspace: WorkspaceId, ids: &[ContactId]) -> Result<u64> {
    many::rows::<(Uuid,), _>(tx, &DELETE_LABELS, workspace, ids)?;
    many::rows::<(Uuid,), _>(tx, &DELETE_METADATA, workspace, ids)?;
    Ok(many::rows::<(Uuid,), _>(tx, &DELETE, workspace, ids)?.len() as u64)
}

/// The threads with the newest activity that an address takes part in, at most `limit`; in one inbox, if given.
///
/// # Errors
/// The store's own.
pub fn threads(tx: &mut Tx, contact: &Contact, inbox: Option<InboxId>, limit: usize) -> Result<Vec<Thread>> {
    let limit = u32::try_from(limit).unwrap_or(u32::MAX);
    tx.rows(&THREADS, p![contact.workspace, contact.address, THREADS_LOOKED_AT, inbox, limit])
}

/// How many contacts of a workspace are suppressed.
///
/// # Errors
/// The store's own.
pub fn suppressed(tx: &mut Tx, workspace: WorkspaceId) -> Result<u64> {
    Ok(tx.value(&SUPPRESSED, p![workspace])?.unwrap_or(0))
}

fn last_subject(text: Option<String>, inbox: Option<InboxId>) -> Option<LastSubject> {
    text.map(|text| LastSubject::new(text, inbox))
}

impl FromRow for Contact {
    const COLUMNS: usize = 17;

    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            workspace: row.take()?,
            id: row.take()?,
            address: row.take()?,
            domain: row.take()?,
            name: row.take()?,
            name_source: row.take()?,
            kind: row.take()?,
            kind_source: row.take()?,
            notes: row.take()?,
            metadata_json: row.take()?,
            labels: row.take::<Json<Vec<String>>>()?.0,
            message_count: row.take()?,
            last_subject: last_subject(row.take()?, row.take()?),
            first_seen_at: row.take()?,
            last_seen_at: row.take()?,
            created_at: row.take()?,
        })
    }
}
