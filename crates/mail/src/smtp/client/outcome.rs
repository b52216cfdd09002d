//! The outcome of a message for each recipient, and the failure of a connection.

use super::reply::{ReceivedReply, clean_text};
use crate::address::Address;

/// The point of the session where a result was decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SmtpStage {
    /// Decided locally, before a command was sent.
    Local,
    /// Before the session starts: for connection failures that the owner of the socket reports.
    Connect,
    /// Waiting for the greeting.
    Greeting,
    /// `EHLO` or `HELO`.
    Ehlo,
    /// `STARTTLS` and the handshake.
    StartTls,
    /// `AUTH`.
    Auth,
    /// `RSET` between messages.
    Reset,
    /// `MAIL FROM`.
    MailFrom,
    /// `RCPT TO`.
    RcptTo,
    /// `DATA` and the content that follows it.
    Data,
    /// The reply to the final dot, which accepts or rejects the message.
    EndOfData,
    /// Between messages, and `QUIT`.
    Idle,
}

impl SmtpStage {
    /// Returns the stage as a word for logs and results.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::Connect => "connect",
            Self::Greeting => "greeting",
            Self::Ehlo => "ehlo",
            Self::StartTls => "starttls",
            Self::Auth => "auth",
            Self::Reset => "rset",
            Self::MailFrom => "mail_from",
            Self::RcptTo => "rcpt_to",
            Self::Data => "data",
            Self::EndOfData => "end_of_data",
            Self::Idle => "idle",
        }
    }
}

/// The result of a delivery attempt for one recipient.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DeliveryResult {
    /// The server accepted the message and the responsibility for it (RFC 5321 §4.2.5).
    Delivered,
    /// Try again later.
    Temporary,
    /// Do not try again.
    Permanent,
}

/// The outcome of a message for one recipient.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecipientOutcome {
    /// The recipient, as passed in.
    pub address: Address,
    /// Whether it is delivered, and if not, whether to try again.
    pub result: DeliveryResult,
    /// The reply code that decided; `None` if no reply did.
    pub smtp_code: Option<u16>,
    /// The enhanced status code of that reply, or the one that describes a local decision (RFC 3463).
    pub enhanced_code: Option<String>,
    /// The sanitized and truncated text of the reply, or a description of a local decision.
    pub text: String,
    /// The stage where it was decided.
    pub stage: SmtpStage,
    /// Whether the host failed rather than the recipient, so that another MX host may be tried immediately.
    pub try_next_host: bool,
}

/// Why a connection can't be used any longer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConnectionFailure {
    /// The stage where it failed.
    pub stage: SmtpStage,
    /// The reply code that ended the connection; `None` for a lost connection, a protocol error or a local decision.
    pub code: Option<u16>,
    /// The enhanced status code of that reply.
    pub enhanced_code: Option<String>,
    /// The sanitized and truncated text of the reply, or a description of the failure.
    pub text: String,
    /// The host replied 5yz, so retrying it is pointless. Other hosts of the domain may still be tried.
    pub permanent: bool,
    /// TLS failed and the policy is opportunistic: the same host may be tried once more without TLS (RFC 7435).
    pub retry_without_tls: bool,
}

impl ConnectionFailure {
    /// Creates a failure from a reply that refuses the connection.
    pub(super) fn refused(stage: SmtpStage, reply: &ReceivedReply) -> Self {
        Self {
            stage,
            code: Some(reply.code),
            enhanced_code: reply.enhanced_code(),
            text: reply.text(),
            permanent: reply.code >= 500,
            retry_without_tls: false,
        }
    }

    /// Creates a failure without a reply.
    pub(super) fn without_reply(stage: SmtpStage, text: &str) -> Self {
        Self {
            stage,
            code: None,
            enhanced_code: None,
            text: clean_text([text]),
            permanent: false,
            retry_without_tls: false,
        }
    }

    /// Creates a failure for a reply that is not valid at this stage.
    pub(super) fn unexpected(stage: SmtpStage, reply: &ReceivedReply) -> Self {
        Self::without_reply(stage, &format!("the server sent an unexpected {} reply", reply.code))
    }

    /// Creates a failure for bytes that the server sent while no reply was due.
    pub(super) fn unexpected_bytes(stage: SmtpStage) -> Self {
        Self::without_reply(stage, "the server sent data before a reply was due")
    }
}
