//! The Authentication-Results field of this host, and detection of forged ones (RFC 8601).
//!
//! Works on decoded header values. The raw bytes of a message stay as received.

use crate::address::is_invisible;
use crate::auth::{AuthResults, DkimVerdict, SpfIdentity, SpfResult, SpfVerdict};

/// Longest reason or property written, in characters.
const VALUE_CHARS_MAX: usize = 255;

/// Returns the value of our Authentication-Results field on one line: `authserv_id`, then spf, dkim, dmarc and arc.
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

/// The DMARC result in one of our own Authentication-Results values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredDmarcResult {
    /// The result keyword.
    pub result: String,
    /// The author's domain that DMARC evaluated, in lower case and A-labels; empty if the message had no author.
    pub domain: String,
    /// Whether a DKIM signature of exactly that domain passed.
    pub is_signed: bool,
}

/// Parses a value written by [`authentication_results`]. Returns `None` if it has no DMARC result.
#[must_use]
pub fn stored_dmarc(value: &str) -> Option<StoredDmarcResult> {
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
    let from_dmarc = words.iter().skip_while(|word| !word.starts_with("dmarc="));
    let result = from_dmarc.clone().next()?.strip_prefix("dmarc=")?.to_owned();
    let domain =
        from_dmarc.take_while(|word| !word.starts_with("arc=")).find_map(|word| word.strip_prefix("header.from="));
    let domain = domain.unwrap_or_default().to_owned();
    let signer = format!("header.d={domain}");
    let mut passes = words.iter().enumerate().filter(|(_, word)| *word == "dkim=pass");
    let is_signed = passes.any(|(at, _)| words[at..].iter().take(5).any(|word| *word == signer));
    Some(StoredDmarcResult { result, domain, is_signed })
}

fn spf_part(verdict: &SpfVerdict) -> String {
    // The explanation (`exp=`) is text from the sender's domain and must not appear among our results.
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

/// Formats a value as a token if possible, otherwise as a quoted string (RFC 8601 §2.2).
fn value(text: &str) -> String {
    let is_token = !text.is_empty()
        && text.chars().count() <= VALUE_CHARS_MAX
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._+@".contains(&b));
    if is_token { text.to_owned() } else { quoted(text) }
}

/// Formats a quoted string of printable ASCII (RFC 5322 §3.2.4). Other characters become question marks.
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

/// Returns true if the value of an Authentication-Results field could be mistaken for one by `authserv_id`
/// (RFC 8601 §5): it names that id in any spelling, names no id, or names something that is not a plain host name. Such
/// a field in received mail is forged, because ours is only added later.
#[must_use]
pub fn is_foreign_claim(header_value: &str, authserv_id: &str) -> bool {
    let own = authserv_id.trim_end_matches('.').to_ascii_lowercase();
    let claimed = claimed_id(header_value).to_ascii_lowercase();
    let first = claimed.split_whitespace().next().unwrap_or_default();
    let is_host = first.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte));
    if first.is_empty() || !is_host {
        return true;
    }
    // A version may follow the id, with or without a blank, and blanks may occur inside the id.
    let joined: String = claimed.split_whitespace().collect();
    let is_own = |id: &str| id.strip_prefix(&own).is_some_and(|rest| !rest.chars().any(char::is_alphabetic));
    is_own(first) || is_own(&joined)
}

/// Removes every Authentication-Results entry that matches [`is_foreign_claim`] from a header map.
pub fn remove_foreign_claims<N: AsRef<str>, V: AsRef<str>>(headers: &mut Vec<(N, V)>, authserv_id: &str) {
    headers.retain(|(name, value)| {
        !(name.as_ref().eq_ignore_ascii_case("authentication-results") && is_foreign_claim(value.as_ref(), authserv_id))
    });
}

/// Returns the part of a value before the first semicolon, without comments, quotes and invisible characters.
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
    use crate::auth::{ArcResult, ArcVerdict, DkimResult, DmarcAlignment, DmarcPolicy, DmarcResult, DmarcVerdict};

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
                covers_reply_to: false,
                reason: text.to_owned(),
            }],
            dmarc: DmarcVerdict {
                result: DmarcResult::Fail,
                policy: Some(DmarcPolicy::Reject),
                domain: text.to_owned(),
                reason: text.to_owned(),
                alignment: DmarcAlignment::Fail,
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
    fn a_written_dmarc_result_can_be_parsed_back() {
        for text in ["a.example", "x; dmarc=pass header.from=b.example", "\\\"; dmarc=pass"] {
            let mut written = results(text);
            written.dmarc.domain = "a.example".to_owned();
            let read = stored_dmarc(&authentication_results("mail.example.net", &written));
            let expected =
                StoredDmarcResult { result: "fail".to_owned(), domain: "a.example".to_owned(), is_signed: false };
            assert_eq!(read, Some(expected), "{text}");
        }
        assert_eq!(stored_dmarc("mail.example.net; spf=pass"), None);
        let signed = "m; dkim=pass header.d=a.example header.s=s; dmarc=pass header.from=a.example; arc=none";
        assert!(stored_dmarc(signed).is_some_and(|read| read.is_signed));
        let by_another = signed.replace("header.d=a", "header.d=b");
        assert!(stored_dmarc(&by_another).is_some_and(|read| !read.is_signed));
    }

    #[test]
    fn untrusted_text_cannot_imitate_a_result() {
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
    fn claims_of_our_name_are_recognized_in_every_spelling() {
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
    fn only_forged_entries_are_removed_from_the_header_map() {
        let mut headers = vec![
            ("Authentication-Results", "mail.example.net; dmarc=pass"),
            ("authentication-results", "mx.example.org; dmarc=pass"),
            ("Subject", "mail.example.net; x"),
        ];
        remove_foreign_claims(&mut headers, "mail.example.net");
        assert_eq!(headers.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["authentication-results", "Subject"]);
    }
}
