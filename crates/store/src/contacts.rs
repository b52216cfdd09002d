//! Contacts. Storing a message upserts one contact per person with one statement each; callers edit them afterward.

pub mod contact_list;
pub mod lists;
pub mod rules;

use posthouse_domain::{
    Contact, ContactId, InboxId, LastSubject, MessageParticipant, Thread, ThreadId, Time, WorkspaceId, metadata,
};

use crate::{Result, Tx, message_list::InboxRef, statements};

/// The columns of a contact in the order that rows are read; the table alias is `c`.
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

/// Correspondents whose domains are read, the latest first.
const CORRESPONDENTS_READ_MAX: u32 = 5_000;
/// Domains that are known of a workspace, those with the most messages first.
const KNOWN_DOMAINS_MAX: u32 = 500;

statements! {
    /// Skips the workspace's own inboxes and forgotten contacts. Fields set by a caller stay. A name given by a third
    /// party (`own_name = 0`) is only used if the contact has no name.
    /// Creates or updates the contact of a person in a message. Skips the workspace's own inboxes and forgotten contacts.
    /// `digest` is the keyed hash of the address.
    pub fn upsert(
        occasion: ContactActivity<'_> {
            workspace, subject, at, subject_inbox: occasion.subject.map(|_| occasion.inbox),
            subject_at: occasion.subject.map(|_| occasion.at),
        },
        id: ContactId,
        person: &MessageParticipant { address, untagged, domain, name, kind, haystack: person.haystack(), own_name, corresponds },
        digest: &[u8],
    ) =
        "INSERT INTO contacts (workspace_id, id, address, domain, name, name_source, kind, kind_source, metadata, labels,
        message_count, last_subject, last_subject_inbox_id, last_subject_at, first_seen_at, last_seen_at, created_at, haystack, corresponded_at)
        SELECT :workspace, :id, :address, :domain, :name, 'auto', :kind, 'auto', '{}', '[]', 1, :subject, :subject_inbox, :subject_at, :at, :at, :at, :haystack,
        CASE WHEN CAST(:corresponds AS BIGINT) = 1 THEN CAST(:at AS BIGINT) END
        WHERE NOT EXISTS (SELECT 1 FROM addresses a WHERE a.address IN (:address, :untagged) AND a.workspace_id = :workspace)
        AND NOT EXISTS (SELECT 1 FROM forgotten_contacts f WHERE f.workspace_id = :workspace AND f.digest = :digest)
        ON CONFLICT (workspace_id, address) DO UPDATE SET message_count = contacts.message_count + 1,
        last_subject = COALESCE(excluded.last_subject, contacts.last_subject),
        last_subject_inbox_id = CASE WHEN excluded.last_subject IS NULL THEN contacts.last_subject_inbox_id
          ELSE excluded.last_subject_inbox_id END,
        last_subject_at = COALESCE(excluded.last_subject_at, contacts.last_subject_at),
        last_seen_at = {GREATEST}(contacts.last_seen_at, excluded.last_seen_at),
        corresponded_at = COALESCE(contacts.corresponded_at, excluded.corresponded_at),
        name = CASE WHEN contacts.name_source = 'manual' OR excluded.name IS NULL
          OR (CAST(:own_name AS BIGINT) = 0 AND contacts.name IS NOT NULL) THEN contacts.name ELSE excluded.name END,
        haystack = CASE WHEN contacts.name_source = 'manual' OR excluded.name IS NULL
          OR (CAST(:own_name AS BIGINT) = 0 AND contacts.name IS NOT NULL) THEN contacts.haystack ELSE excluded.haystack END,
        kind = CASE WHEN contacts.kind_source = 'manual' OR excluded.kind = 'unknown'
          OR (excluded.kind = 'automated' AND contacts.kind <> 'unknown') THEN contacts.kind ELSE excluded.kind END";
    /// Returns the contacts among these addresses that mail was exchanged with, and since when.
    pub fn corresponded(workspace: WorkspaceId, addresses: each &str) -> Vec<(address: String, corresponded_at: Time)> =
        "SELECT c.address, c.corresponded_at FROM {EACH_TEXT} contacts c WHERE c.workspace_id = :workspace AND c.corresponded_at IS NOT NULL
        AND c.address {AMONG} {pg:c}";
    fn correspondents(workspace: WorkspaceId; contacts = CORRESPONDENTS_READ_MAX, limit = KNOWN_DOMAINS_MAX) -> Vec<(domain: String, since: Time)> =
        "SELECT domain, min(corresponded_at) AS since FROM (SELECT domain, corresponded_at, message_count FROM contacts
        WHERE workspace_id = :workspace AND corresponded_at IS NOT NULL ORDER BY last_seen_at DESC, id DESC LIMIT :contacts) bounded
        GROUP BY domain ORDER BY sum(message_count) DESC, domain LIMIT :limit";
    /// Records that an address takes part in a thread.
    pub fn join_thread(workspace: WorkspaceId, address: &str, thread: ThreadId) =
        "INSERT INTO thread_people (workspace_id, address, thread_id) VALUES (:workspace, :address, :thread) ON CONFLICT DO NOTHING";
    /// Returns the contact with that ID.
    pub fn get(workspace: WorkspaceId, id: ContactId) -> Option<Contact> =
        select!("contacts c WHERE c.workspace_id = :workspace AND c.id = :id");
    /// Returns the contact with that ID and locks its row until the end of the transaction.
    pub fn lock(workspace: WorkspaceId, id: ContactId) -> Option<Contact> =
        select!("contacts c WHERE c.workspace_id = :workspace AND c.id = :id {FOR_UPDATE}");
    /// Returns the contact with a canonical address.
    pub fn by_address(workspace: WorkspaceId, address: &str) -> Option<Contact> =
        select!("contacts c WHERE c.workspace_id = :workspace AND c.address = :address");
    fn update_row(
        contact: &Contact {
            workspace, id, name, name_source, kind, kind_source, notes, metadata: contact.metadata_json, labels,
            haystack: contact.haystack(),
        },
    ) =
        "UPDATE contacts SET name = :name, name_source = :name_source, kind = :kind, kind_source = :kind_source, notes = :notes,
        metadata = :metadata, labels = :labels, haystack = :haystack WHERE workspace_id = :workspace AND id = :id";
    fn add_label(contact: &Contact { workspace, id }, label: &str) =
        "INSERT INTO contact_labels (workspace_id, label, contact_id) VALUES (:workspace, :label, :id) ON CONFLICT DO NOTHING";
    fn remove_label(contact: &Contact { workspace, id }, label: &str) =
        "DELETE FROM contact_labels WHERE workspace_id = :workspace AND label = :label AND contact_id = :id";
    fn add_metadata(contact: &Contact { workspace, id }, key: &str, value: &str) =
        "INSERT INTO contact_metadata (workspace_id, key, value, contact_id) VALUES (:workspace, :key, :value, :id) ON CONFLICT DO NOTHING";
    fn clear_metadata(contact: &Contact { workspace, id }) =
        "DELETE FROM contact_metadata WHERE workspace_id = :workspace AND contact_id = :id";
    /// Clears the last subjects that came from the messages of an inbox. Call it before its threads are deleted: it finds the
    /// contacts by these, because an index on the inbox would be written with every message.
    pub fn clear_subjects(workspace: WorkspaceId, inbox: InboxId) =
        "UPDATE contacts SET last_subject = NULL, last_subject_inbox_id = NULL, last_subject_at = NULL
        WHERE workspace_id = :workspace AND last_subject_inbox_id = :inbox AND address IN (SELECT p.address FROM threads t
          JOIN thread_people p ON p.workspace_id = t.workspace_id AND p.thread_id = t.id
          WHERE t.workspace_id = :workspace AND t.inbox_id = :inbox)";
    /// Clears the last subjects that came from one message: the message of the inbox that was stored at `created_at`. Call
    /// it before its thread is deleted.
    pub(crate) fn clear_subject(inbox: InboxRef { workspace, inbox }, thread: ThreadId, created_at: Time) =
        "UPDATE contacts SET last_subject = NULL, last_subject_inbox_id = NULL, last_subject_at = NULL
        WHERE workspace_id = :workspace AND last_subject_inbox_id = :inbox AND last_subject_at = :created_at
        AND address IN (SELECT p.address FROM thread_people p WHERE p.workspace_id = :workspace AND p.thread_id = :thread)";
    /// Records that an address was forgotten, so that received mail doesn't create its contact again.
    pub fn block_creation(workspace: WorkspaceId, digest: &[u8]) =
        "INSERT INTO forgotten_contacts (workspace_id, digest) VALUES (:workspace, :digest) ON CONFLICT DO NOTHING";
    /// Removes the record that an address was forgotten, so that mail can create its contact again.
    pub fn allow_creation(workspace: WorkspaceId, digest: &[u8]) =
        "DELETE FROM forgotten_contacts WHERE workspace_id = :workspace AND digest = :digest";
    fn delete_labels(workspace: WorkspaceId, ids: each ContactId) -> Vec<ContactId> =
        "DELETE FROM contact_labels WHERE workspace_id = :workspace AND contact_id IN ({IDS}) RETURNING contact_id";
    fn delete_metadata(workspace: WorkspaceId, ids: each ContactId) -> Vec<ContactId> =
        "DELETE FROM contact_metadata WHERE workspace_id = :workspace AND contact_id IN ({IDS}) RETURNING contact_id";
    fn delete_rows(workspace: WorkspaceId, ids: each ContactId) -> Vec<ContactId> =
        "DELETE FROM contacts WHERE workspace_id = :workspace AND id IN ({IDS}) RETURNING id";
    /// Searches the most recently created threads, and returns those with the newest activity.
    /// Returns up to `limit` threads that an address takes part in, most recent activity first; optionally in one inbox.
    pub fn threads(
        contact: &Contact { workspace, address }, inbox: Option<InboxId>, limit: usize { limit: limit as u64 };
        searched = THREADS_SEARCHED_MAX,
    ) -> Vec<Thread> = "SELECT t.workspace_id, t.id, t.inbox_id, t.subject, t.participants, t.message_count,
        (SELECT count(*) FROM messages u WHERE u.workspace_id = t.workspace_id AND u.thread_id = t.id AND u.is_read = 0
          AND (u.held IS NULL OR u.released_at IS NOT NULL)) AS unread_count, t.labels, t.metadata, t.last_message_at, t.created_at FROM
        (SELECT p.thread_id FROM thread_people p WHERE p.workspace_id = :workspace AND p.address = :address ORDER BY p.thread_id DESC LIMIT :searched) newest
        JOIN threads t ON t.workspace_id = :workspace AND t.id = newest.thread_id
        JOIN inboxes i ON i.workspace_id = :workspace AND i.id = t.inbox_id AND i.deleted_at IS NULL
        WHERE t.message_count > 0 AND t.inbox_id = COALESCE(:inbox, t.inbox_id)
        ORDER BY t.last_message_at DESC, t.id DESC LIMIT :limit";
    /// Returns the number of suppressed contacts of a workspace.
    pub fn suppressed(workspace: WorkspaceId) -> u64 =
        "SELECT count(*) FROM suppressions s JOIN contacts c ON c.workspace_id = s.workspace_id AND c.address = s.address
        WHERE s.workspace_id = :workspace";
}

/// Number of most recent threads of a contact that are searched for the newest activity.
const THREADS_SEARCHED_MAX: u32 = 500;

/// The data of a message that is recorded for each person in it.
#[derive(Clone, Copy, Debug)]
pub struct ContactActivity<'a> {
    pub workspace: WorkspaceId,
    /// The inbox that received or sent it.
    pub inbox: InboxId,
    /// Its subject without prefixes such as `Re:`.
    pub subject: Option<&'a str>,
    /// When it was stored.
    pub at: Time,
}

/// Returns the domains that mail was exchanged with, in the order of the first exchange. Addresses that others named don't
/// count.
pub fn known_domains(tx: &mut Tx, workspace: WorkspaceId) -> Result<Vec<String>> {
    let mut found = correspondents(tx, workspace)?;
    found.sort_by(|(a, since), (b, other)| (since, a).cmp(&(other, b)));
    Ok(found.into_iter().map(|(domain, _)| domain).collect())
}

/// Writes the fields that callers can change. `before` is the stored contact.
pub fn update(tx: &mut Tx, before: &Contact, after: &Contact) -> Result<()> {
    update_row(tx, after)?;
    for removed in before.labels.iter().filter(|label| !after.labels.contains(label)) {
        remove_label(tx, after, removed)?;
    }
    for added in after.labels.iter().filter(|label| !before.labels.contains(label)) {
        add_label(tx, after, added)?;
    }
    if before.metadata_json != after.metadata_json {
        clear_metadata(tx, after)?;
        for (key, value) in &metadata::read(&after.metadata_json) {
            add_metadata(tx, after, key, &metadata::filter_text(value))?;
        }
    }
    Ok(())
}

/// Deletes up to [`crate::dialect::IDS_MAX`] contacts; returns how many existed.
pub fn delete(tx: &mut Tx, workspace: WorkspaceId, ids: &[ContactId]) -> Result<u64> {
    delete_labels(tx, workspace, ids)?;
    delete_metadata(tx, workspace, ids)?;
    Ok(delete_rows(tx, workspace, ids)?.len() as u64)
}

crate::from_row!(Contact {
    workspace = workspace_id, id, address, domain, name, name_source, kind, kind_source, notes, metadata_json = metadata, labels,
    message_count,
    last_subject(last_subject: Option<String>, last_subject_inbox_id: Option<InboxId>) =>
        last_subject.map(|text| LastSubject::new(text, last_subject_inbox_id)),
    first_seen_at, last_seen_at, created_at,
});
