//! Replies as large providers and common servers write them, and what they mean.

use super::*;

/// One a line: stage (c greeting, m MAIL, r RCPT, d after the text), class, reply.
const REPLIES: &str = include_str!("tests/replies.txt");

/// Code, enhanced code and words of a reply's line.
fn parts(reply: &str) -> (u16, Option<&str>, &str) {
    let code = reply[..3].parse().expect("a reply begins with its code");
    let rest = reply[3..].trim_start_matches(['-', ' ']);
    let first = rest.split(' ').next().unwrap_or_default();
    let numbers: Vec<&str> = first.split('.').collect();
    let is_enhanced = numbers.len() == 3 && numbers.iter().all(|n| n.parse::<u16>().is_ok()) && first.len() < 12;
    if is_enhanced { (code, Some(first), rest[first.len()..].trim_start()) } else { (code, None, rest) }
}

#[test]
fn replies_of_providers_have_their_class() {
    let (mut count, mut wrong) = (0, Vec::new());
    for line in REPLIES.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let mut fields = line.splitn(3, ' ');
        let (stage, class, reply) =
            (fields.next().unwrap_or(""), fields.next().unwrap_or(""), fields.next().unwrap_or(""));
        let stage = match stage {
            "c" => Stage::Greeting,
            "m" => Stage::MailFrom,
            "r" => Stage::RcptTo,
            "d" => Stage::EndOfData,
            other => panic!("{other:?} is no stage"),
        };
        let expected = Class::parse(class).unwrap_or_else(|| panic!("{class:?} is no class"));
        let (code, enhanced, words) = parts(reply);
        let told = classify(&Said { code: Some(code), enhanced, words, stage: Some(stage) });
        count += 1;
        if told != expected {
            wrong.push(format!("{} instead of {class}: {reply}", told.text()));
        }
    }
    assert!(count >= 150, "{count} replies");
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn what_was_decided_here_has_its_class() {
    for (enhanced, words, class) in [
        ("5.1.2", "the domain nowhere.example does not exist", Class::UnknownDomain),
        ("5.1.10", "the domain accepts no mail (null MX)", Class::UnknownDomain),
        ("5.1.1", "there is no such inbox on this service", Class::UnknownUser),
        ("4.4.3", "the mail exchangers of spam.example cannot be looked up now", Class::Network),
        ("5.4.6", "mail for the domain loops back to this server: its MX records name this host", Class::Network),
        ("5.6.7", "the server does not take addresses beyond ASCII (SMTPUTF8)", Class::Smtputf8),
        ("5.6.9", "the server does not take headers beyond ASCII (SMTPUTF8)", Class::Smtputf8),
        ("5.3.4", "the message has 3 bytes, the server takes 2", Class::TooLarge),
        ("4.3.0", "the message cannot be signed: the key is away", Class::System),
    ] {
        let said = Said { code: None, enhanced: Some(enhanced), words, stage: Some(Stage::Local) };
        assert_eq!(classify(&said), class, "{words}");
    }
    for words in ["connection refused", "timed out", "rejected: os error 5"] {
        let silent = Said { code: None, enhanced: None, words, stage: Some(Stage::Connect) };
        assert_eq!(classify(&silent), Class::Network, "{words}");
    }
}

#[test]
fn the_name_of_a_mailbox_says_nothing() {
    for address in ["spam@b.example", "<virus.quota@b.example>:", "(dkim@blocked.example)", "»ü@b.example«"] {
        let words = format!("{address} go away");
        let said = Said { code: Some(554), enhanced: None, words: &words, stage: Some(Stage::EndOfData) };
        assert_eq!(classify(&said), Class::Other, "{words}");
    }
}

#[test]
fn a_refused_sender_never_kills_a_recipient() {
    for stage in [Stage::Greeting, Stage::Ehlo, Stage::MailFrom] {
        let said = Said { code: Some(550), enhanced: Some("5.1.1"), words: "user unknown", stage: Some(stage) };
        assert!(!classify(&said).is_dead_address(), "{stage:?}");
    }
}

#[test]
fn every_class_has_its_word() {
    for class in Class::ALL {
        assert_eq!(Class::parse(class.text()), Some(class));
        assert!(!(class.is_dead_address() && class.is_passing()));
    }
    assert_eq!(Class::parse("none"), None);
}
