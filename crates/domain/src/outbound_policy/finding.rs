//! What is found out about a message that goes out: the origins of its recipients, and the secrets in it.

use crate::id::MessageId;

named! {
    /// Where the address of a recipient comes from; the strongest origin counts.
    OriginKind {
        /// Only the caller named it.
        Caller = "caller",
        /// A person typed or approved it.
        Person = "person",
        /// A contact with earlier correspondence.
        Contact = "contact",
        /// The message that this one answers is from it, or was sent to it too.
        Thread = "thread",
        /// An allow entry of a send list.
        List = "list",
        /// An agent of the workspace, or one whose card it can see.
        Directory = "directory",
        /// Only received mail named it.
        SeenOnly = "seen_only",
    }
    /// What a finding in a message is.
    FindingKind {
        /// A key of this service.
        ServiceKey = "service_key",
        /// A key of a common format.
        SecretKey = "secret_key",
        /// A private key.
        PrivateKey = "private_key",
        /// A one-time code or link that another thread received.
        Code = "code",
        /// The number of a payment card.
        CardNumber = "card_number",
    }
}

/// The origin of a recipient.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RecipientOrigin {
    /// The strongest origin.
    pub kind: OriginKind,
    /// The received message that named the address first, for [`OriginKind::SeenOnly`].
    pub message: Option<MessageId>,
}

impl RecipientOrigin {
    /// Returns an origin without a message.
    #[must_use]
    pub const fn of(kind: OriginKind) -> Self {
        Self { kind, message: None }
    }
}

/// A recipient with its origin.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JudgedRecipient {
    pub address: String,
    pub origin: RecipientOrigin,
}

/// A secret in a message. The secret itself is never stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OutboundFinding {
    pub kind: FindingKind,
    /// `subject`, `text`, `html`, `data`, `from`, `to:<n>`, `cc:<n>`, `bcc:<n>`, `attachment:<n>`, `header:<name>` or `source`;
    /// numbers count from 0.
    pub place: String,
    /// The position of its first character there.
    pub start: u64,
    /// The position after its last character.
    pub end: u64,
}
