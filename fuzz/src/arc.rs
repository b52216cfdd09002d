//! Fuzzes ARC chains (RFC 8617): a message without ARC fields has no chain, the order of the fields of different sets
//! has no effect, and a chain that verifies breaks with any change of the body or of its sets.
//!
//! The first line of an input is the key record of all seals; the rest is a message.

use posthouse_mail::{
    auth::{ArcResult, ArcVerdict},
    header,
};

use super::verification::{FuzzSession, FuzzZone, verdicts};

/// The names of the three fields of a set.
const NAMES: [&str; 3] = ["ARC-Seal", "ARC-Message-Signature", "ARC-Authentication-Results"];
/// Where the seeds' key is published.
const KEY_NAME: &str = "arc._domainkey.list.example";

/// Verifies the message as it is and with changes.
pub fn run(data: &[u8]) {
    let at = data.iter().position(|byte| *byte == b'\n').unwrap_or(data.len());
    let record = String::from_utf8_lossy(&data[..at]).into_owned();
    let raw = data.get(at + 1..).unwrap_or_default();
    let zone = FuzzZone { records: vec![(KEY_NAME.to_owned(), "TXT".to_owned(), record)] };
    let verify = |raw: &[u8]| verdicts(FuzzSession::read("").input(raw), &zone).0.arc;
    let found = verify(raw);
    let fields: Vec<header::HeaderField<'_>> =
        header::fields(raw).filter(|field| NAMES.iter().any(|name| field.is(name))).collect();
    assert_eq!(found.result == ArcResult::None, fields.is_empty(), "{found:?}");
    let (Some(first), Some(last)) = (fields.first(), fields.last()) else { return };
    assert!(found.sets * NAMES.len() <= fields.len(), "{found:?}");

    let mut bare = raw.to_vec();
    for field in fields.iter().rev() {
        bare.drain(field.range.clone());
    }
    let is_whole = |raw: &[u8]| header::fields(raw).count() == header::fields(&bare).count() + fields.len();
    if !raw[last.range.clone()].ends_with(b"\n") || bare.first().is_some_and(|byte| b" \t".contains(byte)) {
        return;
    }
    let mut turned: Vec<u8> = fields.iter().rev().flat_map(|field| raw[field.range.clone()].to_vec()).collect();
    turned.extend(&bare);
    if is_whole(&turned) && found.result == ArcResult::Pass {
        assert_eq!(verify(&turned), found, "the order of the sets' fields changed the verdict");
    }
    if found.result == ArcResult::Pass {
        check_pass(raw, first, &verify);
    }
}

/// Checks that an intact chain breaks with a longer body, a repeated field and a missing field.
fn check_pass(raw: &[u8], first: &header::HeaderField<'_>, verify: &impl Fn(&[u8]) -> ArcVerdict) {
    let longer = [raw, b"\r\n\r\nmore\r\n"].concat();
    let repeated = [&raw[first.range.clone()], raw].concat();
    let missing = [&raw[..first.range.start], &raw[first.range.end..]].concat();
    for changed in [longer, repeated, missing] {
        assert_ne!(verify(&changed).result, ArcResult::Pass, "a changed message has an intact chain");
    }
}
