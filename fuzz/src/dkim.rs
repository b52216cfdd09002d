//! Fuzzes DKIM signatures and keys (RFC 6376, RFC 8463): a signed message verifies, a changed one doesn't, and the
//! layout of a key record has no effect.
//!
//! The first line of an input is a key record; the rest is a message, which may have signatures of its own.

use posthouse_mail::{
    auth::{DkimResult, DkimVerdict},
    dkim::{DkimKey, DkimSignOptions},
    header,
};

use super::verification::{FuzzSession, FuzzZone, NOW_S, verdicts};

/// An Ed25519 key in PKCS#8 (RFC 8410 §7) with a seed of ones.
const KEY_DER: [u8; 48] = [
    0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
];
/// Most fields of one name that are signed.
const SAME_NAME_MAX: usize = 5;

/// Verifies the message as it is, then signed, then changed after signing.
pub fn run(data: &[u8]) {
    let at = data.iter().position(|byte| *byte == b'\n').unwrap_or(data.len());
    let record = String::from_utf8_lossy(&data[..at]).into_owned();
    let raw = data.get(at + 1..).unwrap_or_default();
    let key = DkimKey::from_pkcs8_der(&KEY_DER).expect("the constant is a valid key");
    let public = key.dns_record().expect("a valid key has a record");
    for verdict in verify(raw, &record) {
        // Nobody else has the private key.
        assert!(!matches!(verdict.result, DkimResult::Pass | DkimResult::Policy) || is_ours(&record, &public));
    }
    // White space or a line end at the start would continue or end the signature's field.
    if raw.first().is_none_or(|byte| b" \t\r\n".contains(byte)) {
        return;
    }
    let options = DkimSignOptions { domain: "signer.example", selector: "fuzz", now_s: NOW_S };
    let field = key.sign(raw, &options).expect("a valid key signs any message");
    let signed = [field.as_bytes(), raw].concat();
    let result = check_signed(raw, &signed, &public);
    check_layout(&signed, &record);
    if result == DkimResult::Pass {
        let longer = [&signed[..], b"\r\n\r\nmore\r\n"].concat();
        assert_ne!(first(&longer, &public).result, DkimResult::Pass, "an extended message verifies");
        for name in ["From", "Subject", "Content-Type"] {
            let added = [field.as_bytes(), name.as_bytes(), b": x\r\n", raw].concat();
            assert_ne!(first(&added, &public).result, DkimResult::Pass, "a message with a second {name} verifies");
        }
    }
}

fn verify(raw: &[u8], record: &str) -> Vec<DkimVerdict> {
    let zone = FuzzZone {
        records: ["fuzz._domainkey.signer.example", "s._domainkey.a.example"]
            .map(|name| (name.to_owned(), "TXT".to_owned(), record.to_owned()))
            .into(),
    };
    verdicts(FuzzSession::read("").input(raw), &zone).0.dkim
}

fn first(raw: &[u8], record: &str) -> DkimVerdict {
    verify(raw, record).into_iter().next().expect("the verdict of the first signature")
}

/// Checks the verdict of a message that was just signed.
fn check_signed(raw: &[u8], signed: &[u8], public: &str) -> DkimResult {
    let verdict = first(signed, public);
    let repeated = header::fields(raw)
        .any(|field| header::fields(raw).filter(|other| other.is(field.name)).count() > SAME_NAME_MAX);
    match verdict.result {
        DkimResult::Pass => {}
        // The header has a flaw, so no signature of it counts.
        DkimResult::Neutral => assert!(verdict.domain.is_empty(), "{verdict:?}"),
        DkimResult::Policy => assert!(repeated, "{verdict:?}"),
        _ => panic!("a fresh signature failed: {verdict:?}"),
    }
    verdict.result
}

/// Checks that white space and unknown tags in a key record have no effect (RFC 6376 §3.2).
fn check_layout(signed: &[u8], record: &str) {
    let tags: Vec<(&str, &str)> = record
        .split(';')
        .filter_map(|tag| tag.split_once('='))
        .map(|(name, value)| (name.trim_matches(is_blank), value.trim_matches(is_blank)))
        .collect();
    let is_list = record.trim_end_matches(is_blank).trim_end_matches(';').split(';').count() == tags.len();
    if !is_list || record.contains(";;") || tags.len() > 60 || tags.iter().any(|(name, _)| *name == "zz") {
        return;
    }
    let laid_out = |between: &str, end: &str| {
        let tags: Vec<String> = tags.iter().map(|(name, value)| format!("{name}{between}={between}{value}")).collect();
        format!("{}{end}", tags.join(&format!("{between};{between}")))
    };
    let plain = first(signed, &laid_out("", ""));
    for (between, end) in [(" ", ""), ("\t", ";"), ("", "; zz=1"), (" \t ", " ; zz = a=b ;")] {
        let other = first(signed, &laid_out(between, end));
        assert_eq!((plain.result, &plain.reason), (other.result, &other.reason), "{record} with {between:?} {end:?}");
    }
}

fn is_blank(next: char) -> bool {
    matches!(next, ' ' | '\t' | '\r' | '\n')
}

/// Returns whether a record may publish our key: white space is allowed within the key.
fn is_ours(record: &str, public: &str) -> bool {
    let packed = |text: &str| text.chars().filter(|next| !is_blank(*next)).collect::<String>();
    let bare = packed(public).rsplit_once("p=").map(|(_, key)| key.trim_end_matches('=').to_owned());
    bare.is_some_and(|bare| packed(record).contains(&bare[..bare.len() - 1]))
}
