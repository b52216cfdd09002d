//! Mail that is easily misread: every example of `reading/cases.jsonl` gives what its reader should get.
//!
//! An example stands for a rule. The modules that apply the rules have tests with generated variants.

use base64::Engine as _;

use super::corpus_text;
use crate::autoreply;
use crate::bounce::{BounceReply, BounceSeverity, BounceVerdict, judge};
use crate::extract::new_text;
use crate::html;
use crate::parse::{ParsedMessage, parse};
use crate::report::{self, InboundReport, RecipientReport, ReportContent};
use crate::verification::{VerificationInput, detect};

#[derive(serde::Deserialize)]
struct Case {
    kind: String,
    call: String,
    input: Input,
    expected: String,
}

#[derive(Debug, serde::Deserialize)]
struct Input {
    text: Option<String>,
    html: Option<String>,
    subject: Option<String>,
    from: Option<String>,
    code: Option<u16>,
    enhanced: Option<String>,
    words: Option<String>,
    b64: Option<String>,
    /// A message as written, with LF as line ends.
    raw: Option<String>,
    null: Option<bool>,
}

fn fold(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns what is wrong with an example.
fn fault(case: &Case) -> Option<String> {
    match &*case.call {
        "reply" => reply_fault(case),
        "detect" => detection_fault(case),
        "judge" => verdict_fault(case),
        "mail" if case.kind == "subject" => header_fault(case, &parse(&decoded(case))),
        "mail" => mail_fault(case),
        "bounce" => bounce_fault(case),
        "auto" => automatic_fault(case),
        "charset" => charset_fault(case),
        "html" => {
            let found = html::to_text(case.input.html.as_deref().unwrap_or_default());
            (fold(&found) != fold(&case.expected)).then_some(found)
        }
        other => Some(format!("{other:?} is not a call")),
    }
}

fn reply_fault(case: &Case) -> Option<String> {
    let found = new_text(case.input.text.as_deref(), case.input.html.as_deref()).map(|new| new.text);
    let found = fold(&found.unwrap_or_default());
    let is_right = match case.expected.split_once("(the forwarded message stays)") {
        Some((own, _)) => found.starts_with(&fold(own)) && (found.contains("is free") || found.contains("ist frei")),
        None => found == fold(&case.expected),
    };
    (!is_right).then_some(found)
}

fn detection_fault(case: &Case) -> Option<String> {
    let input = &case.input;
    let found = detect(&VerificationInput {
        subject: input.subject.as_deref().unwrap_or_default(),
        text: input.text.as_deref(),
        html: input.html.as_deref(),
        from: input.from.as_deref().unwrap_or("hello@n.example"),
    });
    let (code, link) = found.map_or((None, None), |found| (found.code, found.link));
    let expected = match case.expected.split_once(' ') {
        Some(("code", code)) => (Some(code.to_owned()), None),
        Some(("link", link)) => (None, Some(link.to_owned())),
        _ => (None, None),
    };
    // Hyphens between digits are kept as written.
    let code = code.map(|code| {
        if expected.0.as_ref().is_some_and(|code| !code.contains('-')) { code.replace('-', "") } else { code }
    });
    ((&code, &link) != (&expected.0, &expected.1)).then(|| format!("code {code:?}, link {link:?}"))
}

fn verdict_fault(case: &Case) -> Option<String> {
    let (enhanced, words) = (case.input.enhanced.as_deref(), case.input.words.as_deref().unwrap_or_default());
    let BounceVerdict { class, severity } = judge(&BounceReply { code: case.input.code, enhanced, words, stage: None });
    let (expected, is_alive) =
        case.expected.strip_suffix(", not dead").map_or((&*case.expected, false), |name| (name, true));
    let is_right =
        expected.split('|').any(|name| name == class.text()) && !(is_alive && severity == BounceSeverity::DeadAddress);
    (!is_right).then(|| format!("{class:?}, {severity:?}"))
}

/// Returns the message of an example in base64.
fn decoded(case: &Case) -> Vec<u8> {
    let base64 = base64::engine::general_purpose::STANDARD;
    base64.decode(case.input.b64.as_deref().unwrap_or_default()).expect("an example in base64")
}

/// Returns the message of an example as written.
fn raw(case: &Case) -> Vec<u8> {
    case.input.raw.as_deref().unwrap_or_default().replace('\n', "\r\n").into_bytes()
}

/// The expected value is a recipient, classes between which readers may differ, and a severity, or `-` for any.
fn bounce_fault(case: &Case) -> Option<String> {
    let raw = raw(case);
    let report = report::read(&parse(&raw), true);
    if case.expected == "no failure" {
        let is_failure = report.as_ref().is_some_and(InboundReport::is_failure);
        return is_failure.then(|| format!("{report:?}"));
    }
    let Some(ReportContent::Delivery(recipients)) = report.map(|report| report.content) else {
        return Some("no report".to_owned());
    };
    let mut words = case.expected.split(' ');
    let mut next = || words.next().expect("a recipient, a class and a severity");
    let (address, classes, severity) = (next(), next(), next());
    let is_expected = recipients.iter().any(|entry| {
        let is_final = match severity {
            "dead" => entry.is_dead_address(),
            "hard" => entry.is_hard() && !entry.is_dead_address(),
            "soft" => !entry.is_hard(),
            _ => true,
        };
        entry.addresses.iter().any(|named| named.canonical_str() == address)
            && classes.split('|').any(|class| class == entry.class.text())
            && is_final
    });
    (!is_expected).then(|| format!("{recipients:?}"))
}

fn automatic_fault(case: &Case) -> Option<String> {
    let raw = raw(case);
    let sign = autoreply::sign(&parse(&raw).headers);
    (sign.is_some() != (case.expected == "automatic")).then(|| format!("{sign:?}"))
}

fn charset_fault(case: &Case) -> Option<String> {
    let raw = decoded(case);
    let text = parse(&raw).text.unwrap_or_default();
    (fold(&text) != fold(&case.expected)).then_some(text)
}

fn mail_fault(case: &Case) -> Option<String> {
    let raw = decoded(case);
    let parsed = parse(&raw);
    if case.kind.starts_with('M') {
        return header_fault(case, &parsed);
    }
    let report = report::read(&parsed, case.input.null.unwrap_or(true));
    let Some(ReportContent::Delivery(recipients)) = report.map(|report| report.content) else {
        return Some("no report".to_owned());
    };
    let is_right = has_expected_recipients(case, &raw, &recipients);
    (!is_right).then(|| format!("{recipients:?}"))
}

fn header_fault(case: &Case, parsed: &ParsedMessage<'_>) -> Option<String> {
    if case.expected != "author with that address" {
        return (parsed.subject.as_deref() != Some(&case.expected)).then(|| format!("{:?}", parsed.subject));
    }
    let author = parsed.author.as_ref().map(|author| author.address().canonical());
    let is_right = matches!(author.as_deref(), Ok("pete@silly.example" | "ann@silly.example"));
    (!is_right).then(|| format!("{author:?}"))
}

fn has_expected_recipients(case: &Case, raw: &[u8], recipients: &[RecipientReport]) -> bool {
    let named = |wanted: &str| {
        recipients.iter().find(|entry| entry.addresses.iter().any(|address| address.canonical_str() == wanted))
    };
    let is = |entry: Option<&RecipientReport>, classes: &[&str]| {
        entry.is_some_and(|entry| classes.contains(&entry.class.text()))
    };
    let any = recipients.first();
    let has_words = |words: &str| memchr::memmem::find(raw, words.as_bytes()).is_some();
    match &case.kind[..2] {
        "B1" => {
            let classes = case.expected.trim_start_matches("class ").split(" or ").collect::<Vec<_>>();
            is(any, &classes) && !any.is_some_and(RecipientReport::is_dead_address)
        }
        "B2" if has_words("full") => is(any, &["mailbox_full"]),
        "B2" if has_words("disabled") => is(any, &["inactive_user"]),
        "B2" => is(any, &["unknown_user"]),
        "B3" | "B4" => named("u@x.example").is_some(),
        "B5" => {
            let found = named("dee@x.example");
            recipients.len() == 1 && is(found, &["unknown_user"]) && found.is_some_and(RecipientReport::is_dead_address)
        }
        "B6" => {
            is(named("ann@x.example"), &["network"])
                && is(named("bob@y.example"), &["unknown_domain"])
                && is(named("cy@z.example"), &["unknown_user"])
        }
        "B7" => {
            let is_local = |entry: &&RecipientReport| entry.local_part.as_deref() == Some("dee");
            named("me@s.example").is_none() && is(recipients.iter().find(is_local), &["policy", "content"])
        }
        "B8" => is(named("dee@x.example"), &["unknown_user"]),
        _ => false,
    }
}

/// Returns the number of examples, and prints what is wrong with those that are misread.
fn check(text: &str) -> (usize, usize) {
    let cases = text.lines().map(|line| serde_json::from_str::<Case>(line).expect("an example"));
    let faults: Vec<_> = cases.map(|case| (fault(&case), case)).collect();
    for (fault, case) in &faults {
        if let Some(fault) = fault {
            println!("{}: {fault} instead of {:?} for {:?}", case.kind, case.expected, case.input);
        }
    }
    let wrong = faults.iter().filter(|(fault, _)| fault.is_some()).count();
    println!("reading: {wrong} of {} examples are wrong", faults.len());
    (faults.len(), wrong)
}

#[test]
fn every_example_is_read_as_expected() {
    let Some(text) = corpus_text("reading/cases.jsonl") else { return };
    let (total, wrong) = check(&text);
    assert!(total > 0 && wrong == 0, "{wrong} of {total} examples are wrong");
}

/// Own examples of what people and programs send, by kind. Those of `ordinary` have neither a code nor a link.
const OWN: [(&str, &str); 6] = [
    ("codes", include_str!("reading/codes.jsonl")),
    ("links", include_str!("reading/links.jsonl")),
    ("ordinary", include_str!("reading/ordinary.jsonl")),
    ("replies", include_str!("reading/replies.jsonl")),
    ("bounces", include_str!("reading/bounces.jsonl")),
    ("mails", include_str!("reading/mails.jsonl")),
];

#[test]
fn own_examples_of_codes_links_replies_and_reports_are_read_as_expected() {
    for (kind, examples) in OWN {
        let (total, wrong) = check(examples);
        assert!(total >= 50 && wrong == 0, "{wrong} of {total} examples of {kind} are wrong");
    }
}
