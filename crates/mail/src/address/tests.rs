//! Table tests and property tests of addresses and mailboxes.
#![allow(clippy::unwrap_used)]

use std::collections::HashSet;

use proptest::prelude::*;

use super::*;

fn address(text: &str) -> Address {
    Address::parse(text).unwrap_or_else(|error| panic!("{text:?}: {error}"))
}

/// Examples from RFC 5321, RFC 5322, RFC 3696 (with its errata) and RFC 6531: input, canonical form, display form.
#[test]
fn valid_addresses_are_parsed() {
    for (text, canonical, display) in [
        ("a@b", "a@b", "a@b"),
        ("Jones@Example.COM", "jones@example.com", "Jones@example.com"),
        ("user+mailbox@example.com", "user+mailbox@example.com", "user+mailbox@example.com"),
        (
            "customer/department=shipping@example.com",
            "customer/department=shipping@example.com",
            "customer/department=shipping@example.com",
        ),
        ("$A12345@example.com", "$a12345@example.com", "$A12345@example.com"),
        ("!def!xyz%abc@example.com", "!def!xyz%abc@example.com", "!def!xyz%abc@example.com"),
        ("_somename@example.com", "_somename@example.com", "_somename@example.com"),
        ("o'brien@example.ie", "o'brien@example.ie", "o'brien@example.ie"),
        (r#""Abc@def"@example.com"#, r#""abc@def"@example.com"#, r#""Abc@def"@example.com"#),
        (r#""Fred Bloggs"@example.com"#, r#""fred bloggs"@example.com"#, r#""Fred Bloggs"@example.com"#),
        (r#""Joe.\\Blow"@example.com"#, r#""joe.\\blow"@example.com"#, r#""Joe.\\Blow"@example.com"#),
        (r#""a\"b"@example.com"#, r#""a\"b"@example.com"#, r#""a\"b"@example.com"#),
        (r#""..dots.."@example.com"#, r#""..dots.."@example.com"#, r#""..dots.."@example.com"#),
        (r#""plain"@example.com"#, "plain@example.com", "plain@example.com"),
        (r#""pl\ain"@example.com"#, "plain@example.com", "plain@example.com"),
        ("x@xn--bcher-kva.example", "x@xn--bcher-kva.example", "x@xn--bcher-kva.example"),
        ("x@Bücher.example", "x@xn--bcher-kva.example", "x@bücher.example"),
        ("用户@例子.广告", "用户@xn--fsqu00a.xn--4rr70v", "用户@例子.广告"),
        ("Dörte@Sörensen.example", "dörte@xn--srensen-90a.example", "Dörte@sörensen.example"),
        ("коля@пример.рф", "коля@xn--e1afmkfd.xn--p1ai", "коля@пример.рф"),
        ("Jo\u{308}rg@example.com", "jörg@example.com", "Jo\u{308}rg@example.com"),
        ("J\u{30c}@example.com", "\u{1f0}@example.com", "J\u{30c}@example.com"),
        ("\u{212b}@example.com", "å@example.com", "\u{212b}@example.com"),
        ("\"a<\u{338}b\"@example.com", "a\u{226e}b@example.com", "\"a<\u{338}b\"@example.com"),
        ("x@ideographic。example", "x@ideographic.example", "x@ideographic.example"),
        ("x@r3---sn.example", "x@r3---sn.example", "x@r3---sn.example"),
        ("x@3com.example", "x@3com.example", "x@3com.example"),
        ("agent@agents.localhost", "agent@agents.localhost", "agent@agents.localhost"),
    ] {
        let read = address(text);
        assert_eq!((read.canonical().as_str(), read.to_string().as_str()), (canonical, display), "{text:?}");
    }
}

#[test]
fn invalid_addresses_are_rejected_with_the_reason() {
    let label_64 = format!("x@{}.example", "a".repeat(64));
    let local_65 = format!("{}@example.com", "a".repeat(65));
    let domain_256 = format!("x@{}", "a.".repeat(127) + "aa");
    let long = format!("x@{}", "a.".repeat(200));
    for (text, error) in [
        ("", AddressError::Empty),
        ("plain", AddressError::MissingAt),
        ("@example.com", AddressError::EmptyLocal),
        (r#"""@example.com"#, AddressError::EmptyLocal),
        ("x@", AddressError::EmptyDomain),
        ("a@b@example.com", AddressError::SecondAt),
        ("abc\\@def@example.com", AddressError::SecondAt),
        ("Joe Blow@example.com", AddressError::Space),
        (" x@example.com", AddressError::Space),
        ("x@example.com ", AddressError::Space),
        ("x@exa mple.com", AddressError::Space),
        ("x\u{a0}y@example.com", AddressError::Space),
        ("x@example\u{3000}.com", AddressError::Space),
        (".x@example.com", AddressError::Dots),
        ("x.@example.com", AddressError::Dots),
        ("x..y@example.com", AddressError::Dots),
        ("a(b)@example.com", AddressError::LocalCharacter('(')),
        ("a,b@example.com", AddressError::LocalCharacter(',')),
        ("a<b@example.com", AddressError::LocalCharacter('<')),
        ("a\"b@example.com", AddressError::Quotes),
        ("\"a@example.com", AddressError::Quotes),
        ("\"a\"b@example.com", AddressError::Quotes),
        ("\"a\\\"@example.com", AddressError::Quotes),
        ("x@-a.example", AddressError::Domain),
        ("x@a-.example", AddressError::Domain),
        ("x@a..example", AddressError::Domain),
        ("x@.example", AddressError::Domain),
        ("x@example.", AddressError::Domain),
        ("x@exa_mple.com", AddressError::Domain),
        ("x@exa/mple.com", AddressError::Domain),
        ("x@example.com>", AddressError::Domain),
        (&label_64, AddressError::Domain),
        ("x@127.0.0.1", AddressError::DomainNumeric),
        ("x@example.123", AddressError::DomainNumeric),
        ("x@[127.0.0.1]", AddressError::Literal),
        ("x@xn--a.example", AddressError::DomainIdn),
        ("x@xn--zzzzzzz---.example", AddressError::DomainIdn),
        ("x@\u{301}bad.example", AddressError::DomainIdn),
        ("x@a＠b.example", AddressError::DomainIdn),
        ("x@a\u{2024}\u{2024}b.example", AddressError::DomainIdn),
        ("x@exa\u{200b}mple.com", AddressError::InvisibleCharacter),
        ("x\u{202e}y@example.com", AddressError::InvisibleCharacter),
        ("x@exa\u{ad}mple.com", AddressError::InvisibleCharacter),
        (&local_65, AddressError::LocalTooLong { bytes_max: 64 }),
        (&domain_256, AddressError::DomainTooLong { bytes_max: 255 }),
        (&long, AddressError::TooLong { bytes_max: 320 }),
    ] {
        assert_eq!(Address::parse(text).map(|read| read.to_string()), Err(error), "{text:?}");
    }
}

/// Tests CR, LF, NUL and other control characters at every position of an address and of a mailbox, quoted and
/// unquoted.
#[test]
fn control_characters_are_rejected_at_every_position() {
    for control in ["\r\n", "\n", "\r", "\0", "\t", "\u{7f}", "\u{85}", "\u{1b}"] {
        for template in [
            "?x@example.com",
            "x?@example.com",
            "x@?example.com",
            "x@example.com?",
            "\"x?y\"@example.com",
            "\"x\\?y\"@example.com",
        ] {
            let text = template.replace('?', control);
            assert_eq!(Address::parse(&text), Err(AddressError::ControlCharacter), "{text:?}");
            let text = format!("Name <{text}>");
            assert_eq!(Mailbox::parse(&text), Err(AddressError::ControlCharacter), "{text:?}");
        }
        let text = format!("Name{control}Bcc: v@example.com <x@example.com>");
        assert_eq!(Mailbox::parse(&text), Err(AddressError::ControlCharacter), "{text:?}");
        let text = format!("\"Name{control}Bcc: v@example.com\" <x@example.com>");
        assert_eq!(Mailbox::parse(&text), Err(AddressError::ControlCharacter), "{text:?}");
        assert_eq!(Mailbox::new(Some(&format!("a{control}b")), address("a@b")), Err(AddressError::ControlCharacter));
    }
}

#[test]
fn equality_and_hash_follow_the_canonical_form() {
    let all: HashSet<Address> =
        ["A@Bücher.example", "a@xn--BCHER-kva.example", "\"a\"@BÜCHER.example"].into_iter().map(address).collect();
    assert_eq!(all.len(), 1);
    assert_ne!(address("a@example.com"), address("b@example.com"));
    assert!(address("a@example.com") < address("B@example.com"));
}

#[test]
fn kelvin_sign_is_not_the_letter_k() {
    assert_ne!(address("ban\u{212a}@example.com"), address("bank@example.com"));
    assert!(!address("ban\u{212a}@example.com").is_ascii());
    assert!(!address("ban\u{212a}@example.com").canonical().is_ascii());
}

/// Canonically equivalent spellings: precomposed, decomposed, marks in another order, and Hangul syllables.
#[test]
fn two_spellings_of_one_local_part_are_one_address() {
    for (one, other) in [
        ("jörg", "jo\u{308}rg"),
        ("JÖRG", "jo\u{308}rg"),
        ("q\u{307}\u{323}", "q\u{323}\u{307}"),
        ("\u{1e69}", "s\u{323}\u{307}"),
        ("\u{d55c}\u{ae00}", "\u{1112}\u{1161}\u{11ab}\u{1100}\u{1173}\u{11af}"),
        ("\u{958}", "\u{915}\u{93c}"),
        ("jörg+tag", "jo\u{308}rg+tag"),
    ] {
        let (one, other) = (address(&format!("{one}@example.com")), address(&format!("{other}@example.com")));
        assert_eq!(one, other);
        assert_eq!((one.canonical(), one.canonical_local()), (other.canonical(), other.canonical_local()));
        assert_eq!(one.without_tag(), other.without_tag());
    }
}

#[test]
fn tags_are_cut_at_the_first_plus() {
    for (text, tag, without) in [
        ("name+tag@example.com", Some("tag"), "name@example.com"),
        ("name+a+b@example.com", Some("a+b"), "name@example.com"),
        ("name+@example.com", Some(""), "name@example.com"),
        ("name@example.com", None, "name@example.com"),
        ("+tag@example.com", None, "+tag@example.com"),
        ("name.+tag@example.com", None, "name.+tag@example.com"),
        ("\"na me+tag\"@example.com", None, "\"na me+tag\"@example.com"),
        ("ИМЯ+тег@пример.рф", Some("тег"), "ИМЯ@пример.рф"),
    ] {
        let read = address(text);
        assert_eq!((read.tag(), read.without_tag().to_string().as_str()), (tag, without), "{text:?}");
    }
}

#[test]
fn address_literals_are_accepted_in_smtp_only() {
    for (text, canonical) in [
        ("Postmaster@[192.0.2.1]", "postmaster@[192.0.2.1]"),
        ("x@[IPv6:2001:DB8:0::1]", "x@[IPv6:2001:db8::1]"),
        ("x@[ipv6:::1]", "x@[IPv6:::1]"),
    ] {
        let read = Address::parse_smtp(text).unwrap();
        assert_eq!((read.canonical().as_str(), read.is_literal()), (canonical, true), "{text:?}");
        assert_eq!(Address::parse_smtp(&read.to_string()), Ok(read));
    }
    for text in ["x@[192.0.2]", "x@[192.0.2.1", "x@[::1]", "x@[IPv6:1]", "x@[]", "x@[X25:1]", "x@[IPv6:fe80::1%eth0]"] {
        assert_eq!(Address::parse_smtp(text), Err(AddressError::Literal), "{text:?}");
    }
    assert!(Address::parse_smtp("x@example.com").is_ok());
}

#[test]
fn smtp_addresses_accept_domains_with_underscores() {
    for (text, canonical) in [("x@Em_1.Example.com", "x@em_1.example.com"), ("x@_a.example", "x@_a.example")] {
        assert_eq!(Address::parse_smtp(text).unwrap().canonical(), canonical);
        assert_eq!(Address::parse(text), Err(AddressError::Domain), "{text:?}");
    }
    for text in ["x@a_..example", "x@-_.example", "x@a_b.example.", "x@_", "x@a_b.1"] {
        let plain = Address::parse(&text.replace('_', "u")).is_ok();
        assert_eq!(Address::parse_smtp(text).is_ok(), plain, "{text:?}");
    }
}

#[test]
fn mailboxes_are_parsed_and_displayed() {
    for (text, name, display) in [
        ("a@b", None, "a@b"),
        ("<a@b>", None, "a@b"),
        ("  <a@b>  ", None, "a@b"),
        ("\"\" <a@b>", None, "a@b"),
        ("Name <a@b>", Some("Name"), "Name <a@b>"),
        ("Name<a@b>", Some("Name"), "Name <a@b>"),
        ("  Two   Words  <a@b>", Some("Two Words"), "Two Words <a@b>"),
        ("\"Q, N\" <a@b>", Some("Q, N"), "\"Q, N\" <a@b>"),
        ("\"two  spaces\" <a@b>", Some("two  spaces"), "\"two  spaces\" <a@b>"),
        ("Dr. Q (sales): x; y@z <a@b>", Some("Dr. Q (sales): x; y@z"), "\"Dr. Q (sales): x; y@z\" <a@b>"),
        ("Bob \"Bobby, Jr\" Smith <a@b>", Some("Bob Bobby, Jr Smith"), "\"Bob Bobby, Jr Smith\" <a@b>"),
        (r#""a \"b\" \\c" <a@b>"#, Some(r#"a "b" \c"#), r#""a \"b\" \\c" <a@b>"#),
        ("\"<x@y>\" <a@b>", Some("<x@y>"), "\"<x@y>\" <a@b>"),
        ("Жанна д'Арк <a@b>", Some("Жанна д'Арк"), "Жанна д'Арк <a@b>"),
        ("=?utf-8?q?x?= <a@b>", Some("=?utf-8?q?x?="), "\"=?utf-8?q?x?=\" <a@b>"),
        ("N <\"a > b\"@example.com>", Some("N"), "N <\"a > b\"@example.com>"),
        ("👩‍💻 Dev <a@b>", Some("👩‍💻 Dev"), "👩‍💻 Dev <a@b>"),
    ] {
        let read = Mailbox::parse(text).unwrap_or_else(|error| panic!("{text:?}: {error}"));
        assert_eq!((read.name(), read.to_string().as_str()), (name, display), "{text:?}");
        assert_eq!(Mailbox::parse(display), Ok(read), "{text:?}");
    }
}

#[test]
fn invalid_mailboxes_are_rejected_with_the_reason() {
    let long = format!("{} <a@b>", "n".repeat(NAME_BYTES_MAX + 1));
    for (text, error) in [
        ("", AddressError::Empty),
        ("Name <>", AddressError::Empty),
        ("Name <a@b", AddressError::Brackets),
        ("Name <a@b> tail", AddressError::Brackets),
        ("Na>me <a@b>", AddressError::Brackets),
        ("Name a@b>", AddressError::Space),
        ("Name <<a@b>>", AddressError::LocalCharacter('<')),
        ("Name <a@b> <c@d>", AddressError::SecondAt),
        ("Doe, Jane <a@b>", AddressError::Comma),
        ("a@b, c@d", AddressError::SecondAt),
        ("\"Name <a@b>", AddressError::Quotes),
        ("5\" disk <a@b>", AddressError::Quotes),
        (&long, AddressError::NameTooLong { bytes_max: NAME_BYTES_MAX }),
    ] {
        assert_eq!(Mailbox::parse(text).map(|read| read.to_string()), Err(error), "{text:?}");
    }
}

#[test]
fn mailbox_lists_are_split_at_commas_outside_quotes() {
    let texts =
        |list: &str| Mailbox::parse_list(list, 3).map(|all| all.iter().map(ToString::to_string).collect::<Vec<_>>());
    assert_eq!(texts(""), Ok(vec![]));
    assert_eq!(texts(" , ,"), Ok(vec![]));
    assert_eq!(
        texts("a@b, \"Q, N\" <c@d> ,,\"e,f\"@g"),
        Ok(vec!["a@b".into(), "\"Q, N\" <c@d>".into(), "\"e,f\"@g".into()])
    );
    assert_eq!(texts("a@b,c@d,e@f,g@h"), Err(AddressError::TooMany { count_max: 3 }));
    assert_eq!(texts("a@b,\"c@d"), Err(AddressError::Quotes));
    assert_eq!(texts("a@b,c d"), Err(AddressError::MissingAt));
}

#[test]
fn names_from_received_mail_are_cleaned() {
    let long = "é".repeat(NAME_BYTES_MAX);
    for (name, kept) in [
        (Some("a\r\n b\tc\0"), Some("a b c".to_owned())),
        (Some(" \r\n "), None),
        (None, None),
        (Some(long.as_str()), Some("é".repeat(NAME_BYTES_MAX / 2))),
    ] {
        let mailbox = Mailbox::cleaned(name, address("a@b"));
        assert_eq!(mailbox.name(), kept.as_deref());
        assert_eq!(Mailbox::parse(&mailbox.to_string()), Ok(mailbox));
    }
}

fn local_text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-zA-Z0-9!#$%&'*+/=?^_`{|}~-]{1,20}(\\.[a-z+]{1,8}){0,3}",
        "\"([ -!#-\\[\\]-~]|\\\\[ -~]){1,20}\"",
        "[a-zà-ÿΑ-Ωא-ת一-九]{1,8}",
    ]
}

fn domain_text() -> impl Strategy<Value = String> {
    prop_oneof!["([a-zA-Z0-9]{1,9}\\.){0,3}[a-zA-Z]{2,9}", "[a-zà-öα-ω一-九]{1,9}\\.[a-z]{2,5}"]
}

proptest! {
    #[test]
    fn parsing_never_panics_and_parsed_addresses_are_clean(text in any::<String>(), tail in "(?s).{0,40}") {
        for text in [text.clone(), format!("{text}@{tail}"), format!("a@{tail}"), format!("{text} <a@{tail}>")] {
            for read in [Address::parse(&text), Address::parse_smtp(&text)].into_iter().flatten() {
                let shown = read.to_string();
                prop_assert!(!shown.chars().any(char::is_control));
                prop_assert!(shown.len() <= ADDRESS_BYTES_MAX);
                prop_assert_eq!(Address::parse_smtp(&shown), Ok(read.clone()));
                prop_assert_eq!(Address::parse_smtp(&read.canonical()), Ok(read.clone()));
            }
            if let Ok(read) = Mailbox::parse(&text) {
                prop_assert_eq!(Mailbox::parse(&read.to_string()), Ok(read));
            }
            let _ = Mailbox::parse_list(&text, 5);
        }
    }

    #[test]
    fn displayed_addresses_parse_to_the_same_address(local in local_text(), domain in domain_text()) {
        if let Ok(read) = Address::parse(&format!("{local}@{domain}")) {
            for again in [read.to_string(), read.canonical(), read.smtp_form()] {
                prop_assert_eq!(Address::parse(&again), Ok(read.clone()), "{}", again);
            }
            prop_assert_eq!(Address::parse(&read.to_string()).map(|read| read.to_string()), Ok(read.to_string()));
            let without = read.without_tag();
            prop_assert_eq!(without.tag(), None);
        } else {
            prop_assert!(local.starts_with('"') || !domain.is_ascii(), "{}@{}", local, domain);
        }
    }

    #[test]
    fn displayed_mailboxes_and_lists_parse_to_the_same_mailboxes(names in prop::collection::vec(prop::option::of("\\PC{0,30}"), 0..5), local in local_text()) {
        let Ok(address) = Address::parse(&format!("{local}@example.com")) else { return Ok(()) };
        let all: Vec<Mailbox> = names.iter().map(|name| Mailbox::cleaned(name.as_deref(), address.clone())).collect();
        let list = all.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        prop_assert_eq!(Mailbox::parse_list(&list, 5), Ok(all));
    }
}
