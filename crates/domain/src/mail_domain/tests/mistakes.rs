//! Mistakes in published records: each is found, with its kind and a fix, and a DKIM record counts exactly if a receiver
//! verifies a signature with it.

use posthouse_mail::auth::{AuthInput, AuthOutcome, DkimResult, verify};
use posthouse_mail::dkim::{DkimKey, DkimSignOptions};

use super::*;

/// Returns the check of one text record at `name`.
fn check_of(domain: &MailDomain, key: DnsRecordKey, name: &str, text: &str) -> CheckedRecord {
    let check = run(domain, &[&format!("{name} TXT {text}")]);
    check.records.into_iter().find(|checked| checked.key == key).expect("DNS answered")
}

/// What people and providers add to a value, and the kind of the mistake.
const ADDITIONS: &[(&str, &str)] = &[
    ("\"{}\"", "quoted"),
    ("'\"{}\"'", "quoted"),
    ("\\\"{}\\\"", "quoted"),
    ("{name} {}", "text_before"),
    ("{name}. {}", "text_before"),
    ("{name}={}", "text_before"),
    ("{name}: {}", "text_before"),
    ("@ {}", "text_before"),
    ("TXT {}", "text_before"),
    ("{name} TXT \"{}\"", "quoted"),
    ("{name}. 3600 IN TXT \"{}\"", "quoted"),
];

#[test]
fn text_around_a_value_is_named_for_every_kind_of_record() {
    let mut variants = 0;
    let domain = domain();
    for record in domain.expected(&server()).into_iter().filter(|record| record.key != Mx) {
        for (pattern, kind) in ADDITIONS {
            let text = pattern.replace("{name}", &record.name).replace("{}", &record.value);
            let checked = check_of(&domain, record.key, &record.name, &text);
            // Quotation marks around the token prove ownership too.
            if record.key == Verification && *pattern == "\"{}\"" {
                assert_eq!(checked.found, Present);
                continue;
            }
            assert_eq!(checked.found, Mismatch, "{text}");
            assert_eq!(checked.values, [text.trim()], "what was found is shown");
            let problem = checked.problem.unwrap_or_else(|| panic!("{text}"));
            assert_eq!(problem.kind.text(), *kind, "{text}");
            assert!(!problem.message.is_empty() && !problem.fix.is_empty());
            variants += 1;
        }
    }
    assert!(variants >= 20);
}

/// Marks that word processors, web pages and shells put around a value.
const MARKS: &[&str] = &["'{}'", "`{}`", "“{}”", "„{}“", "‘{}’", "«{}»", "&quot;{}&quot;", "\"{}"];

#[test]
fn other_quotation_marks_around_a_value_are_named_too() {
    let domain = domain();
    for record in domain.expected(&server()).into_iter().filter(|record| !matches!(record.key, Mx | Verification)) {
        for pattern in MARKS {
            let text = pattern.replace("{}", &record.value);
            let checked = check_of(&domain, record.key, &record.name, &text);
            assert_eq!(checked.problem.map(|problem| problem.kind.text()), Some("quoted"), "{text}");
        }
    }
}

/// Texts that were meant to be a record, and what receivers must find instead.
const UNREAD: &[(DnsRecordKey, &str, &str)] = &[
    (Spf, "v=spf1, a:mx.post.example, ~all", "`v=spf1 `, without"),
    (Spf, "v=spf1; a:mx.post.example; ~all", "`v=spf1 `, without"),
    (Spf, "v=spf1\u{a0}a:mx.post.example ~all", "`v=spf1 `, without"),
    (Spf, "v=spf1a:mx.post.example ~all", "`v=spf1 `, without"),
    (Spf, "v=spf1:a:mx.post.example ~all", "`v=spf1 `, without"),
    (Spf, "spf1 a:mx.post.example ~all", "`v=spf1 `."),
    (Spf, "v= spf1 a:mx.post.example ~all", "`v=spf1 `."),
    (Spf, "v =spf1 a:mx.post.example ~all", "`v=spf1 `."),
    (Spf, "v=spf a:mx.post.example ~all", "`v=spf1 `."),
    (Spf, "spf a:mx.post.example ~all", "`v=spf1 `."),
    (Dmarc, "v=DMARC1, p=none", "`v=DMARC1; `, without"),
    (Dmarc, "v=DMARC1 p=none", "`v=DMARC1; `, without"),
    (Dmarc, "v=DMARC1: p=none", "`v=DMARC1; `, without"),
    (Dmarc, "v=dmarc1; p=none", "`v=DMARC1; `."),
    (Dmarc, "v=DMARC; p=none", "`v=DMARC1; `."),
    (Dmarc, "v=DMARC 1; p=none", "`v=DMARC1; `."),
    (Dmarc, "DMARC1; p=none", "`v=DMARC1; `."),
    (Dmarc, "p=none; v=DMARC1", "`v=DMARC1; `."),
    (Dmarc, "p=reject; rua=mailto:a@acme.example", "`v=DMARC1; `."),
    (Dmarc, "v=DKIM1; p=none", "`v=DMARC1; `."),
];

#[test]
fn a_text_that_was_meant_to_be_a_record_is_shown_with_its_change() {
    assert!(UNREAD.len() >= 20);
    let domain = domain();
    for (key, text, change) in UNREAD {
        let name = if *key == Dmarc { format!("_dmarc.{NAME}") } else { NAME.to_owned() };
        let checked = check_of(&domain, *key, &name, text);
        assert_eq!(checked.found, Mismatch, "{text}");
        let problem = checked.problem.unwrap_or_else(|| panic!("{text}"));
        assert_eq!(problem.kind.text(), "wrong_tag", "{text}");
        assert!(problem.fix.contains(change), "{text}: {}", problem.fix);
    }
    // Other records at the name of the domain are not meant so.
    for text in [
        "google-site-verification=1",
        "v=spf10 a:mx.post.example",
        "spf2.0/pra -all",
        "MS=ms123",
        "v=verifydomain MS=1",
    ] {
        assert_eq!(check_of(&domain, Spf, NAME, text).found, Missing, "{text}");
    }
    for text in ["hello", "v=spf1 -all", "p=QUJD"] {
        assert_eq!(check_of(&domain, Dmarc, &format!("_dmarc.{NAME}"), text).found, Missing, "{text}");
    }
}

#[test]
fn a_policy_that_receivers_do_not_know_is_shown() {
    let domain = domain();
    for (value, fix) in [
        ("p=monitor", "Change it to"),
        ("p=block", "Change it to"),
        ("p=none rua=mailto:a@acme.example", "Separate the tags"),
        ("p=quarantine, pct=100", "Separate the tags"),
        ("p=\"none\"", "Change it to"),
        ("sp=none", "Add `p=none`"),
        ("policy=none", "Add `p=none`"),
        ("p:none", "Add `p=none`"),
        ("p=", "Add `p=none`"),
    ] {
        let checked = check_of(&domain, Dmarc, &format!("_dmarc.{NAME}"), &format!("v=DMARC1; {value}"));
        let problem = checked.problem.unwrap_or_else(|| panic!("{value}"));
        assert_eq!((checked.found, problem.kind.text()), (Mismatch, "invalid"), "{value}");
        assert!(problem.fix.starts_with(fix), "{value}: {}", problem.fix);
    }
}

/// A change of a key record, and the kind of the mistake; none if receivers verify signatures with it.
type Change = (fn(&str) -> String, Option<&'static str>);

const KEY_CHANGES: &[Change] = &[
    (|record| record.to_owned(), None),
    (|record| record.replace("; ", ";"), None),
    (|record| format!("{record};"), None),
    (|record| record.replace("v=DKIM1; ", ""), None),
    (|record| format!("{record}; t=s"), None),
    (|record| format!("{record}; h=sha1:sha256; s=email"), None),
    (|record| format!("{record}; n=note"), None),
    (|record| record.replace("p=M", "p= M "), None),
    (|record| record.replace("DKIM1", "dkim1"), Some("wrong_tag")),
    (|record| record.replace("v=DKIM1; k=rsa", "k=rsa; v=DKIM1"), Some("wrong_tag")),
    (|record| record.replace("DKIM1", "DKIM2"), Some("wrong_tag")),
    (|record| format!("{record}; h=sha1"), Some("wrong_tag")),
    (|record| format!("{record}; s=other"), Some("wrong_tag")),
    (|record| record.replace("k=rsa", "k=ed25519"), Some("wrong_tag")),
    (|record| record.replace("k=rsa", "k=dsa"), Some("wrong_tag")),
    (|record| record.replace("p=", "P="), Some("wrong_tag")),
    (|record| record[..255].to_owned(), Some("cut_off")),
    (|record| record[..100].to_owned(), Some("cut_off")),
    (|record| record[..record.find("p=").unwrap_or(0) + 2].to_owned(), Some("other_value")),
    (|record| record.replace("p=MIIB", "p=MIIC"), Some("other_value")),
    (|record| record.replace(';', "\\;"), Some("escaped")),
    (|record| format!("\"{}\" \"{}\"", &record[..200], &record[200..]), Some("quoted")),
    (|record| record.replace(';', ""), Some("invalid")),
    (|record| format!("{record}; broken"), Some("invalid")),
];

/// Returns whether a receiver verifies a signature of `key` with a record.
fn is_verified(key: &DkimKey, record: &str) -> bool {
    let raw = "From: a@mail.acme.example\r\nSubject: Test\r\n\r\nHello.\r\n";
    let options = DkimSignOptions { domain: NAME, selector: "s1", now_s: 1_700_000_000 };
    let raw = key.sign(raw.as_bytes(), &options).expect("a signature") + raw;
    let mut facts = answers(&[&format!("s1._domainkey.{NAME} TXT {record}")]);
    let input = AuthInput {
        raw: raw.as_bytes(),
        client_ip: Ipv4Addr::LOCALHOST.into(),
        helo: HOST,
        mail_from: "",
        hostname: HOST,
        now_s: 1_700_000_000,
    };
    loop {
        match verify(&input, &facts) {
            AuthOutcome::Verdicts(results) => {
                return results.dkim.iter().any(|verdict| verdict.result == DkimResult::Pass);
            }
            AuthOutcome::NeedsDns(questions) => {
                questions.into_iter().for_each(|question| facts.insert(question, DnsAnswer::NoSuchName));
            }
        }
    }
}

#[test]
fn a_dkim_record_counts_exactly_if_a_test_signature_verifies() {
    assert!(KEY_CHANGES.len() >= 20);
    let key = DkimKey::generate_rsa().expect("a key");
    let record = key.dns_record().expect("a record");
    let mut domain = domain();
    domain.active.record.clone_from(&record);
    for (change, expected) in KEY_CHANGES {
        let published = change(&record);
        let checked = check_of(&domain, Dkim, &format!("s1._domainkey.{NAME}"), &published);
        let kind = checked.problem.as_ref().map(|problem| problem.kind.text());
        assert_eq!(kind, *expected, "{published}");
        assert_eq!(checked.found == Present, is_verified(&key, &published), "{published}");
        assert_eq!(checked.found == Present, kind.is_none(), "{published}");
    }
}

#[test]
fn an_spf_record_is_merged_and_changed_so_that_it_allows_this_server() {
    let others = ["include:spf.other.example", "ip4:203.0.113.0/24", "~a:mx.post.example", "mx", "-ip4:192.0.2.9", ""];
    let mut variants = 0;
    for first in others {
        for end in ["-all", "~all", "?all", "-all a:mx.post.example", ""] {
            for second in [None, Some("v=spf1 include:two.example -all")] {
                let first = format!("{NAME} TXT v=spf1 {first} {end}").replace("  ", " ").trim_end().to_owned();
                let second = second.map(|second| format!("{NAME} TXT {second}"));
                let includes = ["spf.other.example TXT v=spf1 -all", "two.example TXT v=spf1 -all"];
                let lines: Vec<&str> =
                    second.iter().map(String::as_str).chain([first.as_str()]).chain(includes).collect();
                let spf = |lines: &[&str]| run(&domain(), lines).records.into_iter().find(|one| one.key == Spf);
                let checked = spf(&lines).expect("DNS answered");
                let problem = checked.problem.unwrap_or_else(|| panic!("{lines:?}"));
                let kind = if second.is_some() { "several_records" } else { "not_allowed" };
                assert_eq!((checked.found, problem.kind.text()), (Mismatch, kind), "{lines:?}");
                let change = problem.fix.split('`').nth(1).expect("a value");
                let changed = [&format!("{NAME} TXT {change}"), includes[0], includes[1]];
                assert_eq!(spf(&changed).map(|one| one.found), Some(Present), "{change}");
                variants += 1;
            }
        }
    }
    assert!(variants >= 20);
}

#[test]
fn each_other_mistake_is_named() {
    let table: &[(DnsRecordKey, &[&str], &str)] = &[
        (Verification, &["_service-verify.mail.acme.example TXT service-verify=other"], "other_value"),
        (Mx, &["mail.acme.example MX 10 mx.other.example"], "other_server"),
        (Mx, &["mail.acme.example MX 5 mx.other.example", "mail.acme.example MX 10 mx.post.example"], "other_server"),
        (Mx, &["mail.acme.example MX 10 mx.other.example", "mail.acme.example MX 10 mx.post.example"], "other_server"),
        (Spf, &["mail.acme.example TXT v=spf1 nonsense a:mx.post.example -all"], "invalid"),
        (Spf, &["mail.acme.example TXT v=spf1 include:gone.example a:mx.post.example -all"], "invalid"),
        (Spf, &["mail.acme.example TXT v=spf1 a:mx.post.exampl -all"], "not_allowed"),
        (Dmarc, &["_dmarc.mail.acme.example TXT v=dmarc1; p=none"], "wrong_tag"),
        (Dmarc, &["_dmarc.mail.acme.example TXT v=DMARC1; p=nothing"], "invalid"),
        (Dmarc, &["_dmarc.mail.acme.example TXT v=DMARC1; rua=mailto:a@acme.example"], "invalid"),
        (
            Dmarc,
            &["_dmarc.mail.acme.example TXT v=DMARC1; p=none", "_dmarc.mail.acme.example TXT v=DMARC1; p=reject"],
            "several_records",
        ),
        (
            Dkim,
            &[
                "s1._domainkey.mail.acme.example TXT v=DKIM1; k=rsa; p=QUJD",
                "s1._domainkey.mail.acme.example TXT v=DKIM1; k=rsa; p=WFla",
            ],
            "several_records",
        ),
        (
            Dkim,
            &["acme.example NS ns.example", "s1._domainkey.mail.acme.example.acme.example TXT p=QUJD"],
            "full_name_in_host",
        ),
    ];
    for (key, lines, expected) in table {
        let check = run(&domain(), lines);
        let checked = check.records.iter().find(|checked| checked.key == *key).expect("DNS answered");
        assert_eq!(checked.problem.as_ref().map(|problem| problem.kind.text()), Some(*expected), "{lines:?}");
    }
    assert!(run(&domain(), &COMPLETE).records.iter().all(|checked| checked.problem.is_none()));
}
