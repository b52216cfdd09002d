//! Fuzzes DMARC (RFC 9989) and its result in Authentication-Results (RFC 8601): the result follows from policy and
//! alignment, strictness and testing only ever weaken, and tags without a meaning have no effect.
//!
//! The first line of an input is `ADDRESS HELO SENDER`; the second is the author's address, and the others are DNS
//! records, `NAME TYPE VALUE`.

use posthouse_mail::{
    auth::{AuthResults, DmarcAlignment, DmarcResult, DnsRecordType, SpfResult},
    trace::{is_foreign_claim, stored_dmarc},
};

use super::verification::{FuzzSession, FuzzZone, HOSTNAME, verdicts};

/// Most names of one tree walk (RFC 9989 §4.10), and the walks of a message without signatures: the author's domain and
/// the SPF domain.
const WALK_NAMES_MAX: usize = 8;
const WALKS_MAX: usize = 2;

/// Verifies an unsigned message with the records as they are and with changed ones.
pub fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    // Any text may be the value of somebody's Authentication-Results field.
    let _ = (stored_dmarc(&text), is_foreign_claim(&text, HOSTNAME));
    assert!(is_foreign_claim(&format!("{HOSTNAME};{text}"), HOSTNAME), "a claim of our name was missed");
    let mut lines = text.lines();
    let session = FuzzSession::read(lines.next().unwrap_or_default());
    let raw = format!("From: {}\r\n\r\n", lines.next().unwrap_or_default());
    let zone = FuzzZone::read(lines);
    let verify = |zone: &FuzzZone| verdicts(session.input(raw.as_bytes()), zone);
    let (found, _, asked) = verify(&zone);
    check_result(&found);
    let walked = asked.iter().filter(|one| one.kind == DnsRecordType::Txt && one.name.starts_with("_dmarc.")).count();
    assert!(walked <= WALKS_MAX * WALK_NAMES_MAX, "{walked} names for DMARC");

    let noted = verify(&zone.with_texts("_dmarc.", |text| with_tag(text, "zz", "1"))).0;
    assert_eq!(noted.dmarc, found.dmarc, "an unknown tag changed the verdict");
    let strict = zone.with_texts("_dmarc.", |text| with_tag(&with_tag(text, "adkim", "s"), "aspf", "s"));
    let strict = verify(&strict).0.dmarc;
    assert!(found.dmarc.alignment != DmarcAlignment::Fail || strict.alignment != DmarcAlignment::Pass);
    let testing = verify(&zone.with_texts("_dmarc.", |text| with_tag(text, "t", "y"))).0.dmarc;
    assert!(testing.policy <= found.dmarc.policy, "t=y made a policy stricter");
    assert_eq!(testing.alignment, found.dmarc.alignment);
}

/// Checks that the result follows from policy, alignment and SPF.
fn check_result(found: &AuthResults) {
    let dmarc = &found.dmarc;
    if dmarc.domain.is_empty() {
        assert_eq!(dmarc.result, DmarcResult::Fail, "a message without an author");
        return;
    }
    let expected = match (dmarc.policy, dmarc.alignment) {
        _ if dmarc.result == DmarcResult::TempError => DmarcResult::TempError,
        (None, _) => DmarcResult::None,
        (Some(_), DmarcAlignment::Pass) => DmarcResult::Pass,
        (Some(_), DmarcAlignment::Unknown) => DmarcResult::TempError,
        (Some(_), DmarcAlignment::Fail) => DmarcResult::Fail,
    };
    assert_eq!(dmarc.result, expected, "{dmarc:?}");
    let is_passed = found.spf.result == SpfResult::Pass;
    if is_passed && found.spf.domain == dmarc.domain {
        assert!(dmarc.spf_aligned && dmarc.alignment == DmarcAlignment::Pass, "{dmarc:?}");
    }
    assert!(is_passed || !dmarc.spf_aligned, "SPF is aligned without a pass");
    // The message has no signature.
    assert!(dmarc.spf_aligned || dmarc.alignment != DmarcAlignment::Pass, "{dmarc:?}");
}

/// Returns a DMARC record with one more tag, or any other text and one that has the tag already unchanged.
fn with_tag(text: &str, name: &str, value: &str) -> String {
    let is_record = text.split(';').next().is_some_and(|version| version.replace(' ', "") == "v=DMARC1");
    let has_tag = text.split(';').any(|tag| tag.split('=').next().is_some_and(|seen| seen.trim() == name));
    if !is_record || has_tag || text.split(';').count() > 50 {
        return text.to_owned();
    }
    let text = text.trim_end_matches([' ', '\t']);
    let between = if text.ends_with(';') { "" } else { ";" };
    format!("{text}{between} {name}={value}")
}
