//! The Authentication-Results field of this host, and foreign ones that pretend to be it (RFC 8601).
//!
//! Works on decoded header values, never on the raw bytes of a message: those stay as received (decision 26).

use crate::address::is_invisible;
use crate::auth::{AuthResults, DkimVerdict, SpfIdentity, SpfResult, SpfVerdict};

/// Longest reason or property written, in characters.
const VALUE_CHARS_MAX: usize = 255;

/// The value of our Authentication-Results field, on one line: `authserv_id`, then spf, dkim, dmarc and arc.
#[must_use]
pub fn authentication_results(authserv_id: &str, results: &AuthResults) -> String {
    let mut parts = vec![value(authserv_id), spf_part(&results.spf)];
    if results.spf.identity == SpfIdentity::MailFrom && results.helo_spf.result != SpfResult::None {
        parts.push(spf_part(&results.helo_spf));
    }
    if results.dkim.is_empty() {
        parts.push("dkim=none".to_owned());
    }
    parts.extend(results.dkim.iter().map(dkim_part));
    let dmarc = &results.dmarc;
    let mut part = method("dmarc", dmarc.result.as_str(), &dmarc.reason);
    push_property(&mut part, "header.from", &dmarc.domain);
    push_property(&mut part, "policy.dmarc", dmarc.policy.map_or("", |policy| policy.as_str()));
    parts.push(part);
    let arc = &results.arc;
    let mut part = method("arc", arc.result.as_str(), &arc.reason);
    push_property(&mut part, "header.d", &arc.domain);
    parts.push(part);
    parts.join("; ")
}

/// What one of our own Authentication-Results values says of DMARC.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredDmarc {
    /// The keyword of the result.
    pub result: String,
    /// The author's domain that was judged, in lower case and A-labels; empty where there was none.
    pub domain: String,
    /// Whether a DKIM signature of that very domain passed.
    pub is_signed: bool,
}

/// Reads a value that [`authentication_results`] wrote. `None` where it says nothing of DMARC.
#[must_use]
pub fn stored_dmarc(value: &str) -> Option<StoredDmarc> {
    let (mut quoted, mut escaped) = (false, false);
    let mut words = vec![String::new()];
    for next in value.chars() {
        match next {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            ' ' | ';' if !quoted => words.push(String::new()),
            _ if quoted => {}
            other => words.last_mut()?.push(other),
        }
    }
    let behind = words.iter().skip_while(|word| !word.starts_with("dmarc="));
    let result = behind.clone().next()?.strip_prefix("dmarc=")?.to_owned();
    let domain = behind.take_while(|word| !word.starts_with("arc=")).find_map(|word| word.strip_prefix("header.from="));
    let domain = domain.unwrap_or_default().to_owned();
    let signer = format!("header.d={domain}");
    let mut passes = words.iter().enumerate().filter(|(_, word)| *word == "dkim=pass");
    let is_signed = passes.any(|(at, _)| words[at..].iter().take(5).any(|word| *word == signer));
    Some(StoredDmarc { result, domain, is_signed })
}

fn spf_part(verdict: &SpfVerdict) -> String {
    // The explanation (`exp=`) is text of the sender's domain: it has no place among our results.
    let mut part = method("spf", verdict.result.as_str(), &verdict.reason);
    let property = match verdict.identity {
        SpfIdentity::MailFrom => "smtp.mailfrom",
        SpfIdentity::Helo => "smtp.helo",
    };
    push_property(&mut part, property, &verdict.domain);
    part
}

fn dkim_part(verdict: &DkimVerdict) -> String {
    let mut part = method("dkim", verdict.result.as_str(), &verdict.reason);
    push_property(&mut part, "header.d", &verdict.domain);
    push_property(&mut part, "header.s", &verdict.selector);
    push_property(&mut part, "header.a", verdict.algorithm);
    part
}

fn method(name: &str, result: &str, reason: &str) -> String {
    if reason.is_empty() { format!("{name}={result}") } else { format!("{name}={result} reason={}", quoted(reason)) }
}

fn push_property(part: &mut String, name: &str, text: &str) {
    if !text.is_empty() {
        part.push_str(&format!(" {name}={}", value(text)));
    }
}

/// A value as a token where it is one, quoted otherwise (RFC 8601 §2.2).
fn value(text: &str) -> String {
    let is_token = !text.is_empty()
        && text.chars().count() <= VALUE_CHARS_MAX
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._+@".contains(&b));
    if is_token { text.to_owned() } else { quoted(text) }
}

/// A quoted-string of printable ASCII (RFC 5322 §3.2.4): everything else becomes a question mark.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars().take(VALUE_CHARS_MAX) {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            ' '..='~' => out.push(c),
            _ => out.push('?'),
        }
    }
    out.push('"');
    out
}

/// True when the value of an Authentication-Results field may be taken for one of `authserv_id` (RFC 8601 §5): it names that
/// id in any spelling, nobody, or something that is no plain host name. Such a field in received mail is a forgery, for ours
/// is added later.
#[must_use]
pub fn is_foreign_claim(header_value: &str, authserv_id: &str) -> bool {
    let own = authserv_id.trim_end_matches('.').to_ascii_lowercase();
    let claimed = claimed_id(header_value).to_ascii_lowercase();
    let first = claimed.split_whitespace().next().unwrap_or_default();
    let is_host = first.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte));
    if first.is_empty() || !is_host {
        return true;
    }
    // Behind the id may stand a version, with a blank or without; and blanks may stand within it.
    let joined: String = claimed.split_whitespace().collect();
    let is_own = |id: &str| id.strip_prefix(&own).is_some_and(|rest| !rest.chars().any(char::is_alphabetic));
    is_own(first) || is_own(&joined)
}

/// Removes from a header map every Authentication-Results entry that [`is_foreign_claim`] finds.
pub fn remove_foreign_claims<N: AsRef<str>, V: AsRef<str>>(headers: &mut Vec<(N, V)>, authserv_id: &str) {
    headers.retain(|(name, value)| {
        !(name.as_ref().eq_ignore_ascii_case("authentication-results") && is_foreign_claim(value.as_ref(), authserv_id))
    });
}

/// What stands in front of the first semicolon of a value, without comments, quotes and invisible characters.
fn claimed_id(header_value: &str) -> String {
    let mut depth = 0_usize;
    let mut quoted = false;
    let mut escaped = false;
    let mut id = String::new();
    for next in header_value.chars() {
        match next {
            _ if escaped => {
                escaped = false;
                if depth == 0 {
                    id.push(next);
                }
            }
            '\\' if depth > 0 || quoted => escaped = true,
            '"' if depth == 0 => quoted = !quoted,
            '(' if !quoted => depth += 1,
            ')' if depth > 0 => depth -= 1,
            _ if depth > 0 => {}
            ';' if !quoted => break,
            _ => id.push(next),
        }
    }
    id.retain(|next| (next.is_whitespace() || !next.is_control()) && !is_invisible(next));
    id
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::{Alignment, ArcResult, ArcVerdict, DkimResult, DmarcPolicy, DmarcResult, DmarcVerdict};

    fn results(text: &str) -> AuthResults {
        let spf = |identity| SpfVerdict {
            result: SpfResult::Fail,
            identity,
            domain: text.to_owned(),
            reason: text.to_owned(),
            explanation: Some(text.to_owned()),
        };
        AuthResults {
            spf: spf(SpfIdentity::MailFrom),
            helo_spf: spf(SpfIdentity::Helo),
            dkim: vec![DkimVerdict {
                result: DkimResult::Fail,
                domain: text.to_owned(),
                selector: text.to_owned(),
                algorithm: "rsa-sha256",
                aligned: true,
                reason: text.to_owned(),
            }],
            dmarc: DmarcVerdict {
                result: DmarcResult::Fail,
                policy: Some(DmarcPolicy::Reject),
                domain: text.to_owned(),
                reason: text.to_owned(),
                alignment: Alignment::Fail,
                spf_aligned: false,
            },
            arc: ArcVerdict { result: ArcResult::Pass, sets: 1, domain: text.to_owned(), reason: String::new() },
        }
    }

    #[test]
    fn every_method_is_named_with_its_reason() {
        assert_eq!(
            authentication_results("mail.example.net", &results("a.example")),
            "mail.example.net; \
             spf=fail reason=\"a.example\" smtp.mailfrom=a.example; \
             spf=fail reason=\"a.example\" smtp.helo=a.example; \
             dkim=fail reason=\"a.example\" header.d=a.example header.s=a.example header.a=rsa-sha256; \
             dmarc=fail reason=\"a.example\" header.from=a.example policy.dmarc=reject; \
             arc=pass header.d=a.example"
        );
    }

    #[test]
    fn what_was_written_of_dmarc_is_read_again() {
        for text in ["a.example", "x; dmarc=pass header.from=b.example", "\\\"; dmarc=pass"] {
            let mut written = results(text);
            written.dmarc.domain = "a.example".to_owned();
            let read = stored_dmarc(&authentication_results("mail.example.net", &written));
            let expected = StoredDmarc { result: "fail".to_owned(), domain: "a.example".to_owned(), is_signed: false };
            assert_eq!(read, Some(expected), "{text}");
        }
        assert_eq!(stored_dmarc("mail.example.net; spf=pass"), None);
        let signed = "m; dkim=pass header.d=a.example header.s=s; dmarc=pass header.from=a.example; arc=none";
        assert!(stored_dmarc(signed).is_some_and(|read| read.is_signed));
        let by_another = signed.replace("header.d=a", "header.d=b");
        assert!(stored_dmarc(&by_another).is_some_and(|read| !read.is_signed));
    }

    #[test]
    fn foreign_text_cannot_pretend_to_be_a_result() {
        let text = authentication_results("mail.example.net", &results("x\r\n\"; dkim=pass \\\u{202e}ü"));
        assert!(text.is_ascii() && !text.contains(['\r', '\n']), "{text}");
        let mut outside = String::new();
        let (mut quoted, mut escaped) = (false, false);
        for c in text.chars() {
            match c {
                _ if escaped => escaped = false,
                '\\' if quoted => escaped = true,
                '"' => quoted = !quoted,
                _ if !quoted => outside.push(c),
                _ => {}
            }
        }
        assert!(!quoted && !outside.contains("dkim=pass"), "{outside}");
    }

    #[test]
    fn claims_of_our_name_are_recognised_in_every_disguise() {
        for value in [
            "mail.example.net; spf=pass",
            " MAIL.example.NET ; spf=pass",
            "mail.example.net. 1; none",
            "(a (b) \\) c) mail.example.net; none",
            "\"mail.example.net\"; none",
            "\"mail\\.example.net\"; none",
            "\r\n\tmail.example.net;\r\n none",
            "mail.example.net",
            "mail(x).example.net; none",
            "",
            "; spf=pass",
            "mail.example.net/1; none",
            "mail.example.net1; none",
            "mail . example\t. net 2.1; none",
            "mail.example\u{200b}.net; none",
            "mail\u{ad}.example.net 1; none",
            "ma\u{456}l.example.net; none",
            "\u{ff4d}ail.example.net; none",
            "mail.example.net spf=pass",
        ] {
            assert!(is_foreign_claim(value, "mail.example.net"), "{value:?}");
        }
        for value in [
            "mx.example.org; spf=pass",
            "mail.example.net.evil.example; none",
            "(mail.example.net) x; none",
            "mx.example.org 1; none",
            "mx.example.org from=a.example; spf=pass",
        ] {
            assert!(!is_foreign_claim(value, "mail.example.net"), "{value:?}");
        }
    }

    #[test]
    fn only_forged_entries_leave_the_header_map() {
        let mut headers = vec![
            ("Authentication-Results", "mail.example.net; dmarc=pass"),
            ("authentication-results", "mx.example.org; dmarc=pass"),
            ("Subject", "mail.example.net; x"),
        ];
        remove_foreign_claims(&mut headers, "mail.example.net");
        assert_eq!(headers.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["authentication-results", "Subject"]);
    }
}
