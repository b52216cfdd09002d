//! When the rows of each table are deleted. The migrations state the rule of each table (see `tables.rs`).
//!
//! A message is erased by the retention of its workspace or with its thread, a thread by the API, and an inbox when it
//! is wiped. Only an unclaimed workspace that nobody uses is deleted, with everything but its
//! addresses. A test reads the schema of both engines, fills every table, deletes a message, a thread and an inbox, and
//! looks for remains in all tables; a table without a rule fails it.

/// How long the rows of a table live.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lifetime {
    /// Until their message is erased.
    Message,
    /// Until their thread is deleted or has no messages left.
    Thread,
    /// Until their inbox is wiped.
    Inbox,
    /// Independent of messages, threads and inboxes; states until when, and why.
    Kept(&'static str),
}

/// The record whose deletion removes rows. A later one includes the earlier ones.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ErasedRecord {
    /// One message of a thread.
    Message,
    /// A thread with its messages.
    Thread,
    /// An inbox with its threads.
    Inbox,
}

/// The kind of record that a column refers to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RecordKind {
    /// A workspace.
    Workspace,
    /// An inbox.
    Inbox,
    /// A thread.
    Thread,
    /// A message.
    Message,
    /// The content that copies of a message share.
    Content,
    /// An envelope.
    Envelope,
    /// A draft.
    Draft,
    /// A contact.
    Contact,
    /// A forwarding address.
    ForwardingAddress,
    /// An event.
    Event,
    /// A webhook.
    Webhook,
    /// A custom domain.
    Domain,
    /// An API key.
    Key,
    /// A person.
    User,
    /// A session.
    Session,
    /// Any other record: the row itself, a lease, or the subject of a job.
    Other,
}

/// A column that refers to a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reference {
    pub column: &'static str,
    pub to: RecordKind,
}

/// A column that is emptied although its row stays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClearedColumn {
    pub column: &'static str,
    /// The smallest record whose deletion empties it.
    pub with: ErasedRecord,
}

/// The rule of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TableRule {
    pub table: &'static str,
    /// How long its rows live.
    pub lifetime: Lifetime,
    /// All columns that refer to a record.
    pub references: &'static [Reference],
    /// Columns that are emptied although the row stays.
    pub cleared: &'static [ClearedColumn],
}

impl Lifetime {
    /// Returns whether the rows that belong to an erased record are deleted.
    #[must_use]
    pub fn ends_with(self, erased: ErasedRecord) -> bool {
        match self {
            Lifetime::Message => true,
            Lifetime::Thread => erased >= ErasedRecord::Thread,
            Lifetime::Inbox => erased >= ErasedRecord::Inbox,
            Lifetime::Kept(_) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::{RULES, of_message, of_workspace};

    fn written(all: &[&crate::Sql]) -> Vec<&'static str> {
        all.iter().map(|sql| sql.name()).collect()
    }

    #[test]
    fn the_tables_that_are_deleted_by_message_have_that_lifetime() {
        for name in written(of_message::ALL) {
            let rule = RULES.iter().find(|rule| rule.table.eq_ignore_ascii_case(name));
            assert_eq!(rule.map(|rule| rule.lifetime), Some(Lifetime::Message), "{name}");
            assert!(
                rule.is_some_and(|rule| rule.references.contains(&refers("message_id", RecordKind::Message))),
                "{name}"
            );
        }
    }

    #[test]
    fn every_table_of_a_workspace_but_the_addresses_is_deleted_with_it() {
        let workspace = refers("workspace_id", RecordKind::Workspace);
        let owned =
            RULES.iter().filter(|rule| rule.references.contains(&workspace)).map(|rule| rule.table.to_uppercase());
        let mut owned: Vec<String> = owned.filter(|table| table != "ADDRESSES").collect();
        let mut listed = written(of_workspace::ALL);
        owned.sort_unstable();
        listed.sort_unstable();
        assert_eq!(listed, owned);
    }

    fn refers(column: &'static str, to: RecordKind) -> Reference {
        Reference { column, to }
    }

    #[test]
    fn a_lifetime_ends_with_its_record_and_with_larger_ones() {
        use ErasedRecord::{Inbox, Message, Thread};
        let ends = |lifetime: Lifetime| [Message, Thread, Inbox].map(|erased| lifetime.ends_with(erased));
        assert_eq!(ends(Lifetime::Message), [true; 3]);
        assert_eq!(ends(Lifetime::Thread), [false, true, true]);
        assert_eq!(ends(Lifetime::Inbox), [false, false, true]);
        assert_eq!(ends(Lifetime::Kept("")), [false; 3]);
    }
}
