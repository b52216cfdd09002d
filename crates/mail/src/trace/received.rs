//! The Received and Return-Path fields this host puts on top of received mail (RFC 5321 §4.4).

use mail_parser::DateTime;
use std::net::IpAddr;

/// Longest piece of foreign text written into a field, in characters.
const PIECE_CHARS_MAX: usize = 255;

/// What a Received field says.
#[derive(Debug, Clone, Copy)]
pub struct ReceivedLine<'r> {
    /// Name the client gave in HELO or EHLO.
    pub from_helo: &'r str,
    /// Address of the client.
    pub client_ip: IpAddr,
    /// Verified name of the client, where it has one.
    pub client_name: Option<&'r str>,
    /// Name of this host.
    pub by: &'r str,
    /// Transmission type: `SMTP`, `ESMTP`, `ESMTPS`, `ESMTPSA`, `UTF8SMTP`, … (RFC 3848, RFC 6531).
    pub protocol: &'r str,
    /// Identifier of the message in the logs of this host.
    pub id: &'r str,
    /// The only recipient; None with several, so that none learns of the others (RFC 5321 §7.2).
    pub for_recipient: Option<&'r str>,
    /// Time of receipt, in milliseconds since 1970.
    pub date_ms: i64,
    /// Version and cipher of the TLS session, in words.
    pub tls: Option<&'r str>,
}

/// The whole Received field, folded, with its CRLF.
#[must_use]
pub fn received(line: &ReceivedLine<'_>) -> String {
    let address = match line.client_ip.to_canonical() {
        IpAddr::V4(v4) => format!("[{v4}]"),
        IpAddr::V6(v6) => format!("[IPv6:{v6}]"),
    };
    let name = line.client_name.map(|name| format!("{} ", word(name))).unwrap_or_default();
    let mut field = format!("Received: from {} ({name}{address})\r\n", word(line.from_helo));
    if let Some(tls) = line.tls {
        field.push_str(&format!("\t({})\r\n", comment(tls)));
    }
    field.push_str(&format!("\tby {} with {} id {}", word(line.by), word(line.protocol), word(line.id)));
    if let Some(recipient) = line.for_recipient {
        field.push_str(&format!("\r\n\tfor <{}>", path(recipient)));
    }
    let date = DateTime::from_timestamp(line.date_ms.div_euclid(1000)).to_rfc822();
    field.push_str(&format!(";\r\n\t{date}\r\n"));
    field
}

/// The Return-Path field with its CRLF: the envelope sender without angle brackets, empty for the null sender.
#[must_use]
pub fn return_path(mail_from: &str) -> String {
    format!("Return-Path: <{}>\r\n", path(mail_from))
}

/// Text that stands for one word: nothing that separates, quotes, or comments.
fn word(text: &str) -> String {
    let clean = clean(text, |c| !c.is_whitespace() && !"()<>;,\"\\".contains(c));
    if clean.is_empty() { "unknown".to_owned() } else { clean }
}

/// Text inside a comment.
fn comment(text: &str) -> String {
    clean(text, |c| c == ' ' || (!c.is_whitespace() && !"()\\".contains(c)))
}

/// Text between angle brackets. A quoted local part may hold nearly everything, but neither brackets nor line ends.
fn path(text: &str) -> String {
    clean(text, |c| c == ' ' || (!c.is_whitespace() && !"<>".contains(c)))
}

fn clean(text: &str, allowed: impl Fn(char) -> bool) -> String {
    text.chars().take(PIECE_CHARS_MAX + 65).map(|c| if !c.is_control() && allowed(c) { c } else { '?' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line() -> ReceivedLine<'static> {
        ReceivedLine {
            from_helo: "mx.example.org",
            client_ip: IpAddr::from([192, 0, 2, 1]),
            client_name: Some("mx1.example.org"),
            by: "mail.example.net",
            protocol: "ESMTPS",
            id: "01J",
            for_recipient: Some("bob@example.net"),
            date_ms: 1_700_000_000_999,
            tls: Some("TLSv1.3 TLS_AES_256_GCM_SHA384"),
        }
    }

    #[test]
    fn a_received_field_has_every_clause_of_rfc_5321() {
        assert_eq!(
            received(&line()),
            "Received: from mx.example.org (mx1.example.org [192.0.2.1])\r\n\
             \t(TLSv1.3 TLS_AES_256_GCM_SHA384)\r\n\
             \tby mail.example.net with ESMTPS id 01J\r\n\
             \tfor <bob@example.net>;\r\n\
             \tTue, 14 Nov 2023 22:13:20 +0000\r\n"
        );
        let v6 = ReceivedLine {
            client_ip: IpAddr::from([0x2001, 0xdb8, 0, 0, 0, 0, 0, 1]),
            client_name: None,
            for_recipient: None,
            tls: None,
            ..line()
        };
        assert_eq!(
            received(&v6),
            "Received: from mx.example.org ([IPv6:2001:db8::1])\r\n\
             \tby mail.example.net with ESMTPS id 01J;\r\n\
             \tTue, 14 Nov 2023 22:13:20 +0000\r\n"
        );
    }

    #[test]
    fn hostile_names_cannot_leave_their_place() {
        let hostile = "x\r\nX-Evil: 1\r\n\r\n(; <y> \"";
        let field = received(&ReceivedLine {
            from_helo: hostile,
            client_name: Some(hostile),
            for_recipient: Some(hostile),
            tls: Some(hostile),
            id: hostile,
            ..line()
        });
        assert!(field.trim_end().lines().skip(1).all(|l| l.starts_with('\t')), "{field}");
        assert_eq!(field.matches("\r\n").count(), 5, "{field}");
        assert_eq!(field.matches(';').count(), 3, "in the recipient, the TLS comment and before the date: {field}");
        assert_eq!(return_path("a\r\nb>c@example.org"), "Return-Path: <a??b?c@example.org>\r\n");
        assert_eq!(return_path(""), "Return-Path: <>\r\n");
    }
}
