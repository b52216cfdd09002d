//! Parser for the paths of MAIL and RCPT: `<>`, `<postmaster>`, `<user@domain>`, quoted local parts, address literals
//! and source routes (RFC 5321 §4.1.2, RFC 6531 §3.3).
//!
//! Strict where lenient parsing could result in another address: blanks inside the brackets and the dot of the root at the
//! end of a domain are skipped. Does not check whether an address exists.

use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr};

use crate::address::Address;
use crate::limits::ADDRESS_BYTES_MAX;

/// Longest domain in bytes (RFC 5321 §4.5.3.1.2).
pub const DOMAIN_BYTES_MAX: usize = 255;

/// Longest label of a domain in bytes (RFC 1035 §2.3.4).
pub const LABEL_BYTES_MAX: usize = 63;

/// An envelope address. Kept as written, except that quoting is removed.
///
/// The local part may exceed the 64 bytes of RFC 5321 §4.5.3.1.1, because forwarders generate such addresses. The whole
/// address is limited to [`ADDRESS_BYTES_MAX`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct EnvelopeAddress {
    local: String,
    domain: Option<String>,
}

impl EnvelopeAddress {
    /// Returns the local part without quoting.
    pub fn local(&self) -> &str {
        &self.local
    }

    /// Returns the domain as written, or an address literal with its brackets; `None` for a bare `<postmaster>`.
    pub fn domain(&self) -> Option<&str> {
        self.domain.as_deref()
    }

    /// Converts to an [`Address`]. Returns `None` without a domain, or if [`Address`] is stricter than SMTP.
    pub fn to_address(&self) -> Option<Address> {
        Address::parse_smtp(&self.to_string()).ok()
    }

    /// Returns whether the address can be used without SMTPUTF8 (RFC 6531).
    pub fn is_ascii(&self) -> bool {
        self.local.is_ascii() && self.domain.as_ref().is_none_or(|domain| domain.is_ascii())
    }
}

/// Formats the address for a path, with quotes only if required.
impl fmt::Display for EnvelopeAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if is_dot_string(&self.local) {
            f.write_str(&self.local)?;
        } else {
            let escaped = self.local.replace('\\', "\\\\").replace('"', "\\\"");
            write!(f, "\"{escaped}\"")?;
        }
        match &self.domain {
            Some(domain) => write!(f, "@{domain}"),
            None => Ok(()),
        }
    }
}

/// The content of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum EnvelopePath {
    /// `<>`.
    Null,
    /// `<local@domain>`, or `<postmaster>`.
    Address(EnvelopeAddress),
}

/// Parses a path at the start of `text`. Returns the path and the rest of the text, or `None` if the path is invalid.
pub(super) fn parse(text: &str) -> Option<(EnvelopePath, &str)> {
    let text = text.strip_prefix('<')?.trim_start_matches(' ');
    if let Some(rest) = text.strip_prefix('>') {
        return Some((EnvelopePath::Null, rest));
    }
    let text = skip_source_route(text)?;
    let (local, rest) = parse_local(text)?;
    let (domain, rest) = match rest.strip_prefix('@') {
        Some(rest) => {
            let end = rest.find('>')?;
            let domain = rest[..end].trim_end_matches(' ');
            let domain = domain.strip_suffix('.').unwrap_or(domain);
            is_domain_or_literal(domain).then_some(())?;
            (Some(domain.to_owned()), &rest[end..])
        }
        None => (None, rest),
    };
    let rest = rest.strip_prefix('>')?;
    let domain_bytes = domain.as_ref().map_or(0, String::len);
    let complete = domain.is_some() || local.eq_ignore_ascii_case("postmaster");
    let short = local.len() + 1 + domain_bytes <= ADDRESS_BYTES_MAX;
    (complete && short).then_some((EnvelopePath::Address(EnvelopeAddress { local, domain }), rest))
}

/// Skips a source route `@a,@b:` before a mailbox, as RFC 5321 §3.6.1 and appendix C recommend.
fn skip_source_route(text: &str) -> Option<&str> {
    if !text.starts_with('@') {
        return Some(text);
    }
    // IPv6 address literals contain colons, so the route ends at the first colon outside brackets.
    let mut in_literal = false;
    let end = text.find(|c: char| {
        in_literal = match c {
            '[' => true,
            ']' => false,
            _ => in_literal,
        };
        c == ':' && !in_literal
    })?;
    let is_hop = |hop: &str| hop.strip_prefix('@').is_some_and(is_domain_or_literal);
    text[..end].split(',').all(is_hop).then_some(&text[end + 1..])
}

/// Parses a local part. Returns it without quoting, and the rest of the text.
fn parse_local(text: &str) -> Option<(String, &str)> {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find(['@', '>'])?;
        let local = if text[end..].starts_with('>') { text[..end].trim_end_matches(' ') } else { &text[..end] };
        let plain = !local.is_empty() && local.chars().all(|c| c == '.' || is_atext(c));
        return plain.then(|| (local.to_owned(), &text[end..]));
    };
    let mut local = String::new();
    let mut escaped = false;
    for (at, c) in quoted.char_indices() {
        match c {
            _ if c.is_control() => return None,
            _ if escaped => {
                local.push(c);
                escaped = false;
            }
            '\\' => escaped = true,
            '"' => return Some((local, &quoted[at + 1..])),
            _ => local.push(c),
        }
    }
    None
}

/// Returns whether the local part needs no quotes (RFC 5321 §4.1.2, Dot-string).
fn is_dot_string(local: &str) -> bool {
    local.split('.').all(|atom| !atom.is_empty() && atom.chars().all(is_atext))
}

fn is_atext(c: char) -> bool {
    match c {
        'a'..='z' | 'A'..='Z' | '0'..='9' => true,
        _ if c.is_ascii() => "!#$%&'*+-/=?^_`{|}~".contains(c),
        _ => !c.is_control() && !c.is_whitespace(),
    }
}

/// Returns whether `domain` is a host name, an internationalized host name, or an address literal.
pub(super) fn is_domain_or_literal(domain: &str) -> bool {
    if domain.len() > DOMAIN_BYTES_MAX {
        return false;
    }
    if let Some(literal) = domain.strip_prefix('[') {
        return literal.strip_suffix(']').is_some_and(is_address);
    }
    if domain.is_ascii() {
        return domain.split('.').all(is_label);
    }
    idna::domain_to_ascii(domain).is_ok_and(|ascii| ascii.len() <= DOMAIN_BYTES_MAX && ascii.split('.').all(is_label))
}

/// Returns whether a label has only letters, digits, hyphens and underscores. Underscores are not valid in host names
/// but occur in real sender domains.
fn is_label(label: &str) -> bool {
    let inside = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    (1..=LABEL_BYTES_MAX).contains(&label.len())
        && label.bytes().all(inside)
        && !label.starts_with('-')
        && !label.ends_with('-')
}

fn is_address(literal: &str) -> bool {
    match literal.get(..5) {
        Some(tag) if tag.eq_ignore_ascii_case("IPv6:") => literal[5..].parse::<Ipv6Addr>().is_ok(),
        _ => literal.parse::<Ipv4Addr>().is_ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<String> {
        match parse(text)? {
            (EnvelopePath::Null, "") => Some("null".to_owned()),
            (EnvelopePath::Address(address), "") => Some(address.to_string()),
            (_, _) => None,
        }
    }

    #[test]
    fn valid_paths_are_parsed() {
        let table = [
            ("<>", "null"),
            ("<a@b.example>", "a@b.example"),
            ("<Postmaster>", "Postmaster"),
            ("< >", "null"),
            ("< Postmaster >", "Postmaster"),
            ("< a@b.example >", "a@b.example"),
            ("<a@b.example  >", "a@b.example"),
            ("<  a@b.example>", "a@b.example"),
            ("<a@b.example.>", "a@b.example"),
            ("< a@b.example. >", "a@b.example"),
            ("<a@b.>", "a@b"),
            ("<@x.example,@[IPv6:::1]:a@b.example>", "a@b.example"),
            (r#"<"a b"@c.example>"#, r#""a b"@c.example"#),
            (r#"<"ab"@c.example>"#, "ab@c.example"),
            (r#"<"a\"\\>@"@c.example>"#, r#""a\"\\>@"@c.example"#),
            (r#"<""@c.example>"#, r#"""@c.example"#),
            ("<a..b.@c.example>", r#""a..b."@c.example"#),
            ("<a@[192.0.2.1]>", "a@[192.0.2.1]"),
            ("<a@[IPv6:2001:db8::1]>", "a@[IPv6:2001:db8::1]"),
            ("<a@under_score.example>", "a@under_score.example"),
            ("<a+tag=x/y@b>", "a+tag=x/y@b"),
            ("<müller@bücher.example>", "müller@bücher.example"),
        ];
        for (text, expected) in table {
            assert_eq!(read(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn invalid_paths_are_rejected() {
        let table = [
            "",
            "a@b",
            "<a@b",
            "<a@>",
            "<@b>",
            "<a>",
            "<a b@c>",
            "<a@b c>",
            "<a@b..>",
            "<a@b. .>",
            "<a @b>",
            "<a@ b>",
            "<a@.b>",
            "<a@-b>",
            "<a@b-.c>",
            "<a@[300.1.1.1]>",
            "<a@[IPv6:zz]>",
            "<a@[tag:x]>",
            "<a@[1.2.3.4>",
            "<\"a@b>",
            "<\"a\u{1}\"@b>",
            "<@x.example:>",
            "<@x y:a@b>",
            "<a@b@c>",
            "<<a@b>>",
            "<a,b@c>",
            "<a@b\u{200b}\u{202e}c>",
            "<\"a\"b@c>",
            "<a\u{a0}b@c>",
        ];
        for text in table {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn lengths_are_limited() {
        let label = "d".repeat(LABEL_BYTES_MAX);
        let domain = [label.as_str(); 4].join(".");
        assert!(read(&format!("<a@{domain}>")).is_some());
        assert!(read(&format!("<a@{domain}.e>")).is_none());
        assert!(read(&format!("<a@{label}d.example>")).is_none());
        let local_bytes_max = ADDRESS_BYTES_MAX - "@b.example".len();
        assert!(read(&format!("<{}@b.example>", "l".repeat(local_bytes_max))).is_some());
        assert!(read(&format!("<{}@b.example>", "l".repeat(local_bytes_max + 1))).is_none());
    }
}
