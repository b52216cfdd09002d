//! Identifiers: distinct types over UUIDv7 (decision 7), made from a time and a seed that the caller passes in.
//!
//! Never draws randomness or reads a clock: the same [`Ids`] gives the same identifiers again, so a transaction that
//! the database asks to run a second time writes the same rows.

use std::{cell::Cell, fmt, str::FromStr};
use uuid::Uuid;

use crate::time::Time;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
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
            /// Takes the hyphenated form only, as the API shows it.
            fn from_str(text: &str) -> Result<Self, uuid::Error> {
                if text.len() != uuid::fmt::Hyphenated::LENGTH {
                    // The simple, braced and URN forms parse too, but would make several names for one record.
                    return Uuid::try_parse("").map(Self);
                }
                Uuid::try_parse(text).map(Self)
            }
        }
        impl $name {
            /// The bare UUID.
            #[must_use]
            pub const fn as_uuid(&self) -> &Uuid { &self.0 }
        }
        impl From<Uuid> for $name { fn from(id: Uuid) -> Self { Self(id) } }
        impl From<$name> for Uuid { fn from(id: $name) -> Uuid { id.0 } }
    )*};
}

ids! {
    /// A tenant: what every other record belongs to.
    WorkspaceId;
    /// An API key.
    KeyId;
    /// An inbox: one address that receives and sends.
    InboxId;
    /// A conversation within one inbox.
    ThreadId;
    /// A stored message, received or sent.
    MessageId;
    /// The bytes and bodies of a mail, shared by its copies within one workspace.
    ContentId;
    /// A message that waits for somebody or for its time.
    DraftId;
    /// A file that came or left with a message.
    AttachmentId;
    /// An entry of a workspace's event log.
    EventId;
    /// One message on its way to one recipient elsewhere.
    EnvelopeId;
    /// A domain of a workspace's own.
    DomainId;
    /// A durable job.
    JobId;
    /// Somebody whom mail was exchanged with.
    ContactId;
    /// An entry of an allow or block list.
    ListEntryId;
    /// An address that the mail of an inbox is passed on to.
    ForwardingAddressId;
    /// A received message that is to be passed on to one address.
    ForwardId;
    /// A lease on a message of a work queue.
    LeaseId;
    /// A place that events are POSTed to.
    WebhookId;
    /// One attempt to hand one event to one webhook.
    WebhookDeliveryId;
}

/// A source of UUIDv7 identifiers for one request or transaction, deterministic from its time and seed.
///
/// A clone starts from the same place: give each run of a retried closure its own clone.
#[derive(Clone, Debug)]
pub struct Ids {
    time: Time,
    seed: [u8; 8],
    count: Cell<u16>,
}

impl Ids {
    /// A source whose identifiers sort by `time`; `seed` must come from a good random source.
    #[must_use]
    pub fn new(time: Time, seed: [u8; 8]) -> Self {
        Self { time, seed, count: Cell::new(0) }
    }

    /// The next identifier. At most 4,096 in a row sort in the order they were made.
    pub fn next<T: From<Uuid>>(&self) -> T {
        let count = self.count.get();
        self.count.set(count.wrapping_add(1));
        let mut random = [0u8; 10];
        // The twelve bits behind the version count up; above them the seed is free, and the wrap goes into the tail.
        random[..2].copy_from_slice(&(count & 0x0fff).to_be_bytes());
        random[2..].copy_from_slice(&self.seed);
        random[2] ^= (count >> 12) as u8;
        let millis = u64::try_from(self.time.millis()).unwrap_or(0);
        T::from(uuid::Builder::from_unix_timestamp_millis(millis, &random).into_uuid())
    }

    /// The time that the identifiers carry.
    #[must_use]
    pub fn time(&self) -> Time {
        self.time
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clone_repeats_and_the_order_holds() {
        let ids = Ids::new(Time::from_millis(1_800_000_000_000), [7; 8]);
        let again = ids.clone();
        let made: Vec<MessageId> = (0..4096).map(|_| ids.next()).collect();
        assert!(made.is_sorted());
        assert!(made.iter().all(|id| *id == again.next::<MessageId>()));
        assert_eq!(made[0].0.get_version_num(), 7);
    }

    #[test]
    fn no_two_are_alike_far_past_the_counter() {
        let ids = Ids::new(Time::from_millis(1), [9; 8]);
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
