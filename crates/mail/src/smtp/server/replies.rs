//! The text of every server reply, in one place. Replies deliberately reveal no internal details.

use super::super::dot::{ContentFlaw, HEADER_LINE_BYTES_MAX};
use super::super::reply::{EnhancedStatusCode as Code, ServerReply};
use super::{AuthMode, DisconnectReason, SmtpServerConfig};

pub(super) const SENDER_OK: ServerReply = ServerReply::fixed(250, Code(2, 1, 0), "Sender OK");
pub(super) const RECIPIENT_OK: ServerReply = ServerReply::fixed(250, Code(2, 1, 5), "Recipient OK");
pub(super) const OK: ServerReply = ServerReply::fixed(250, Code(2, 0, 0), "OK");
pub(super) const LOGIN_OK: ServerReply = ServerReply::fixed(235, Code(2, 7, 0), "Authentication successful");
pub(super) const TLS_READY: ServerReply = ServerReply::fixed(220, Code(2, 0, 0), "Ready to start TLS");
pub(super) const VRFY: ServerReply =
    ServerReply::fixed(252, Code(2, 0, 0), "Cannot verify the address; send the message to find out");

/// The reply to a command or an authentication response longer than the limit.
pub(super) const LINE_TOO_LONG: ServerReply = ServerReply::fixed(500, Code(5, 5, 2), "Line too long");
/// The reply to a command line with a bare CR or LF.
pub(super) const BARE_LINE_BREAK: ServerReply =
    ServerReply::fixed(500, Code(5, 5, 2), "Lines must end with CRLF; a bare CR or LF is not allowed");
/// The reply to MAIL before EHLO or HELO.
pub(super) const HELLO_FIRST: ServerReply = ServerReply::fixed(503, Code(5, 5, 1), "Send EHLO or HELO first");
/// The reply to AUTH before EHLO.
pub(super) const EHLO_FIRST: ServerReply = ServerReply::fixed(503, Code(5, 5, 1), "Send EHLO first");
/// The reply to LHLO, the greeting of LMTP.
pub(super) const NO_LMTP: ServerReply = ServerReply::fixed(500, Code(5, 5, 1), "This is SMTP, not LMTP; send EHLO");
/// The reply to an HTTP request. The connection is closed.
pub(super) const NO_HTTP: ServerReply = ServerReply::fixed(554, Code(5, 5, 1), "This is SMTP, not HTTP");
/// The reply to EXPN.
pub(super) const NO_EXPN: ServerReply = ServerReply::fixed(502, Code(5, 5, 1), "EXPN not implemented");
/// The reply to STARTTLS on a listener without it.
pub(super) const NO_TLS: ServerReply = ServerReply::fixed(502, Code(5, 5, 1), "STARTTLS not available");
/// The reply to STARTTLS on an encrypted connection.
pub(super) const TLS_ALREADY: ServerReply = ServerReply::fixed(503, Code(5, 5, 1), "TLS already active");
/// The reply to AUTH on a listener without logins.
pub(super) const NO_AUTH: ServerReply = ServerReply::fixed(502, Code(5, 5, 1), "AUTH not available on this port");

/// The reply to MAIL during a transaction.
pub(super) const MAIL_TWICE: ServerReply =
    ServerReply::fixed(503, Code(5, 5, 1), "A transaction is already open; send RSET to cancel it");
/// The reply to parameters of MAIL after HELO.
pub(super) const PARAMETERS_NEED_EHLO: ServerReply = ServerReply::fixed(555, Code(5, 5, 4), "Parameters require EHLO");
/// The reply to an unsupported parameter of MAIL or RCPT.
pub(super) const PARAMETER_UNKNOWN: ServerReply = ServerReply::fixed(555, Code(5, 5, 4), "Parameter not supported");
/// The reply to RCPT, DATA or BDAT before MAIL.
pub(super) const MAIL_FIRST: ServerReply = ServerReply::fixed(503, Code(5, 5, 1), "Send MAIL first");
/// The reply to DATA or BDAT without an accepted recipient.
pub(super) const NO_RECIPIENTS: ServerReply = ServerReply::fixed(554, Code(5, 5, 1), "No valid recipients");
/// The reply to RCPT or DATA between the chunks of a message.
pub(super) const CHUNKS_BEGUN: ServerReply =
    ServerReply::fixed(503, Code(5, 5, 1), "Only BDAT or RSET may follow BDAT");
/// The reply to a non-ASCII address without SMTPUTF8.
pub(super) const NEEDS_SMTPUTF8: ServerReply =
    ServerReply::fixed(553, Code(5, 6, 7), "A non-ASCII address requires the SMTPUTF8 parameter of MAIL");
/// The reply to BDAT with an invalid argument. The connection is closed.
pub(super) const BAD_CHUNK: ServerReply =
    ServerReply::fixed(501, Code(5, 5, 4), "Syntax: BDAT size [LAST]; closing connection");

/// The code of a reply after which the server closes the connection (RFC 5321 §3.8).
pub(super) const CLOSING: u16 = 421;
/// The reply to a client that was idle for too long.
pub(super) const TIMED_OUT: ServerReply = ServerReply::fixed(421, Code(4, 4, 2), "Timeout");
/// The reply to a client at a shutdown.
pub(super) const SHUTTING_DOWN: ServerReply = ServerReply::fixed(421, Code(4, 3, 2), "Shutting down");

/// The reply to MAIL before a login.
pub(super) const LOGIN_NEEDED: ServerReply = ServerReply::fixed(530, Code(5, 7, 0), "Authentication required");
/// The reply to AUTH without TLS on a listener that requires TLS.
pub(super) const TLS_NEEDED: ServerReply = ServerReply::fixed(538, Code(5, 7, 11), "Send STARTTLS first");
/// The reply to AUTH after a successful login.
pub(super) const LOGIN_TWICE: ServerReply = ServerReply::fixed(503, Code(5, 5, 1), "Already authenticated");
/// The reply to AUTH during a transaction.
pub(super) const LOGIN_IN_MAIL: ServerReply =
    ServerReply::fixed(503, Code(5, 5, 1), "AUTH is not allowed during a transaction");
/// The reply to AUTH with an unsupported mechanism.
pub(super) const MECHANISM_UNKNOWN: ServerReply =
    ServerReply::fixed(504, Code(5, 5, 4), "Mechanism not supported; use PLAIN or LOGIN");
/// The reply to a malformed authentication response.
pub(super) const LOGIN_BROKEN: ServerReply = ServerReply::fixed(501, Code(5, 5, 2), "Invalid authentication response");
/// The reply to `*`, which cancels a login.
pub(super) const LOGIN_CANCELLED: ServerReply = ServerReply::fixed(501, Code(5, 7, 0), "Authentication canceled");
/// The reply to a login without a user or password, or on behalf of another user.
pub(super) const LOGIN_REFUSED: ServerReply = ServerReply::fixed(535, Code(5, 7, 8), "Bad user or password");

/// Returns the reply to HELP: the commands, and the name of the instance.
pub(super) fn help(config: &SmtpServerConfig) -> ServerReply {
    let auth = if config.auth == AuthMode::Never { "" } else { "AUTH " };
    let instance = config.instance.as_ref().map(|name| format!("\nInstance {name}")).unwrap_or_default();
    let text = format!("EHLO HELO STARTTLS {auth}MAIL RCPT DATA BDAT RSET NOOP VRFY HELP QUIT\nRFC 5321{instance}");
    ServerReply::new(214, Code(2, 0, 0), text)
}

pub(super) fn greeting(hostname: &str) -> ServerReply {
    ServerReply::plain(220, format!("{hostname} ESMTP"))
}

pub(super) fn start_content() -> ServerReply {
    ServerReply::plain(354, "End with <CRLF>.<CRLF>")
}

pub(super) fn closing(hostname: &str) -> ServerReply {
    ServerReply::new(221, Code(2, 0, 0), format!("{hostname} closing connection"))
}

/// Returns the reply to a client that exceeds a limit of the session: errors, failed logins, messages, recipients, or
/// commands without a message. The connection is closed.
pub(super) fn policy_close(hostname: &str, reason: &str) -> ServerReply {
    ServerReply::new(421, Code(4, 7, 0), format!("{hostname} {reason}"))
}

/// Returns the reply to a recipient beyond the limit of a transaction.
pub(super) fn too_many_recipients(max: usize) -> ServerReply {
    let text = format!("Too many recipients ({max} in a message), send the others in another message");
    ServerReply::new(452, Code(4, 5, 3), text)
}

/// Returns the reply to a message larger than the limit.
pub(super) fn too_large(bytes_max: u64) -> ServerReply {
    ServerReply::new(552, Code(5, 3, 4), format!("Message too large (smtp.max_message_bytes is {bytes_max})"))
}

pub(super) fn chunk_taken(bytes: u64) -> ServerReply {
    ServerReply::new(250, Code(2, 0, 0), format!("{bytes} octets received"))
}

/// Returns the reply to a message whose content is not acceptable.
pub(super) fn flaw(flaw: ContentFlaw, bytes_max: u64) -> ServerReply {
    match flaw {
        ContentFlaw::TooLarge => too_large(bytes_max),
        ContentFlaw::BareLineBreak => ServerReply::fixed(550, Code(5, 6, 0), "Message contains a bare CR or LF"),
        ContentFlaw::HeaderTooLarge => ServerReply::fixed(550, Code(5, 6, 0), "Message header too large"),
        ContentFlaw::HeaderLineTooLong => {
            let text = format!("Message header contains an overlong line ({HEADER_LINE_BYTES_MAX} bytes are allowed)");
            ServerReply::new(550, Code(5, 6, 0), text)
        }
    }
}

/// Returns the reply to a client whose connection is closed: after a timeout, at a shutdown, or over a limit.
pub(super) fn disconnect(reason: DisconnectReason, hostname: &str) -> ServerReply {
    match reason {
        DisconnectReason::TimedOut => close(&TIMED_OUT, hostname),
        DisconnectReason::ShuttingDown => close(&SHUTTING_DOWN, hostname),
        DisconnectReason::Limit(reply) => close(&reply, hostname),
    }
}

/// Returns a reply as the last one of a session, which begins with the name of the server (RFC 5321 §4.2.3).
pub(super) fn close(reply: &ServerReply, hostname: &str) -> ServerReply {
    let text = format!("{hostname} {}", reply.text());
    match reply.enhanced() {
        Some(enhanced) => ServerReply::new(CLOSING, enhanced, text),
        None => ServerReply::plain(CLOSING, text),
    }
}
