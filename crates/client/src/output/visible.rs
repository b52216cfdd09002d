//! Text from elsewhere, made harmless for a terminal: characters that control it, or that hide or reorder text, become
//! visible escapes such as `\x1b` and `\u{202e}`.

use std::fmt::Write;

/// What is done with line breaks and tabs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Lines {
    /// They are escaped, because the text belongs in one line.
    One,
    /// They stay.
    Many,
}

/// Returns the text with every unsafe character escaped.
pub(crate) fn visible(text: &str, lines: Lines) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(next) = rest.next() {
        match next {
            '\n' | '\t' if lines == Lines::Many => out.push(next),
            '\r' if lines == Lines::Many && rest.peek() == Some(&'\n') => {}
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            other if is_unsafe(other) => push_escaped(&mut out, other),
            other => out.push(other),
        }
    }
    out
}

/// Returns JSON in which unsafe characters are escaped (RFC 8259 §7), so that it means the same.
pub(crate) fn visible_json(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for next in json.chars() {
        if is_unsafe(next) {
            let mut units = [0; 2];
            for unit in next.encode_utf16(&mut units) {
                write!(out, "\\u{unit:04x}").expect("a string can always be written to");
            }
        } else {
            out.push(next);
        }
    }
    out
}

fn push_escaped(out: &mut String, character: char) {
    let code = u32::from(character);
    let written = if code < 0x100 { write!(out, "\\x{code:02x}") } else { write!(out, "\\u{{{code:x}}}") };
    written.expect("a string can always be written to");
}

/// Returns whether a character controls a terminal (C0, DEL, C1), has no width, or changes the direction of text.
pub(crate) fn is_unsafe(character: char) -> bool {
    matches!(
        u32::from(character),
        0x00..=0x1f | 0x7f..=0x9f
        // Soft hyphen, combining grapheme joiner, Arabic letter mark.
        | 0xad | 0x34f | 0x61c
        // Hangul fillers, Khmer inherent vowels, Mongolian selectors.
        | 0x115f..=0x1160 | 0x17b4..=0x17b5 | 0x180b..=0x180f | 0x3164 | 0xffa0
        // Zero-width marks, separators, embeddings, invisible operators, isolates.
        | 0x200b..=0x200f | 0x2028..=0x202e | 0x2060..=0x206f
        // Byte order mark, interlinear annotations.
        | 0xfeff | 0xfff0..=0xfffb
        // Shorthand and musical format controls.
        | 0x1bca0..=0x1bca3 | 0x1d173..=0x1d17a
        // Tags and supplementary variation selectors.
        | 0xe0000..=0xe0fff
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Every character that a terminal or a reader could be fooled with, by the classes of Unicode.
    fn hostile() -> impl Iterator<Item = char> {
        let ranges = [0..=0x1f, 0x7f..=0x9f, 0x200b..=0x200f, 0x202a..=0x202e, 0x2060..=0x2069, 0xe0000..=0xe007f];
        ranges.into_iter().flatten().chain([0xad, 0x61c, 0x180e, 0x2028, 0x2029, 0xfeff]).filter_map(char::from_u32)
    }

    #[test]
    fn every_hostile_character_becomes_visible() {
        for character in hostile() {
            let text = format!("a{character}b");
            let one = visible(&text, Lines::One);
            assert!(one.chars().all(|c| !is_unsafe(c)) && one.starts_with("a\\") && one.ends_with('b'), "{one:?}");
            let many = visible(&text, Lines::Many);
            let stays = matches!(character, '\n' | '\t');
            assert_eq!(many.contains(character), stays, "{many:?}");
        }
        assert_eq!(visible("\u{1b}[2J\u{9b}1m\u{202e}x", Lines::Many), "\\x1b[2J\\x9b1m\\u{202e}x");
        assert_eq!(visible("a\r\nb\rc\td", Lines::Many), "a\nb\\rc\td");
        assert_eq!(visible("a\r\nb\td", Lines::One), "a\\r\\nb\\td");
    }

    #[test]
    fn ordinary_text_of_every_script_stays() {
        let text = "Grüße, Привет, こんにちは, مرحبا, שלום, नमस्ते, 👍🏽, €5 · – “x”";
        assert_eq!(visible(text, Lines::One), text);
        assert_eq!(visible_json(text), text);
    }

    proptest! {
        #[test]
        fn no_text_controls_the_terminal(text in "\\PC*|(?s).*") {
            let many = visible(&text, Lines::Many);
            prop_assert!(many.chars().all(|c| c == '\n' || c == '\t' || !is_unsafe(c)));
            let one = visible(&text, Lines::One);
            prop_assert!(one.chars().all(|c| !is_unsafe(c)));
        }

        #[test]
        fn json_means_the_same(text in "(?s).*") {
            let json = visible_json(&serde_json::Value::from(text.clone()).to_string());
            prop_assert!(json.chars().all(|c| !is_unsafe(c)));
            prop_assert_eq!(serde_json::from_str::<serde_json::Value>(&json).unwrap(), text);
        }
    }
}
