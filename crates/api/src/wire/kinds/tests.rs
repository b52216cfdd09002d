//! Tables of values that bodies refuse.

use super::*;

#[test]
fn text_allows_only_tabs_and_breaks_as_control_characters() {
    assert_eq!(check_text("a\tb\r\nc\u{c}d\u{85}e", 1, 100), Ok(()));
    for control in ['\0', '\u{b}', '\u{1b}', '\u{7f}', '\u{80}'] {
        let problem = format!("must not contain the control character U+{:04X}", u32::from(control));
        assert_eq!(check_text(&format!("a{control}"), 1, 100), Err(problem));
    }
    assert!(check_line("a\u{c}", 1, 100).is_err());
}

#[test]
fn shown_names_have_something_to_see() {
    for name in ["Ann", " x ", "株式会社", "\u{1f468}\u{200d}\u{1f469}", "می\u{200c}خواهم", "葛\u{e0100}城", "Zo\u{eb}"]
    {
        assert_eq!(check_shown_name(name, 100), Ok(()), "{name:?}");
    }
    for name in ["", " ", "\u{a0}\u{3000}", "\u{200d}", "\u{200c} ", "a\nb", "a\u{7f}"] {
        assert!(check_shown_name(name, 100).is_err(), "{name:?}");
    }
    // Bidi controls, zero-width characters, fillers and tags, alone and inside.
    let ranges =
        [0x202a..=0x202e, 0x2060..=0x206f, 0x200e..=0x200f, 0x200b..=0x200b, 0xfff9..=0xfffb, 0xe0000..=0xe007f];
    let more = [0xad, 0x61c, 0x180e, 0x115f, 0x3164, 0xffa0, 0xfeff, 0x2800];
    for c in ranges.into_iter().flatten().chain(more).filter_map(char::from_u32) {
        for name in [format!("{c}"), format!("a{c}b")] {
            assert!(check_shown_name(&name, 100).is_err(), "{name:?}");
        }
    }
}

/// Every character is in the class of the pattern exactly if the check refuses it.
#[test]
fn the_pattern_of_shown_names_is_the_check() {
    let class = SHOWN_NAME_PATTERN.trim_start_matches("^[^").split(']').next().unwrap_or_default();
    let ranges = ranges_of(class);
    for c in (0..=0x10_ffff).filter_map(char::from_u32) {
        let is_refused = ranges.iter().any(|(low, high)| (*low..=*high).contains(&c));
        assert_eq!(is_refused, check_shown_name(&format!("a{c}"), 100).is_err(), "{c:?}");
    }
}

/// Parses a character class of `\uXXXX` escapes and plain characters, with ranges.
fn ranges_of(class: &str) -> Vec<(char, char)> {
    let mut rest = class;
    let mut ranges = Vec::new();
    while !rest.is_empty() {
        let low = take(&mut rest);
        let high = match rest.strip_prefix('-') {
            Some(after) => {
                rest = after;
                take(&mut rest)
            }
            None => low,
        };
        ranges.push((low, high));
    }
    ranges
}

fn take(rest: &mut &str) -> char {
    if let Some(escape) = rest.strip_prefix("\\u") {
        let (code, after) = escape.split_at(4);
        *rest = after;
        return u32::from_str_radix(code, 16).ok().and_then(char::from_u32).expect("an escape");
    }
    let c = rest.chars().next().expect("a character");
    *rest = &rest[c.len_utf8()..];
    c
}
