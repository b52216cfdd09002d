//! Encoded words of header values (RFC 2047): `=?charset?B?…?=`.
//!
//! Lenient where mail in the field is: long words, blanks inside, characters split over neighbouring words of one
//! character set. Linear: a scan that fails is bounded or never repeated. The result never holds control characters.

use crate::parse::charset;
use crate::parse::transfer;

/// Longest character set label, language tag included, in bytes.
const CHARSET_LABEL_BYTES_MAX: usize = 64;

struct Word<'a> {
    charset: &'a str,
    bytes: Vec<u8>,
    /// Offset behind the closing `?=`, counted from the opening `=?`.
    length: usize,
}

/// The text with its encoded words decoded; `None` when it holds none.
pub(crate) fn decode_words(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut pending: Option<(&str, Vec<u8>)> = None;
    let mut rest = text;
    let mut found = false;
    let last_close = text.rfind("?=")?;
    while let Some(start) = rest.find("=?") {
        let (before, from_word) = rest.split_at(start);
        // Looked up once: asking "is there a close ahead" at every open would be quadratic.
        if text.len() - from_word.len() > last_close {
            break;
        }
        let Some(word) = read_word(from_word) else {
            flush(&mut out, &mut pending);
            out.push_str(before);
            out.push_str("=?");
            rest = &from_word[2..];
            continue;
        };
        found = true;
        let joined = before.chars().all(char::is_whitespace) && pending.is_some();
        if !joined {
            flush(&mut out, &mut pending);
            out.push_str(before);
        }
        match &mut pending {
            Some((charset, bytes)) if charset.eq_ignore_ascii_case(word.charset) => {
                bytes.extend_from_slice(&word.bytes);
            }
            _ => {
                flush(&mut out, &mut pending);
                pending = Some((word.charset, word.bytes));
            }
        }
        rest = &from_word[word.length..];
    }
    if !found {
        return None;
    }
    flush(&mut out, &mut pending);
    out.push_str(rest);
    Some(out)
}

/// The text with its encoded words in UTF-8 where their character set is one that only [`charset::decode`] knows; `None`
/// when it holds no such word. The words stay encoded: what is in them cannot become structure of an address field.
pub(crate) fn recode_words(text: &str) -> Option<String> {
    use base64::Engine as _;
    let last_close = text.rfind("?=")?;
    let mut out = String::new();
    let mut done = 0;
    let mut found = false;
    while let Some(start) = text[done..].find("=?").map(|at| done + at).filter(|start| *start < last_close) {
        out.push_str(&text[done..start]);
        let word = read_word(&text[start..]);
        done = start + word.as_ref().map_or(2, |word| word.length);
        match word.filter(|word| charset::is_own(word.charset)) {
            Some(word) => {
                found = true;
                let decoded = charset::decode(Some(word.charset), &word.bytes);
                let encoded = base64::engine::general_purpose::STANDARD.encode(&*decoded);
                out.push_str(&format!("=?utf-8?B?{encoded}?="));
            }
            None => out.push_str(&text[start..done]),
        }
    }
    out.push_str(&text[done..]);
    found.then_some(out)
}

fn flush(out: &mut String, pending: &mut Option<(&str, Vec<u8>)>) {
    let Some((label, bytes)) = pending.take() else {
        return;
    };
    for c in charset::decode(Some(label), &bytes).chars() {
        match c {
            '\t' | '\n' | '\r' => out.push(' '),
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
}

/// Reads the word at the start of `text`, which begins with `=?`.
fn read_word(text: &str) -> Option<Word<'_>> {
    let bytes = text.as_bytes();
    let label_end = bytes.iter().skip(2).take(CHARSET_LABEL_BYTES_MAX).position(|&byte| byte == b'?')? + 2;
    let label = &text[2..label_end];
    if label.is_empty() || !label.bytes().all(|byte| byte.is_ascii_graphic()) {
        return None;
    }
    let encoding = bytes.get(label_end + 1)?;
    if bytes.get(label_end + 2) != Some(&b'?') {
        return None;
    }
    let encoded = text.get(label_end + 3..)?;
    let encoded = &encoded[..encoded.find("?=")?];
    let bytes = match encoding {
        b'b' | b'B' => transfer::base64(encoded.as_bytes()),
        b'q' | b'Q' => q_word(encoded, label),
        _ => return None,
    };
    Some(Word { charset: label.split('*').next().unwrap_or(label), bytes, length: label_end + 3 + encoded.len() + 2 })
}

/// The bytes of a Q word. What stands there unencoded against RFC 2047 §4.2 was read as windows-1252 when it was not
/// UTF-8: it goes back to the byte it was, unless the word says that it is UTF-8.
fn q_word(encoded: &str, label: &str) -> Vec<u8> {
    let is_utf8 = label.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("utf-8"));
    let mut out = Vec::with_capacity(encoded.len());
    let mut rest = encoded.chars();
    while let Some(c) = rest.next() {
        match (c, u8::try_from(c)) {
            ('_', _) => out.push(b' '),
            ('=', _) => match transfer::hex_pair(rest.as_str().as_bytes()) {
                Some(value) => {
                    out.push(value);
                    rest.next();
                    rest.next();
                }
                None => out.push(b'='),
            },
            (c, Ok(byte)) if c.is_ascii() || !is_utf8 => out.push(byte),
            (c, _) => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    out
}
