//! Recipients that nothing separates, and names without angle brackets: each mailbox is found, and nothing else is.

use super::*;

/// Returns the addresses and names of a `To` field.
fn read(value: &str) -> Vec<(String, Option<String>)> {
    let raw = format!("From: x@y.example\r\nTo: {value}\r\n\r\nHi\r\n");
    let mailboxes = parse(raw.as_bytes()).to.into_iter().filter_map(|entry| entry.mailbox);
    mailboxes.map(|mailbox| (mailbox.address().canonical(), mailbox.name().map(str::to_owned))).collect()
}

const NAMES: [&str; 8] =
    ["Ann Bee", "Dr. Ann Bee", "\"Bee, Ann\"", "Ann B. Bee", "Ann & Cy", "Jörg Müller", "田中", "Ann (Home)"];

#[test]
fn a_name_in_front_of_a_bare_address_is_its_name() {
    for name in NAMES {
        let shown = name.replace('"', "").replace(" (Home)", "");
        for (address, behind) in
            [("ann@x.example", ""), ("ann@x.example>", ""), ("[ann@x.example]", ", <cy@y.example>")]
        {
            let found = read(&format!("{name} {address}{behind}"));
            assert_eq!(found[0].0, "ann@x.example", "{name} {address}");
            let found_name = found[0].1.as_deref().unwrap_or_default().replace('"', "");
            assert_eq!(found_name.trim_end_matches(" (Home)"), shown, "{name} {address}");
            assert_eq!(found.len(), if behind.is_empty() { 1 } else { 2 });
        }
    }
}

#[test]
fn mailboxes_without_a_comma_between_them_are_two() {
    let firsts = ["Ann <a@x.example>", "<a@x.example>", "a@x.example", "\"Bee, Ann\" <a@x.example>", "Ann a@x.example"];
    let gaps = [" ", "  ", "\r\n ", "; ", ";", "，", "、 ", ", , "];
    let seconds = ["Ben <b@y.example>", "<b@y.example>", "b@y.example", "\"Ben\" <b@y.example>"];
    for first in firsts {
        for gap in gaps {
            for second in seconds {
                // There, the second one is in brackets and the first one may belong to its name.
                if !first.contains('<') && second.contains('<') && gap.trim().is_empty() {
                    continue;
                }
                let value = format!("{first}{gap}{second}");
                let found: Vec<String> = read(&value).into_iter().map(|(address, _)| address).collect();
                assert_eq!(found, ["a@x.example", "b@y.example"], "{value}");
            }
        }
    }
    assert_eq!(read("Ann <a@x.example>Ben <b@y.example>").len(), 2);
    assert_eq!(read("a@x.example b@y.example c@z.example").len(), 3);
}

#[test]
fn what_is_complete_stays_as_it_was() {
    let one = |value: &str| {
        let found = read(value);
        assert_eq!(found.len(), 1, "{value}: {found:?}");
        found.into_iter().next().map(|(address, name)| (address, name.unwrap_or_default())).expect("one mailbox")
    };
    let pair = |address: &str, name: &str| (address.to_owned(), name.to_owned());
    assert_eq!(one("ann@x.example (Ann Bee)"), pair("ann@x.example", "Ann Bee"));
    assert_eq!(one("\"ann@x.example\" <ann@x.example>").0, "ann@x.example");
    assert_eq!(one("ann@x.example <ann@x.example>"), pair("ann@x.example", ""));
    assert_eq!(one("Ann @ Work <ann@x.example>").0, "ann@x.example");
    assert_eq!(one("Bee, Ann <ann@x.example>"), pair("ann@x.example", "Bee, Ann"));
    assert_eq!(one("\"a b\"@x.example").0, "\"a b\"@x.example");
    assert_eq!(one("ann@x.example Ann Bee"), pair("ann@x.example", "Ann Bee"));
    assert_eq!(read("Team: a@x.example, Ben <b@y.example>;").len(), 2);
    for nobody in [
        "Ann Bee",
        "=?utf-8?q?Ann_=3Ca=40x=2Eexample=3E?=",
        "Ann <>",
        "undisclosed-recipients:;",
        "a@x.example/b@y.example",
    ] {
        assert!(read(nobody).is_empty(), "{nobody}: {:?}", read(nobody));
    }
}

#[test]
fn an_author_is_never_read_so() {
    for value in ["Ann <a@x.example> Ben <b@y.example>", "a@x.example b@y.example", "a@x.example，b@y.example"] {
        let raw = format!("From: {value}\r\nSender: {value}\r\n\r\nHi\r\n");
        let parsed = parse(raw.as_bytes());
        assert!(parsed.author.is_err(), "{value}");
        assert!(parsed.sender.is_none_or(|entry| entry.mailbox.is_none()), "{value}");
    }
}
