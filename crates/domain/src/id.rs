//! Identifiers: distinct types over UUIDv7, generated from a time and a seed that the caller passes in.
//!
//! Generation is deterministic: the same [`IdGenerator`] yields the same identifiers again, so a transaction that the database
//! asks to retry writes the same rows.

use std::{cell::Cell, fmt, str::FromStr};
use uuid::Uuid;

use crate::time::Time;

macro_rules! ids {
    ($mark:tt $($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub Uuid);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { self.0.fmt(f) }
        }
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { write!(f, "{}({})", stringify!($name), self.0) }
        }
        impl FromStr for $name {
            type Err = uuid::Error;
            /// Accepts only the hyphenated form, as the API returns it.
            fn from_str(text: &str) -> Result<Self, uuid::Error> {
                if text.len() != uuid::fmt::Hyphenated::LENGTH {
                    // Reject the simple, braced and URN forms, which would give one record several names.
                    return Uuid::try_parse("").map(Self);
                }
                Uuid::try_parse(text).map(Self)
            }
        }
        impl $name {
            /// Returns the bare UUID.
            #[must_use]
            pub const fn as_uuid(&self) -> &Uuid { &self.0 }
        }
        impl From<Uuid> for $name { fn from(id: Uuid) -> Self { Self(id) } }
        impl From<$name> for Uuid { fn from(id: $name) -> Uuid { id.0 } }
    )*
        /// Calls a macro with the types of all identifiers.
        #[macro_export]
        macro_rules! with_ids {
            ($mark called:ident) => { $mark called!($($crate::id::$name),*); };
        }
    };
}

ids! {
    $
    /// A workspace: the tenant that owns all other records.
    WorkspaceId;
    /// A person who can sign in.
    UserId;
    /// A session of a signed-in person.
    SessionId;
    /// A request for a link that signs a person in.
    SignInId;
    /// An invitation of a person to a workspace.
    InvitationId;
    /// An API key.
    KeyId;
    /// An inbox: an address that receives and sends.
    InboxId;
    /// A conversation within one inbox.
    ThreadId;
    /// A stored message, received or sent.
    MessageId;
    /// The bytes and bodies of a message, shared by its copies within one workspace.
    ContentId;
    /// A draft: a message to be reviewed or scheduled.
    DraftId;
    /// A file attached to a message.
    AttachmentId;
    /// An event in a workspace's log.
    EventId;
    /// One message being delivered to one remote recipient.
    EnvelopeId;
    /// A custom domain of a workspace.
    DomainId;
    /// A report about an agent.
    AgentReportId;
    /// A durable job.
    JobId;
    /// A contact: a person or address that mail was exchanged with.
    ContactId;
    /// An entry of an allow or block list.
    ListEntryId;
    /// A rule of the owner about received mail.
    RuleId;
    /// An address that an inbox automatically forwards mail to.
    ForwardingAddressId;
    /// A received message to be forwarded to one address.
    ForwardId;
    /// A person on call.
    OnCallContactId;
    /// Something to escalate to the people on call.
    EscalationId;
    /// A lease on a message in a work queue.
    LeaseId;
    /// A webhook: a URL that events are posted to.
    WebhookId;
    /// One attempt to deliver one event to one webhook.
    WebhookDeliveryId;
    /// An app that agents sign in to.
    IdentityClientId;
    /// A line of an agent's sign-in history.
    IdentitySignInId;
    /// A sign-in in a browser.
    IdentityRequestId;
    /// A connector: what a person allowed one program to do.
    ConnectorId;
    /// A knowledge document: text that agents draw on for replies.
    KnowledgeId;
}

impl WorkspaceId {
    /// The workspace of the service itself: it holds the mail that the service writes to people. No key, person or
    /// command reaches it, and no list shows it.
    pub const SERVICE: Self = Self(Uuid::nil());
}

/// Generates UUIDv7 identifiers for one request or transaction, deterministically from its time and seed.
///
/// A clone continues from the same state: use a fresh clone for each run of a retried closure.
#[derive(Clone, Debug)]
pub struct IdGenerator {
    time: Time,
    seed: [u8; 8],
    count: Cell<u16>,
}

impl IdGenerator {
    /// Creates a generator whose identifiers sort by `time`. `seed` must come from a secure random source.
    #[must_use]
    pub fn new(time: Time, seed: [u8; 8]) -> Self {
        Self { time, seed, count: Cell::new(0) }
    }

    /// Returns the next identifier. Up to 4,096 in a row sort in the order they were generated.
    pub fn next<T: From<Uuid>>(&self) -> T {
        let count = self.count.get();
        self.count.set(count.wrapping_add(1));
        let mut random = [0u8; 10];
        // The twelve bits after the version hold the counter; its overflow is mixed into the seed.
        random[..2].copy_from_slice(&(count & 0x0fff).to_be_bytes());
        random[2..].copy_from_slice(&self.seed);
        random[2] ^= (count >> 12) as u8;
        let millis = u64::try_from(self.time.millis()).unwrap_or(0);
        T::from(uuid::Builder::from_unix_timestamp_millis(millis, &random).into_uuid())
    }

    /// Returns the time that the identifiers contain.
    #[must_use]
    pub fn time(&self) -> Time {
        self.time
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clone_repeats_the_sequence_in_order() {
        let ids = IdGenerator::new(Time::from_millis(1_800_000_000_000), [7; 8]);
        let again = ids.clone();
        let made: Vec<MessageId> = (0..4096).map(|_| ids.next()).collect();
        assert!(made.is_sorted());
        assert!(made.iter().all(|id| *id == again.next::<MessageId>()));
        assert_eq!(made[0].0.get_version_num(), 7);
    }

    #[test]
    fn identifiers_stay_unique_after_the_counter_wraps() {
        let ids = IdGenerator::new(Time::from_millis(1), [9; 8]);
        let made: std::collections::HashSet<Uuid> = (0..40_000).map(|_| ids.next::<Uuid>()).collect();
        assert_eq!(made.len(), 40_000);
    }

    #[test]
    fn only_the_hyphenated_form_parses() {
        assert!("0192f0c1-2345-7000-8000-0123456789ab".parse::<InboxId>().is_ok());
        for bad in ["", "0192f0c123457000800000123456789ab", "{0192f0c1-2345-7000-8000-0123456789ab}", "x"] {
            assert!(bad.parse::<InboxId>().is_err(), "{bad}");
        }
    }
}
