//! Parser for SPF records (RFC 7208 §4.5, §4.6.1, §5, §6, §12). Needs no DNS.

use super::macros::SpfMacroString;
use std::net::{Ipv4Addr, Ipv6Addr};

/// The result that a matching mechanism yields (RFC 7208 §4.6.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SpfQualifier {
    Pass,
    Fail,
    SoftFail,
    Neutral,
}

/// The domain and prefix lengths of an `a` or `mx` mechanism.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SpfTarget {
    pub(super) domain: Option<SpfMacroString>,
    pub(super) prefix4: u8,
    pub(super) prefix6: u8,
}

/// What the client address is compared with (RFC 7208 §5).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SpfMechanism {
    All,
    Include(SpfMacroString),
    A(SpfTarget),
    Mx(SpfTarget),
    Ptr(Option<SpfMacroString>),
    Ip4(Ipv4Addr, u8),
    Ip6(Ipv6Addr, u8),
    Exists(SpfMacroString),
}

/// A mechanism with its qualifier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SpfDirective {
    pub(super) qualifier: SpfQualifier,
    pub(super) mechanism: SpfMechanism,
}

/// A complete, syntactically valid record.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct SpfRecord {
    pub(super) directives: Vec<SpfDirective>,
    pub(super) redirect: Option<SpfMacroString>,
    pub(super) exp: Option<SpfMacroString>,
}

/// The record is invalid. The text is the faulty term, truncated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SpfSyntaxError(pub(super) String);

/// Returns true for text that claims to be an SPF record: `v=spf1`, followed by a space or the end (RFC 7208 §4.5).
pub(super) fn is_spf(text: &[u8]) -> bool {
    text.get(..6).is_some_and(|v| v.eq_ignore_ascii_case(b"v=spf1")) && matches!(text.get(6), None | Some(b' '))
}

impl SpfRecord {
    /// Parses text that [`is_spf`] accepts. One syntax error makes the whole record invalid (RFC 7208 §4.6).
    pub(super) fn parse(text: &[u8]) -> Result<Self, SpfSyntaxError> {
        let Ok(text) = std::str::from_utf8(text) else {
            return Err(SpfSyntaxError("not ASCII".to_owned()));
        };
        if !text.bytes().all(|b| (0x20..0x7f).contains(&b)) {
            return Err(SpfSyntaxError("not printable ASCII".to_owned()));
        }
        let mut record = Self::default();
        for term in text.split(' ').skip(1).filter(|term| !term.is_empty()) {
            record.push(term).ok_or_else(|| SpfSyntaxError(term.chars().take(60).collect()))?;
        }
        Ok(record)
    }

    fn push(&mut self, term: &str) -> Option<()> {
        if let Some((name, value)) = split_modifier(term) {
            let slot = if name.eq_ignore_ascii_case("redirect") {
                &mut self.redirect
            } else if name.eq_ignore_ascii_case("exp") {
                &mut self.exp
            } else {
                // Unknown modifiers are ignored, but a syntax error in one still makes the record invalid (§6).
                SpfMacroString::parse_text(value)?;
                return Some(());
            };
            if slot.is_some() {
                return None;
            }
            *slot = Some(SpfMacroString::parse_domain(value)?);
            return Some(());
        }
        self.directives.push(parse_directive(term)?);
        Some(())
    }
}

fn split_modifier(term: &str) -> Option<(&str, &str)> {
    let (name, value) = term.split_once('=')?;
    let mut bytes = name.bytes();
    let starts = bytes.next().is_some_and(|b| b.is_ascii_alphabetic());
    (starts && bytes.all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))).then_some((name, value))
}

fn parse_directive(term: &str) -> Option<SpfDirective> {
    let (qualifier, rest) = match term.as_bytes().first()? {
        b'+' => (SpfQualifier::Pass, term.get(1..)?),
        b'-' => (SpfQualifier::Fail, term.get(1..)?),
        b'~' => (SpfQualifier::SoftFail, term.get(1..)?),
        b'?' => (SpfQualifier::Neutral, term.get(1..)?),
        _ => (SpfQualifier::Pass, term),
    };
    let end = rest.find([':', '/']).unwrap_or(rest.len());
    let (name, argument) = rest.split_at(end);
    let mechanism = match name.to_ascii_lowercase().as_str() {
        "all" => argument.is_empty().then_some(SpfMechanism::All)?,
        "include" => SpfMechanism::Include(required_domain(argument)?),
        "exists" => SpfMechanism::Exists(required_domain(argument)?),
        "ptr" if argument.is_empty() => SpfMechanism::Ptr(None),
        "ptr" => SpfMechanism::Ptr(Some(required_domain(argument)?)),
        "a" => SpfMechanism::A(parse_target(argument)?),
        "mx" => SpfMechanism::Mx(parse_target(argument)?),
        "ip4" => parse_ip4(argument.strip_prefix(':')?)?,
        "ip6" => parse_ip6(argument.strip_prefix(':')?)?,
        _ => return None,
    };
    Some(SpfDirective { qualifier, mechanism })
}

fn required_domain(argument: &str) -> Option<SpfMacroString> {
    SpfMacroString::parse_domain(argument.strip_prefix(':')?)
}

/// Parses `[ ":" domain-spec ] [ dual-cidr-length ]`. Cuts the lengths off the end, as a domain-spec may contain
/// slashes.
fn parse_target(argument: &str) -> Option<SpfTarget> {
    let (rest, prefix6) = cut_prefix(argument, "//", 128)?;
    let (rest, prefix4) = cut_prefix(rest, "/", 32)?;
    let domain = if rest.is_empty() { None } else { Some(required_domain(rest)?) };
    Some(SpfTarget { domain, prefix4, prefix6 })
}

/// Cuts `mark` and digits off the end. Returns `None` if the number is out of range.
fn cut_prefix<'t>(text: &'t str, mark: &str, bits_max: u8) -> Option<(&'t str, u8)> {
    let head = text.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = text.get(head.len()..)?;
    match head.strip_suffix(mark) {
        // A single slash preceded by another one is part of a malformed IPv6 length.
        Some(before) if !digits.is_empty() && (mark == "//" || !before.ends_with('/')) => {
            Some((before, prefix_length(digits, bits_max)?))
        }
        _ => Some((text, bits_max)),
    }
}

fn prefix_length(digits: &str, bits_max: u8) -> Option<u8> {
    let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    if !plain || (digits.len() > 1 && digits.starts_with('0')) {
        return None;
    }
    digits.parse().ok().filter(|bits| *bits <= bits_max)
}

fn parse_ip4(argument: &str) -> Option<SpfMechanism> {
    let (address, bits) = match argument.split_once('/') {
        Some((address, digits)) => (address, prefix_length(digits, 32)?),
        None => (argument, 32),
    };
    Some(SpfMechanism::Ip4(address.parse().ok()?, bits))
}

fn parse_ip6(argument: &str) -> Option<SpfMechanism> {
    let (address, bits) = match argument.split_once('/') {
        Some((address, digits)) => (address, prefix_length(digits, 128)?),
        None => (argument, 128),
    };
    Some(SpfMechanism::Ip6(address.parse().ok()?, bits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spf_records_are_distinguished_from_other_text() {
        for (text, expected) in [
            ("v=spf1", true),
            ("V=SPF1 -all", true),
            ("v=spf10", false),
            ("v=spf1\t-all", false),
            ("v=spf", false),
            ("", false),
        ] {
            assert_eq!(is_spf(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn terms_are_accepted_or_rejected() {
        for term in [
            "a",
            "A",
            "+mx",
            "a/24",
            "a//64",
            "a/24//64",
            "a:b.example/0",
            "mx:%{d}//128",
            "ptr",
            "ptr:b.example",
            "ip4:1.2.3.4",
            "ip4:1.2.3.4/32",
            "ip6:::1/0",
            "exists:%{i}.b.example",
            "include:b.example.",
            "x.y-z_=any%%",
            "a:/b.example",
            "redirect=b.example",
            "exp=b.example",
        ] {
            assert!(SpfRecord::parse(format!("v=spf1 {term}").as_bytes()).is_ok(), "{term}");
        }
        for term in [
            "all:b",
            "all/8",
            "moo",
            "a/33",
            "a//129",
            "a/",
            "a//",
            "a/024",
            "a:",
            "a:b",
            "a:1.2.3.4",
            "ptr/0",
            "ptr:",
            "ip4",
            "ip4:",
            "ip4:1.2.3",
            "ip4:1.2.3.4/33",
            "ip4:1.2.3.4//32",
            "ip6:::1/129",
            "ip6:1.2.3.4",
            "include",
            "include:",
            "exists:",
            "redirect=",
            "exp=",
            "redirect:b.example",
            "x=%",
            "x=%{zz}",
            "1x=y",
            "-",
            "a:b.example/-1",
            "a:%{c}.b.example",
            "a:%{d0}",
            "redirect=b.example redirect=b.example",
        ] {
            assert!(SpfRecord::parse(format!("v=spf1 {term}").as_bytes()).is_err(), "{term}");
        }
    }
}
