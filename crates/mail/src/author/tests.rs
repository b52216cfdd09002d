//! Tests of the author of a message: which `From` fields have one, and which address it is.

use super::*;
use proptest::prelude::*;

fn read(from: &str) -> Result<String, AuthorError> {
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
        ("Team: a@x.example;", "a@x.example"),
        ("Ann a@x.example", "Ann <a@x.example>"),
        ("Acme <News> <news@acme.example>", "Acme News <news@acme.example>"),
        ("Acme & <b>Co</b> <news@acme.example>", "Acme & b Co /b <news@acme.example>"),
        ("<a@x.example> Ann", "Ann <a@x.example>"),
        ("\"a b\"@x.example", "\"a b\"@x.example"),
        ("Ann\r\n <a@x.example>", "Ann <a@x.example>"),
        ("a@x_y.example", "a@x_y.example"),
        ("jürgen@bücher.example", "jürgen@bücher.example"),
        ("A@X.Example", "A@x.example"),
        ("Ann <a@x.example>>", "Ann <a@x.example>"),
        ("<a@x.example>>", "a@x.example"),
        ("a@x.example>", "a@x.example"),
        ("Ann <a@x.example.>", "Ann <a@x.example>"),
        ("a@x.example.", "a@x.example"),
        ("<a@x.example>.", "a@x.example"),
        ("Pete(A nice \\) chap) <pete(his account)@silly.example(his host)>", "Pete <pete@silly.example>"),
        ("<pete (work)@silly.example>", "work <pete@silly.example>"),
        ("Ann <ann@(host)silly.example>", "Ann <ann@silly.example>"),
        ("Ann < (x) ann@silly.example (y (z)) >", "Ann <ann@silly.example>"),
        ("Ann <\"a(b)\"@silly.example>", "Ann <\"a(b)\"@silly.example>"),
        ("Ann <ann(a@silly.example)@silly.example>", "Ann <ann@silly.example>"),
    ] {
        assert_eq!(read(from).as_deref(), Ok(shown), "{from}");
    }
    let raw = b"From: J\xf6rg <a@x.example>\r\n\r\n";
    assert_eq!(author(raw).map(|author| author.to_string()).as_deref(), Ok("Jörg <a@x.example>"), "a raw 8-bit name");
}

#[test]
fn addresses_of_other_domains_are_removed_from_the_name() {
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
fn own_names_are_shown_as_they_are_sent() {
    let parts = [
        "Bob",
        "Böb \"x\"",
        "ceo@bank.example",
        "boss@x.example",
        "a@x.example",
        "ceo \u{ff20} bank . example",
        "Jane @ Acme",
        "=?utf-8?Q?Bob?=",
        "=?utf-8?q?=3D=3Futf-8=3Fq=3Fceo=40bank.example=3F=3D?=",
        "=?utf-8?B?PT91dGYtOD9CP1kyVnZRR0poYm1zdVpYaGhiWEJzWlE9PT89?=",
        "=? a=?b?= ?=",
        "<>,;:",
        "po\u{200b}st",
    ];
    let names = parts
        .iter()
        .flat_map(|one| parts.iter().flat_map(move |two| ["", " ", "  "].map(|gap| format!("{one}{gap}{two}"))));
    for name in names.chain(parts.map(str::to_owned)) {
        let mailbox = own_mailbox(Some(&name), Address::parse("a@x.example").expect("an address"));
        let mut sent = Vec::new();
        crate::build::address_field("From", &mailbox, &mut sent);
        let shown = author(&sent).expect("an author");
        assert_eq!(shown.mailbox(), &mailbox, "{name}: {}", String::from_utf8_lossy(&sent));
        let text = mailbox.name().unwrap_or_default();
        assert!(!text.contains("ceo@") && !text.contains("=?utf-8"), "{name}: {text}");
    }
    for kept in ["Bob", "Jane @ Acme", "Böb, \"x\"", "東京 🎉"] {
        assert_eq!(own_name(kept).as_deref(), Some(kept));
    }
}

#[test]
fn from_values_without_exactly_one_valid_address_have_no_author() {
    let invalid = AuthorError::InvalidAddress;
    for (from, problem) in [
        ("", AuthorError::NoAddress),
        ("<>", AuthorError::NoAddress),
        ("ceo", AuthorError::NoAddress),
        ("\"ceo@bank.example\"", AuthorError::NoAddress),
        ("=?utf-8?q?ceo@bank.example?=", AuthorError::NoAddress),
        ("=?utf-8?q?ceo=40bank.example?=", AuthorError::NoAddress),
        ("(ceo@bank.example)", AuthorError::NoAddress),
        ("Team:;", AuthorError::NoAddress),
        ("a@x.example, ceo@bank.example", AuthorError::SeveralAddresses),
        ("a@x.example ceo@bank.example", AuthorError::SeveralAddresses),
        ("<a@x.example> <ceo@bank.example>", AuthorError::SeveralAddresses),
        ("<a@x.example>, <a@x.example>", AuthorError::SeveralAddresses),
        ("ceo@bank.example <a@x.example>", AuthorError::SeveralAddresses),
        ("ceo@bank.example:x\u{ff20}x.example <a@x.example>", AuthorError::SeveralAddresses),
        ("(ceo@bank.example x\u{ff20}x.example) a@x.example", AuthorError::SeveralAddresses),
        ("ceo @ bank.example <a@x.example>", AuthorError::SeveralAddresses),
        ("\"ceo@bank.example <a@x.example>", AuthorError::SeveralAddresses),
        ("<a@x.example> (ceo@bank.example)", AuthorError::SeveralAddresses),
        ("=?utf-8?q?x <ceo@bank.example>?= <a@x.example>", AuthorError::SeveralAddresses),
        ("=?utf-8?q?x<ceo@bank.example>?= <a@x.example>", AuthorError::SeveralAddresses),
        ("ceo@bank.example@x.example <a@x.example>", AuthorError::SeveralAddresses),
        ("<ceo@bank.example@x.example>", invalid(AddressError::SecondAt)),
        ("<a(ceo@bank.example)@x.example>", AuthorError::SeveralAddresses),
        ("<ceo@bank.example(x)@x.example>", invalid(AddressError::SecondAt)),
        ("<a@x.example> ceo@bank.example>", AuthorError::SeveralAddresses),
        ("<ce(x)o@bank.example>", invalid(AddressError::Space)),
        ("<ce (x)(y) o@bank.example>", invalid(AddressError::Space)),
        ("<a@x.example>> <ceo@bank.example>", AuthorError::SeveralAddresses),
        ("<a@x.example..>", invalid(AddressError::Domain)),
        ("<a(x@x.example>", invalid(AddressError::LocalCharacter('('))),
        ("<\"ceo@bank.example\"@x.example>", invalid(AddressError::SecondAt)),
        ("\"ceo@bank.example\"@x.example", invalid(AddressError::SecondAt)),
        ("<@x.example:ceo@bank.example>", invalid(AddressError::EmptyLocal)),
        ("<ceo@bank.example", invalid(AddressError::Brackets)),
        ("<=?utf-8?q?ceo?=@bank.example>", invalid(AddressError::EncodedWord)),
        ("=?utf-8?q?ceo?=@bank.example", invalid(AddressError::EncodedWord)),
        ("\"ceo\"x@bank.example", invalid(AddressError::Quotes)),
        ("ceo\"x\"@bank.example", invalid(AddressError::Quotes)),
        ("ceo..x@bank.example", invalid(AddressError::Dots)),
        ("ceo@[192.0.2.1]", invalid(AddressError::Literal)),
        ("ceo(x)@bank.example", invalid(AddressError::EmptyLocal)),
        ("ceo@bank .example", invalid(AddressError::Dots)),
        ("ceo@bank(x).example", invalid(AddressError::Dots)),
        ("ceo. x@bank.example", invalid(AddressError::Dots)),
        ("ceo\u{200b}@bank.example", invalid(AddressError::InvisibleCharacter)),
        ("ceo\u{85}@bank.example", invalid(AddressError::ControlCharacter)),
        ("ceo\u{1}@bank.example", AuthorError::ControlCharacter),
        ("ceo@bank.example\u{7f}", AuthorError::ControlCharacter),
        ("\u{1b}x <ceo@bank.example>", AuthorError::ControlCharacter),
        ("ceo@bank.example\0", AuthorError::Header(HeaderFlaw::BareControl)),
        ("ceo@bank.example\rx", AuthorError::Header(HeaderFlaw::BareControl)),
    ] {
        assert_eq!(read(from), Err(problem), "{from:?}");
    }
    for raw in [&b"From: ceo@bank.example\xff\r\n\r\n"[..], b"From: <c\xe9o@bank.example>\r\n\r\n"] {
        assert_eq!(author(raw), Err(invalid(AddressError::NotUtf8)), "{raw:?}");
    }
    for open in ["(", "<", "\\(", "(x"] {
        let hostile = format!("{} <a@x.example>", open.repeat(FROM_BYTES_MAX / open.len() - 16));
        assert!(read(&hostile).is_err(), "{open}");
    }
    let long = format!("\"{}\" <a@x.example>", "x".repeat(FROM_BYTES_MAX));
    assert_eq!(read(&long), Err(AuthorError::TooLong));
}

#[test]
fn the_author_requires_exactly_one_from_field_in_a_flawless_header() {
    let many = format!("{}From: a@x.example\r\n\r\n", "X: y\r\n".repeat(2_000));
    let padded_name = format!("From{}: a@x.example\r\n\r\n", " ".repeat(201));
    let flaw = AuthorError::Header;
    for (raw, expected) in [
        ("From : a@x.example\r\n\r\n", Ok(())),
        ("FROM: a@x.example\n\n", Ok(())),
        ("X: y\r\n \r\nFrom: a@x.example\r\n\r\n", Ok(())),
        ("From me Sun\r\nFrom: a@x.example\r\n\r\n", Ok(())),
        ("Sender: a@x.example\r\n\r\n", Err(AuthorError::MissingFrom)),
        ("Resent-From: a@x.example\r\n\r\n", Err(AuthorError::MissingFrom)),
        ("To: b@x.example\r\n\r\nFrom: a@x.example\r\n", Err(AuthorError::MissingFrom)),
        (" From: a@x.example\r\n\r\n", Err(AuthorError::MissingFrom)),
        ("From\r\n : a@x.example\r\n\r\n", Err(AuthorError::MissingFrom)),
        ("From: a@x.example\r\nfrom : a@x.example\r\n\r\n", Err(AuthorError::RepeatedFrom)),
        ("From:\r\nFrom: a@x.example\r\n\r\n", Err(AuthorError::RepeatedFrom)),
        ("From: a@x.example\r\nno field\r\nFrom: b@x.example\r\n\r\n", Err(AuthorError::RepeatedFrom)),
        ("\r\nFrom: a@x.example\r\n\r\n", Err(flaw(HeaderFlaw::StartsEmpty))),
        ("\r\n\r\n\r\nFrom: a@x.example\r\n\r\n", Err(flaw(HeaderFlaw::StartsEmpty))),
        ("X: \0\r\nFrom: a@x.example\r\n\r\n", Err(flaw(HeaderFlaw::BareControl))),
        ("X: y\rFrom: b@x.example\r\nFrom: a@x.example\r\n\r\n", Err(flaw(HeaderFlaw::BareControl))),
        (&many, Err(flaw(HeaderFlaw::TooManyFields))),
        (&padded_name, Err(flaw(HeaderFlaw::NameTooLong))),
    ] {
        assert_eq!(author(raw.as_bytes()).map(|_| ()), expected, "{:?}", raw.get(..60).unwrap_or(raw));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_display_form_of_an_author_parses_to_the_same_address(value in "[a-c@.<>()\",;:\\\\ =?_é\r\n\t-]{0,40}") {
        if let Ok(first) = author(format!("From: {value}\r\n\r\n").as_bytes()) {
            let again = author(format!("From: {first}\r\n\r\n").as_bytes());
            prop_assert_eq!(again.map(|again| again.address().clone()), Ok(first.address().clone()));
        }
    }
}

#[test]
fn the_name_of_a_group_is_not_that_of_its_member() {
    for (value, shown) in [
        ("Group: a@x.example;", "a@x.example"),
        ("Group: <a@x.example>;", "a@x.example"),
        ("A group: Ann <a@x.example> ; ", "Ann <a@x.example>"),
        ("=?utf-8?q?Group?=: \"Ann B.\" <a@x.example>;", "Ann B. <a@x.example>"),
        (": <a@x.example>;", "a@x.example"),
        ("Acme: News <a@x.example>", "Acme: News <a@x.example>"),
        ("\"Acme: News\" <a@x.example>", "Acme: News <a@x.example>"),
        ("\"Acme: News;\" <a@x.example>", "Acme: News <a@x.example>"),
    ] {
        let read = author(format!("From: {value}\r\n\r\n").as_bytes()).map(|author| author.to_string());
        let read = read.map(|text| text.replace('"', ""));
        assert_eq!(read.as_deref(), Ok(shown), "{value}");
    }
}
