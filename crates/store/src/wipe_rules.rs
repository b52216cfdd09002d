//! When the rows of each table are deleted: one rule per table, next to the statements that carry it out.
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
    /// The column.
    pub column: &'static str,
    /// The kind of record.
    pub to: RecordKind,
}

/// A column that is emptied although its row stays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClearedColumn {
    /// The column.
    pub column: &'static str,
    /// The smallest record whose deletion empties it.
    pub with: ErasedRecord,
}

/// The rule of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TableRule {
    /// The table.
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

impl TableRule {
    const fn cleared(mut self, cleared: &'static [ClearedColumn]) -> Self {
        self.cleared = cleared;
        self
    }
}

const fn table(table: &'static str, lifetime: Lifetime, references: &'static [Reference]) -> TableRule {
    TableRule { table, lifetime, references, cleared: &[] }
}

const fn refers(column: &'static str, to: RecordKind) -> Reference {
    Reference { column, to }
}

const fn empties(column: &'static str, with: ErasedRecord) -> ClearedColumn {
    ClearedColumn { column, with }
}

const WORKSPACE: Reference = refers("workspace_id", RecordKind::Workspace);
const INBOX: Reference = refers("inbox_id", RecordKind::Inbox);
const THREAD: Reference = refers("thread_id", RecordKind::Thread);
const MESSAGE: Reference = refers("message_id", RecordKind::Message);
const DRAFT: Reference = refers("draft_id", RecordKind::Draft);
const CONTACT: Reference = refers("contact_id", RecordKind::Contact);
const WEBHOOK: Reference = refers("webhook_id", RecordKind::Webhook);
const USER: Reference = refers("user_id", RecordKind::User);
const ROW: Reference = refers("id", RecordKind::Other);

/// The tables whose rows belong to one message by `message_id` and are deleted with it, in this order. The statements
/// come from this list, so a table that is added here needs no further code.
macro_rules! rows_of_messages {
    ($($name:ident = $table:literal;)*) => {
        /// The tables in the list.
        #[cfg(test)]
        const ROWS_OF_MESSAGES: &[&str] = &[$($table),*];

        /// Statements that delete the rows of one message.
        pub(crate) mod of_message {
            crate::statements! {
                $($name = concat!("DELETE FROM ", $table, " WHERE workspace_id = $1 AND message_id = $2");)*
            }
        }

        /// Statements that delete the rows of all messages of an inbox.
        pub(crate) mod of_inbox {
            crate::statements! {
                $($name = concat!(
                    "DELETE FROM ", $table, " WHERE workspace_id = $1
                    AND message_id IN (SELECT id FROM messages WHERE workspace_id = $1 AND inbox_id = $2)"
                );)*
            }
        }
    };
}

rows_of_messages! {
    ATTACHMENTS = "attachments";
    RECIPIENTS = "recipients";
    DELIVERY_ATTEMPTS = "delivery_attempts";
    ENVELOPES = "envelopes";
    APPROVALS = "message_approvals";
    ROLE_MAIL = "role_mail";
    FORWARDS = "forwards";
    ESCALATIONS = "escalations";
}

/// The tables whose rows are deleted with their workspace, in this order: all tables with a `workspace_id` but the
/// addresses, which are never used again.
macro_rules! rows_of_workspaces {
    ($($name:ident = $table:literal;)*) => {
        /// The tables in the list.
        #[cfg(test)]
        const ROWS_OF_WORKSPACES: &[&str] = &[$($table),*];

        /// Statements that delete the rows of one workspace.
        pub(crate) mod of_workspace {
            crate::statements! {
                $($name = concat!("DELETE FROM ", $table, " WHERE workspace_id = $1");)*
            }
        }
    };
}

rows_of_workspaces! {
    JOBS = "jobs";
    SIGNUPS = "signups";
    SIGN_INS = "sign_ins";
    SESSIONS = "sessions";
    MEMBERS = "members";
    SERVICE_MAILS = "service_mails";
    STREAM_TOKENS = "stream_tokens";
    IDENTITY_CLIENTS = "identity_clients";
    IDENTITY_PREAPPROVALS = "identity_preapprovals";
    IDENTITY_REQUESTS = "identity_requests";
    IDENTITY_ACCESS_TOKENS = "identity_access_tokens";
    IDENTITY_SIGN_INS = "identity_sign_ins";
    IDENTITY_APPS = "identity_apps";
    IDEMPOTENCY = "idempotency";
    LIST_ENTRIES = "list_entries";
    FORWARDS = "forwards";
    FORWARDING_ADDRESSES = "forwarding_addresses";
    ROLE_MAIL = "role_mail";
    LOCAL_DELIVERIES = "local_deliveries";
    QUEUE_ITEMS = "queue_items";
    QUEUES = "queues";
    SEARCH_PENDING = "search_pending";
    SEARCH_DOCS = "search_docs";
    SEARCH_HEADS = "search_heads";
    DRAFT_FILES = "draft_files";
    DRAFT_METADATA = "draft_metadata";
    DRAFTS = "drafts";
    AGENT_REPORTS = "agent_reports";
    AGENT_SANCTIONS = "agent_sanctions";
    CARD_INDEX = "card_index";
    AGENT_CARDS = "agent_cards";
    HANDLES = "handles";
    ESCALATIONS = "escalations";
    ON_CALL_MAILS = "on_call_mails";
    CONFIRMATION_REQUESTS = "confirmation_requests";
    ON_CALL_CONTACTS = "on_call_contacts";
    INBOX_ESCALATION_SETTINGS = "inbox_escalation_settings";
    ESCALATION_SETTINGS = "escalation_settings";
    APPROVALS = "message_approvals";
    DELIVERY_ATTEMPTS = "delivery_attempts";
    RECIPIENTS = "recipients";
    ENVELOPES = "envelopes";
    ATTACHMENTS = "attachments";
    MESSAGE_LABELS = "message_labels";
    MESSAGES = "messages";
    CONTENTS = "contents";
    THREAD_LABELS = "thread_labels";
    THREAD_PEOPLE = "thread_people";
    THREADS = "threads";
    SUPPRESSIONS = "suppressions";
    INBOX_USAGE = "inbox_usage";
    WORKSPACE_USAGE = "workspace_usage";
    UNCLAIMED_RECIPIENTS = "unclaimed_recipients";
    SENDING_INCIDENTS = "sending_incidents";
    SENDING_RECOVERIES = "sending_recoveries";
    CONTACT_LABELS = "contact_labels";
    CONTACT_METADATA = "contact_metadata";
    CONTACTS = "contacts";
    FORGOTTEN_CONTACTS = "forgotten_contacts";
    HELD_EVENTS = "held_events";
    EVENTS = "events";
    WEBHOOK_DELIVERIES = "webhook_deliveries";
    WEBHOOK_COUNTS = "webhook_counts";
    WEBHOOKS = "webhooks";
    METRIC_SLOTS = "metric_slots";
    METRIC_BOUNCES = "metric_bounces";
    METRIC_BOUNCE_CLASSES = "metric_bounce_classes";
    AGENT_NONCES = "agent_nonces";
    AGENT_KEYS = "agent_keys";
    DOMAIN_KEYS = "domain_keys";
    MAIL_DOMAINS = "mail_domains";
    WORKSPACE_COUNTERS = "workspace_counters";
    INBOX_METADATA = "inbox_metadata";
    INBOXES = "inboxes";
    API_KEYS = "api_keys";
}

const WORKSPACE_DATA: Lifetime = Lifetime::Kept("data of the workspace");
const SERVER_DATA: Lifetime = Lifetime::Kept("data of the server, not of a workspace");
const COUNTERS: Lifetime = Lifetime::Kept("counters without content; deleted after 400 days");
const LIMITS: Lifetime = Lifetime::Kept("counts for limits; deleting an inbox must not reset them");
const REPUTATION: Lifetime = Lifetime::Kept("protects recipients and the reputation of the server");

/// The rule of every table.
pub const RULES: &[TableRule] = &[
    table("schema_migrations", SERVER_DATA, &[]),
    table("instance", SERVER_DATA, &[]),
    table(
        "workspaces",
        Lifetime::Kept("until an unclaimed workspace was unused for 30 days"),
        &[refers("id", RecordKind::Workspace)],
    ),
    table("signups", Lifetime::Kept("until the workspace is claimed or deleted"), &[WORKSPACE]),
    table("used_challenges", Lifetime::Kept("until the challenge expires"), &[]),
    table("signup_usage", Lifetime::Kept("for a day; keyed hashes and counts"), &[]),
    table(
        "api_keys",
        Lifetime::Kept("a key stays listed after it is revoked or its inbox is gone"),
        &[WORKSPACE, refers("id", RecordKind::Key), INBOX, refers("member_id", RecordKind::User)],
    ),
    table("users", SERVER_DATA, &[refers("id", RecordKind::User)]),
    table("members", WORKSPACE_DATA, &[WORKSPACE, USER, refers("invitation_id", RecordKind::Other)]),
    table(
        "sign_ins",
        Lifetime::Kept("until the link is used or expires"),
        // The mail is in the workspace of the service, which no command wipes.
        &[ROW, WORKSPACE, refers("message_id", RecordKind::Other)],
    ),
    table("sessions", WORKSPACE_DATA, &[WORKSPACE, refers("id", RecordKind::Session), USER]),
    table("service_mails", WORKSPACE_DATA, &[WORKSPACE, refers("message_id", RecordKind::Other)]),
    table(
        "stream_tokens",
        Lifetime::Kept("for a minute"),
        &[WORKSPACE, refers("key_id", RecordKind::Key), refers("session_id", RecordKind::Session)],
    ),
    table("identity_clients", WORKSPACE_DATA, &[WORKSPACE, ROW]),
    table("identity_preapprovals", Lifetime::Inbox, &[WORKSPACE, INBOX]),
    table(
        "identity_requests",
        Lifetime::Kept("for at most 70 minutes; the code of a deleted inbox is refused"),
        &[ROW, refers("hinted_id", RecordKind::Inbox), WORKSPACE, INBOX],
    ),
    table("identity_access_tokens", Lifetime::Inbox, &[WORKSPACE, INBOX, refers("request_id", RecordKind::Other)]),
    table("identity_sign_ins", Lifetime::Inbox, &[WORKSPACE, ROW, INBOX]),
    table("identity_apps", Lifetime::Inbox, &[WORKSPACE, INBOX]),
    table(
        "idempotency",
        Lifetime::Kept("for a day, so that a request can be repeated"),
        &[WORKSPACE, refers("scope_id", RecordKind::Inbox)],
    ),
    table("addresses", Lifetime::Kept("forever, so that an address isn't used again"), &[WORKSPACE, INBOX]),
    table(
        "inboxes",
        Lifetime::Kept("forever, because events, keys and counters refer to it"),
        &[WORKSPACE, refers("id", RecordKind::Inbox)],
    )
    .cleared(&[
        empties("display_name", ErasedRecord::Inbox),
        empties("metadata", ErasedRecord::Inbox),
        empties("paused_reason", ErasedRecord::Inbox),
    ]),
    table("inbox_metadata", Lifetime::Inbox, &[WORKSPACE, INBOX]),
    table("list_entries", Lifetime::Inbox, &[WORKSPACE, ROW, INBOX]),
    table("forwarding_addresses", Lifetime::Inbox, &[WORKSPACE, refers("id", RecordKind::ForwardingAddress), INBOX]),
    table("threads", Lifetime::Thread, &[WORKSPACE, refers("id", RecordKind::Thread), INBOX]),
    table("thread_labels", Lifetime::Thread, &[WORKSPACE, THREAD]),
    table("thread_people", Lifetime::Thread, &[WORKSPACE, THREAD]),
    table("contents", Lifetime::Message, &[WORKSPACE, refers("id", RecordKind::Content)]),
    table(
        "messages",
        Lifetime::Message,
        &[
            WORKSPACE,
            refers("id", RecordKind::Message),
            INBOX,
            THREAD,
            refers("content_id", RecordKind::Content),
            refers("answers", RecordKind::Message),
        ],
    ),
    table("message_labels", Lifetime::Message, &[WORKSPACE, INBOX, MESSAGE]),
    table("attachments", Lifetime::Message, &[WORKSPACE, ROW, MESSAGE]),
    table("envelopes", Lifetime::Message, &[WORKSPACE, refers("id", RecordKind::Envelope), MESSAGE]),
    table("delivery_attempts", Lifetime::Message, &[WORKSPACE, MESSAGE]),
    table("recipients", Lifetime::Message, &[WORKSPACE, MESSAGE, refers("envelope_id", RecordKind::Envelope)]),
    table("suppressions", REPUTATION, &[WORKSPACE, MESSAGE]),
    table(
        "forwards",
        Lifetime::Message,
        &[WORKSPACE, ROW, MESSAGE, refers("address_id", RecordKind::ForwardingAddress)],
    ),
    // Its job deletes it within moments; a copy for a deleted inbox is never stored.
    table(
        "local_deliveries",
        Lifetime::Kept("until the copies are stored and the sent message shows it"),
        &[
            WORKSPACE,
            refers("id", RecordKind::Envelope),
            refers("sender_workspace_id", RecordKind::Workspace),
            refers("sender_inbox_id", RecordKind::Inbox),
            MESSAGE,
            refers("content_id", RecordKind::Content),
        ],
    ),
    table("role_mail", Lifetime::Message, &[WORKSPACE, MESSAGE]),
    table("inbox_usage", LIMITS, &[WORKSPACE, INBOX]),
    table("workspace_usage", LIMITS, &[WORKSPACE]),
    table("unclaimed_recipients", LIMITS, &[WORKSPACE]),
    table("sending_incidents", REPUTATION, &[WORKSPACE]),
    table("sending_recoveries", REPUTATION, &[WORKSPACE]),
    table(
        "drafts",
        Lifetime::Thread,
        &[
            WORKSPACE,
            refers("id", RecordKind::Draft),
            INBOX,
            refers("answers", RecordKind::Message),
            THREAD,
            refers("sent_message_id", RecordKind::Message),
        ],
    ),
    table("draft_metadata", Lifetime::Thread, &[WORKSPACE, DRAFT]),
    table("draft_files", Lifetime::Thread, &[WORKSPACE, ROW, DRAFT]),
    table("handles", Lifetime::Kept("forever, so that a handle isn't used again"), &[WORKSPACE]),
    table("agent_cards", Lifetime::Inbox, &[WORKSPACE, INBOX]),
    table("agent_sanctions", Lifetime::Kept("until the operator ends it"), &[WORKSPACE, INBOX]),
    table(
        "agent_reports",
        Lifetime::Kept("for 400 days, because they count against the reported agent"),
        &[
            WORKSPACE,
            ROW,
            refers("agent_workspace_id", RecordKind::Workspace),
            refers("agent_id", RecordKind::Inbox),
            refers("network", RecordKind::Other),
            MESSAGE,
        ],
    )
    .cleared(&[empties("message_id", ErasedRecord::Message)]),
    table("card_index", Lifetime::Inbox, &[WORKSPACE, INBOX]),
    table("escalation_settings", WORKSPACE_DATA, &[WORKSPACE]),
    table("inbox_escalation_settings", Lifetime::Inbox, &[WORKSPACE, INBOX]),
    table("on_call_contacts", Lifetime::Inbox, &[WORKSPACE, ROW, INBOX]),
    table("confirmation_requests", LIMITS, &[WORKSPACE, ROW]),
    table("escalations", Lifetime::Message, &[WORKSPACE, ROW, INBOX, MESSAGE, DRAFT]),
    table(
        "on_call_mails",
        Lifetime::Kept("for 400 days: deleting a message must not reset a limit or start a loop"),
        &[WORKSPACE, MESSAGE, THREAD],
    ),
    table("message_approvals", Lifetime::Message, &[WORKSPACE, MESSAGE, DRAFT]),
    table("queues", Lifetime::Inbox, &[WORKSPACE, INBOX]),
    // An item that was leased stays for 30 days without its consumer, so that its lease gets an answer.
    table(
        "queue_items",
        Lifetime::Message,
        &[WORKSPACE, MESSAGE, INBOX, THREAD, refers("lease_id", RecordKind::Other)],
    ),
    table("search_pending", Lifetime::Message, &[WORKSPACE, MESSAGE]),
    table("search_heads", WORKSPACE_DATA, &[WORKSPACE]),
    table("search_docs", Lifetime::Message, &[WORKSPACE, MESSAGE, INBOX]),
    // Words of documents, on SQLite only. Its rows are found by the document number.
    table("search_text", Lifetime::Message, &[]),
    table(
        "contacts",
        Lifetime::Kept("until the contact is deleted: it belongs to the workspace"),
        &[WORKSPACE, refers("id", RecordKind::Contact), refers("last_subject_inbox_id", RecordKind::Inbox)],
    )
    .cleared(&[
        empties("last_subject", ErasedRecord::Message),
        empties("last_subject_inbox_id", ErasedRecord::Message),
        empties("last_subject_at", ErasedRecord::Message),
    ]),
    table("contact_labels", Lifetime::Kept("with the contact"), &[WORKSPACE, CONTACT]),
    table("contact_metadata", Lifetime::Kept("with the contact"), &[WORKSPACE, CONTACT]),
    table(
        "forgotten_contacts",
        Lifetime::Kept("so that a deleted contact isn't created again; a keyed hash"),
        &[WORKSPACE],
    ),
    table(
        "events",
        Lifetime::Kept("for 30 days, because the log has no gaps; details of drafts are removed"),
        &[WORKSPACE, refers("id", RecordKind::Event), INBOX, THREAD, MESSAGE],
    )
    .cleared(&[empties("detail", ErasedRecord::Thread)]),
    table("workspace_counters", WORKSPACE_DATA, &[WORKSPACE]),
    table("held_events", Lifetime::Inbox, &[WORKSPACE, INBOX, refers("id", RecordKind::Event), THREAD, MESSAGE]),
    table("webhooks", WORKSPACE_DATA, &[WORKSPACE, refers("id", RecordKind::Webhook)]),
    table(
        "webhook_deliveries",
        Lifetime::Kept("for 30 days, like events; holds no content"),
        &[WORKSPACE, WEBHOOK, ROW, refers("event_id", RecordKind::Event), refers("lease_token", RecordKind::Other)],
    ),
    table("webhook_counts", Lifetime::Kept("for a day"), &[WORKSPACE, WEBHOOK]),
    table("metric_slots", COUNTERS, &[WORKSPACE, INBOX]),
    table("metric_bounces", COUNTERS, &[WORKSPACE, INBOX]),
    table("metric_bounce_classes", COUNTERS, &[WORKSPACE, INBOX]),
    table("mail_domains", WORKSPACE_DATA, &[WORKSPACE, refers("id", RecordKind::Domain)]),
    table("domain_keys", WORKSPACE_DATA, &[WORKSPACE, refers("domain_id", RecordKind::Domain)]),
    table(
        "agent_keys",
        Lifetime::Kept("with the workspace, so that signatures can be checked and no key is registered twice"),
        &[WORKSPACE, INBOX],
    ),
    table("agent_nonces", Lifetime::Kept("for five minutes"), &[WORKSPACE, INBOX]),
    table("dkim_keys", SERVER_DATA, &[]),
    table("signing_keys", SERVER_DATA, &[]),
    table("acme_accounts", SERVER_DATA, &[]),
    table("acme_challenges", SERVER_DATA, &[]),
    table("acme_certificates", SERVER_DATA, &[ROW]),
    table("greylist", SERVER_DATA, &[]),
    table(
        "jobs",
        Lifetime::Kept("until it has run; holds IDs only, and a job without its record ends"),
        &[WORKSPACE, ROW, refers("subject_id", RecordKind::Other), refers("lease_token", RecordKind::Other)],
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_that_are_deleted_by_message_have_that_lifetime() {
        for name in ROWS_OF_MESSAGES {
            let rule = RULES.iter().find(|rule| rule.table == *name);
            assert_eq!(rule.map(|rule| rule.lifetime), Some(Lifetime::Message), "{name}");
            assert!(rule.is_some_and(|rule| rule.references.contains(&MESSAGE)), "{name}");
        }
    }

    #[test]
    fn every_table_of_a_workspace_but_the_addresses_is_deleted_with_it() {
        let owned = RULES.iter().filter(|rule| rule.references.contains(&WORKSPACE)).map(|rule| rule.table);
        let mut owned: Vec<&str> = owned.filter(|table| *table != "addresses").collect();
        let mut listed = ROWS_OF_WORKSPACES.to_vec();
        owned.sort_unstable();
        listed.sort_unstable();
        assert_eq!(listed, owned);
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
