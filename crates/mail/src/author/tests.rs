//! Which From fields name an author, and whom.

use super::*;
use proptest::prelude::*;

fn read(from: &str) -> Result<String, NoAuthor> {
    author(format!("From: {from}\r\n\r\n").as_bytes()).map(|author| author.to_string())
}

#[test]
fn ordinary_mail_keeps_its_author() {
    for (from, shown) in [
        ("a@x.example", "a@x.example"),
        ("<a@x.example>", "a@x.example"),
        ("< a@x.example >", "a@x.example"),
        ("a@x.example (Ann Lee)", "Ann Lee <a@x.example>"),
        ("Ann Lee <a@x.example>", "Ann Lee <a@x.example>"),
        ("\"Lee, Ann\" <a@x.example>", "\"Lee, Ann\" <a@x.example>"),
        ("Acme, Inc. <news@acme.example>", "\"Acme, Inc.\" <news@acme.example>"),
        ("Acme; Partners <news@acme.example>", "\"Acme; Partners\" <news@acme.example>"),
        ("Ann \"Lee <a@x.example>", "\"Ann \\\"Lee\" <a@x.example>"),
        ("Dr. Ann (Sales) <a@x.example>", "\"Dr. Ann\" <a@x.example>"),
        ("=?utf-8?q?J=C3=BCrgen?= <a@x.example>", "Jürgen <a@x.example>"),
        ("=?utf-8?q?ann=40acme?= <a@x.example>", "\"ann@acme\" <a@x.example>"),
        ("\"=?utf-8?q?J=C3=BCrgen?=\" <a@x.example>", "Jürgen <a@x.example>"),
        ("news@acme.example <news@acme.example>", "\"news@acme.example\" <news@acme.example>"),
        ("'info@acme.example' <news@acme.example>", "\"'info@acme.example'\" <news@acme.example>"),
        ("\"info@ACME.example\" <news@acme.example>", "\"info@ACME.example\" <news@acme.example>"),
        ("a@x.example,", "a@x.example"),
        ("Team: a@x.example;", "\"Team:\" <a@x.example>"),
        ("Ann a@x.example", "Ann <a@x.example>"),
        ("Acme <News> <news@acme.example>", "Acme News <news@acme.example>"),
        ("Acme & <b>Co</b> <news@acme.example>", "Acme & b Co /b <news@acme.example>"),
        ("<a@x.example> Ann", "Ann <a@x.example>"),
        ("\"a b\"@x.example", "\"a b\"@x.example"),
        ("Ann\r\n <a@x.example>", "Ann <a@x.example>"),
        ("a@x_y.example", "a@x_y.example"),
        ("jürgen@bücher.example", "jürgen@bücher.example"),
        ("A@X.Example", "A@x.example"),
    ] {
        assert_eq!(read(from).as_deref(), Ok(shown), "{from}");
    }
    let raw = b"From: J\xf6rg <a@x.example>\r\n\r\n";
    assert_eq!(author(raw).map(|author| author.to_string()).as_deref(), Ok("Jörg <a@x.example>"), "a raw 8-bit name");
}

#[test]
fn a_name_is_shown_without_the_address_of_another_domain() {
    for (name, shown) in [
        ("ceo@bank.example", "a@x.example"),
        ("ceo@bank.example via List", "via List <a@x.example>"),
        ("Ann (ceo@bank.example)", "Ann <a@x.example>"),
        ("The Boss <ceo@bank.example>", "\"The Boss\" <a@x.example>"),
        ("ceo@bank.example <ceo@bank.example>", "a@x.example"),
        ("ceo\u{ff20}bank.example", "a@x.example"),
        ("ceo@bank\u{3002}example", "a@x.example"),
        ("ceo@ba\u{200b}nk.example", "a@x.example"),
        ("ceo@bank\u{200d}.example", "a@x.example"),
        ("\u{202e}elpmaxe.knab@oec", "\"elpmaxe.knab@oec\" <a@x.example>"),
        ("ceo@sub.x.example", "a@x.example"),
        ("boss@x.example", "\"boss@x.example\" <a@x.example>"),
        ("Jane @ Acme", "\"Jane @ Acme\" <a@x.example>"),
        ("ceo @ bank.example", "a@x.example"),
        ("The Boss, ceo@ bank . example", "The Boss <a@x.example>"),
        ("=?utf-8?Q?ceo=40bank.example?=", "a@x.example"),
    ] {
        let shown = shown.replace("\"The Boss\"", "The Boss");
        assert_eq!(read(&format!("\"{name}\" <a@x.example>")).as_deref(), Ok(&*shown), "{name}");
        let mut word = String::from("=?utf-8?q?");
        name.bytes().for_each(|byte| word.push_str(&format!("={byte:02X}")));
        assert_eq!(read(&format!("{word}?= <a@x.example>")).as_deref(), Ok(&*shown), "{name}, encoded");
    }
}

#[test]
fn what_names_no_one_address_has_no_author() {
    use AddressError as Wrong;
    let invalid = NoAuthor::InvalidAddress;
    for (from, problem) in [
        ("", NoAuthor::NoAddress),
        ("<>", NoAuthor::NoAddress),
        ("ceo", NoAuthor::NoAddress),
        ("\"ceo@bank.example\"", NoAuthor::NoAddress),
        ("=?utf-8?q?ceo@bank.example?=", NoAuthor::NoAddress),
        ("=?utf-8?q?ceo=40bank.example?=", NoAuthor::NoAddress),
        ("(ceo@bank.example)", NoAuthor::NoAddress),
        ("Team:;", NoAuthor::NoAddress),
        ("a@x.example, ceo@bank.example", NoAuthor::SeveralAddresses),
        ("a@x.example ceo@bank.example", NoAuthor::SeveralAddresses),
        ("<a@x.example> <ceo@bank.example>", NoAuthor::SeveralAddresses),
        ("<a@x.example>, <a@x.example>", NoAuthor::SeveralAddresses),
        ("ceo@bank.example <a@x.example>", NoAuthor::SeveralAddresses),
        ("ceo@bank.example:x\u{ff20}x.example <a@x.example>", NoAuthor::SeveralAddresses),
        ("(ceo@bank.example x\u{ff20}x.example) a@x.example", NoAuthor::SeveralAddresses),
        ("ceo @ bank.example <a@x.example>", NoAuthor::SeveralAddresses),
        ("\"ceo@bank.example <a@x.example>", NoAuthor::SeveralAddresses),
        ("<a@x.example> (ceo@bank.example)", NoAuthor::SeveralAddresses),
        ("=?utf-8?q?x <ceo@bank.example>?= <a@x.example>", NoAuthor::SeveralAddresses),
        ("=?utf-8?q?x<ceo@bank.example>?= <a@x.example>", NoAuthor::SeveralAddresses),
        ("ceo@bank.example@x.example <a@x.example>", NoAuthor::SeveralAddresses),
        ("<ceo@bank.example@x.example>", invalid(Wrong::SecondAt)),
        ("<\"ceo@bank.example\"@x.example>", invalid(Wrong::SecondAt)),
        ("\"ceo@bank.example\"@x.example", invalid(Wrong::SecondAt)),
        ("<@x.example:ceo@bank.example>", invalid(Wrong::EmptyLocal)),
        ("<ceo@bank.example", invalid(Wrong::Brackets)),
        ("<=?utf-8?q?ceo?=@bank.example>", invalid(Wrong::EncodedWord)),
        ("=?utf-8?q?ceo?=@bank.example", invalid(Wrong::EncodedWord)),
        ("\"ceo\"x@bank.example", invalid(Wrong::Quotes)),
        ("ceo\"x\"@bank.example", invalid(Wrong::Quotes)),
        ("ceo..x@bank.example", invalid(Wrong::Dots)),
        ("ceo@[192.0.2.1]", invalid(Wrong::Literal)),
        ("ceo(x)@bank.example", invalid(Wrong::EmptyLocal)),
        ("ceo@bank .example", invalid(Wrong::Dots)),
        ("ceo@bank(x).example", invalid(Wrong::Dots)),
        ("ceo. x@bank.example", invalid(Wrong::Dots)),
        ("ceo\u{200b}@bank.example", invalid(Wrong::InvisibleCharacter)),
        ("ceo\u{85}@bank.example", invalid(Wrong::ControlCharacter)),
        ("ceo\u{1}@bank.example", NoAuthor::ControlCharacter),
        ("ceo@bank.example\u{7f}", NoAuthor::ControlCharacter),
        ("\u{1b}x <ceo@bank.example>", NoAuthor::ControlCharacter),
        ("ceo@bank.example\0", NoAuthor::Header(HeaderFlaw::BareControl)),
        ("ceo@bank.example\rx", NoAuthor::Header(HeaderFlaw::BareControl)),
    ] {
        assert_eq!(read(from), Err(problem), "{from:?}");
    }
    for raw in [&b"From: ceo@bank.example\xff\r\n\r\n"[..], b"From: <c\xe9o@bank.example>\r\n\r\n"] {
        assert_eq!(author(raw), Err(invalid(Wrong::NotUtf8)), "{raw:?}");
    }
    for open in ["(", "<", "\\(", "(x"] {
        let hostile = format!("{} <a@x.example>", open.repeat(FROM_BYTES_MAX / open.len() - 16));
        assert!(read(&hostile).is_err(), "{open}");
    }
    let long = format!("\"{}\" <a@x.example>", "x".repeat(FROM_BYTES_MAX));
    assert_eq!(read(&long), Err(NoAuthor::TooLong));
}

#[test]
fn only_one_from_field_in_a_good_header_names_an_author() {
    let many = format!("{}From: a@x.example\r\n\r\n", "X: y\r\n".repeat(2_000));
    let behind_blanks = format!("From{}: a@x.example\r\n\r\n", " ".repeat(201));
    let flaw = NoAuthor::Header;
    for (raw, expected) in [
        ("From : a@x.example\r\n\r\n", Ok(())),
        ("FROM: a@x.example\n\n", Ok(())),
        ("X: y\r\n \r\nFrom: a@x.example\r\n\r\n", Ok(())),
        ("From me Sun\r\nFrom: a@x.example\r\n\r\n", Ok(())),
        ("Sender: a@x.example\r\n\r\n", Err(NoAuthor::Missing)),
        ("Resent-From: a@x.example\r\n\r\n", Err(NoAuthor::Missing)),
        ("To: b@x.example\r\n\r\nFrom: a@x.example\r\n", Err(NoAuthor::Missing)),
        (" From: a@x.example\r\n\r\n", Err(NoAuthor::Missing)),
        ("From\r\n : a@x.example\r\n\r\n", Err(NoAuthor::Missing)),
        ("From: a@x.example\r\nfrom : a@x.example\r\n\r\n", Err(NoAuthor::Repeated)),
        ("From:\r\nFrom: a@x.example\r\n\r\n", Err(NoAuthor::Repeated)),
        ("From: a@x.example\r\nno field\r\nFrom: b@x.example\r\n\r\n", Err(NoAuthor::Repeated)),
        ("\r\nFrom: a@x.example\r\n\r\n", Err(flaw(HeaderFlaw::StartsEmpty))),
        ("\r\n\r\n\r\nFrom: a@x.example\r\n\r\n", Err(flaw(HeaderFlaw::StartsEmpty))),
        ("X: \0\r\nFrom: a@x.example\r\n\r\n", Err(flaw(HeaderFlaw::BareControl))),
        ("X: y\rFrom: b@x.example\r\nFrom: a@x.example\r\n\r\n", Err(flaw(HeaderFlaw::BareControl))),
        (&many, Err(flaw(HeaderFlaw::TooManyFields))),
        (&behind_blanks, Err(flaw(HeaderFlaw::NameTooLong))),
    ] {
        assert_eq!(author(raw.as_bytes()).map(|_| ()), expected, "{:?}", raw.get(..60).unwrap_or(raw));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_author_read_again_from_its_own_form_is_the_same(value in "[a-c@.<>()\",;:\\\\ =?_é\r\n\t-]{0,40}") {
        if let Ok(first) = author(format!("From: {value}\r\n\r\n").as_bytes()) {
            let again = author(format!("From: {first}\r\n\r\n").as_bytes());
            prop_assert_eq!(again.map(|again| again.address().clone()), Ok(first.address().clone()));
        }
    }
}
