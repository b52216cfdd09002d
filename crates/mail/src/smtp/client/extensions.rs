//! What a server offers in its answer to `EHLO` (RFC 5321 §4.1.1.1). Only what the sender makes use of is kept.

use super::reply::Reply;

/// The extensions of one server, as of its last `EHLO` answer. None of them before `EHLO` and after `HELO`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Extensions {
    /// `STARTTLS` (RFC 3207).
    pub starttls: bool,
    /// `PIPELINING` (RFC 2920).
    pub pipelining: bool,
    /// `8BITMIME` (RFC 6152).
    pub eight_bit_mime: bool,
    /// `SMTPUTF8` (RFC 6531).
    pub smtputf8: bool,
    /// `SIZE` is offered (RFC 1870).
    pub size: bool,
    /// The largest message in bytes that `SIZE` names; `None` where it names none or 0, which means no fixed limit.
    pub size_bytes_max: Option<u64>,
    /// `AUTH PLAIN` (RFC 4616).
    pub auth_plain: bool,
    /// `AUTH LOGIN`, never standardised and still the only one of some relays.
    pub auth_login: bool,
}

impl Extensions {
    /// Reads the lines after the first one, which holds the server's name.
    pub(super) fn of(reply: &Reply) -> Self {
        let mut offered = Self::default();
        for line in reply.lines.iter().skip(1) {
            // `AUTH=LOGIN` is how some servers still repeat the line for clients of the last century.
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
