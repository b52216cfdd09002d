//! Mail signed by this crate verifies, and every relevant change is detected.

use super::*;
use crate::dkim::canon::{Canonicalization, hash_body};
use crate::dkim::cover::header_data;
use crate::dkim::message::SignedField;
use crate::dkim::{DkimKey, sign_all};

const MAIL: &str = "From: Ann <ann@mail.example.org>\r\nTo: bob@example.net\r\nSubject: Hi\r\n\
    Date: Tue, 14 Nov 2023 22:13:20 +0000\r\nMessage-ID: <1@example.org>\r\nMIME-Version: 1.0\r\n\
    Content-Type: text/plain\r\n\r\nHello,  Bob\r\n\r\n\r\n";

struct Signed {
    mail: String,
    records: Vec<(String, String)>,
}

fn signed() -> Signed {
    let rsa = DkimKey::generate_rsa().expect("a new key");
    let ed = DkimKey::generate_ed25519().expect("a new key");
    let fields =
        sign_all(MAIL.as_bytes(), "example.org", 1_700_000_000, &[(&rsa, "s1"), (&ed, "e1")]).expect("signatures");
    let key =
        |selector, key: &DkimKey| (format!("{selector}._domainkey.example.org"), key.dns_record().expect("a record"));
    let records = vec![
        key("s1", &rsa),
        key("e1", &ed),
        ("_dmarc.example.org".to_owned(), "v=DMARC1; p=reject".to_owned()),
        ("bounce.example.org".to_owned(), "v=spf1 -all".to_owned()),
    ];
    Signed { mail: fields + MAIL, records }
}

fn verify_mail(mail: &str, records: &[(String, String)]) -> AuthResults {
    verify_with(AuthInput { mail_from: "ann@bounce.example.org", ..input(mail.as_bytes()) }, text_records(records))
}

#[test]
fn own_signatures_pass_align_and_outweigh_spf() {
    let Signed { mail, records } = signed();
    let results = verify_mail(&mail, &records);
    assert_eq!(results.dkim.len(), 2);
    for (verdict, algorithm) in results.dkim.iter().zip(["rsa-sha256", "ed25519-sha256"]) {
        assert_eq!((verdict.result, verdict.aligned, verdict.algorithm), (DkimResult::Pass, true, algorithm));
    }
    assert_eq!(results.spf.result, SpfResult::Fail);
    assert_eq!(results.dmarc.result, DmarcResult::Pass);
    assert_eq!(results.dmarc.policy, Some(DmarcPolicy::Reject));
    assert!(!results.auth_failed());
}

#[test]
fn changes_in_transit_are_detected_unless_they_are_white_space() {
    let Signed { mail, records } = signed();
    for (from, to, passes) in [
        ("Hello,  Bob\r\n", "Hello, Bob \r\n", true),
        ("\r\n\r\n\r\n", "\r\n", true),
        ("Subject: Hi", "subject:  Hi ", true),
        ("\r\nMIME-Version", "\r\nX-New: 1\r\nMIME-Version", true),
        ("Hello", "HELLO", false),
        ("Subject: Hi", "Subject: Ho", false),
        ("From: Ann", "From: Bob <b@evil.example>\r\nFrom: Ann", false),
        ("\r\nMIME-Version", "\r\nSubject: Ho\r\nMIME-Version", false),
        ("\r\nMIME-Version", "\r\nReply-To: x@evil.example\r\nMIME-Version", false),
        ("text/plain", "text/html", false),
        ("d=example.org", "d=example.com", false),
    ] {
        assert!(mail.contains(from), "{from}");
        let results = verify_mail(&mail.replace(from, to), &records);
        let passed = results.dkim.iter().filter(|verdict| verdict.result == DkimResult::Pass).count();
        assert_eq!(passed, if passes { 2 } else { 0 }, "{from} -> {to}: {results:?}");
        assert_eq!(results.spf_fail_label(), !passes, "{from} -> {to}");
    }
}

#[test]
fn a_signature_over_part_of_the_body_is_policy_not_pass() {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    let key = DkimKey::generate_ed25519().expect("a new key");
    let record = (String::from("e1._domainkey.example.org"), key.dns_record().expect("a record"));
    let names = ["from".to_owned(), "subject".to_owned()];
    for (body_bytes, result) in [(5, DkimResult::Policy), (12, DkimResult::Pass), (13, DkimResult::Fail)] {
        let hash = STANDARD.encode(hash_body(b"Hello, Bob\r\n", Canonicalization::Relaxed, Some(body_bytes)).sha256);
        let value = format!(
            " v=1; a=ed25519-sha256; c=relaxed/relaxed; d=example.org; s=e1; h=from:subject; l={body_bytes}; bh={hash}; b="
        );
        let own = SignedField { name: b"DKIM-Signature", value: value.as_bytes(), raw: b"" };
        let data = header_data(&SignedMessage::split(MAIL.as_bytes()), &names, &own, Canonicalization::Relaxed);
        let signature = STANDARD.encode(key.sign_data(&data).expect("a signature"));
        let mail = format!("DKIM-Signature:{value}{signature}\r\n{MAIL}");
        let results = verify_mail(&mail, std::slice::from_ref(&record));
        assert_eq!(results.dkim[0].result, result, "l={body_bytes}: {results:?}");
    }
}

#[test]
fn missing_revoked_and_unreachable_keys_have_distinct_results() {
    let Signed { mail, mut records } = signed();
    records[0].1 = "v=DKIM1; p=".to_owned();
    records[1].0 = "other._domainkey.example.org".to_owned();
    let results = verify_mail(&mail, &records);
    assert!(results.dkim.iter().all(|verdict| verdict.result == DkimResult::PermError), "{results:?}");
    assert_eq!(results.dkim[0].reason, "the key has been revoked");
    let failing = |question: &DnsQuestion| {
        if question.name.contains("_domainkey") { DnsAnswer::Failed } else { text_records(&records)(question) }
    };
    let results = verify_with(input(mail.as_bytes()), failing);
    assert!(results.dkim.iter().all(|verdict| verdict.result == DkimResult::TempError), "{results:?}");
    assert_eq!(results.dmarc.result, DmarcResult::TempError);
    assert!(results.auth_unknown_label() && results.auth_failed() && !results.dmarc_fail_label());
    assert_eq!(results.author_alignment(), DmarcAlignment::Unknown);
}

/// Signs a message with `h=` set to `names`. Returns the signed message and the DNS record of the key.
fn signed_over(names: &[&str], mail: &str) -> (String, (String, String)) {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    let key = DkimKey::generate_ed25519().expect("a new key");
    let record = (String::from("e1._domainkey.example.org"), key.dns_record().expect("a record"));
    let message = SignedMessage::split(mail.as_bytes());
    let hash = STANDARD.encode(hash_body(message.body, Canonicalization::Relaxed, None).sha256);
    let value =
        format!(" v=1; a=ed25519-sha256; c=relaxed/relaxed; d=example.org; s=e1; h={}; bh={hash}; b=", names.join(":"));
    let own = SignedField { name: b"DKIM-Signature", value: value.as_bytes(), raw: b"" };
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let data = header_data(&message, &names, &own, Canonicalization::Relaxed);
    let signature = STANDARD.encode(key.sign_data(&data).expect("a signature"));
    (format!("DKIM-Signature:{value}{signature}\r\n{mail}"), record)
}

#[test]
fn a_field_displayed_more_often_than_it_is_signed_makes_a_signature_policy() {
    const MAIL: &str = "From: Ann <ann@example.org>\r\nSubject: Hi\r\nTo: bob@x.example\r\n\r\nHello\r\n";
    let shown = [
        "Subject",
        "To",
        "Cc",
        "Reply-To",
        "Date",
        "Message-ID",
        "In-Reply-To",
        "References",
        "Content-Type",
        "Content-Transfer-Encoding",
        "MIME-Version",
    ];
    for name in shown {
        let added = format!("{name}: <added@evil.example>\r\n");
        let with = |head: &str, mail: &str| format!("{head}{mail}");
        // (times the name is signed, fields of that name at signing, fields added on top, result)
        for (signed, before, after, result) in [
            (1, 1, 0, DkimResult::Pass),
            (1, 1, 1, DkimResult::Policy),
            (2, 1, 1, DkimResult::Fail),
            (0, 2, 0, DkimResult::Policy),
            (0, 1, 0, if name == "Subject" { DkimResult::Policy } else { DkimResult::Pass }),
        ] {
            let bare = MAIL.replace("Subject: Hi\r\n", "").replace("To: bob@x.example\r\n", "");
            let names: Vec<&str> = ["From"].into_iter().chain(std::iter::repeat_n(name, signed)).collect();
            let (mail, record) = signed_over(&names, &with(&added.repeat(before), &bare));
            let results = verify_mail(&with(&added.repeat(after), &mail), &[record]);
            assert_eq!(results.dkim[0].result, result, "{name} {signed} {before} {after}: {results:?}");
            if result == DkimResult::Policy {
                let reason = format!("{name} occurs {} times and is signed {signed} times", before + after);
                assert_eq!(results.dkim[0].reason, reason);
                assert_eq!(results.author_alignment(), DmarcAlignment::Fail);
            }
        }
    }
}

#[test]
fn reply_to_is_proven_by_an_aligned_signature_that_covers_it() {
    let head = "From: Ann <ann@example.org>\r\nSubject: Hi\r\n";
    let reply_to = "Reply-To: x@elsewhere.example\r\n";
    let body = "\r\nHello\r\n";
    let covered = ["From", "Subject", "Reply-To"];
    for (names, signed, sent, proven) in [
        (&covered[..], format!("{head}{reply_to}{body}"), String::new(), true),
        (&covered[..2], format!("{head}{reply_to}{body}"), String::new(), false),
        // Added on the way, in front of the signed message.
        (&covered[..2], format!("{head}{body}"), reply_to.to_owned(), false),
        (&covered[..], format!("{head}{body}"), reply_to.to_owned(), false),
        (&covered[..], format!("{head}{reply_to}{body}"), reply_to.to_owned(), false),
        (
            &covered[..],
            format!("From: Ann <ann@other.example>\r\nSubject: Hi\r\n{reply_to}{body}"),
            String::new(),
            false,
        ),
    ] {
        let (mail, record) = signed_over(names, &signed);
        let results = verify_mail(&format!("{sent}{mail}"), &[record]);
        assert_eq!(results.proves_reply_to(), proven, "{names:?} {sent}{signed}: {results:?}");
    }
}

#[test]
fn an_unsigned_form_that_the_body_does_not_have_makes_a_signature_policy() {
    const MAIL: &str = "From: Ann <ann@example.org>\r\nSubject: Hi\r\n\r\nPay <5> to ann, \"a=b\".\r\n";
    for field in [
        "Content-Transfer-Encoding: base64",
        "Content-Transfer-Encoding: quoted-printable",
        "Content-Type: text/html",
        "Content-Type: multipart/mixed; boundary=b",
        "Content-Type: text/plain; charset=utf-16le",
        "Content-Type: application/pdf",
        "Content-Disposition: attachment; filename=a.txt",
    ] {
        let (mail, record) = signed_over(&["From", "Subject"], MAIL);
        let results = verify_mail(&format!("{field}\r\n{mail}"), std::slice::from_ref(&record));
        assert_eq!(results.dkim[0].result, DkimResult::Policy, "{field}: {results:?}");
        assert_eq!(results.author_alignment(), DmarcAlignment::Fail);
        // A field that the signer covers is the signer's own.
        let name = field.split_once(':').expect("a field").0;
        let (mail, record) = signed_over(&["From", "Subject", name], &format!("{field}\r\n{MAIL}"));
        let results = verify_mail(&mail, std::slice::from_ref(&record));
        assert_eq!(results.dkim[0].result, DkimResult::Pass, "{field}: {results:?}");
    }
}
