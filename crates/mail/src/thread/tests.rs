//! Tests of subjects and message IDs.

use proptest::prelude::*;

use super::*;

#[test]
fn subject_prefixes_of_many_languages_are_removed() {
    let table: &[(&str, &str, bool)] = &[
        ("Hello  World", "hello world", false),
        ("Re: Hello", "hello", true),
        ("RE:RE: FW: Hello", "hello", true),
        ("Re[4]: Hello", "hello", true),
        ("Re(2) : Hello", "hello", true),
        ("Re^3: Hello", "hello", true),
        ("AW: WG: Angebot", "angebot", true),
        ("SV: Hej", "hej", true),
        ("Antw: vraag", "vraag", true),
        ("RV: hola", "hola", true),
        ("TR : bonjour", "bonjour", true),
        ("Odp: pytanie", "pytanie", true),
        ("回复：你好", "你好", true),
        ("转发: 你好", "你好", true),
        ("返信: 件名", "件名", true),
        ("Ответ: привет", "привет", true),
        ("[dev] Re: [dev] Release", "release", true),
        ("Re: [dev] Release", "release", true),
        ("[dev] Release", "release", false),
        ("Regarding: your order", "regarding: your order", false),
        ("Rent: due", "rent: due", false),
        ("Release 2: notes", "release 2: notes", false),
        ("[urgent]", "[urgent]", false),
        ("Re:", "", true),
        ("", "", false),
        ("STRASSE: ÄÖÜ", "strasse: äöü", false),
    ];
    for &(subject, normalized, is_reply) in table {
        assert_eq!(normalised_subject(subject), normalized, "{subject}");
        assert_eq!(is_reply_or_forward(subject), is_reply, "{subject}");
    }
}

#[test]
fn replies_and_forwards_have_a_single_prefix() {
    assert_eq!(reply_subject("Hello"), "Re: Hello");
    assert_eq!(reply_subject("RE: AW: Hello"), "Re: Hello");
    assert_eq!(reply_subject("Fwd: Hello"), "Re: Fwd: Hello");
    assert_eq!(reply_subject(""), "Re: ");
    assert_eq!(forward_subject("Hello"), "Fwd: Hello");
    assert_eq!(forward_subject("FW: WG: Hello"), "Fwd: Hello");
    assert_eq!(forward_subject("Re: Hello"), "Fwd: Re: Hello");
}

#[test]
fn every_prefix_is_recognized_and_has_one_meaning() {
    for prefix in REPLY_PREFIXES.iter() {
        assert_eq!(reply_subject(&format!("{prefix}: Hello")), "Re: Hello", "{prefix}");
        assert!(!FORWARD_PREFIXES.contains(prefix), "{prefix} is both a reply and a forward");
    }
    for prefix in FORWARD_PREFIXES.iter() {
        assert_eq!(forward_subject(&format!("{prefix}: Hello")), "Fwd: Hello", "{prefix}");
        assert_eq!(reply_subject(&format!("{prefix}: Hello")), format!("Re: {prefix}: Hello"));
    }
    // Swedish (vidarebefordrat), and Danish and Norwegian (videresendt); Finnish uses VS for replies.
    assert_eq!(reply_subject("VB: Faktura"), "Re: VB: Faktura");
    assert_eq!(forward_subject("VS: Faktura"), "Fwd: Faktura");
}

#[test]
fn message_ids_are_parsed_with_and_without_brackets() {
    let ids = |value: &str| message_ids(value).join(" ");
    assert_eq!(ids("<a@x> <b@y>\t(comment)<c@z>"), "<a@x> <b@y> <c@z>");
    assert_eq!(ids("a@x, b@y"), "<a@x> <b@y>");
    assert_eq!(ids("<a@x<b@y>"), "<a@x> <b@y>");
    assert_eq!(ids("<fold ed@x>"), "<folded@x>");
    assert_eq!(ids("Your message of Monday"), "");
    assert_eq!(ids("<>"), "");
    assert_eq!(normalised_message_id(" a@x "), Some("<a@x>".to_owned()));
    assert_eq!(normalised_message_id(&"a".repeat(2_000)), None);
    assert_eq!(new_message_id("0190", "x.example"), "<0190@x.example>");
}

#[test]
fn quoted_message_ids_keep_their_white_space() {
    let table: &[(&str, &[&str])] = &[
        ("<\"weird q\"@x.test>", &["<\"weird q\"@x.test>"]),
        (
            "<a@x> <\"two  blanks\tand \\\" more\"@x.test>\t<b@x>",
            &["<a@x>", "<\"two  blanks\tand \\\" more\"@x.test>", "<b@x>"],
        ),
        ("< \"weird q\"@x. test >", &["<\"weird q\"@x.test>"]),
        ("<fold ed\"x y\"@x>", &["<folded\"xy\"@x>"]),
        ("<\"open q@x>", &["<\"openq@x>"]),
    ];
    for (value, ids) in table {
        assert_eq!(message_ids(value), *ids, "{value}");
    }
    let parent = "<\"weird q\"@x.test>";
    assert_eq!(answer(&["<a@x>".to_owned()], parent), ["<a@x>", parent]);
}

#[test]
fn a_long_chain_keeps_its_first_and_newest_ids() {
    let chain: Vec<String> = (0..150).map(|number| format!("<{number}@x>")).collect();
    let references = answer(&chain, "<parent@x>");
    assert_eq!(references.len(), CHAIN_IDS_MAX);
    assert_eq!(references.first().map(String::as_str), Some("<0@x>"));
    assert_eq!(references.last().map(String::as_str), Some("<parent@x>"));
    assert_eq!(answer(&["<a@x>".to_owned()], "<a@x>"), ["<a@x>"]);
    assert_eq!(answer(&[], "p@x"), ["<p@x>"]);
}

/// Returns the References of an answer to a message that answers no other.
fn answer(references: &[String], message_id: &str) -> Vec<String> {
    reply_references(&ThreadParent { references, in_reply_to: None, message_id })
}

#[test]
fn an_answer_to_a_message_without_references_names_what_that_one_answers() {
    let mut variants = 0;
    for grandparent in ["<g@x>", "g@x", " <g@x> ", "<\"a b\"@x>", "<1.2.3@mail.x.example>"] {
        for parent in ["<p@x>", "p@x", "<q@y.example>", "<g2@x>"] {
            let named = |references: &[String]| {
                reply_references(&ThreadParent { references, in_reply_to: Some(grandparent), message_id: parent })
            };
            let (first, second) = (normalised_message_id(grandparent).unwrap(), normalised_message_id(parent).unwrap());
            assert_eq!(named(&[]), [first.as_str(), second.as_str()]);
            assert_eq!(named(&["<r@x>".to_owned()]), ["<r@x>", second.as_str()]);
            variants += 1;
        }
    }
    assert!(variants >= 20);
    let own = ThreadParent { references: &[], in_reply_to: Some("<p@x>"), message_id: "<p@x>" };
    assert_eq!(reply_references(&own), ["<p@x>"]);
}

proptest! {
    #[test]
    fn replies_and_forwards_keep_the_normalized_subject(subject in "[\\PC]{0,60}") {
        let normalized = normalised_subject(&subject);
        prop_assert_eq!(normalised_subject(&reply_subject(&subject)), normalized.clone());
        prop_assert_eq!(normalised_subject(&forward_subject(&subject)), normalized);
        prop_assert!(is_reply_or_forward(&reply_subject(&subject)));
    }
}

#[test]
fn prefixes_of_many_languages_are_removed() {
    let mut variants = 0;
    for prefix in [
        "İLT:",
        "Atb:",
        "السابق:",
        "Odg:",
        "YNT:",
        "İlt:",
        "Ynt:",
        "AW:",
        "Antw:",
        "SV:",
        "VS:",
        "RES:",
        "RIF:",
        "ODP:",
        "Отв:",
        "回复：",
        "返信:",
        "답장:",
        "Vá:",
        "Σχετ:",
        "Ats:",
        "Rép :",
        "Відповідь:",
        "Svarat:",
        "Ant:",
        "Yml:",
        "Pārs:",
        "Persiųsta:",
        "Ответ:",
        "Odpověď:",
        "Yanıt:",
        "TL:",
        "Одг:",
        "\u{200f}رد:",
        "\u{202b}تمرير\u{202c}:",
        "उत्तर:",
    ] {
        for count in ["", "[2]", "(3)"] {
            let prefix = prefix.replace(':', &format!("{count}:"));
            for subject in [
                format!("{prefix} Hello World"),
                format!("Re: {prefix} Hello World"),
                format!("{prefix} RE: hello  world"),
            ] {
                assert_eq!(normalised_subject(&subject), "hello world", "{subject}");
                assert!(is_reply_or_forward(&subject), "{subject}");
            }
            variants += 1;
        }
    }
    assert!(variants >= 20);
    for subject in ["Item: chairs", "Atlas: maps", "Anton: hello", "Note: read this"] {
        assert!(!is_reply_or_forward(subject), "{subject}");
    }
}

#[test]
fn a_dot_after_a_prefix_belongs_to_it() {
    for prefix in ["Antw.", "AW.", "Aw.", "Re.", "SV.", "Fwd.", "FW.", "WG."] {
        for subject in ["Offer", "[dev] Offer", "Re: Offer"] {
            let core = normalised_subject(subject);
            let core = core.trim_start_matches("[dev] ");
            assert_eq!(normalised_subject(&format!("{prefix}: {subject}")), core, "{prefix}: {subject}");
        }
    }
    // Other abbreviations are part of the subject.
    for subject in ["Ref.: 4711", "No.: 12", "Inv.: Acme"] {
        assert_eq!(normalised_subject(subject), subject.to_lowercase());
    }
}
