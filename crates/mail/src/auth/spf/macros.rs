//! SPF macro strings (RFC 7208 §7): parsed once, expanded with the values of one check. Needs no DNS.

use std::fmt::Write as _;
use std::net::IpAddr;

/// Longest domain after expansion; longer ones lose labels from the left (RFC 7208 §7.3).
const EXPANDED_DOMAIN_BYTES_MAX: usize = 253;

/// Longest explanation kept, in bytes.
const EXPLANATION_BYTES_MAX: usize = 500;

/// Longest expansion kept while it is made, in bytes. A record of 64 KiB could expand to megabytes; only the end of a
/// domain and the beginning of an explanation count.
const EXPANSION_BYTES_MAX: usize = 4 * 1024;

/// A parsed macro-string.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SpfMacroString {
    pieces: Vec<MacroPiece>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum MacroPiece {
    Literal(String),
    Macro(SpfMacro),
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct SpfMacro {
    letter: u8,
    labels_max: Option<usize>,
    reversed: bool,
    delimiters: String,
    url_escaped: bool,
}

/// The values that macros expand to.
#[derive(Debug, Clone)]
pub(super) struct SpfMacroValues<'v> {
    pub(super) local_part: &'v str,
    pub(super) sender_domain: &'v str,
    pub(super) domain: &'v str,
    pub(super) client_ip: IpAddr,
    pub(super) helo: &'v str,
    pub(super) receiver: &'v str,
    pub(super) now_s: i64,
    /// The validated name of the client (`%{p}`).
    pub(super) client_name: &'v str,
}

impl SpfMacroString {
    /// Parses a `domain-spec`: without the macros `c`, `r` and `t`, and ending in a macro or a top label (§7.1).
    pub(super) fn parse_domain(text: &str) -> Option<Self> {
        let parsed = Self::parse(text, b"slodiphv", false)?;
        let valid_end = match parsed.pieces.last()? {
            MacroPiece::Macro(_) => true,
            MacroPiece::Literal(literal) => ends_in_top_label(literal),
        };
        valid_end.then_some(parsed)
    }

    /// Parses the value of an unknown modifier, which may be any macro-string.
    pub(super) fn parse_text(text: &str) -> Option<Self> {
        Self::parse(text, b"slodiphvcrt", false)
    }

    /// Parses an explanation: macro-strings and spaces (§6.2).
    pub(super) fn parse_explanation(text: &str) -> Option<Self> {
        Self::parse(text, b"slodiphvcrt", true)
    }

    fn parse(text: &str, letters: &[u8], spaces: bool) -> Option<Self> {
        let mut pieces = Vec::new();
        let mut literal = String::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            if first != '%' {
                if !(first.is_ascii_graphic() || (spaces && first == ' ')) {
                    return None;
                }
                literal.push(first);
                rest = rest.get(first.len_utf8()..)?;
                continue;
            }
            match rest.as_bytes().get(1)? {
                b'%' => literal.push('%'),
                b'_' => literal.push(' '),
                b'-' => literal.push_str("%20"),
                b'{' => {
                    let (inner, after) = rest.get(2..)?.split_once('}')?;
                    if !literal.is_empty() {
                        pieces.push(MacroPiece::Literal(std::mem::take(&mut literal)));
                    }
                    pieces.push(MacroPiece::Macro(SpfMacro::parse(inner, letters)?));
                    rest = after;
                    continue;
                }
                _ => return None,
            }
            rest = rest.get(2..)?;
        }
        if !literal.is_empty() {
            pieces.push(MacroPiece::Literal(literal));
        }
        Some(Self { pieces })
    }

    /// Returns true if `%{p}` occurs. Its value needs DNS lookups.
    pub(super) fn needs_client_name(&self) -> bool {
        self.pieces.iter().any(|piece| matches!(piece, MacroPiece::Macro(m) if m.letter == b'p'))
    }

    /// Expands to a domain name without a trailing dot, shortened from the left to 253 bytes.
    pub(super) fn expand_domain(&self, values: &SpfMacroValues<'_>) -> String {
        let expanded = self.expand(values, KeptPart::End);
        let mut domain = expanded.strip_suffix('.').unwrap_or(&expanded);
        while domain.len() > EXPANDED_DOMAIN_BYTES_MAX {
            match domain.split_once('.') {
                Some((_, shorter)) => domain = shorter,
                None => break,
            }
        }
        domain.to_owned()
    }

    /// Expands to an explanation text of at most 500 bytes.
    pub(super) fn expand_text(&self, values: &SpfMacroValues<'_>) -> String {
        let mut text = self.expand(values, KeptPart::Beginning);
        if text.len() > EXPLANATION_BYTES_MAX {
            text.truncate(text.floor_char_boundary(EXPLANATION_BYTES_MAX));
        }
        text
    }

    fn expand(&self, values: &SpfMacroValues<'_>, kept: KeptPart) -> String {
        let mut out = String::new();
        for piece in &self.pieces {
            match piece {
                MacroPiece::Literal(literal) => out.push_str(literal),
                MacroPiece::Macro(m) => m.expand(values, &mut out),
            }
            if out.len() > EXPANSION_BYTES_MAX {
                match kept {
                    KeptPart::Beginning => break,
                    KeptPart::End => {
                        out.drain(..out.ceil_char_boundary(out.len() - EXPANSION_BYTES_MAX));
                    }
                }
            }
        }
        out
    }
}

/// The part of a long expansion that counts.
#[derive(Clone, Copy)]
enum KeptPart {
    Beginning,
    End,
}

/// Returns true if a literal ends in `"." toplabel [ "." ]` (§7.1).
fn ends_in_top_label(literal: &str) -> bool {
    let literal = literal.strip_suffix('.').unwrap_or(literal);
    let Some((_, label)) = literal.rsplit_once('.') else {
        return false;
    };
    !label.is_empty()
        && !label.starts_with('-')
        && !label.ends_with('-')
        && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
        && label.bytes().any(|b| !b.is_ascii_digit())
}

impl SpfMacro {
    fn parse(inner: &str, letters: &[u8]) -> Option<Self> {
        let letter = *inner.as_bytes().first()?;
        let lower = letter.to_ascii_lowercase();
        if !letters.contains(&lower) {
            return None;
        }
        let rest = inner.get(1..)?;
        let after_digits = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        let digits = rest.get(..rest.len() - after_digits.len())?;
        // Zero labels are not allowed (§7.3); a number larger than any domain selects all labels.
        let labels_max = if digits.is_empty() { None } else { Some(digits.parse().unwrap_or(usize::MAX)) };
        if labels_max == Some(0) {
            return None;
        }
        let reversed = after_digits.starts_with(['r', 'R']);
        let delimiters = after_digits.get(usize::from(reversed)..)?;
        if !delimiters.bytes().all(|b| b".-+,/_=".contains(&b)) {
            return None;
        }
        Some(Self {
            letter: lower,
            labels_max,
            reversed,
            delimiters: if delimiters.is_empty() { ".".to_owned() } else { delimiters.to_owned() },
            url_escaped: letter.is_ascii_uppercase(),
        })
    }

    fn expand(&self, values: &SpfMacroValues<'_>, out: &mut String) {
        let value = self.value(values);
        let mut parts: Vec<&str> = value.split(|c| self.delimiters.contains(c)).collect();
        if self.reversed {
            parts.reverse();
        }
        let skipped = self.labels_max.map_or(0, |labels| parts.len().saturating_sub(labels));
        let joined = parts.get(skipped..).unwrap_or_default().join(".");
        if self.url_escaped {
            push_escaped(&joined, out);
        } else {
            out.push_str(&joined);
        }
    }

    fn value(&self, values: &SpfMacroValues<'_>) -> String {
        match self.letter {
            b's' => format!("{}@{}", values.local_part, values.sender_domain),
            b'l' => values.local_part.to_owned(),
            b'o' => values.sender_domain.to_owned(),
            b'd' => values.domain.to_owned(),
            b'i' => dotted(values.client_ip),
            b'p' => values.client_name.to_owned(),
            b'v' => if values.client_ip.is_ipv4() { "in-addr" } else { "ip6" }.to_owned(),
            b'h' => values.helo.to_owned(),
            b'c' => values.client_ip.to_string(),
            b'r' => values.receiver.to_owned(),
            _ => values.now_s.to_string(),
        }
    }
}

/// Formats the `i` macro: a dotted quad, or all nibbles of an IPv6 address separated by dots (§7.3).
fn dotted(ip: IpAddr) -> String {
    let IpAddr::V6(v6) = ip else {
        return ip.to_string();
    };
    let nibbles: Vec<String> =
        v6.octets().iter().flat_map(|octet| [octet >> 4, octet & 0xf]).map(|nibble| format!("{nibble:X}")).collect();
    nibbles.join(".")
}

/// Percent-encodes everything except the unreserved characters of RFC 3986 §2.3.
fn push_escaped(text: &str, out: &mut String) {
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            // Writing into a String cannot fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values() -> SpfMacroValues<'static> {
        SpfMacroValues {
            local_part: "strong-bad",
            sender_domain: "email.example.com",
            domain: "email.example.com",
            client_ip: IpAddr::from([192, 0, 2, 3]),
            helo: "mx.example.org",
            receiver: "mx.example.net",
            now_s: 1_700_000_000,
            client_name: "unknown",
        }
    }

    #[test]
    fn macros_expand_as_in_rfc_7208_section_7_4() {
        for (text, expected) in [
            ("%{s}", "strong-bad@email.example.com"),
            ("%{o}", "email.example.com"),
            ("%{d4}", "email.example.com"),
            ("%{d2}", "example.com"),
            ("%{d1}", "com"),
            ("%{dr}", "com.example.email"),
            ("%{d2r}", "example.email"),
            ("%{l-}", "strong.bad"),
            ("%{lr-}", "bad.strong"),
            ("%{l1r-}", "strong"),
            ("%{ir}.%{v}._spf.%{d2}", "3.2.0.192.in-addr._spf.example.com"),
            ("%{S}", "strong-bad%40email.example.com"),
            ("%%%_%-", "% %20"),
        ] {
            let parsed = SpfMacroString::parse_text(text).expect(text);
            assert_eq!(parsed.expand(&values(), KeptPart::Beginning), expected, "{text}");
        }
    }

    #[test]
    fn an_expansion_is_bounded_and_keeps_the_part_that_counts() {
        let many = "%{s}".repeat(16_000);
        let parsed = SpfMacroString::parse_domain(&format!("{many}.example.org")).expect("valid");
        let values = SpfMacroValues { local_part: &"a.b".repeat(20), ..values() };
        let end = parsed.expand(&values, KeptPart::End);
        assert!(end.len() <= EXPANSION_BYTES_MAX && end.ends_with("email.example.com.example.org"), "{}", end.len());
        let domain = parsed.expand_domain(&values);
        assert!(domain.len() <= EXPANDED_DOMAIN_BYTES_MAX && domain.ends_with(".example.org"), "{domain}");
        let text = parsed.expand_text(&values);
        assert!(text.len() == EXPLANATION_BYTES_MAX && text.starts_with("a.ba.b"), "{text}");
        assert!(parsed.expand(&values, KeptPart::Beginning).len() < 2 * EXPANSION_BYTES_MAX);
    }

    #[test]
    fn long_domains_lose_labels_from_the_left() {
        let parsed = SpfMacroString::parse_domain(&"%{o}.".repeat(20)).map(|m| m.expand_domain(&values()));
        assert_eq!(parsed, None, "a domain must end in a macro or a top label");
        let parsed = SpfMacroString::parse_domain(&format!("{}%{{o}}", "%{o}.".repeat(20))).expect("valid");
        let domain = parsed.expand_domain(&values());
        assert!(domain.len() <= EXPANDED_DOMAIN_BYTES_MAX && domain.len() > 230, "{}", domain.len());
        assert!(domain.ends_with(".email.example.com"));
    }
}
