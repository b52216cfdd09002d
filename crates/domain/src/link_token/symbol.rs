//! What one character of a text means where a token may stand, after all that programs do to characters: references of
//! HTML, percent encoding, quoted-printable, escapes of JSON, CSS and octal digits, wide letters. Pure.

use icu_normalizer::ComposingNormalizerBorrowed;
use posthouse_mail::html;

const NFKC: ComposingNormalizerBorrowed<'static> = ComposingNormalizerBorrowed::new_nfkc();

/// The meaning of a character.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Symbol {
    /// An ASCII letter in lower case, or a digit.
    Letter(u8),
    /// Nothing that is seen.
    Invisible,
    /// The end of a line.
    Break,
    /// A space, or a sign that programs put around and before quoted text.
    Gap,
    /// Other punctuation.
    Mark,
    /// A letter or digit that no token has.
    Other,
}

/// A symbol with the bytes that it stands for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Read {
    pub(super) symbol: Symbol,
    /// The length of its source.
    pub(super) bytes: usize,
    /// The bytes that were looked at.
    pub(super) seen: usize,
}

/// Returns the first symbol of a text, which isn't empty.
pub(super) fn first(text: &str) -> Read {
    match text.as_bytes() {
        [byte, ..] if byte.is_ascii_alphanumeric() => {
            Read { symbol: Symbol::Letter(byte.to_ascii_lowercase()), bytes: 1, seen: 1 }
        }
        _ => encoded(text),
    }
}

/// Returns the first symbol of a text, which isn't empty, where only references of HTML stand for characters.
pub(super) fn of_reference(text: &str) -> Read {
    let unit = unit(text);
    Read { symbol: of_char(unit.char), bytes: unit.bytes, seen: unit.bytes + LOOKED_AT }
}

fn encoded(text: &str) -> Read {
    let unit = unit(text);
    let after = &text[unit.bytes..];
    let (more, symbol) = match unit.char {
        '%' if after.starts_with(['u', 'U']) => {
            hexadecimal(&after[1..], 4).map_or((0, Symbol::Mark), |code| (1 + code.bytes, of_code(code.value)))
        }
        '%' => {
            let again = repeated(after, "25");
            hexadecimal(&after[again..], 2).map_or((0, Symbol::Mark), |code| (again + code.bytes, of_byte(code.value)))
        }
        '=' => match after.as_bytes() {
            [b'\r', b'\n', ..] => (2, Symbol::Break),
            [b'\r' | b'\n', ..] => (1, Symbol::Break),
            _ => hexadecimal(after, 2).map_or((0, Symbol::Mark), |code| (code.bytes, of_byte(code.value))),
        },
        '\\' => escaped(after),
        char => (0, of_char(char)),
    };
    Read { symbol, bytes: unit.bytes + more, seen: unit.bytes + more + LOOKED_AT }
}

/// The bytes that are looked at beside those that a symbol stands for.
const LOOKED_AT: usize = 8;

/// Returns the bytes of a percent sign that was encoded again and again, before two hexadecimal digits.
fn repeated(text: &str, sign: &str) -> usize {
    let mut bytes = 0;
    while text[bytes..].starts_with(sign)
        && text.as_bytes()[bytes + sign.len()..].iter().take(2).filter(|byte| byte.is_ascii_hexdigit()).count() == 2
    {
        bytes += sign.len();
    }
    bytes
}

/// A character, or a reference to one.
#[derive(Clone, Copy)]
struct Unit {
    char: char,
    bytes: usize,
}

/// Returns the first character of a text; U+0000 if it is empty.
fn unit(text: &str) -> Unit {
    let Some(char) = text.chars().next() else { return Unit { char: '\0', bytes: 0 } };
    if char != '&' {
        return Unit { char, bytes: char.len_utf8() };
    }
    // The sign of a reference may have been made a reference itself.
    let sign = 1 + again(&text[1..]);
    let found = if sign == 1 {
        html::reference(text)
    } else {
        let start: String = text[sign..].chars().take(REFERENCE_CHARS_MAX).collect();
        html::reference(&format!("&{start}"))
    };
    found.map_or(Unit { char, bytes: sign }, |(char, bytes)| Unit { char, bytes: sign - 1 + bytes })
}

/// The longest reference after a sign that is a reference, in characters.
const REFERENCE_CHARS_MAX: usize = 40;

fn again(text: &str) -> usize {
    const SIGN: &str = "amp;";
    let mut bytes = 0;
    while text[bytes..].starts_with(SIGN) {
        bytes += SIGN.len();
    }
    bytes
}

/// A code in hexadecimal digits.
#[derive(Clone, Copy)]
struct HexCode {
    value: u32,
    bytes: usize,
}

fn hexadecimal(text: &str, digits: usize) -> Option<HexCode> {
    let mut code = HexCode { value: 0, bytes: 0 };
    for _ in 0..digits {
        let unit = unit(&text[code.bytes..]);
        code = HexCode { value: code.value << 4 | unit.char.to_digit(16)?, bytes: code.bytes + unit.bytes };
    }
    Some(code)
}

/// Returns the length and the symbol of what follows a backslash.
fn escaped(after: &str) -> (usize, Symbol) {
    match after.as_bytes() {
        [b'u', b'{', ..] => braced(&after[2..]).map(|code| (2 + code.bytes, of_code(code.value))),
        [b'u', ..] => hexadecimal(&after[1..], 4).map(|code| (1 + code.bytes, of_code(code.value))),
        [b'x', ..] => hexadecimal(&after[1..], 2).map(|code| (1 + code.bytes, of_byte(code.value))),
        [b'\r', b'\n', ..] => Some((2, Symbol::Break)),
        [b'\r' | b'\n' | b'n' | b'r', ..] => Some((1, Symbol::Break)),
        [b't', ..] => Some((1, Symbol::Gap)),
        _ => number(after.as_bytes()).map(|code| (code.bytes, of_code(code.value))),
    }
    .unwrap_or((0, Symbol::Gap))
}

/// The most digits of a code that has no fixed number of them, in braces and in CSS.
const CODE_DIGITS_MAX: usize = 6;

/// Reads a code that ends with a brace.
fn braced(text: &str) -> Option<HexCode> {
    let end = text.bytes().take(CODE_DIGITS_MAX + 1).position(|byte| byte == b'}').filter(|end| *end > 0)?;
    let value = text[..end].chars().try_fold(0, |value, digit| Some(value << 4 | digit.to_digit(16)?))?;
    Some(HexCode { value, bytes: end + 1 })
}

/// Reads a code of three octal digits, or one of CSS: hexadecimal digits and the blank after them. Longer rows of digits are
/// no code.
fn number(text: &[u8]) -> Option<HexCode> {
    let digits = text.iter().take(CODE_DIGITS_MAX + 1).take_while(|byte| byte.is_ascii_hexdigit()).count();
    let in_base = |base: u32| {
        text[..digits].iter().try_fold(0, |value, digit| Some(value * base + char::from(*digit).to_digit(base)?))
    };
    match digits {
        3 => in_base(8).map(|value| HexCode { value, bytes: digits }),
        2 | 4..=CODE_DIGITS_MAX => {
            let blank = usize::from(text.get(digits).is_some_and(|next| matches!(next, b' ' | b'\t')));
            in_base(16).map(|value| HexCode { value, bytes: digits + blank })
        }
        _ => None,
    }
}

/// A character beyond ASCII may be another form of a letter.
fn of_code(value: u32) -> Symbol {
    char::from_u32(value).map_or(Symbol::Mark, of_char)
}

/// A byte beyond ASCII is a part of a character that no token has.
fn of_byte(byte: u32) -> Symbol {
    char::from_u32(byte).filter(char::is_ascii).map_or(Symbol::Invisible, of_char)
}

fn of_char(char: char) -> Symbol {
    match char {
        '0'..='9' | 'a'..='z' | 'A'..='Z' => Symbol::Letter(char.to_ascii_lowercase() as u8),
        '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => Symbol::Break,
        ' ' | '\t' | '>' | '|' | '_' | '*' | '`' | '~' | '\u{2800}' => Symbol::Gap,
        _ if is_invisible(char) => Symbol::Invisible,
        _ if char.is_whitespace() => Symbol::Gap,
        _ if char.is_ascii_punctuation() => Symbol::Mark,
        _ if is_form(char) => folded(char),
        _ if char.is_alphanumeric() => Symbol::Other,
        _ => Symbol::Mark,
    }
}

/// Returns whether a character has no glyph of its own (`Default_Ignorable_Code_Point`, and controls).
fn is_invisible(char: char) -> bool {
    char.is_control()
        || matches!(char,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Returns whether a character may be another form of a letter or digit: raised, lowered, in a circle, wide.
fn is_form(char: char) -> bool {
    matches!(char,
        '\u{aa}' | '\u{b2}'..='\u{ba}' | '\u{2b0}'..='\u{2e4}' | '\u{1d2c}'..='\u{1dbf}' | '\u{2070}'..='\u{209f}'
        | '\u{2100}'..='\u{218f}' | '\u{2460}'..='\u{24ff}' | '\u{ff00}'..='\u{ffef}' | '\u{1d400}'..='\u{1d7ff}'
        | '\u{1f100}'..='\u{1f1ff}' | '\u{1fbf0}'..='\u{1fbf9}')
}

fn folded(char: char) -> Symbol {
    let mut plain = NFKC.normalize_iter(std::iter::once(char));
    match (plain.next(), plain.next()) {
        (Some(only), None) if only.is_ascii() => of_char(only),
        (Some(only), _) if only.is_alphanumeric() => Symbol::Other,
        _ => Symbol::Mark,
    }
}

/// Returns where the first symbol may be that begins a token, from an offset on: most text is passed over here.
pub(super) fn next_start(text: &[u8], from: usize) -> usize {
    let is_start = |at: usize| match text[at] {
        // Another letter may be the second one.
        b'p' | b'P' => text.get(at + 1).is_none_or(|next| matches!(next, b'h' | b'H') || !next.is_ascii_alphanumeric()),
        // The start of raised, circled, wide and mathematical letters in UTF-8.
        b'\\' | 0xe1 | 0xe2 | 0xef | 0xf0 => true,
        b'%' | b'=' => text.get(at + 1).is_none_or(|next| matches!(next, b'2' | b'5' | b'7' | b'&' | b'u' | b'U')),
        // A number, the sign itself, a letter like p, or a sign that encodes one.
        b'&' => text.get(at + 1).is_none_or(|next| matches!(next, b'#' | b'a' | b'A' | b'p' | b'P' | b'b' | b'e')),
        _ => false,
    };
    (from..text.len()).find(|at| is_start(*at)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_encoding_of_a_letter_is_read() {
        let all = [
            "p",
            "P",
            "&#112;",
            "&#112",
            "&#x70;",
            "&#X0000070;",
            "&#000000000000000000112;",
            "&amp;#112;",
            "&amp;amp;#112;",
            "&popf;",
            "%70",
            "%2570",
            "%252570",
            "&#37;70",
            "%7&#48;",
            "=70",
            "\\u0070",
            "\\x70",
            "\\u{70}",
            "\\u{000070}",
            "%u0070",
            "%U0050",
            "\\160",
            "\\120",
            "\\70",
            "\\70 ",
            "\\0070 ",
            "\\000070",
            "ｐ",
            "ⓟ",
            "ᵖ",
            "𝐩",
            "𝔭",
        ];
        for text in all {
            let read = first(text);
            assert_eq!(read.symbol, Symbol::Letter(b'p'), "{text}");
            assert_eq!(read.bytes, text.len(), "{text}");
            assert_eq!(next_start(format!("é1{text}").as_bytes(), 0), 3, "{text}");
        }
    }

    #[test]
    fn what_is_not_a_letter_is_sorted() {
        let all = [
            ("\n", Symbol::Break),
            ("=\r\n", Symbol::Break),
            ("\\\n", Symbol::Break),
            ("\\n", Symbol::Break),
            ("\u{2028}", Symbol::Break),
            ("\u{85}", Symbol::Break),
            ("&#10;", Symbol::Break),
            ("%0A", Symbol::Break),
            (" ", Symbol::Gap),
            ("&nbsp;", Symbol::Gap),
            ("&#160;", Symbol::Gap),
            ("&gt;", Symbol::Gap),
            ("&#62;", Symbol::Gap),
            ("\u{3000}", Symbol::Gap),
            ("_", Symbol::Gap),
            ("\\", Symbol::Gap),
            ("&shy;", Symbol::Invisible),
            ("&zwnj;", Symbol::Invisible),
            ("&ZeroWidthSpace;", Symbol::Invisible),
            ("&#8204;", Symbol::Invisible),
            ("&#xAD;", Symbol::Invisible),
            ("&#08203;", Symbol::Invisible),
            ("\u{200e}", Symbol::Invisible),
            ("\u{fe0f}", Symbol::Invisible),
            ("%E2", Symbol::Invisible),
            ("-", Symbol::Mark),
            ("│", Symbol::Mark),
            ("»", Symbol::Mark),
            ("&quot;", Symbol::Mark),
            ("中", Symbol::Other),
            ("р", Symbol::Other),
        ];
        for (text, symbol) in all {
            let read = first(text);
            assert_eq!((read.symbol, read.bytes), (symbol, text.len()), "{text:?}");
        }
        for text in [
            "&",
            "&unknown;",
            "%",
            "%zz",
            "=",
            "&#;",
            "&#x;",
            "\\u00",
            "\\u{}",
            "\\u{70",
            "%u00",
            "\\7",
            "\\0123456789",
            "\\999",
        ] {
            assert_eq!(first(text).bytes, 1, "{text}");
        }
    }
}
