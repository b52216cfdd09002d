//! The gate of issue 3: recipient and hard or soft right in at least 95 % of the real reports whose reason is one of six.

use crate::{
    bounce::Class,
    parse::parse,
    report::{News, read},
    tests::corpus,
};

/// Share of gated reports with recipient and kind both right.
const SHARE_MIN: f64 = 0.95;
/// Reasons that the gate is about.
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

/// The mail as SMTP would bring it: some files came from systems with other line ends.
fn mail(path: &std::path::Path) -> Vec<u8> {
    let raw = std::fs::read(path).expect("a mail of the corpus can be read");
    if raw.contains(&b'\n') { raw } else { raw.into_iter().map(|b| if b == b'\r' { b'\n' } else { b }).collect() }
}

/// What the corpus calls a reason, and the classes that say the same.
const MEANT: [(&str, &[Class]); 26] = [
    ("userunknown", &[Class::UnknownUser, Class::InactiveUser]),
    ("hasmoved", &[Class::InactiveUser, Class::UnknownUser]),
    ("suspend", &[Class::InactiveUser, Class::UnknownUser]),
    ("hostunknown", &[Class::UnknownDomain]),
    ("notaccept", &[Class::UnknownDomain, Class::Policy]),
    ("mailboxfull", &[Class::MailboxFull]),
    ("expired", &[Class::Expired, Class::Network]),
    ("networkerror", &[Class::Network, Class::Expired, Class::UnknownDomain]),
    ("toomanyconn", &[Class::RateLimited]),
    ("speeding", &[Class::RateLimited]),
    ("exceedlimit", &[Class::RateLimited, Class::TooLarge]),
    ("blocked", &[Class::Reputation, Class::Policy, Class::Spam]),
    ("badreputation", &[Class::Reputation]),
    ("authfailure", &[Class::Authentication]),
    ("requireptr", &[Class::Authentication]),
    ("spamdetected", &[Class::Spam]),
    ("contenterror", &[Class::Content]),
    ("virusdetected", &[Class::Content]),
    ("notcompliantrfc", &[Class::Content]),
    ("mesgtoobig", &[Class::TooLarge]),
    ("policyviolation", &[Class::Policy, Class::Content, Class::Spam, Class::Authentication]),
    ("securityerror", &[Class::Policy, Class::Authentication, Class::Content]),
    ("norelaying", &[Class::Policy]),
    ("rejected", &[Class::Policy, Class::Reputation, Class::Authentication, Class::Spam]),
    ("systemfull", &[Class::System]),
    ("systemerror", &[Class::System, Class::Network]),
];
/// Share of the reports with a reason of the table whose class is one of its.
const MEANT_SHARE_MIN: f64 = 0.78;

/// The class of the only fate that is about that recipient.
fn class_of(raw: &[u8], recipient: &str) -> Option<Class> {
    let report = read(&parse(raw), true)?;
    let News::Delivery(fates) = &report.news else { return None };
    let is_it = |address: &crate::address::Address| address.canonical().eq_ignore_ascii_case(recipient);
    let fate = fates.iter().find(|fate| fate.addresses.iter().any(is_it))?;
    Some(fate.class)
}

#[test]
fn real_reports_have_the_class_of_their_reason() {
    let Some(folder) = corpus("bounces") else { return };
    let cases = std::fs::read_to_string(folder.join("expected.jsonl")).expect("the expectations can be read");
    let (mut count, mut right) = (0_u32, 0_u32);
    for case in cases.lines().map(|line| serde_json::from_str::<Case>(line).expect("a case")) {
        let raw = mail(&folder.join("mail").join(&case.file));
        for expected in &case.list {
            let meant = MEANT.iter().find(|(reason, _)| *reason == expected.reason);
            let (Some((_, meant)), Some(class)) = (meant, class_of(&raw, &expected.recipient)) else { continue };
            count += 1;
            right += u32::from(meant.contains(&class));
            if !meant.contains(&class) {
                println!("{}: {} is read as {}", case.file, expected.reason, class.text());
            }
        }
    }
    println!("bounces: class of {right} of {count} as the corpus says");
    assert!(count > 0 && f64::from(right) / f64::from(count) >= MEANT_SHARE_MIN);
}

/// What the report says of that recipient: whether it is hard, if it speaks of it at all. Complaints are soft.
fn told(raw: &[u8], recipient: &str) -> Option<bool> {
    let report = read(&parse(raw), true)?;
    match &report.news {
        News::Complaint { recipients, .. } => {
            recipients.iter().any(|address| address.canonical().eq_ignore_ascii_case(recipient)).then_some(false)
        }
        News::Delivery(fates) => {
            let is_it = |address: &crate::address::Address| {
                address.canonical().eq_ignore_ascii_case(recipient)
                    || address.to_string().eq_ignore_ascii_case(recipient)
            };
            let fate = fates.iter().find(|fate| fate.addresses.iter().any(is_it))?;
            Some(fate.is_hard())
        }
    }
}

#[test]
fn real_reports_are_read_right() {
    let Some(folder) = corpus("bounces") else { return };
    let cases = std::fs::read_to_string(folder.join("expected.jsonl")).expect("the expectations can be read");
    let (mut gated, mut right, mut others, mut known) = (0_u32, 0_u32, 0_u32, 0_u32);
    for case in cases.lines().map(|line| serde_json::from_str::<Case>(line).expect("a case")) {
        let raw = mail(&folder.join("mail").join(&case.file));
        for expected in &case.list {
            let (hard, soft) = (HARD.contains(&&*expected.reason), SOFT.contains(&&*expected.reason));
            let told = told(&raw, &expected.recipient);
            if !hard && !soft {
                others += 1;
                known += u32::from(told.is_some());
                continue;
            }
            gated += 1;
            if told == Some(hard) {
                right += 1;
            } else {
                println!("{}: {} is {}, read as {told:?}", case.file, expected.recipient, expected.reason);
            }
        }
    }
    println!("bounces: {right} of {gated} gated right; recipient of {known} of {others} others");
    assert!(gated > 0 && f64::from(right) / f64::from(gated) >= SHARE_MIN);
}
