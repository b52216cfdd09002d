//! Texts that runs of digits and invisible characters stand for.

use base64::{Engine as _, engine::general_purpose};

/// The shortest run that is decoded, in characters.
const RUN_MIN: usize = 12;
/// The least bytes whose numbers are decoded: those of `a@b.cd`.
const NUMBERS_MIN: usize = 6;
/// The most characters between two numbers, with a prefix: ` : U+`.
const GAP_MAX: usize = 6;
/// The bases of numbers, and the number of `@` in them.
const BASES: [(u32, &str); 4] = [(16, "40"), (10, "64"), (8, "100"), (2, "1000000")];

/// Returns the texts that a text stands for: base64, numbers of characters, and characters that nobody sees.
pub(super) fn texts(text: &str) -> Vec<String> {
    let mut found = runs(text);
    found.extend(all_numbers(text));
    found.extend(with_tag_characters(text));
    found.extend(selected(text));
    found
}

/// Returns the texts that numbers of bytes stand for.
pub(super) fn all_numbers(text: &str) -> impl Iterator<Item = String> {
    BASES.iter().filter(|(base, at)| has_at(text, *base, at)).flat_map(|(base, _)| numbers(text, *base))
}

/// Returns the texts that runs of base64 or hexadecimal digits stand for.
fn runs(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let is_code = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=' | '_' | '-');
    for run in text.split(|c: char| !is_code(c)).filter(|run| run.len() >= RUN_MIN) {
        let bare = run.trim_end_matches('=');
        let standard = bare.replace('-', "+").replace('_', "/");
        let decoded = general_purpose::STANDARD_NO_PAD.decode(&standard).ok();
        found.extend(decoded.and_then(|bytes| String::from_utf8(bytes).ok()).filter(|text| is_text(text)));
        found.extend(from_hex(bare).filter(|text| is_text(text)));
    }
    found
}

fn is_text(text: &str) -> bool {
    !text.chars().any(|c| c.is_control() && !c.is_whitespace())
}

fn from_hex(run: &str) -> Option<String> {
    if !run.len().is_multiple_of(2) || !run.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    let bytes = run.as_bytes().chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok());
    String::from_utf8(bytes.collect::<Option<Vec<u8>>>()?).ok()
}

/// Returns whether a number in the text has the digits of `@`. Most texts have none, and are read no further.
fn has_at(text: &str, base: u32, at: &str) -> bool {
    let bytes = text.as_bytes();
    let is_sign = |byte: &u8| !byte.is_ascii_alphanumeric();
    let mut from = 0;
    while let Some(found) = memchr::memmem::find(&bytes[from..], at.as_bytes()) {
        let digits = from + found;
        let start = bytes[from..digits].iter().rposition(is_sign).map_or(from, |sign| from + sign + 1);
        let end = bytes[digits..].iter().position(is_sign).map_or(bytes.len(), |sign| digits + sign);
        if bytes_of(&text[start..end], base).is_some_and(|bytes| bytes.contains(&b'@')) {
            return true;
        }
        from = end;
    }
    false
}

/// Returns the texts that numbers of bytes with signs between them stand for, such as `61 40 62`, `61:40:62`, `0x61, 0x40`.
fn numbers(text: &str, base: u32) -> Vec<String> {
    let (mut found, mut bytes, mut end) = (Vec::new(), Vec::new(), 0);
    let mut end_run = |bytes: &mut Vec<u8>| {
        if bytes.len() >= NUMBERS_MIN && bytes.contains(&b'@') {
            found.push(String::from_utf8_lossy(bytes).into_owned());
        }
        bytes.clear();
    };
    let is_number = |c: char| c.is_ascii_alphanumeric();
    let mut rest = text;
    while let Some(start) = rest.find(is_number) {
        let at = text.len() - rest.len() + start;
        let length = text[at..].find(|c| !is_number(c)).unwrap_or(text.len() - at);
        let token = &text[at..at + length];
        rest = &text[at + length..];
        // The prefix of `U+0061`.
        if matches!(token, "U" | "u") {
            continue;
        }
        match bytes_of(token, base) {
            Some(more) if at - end <= GAP_MAX => bytes.extend(more),
            more => {
                end_run(&mut bytes);
                bytes.extend(more.into_iter().flatten());
            }
        }
        end = at + length;
    }
    end_run(&mut bytes);
    found
}

/// Returns the bytes of one number, which is hexadecimal for several. Zeros are of wide characters.
fn bytes_of(token: &str, base: u32) -> Option<Vec<u8>> {
    let digits = token.strip_prefix("0x").or_else(|| token.strip_prefix(['x', 'u'])).unwrap_or(token);
    let is_whole = match base {
        16 => digits.len().is_multiple_of(2),
        10 => matches!(digits.len(), 2 | 3),
        8 => digits.len() == 3,
        _ => matches!(digits.len(), 7 | 8),
    };
    if !is_whole || !digits.chars().all(|c| c.is_digit(base)) {
        return None;
    }
    let size = if base == 16 { 2 } else { digits.len() };
    let parts = digits.as_bytes().chunks(size).map(|part| std::str::from_utf8(part).ok());
    let bytes = parts.map(|part| u8::from_str_radix(part?, base).ok()).collect::<Option<Vec<u8>>>()?;
    Some(bytes.into_iter().filter(|byte| *byte > 0).collect())
}

/// Returns a text with the ASCII characters that its tag characters stand for.
fn with_tag_characters(text: &str) -> Option<String> {
    let is_tag = |c: char| matches!(c, '\u{e0020}'..='\u{e007e}');
    let ascii = |c: char| if is_tag(c) { char::from_u32(u32::from(c) - 0xe_0000).unwrap_or(c) } else { c };
    text.contains(is_tag).then(|| text.chars().map(ascii).collect())
}

/// Returns the text whose bytes are variation selectors.
fn selected(text: &str) -> Option<String> {
    let byte = |c: char| match c {
        '\u{fe00}'..='\u{fe0f}' => u8::try_from(u32::from(c) - 0xfe00).ok(),
        '\u{e0100}'..='\u{e01ef}' => u8::try_from(u32::from(c) - 0xe_0100 + 16).ok(),
        _ => None,
    };
    let bytes: Vec<u8> = text.chars().filter_map(byte).collect();
    bytes.contains(&b'@').then(|| String::from_utf8_lossy(&bytes).into_owned())
}
