//! Messages between agents on this service: what their signatures cover, who wrote them, and how mail discloses that an
//! agent wrote it. See `docs/reference/agent-messages.md`.

pub mod author;
pub mod content;
pub mod disclosure;
pub mod freshness;

use posthouse_mail::jose::jws::CompactJws;
use serde_json::Value;

use crate::time::Time;

/// The `typ` of the signature that the service makes for each delivered copy.
pub const DELIVERY_TYPE: &str = "service-msg+jwt";

named! {
    /// How much is known about who is behind the sender of an agent message.
    Assurance {
        /// Its workspace began by self-signup, and no person has claimed it.
        Unclaimed = "unclaimed",
        /// A person owns its workspace.
        Workspace = "workspace",
        /// Its address is at a domain that its workspace verified.
        DomainVerified = "domain_verified",
    }

    /// Why the service didn't sign a copy.
    UnsignedReason {
        /// The sender's owner revoked it.
        Revoked = "revoked",
        /// The operator suspended the sender.
        Suspended = "suspended",
        /// The sending inbox was deleted.
        Deleted = "deleted",
    }

    /// Why an author's signature doesn't count.
    AuthorProblem {
        /// The key was revoked.
        KeyRevoked = "key_revoked",
        /// The inbox has no such key.
        KeyUnknown = "key_unknown",
    }
}

/// What a copy shows about its delivery from another agent (`agent` of a message).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AgentDelivery {
    /// The bare address of the sender.
    pub from: String,
    /// How much is known about the sender.
    pub assurance: Assurance,
    /// The signature, or the reason that it is missing.
    pub signature: Result<DeliverySignature, UnsignedReason>,
}

/// The service's signature of one copy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeliverySignature {
    /// The key.
    pub kid: String,
    /// When it was made, in whole seconds.
    pub signed_at: Time,
    /// The compact JSON Web Signature.
    pub jws: String,
}

/// The signature of an author with a key of its own (`author` of a message).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AuthorSignature {
    /// The key.
    pub kid: String,
    /// `EdDSA` or `ES256`.
    pub algorithm: String,
    /// The compact JSON Web Signature, without white space.
    pub jws: String,
    /// Why it doesn't count; `None` if it is verified.
    pub problem: Option<AuthorProblem>,
}

named! {
    /// A part of a message that the signature of its author covers.
    AuthorCoverage {
        /// The recipients in `To`.
        To = "to",
        /// The recipients in `Cc`.
        Cc = "cc",
        /// The subject.
        Subject = "subject",
        /// The text.
        Text = "text",
        /// The HTML.
        Html = "html",
        /// The structured data.
        Data = "data",
        /// The bytes of the attachments.
        Attachments = "attachments",
        /// The names and types of the attachments.
        AttachmentNames = "attachment_names",
        /// The message that it replies to.
        InReplyTo = "in_reply_to",
    }
}

impl AuthorCoverage {
    /// Returns the claim that covers the part.
    const fn claim(self) -> &'static str {
        match self {
            Self::To => "to",
            Self::Cc => "cc",
            Self::Subject => "subject_sha256",
            Self::Text => "text_sha256",
            Self::Html => "html_sha256",
            Self::Data => "data_sha256",
            Self::Attachments => "att",
            Self::AttachmentNames => "att_names",
            Self::InReplyTo => "in_reply_to",
        }
    }
}

impl AuthorSignature {
    /// Returns the parts of the message that the signature covers; none if it doesn't count.
    #[must_use]
    pub fn covers(&self) -> Vec<AuthorCoverage> {
        let Some(jws) = CompactJws::parse(&self.jws).filter(|_| self.problem.is_none()) else { return Vec::new() };
        let is_covered = |part: &AuthorCoverage| match jws.claims.get(part.claim()) {
            None | Some(Value::Null) => false,
            Some(Value::Array(items)) => !items.is_empty(),
            Some(_) => true,
        };
        AuthorCoverage::ALL.iter().copied().filter(is_covered).collect()
    }
}

/// The sender of an agent message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sender {
    /// How much is known about who is behind it.
    pub assurance: Assurance,
    /// Why the service doesn't sign for it; `None` if it does.
    pub problem: Option<UnsignedReason>,
    pub has_card: bool,
}

impl Sender {
    /// Returns whether lists count it as a verified agent: the service signs for it, it has a card, and a person owns its
    /// workspace.
    #[must_use]
    pub fn is_verified(&self) -> bool {
        self.problem.is_none() && self.has_card && self.assurance != Assurance::Unclaimed
    }
}
