//! The values that a session passes to its caller. They hold what the client sent, without any decisions about it.

use std::fmt;

use super::super::command::{BodyType, EnvelopeAddress, MailCommand};
use super::super::dot::ContentReader;

/// A sender to decide about, at MAIL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SenderQuery {
    /// The reverse path; `None` for the null path of bounces.
    pub mail_from: Option<EnvelopeAddress>,
    /// The size that the client declared, in bytes.
    pub size: Option<u64>,
    /// The name in EHLO or HELO.
    pub helo: String,
    /// The authenticated user.
    pub user: Option<String>,
}

/// A recipient to decide about, at RCPT.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecipientQuery {
    /// The forward path.
    pub address: EnvelopeAddress,
    /// The reverse path of this transaction.
    pub mail_from: Option<EnvelopeAddress>,
    /// The size that the client declared at MAIL, in bytes.
    pub size: Option<u64>,
    /// Number of recipients already accepted in this transaction.
    pub accepted: usize,
    /// The authenticated user.
    pub user: Option<String>,
}

/// A user name and password to check, at AUTH.
#[derive(Clone, PartialEq, Eq)]
pub struct LoginCredentials {
    /// The user name, as sent.
    pub user: String,
    /// The password, as sent.
    pub password: String,
}

/// Hides the password.
impl fmt::Debug for LoginCredentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials").field("user", &self.user).finish_non_exhaustive()
    }
}

/// A complete message with its envelope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboundTransaction {
    /// The reverse path; `None` for the null path of bounces.
    pub mail_from: Option<EnvelopeAddress>,
    /// The accepted recipients in order, at least one. Duplicates are kept.
    pub recipients: Vec<EnvelopeAddress>,
    /// The message as sent, without dot-stuffing and without our trace fields.
    pub data: Vec<u8>,
    /// Whether the client requested SMTPUTF8 (RFC 6531).
    pub smtputf8: bool,
    /// Whether the client declared `BODY=8BITMIME` (RFC 6152). Undeclared 8-bit content is accepted too.
    pub body_8bit: bool,
    /// The name in EHLO or HELO.
    pub helo: String,
    /// Whether the client sent EHLO, for `with ESMTP` in the trace field (RFC 3848).
    pub esmtp: bool,
    /// Whether the session is encrypted.
    pub tls: bool,
    /// The authenticated user.
    pub user: Option<String>,
}

/// A transaction in progress.
#[derive(Debug, Default)]
pub(super) struct PendingEnvelope {
    pub(super) mail_from: Option<EnvelopeAddress>,
    pub(super) size: Option<u64>,
    pub(super) smtputf8: bool,
    pub(super) body_8bit: bool,
    pub(super) recipients: Vec<EnvelopeAddress>,
    /// Number of recipients refused because of the limit.
    pub(super) recipients_over: u32,
    /// The chunks so far. After the first one, only chunks may follow (RFC 3030 §2).
    pub(super) chunks: Option<Box<ContentReader>>,
}

impl PendingEnvelope {
    pub(super) fn new(mail: MailCommand) -> PendingEnvelope {
        PendingEnvelope {
            mail_from: mail.from,
            size: mail.size,
            smtputf8: mail.smtputf8,
            body_8bit: mail.body == Some(BodyType::EightBitMime),
            ..PendingEnvelope::default()
        }
    }
}
