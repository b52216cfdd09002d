//! What came of a message for each recipient, and what ended a connection.

use super::reply::{Reply, clean_text};
use crate::address::Address;

/// How far the dialogue had come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Decided on this side, before a command about it was sent.
    Local,
    /// Before the first byte: for failures that the owner of the socket reports.
    Connect,
    /// Waiting for the server's first words.
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
    /// `DATA` and the text that follows it.
    Data,
    /// The answer to the final dot: whether the server took the message.
    EndOfData,
    /// Between messages, and `QUIT`.
    Idle,
}

impl Stage {
    /// The stage as a word for logs and for people.
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

/// What to do about a recipient now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DeliveryResult {
    /// The server took the message and the duty to deliver it (RFC 5321 §4.2.5).
    Delivered,
    /// Try again later.
    Temporary,
    /// Do not try again.
    Permanent,
}

/// What came of a message for one recipient.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecipientOutcome {
    /// The recipient as it was given.
    pub address: Address,
    /// Whether it is delivered, and if not, whether to try again.
    pub result: DeliveryResult,
    /// The reply code that decided; `None` where no reply did.
    pub smtp_code: Option<u16>,
    /// The enhanced status code that came with it or that describes a decision of this side (RFC 3463).
    pub enhanced_code: Option<String>,
    /// The reply's text, cleaned and cut, or a sentence of this side.
    pub text: String,
    /// Where it was decided.
    pub stage: Stage,
    /// The host failed rather than the recipient: another MX host of the domain may be tried at once.
    pub try_next_host: bool,
}

/// Why a connection can't be used any further.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConnectionFailure {
    /// Where it happened.
    pub stage: Stage,
    /// The reply code that ended it; `None` for lost connections, broken protocol and refusals of this side.
    pub code: Option<u16>,
    /// The enhanced status code of that reply.
    pub enhanced_code: Option<String>,
    /// The reply's text, cleaned and cut, or a sentence of this side.
    pub text: String,
    /// The host said 5yz: asking this host again is pointless. Other hosts of the domain may still be tried.
    pub permanent: bool,
    /// TLS failed and the policy is opportunistic: the same host may be tried once more with TLS off (RFC 7435).
    pub retry_without_tls: bool,
}

impl ConnectionFailure {
    /// The server's refusal.
    pub(super) fn refused(stage: Stage, reply: &Reply) -> Self {
        Self {
            stage,
            code: Some(reply.code),
            enhanced_code: reply.enhanced_code(),
            text: reply.text(),
            permanent: reply.code >= 500,
            retry_without_tls: false,
        }
    }

    /// A failure without a reply.
    pub(super) fn without_reply(stage: Stage, text: &str) -> Self {
        Self {
            stage,
            code: None,
            enhanced_code: None,
            text: clean_text([text]),
            permanent: false,
            retry_without_tls: false,
        }
    }

    /// A reply that the dialogue has no place for.
    pub(super) fn unexpected(stage: Stage, reply: &Reply) -> Self {
        Self::without_reply(stage, &format!("the server answered {} where that reply has no meaning", reply.code))
    }

    /// Bytes from the server while it was not asked for any.
    pub(super) fn out_of_turn(stage: Stage) -> Self {
        Self::without_reply(stage, "the server spoke out of turn")
    }
}
