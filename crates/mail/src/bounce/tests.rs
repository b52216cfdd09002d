//! Replies of large providers and common servers, and their classes.

mod evidence;

use super::*;

/// One reply per line: stage (c greeting, m MAIL, r RCPT, d after the content), class, reply.
const REPLIES: &str = include_str!("tests/replies.txt");

/// Splits a reply into its code, enhanced code and text.
fn parts(reply: &str) -> (u16, Option<&str>, &str) {
    let code = reply[..3].parse().expect("a reply begins with its code");
    let rest = reply[3..].trim_start_matches(['-', ' ']);
    let first = rest.split(' ').next().unwrap_or_default();
    let numbers: Vec<&str> = first.split('.').collect();
    let is_enhanced = numbers.len() == 3 && numbers.iter().all(|n| n.parse::<u16>().is_ok()) && first.len() < 12;
    if is_enhanced { (code, Some(first), rest[first.len()..].trim_start()) } else { (code, None, rest) }
}

#[test]
fn replies_of_providers_have_the_expected_class() {
    let (mut count, mut wrong) = (0, Vec::new());
    for line in REPLIES.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let mut fields = line.splitn(3, ' ');
        let (stage, class, reply) =
            (fields.next().unwrap_or(""), fields.next().unwrap_or(""), fields.next().unwrap_or(""));
        let stage = match stage {
            "c" => SmtpStage::Greeting,
            "m" => SmtpStage::MailFrom,
            "r" => SmtpStage::RcptTo,
            "d" => SmtpStage::EndOfData,
            other => panic!("{other:?} is not a stage"),
        };
        let expected = BounceClass::parse(class).unwrap_or_else(|| panic!("{class:?} is not a class"));
        let (code, enhanced, words) = parts(reply);
        let actual = classify(&BounceReply { code: Some(code), enhanced, words, stage: Some(stage) });
        count += 1;
        if actual != expected {
            wrong.push(format!("{} instead of {class}: {reply}", actual.text()));
        }
    }
    assert!(count >= 150, "{count} replies");
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn local_decisions_have_the_expected_class() {
    for (enhanced, words, class) in [
        ("5.1.2", "the domain nowhere.example does not exist", BounceClass::UnknownDomain),
        ("5.1.10", "the domain accepts no mail (null MX)", BounceClass::UnknownDomain),
        ("5.1.1", "there is no such inbox on this service", BounceClass::UnknownUser),
        ("4.4.3", "the mail exchangers of spam.example cannot be looked up now", BounceClass::Network),
        ("5.4.6", "mail for the domain loops back to this server: its MX records name this host", BounceClass::Network),
        ("5.6.7", "the server does not support non-ASCII addresses (SMTPUTF8)", BounceClass::Smtputf8),
        ("5.6.9", "the server does not support non-ASCII header fields (SMTPUTF8)", BounceClass::Smtputf8),
        ("5.3.4", "the message has 3 bytes; the server accepts at most 2", BounceClass::TooLarge),
        ("4.3.0", "the message cannot be signed: the key is away", BounceClass::System),
    ] {
        let reply = BounceReply { code: None, enhanced: Some(enhanced), words, stage: Some(SmtpStage::Local) };
        assert_eq!(classify(&reply), class, "{words}");
    }
    for words in ["connection refused", "timed out", "rejected: os error 5"] {
        let silent = BounceReply { code: None, enhanced: None, words, stage: Some(SmtpStage::Connect) };
        assert_eq!(classify(&silent), BounceClass::Network, "{words}");
    }
}

#[test]
fn the_name_of_a_mailbox_does_not_affect_the_class() {
    for address in ["spam@b.example", "<virus.quota@b.example>:", "(dkim@blocked.example)", "»ü@b.example«"] {
        let words = format!("{address} go away");
        let reply = BounceReply { code: Some(554), enhanced: None, words: &words, stage: Some(SmtpStage::EndOfData) };
        assert_eq!(classify(&reply), BounceClass::Other, "{words}");
    }
}

#[test]
fn a_refused_sender_never_marks_a_recipient_as_dead() {
    for stage in [SmtpStage::Greeting, SmtpStage::Ehlo, SmtpStage::MailFrom] {
        let reply = BounceReply { code: Some(550), enhanced: Some("5.1.1"), words: "user unknown", stage: Some(stage) };
        assert!(!classify(&reply).is_dead_address(), "{stage:?}");
    }
}

#[test]
fn every_marker_has_a_class() {
    for entry in words::MARKS.iter() {
        let (mark, class) = entry.rsplit_once(" = ").unwrap_or_else(|| panic!("{entry} has no class"));
        assert_eq!(words::mark_in(mark), BounceClass::parse(class), "{entry}");
    }
}

#[test]
fn every_class_has_a_unique_name() {
    for class in BounceClass::ALL {
        assert_eq!(BounceClass::parse(class.text()), Some(class));
        assert!(!(class.is_dead_address() && class.is_passing()));
    }
    assert_eq!(BounceClass::parse("none"), None);
}
