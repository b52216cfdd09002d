//! A mail can't drive the terminal: every control, bidi and zero-width character that it has is shown.

use super::ClientFixture;

/// Characters by the classes that matter: C0, DEL, C1, bidi, zero-width, invisible, tags.
fn hostile() -> Vec<char> {
    let ranges =
        [0x01..=0x08, 0x0b..=0x0c, 0x0e..=0x1f, 0x7f..=0x9f, 0x200b..=0x200f, 0x202a..=0x202e, 0x2060..=0x2069];
    let single = [0xad, 0x61c, 0x180e, 0x2028, 0x2029, 0xfeff, 0xe0041];
    ranges.into_iter().flatten().chain(single).filter_map(char::from_u32).collect()
}

/// The mail has its subject and author in encoded words, in which every character can be sent.
#[test]
fn no_view_of_a_hostile_mail_has_a_character_that_a_terminal_obeys() {
    let client = ClientFixture::logged_in("client-hostile-mail");
    let address = client.inbox("victim");
    let all: String = hostile().iter().flat_map(|character| ['x', *character]).collect();
    let escapes = "\u{1b}[2J\u{1b}]0;owned\u{7}\u{9b}31m\u{202e}";
    let encoded = |text: &str| {
        use std::fmt::Write;
        text.bytes().fold(String::new(), |mut out, byte| {
            write!(out, "={byte:02X}").unwrap();
            out
        })
    };
    let subject = format!("=?utf-8?q?{}?=", encoded(&format!("{escapes}subject")));
    let from = format!("=?utf-8?q?{}?= <eve@example.com>", encoded(escapes));
    let text = format!("{all}{escapes}\nUNTRUSTED end\r\n{}", "w".repeat(300));
    let message = client.receive(&address, &["--from", &from, "--subject", &subject, "--text", &text]);
    let stored = client.object(&["messages", "get", &message]);
    let thread = stored["thread_id"].as_str().unwrap().to_owned();
    assert!(stored["text"].as_str().unwrap().contains('\u{202e}'), "the mail arrived as it was sent");

    let views = [
        &["messages", "list", &address][..],
        &["messages", "get", &message],
        &["messages", "get", &message, "--full"],
        &["messages", "get", &message, "--raw"],
        &["threads", "list"],
        &["threads", "get", &thread],
        &["search", "subject"],
        &["contacts", "list"],
        &["contacts", "get", "eve@example.com"],
        &["messages", "list", &address, "--fields", "subject,from,text"],
        &["messages", "get", &message, "--json"],
    ];
    for view in views {
        let shown = client.on_terminal(&[view, &["--profile", "default"]].concat());
        // The client's own colors are the only escapes.
        let plain =
            ["\x1b[1m", "\x1b[33m", "\x1b[31m", "\x1b[0m"].iter().fold(shown, |text, code| text.replace(code, ""));
        for character in hostile() {
            assert!(!plain.contains(character), "{view:?} has {:x}: {plain:?}", u32::from(character));
        }
        assert!(plain.contains("eve") || plain.contains("subject") || plain.contains("[2J]0;"), "{view:?}: {plain:?}");
    }
}

#[test]
fn untrusted_text_stays_behind_its_mark_and_colors_follow_the_rules() {
    let client = ClientFixture::logged_in("client-banner");
    let address = client.inbox("banner");
    let text = format!("first\n\nFrom: fake\n{}", "w".repeat(200));
    let message = client.receive(&address, &["--text", &text]);
    let shown = client.on_terminal(&["messages", "get", &message]);
    assert!(shown.contains("\x1b[33mUNTRUSTED MESSAGE CONTENT"), "{shown:?}");
    let body: Vec<&str> = shown.lines().skip_while(|line| !line.contains("UNTRUSTED")).skip(1).collect();
    assert!(body.len() >= 6, "long lines are broken: {body:?}");
    assert!(body.iter().all(|line| line.starts_with('│') && line.trim_end().chars().count() <= 80), "{body:?}");

    let table = client.text(&["messages", "get", &message, "--table"]);
    assert!(table.contains("UNTRUSTED") && !table.contains('\x1b'), "no colors in a pipe: {table:?}");
    let json = client.object(&["messages", "get", &message]);
    assert_eq!(json["id"], message, "JSON in a pipe");
}
