//! Checks a corpus of real reports: recipient and permanence must be right in 95 % of those with six main reasons.

use crate::{
    bounce::BounceClass,
    parse::parse,
    report::{ReportContent, read},
    tests::corpus,
};

/// Minimum share of the checked reports with the right recipient and kind.
const SHARE_MIN: f64 = 0.95;
/// The main reasons: permanent and temporary.
const HARD: [&str; 3] = ["userunknown", "hostunknown", "hasmoved"];
const SOFT: [&str; 3] = ["mailboxfull", "expired", "toomanyconn"];

#[derive(serde::Deserialize)]
struct Case {
    file: String,
    list: Vec<Expected>,
}

#[derive(serde::Deserialize)]
struct Expected {
    recipient: String,
    reason: String,
}

/// Returns the message as SMTP would deliver it. Some files come from systems with other line ends.
fn mail(path: &std::path::Path) -> Vec<u8> {
    let raw = std::fs::read(path).expect("a mail of the corpus can be read");
    if raw.contains(&b'\n') { raw } else { raw.into_iter().map(|b| if b == b'\r' { b'\n' } else { b }).collect() }
}

/// The corpus's names for reasons, and the equivalent classes.
const EQUIVALENT_CLASSES: [(&str, &[BounceClass]); 26] = [
    ("userunknown", &[BounceClass::UnknownUser, BounceClass::InactiveUser]),
    ("hasmoved", &[BounceClass::InactiveUser, BounceClass::UnknownUser]),
    ("suspend", &[BounceClass::InactiveUser, BounceClass::UnknownUser]),
    ("hostunknown", &[BounceClass::UnknownDomain]),
    ("notaccept", &[BounceClass::UnknownDomain, BounceClass::Policy]),
    ("mailboxfull", &[BounceClass::MailboxFull]),
    ("expired", &[BounceClass::Expired, BounceClass::Network]),
    ("networkerror", &[BounceClass::Network, BounceClass::Expired, BounceClass::UnknownDomain]),
    ("toomanyconn", &[BounceClass::RateLimited]),
    ("speeding", &[BounceClass::RateLimited]),
    ("exceedlimit", &[BounceClass::RateLimited, BounceClass::TooLarge]),
    ("blocked", &[BounceClass::Reputation, BounceClass::Policy, BounceClass::Spam]),
    ("badreputation", &[BounceClass::Reputation]),
    ("authfailure", &[BounceClass::Authentication]),
    ("requireptr", &[BounceClass::Authentication]),
    ("spamdetected", &[BounceClass::Spam]),
    ("contenterror", &[BounceClass::Content]),
    ("virusdetected", &[BounceClass::Content]),
    ("notcompliantrfc", &[BounceClass::Content]),
    ("mesgtoobig", &[BounceClass::TooLarge]),
    ("policyviolation", &[BounceClass::Policy, BounceClass::Content, BounceClass::Spam, BounceClass::Authentication]),
    ("securityerror", &[BounceClass::Policy, BounceClass::Authentication, BounceClass::Content]),
    ("norelaying", &[BounceClass::Policy]),
    ("rejected", &[BounceClass::Policy, BounceClass::Reputation, BounceClass::Authentication, BounceClass::Spam]),
    ("systemfull", &[BounceClass::System]),
    ("systemerror", &[BounceClass::System, BounceClass::Network]),
];
/// Minimum share of the reports with a reason in the table whose class is one of those listed.
const CLASS_SHARE_MIN: f64 = 0.78;

/// Returns the class that a report has for a recipient.
fn class_of(raw: &[u8], recipient: &str) -> Option<BounceClass> {
    let report = read(&parse(raw), true)?;
    let ReportContent::Delivery(entries) = &report.content else { return None };
    let is_it = |address: &crate::address::Address| address.canonical().eq_ignore_ascii_case(recipient);
    let entry = entries.iter().find(|entry| entry.addresses.iter().any(is_it))?;
    Some(entry.class)
}

#[test]
fn real_reports_have_the_class_of_their_reason() {
    let Some(folder) = corpus("bounces") else { return };
    let cases = std::fs::read_to_string(folder.join("expected.jsonl")).expect("the expectations can be read");
    let (mut count, mut right) = (0_u32, 0_u32);
    for case in cases.lines().map(|line| serde_json::from_str::<Case>(line).expect("a case")) {
        let raw = mail(&folder.join("mail").join(&case.file));
        for expected in &case.list {
            let equivalents = EQUIVALENT_CLASSES.iter().find(|(reason, _)| *reason == expected.reason);
            let (Some((_, equivalents)), Some(class)) = (equivalents, class_of(&raw, &expected.recipient)) else {
                continue;
            };
            count += 1;
            right += u32::from(equivalents.contains(&class));
            if !equivalents.contains(&class) {
                println!("{}: {} is classified as {}", case.file, expected.reason, class.text());
            }
        }
    }
    println!("bounces: {right} of {count} classes match the corpus");
    assert!(count > 0 && f64::from(right) / f64::from(count) >= CLASS_SHARE_MIN);
}

/// Returns whether the report has a hard failure for the recipient; `None` if it does not name it. Complaints are soft.
fn hard_failure(raw: &[u8], recipient: &str) -> Option<bool> {
    let report = read(&parse(raw), true)?;
    match &report.content {
        ReportContent::Complaint { recipients, .. } => {
            recipients.iter().any(|address| address.canonical().eq_ignore_ascii_case(recipient)).then_some(false)
        }
        ReportContent::Delivery(entries) => {
            let is_it = |address: &crate::address::Address| {
                address.canonical().eq_ignore_ascii_case(recipient)
                    || address.to_string().eq_ignore_ascii_case(recipient)
            };
            let entry = entries.iter().find(|entry| entry.addresses.iter().any(is_it))?;
            Some(entry.is_hard())
        }
    }
}

#[test]
fn real_reports_are_parsed_correctly() {
    let Some(folder) = corpus("bounces") else { return };
    let cases = std::fs::read_to_string(folder.join("expected.jsonl")).expect("the expectations can be read");
    let (mut checked, mut right, mut others, mut known) = (0_u32, 0_u32, 0_u32, 0_u32);
    for case in cases.lines().map(|line| serde_json::from_str::<Case>(line).expect("a case")) {
        let raw = mail(&folder.join("mail").join(&case.file));
        for expected in &case.list {
            let (hard, soft) = (HARD.contains(&&*expected.reason), SOFT.contains(&&*expected.reason));
            let is_hard = hard_failure(&raw, &expected.recipient);
            if !hard && !soft {
                others += 1;
                known += u32::from(is_hard.is_some());
                if is_hard.is_none() {
                    println!("{}: {} is not found", case.file, expected.recipient);
                }
                continue;
            }
            checked += 1;
            if is_hard == Some(hard) {
                right += 1;
            } else {
                println!("{}: {} is {}, parsed as {is_hard:?}", case.file, expected.recipient, expected.reason);
            }
        }
    }
    println!("bounces: {right} of {checked} checked are right; {known} of {others} others name the recipient");
    assert!(checked > 0 && f64::from(right) / f64::from(checked) >= SHARE_MIN);
}

/// Reasons that the sender, the message or the moment causes: an address with one of them is alive.
const ALIVE: [&str; 20] = [
    "mailboxfull",
    "expired",
    "networkerror",
    "toomanyconn",
    "speeding",
    "exceedlimit",
    "blocked",
    "badreputation",
    "authfailure",
    "requireptr",
    "spamdetected",
    "contenterror",
    "virusdetected",
    "notcompliantrfc",
    "mesgtoobig",
    "policyviolation",
    "securityerror",
    "norelaying",
    "systemfull",
    "systemerror",
];
/// Maximum share of living addresses that would be suppressed.
const WRONG_SHARE_MAX: f64 = 0.02;

#[test]
fn living_addresses_are_not_suppressed() {
    let Some(folder) = corpus("bounces") else { return };
    let cases = std::fs::read_to_string(folder.join("expected.jsonl")).expect("the expectations can be read");
    let (mut alive, mut wrong, mut dead, mut right) = (0_u32, 0_u32, 0_u32, 0_u32);
    for case in cases.lines().map(|line| serde_json::from_str::<Case>(line).expect("a case")) {
        let raw = mail(&folder.join("mail").join(&case.file));
        let Some(report) = read(&parse(&raw), true) else { continue };
        let ReportContent::Delivery(entries) = &report.content else { continue };
        for expected in &case.list {
            let is_it =
                |address: &crate::address::Address| address.canonical().eq_ignore_ascii_case(&expected.recipient);
            let Some(entry) = entries.iter().find(|entry| entry.addresses.iter().any(is_it)) else { continue };
            if HARD.contains(&&*expected.reason) {
                dead += 1;
                right += u32::from(entry.is_dead_address());
                if !entry.is_dead_address() {
                    println!("{}: {} isn't suppressed: {entry:?}", case.file, expected.recipient);
                }
            } else if ALIVE.contains(&&*expected.reason) {
                alive += 1;
                wrong += u32::from(entry.is_dead_address());
                if entry.is_dead_address() {
                    println!("{}: {} is suppressed: {entry:?}", case.file, expected.reason);
                }
            }
        }
    }
    println!("bounces: {right} of {dead} dead addresses and {wrong} of {alive} living ones are suppressed");
    assert!(alive > 0 && f64::from(wrong) / f64::from(alive) <= WRONG_SHARE_MAX);
}
