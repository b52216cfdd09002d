//! Spellings of a text that a reader undoes at once: escapes, characters that look alike or show nothing, and numbers in
//! words.

use super::derived::DerivedText;
use crate::fold::{self, Folded};
use crate::html;

/// Which escapes are replaced. `?c=4258` has one of quoted-printable text, or none.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Escapes {
    /// All.
    All,
    /// All but those of quoted-printable text (RFC 2045).
    WithoutQuotedPrintable,
}

/// Returns a text with its character references, escapes and soft line breaks replaced; `None` if it has none.
pub(super) fn unescaped(text: &str, escapes: Escapes) -> Option<DerivedText> {
    let bytes = text.as_bytes();
    let (mut form, mut from, mut at) = (DerivedText::default(), 0, 0);
    while at < bytes.len() {
        let is_sign = match bytes[at] {
            b'&' | b'%' | b'\\' => true,
            b'=' => escapes == Escapes::All,
            _ => false,
        };
        if !is_sign {
            at += 1;
            continue;
        }
        let Some((decoded, length)) = escape(text, at) else {
            at += 1;
            continue;
        };
        form.copy(&text[from..at], from);
        form.put(&decoded, at, at + length);
        at += length;
        from = at;
    }
    if from == 0 {
        return None;
    }
    form.copy(&text[from..], from);
    Some(form)
}

/// Returns what an escape stands for, and its length in bytes.
fn escape(text: &str, at: usize) -> Option<(String, usize)> {
    let rest = &text[at..];
    let code = |from: usize, to: usize| {
        let digits = rest.get(from..to).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
        char::from_u32(u32::from_str_radix(digits, 16).ok()?)
    };
    let one = |c: char, length: usize| (c.to_string(), length);
    match rest.as_bytes() {
        [b'&', ..] => html::character(rest).map(|(c, length)| one(c, length)),
        [b'=', b'\n', ..] => Some((String::new(), 2)),
        [b'=', b'\r', b'\n', ..] => Some((String::new(), 3)),
        [b'\\', b'u', b'{', ..] => {
            let end = rest.bytes().take(10).position(|byte| byte == b'}')?;
            code(3, end).map(|c| one(c, end + 1))
        }
        [b'\\', b'u' | b'U', ..] => code(2, 6).map(|c| one(c, 6)),
        [b'\\', b'x' | b'X', ..] => code(2, 4).map(|c| one(c, 4)),
        [sign @ (b'%' | b'='), ..] => coded_bytes(rest.as_bytes(), *sign),
        _ => None,
    }
}

/// Decodes a run of `%41` or `=41`.
fn coded_bytes(rest: &[u8], sign: u8) -> Option<(String, usize)> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let coded = |three: &[u8]| match three {
        [first, high, low] if *first == sign => u8::try_from(digit(*high)? << 4 | digit(*low)?).ok(),
        _ => None,
    };
    let bytes: Vec<u8> = rest.chunks(3).map_while(coded).collect();
    let text = String::from_utf8_lossy(&bytes).into_owned();
    (!bytes.is_empty()).then_some((text, bytes.len() * 3))
}

/// Returns a text without characters that show nothing, and with the letters, digits and signs that others look like.
pub(super) fn folded(text: &str) -> DerivedText {
    let mut form = DerivedText::default();
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        match plain(c) {
            Plain::Same => form.copy(&text[at..end], at),
            Plain::Nothing => {}
            Plain::As(c) => form.put_char(c, at, end),
        }
    }
    form
}

/// What a character shows.
enum Plain {
    /// Itself.
    Same,
    Nothing,
    As(char),
}

fn plain(c: char) -> Plain {
    if c.is_ascii() {
        return Plain::Same;
    }
    if let Some(sign) = sign(c) {
        return Plain::As(sign);
    }
    if let Some(digit) = digit(c) {
        return Plain::As(digit);
    }
    match fold::fold(c) {
        Folded::Nothing(_) => Plain::Nothing,
        Folded::Letter(letter) if letter.is_ascii() && c.is_uppercase() => Plain::As(letter.to_ascii_uppercase()),
        Folded::Letter(letter) | Folded::Digit(letter) if letter.is_ascii() => Plain::As(letter),
        _ => Plain::Same,
    }
}

fn sign(c: char) -> Option<char> {
    Some(match c {
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}' => '-',
        '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' | '\u{2800}' => ' ',
        '\u{2024}' | '\u{3002}' | '\u{fe52}' | '\u{ff0e}' | '\u{ff61}' => '.',
        '\u{ff3f}' | '\u{fe4d}'..='\u{fe4f}' | '\u{203f}' => '_',
        '\u{ff01}'..='\u{ff0f}' | '\u{ff1a}'..='\u{ff20}' | '\u{ff3b}'..='\u{ff40}' | '\u{ff5b}'..='\u{ff5e}' => {
            char::from_u32(c as u32 - 0xfee0)?
        }
        _ => return None,
    })
}

/// The digits 0 of scripts whose other digits follow.
const ZEROS: [u32; 22] = [
    0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xe50, 0xed0, 0xf20, 0x1040,
    0x17e0, 0x1810, 0x2070, 0x2080, 0xff10, 0x1fbf0,
];

/// Returns the digit that a digit of another script, or in a circle or another position, stands for.
fn digit(c: char) -> Option<char> {
    let code = c as u32;
    let value = match code {
        0xb9 => 1,
        0xb2 | 0xb3 => code - 0xb0,
        0x24ea | 0x24ff | 0x1f10b | 0x1f10c => 0,
        0x2460..=0x2468 => code - 0x245f,
        0x2474..=0x247c => code - 0x2473,
        0x2488..=0x2490 => code - 0x2487,
        0x24f5..=0x24fd => code - 0x24f4,
        0x2776..=0x277e => code - 0x2775,
        0x2780..=0x2788 => code - 0x277f,
        0x278a..=0x2792 => code - 0x2789,
        0x1d7ce..=0x1d7ff => (code - 0x1d7ce) % 10,
        _ => code - ZEROS.iter().find(|zero| (**zero..**zero + 10).contains(&code))?,
    };
    char::from_digit(value, 10)
}

/// The digits in words of common languages, from 0.
const NUMERALS: [&[&str]; 10] = [
    &["zero", "oh", "null", "cero", "zéro", "nul", "nulla"],
    &["one", "eins", "ein", "un", "uno", "um", "een", "één"],
    &["two", "zwei", "zwo", "deux", "dos", "due", "dois", "twee"],
    &["three", "drei", "trois", "tres", "tre", "três", "drie"],
    &["four", "vier", "quatre", "cuatro", "quattro", "quatro"],
    &["five", "fünf", "fuenf", "cinq", "cinco", "cinque", "vijf"],
    &["six", "sechs", "seis", "sei", "zes"],
    &["seven", "sieben", "sept", "siete", "sette", "sete", "zeven"],
    &["eight", "acht", "huit", "ocho", "otto", "oito"],
    &["nine", "neun", "neuf", "nueve", "nove", "negen"],
];
/// Digits in a row from which words are a number.
const NUMERALS_MIN: usize = 4;

fn numeral(word: &str) -> Option<char> {
    if !(2..=8).contains(&word.len()) {
        return word.parse::<char>().ok().filter(char::is_ascii_digit);
    }
    let lower = word.to_lowercase();
    let value = NUMERALS.iter().position(|names| names.contains(&&*lower))?;
    char::from_digit(u32::try_from(value).ok()?, 10)
}

/// Returns a text with its rows of digits in words as numbers; `None` if it has none.
pub(super) fn numerals(text: &str) -> Option<DerivedText> {
    let (mut form, mut copied) = (DerivedText::default(), 0);
    let mut row = Row::default();
    let mut end_of_row = |row: &mut Row, form: &mut DerivedText| {
        if row.digits.len() >= NUMERALS_MIN && row.has_word {
            form.copy(&text[copied..row.start], copied);
            form.put(&row.digits, row.start, row.end);
            copied = row.end;
        }
        *row = Row::default();
    };
    for (start, word) in words(text) {
        let found = numeral(word);
        let is_near = row.digits.is_empty() || start - row.end <= 4;
        if found.is_none() || !is_near {
            end_of_row(&mut row, &mut form);
        }
        if let Some(digit) = found {
            row.start = if row.digits.is_empty() { start } else { row.start };
            row.end = start + word.len();
            row.has_word |= word.len() > 1;
            row.digits.push(digit);
        }
    }
    end_of_row(&mut row, &mut form);
    if copied == 0 {
        return None;
    }
    form.copy(&text[copied..], copied);
    Some(form)
}

/// Digits in words in a row.
#[derive(Default)]
struct Row {
    digits: String,
    start: usize,
    end: usize,
    has_word: bool,
}

/// Returns the words of a text with their first bytes.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let base = text.as_ptr() as usize;
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(move |word| (word.as_ptr() as usize - base, word))
}
