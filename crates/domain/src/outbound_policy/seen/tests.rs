//! Every spelling of an address leads to it, and nothing else does.

use super::*;

fn names(text: &str, target: &str) -> bool {
    let mut seen = SeenAddresses::default();
    seen.read(text);
    let keys = seen.into_keys();
    lookup_keys(&Address::parse(target).expect("an address")).iter().any(|key| keys.indexed.contains(key))
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
    assert!(seen.into_keys().indexed.contains(&handle_key("@evil/collector")));
}

#[test]
fn ordinary_text_names_nobody() {
    for text in ["See you soon.", "50% off & more = fun", "a @ b", "C:\\users\\x", "<p>no</p>", "@home", ""] {
        let mut seen = SeenAddresses::default();
        seen.read(text);
        assert_eq!(seen.into_keys(), SeenKeys::default(), "{text}");
    }
}

#[test]
fn signs_in_any_language_are_found() {
    let ats =
        ["at", "ät", "AT", "klammeraffe", "arroba", "chiocciola", "snabel-a", "małpa", "zavináč", "собака", "vrs"];
    let dots = ["dot", "punkt", "PUNKT", "point", "punto", "kropka", "tečka", "точка", "prik", "xyz"];
    for (at, dot) in ats.iter().flat_map(|at| dots.iter().map(move |dot| (at, dot))) {
        for (open, close) in
            [("[", "]"), ("(", ")"), ("{", "}"), (" [", "] "), (" ( ", " ) "), (" <", "> "), ("«", "»")]
        {
            let text = format!("Schreib an bob{open}{at}{close}example{open}{dot}{close}com, bitte.");
            assert!(names(&text, "bob@example.com"), "{text}");
            assert!(!names(&text, "bob@example.org"), "{text}");
        }
    }
    for text in [
        "bob ät example punkt com",
        "bob -at- example -dot- com",
        "bob_at_example_dot_com",
        "bob*at*example*punkt*com",
        "bobアットexampleドットcom",
        "bob 小老鼠 example 点 com",
        "bob 골뱅이 example 점 com",
        "bob małpa example kropka com",
        "bob 'at' example 'dot' com",
        "bob (при) mail (тчк) example (тчк) com",
    ] {
        assert!(names(text, "bob@example.com") || names(text, "bob@mail.example.com"), "{text}");
    }
}

#[test]
fn an_address_beyond_the_index_is_still_known() {
    let address = |n: usize| Address::parse(&format!("user{n}@evil{n}.example")).expect("an address");
    for count in [201, 250, 1_000, 10_000] {
        let many: String = (0..count).map(|n| format!("{} ", address(n))).collect();
        let mut seen = SeenAddresses::default();
        seen.read(&many);
        let keys = seen.into_keys();
        assert_eq!(keys.indexed.len(), KEYS_MAX);
        let rest = keys.rest.expect("a filter");
        let is_known = |one: &Address| keys.indexed.contains(&key(one)) || rest.may_have(key(one));
        assert!((0..count).all(|n| is_known(&address(n))), "{count}");
        let others = (count..count + 2_000).filter(|n| is_known(&address(*n))).count();
        assert!(others < 100, "{others} of 2,000 other addresses seem to be in a mail with {count}");
    }
}

#[test]
fn a_mail_that_is_not_read_to_its_end_may_name_anybody() {
    let anybody = key(&Address::parse("ada@good.example").expect("an address"));
    let too_long = "ü".repeat(SEARCHED_BYTES_MAX / 2 + 1);
    let too_many: String = (0..=ADDRESSES_MAX).map(|n| format!("u{n}@e.example ")).collect();
    for text in [too_long, too_many] {
        let mut seen = SeenAddresses::default();
        seen.read(&text);
        assert!(seen.into_keys().rest.is_some_and(|rest| rest.may_have(anybody)));
    }
    let mut seen = SeenAddresses::default();
    seen.read(&"ü".repeat(SEARCHED_BYTES_MAX / 2));
    assert_eq!(seen.into_keys(), SeenKeys::default(), "all of it was read");
}
