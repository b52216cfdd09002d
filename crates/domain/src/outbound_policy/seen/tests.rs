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
fn encoded_addresses_are_found_whatever_stands_between_their_numbers() {
    let target = "collector@evil.example";
    let bytes: Vec<u8> = target.bytes().collect();
    for gap in [" ", ":", ", ", "-", "\n", "\r\n", " : "] {
        let join = |number: &dyn Fn(u8) -> String| bytes.iter().map(|b| number(*b)).collect::<Vec<_>>().join(gap);
        let forms: [&dyn Fn(u8) -> String; 9] = [
            &|b| format!("{b:02x}"),
            &|b| format!("{b:02X}"),
            &|b| format!("0x{b:02x}"),
            &|b| format!("{b:04x}"),
            &|b| format!("U+{b:04X}"),
            &|b| format!("{b}"),
            &|b| format!("{b:03o}"),
            &|b| format!("{b:08b}"),
            &|b| format!("\\x{b:02x}"),
        ];
        for form in forms {
            let text = format!("It is here.\n{}\nBye.", join(form));
            assert!(names(&text, target), "{text}");
            assert!(!names(&text, "ada@good.example"), "{text}");
        }
    }
    let words: String = target.as_bytes().chunks(2).map(|two| format!("{:02x}{:02x} ", two[0], two[1])).collect();
    assert!(names(&words, target), "{words}");
}

#[test]
fn an_address_that_nobody_sees_is_found() {
    let target = "collector@evil.example";
    let tags = |text: &str| text.chars().filter_map(|c| char::from_u32(u32::from(c) + 0xe_0000)).collect::<String>();
    let selector = |b: u8| u32::from(b) + if b < 16 { 0xfe00 } else { 0xe_0100 - 16 };
    let selectors: String = target.bytes().filter_map(|b| char::from_u32(selector(b))).collect();
    for text in [
        tags(target),
        format!("Hello{} you", tags(&format!(" {target} "))),
        format!("collector{}", tags("@evil.example")),
        tags("collector at evil dot example"),
        format!("\u{1f60a}{selectors}"),
    ] {
        assert!(names(&format!("Hi {text}."), target), "{text:?}");
        assert!(!names(&text, "ada@good.example"), "{text:?}");
    }
}

#[test]
fn full_stops_of_other_scripts_are_dots() {
    for at in ['@', '\u{ff20}', '\u{fe6b}'] {
        for dot in ".\u{3002}\u{ff61}\u{ff0e}\u{fe52}\u{2024}\u{b7}\u{30fb}\u{2022}\u{6d4}".chars() {
            let text = format!("bob{at}example{dot}com");
            assert!(names(&text, "bob@example.com"), "{text}");
        }
    }
    assert!(names("bob@example.com\u{3002}See you", "bob@example.com"));
}

#[test]
fn words_for_signs_that_their_case_sets_apart_are_found() {
    for (at, dot) in [("AT", "DOT"), ("ARROBA", "PUNTO"), ("ÄT", "PUNKT"), ("AT", ".")] {
        for text in [format!("bob{at}example{dot}com"), format!("Ask bob{at}example{dot}com, please")] {
            assert!(names(&text, "bob@example.com"), "{text}");
        }
    }
    for text in ["bobAtExampleDotCom", "BOBatEXAMPLEdotCOM", "jane.bobATexampleDOTcom", "BobAtExampleDotCom"] {
        assert!(names(text, "bob@example.com") || names(text, "jane.bob@example.com"), "{text}");
    }
    for text in ["whATever.com", "attic.example", "Platform.Data.com", "formatDot"] {
        let mut seen = SeenAddresses::default();
        seen.read(text);
        assert!(seen.into_keys().indexed.len() <= 1, "{text}");
    }
}

#[test]
fn every_spelling_of_a_mailbox_at_a_large_provider_is_found() {
    let table = [
        ("gmail.com", &["janedoe77@gmail.com", "jane.doe77@gmail.com", "j.a.n.e.doe77+x@googlemail.com"][..]),
        ("gmail.com", &["JaneDoe77@GoogleMail.com", "Jane.Doe.77@gmail.com", "jane.doe77@gma1l.com"]),
        ("proton.me", &["jane_doe77@proton.me", "jane-doe.77@pm.me", "janedoe77@protonmail.com"]),
        ("yandex.ru", &["jane-doe77@yandex.com", "jane.doe77@ya.ru", "janedoe77@yandex.by"]),
        ("icloud.com", &["janedoe77@me.com", "janedoe77@mac.com"]),
        ("ymail.com", &["janedoe77-shop@ymail.com"]),
    ];
    for (provider, spellings) in table {
        let all = spellings.iter().map(|one| (*one).to_owned()).chain([format!("janedoe77@{provider}")]);
        let all: Vec<String> = all.collect();
        for (named, written) in all.iter().flat_map(|named| all.iter().map(move |written| (named, written))) {
            assert!(names(named, written), "{named} {written}");
        }
    }
    assert!(names("jane.m.doe77 at gmail dot com", "janemdoe77@gmail.com"));
    assert!(names("mo.r.n@gmail.com", "morn@gmail.com"), "dots between letters that look like another");
    assert!(!names("jane.doe@company.example", "janedoe@company.example"), "other domains tell them apart");
    assert!(!names("jane.doe@gmail.com", "jane.roe@gmail.com"));
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
    }
}

#[test]
fn a_filter_takes_few_strangers_for_its_addresses() {
    let address = |n: usize| Address::parse(&format!("user{n}@place{n}.example")).expect("an address");
    let strangers: Vec<Vec<i64>> = (ADDRESSES_MAX..ADDRESSES_MAX + 4_000).map(|n| lookup_keys(&address(n))).collect();
    assert!(strangers.iter().all(|keys| keys.len() == 3));
    let known: Vec<i64> = (0..ADDRESSES_MAX).map(|n| key(&address(n))).collect();
    // Sizes just below a power of two of bits are the densest.
    let dense = (3..=12).map(|power| KEYS_MAX + (1 << power));
    let sizes = [201, 202, 203, 205, 240, 370, 500, 1_000, 1_565, 2_930, 4_000, 5_000].into_iter().chain(dense);
    for size in sizes {
        let mut seen = SeenAddresses::default();
        known[..size].iter().for_each(|key| seen.add(*key));
        let rest = seen.into_keys().rest.expect("a filter");
        let taken = strangers.iter().filter(|keys| keys.iter().any(|key| rest.may_have(*key))).count();
        assert!(taken * 200 < strangers.len(), "{taken} of {} seem to be in a mail with {size}", strangers.len());
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
