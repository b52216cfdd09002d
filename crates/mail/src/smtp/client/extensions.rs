//! The extensions in a server's reply to `EHLO` (RFC 5321 §4.1.1.1). Only those that the client uses are parsed.

use super::reply::ReceivedReply;

/// The extensions of a server, from its last reply to `EHLO`. None are set before `EHLO` or after `HELO`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServerExtensions {
    /// `STARTTLS` (RFC 3207).
    pub starttls: bool,
    /// `PIPELINING` (RFC 2920).
    pub pipelining: bool,
    /// `8BITMIME` (RFC 6152).
    pub eight_bit_mime: bool,
    /// `SMTPUTF8` (RFC 6531).
    pub smtputf8: bool,
    /// `SIZE` (RFC 1870).
    pub size: bool,
    /// The largest message in bytes according to `SIZE`; `None` if it names no limit or 0, which means the same.
    pub size_bytes_max: Option<u64>,
    /// `AUTH PLAIN` (RFC 4616).
    pub auth_plain: bool,
    /// `AUTH LOGIN`, which was never standardized but is the only mechanism of some relays.
    pub auth_login: bool,
}

impl ServerExtensions {
    /// Parses the reply. The first line is skipped; it holds the server's name.
    pub(super) fn of(reply: &ReceivedReply) -> Self {
        let mut offered = Self::default();
        for line in reply.lines.iter().skip(1) {
            // Some servers repeat the line as `AUTH=LOGIN` for very old clients.
            let line = line.to_ascii_uppercase().replace("AUTH=", "AUTH ");
            let mut words = line.split_ascii_whitespace();
            match words.next() {
                Some("STARTTLS") => offered.starttls = true,
                Some("PIPELINING") => offered.pipelining = true,
                Some("8BITMIME") => offered.eight_bit_mime = true,
                Some("SMTPUTF8") => offered.smtputf8 = true,
                Some("SIZE") => {
                    offered.size = true;
                    offered.size_bytes_max = words.next().and_then(|size| size.parse().ok()).filter(|size| *size > 0);
                }
                Some("AUTH") => {
                    for mechanism in words {
                        offered.auth_plain |= mechanism == "PLAIN";
                        offered.auth_login |= mechanism == "LOGIN";
                    }
                }
                _ => {}
            }
        }
        offered
    }
}
