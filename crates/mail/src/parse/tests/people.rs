//! Address fields as programs and people write them. Generated variants.

use crate::parse::parse;

/// Returns the entries of a field of the name and value.
fn entries(name: &str, value: &str) -> Vec<(Option<String>, String)> {
    let raw = format!("From: me@s.example\r\n{name}: {value}\r\n\r\nx");
    let parsed = parse(raw.as_bytes());
    let all = match name {
        "To" => parsed.to,
        "Cc" => parsed.cc,
        _ => parsed.reply_to,
    };
    let entry = |entry: crate::parse::AddressEntry| {
        let mailbox = entry.mailbox.unwrap_or_else(|| panic!("{value}: {}", entry.header_form));
        (mailbox.name().map(str::to_owned), mailbox.address().canonical())
    };
    all.into_iter().map(entry).collect()
}

/// Values, and the names and addresses in them.
const VALUES: [(&str, &[(&str, &str)]); 44] = [
    ("ann@x.example", &[("", "ann@x.example")]),
    ("<ann@x.example>>", &[("", "ann@x.example")]),
    ("Ann <ann@x.example>>", &[("Ann", "ann@x.example")]),
    ("ann@x.example>", &[("", "ann@x.example")]),
    ("ann@x.example.", &[("", "ann@x.example")]),
    ("<ann@x.example.>", &[("", "ann@x.example")]),
    ("Ann <ann@x.example.>", &[("Ann", "ann@x.example")]),
    ("<ann@x.example>.", &[("", "ann@x.example")]),
    ("mailto:ann@x.example", &[("", "ann@x.example")]),
    ("<mailto:ann@x.example>", &[("", "ann@x.example")]),
    ("[mailto:ann@x.example]", &[("", "ann@x.example")]),
    ("Ann <mailto:ann@x.example>", &[("Ann", "ann@x.example")]),
    ("Ann <MAILTO:ann@x.example>", &[("Ann", "ann@x.example")]),
    ("\"ann@x.example\" <ann@x.example>", &[("", "ann@x.example")]),
    ("ann@x.example <ann@x.example>", &[("", "ann@x.example")]),
    ("'ann@x.example' <ann@x.example>", &[("", "ann@x.example")]),
    ("\"'ann@x.example'\" <ann@x.example>", &[("", "ann@x.example")]),
    ("'ann@x.example'", &[("", "ann@x.example")]),
    ("'Ann Doe' <ann@x.example>", &[("Ann Doe", "ann@x.example")]),
    ("\"'Ann Doe'\" <ann@x.example>", &[("Ann Doe", "ann@x.example")]),
    ("Doe, Ann <ann@x.example>", &[("Doe, Ann", "ann@x.example")]),
    ("Doe, Ann, Dr. <ann@x.example>", &[("Doe, Ann, Dr.", "ann@x.example")]),
    ("Doe, Ann (Sales) <ann@x.example>", &[("Doe, Ann (Sales)", "ann@x.example")]),
    ("Acme, Inc. <ann@x.example>, bob@y.example", &[("Acme, Inc.", "ann@x.example"), ("", "bob@y.example")]),
    ("bob@y.example, Doe, Ann <ann@x.example>", &[("", "bob@y.example"), ("Doe, Ann", "ann@x.example")]),
    (
        "Doe, Ann <ann@x.example>, Roe, Bob <bob@y.example>",
        &[("Doe, Ann", "ann@x.example"), ("Roe, Bob", "bob@y.example")],
    ),
    ("\"Doe, Ann\" <ann@x.example>", &[("Doe, Ann", "ann@x.example")]),
    ("=?utf-8?q?Doe=2C_Ann?= <ann@x.example>", &[("Doe, Ann", "ann@x.example")]),
    ("Ann, bob@y.example", &[("", "bob@y.example")]),
    ("The Team", &[]),
    ("Team:;", &[]),
    ("undisclosed-recipients:;", &[]),
    ("Undisclosed recipients", &[]),
    ("bob@y.example, The Team", &[("", "bob@y.example")]),
    ("", &[]),
    (",", &[]),
    ("ann@x.example,, bob@y.example", &[("", "ann@x.example"), ("", "bob@y.example")]),
    ("pete(his account)@silly.example", &[("", "pete@silly.example")]),
    ("Pete <pete(his account)@silly.example(his host)>", &[("Pete", "pete@silly.example")]),
    ("<pete (work)@silly.example>", &[("", "pete@silly.example")]),
    ("Ann <ann@(host)silly.example>", &[("Ann", "ann@silly.example")]),
    ("Ann <ann (a, b) @silly.example>, bob@y.example", &[("Ann", "ann@silly.example"), ("", "bob@y.example")]),
    ("ann@x.example (Ann Doe)", &[("Ann Doe", "ann@x.example")]),
    ("Team: ann@x.example, bob@y.example;", &[("", "ann@x.example"), ("", "bob@y.example")]),
];

#[test]
fn values_name_the_people_that_they_mean() {
    let mut wrong = Vec::new();
    for (value, expected) in VALUES {
        for name in ["To", "Cc", "Reply-To"] {
            let expected: Vec<(Option<String>, String)> = expected
                .iter()
                .map(|(name, address)| {
                    (Some((*name).to_owned()).filter(|name| !name.is_empty()), (*address).to_owned())
                })
                .collect();
            let found = entries(name, value);
            if found != expected {
                wrong.push(format!("{name}: {value}: {found:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn nothing_of_a_name_becomes_an_address() {
    for value in
        ["\"bob@y.example\" <ann@x.example>", "bob@y.example <ann@x.example>", "Bob (bob@y.example) <ann@x.example>"]
    {
        let found = entries("To", value);
        assert_eq!(found.len(), 1, "{value}: {found:?}");
        assert_eq!(found[0].1, "ann@x.example", "{value}");
    }
    let many = format!("{} <ann@x.example>", "Doe, ".repeat(30_000));
    assert!(entries("To", &many).len() <= 1);
}
