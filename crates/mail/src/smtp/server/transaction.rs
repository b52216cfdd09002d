//! The values a session hands to the shell. They carry what the client said, nothing that was decided about it.

use std::fmt;

use super::super::command::{Body, EnvelopeAddress, MailCommand};
use super::super::dot::Content;

/// A sender to judge, at MAIL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SenderQuery {
    /// The reverse path; `None` is the null path of bounces.
    pub mail_from: Option<EnvelopeAddress>,
    /// The size the client announced, in bytes.
    pub size: Option<u64>,
    /// The name of EHLO or HELO.
    pub helo: String,
    /// The user that authenticated.
    pub user: Option<String>,
}

/// A recipient to judge, at RCPT.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecipientQuery {
    /// The forward path.
    pub address: EnvelopeAddress,
    /// The reverse path of this transaction.
    pub mail_from: Option<EnvelopeAddress>,
    /// Recipients accepted before in this transaction.
    pub accepted: usize,
    /// The user that authenticated.
    pub user: Option<String>,
}

/// User and password to check, at AUTH.
#[derive(Clone, PartialEq, Eq)]
pub struct Credentials {
    /// The user, as sent.
    pub user: String,
    /// The password, as sent.
    pub password: String,
}

/// Never shows the password.
impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials").field("user", &self.user).finish_non_exhaustive()
    }
}

/// One complete message with its envelope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transaction {
    /// The reverse path; `None` is the null path of bounces.
    pub mail_from: Option<EnvelopeAddress>,
    /// The accepted recipients in order, at least one; repeated ones stand repeated.
    pub recipients: Vec<EnvelopeAddress>,
    /// The message as sent, dots unstuffed, without our own trace fields.
    pub data: Vec<u8>,
    /// Whether SMTPUTF8 was asked for (RFC 6531).
    pub smtputf8: bool,
    /// Whether the client declared `BODY=8BITMIME` (RFC 6152); undeclared 8-bit content is taken as well.
    pub body_8bit: bool,
    /// The name of EHLO or HELO.
    pub helo: String,
    /// Whether the client said EHLO, for `with ESMTP` in the trace field (RFC 3848).
    pub esmtp: bool,
    /// Whether the session is encrypted.
    pub tls: bool,
    /// The user that authenticated.
    pub user: Option<String>,
}

/// A transaction under way.
#[derive(Debug, Default)]
pub(super) struct Envelope {
    pub(super) mail_from: Option<EnvelopeAddress>,
    pub(super) size: Option<u64>,
    pub(super) smtputf8: bool,
    pub(super) body_8bit: bool,
    pub(super) recipients: Vec<EnvelopeAddress>,
    /// Recipients refused because there were too many.
    pub(super) recipients_over: u32,
    /// Chunks so far; once there is one, only chunks may follow (RFC 3030 §2).
    pub(super) chunks: Option<Box<Content>>,
}

impl Envelope {
    pub(super) fn new(mail: MailCommand) -> Envelope {
        Envelope {
            mail_from: mail.from,
            size: mail.size,
            smtputf8: mail.smtputf8,
            body_8bit: mail.body == Some(Body::EightBitMime),
            ..Envelope::default()
        }
    }
}
