//! Folds characters: case, accents, look-alikes of Latin letters, and characters that show nothing.

/// What a character is for the scan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Folded {
    /// A letter, in lower case, without accents; a look-alike as the Latin letter.
    Letter(char),
    /// A letter that is two letters.
    Pair(char, char),
    /// A digit.
    Digit(char),
    /// A character of a script without blanks between words.
    Ideograph(char),
    /// A character that shows nothing.
    Nothing(Invisible),
    /// A blank, a sign or punctuation.
    Other,
}

/// The kinds of characters that show nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Invisible {
    /// A zero-width character or a soft hyphen.
    ZeroWidth,
    /// A control of the text direction.
    Bidi,
    /// A tag character (U+E0000 to U+E007F).
    Tag,
    /// A variation selector.
    Selector,
    /// A mark above or below a letter.
    Mark,
}

/// Returns whether a letter looks like a Latin one and belongs to another script.
pub(crate) fn is_look_alike(c: char) -> bool {
    ('\u{370}'..='\u{58f}').contains(&c) && latin_of(c).is_some()
}

/// Folds a character.
#[inline]
pub(crate) fn fold(c: char) -> Folded {
    match c {
        'a'..='z' => Folded::Letter(c),
        'A'..='Z' => Folded::Letter(c.to_ascii_lowercase()),
        '0'..='9' => Folded::Digit(c),
        '\0'..='\u{7f}' => Folded::Other,
        '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' => Folded::Ideograph(c),
        _ => fold_other(c),
    }
}

fn fold_other(c: char) -> Folded {
    let code = c as u32;
    match code {
        0xad | 0x200b..=0x200d | 0x2060..=0x2064 | 0xfeff | 0x180e | 0x34f | 0x115f | 0x1160 | 0x3164 => {
            Folded::Nothing(Invisible::ZeroWidth)
        }
        0x200e | 0x200f | 0x202a..=0x202e | 0x2066..=0x2069 | 0x61c => Folded::Nothing(Invisible::Bidi),
        0xe0000..=0xe007f => Folded::Nothing(Invisible::Tag),
        0xfe00..=0xfe0f | 0xe0100..=0xe01ef => Folded::Nothing(Invisible::Selector),
        0x300..=0x36f | 0x483..=0x489 | 0x64b..=0x65f | 0x670 | 0x640 | 0x1ab0..=0x1aff | 0x20d0..=0x20f0 => {
            Folded::Nothing(Invisible::Mark)
        }
        0xdf | 0x1e9e => Folded::Pair('s', 's'),
        0xe6 | 0xc6 => Folded::Pair('a', 'e'),
        0x153 | 0x152 => Folded::Pair('o', 'e'),
        0xa0..=0xbf => Folded::Other,
        0xc0..=0x24f | 0x1e00..=0x1eff => latin_base(c),
        0x250..=0x2e4
        | 0x1d00..=0x1dbf
        | 0x2071
        | 0x207f
        | 0x2090..=0x209c
        | 0x370..=0x52f
        | 0x531..=0x58f
        | 0x13a0..=0x13f5
        | 0xa730..=0xa7ff => latin_of(c).map_or_else(|| letter(c), Folded::Letter),
        0x620..=0x64a | 0x671..=0x6d3 => Folded::Letter(arabic(c)),
        0x660..=0x669 => digit(code - 0x660),
        0x6f0..=0x6f9 => digit(code - 0x6f0),
        0xf900..=0xfaff | 0x20000..=0x323af => Folded::Ideograph(c),
        0xff21..=0xff3a => ascii(code - 0xff21),
        0xff41..=0xff5a => ascii(code - 0xff41),
        0xff10..=0xff19 => digit(code - 0xff10),
        0x249c..=0x24b5 => ascii(code - 0x249c),
        0x24b6..=0x24e9 => ascii((code - 0x24b6) % 26),
        0x1d400..=0x1d6a3 => ascii((code - 0x1d400) % 26),
        0x1d7ce..=0x1d7ff => digit((code - 0x1d7ce) % 10),
        0x1f110..=0x1f129 => ascii(code - 0x1f110),
        0x1f130..=0x1f149 => ascii(code - 0x1f130),
        0x1f150..=0x1f169 => ascii(code - 0x1f150),
        0x1f170..=0x1f189 => ascii(code - 0x1f170),
        0x1f1e6..=0x1f1ff => ascii(code - 0x1f1e6),
        0x2100..=0x214f => letter_like(c),
        _ => letter(c),
    }
}

fn letter(c: char) -> Folded {
    if c.is_alphabetic() { Folded::Letter(c.to_lowercase().next().unwrap_or(c)) } else { Folded::Other }
}

fn ascii(offset: u32) -> Folded {
    Folded::Letter(char::from(b'a' + u8::try_from(offset).unwrap_or(0)))
}

fn digit(offset: u32) -> Folded {
    Folded::Digit(char::from(b'0' + u8::try_from(offset).unwrap_or(0)))
}

/// The letters of U+00C0 to U+024F without their accents, in order; `.` is no letter or keeps itself.
const LATIN: &[u8; 400] =
    b"aaaaaa.ceeeeiiiidnooooo.ouuuuyt.aaaaaa.ceeeeiiiidnooooo.ouuuuytyaaaaaaccccccccddddeeeeeeeeeegggggggg\
hhhhiiiiiiiiiiiijjkkkllllllllllnnnnnn.nnoooooo..rrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzsbb......\
........................oo.............uu...................dddlllnnnaaiioouuuuuuuuuu.aaaa....ggkkoo\
oo..jdddgg..nnaa..ooaaaaeeeeiiiioooorrrruuuusstt..hh......aaeeooooooooyy...............b............";

fn latin_base(c: char) -> Folded {
    let code = c as u32;
    if code == 0xd7 || code == 0xf7 {
        return Folded::Other;
    }
    if let Some(base) = (code as usize).checked_sub(0xc0).and_then(|at| LATIN.get(at)).filter(|b| **b != b'.') {
        return Folded::Letter(char::from(*base));
    }
    match code {
        0x1e00..=0x1e9f => letter_of_ranges(code, &EXTENDED).unwrap_or_else(|| letter(c)),
        0x1ea0..=0x1eff => letter_of_ranges(code, &VIETNAMESE).unwrap_or_else(|| letter(c)),
        _ => letter(c),
    }
}

/// First code of each letter's group in Latin Extended Additional.
const EXTENDED: [(u32, char); 22] = [
    (0x1e00, 'a'),
    (0x1e02, 'b'),
    (0x1e08, 'c'),
    (0x1e0a, 'd'),
    (0x1e14, 'e'),
    (0x1e1e, 'f'),
    (0x1e20, 'g'),
    (0x1e22, 'h'),
    (0x1e2c, 'i'),
    (0x1e30, 'k'),
    (0x1e36, 'l'),
    (0x1e3e, 'm'),
    (0x1e44, 'n'),
    (0x1e4c, 'o'),
    (0x1e54, 'p'),
    (0x1e58, 'r'),
    (0x1e60, 's'),
    (0x1e6a, 't'),
    (0x1e72, 'u'),
    (0x1e7c, 'v'),
    (0x1e80, 'w'),
    (0x1e8a, 'x'),
];
const VIETNAMESE: [(u32, char); 6] =
    [(0x1ea0, 'a'), (0x1eb8, 'e'), (0x1ec8, 'i'), (0x1ecc, 'o'), (0x1ee4, 'u'), (0x1ef2, 'y')];

fn letter_of_ranges(code: u32, ranges: &[(u32, char)]) -> Option<Folded> {
    ranges.iter().rev().find(|(first, _)| code >= *first).map(|(_, letter)| Folded::Letter(*letter))
}

fn arabic(c: char) -> char {
    match c {
        '\u{622}' | '\u{623}' | '\u{625}' | '\u{671}' => '\u{627}',
        '\u{649}' => '\u{64a}',
        '\u{629}' => '\u{647}',
        '\u{624}' => '\u{648}',
        '\u{626}' => '\u{64a}',
        '\u{6a9}' => '\u{643}',
        '\u{6cc}' => '\u{64a}',
        _ => c,
    }
}

fn letter_like(c: char) -> Folded {
    let base = match c {
        '\u{2102}' => 'c',
        '\u{210a}' => 'g',
        '\u{210b}'..='\u{210f}' => 'h',
        '\u{2110}' | '\u{2111}' | '\u{2139}' => 'i',
        '\u{2112}' | '\u{2113}' => 'l',
        '\u{2115}' => 'n',
        '\u{2118}' | '\u{2119}' => 'p',
        '\u{211a}' => 'q',
        '\u{211b}'..='\u{211d}' => 'r',
        '\u{2124}' | '\u{2128}' => 'z',
        '\u{212a}' => 'k',
        '\u{212c}' => 'b',
        '\u{212d}' => 'c',
        '\u{212f}' | '\u{2130}' => 'e',
        '\u{2131}' => 'f',
        '\u{2133}' => 'm',
        '\u{2134}' => 'o',
        _ => return Folded::Other,
    };
    Folded::Letter(base)
}

/// Returns the Latin letter that a letter of another script looks like.
fn latin_of(c: char) -> Option<char> {
    let latin = match c {
        'а' | 'А' | 'α' | 'Α' | 'ɑ' | 'ᴀ' | 'ά' | 'ᵃ' | 'ₐ' => 'a',
        'Ь' | 'В' | 'в' | 'β' | 'Β' | 'ʙ' | 'Ᏼ' | 'ᵇ' => 'b',
        'с' | 'С' | 'ϲ' | 'ᴄ' | 'Ꮯ' | 'ᶜ' => 'c',
        'ԁ' | 'ɗ' | 'ᴅ' | 'Ꭰ' | 'ᵈ' => 'd',
        'е' | 'Е' | 'ё' | 'Ё' | 'ε' | 'Ε' | 'έ' | 'ɛ' | 'ҽ' | 'ᴇ' | 'є' | 'ᵉ' | 'ₑ' => 'e',
        'ғ' | 'ꜰ' | 'ᶠ' => 'f',
        'ɡ' | 'ɢ' | 'ց' | 'ԍ' | 'ᵍ' => 'g',
        'һ' | 'Н' | 'н' | 'Η' | 'հ' | 'ʜ' | 'Ꮋ' | 'ʰ' | 'ₕ' => 'h',
        'і' | 'І' | 'ι' | 'Ι' | 'ї' | 'ɩ' | 'ɪ' | 'ί' | 'ⁱ' | 'ᵢ' => 'i',
        'ј' | 'Ј' | 'ϳ' | 'ᴊ' | 'ʲ' => 'j',
        'к' | 'К' | 'κ' | 'Κ' | 'ᴋ' | 'ᵏ' | 'ₖ' => 'k',
        'ӏ' | 'Ӏ' | 'ʟ' | 'ⅼ' | 'ˡ' | 'ₗ' => 'l',
        'м' | 'М' | 'Μ' | 'ᴍ' | 'ᵐ' | 'ₘ' => 'm',
        'ո' | 'Ν' | 'ν' | 'п' | 'η' | 'ή' | 'ɴ' | 'ⁿ' | 'ₙ' => 'n',
        'о' | 'О' | 'ο' | 'Ο' | 'օ' | 'ό' | 'ᴏ' | 'σ' | 'ᵒ' | 'ₒ' => 'o',
        'р' | 'Р' | 'ρ' | 'Ρ' | 'ᴘ' | 'ᵖ' | 'ₚ' => 'p',
        'ԛ' => 'q',
        'г' | 'ʀ' | 'ɾ' | 'ʳ' | 'ᵣ' => 'r',
        'ѕ' | 'Ѕ' | 'ꜱ' | 'Տ' | 'ˢ' | 'ₛ' => 's',
        'т' | 'Т' | 'τ' | 'Τ' | 'ᴛ' | 'ᵗ' | 'ₜ' => 't',
        'υ' | 'ս' | 'μ' | 'ᴜ' | 'ύ' | 'ᵘ' | 'ᵤ' => 'u',
        'ѵ' | 'ᴠ' | 'ᵛ' | 'ᵥ' => 'v',
        'ԝ' | 'ω' | 'ᴡ' | 'ѡ' | 'ш' | 'ʷ' => 'w',
        'х' | 'Х' | 'χ' | 'Χ' | 'ˣ' | 'ₓ' => 'x',
        'у' | 'У' | 'γ' | 'Υ' | 'ү' | 'ʏ' | 'ý' | 'ʸ' => 'y',
        'ᴢ' | 'Ζ' | 'ʐ' | 'ᶻ' => 'z',
        _ => return None,
    };
    Some(latin)
}

/// Returns the letters that a digit or sign stands for in letters replaced by digits: the usual one and a second one.
pub(crate) fn leet(c: char) -> Option<[char; 2]> {
    let letters = match c {
        '0' => ['o', 'o'],
        '1' => ['i', 'l'],
        '!' | '|' => ['i', 'l'],
        '2' => ['z', 'r'],
        '3' | '€' => ['e', 'e'],
        '4' | '@' => ['a', 'a'],
        '5' | '$' | '§' => ['s', 's'],
        '6' => ['g', 'b'],
        '7' | '+' => ['t', 't'],
        '8' => ['b', 'b'],
        '9' => ['g', 'q'],
        _ => return None,
    };
    Some(letters)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accents_and_look_alikes_fold_to_latin() {
        let folded = |text: &str| -> String {
            text.chars()
                .flat_map(|c| match fold(c) {
                    Folded::Letter(a) | Folded::Digit(a) | Folded::Ideograph(a) => vec![a],
                    Folded::Pair(a, b) => vec![a, b],
                    Folded::Nothing(_) => Vec::new(),
                    Folded::Other => vec![' '],
                })
                .collect()
        };
        assert_eq!(folded("Élève Straße żółć ığdır"), "eleve strasse zolc igdir");
        assert_eq!(folded("іgnоrе"), "ignore");
        assert_eq!(folded("ｉｇｎｏｒｅ 𝐢𝐠𝐧𝐨𝐫𝐞 ⓘⓖⓝⓞⓡⓔ 🅸🅶🅽🅾🆁🅴"), "ignore ignore ignore ignore");
        assert_eq!(folded("i\u{200b}g\u{ad}n\u{2060}o\u{301}re"), "ignore");
        assert_eq!(folded("ệ ğüşöç"), "e gusoc");
        assert_eq!(folded("أنت الآن"), "انت الان");
        assert_eq!(folded("ÿžƀ"), "yzb");
    }
}
