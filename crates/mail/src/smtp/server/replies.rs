//! The wording of every reply of the receiving side, in one place. Bland on purpose: never names what is inside.

use super::super::dot::Flaw;
use super::super::reply::{EnhancedCode as Code, Reply};
use super::Farewell;

pub(super) const SENDER_OK: Reply = Reply::fixed(250, Code(2, 1, 0), "Sender OK");
pub(super) const RECIPIENT_OK: Reply = Reply::fixed(250, Code(2, 1, 5), "Recipient OK");
pub(super) const OK: Reply = Reply::fixed(250, Code(2, 0, 0), "OK");
pub(super) const LOGIN_OK: Reply = Reply::fixed(235, Code(2, 7, 0), "Authentication successful");
pub(super) const TLS_READY: Reply = Reply::fixed(220, Code(2, 0, 0), "Ready to start TLS");
pub(super) const VRFY: Reply = Reply::fixed(252, Code(2, 0, 0), "Send mail to find out");
/// Where nobody can log in.
pub(super) const HELP: Reply =
    Reply::fixed(214, Code(2, 0, 0), "EHLO HELO STARTTLS MAIL RCPT DATA BDAT RSET NOOP VRFY HELP QUIT\nRFC 5321");
/// Where clients log in.
pub(super) const HELP_WITH_LOGIN: Reply =
    Reply::fixed(214, Code(2, 0, 0), "EHLO HELO STARTTLS AUTH MAIL RCPT DATA BDAT RSET NOOP VRFY HELP QUIT\nRFC 5321");

pub(super) const LINE_TOO_LONG: Reply = Reply::fixed(500, Code(5, 5, 2), "Line too long");
pub(super) const BARE_LINE_BREAK: Reply =
    Reply::fixed(500, Code(5, 5, 2), "Lines end with CRLF; bare CR or LF refused");
pub(super) const HELLO_FIRST: Reply = Reply::fixed(503, Code(5, 5, 1), "EHLO or HELO first");
pub(super) const EHLO_FIRST: Reply = Reply::fixed(503, Code(5, 5, 1), "EHLO first");
pub(super) const NO_LMTP: Reply = Reply::fixed(500, Code(5, 5, 1), "This is SMTP, say EHLO");
pub(super) const NO_HTTP: Reply = Reply::fixed(554, Code(5, 5, 1), "This is SMTP, not HTTP");
pub(super) const NO_EXPN: Reply = Reply::fixed(502, Code(5, 5, 1), "EXPN not implemented");
pub(super) const NO_TLS: Reply = Reply::fixed(502, Code(5, 5, 1), "STARTTLS not available");
pub(super) const TLS_ALREADY: Reply = Reply::fixed(503, Code(5, 5, 1), "TLS already active");
pub(super) const NO_AUTH: Reply = Reply::fixed(502, Code(5, 5, 1), "AUTH not available");

pub(super) const MAIL_TWICE: Reply = Reply::fixed(503, Code(5, 5, 1), "Sender already given");
pub(super) const PARAMETERS_NEED_EHLO: Reply = Reply::fixed(555, Code(5, 5, 4), "Parameters need EHLO");
pub(super) const PARAMETER_UNKNOWN: Reply = Reply::fixed(555, Code(5, 5, 4), "Parameter not supported");
pub(super) const MAIL_FIRST: Reply = Reply::fixed(503, Code(5, 5, 1), "MAIL first");
pub(super) const NO_RECIPIENTS: Reply = Reply::fixed(554, Code(5, 5, 1), "No valid recipients");
pub(super) const CHUNKS_BEGUN: Reply = Reply::fixed(503, Code(5, 5, 1), "Only BDAT or RSET may follow BDAT");
pub(super) const NEEDS_SMTPUTF8: Reply = Reply::fixed(553, Code(5, 6, 7), "A non-ASCII address needs SMTPUTF8 at MAIL");
pub(super) const TOO_MANY_RECIPIENTS: Reply = Reply::fixed(452, Code(4, 5, 3), "Too many recipients");
pub(super) const TOO_LARGE: Reply = Reply::fixed(552, Code(5, 3, 4), "Message too large");
pub(super) const BAD_CHUNK: Reply = Reply::fixed(501, Code(5, 5, 4), "Syntax: BDAT size [LAST]; closing");

pub(super) const LOGIN_NEEDED: Reply = Reply::fixed(530, Code(5, 7, 0), "Authentication required");
pub(super) const TLS_NEEDED: Reply = Reply::fixed(538, Code(5, 7, 11), "Say STARTTLS first");
pub(super) const LOGIN_TWICE: Reply = Reply::fixed(503, Code(5, 5, 1), "Already authenticated");
pub(super) const LOGIN_IN_MAIL: Reply = Reply::fixed(503, Code(5, 5, 1), "Not inside a transaction");
pub(super) const MECHANISM_UNKNOWN: Reply =
    Reply::fixed(504, Code(5, 5, 4), "Mechanism not supported, use PLAIN or LOGIN");
pub(super) const LOGIN_BROKEN: Reply = Reply::fixed(501, Code(5, 5, 2), "Bad response");
pub(super) const LOGIN_CANCELLED: Reply = Reply::fixed(501, Code(5, 7, 0), "Authentication cancelled");
pub(super) const LOGIN_REFUSED: Reply = Reply::fixed(535, Code(5, 7, 8), "Bad user or password");

pub(super) fn greeting(hostname: &str) -> Reply {
    Reply::plain(220, format!("{hostname} ESMTP"))
}

pub(super) fn start_content() -> Reply {
    Reply::plain(354, "End with <CRLF>.<CRLF>")
}

pub(super) fn bye(hostname: &str) -> Reply {
    Reply::new(221, Code(2, 0, 0), format!("{hostname} closing"))
}

pub(super) fn hang_up(hostname: &str, why: &str) -> Reply {
    Reply::new(421, Code(4, 7, 0), format!("{hostname} {why}"))
}

pub(super) fn chunk_taken(bytes: u64) -> Reply {
    Reply::new(250, Code(2, 0, 0), format!("{bytes} octets received"))
}

/// Why a complete message is refused for what its bytes are.
pub(super) fn flaw(flaw: Flaw) -> Reply {
    match flaw {
        Flaw::TooLarge => TOO_LARGE,
        Flaw::BareLineBreak => Reply::fixed(550, Code(5, 6, 0), "Message has a bare CR or LF"),
        Flaw::HeaderTooLarge => Reply::fixed(550, Code(5, 6, 0), "The header is too large"),
        Flaw::LineTooLong => Reply::fixed(550, Code(5, 6, 0), "Message has an over-long line"),
    }
}

pub(super) fn farewell(why: Farewell, hostname: &str) -> Reply {
    let (code, text) = match why {
        Farewell::TimedOut => (Code(4, 4, 2), "Timeout"),
        Farewell::ShuttingDown => (Code(4, 3, 2), "Shutting down"),
        Farewell::Overloaded => (Code(4, 3, 2), "Too busy, try again later"),
        Farewell::TooManyConnections => (Code(4, 7, 0), "Too many connections"),
        Farewell::TooOften => (Code(4, 7, 0), "Too many new connections from your address, try again in a minute"),
    };
    Reply::new(421, code, format!("{hostname} {text}"))
}
