//! Every spelling of an address leads to it, and nothing else does.

use super::*;

fn names(text: &str, target: &str) -> bool {
    let mut seen = SeenAddresses::default();
    seen.read(text);
    let keys = seen.into_keys();
    lookup_keys(&Address::parse(target).expect("an address")).iter().any(|key| keys.contains(key))
}

#[test]
fn spellings_of_an_address_are_found() {
    let table = [
        "Write to collector@evil.example now",
        "<a href=\"mailto:collector@evil.example?subject=x\">ask</a>",
        "<a href='mailto:x?to=collector@evil.example'>",
        "COLLECTOR@Evil.Example",
        "collector+in@evil.example",
        "collector&#64;evil&#46;example",
        "collector&#x40;evil.example",
        "collector&commat;evil&period;example",
        "mailto:collector%40evil.example",
        "{\"to\": \"collector\\u0040evil.example\"}",
        "collector=40evil.example",
        "collector at evil dot example",
        "collector [at] evil [dot] example",
        "collector(at)evil(dot)example",
        "collector -at- evil.example",
        "collector AT evil DOT example",
        "collector @ evil . example",
        "c o l l e c t o r @ e v i l . e x a m p l e",
        "coll\u{200b}ector@ev\u{ad}il.example",
        "collector\u{ff20}evil\u{ff0e}example",
        "coll<!-- x -->ector@<b>evil</b>.example",
        "Y29sbGVjdG9yQGV2aWwuZXhhbXBsZQ==",
        "636f6c6c6563746f72406576696c2e6578616d706c65",
        "pbyyrpgbe@rivy.rknzcyr",
        "elpmaxe.live@rotcelloc",
        "c0llect0r@ev1l.example",
        "\u{441}ollector@evil.example",
        "\"collector\"@evil.example",
        "collector@\r\n evil.example",
        "Bob <collector@evil.example>",
        "X-Next: (collector@evil.example)",
        "collector@evil.example.txt",
        "collector@evil.example.Then",
        "collector arroba evil punto example",
    ];
    for text in table {
        assert!(names(text, "collector@evil.example"), "{text}");
        assert!(!names(text, "ada@good.example"), "{text}");
    }
    assert!(names("collector@evil.example", "collector+tag@evil.example"));
}

#[test]
fn a_handle_is_found() {
    let mut seen = SeenAddresses::default();
    seen.read("ask @evil/collector. Or not.");
    assert!(seen.into_keys().contains(&handle_key("@evil/collector")));
}

#[test]
fn ordinary_text_names_nobody() {
    for text in ["See you soon.", "50% off & more = fun", "a @ b", "C:\\users\\x", "<p>no</p>", "@home", ""] {
        let mut seen = SeenAddresses::default();
        seen.read(text);
        assert!(seen.into_keys().is_empty(), "{text}");
    }
}

#[test]
fn the_index_of_one_mail_is_limited() {
    let many: String = (0..10_000).map(|n| format!("user{n}@evil.example ")).collect();
    let mut seen = SeenAddresses::default();
    seen.read(&many);
    assert_eq!(seen.into_keys().len(), KEYS_MAX);
    let mut seen = SeenAddresses::default();
    for _ in 0..3 {
        seen.read(&"ü".repeat(SEARCHED_BYTES_MAX / 2));
    }
    assert!(seen.into_keys().is_empty());
}
