//! The Received and Return-Path fields that this host adds to received mail (RFC 5321 §4.4).

use mail_parser::DateTime;
use std::net::IpAddr;

/// Longest piece of untrusted text written into a field, in characters.
const PIECE_CHARS_MAX: usize = 255;

/// The content of a Received field.
#[derive(Debug, Clone, Copy)]
pub struct ReceivedField<'r> {
    /// The name that the client gave in HELO or EHLO.
    pub from_helo: &'r str,
    /// Address of the client.
    pub client_ip: IpAddr,
    /// Verified host name of the client, if any.
    pub client_name: Option<&'r str>,
    /// Name of this host.
    pub by: &'r str,
    /// Transmission type: `SMTP`, `ESMTP`, `ESMTPS`, `ESMTPSA`, `UTF8SMTP` and so on (RFC 3848, RFC 6531).
    pub protocol: &'r str,
    /// Identifier of the message in this host's logs.
    pub id: &'r str,
    /// The recipient, if there is only one. `None` for several, so that they don't learn of each other (RFC 5321 §7.2).
    pub for_recipient: Option<&'r str>,
    /// Time of receipt, in milliseconds since 1970.
    pub date_ms: i64,
    /// TLS version and cipher suite as text.
    pub tls: Option<&'r str>,
}

/// Returns the complete Received field, folded, with its CRLF.
#[must_use]
pub fn received(line: &ReceivedField<'_>) -> String {
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

/// Returns the Return-Path field with its CRLF. `mail_from` has no angle brackets and is empty for the null sender.
#[must_use]
pub fn return_path(mail_from: &str) -> String {
    format!("Return-Path: <{}>\r\n", path(mail_from))
}

/// Sanitizes text for use as one word: removes separators, quotes and comment characters.
fn word(text: &str) -> String {
    let clean = clean(text, |c| !c.is_whitespace() && !"()<>;,\"\\".contains(c));
    if clean.is_empty() { "unknown".to_owned() } else { clean }
}

/// Sanitizes text for use inside a comment.
fn comment(text: &str) -> String {
    clean(text, |c| c == ' ' || (!c.is_whitespace() && !"()\\".contains(c)))
}

/// Sanitizes text between angle brackets. A quoted local part may hold anything but brackets and line ends.
fn path(text: &str) -> String {
    clean(text, |c| c == ' ' || (!c.is_whitespace() && !"<>".contains(c)))
}

fn clean(text: &str, allowed: impl Fn(char) -> bool) -> String {
    text.chars().take(PIECE_CHARS_MAX + 65).map(|c| if !c.is_control() && allowed(c) { c } else { '?' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line() -> ReceivedField<'static> {
        ReceivedField {
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
        let v6 = ReceivedField {
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
    fn hostile_names_cannot_break_out_of_their_clause() {
        let hostile = "x\r\nX-Evil: 1\r\n\r\n(; <y> \"";
        let field = received(&ReceivedField {
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
