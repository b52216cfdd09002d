//! SMTP as the sending side, without a socket (RFC 5321 client; RFC 3207, 4954, 2920, 1870, 6152, 6531).
//!
//! The owner of the socket feeds what the peer says to [`ClientSession::receive`] and does what [`ClientSession::step`]
//! says. The session never waits, never reads a clock and never lets a bare CR, LF or NUL out. Texts are sent with `DATA`
//! alone: it is needed for every server without `CHUNKING`, and with pipelining `BDAT` would spare one round trip of about eight.

mod extensions;
mod message;
mod outcome;
mod reply;
mod session;
mod stuff;
#[cfg(test)]
mod tests;
mod transaction;

use std::fmt;

pub use extensions::Extensions;
pub use message::Message;
pub use outcome::{ConnectionFailure, DeliveryResult, RecipientOutcome, Stage};
pub use reply::{REPLY_BUFFER_BYTES_MAX, REPLY_LINE_BYTES_MAX, REPLY_LINES_MAX, REPLY_TEXT_BYTES_MAX};
pub use session::ClientSession;
pub use stuff::normalise_line_ends;
pub use transaction::{BODY_PIECE_BYTES, PIPELINED_COMMANDS_MAX};

/// How long the greeting may take, in milliseconds (RFC 5321 §4.5.3.2.1).
pub const GREETING_TIMEOUT_MS: u64 = 300_000;
/// How long `MAIL`, `RCPT` and the commands without a limit of their own may take, in milliseconds (RFC 5321 §4.5.3.2.2–3).
pub const COMMAND_TIMEOUT_MS: u64 = 300_000;
/// How long the answer to `DATA` may take, in milliseconds (RFC 5321 §4.5.3.2.4).
pub const DATA_START_TIMEOUT_MS: u64 = 120_000;
/// How long writing one piece of the text may take, in milliseconds (RFC 5321 §4.5.3.2.5).
pub const DATA_PIECE_TIMEOUT_MS: u64 = 180_000;
/// How long the answer to the final dot may take, in milliseconds (RFC 5321 §4.5.3.2.6).
pub const DATA_END_TIMEOUT_MS: u64 = 600_000;
/// How long a TLS handshake may take, in milliseconds; an own limit.
pub const TLS_TIMEOUT_MS: u64 = 60_000;
/// How long the answer to `QUIT` is worth waiting for, in milliseconds; an own limit, nothing depends on it.
pub const QUIT_TIMEOUT_MS: u64 = 5_000;

/// When to encrypt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tls {
    /// With `STARTTLS` where it is offered, else in plaintext (RFC 7435).
    Opportunistic,
    /// With `STARTTLS`, or not at all.
    Required,
    /// Never. Also the policy of a second attempt after [`ConnectionFailure::retry_without_tls`].
    Off,
    /// From the first byte (RFC 8314 §3.3): the owner of the socket has done the handshake before the session starts.
    Implicit,
}

/// What to log in with.
#[derive(Clone, PartialEq, Eq)]
pub struct Credentials {
    /// The user name.
    pub username: String,
    /// The password; never shown by `Debug`.
    pub password: String,
}

impl fmt::Debug for Credentials {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Credentials").field("username", &self.username).finish_non_exhaustive()
    }
}

/// How a session should behave.
#[derive(Debug, Clone)]
pub struct Config {
    /// The name for `EHLO`: our host name, or an address literal. Characters that no such name has are left out.
    pub ehlo_name: String,
    /// When to encrypt.
    pub tls: Tls,
    /// What to log in with at a relay. Sent over TLS only, or where `tls` is [`Tls::Off`] and plaintext thus wanted.
    pub auth: Option<Credentials>,
}

/// What the owner of the socket should do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Write these bytes, then ask again.
    Write(Vec<u8>),
    /// Wait for bytes, at most [`ClientSession::deadline_ms`], and give them to [`ClientSession::receive`].
    NeedInput,
    /// Do the TLS handshake, then call [`ClientSession::tls_started`] or [`ClientSession::tls_failed`].
    StartTls,
    /// Idle: give it a message with [`ClientSession::send`], or call [`ClientSession::quit`].
    Ready,
    /// What came of the message, one outcome per recipient in their order. Ask again: `Ready` or `Failed` follows.
    Done(Vec<RecipientOutcome>),
    /// The connection is of no more use: close it.
    Failed(ConnectionFailure),
    /// The dialogue is over: close the connection.
    Closed,
}

/// [`ClientSession::send`] while the session was not [`Step::Ready`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the SMTP session is not ready for a message")]
pub struct NotReady;
