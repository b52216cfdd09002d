//! Fuzzes the macros of SPF records (RFC 7208 §7): the name that `exists` asks for, and the explanation of a fail, are
//! those of a second implementation, and bounded.
//!
//! The first line of an input is `ADDRESS HELO SENDER`; the second is the macro-string.

use posthouse_mail::auth::{DnsRecordType, SpfIdentity, SpfResult};

use super::verification::{FuzzSession, FuzzZone, HOSTNAME, NOW_S, verdicts};

/// A message; SPF doesn't depend on it.
const MAIL: &[u8] = b"From: a@author.example\r\n\r\n";
/// The longest domain and the longest explanation in bytes.
const DOMAIN_BYTES_MAX: usize = 253;
const EXPLANATION_BYTES_MAX: usize = 500;

/// Expands the macro-string as the domain of a mechanism and as an explanation.
pub fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (first, macros) = text.split_once('\n').unwrap_or((&text, ""));
    let session = FuzzSession::read(first);
    let Some((local, domain)) = session.mail_from.rsplit_once('@') else { return };
    let is_plain = |text: &str| text.is_ascii() && !text.bytes().any(|byte| byte.is_ascii_control());
    // The domain is part of a term below, and must not be a macro or end the term.
    if !is_plain(&session.mail_from) || domain.contains(['%', ' ']) || domain.ends_with('.') {
        return;
    }
    let own = domain.to_ascii_lowercase();
    // With the same name in HELO, the record below is evaluated for that identity too, and its questions would be taken
    // for those of MAIL FROM.
    if session.helo.trim_end_matches('.').eq_ignore_ascii_case(&own) {
        return;
    }
    let record = |name: &str, text: String| (name.to_owned(), "TXT".to_owned(), text);
    let expander = Expander { session: &session, local: if local.is_empty() { "postmaster" } else { local }, domain };
    if !macros.contains(' ') {
        let zone = FuzzZone { records: vec![record(&own, format!("v=spf1 exists:{macros} -all"))] };
        check_domain(&expander, macros, &zone);
    }
    let explained = format!("exp.{own}");
    let zone = FuzzZone {
        records: vec![record(&own, format!("v=spf1 -all exp=exp.{own}")), record(&explained, macros.to_owned())],
    };
    let (results, ..) = verdicts(session.input(MAIL), &zone);
    if results.spf.identity == SpfIdentity::MailFrom && results.spf.result == SpfResult::Fail {
        let expected = expander.expand(macros, true).map(|mut text| {
            text.truncate(text.floor_char_boundary(EXPLANATION_BYTES_MAX));
            text
        });
        // A name that DNS can't hold has no explanation.
        if results.spf.explanation.is_some() || explained.len() <= DOMAIN_BYTES_MAX {
            assert_eq!(results.spf.explanation, expected, "{macros}");
        }
    }
}

fn check_domain(expander: &Expander<'_>, macros: &str, zone: &FuzzZone) {
    let (results, _, asked) = verdicts(expander.session.input(MAIL), zone);
    if results.spf.identity != SpfIdentity::MailFrom || results.spf.result == SpfResult::None {
        return;
    }
    let expanded = if ends_well(macros) && !has_text_macro(macros) { expander.expand(macros, false) } else { None };
    let Some(expanded) = expanded else {
        assert_eq!(results.spf.result, SpfResult::PermError, "{macros}");
        return;
    };
    let mut name = expanded.strip_suffix('.').unwrap_or(&expanded);
    while name.len() > DOMAIN_BYTES_MAX {
        let Some((_, shorter)) = name.split_once('.') else { break };
        name = shorter;
    }
    let asked = asked.iter().find(|question| question.kind == DnsRecordType::A).map(|question| question.name.clone());
    let labels_fit = name.strip_suffix('.').unwrap_or(name).split('.').all(|label| (1..=63).contains(&label.len()));
    let is_name = name.len() <= DOMAIN_BYTES_MAX && labels_fit && name.is_ascii();
    let expected = is_name.then(|| name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase());
    assert_eq!(asked, expected, "{macros} is {expanded}");
    assert_eq!(results.spf.result, SpfResult::Fail, "nothing exists, so -all matches");
}

/// Returns whether a domain-spec ends in a macro or a top label (§7.1).
fn ends_well(text: &str) -> bool {
    let (before, last) = split_last_macro(text);
    if last.is_empty() && !before.is_empty() {
        return true;
    }
    let literal = last.replace("%%", "%").replace("%_", " ").replace("%-", "%20");
    let literal = literal.strip_suffix('.').unwrap_or(&literal);
    literal.rsplit_once('.').is_some_and(|(_, label)| {
        let ends = !label.starts_with('-') && !label.ends_with('-');
        let bytes = label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        !label.is_empty() && ends && bytes && label.bytes().any(|byte| !byte.is_ascii_digit())
    })
}

/// Splits after the last `%{…}`.
fn split_last_macro(text: &str) -> (&str, &str) {
    let mut end = 0;
    let mut at = 0;
    while let Some(found) = text.get(at..).and_then(|rest| rest.find('%')) {
        at += found;
        if text[at..].starts_with("%{") {
            match text[at..].find('}') {
                Some(close) => {
                    at += close + 1;
                    end = at;
                }
                None => break,
            }
        } else {
            at += 2;
        }
    }
    text.split_at(end)
}

/// Returns whether a macro occurs that only explanations may have: `c`, `r` or `t`.
fn has_text_macro(text: &str) -> bool {
    let plain = text.replace("%%", "");
    plain.split("%{").skip(1).any(|rest| rest.starts_with(['c', 'r', 't', 'C', 'R', 'T']))
}

/// A second implementation of macro expansion, for a client without a name.
struct Expander<'e> {
    session: &'e FuzzSession,
    local: &'e str,
    domain: &'e str,
}

impl Expander<'_> {
    /// Expands a macro-string. Returns `None` if its syntax is wrong.
    fn expand(&self, text: &str, has_spaces: bool) -> Option<String> {
        let mut out = String::new();
        let mut chars = text.chars();
        while let Some(next) = chars.next() {
            match next {
                '%' => match chars.next()? {
                    '%' => out.push('%'),
                    '_' => out.push(' '),
                    '-' => out.push_str("%20"),
                    '{' => {
                        let (inner, rest) = chars.as_str().split_once('}')?;
                        out.push_str(&self.one(inner)?);
                        chars = rest.chars();
                    }
                    _ => return None,
                },
                '!'..='~' => out.push(next),
                ' ' if has_spaces => out.push(' '),
                _ => return None,
            }
        }
        Some(out)
    }

    fn one(&self, inner: &str) -> Option<String> {
        let letter = inner.chars().next()?;
        let client = self.session.client_ip.to_canonical();
        let value = match letter.to_ascii_lowercase() {
            's' => format!("{}@{}", self.local, self.domain),
            'l' => self.local.to_owned(),
            'o' => self.domain.to_owned(),
            // Case is lost in DNS, and comparisons ignore it.
            'd' => self.domain.to_owned(),
            'i' => match client {
                std::net::IpAddr::V4(ip) => ip.to_string(),
                std::net::IpAddr::V6(ip) => {
                    let digits = format!("{:032X}", u128::from(ip));
                    digits.chars().map(String::from).collect::<Vec<_>>().join(".")
                }
            },
            'p' => "unknown".to_owned(),
            'v' => if client.is_ipv4() { "in-addr" } else { "ip6" }.to_owned(),
            'h' => self.session.helo.clone(),
            'c' => client.to_string(),
            'r' => HOSTNAME.to_owned(),
            't' => NOW_S.to_string(),
            _ => return None,
        };
        let rest = &inner[1..];
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        let mut rest = &rest[digits.len()..];
        let is_reversed = rest.starts_with(['r', 'R']);
        if is_reversed {
            rest = &rest[1..];
        }
        if !rest.chars().all(|next| ".-+,/_=".contains(next)) {
            return None;
        }
        let delimiters = if rest.is_empty() { "." } else { rest };
        let mut parts: Vec<&str> = value.split(|next| delimiters.contains(next)).collect();
        if is_reversed {
            parts.reverse();
        }
        if !digits.is_empty() {
            let kept = digits.parse().unwrap_or(usize::MAX);
            if kept == 0 {
                return None;
            }
            parts.drain(..parts.len().saturating_sub(kept));
        }
        let joined = parts.join(".");
        if letter.is_ascii_lowercase() {
            return Some(joined);
        }
        let escaped = |byte: u8| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
            _ => format!("%{byte:02X}"),
        };
        Some(joined.bytes().map(escaped).collect())
    }
}
