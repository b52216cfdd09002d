//! Fuzzes the evaluation of SPF records (RFC 7208): changes of a record that mean nothing don't change its verdict, a
//! syntax error makes it invalid wherever it is, and address mechanisms agree with a second implementation.
//!
//! The first line of an input is `ADDRESS HELO SENDER`; the others are DNS records, `NAME TYPE VALUE`.

use std::net::IpAddr;

use posthouse_mail::auth::{SpfIdentity, SpfResult, SpfVerdict};

use super::verification::{FuzzSession, FuzzZone, verdicts};

/// A message; SPF doesn't depend on it.
const MAIL: &[u8] = b"From: a@author.example\r\n\r\n";

/// Verifies the session with the records as they are and with changed ones.
pub fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut lines = text.lines();
    let session = FuzzSession::read(lines.next().unwrap_or_default());
    let zone = FuzzZone::read(lines);
    let verdict = |zone: &FuzzZone| verdicts(session.input(MAIL), zone).0.spf;
    let found = verdict(&zone);
    // A record can name itself as the text that explains it.
    let without_text = |verdict: SpfVerdict| SpfVerdict { explanation: None, ..verdict };
    let own = found.domain.clone();
    let spaced = zone.with_texts("", |text| if is_spf(text) { text.replace(' ', "  ") } else { text.to_owned() });
    let noted =
        zone.with_texts("", |text| if is_spf(text) { format!("{text} x-note=%{{d}}") } else { text.to_owned() });
    for changed in [spaced, noted] {
        assert_eq!(
            without_text(verdict(&changed)),
            without_text(found.clone()),
            "a change without a meaning changed the verdict"
        );
    }
    let claims: Vec<&str> = zone.texts(&own).into_iter().filter(|text| is_spf(text)).collect();
    let is_checked = found.identity == SpfIdentity::MailFrom && own.contains('.') && !zone.fails(&own);
    let [record] = claims[..] else { return };
    if !is_checked || found.reason == "no domain to check" {
        return;
    }
    let faulty = zone.with_texts(&own, |text| if is_spf(text) { format!("{text} %") } else { text.to_owned() });
    assert_eq!(verdict(&faulty).result, SpfResult::PermError, "a record with a syntax error was used");
    if let Some(expected) = by_addresses(record, session.client_ip) {
        assert_eq!(found.result, expected, "{record} for {}", session.client_ip);
    }
    check_explanation(&found);
}

fn check_explanation(found: &SpfVerdict) {
    assert!(found.explanation.is_none() || found.result == SpfResult::Fail, "only a fail is explained");
}

/// Returns whether a text record is an SPF record (RFC 7208 §4.5).
fn is_spf(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    lower == "v=spf1" || lower.starts_with("v=spf1 ")
}

/// Evaluates a record that has only `ip4`, `ip6` and `all` mechanisms. Returns `None` for any other record.
fn by_addresses(record: &str, client: IpAddr) -> Option<SpfResult> {
    let client = client.to_canonical();
    let mut first = None;
    for term in record.split(' ').skip(1).filter(|term| !term.is_empty()) {
        let (result, mechanism) = match term.split_at_checked(1)? {
            ("+", rest) => (SpfResult::Pass, rest),
            ("-", rest) => (SpfResult::Fail, rest),
            ("~", rest) => (SpfResult::SoftFail, rest),
            ("?", rest) => (SpfResult::Neutral, rest),
            _ => (SpfResult::Pass, term),
        };
        let mechanism = mechanism.to_ascii_lowercase();
        let matches = match mechanism.split_once(':') {
            None if mechanism == "all" => true,
            Some(("ip4", network)) => contains(network, 32, client)?,
            Some(("ip6", network)) => contains(network, 128, client)?,
            _ => return None,
        };
        if matches && first.is_none() {
            first = Some(result);
        }
    }
    Some(first.unwrap_or(SpfResult::Neutral))
}

/// Returns whether the network contains the address, or `None` if it is not a network with addresses of `bits` bits.
fn contains(network: &str, bits: u32, client: IpAddr) -> Option<bool> {
    let (address, length) = network.split_once('/').unwrap_or((network, ""));
    let address: IpAddr = address.parse().ok()?;
    if bits != if address.is_ipv4() { 32 } else { 128 } {
        return None;
    }
    let length = if network.contains('/') { plain_number(length)? } else { bits };
    if length > bits {
        return None;
    }
    let number = |ip: IpAddr| match ip {
        IpAddr::V4(ip) => (32, u128::from(u32::from(ip))),
        IpAddr::V6(ip) => (128, u128::from(ip)),
    };
    let ((own_bits, own), (family, wanted)) = (number(client), number(address));
    Some(own_bits == family && (length == 0 || own >> (bits - length) == wanted >> (bits - length)))
}

fn plain_number(text: &str) -> Option<u32> {
    let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    (is_plain && (text == "0" || !text.starts_with('0'))).then(|| text.parse().ok())?
}
