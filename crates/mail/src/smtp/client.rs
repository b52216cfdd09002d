//! The client side of SMTP as a sans-IO session (RFC 5321; RFC 3207, 4954, 2920, 1870, 6152, 6531).
//!
//! The owner of the socket passes received bytes to [`ClientSession::receive`] and acts on what [`ClientSession::step`]
//! returns. The session never blocks, never reads a clock, and never sends a bare CR, a bare LF or a NUL. It always
//! sends content with `DATA`: servers without `CHUNKING` need it, and with pipelining `BDAT` would save only one of
//! about eight round trips.

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

pub use extensions::ServerExtensions;
pub use message::OutboundMessage;
pub use outcome::{ConnectionFailure, DeliveryResult, RecipientOutcome, SmtpStage};
pub use reply::{REPLY_BUFFER_BYTES_MAX, REPLY_LINE_BYTES_MAX, REPLY_LINES_MAX, REPLY_TEXT_BYTES_MAX};
pub use session::ClientSession;
pub use stuff::normalise_line_ends;
pub use transaction::{BODY_PIECE_BYTES, PIPELINED_COMMANDS_MAX};

/// Timeout for the greeting, in milliseconds (RFC 5321 §4.5.3.2.1).
pub const GREETING_TIMEOUT_MS: u64 = 300_000;
/// Timeout for `MAIL`, `RCPT` and all commands without a separate timeout, in milliseconds (RFC 5321 §4.5.3.2.2–3).
pub const COMMAND_TIMEOUT_MS: u64 = 300_000;
/// Timeout for the reply to `DATA`, in milliseconds (RFC 5321 §4.5.3.2.4).
pub const DATA_START_TIMEOUT_MS: u64 = 120_000;
/// Timeout for writing one piece of content, in milliseconds (RFC 5321 §4.5.3.2.5).
pub const DATA_PIECE_TIMEOUT_MS: u64 = 180_000;
/// Timeout for the reply to the final dot, in milliseconds (RFC 5321 §4.5.3.2.6).
pub const DATA_END_TIMEOUT_MS: u64 = 600_000;
/// Timeout for a TLS handshake, in milliseconds. Not set by an RFC.
pub const TLS_TIMEOUT_MS: u64 = 60_000;
/// Timeout for the reply to `QUIT`, in milliseconds. Short, because nothing depends on that reply.
pub const QUIT_TIMEOUT_MS: u64 = 5_000;

/// The TLS policy of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TlsPolicy {
    /// Uses `STARTTLS` if offered, otherwise plaintext (RFC 7435).
    Opportunistic,
    /// Uses `STARTTLS`, and fails if it is not offered.
    Required,
    /// Never uses TLS. Also for the second attempt after [`ConnectionFailure::retry_without_tls`].
    Off,
    /// TLS from the first byte (RFC 8314 §3.3). The owner of the socket does the handshake before the session.
    Implicit,
}

/// A user name and password for `AUTH`.
#[derive(Clone, PartialEq, Eq)]
pub struct ClientCredentials {
    /// The user name.
    pub username: String,
    /// The password; never shown by `Debug`.
    pub password: String,
}

impl fmt::Debug for ClientCredentials {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Credentials").field("username", &self.username).finish_non_exhaustive()
    }
}

/// The settings of a client session.
#[derive(Debug, Clone)]
pub struct ClientConfig {
    /// The name for `EHLO`: our host name, or an address literal. Characters that neither can contain are removed.
    pub ehlo_name: String,
    /// The TLS policy.
    pub tls: TlsPolicy,
    /// The credentials for a relay. Sent only over TLS, or in plaintext if `tls` is [`TlsPolicy::Off`].
    pub auth: Option<ClientCredentials>,
}

/// The next action for the owner of the socket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClientStep {
    /// Write these bytes, then call [`ClientSession::step`] again.
    Write(Vec<u8>),
    /// Read bytes, for at most [`ClientSession::deadline_ms`], and pass them to [`ClientSession::receive`].
    NeedInput,
    /// Run the TLS handshake, then call [`ClientSession::tls_started`] or [`ClientSession::tls_failed`].
    StartTls,
    /// The session is idle: call [`ClientSession::send`] or [`ClientSession::quit`].
    Ready,
    /// The message is finished: one outcome per recipient, in order. The next step is `Ready` or `Failed`.
    Done(Vec<RecipientOutcome>),
    /// The connection can't be used any longer: close it.
    Failed(ConnectionFailure),
    /// The session is over: close the connection.
    Closed,
}

/// The error of [`ClientSession::send`] if the session is not at [`ClientStep::Ready`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the SMTP session is not ready for a message")]
pub struct NotReadyError;
