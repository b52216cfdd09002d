//! Secrets in disguises: each secret in each disguise, alone and within text.

use super::*;

fn service_key() -> String {
    let random = "0123456789abcdefghijABCDEFGHIJ0123";
    let mut left = crc32fast::hash(random.as_bytes()) as usize;
    let mut sum = String::new();
    let digits: Vec<char> = ('0'..='9').chain('A'..='Z').chain('a'..='z').collect();
    for _ in 0..6 {
        sum.insert(0, digits[left % 62]);
        left /= 62;
    }
    format!("ph_{random}{sum}")
}

/// Written in parts, so that scanners of repositories don't find them.
fn seeds() -> Vec<(&'static str, String)> {
    vec![
        ("service_key", service_key()),
        ("secret_key", ["AKIA", "QK3XN7R2T5VW8Y1Z"].concat()),
        ("secret_key", ["ghp_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].concat()),
        ("secret_key", ["sk_live_", "51H8xQ2eZvKY4lo2C9d7F3g"].concat()),
        (
            "private_key",
            "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEAxyz\n-----END RSA PRIVATE KEY-----".to_owned(),
        ),
        ("card_number", "4111111111111111".to_owned()),
        ("card_number", "5555555555554444".to_owned()),
    ]
}

fn every(text: &str, between: &str) -> String {
    text.chars().map(String::from).collect::<Vec<_>>().join(between)
}

fn groups(text: &str, size: usize, between: &str) -> String {
    let all: Vec<char> = text.chars().collect();
    all.chunks(size).map(|group| group.iter().collect::<String>()).collect::<Vec<_>>().join(between)
}

fn codes(text: &str, code: impl Fn(u8) -> String, between: &str) -> String {
    text.bytes().map(code).collect::<Vec<_>>().join(between)
}

fn base64(text: &str) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    text.as_bytes()
        .chunks(3)
        .flat_map(|chunk| {
            let all = chunk.iter().fold(0u32, |all, byte| all << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
            (0..4).map(
                move |at| if at <= chunk.len() { DIGITS[(all >> (18 - 6 * at)) as usize & 63].into() } else { '=' },
            )
        })
        .collect()
}

fn styled(text: &str, digit: u32, upper: u32, lower: u32) -> String {
    let to = |base: u32, c: char, first: char| char::from_u32(base + c as u32 - first as u32).unwrap_or(c);
    text.chars()
        .map(|c| match c {
            '0'..='9' => to(digit, c, '0'),
            'A'..='Z' => to(upper, c, 'A'),
            'a'..='z' => to(lower, c, 'a'),
            c => c,
        })
        .collect()
}

fn look_alike(text: &str) -> String {
    let pairs =
        [('A', 'А'), ('a', 'а'), ('e', 'е'), ('K', 'К'), ('o', 'о'), ('p', 'р'), ('c', 'с'), ('i', 'і'), ('E', 'Е')];
    text.chars().map(|c| pairs.iter().find(|(plain, _)| *plain == c).map_or(c, |(_, other)| *other)).collect()
}

type Disguise = (&'static str, fn(&str) -> String);

const DISGUISES: [Disguise; 38] = [
    ("plain", str::to_owned),
    ("in tags", |t| groups(t, 5, "<b></b>")),
    ("in elements", |t| format!("<p>{}</p>", groups(t, 4, "</span><span class='x'>"))),
    ("in comments", |t| groups(t, 7, "<!-- no -->")),
    ("in cells", |t| format!("<table><tr><td>{}</td></tr></table>", groups(t, 8, "</td><td>"))),
    ("in lines of HTML", |t| groups(t, 6, "<br>")),
    ("hidden parts between", |t| groups(t, 5, "<span style='display:none'>zz</span>")),
    ("hidden", |t| format!("<p>Hi</p><p style='display:none'>{t}</p>")),
    ("in an attribute", |t| format!("<img src=x alt=\"{t}\">")),
    ("references", |t| codes(t, |b| format!("&#{b};"), "")),
    ("hexadecimal references", |t| codes(t, |b| format!("&#x{b:x};"), "")),
    ("references twice", |t| codes(t, |b| format!("&amp;#{b};"), "")),
    ("percent", |t| codes(t, |b| format!("%{b:02X}"), "")),
    ("escapes", |t| codes(t, |b| format!("\\u{b:04x}"), "")),
    ("quoted-printable", |t| codes(t, |b| format!("={b:02X}"), "")),
    ("soft line breaks", |t| groups(t, 9, "=\r\n")),
    ("base64", base64),
    ("base64 twice", |t| base64(&base64(t))),
    ("base64 in lines", |t| groups(&base64(t), 20, "\r\n")),
    ("hex", |t| codes(t, |b| format!("{b:02x}"), "")),
    ("hex with blanks", |t| codes(t, |b| format!("{b:02x}"), " ")),
    ("decimal", |t| codes(t, |b| b.to_string(), " ")),
    ("binary", |t| codes(t, |b| format!("{b:08b}"), " ")),
    ("zero width", |t| every(t, "\u{200b}")),
    ("soft hyphens", |t| every(t, "\u{ad}")),
    ("tags of Unicode", |t| t.chars().filter_map(|c| char::from_u32(0xe0000 + c as u32)).collect()),
    ("full width", |t| styled(t, 0xff10, 0xff21, 0xff41)),
    ("mathematical", |t| styled(t, 0x1d7ce, 0x1d400, 0x1d41a)),
    ("look-alikes", look_alike),
    ("blanks", |t| every(t, " ")),
    ("dots", |t| groups(t, 4, ".")),
    ("dashes", |t| groups(t, 4, "-")),
    ("dashes and blanks", |t| groups(t, 4, " - ")),
    ("no-break blanks", |t| groups(t, 4, "\u{a0}")),
    ("en dashes", |t| groups(t, 4, "–")),
    ("commas", |t| every(t, ", ")),
    ("lines", |t| groups(t, 8, "\r\n")),
    ("references in base64", |t| base64(&codes(t, |b| format!("&#{b};"), ""))),
];

/// Returns the kinds of secrets in any form of a text, with the parts of the text that they stand for.
fn read(text: &str) -> Vec<(&'static str, String)> {
    let variants = TextVariants::of(text);
    let of = |variant: TextVariant<'_>| {
        let found = secrets(variant.text);
        found.into_iter().map(move |one| (one.kind.text(), variant.source(one.start, one.end))).collect::<Vec<_>>()
    };
    variants.iter().flat_map(of).map(|(kind, (start, end))| (kind, text[start..end].to_owned())).collect()
}

#[test]
fn secrets_are_found_in_every_disguise() {
    let mut missed = Vec::new();
    for (kind, seed) in seeds() {
        for (name, disguise) in DISGUISES {
            let disguised = disguise(&seed);
            for text in [disguised.clone(), format!("Hello Ann, here it is: {disguised} . Bye, Bob")] {
                let found = read(&text);
                if !found.iter().any(|(found, _)| *found == kind) {
                    missed.push(format!("{kind} {name}: {text}"));
                }
                // What is reported is within the disguised secret.
                let is_near = |part: &String| part.len() <= disguised.len() + 1 && !part.contains("Hello");
                assert!(found.iter().all(|(_, part)| is_near(part)), "{kind} {name}: {found:?}");
            }
        }
    }
    assert!(missed.is_empty(), "{} missed: {missed:#?}", missed.len());
}

#[test]
fn keys_are_found_in_simple_ciphers() {
    for (kind, seed) in seeds().into_iter().filter(|(kind, _)| kind.ends_with("_key") && *kind != "private_key") {
        let turned: String = seed.chars().rev().collect();
        let rotated: String = seed.chars().map(crate::scan::rot13).collect();
        for text in [turned, rotated] {
            assert!(read(&format!("see {text} now")).iter().any(|(found, _)| *found == kind), "{text}");
        }
    }
    assert!(
        read("four one one one, one one one one, one one one one, one one one one")
            .iter()
            .any(|(k, _)| *k == "card_number")
    );
    assert!(read("4111 1111 1111 1111 12 27 123").iter().any(|(k, _)| *k == "card_number"));
}

#[test]
fn keys_without_the_signs_of_their_format_are_found() {
    // Written in parts, so that scanners of repositories don't find them.
    let key = ["glpat a1B2", "c3D4", "e5F6", "g7H8", "i9J0"].join(" ");
    assert!(read(&format!("see {key} now")).iter().any(|(kind, _)| *kind == "secret_key"));
}

#[test]
fn a_table_of_numbers_has_no_cards() {
    let mut table = String::new();
    for row in 0..400u32 {
        let cell = |n: u32| 4000 + (row * 7919 + n * 104_729) % 1999;
        table.push_str(&format!("{},{},{},{}\n", cell(1), cell(2), cell(3), cell(4)));
    }
    assert!(read(&table).is_empty(), "{:?}", read(&table).len());
}

#[test]
fn ordinary_mail_has_no_secrets_in_any_form() {
    for text in [
        "<html><body><table><tr><td>Invoice</td><td>2026-1180</td></tr><tr><td>Total</td><td>1.250,00 EUR</td></tr></table>",
        "Tokens of the service start with ghp_ and are 40 characters long; they contain letters and digits.",
        "Call +49 30 1234 5678 or 0800 1234 5678 90, from 09:00 to 17:30 on 12.05.2026.",
        "Tracking: 9400 1000 0000 0000 0000 00, JD014600003828392837, 1Z999AA10123456784.",
        "See https://example.com/a/b?utm_source=mail&utm_campaign=9f86d081884c7d659a2feaa0c55ad015a3bf4f1b&id=12",
        "IBAN DE89 3704 0044 0532 0130 00, BIC COBADEFFXXX. VAT DE 123456789. Order 4000-1234-5678.",
        "EAN 4006381333627, 4012200036136 and 4977766793124",
        "4012 8888 8888 1881 4100 4203 4388 4501 4622 4737 4801 4911 5013 5120 5233 5341 5402 5511 5617 5702 5811 5903",
        "2023 2024 2025 2026 and 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16",
        "commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b\nindex 83db48f..bf269f4 100644",
        "Meeting ID: 834 1290 4411 Passcode: 483920\nOne tap mobile +13462487799,,83412904411#",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    ] {
        assert!(read(text).is_empty(), "{text}: {:?}", read(text));
    }
}

/// Letters and digits as a random generator gives them, the same in every run.
fn random(length: usize, alphabet: &str, seed: u64) -> String {
    let all: Vec<char> = alphabet.chars().collect();
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        all[(state >> 33) as usize % all.len()]
    };
    std::iter::repeat_with(next).take(length).collect()
}

const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const LETTERS_AND_DIGITS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const CAPITALS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

#[test]
fn keys_of_more_services_are_found() {
    let mut missed = Vec::new();
    for seed in 1..=60 {
        let any = |length| random(length, LETTERS_AND_DIGITS, seed);
        let keys = [
            format!("hf_{}", random(34, LETTERS, seed)),
            format!("dckr_pat_{}", any(27)),
            format!("ntn_{}", any(46)),
            format!("SK{}", random(32, "0123456789abcdef", seed)),
            format!("M{}.{}.{}", any(23), any(6), any(27)),
            format!(
                "hooks.slack.com/services/T{}/B{}/{}",
                random(9, CAPITALS, seed),
                random(10, CAPITALS, seed),
                any(24)
            ),
        ];
        for key in keys {
            for text in [key.clone(), format!("Use {key}."), format!("token={key}&x=1"), format!("\"https://x/{key}\"")]
            {
                if !secrets(&text).iter().any(|one| one.kind.text() == "secret_key") {
                    missed.push(text);
                }
            }
        }
    }
    // One of 50 random texts looks like words in one.
    assert!(missed.len() <= 60 * 6 * 4 / 50, "{} missed: {missed:#?}", missed.len());
    assert_eq!(secrets("PuTTY-User-Key-File-3: ssh-ed25519")[0].kind.text(), "private_key");
}

#[test]
fn names_in_the_form_of_a_key_are_none() {
    for name in [
        "hf_transformersTrainerCallbackHandlerBase",
        "hf_MyVeryLongNameForTheModelThatSomebodyTrained",
        "hf_theQuickBrownFoxJumpedOverThisLazyHoundYesterday",
        "ntn_this_is_the_name_of_a_variable_that_is_long_enough",
        "SKU0123456789ABCDEF",
        "Monday.morning.the-meeting-of-the-whole-team",
        "https://hooks.slack.com/services/",
        "https://api.slack.com/messaging/webhooks-for-everybody",
    ] {
        assert!(secrets(name).is_empty(), "{name}: {:?}", secrets(name));
    }
}

/// Finds private keys with their first lines as [`keys::private_keys`] does, with a search from each place on.
fn private_keys_one_by_one(text: &str) -> Vec<(usize, usize)> {
    let (mut from, mut found) = (0, Vec::new());
    while let Some(start) = text[from..].find("BEGIN").map(|at| from + at)
        && found.len() < FINDINGS_MAX
    {
        from = start + 5;
        let line = text[start..text.floor_char_boundary(start + 64)].lines().next().unwrap_or_default();
        let Some(at) = line.find("PRIVATE KEY") else { continue };
        from = text[from..].find("-----END ").map_or(start + at + 11, |end| {
            let end = from + end;
            let line = text[end..].lines().next().unwrap_or_default();
            end + line.get(5..).and_then(|line| line.find("-----")).map_or(line.len(), |at| 5 + at + 5)
        });
        let dashes = text[..start].bytes().rev().take(5).take_while(|byte| *byte == b'-').count();
        found.push((start - dashes, from));
    }
    found
}

#[test]
fn one_pass_finds_the_same_private_keys_as_a_search_from_each_place() {
    const TOKENS: [&str; 12] = [
        "-----",
        "BEGIN",
        "BEGIN ",
        "PRIVATE KEY",
        " PRIVATE",
        " KEY",
        "-----END ",
        "\n",
        "\r\n",
        "x",
        "é",
        "------------------------------",
    ];
    let mut seen = 0;
    for seed in 0..4_000_u64 {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut token = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            TOKENS[(state >> 33) as usize % TOKENS.len()]
        };
        let text: String = (0..4 + seed % 60).map(|_| token()).collect();
        let mut found = Vec::new();
        keys::private_keys(&text, &mut found);
        let found: Vec<(usize, usize)> = found.iter().map(|one| (one.start, one.end)).collect();
        assert_eq!(found, private_keys_one_by_one(&text), "{text:?}");
        seen += found.len();
    }
    assert!(seen > 1_000, "{seen}");
}

#[test]
fn the_first_line_of_a_private_key_is_found_in_pieces_wherever_its_name_is() {
    for before in ["", "P", "PRIV", "PRIVATEKE", "PPRIVATE", "RSA", "ENCRYPTED"] {
        for after in ["", "PRIVATEKEY", "P"] {
            for between in [" ", ".", " - "] {
                let text = every(&format!("BEGIN{before}PRIVATEKEY{after}"), between);
                assert_eq!(read(&text).first().map(|(kind, _)| *kind), Some("private_key"), "{text}");
            }
        }
        for text in [every(&format!("BEGIN{before}PRIVATEKE"), " "), every(&format!("BEGIN{before}PRIVATE.EY"), " ")] {
            assert!(read(&text).iter().all(|(kind, _)| *kind != "private_key"), "{text}");
        }
    }
}
