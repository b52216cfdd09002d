//! Encoded words of header values (RFC 2047): `=?charset?B?…?=`.
//!
//! Lenient about common violations: overlong words, spaces inside words, characters split between adjacent words of the
//! same character set. Runs in linear time: a failing scan is bounded or never repeated. The result never contains
//! control characters.

use crate::parse::charset::{self, CharsetHints, EncodedText};
use crate::parse::transfer;

/// Maximum length of a character set label in bytes, including the language tag.
const CHARSET_LABEL_BYTES_MAX: usize = 64;

struct EncodedWord<'a> {
    charset: &'a str,
    bytes: Vec<u8>,
    /// Offset after the closing `?=`, relative to the opening `=?`.
    length: usize,
    /// Whether the bytes are those of several words.
    is_joined: bool,
}

/// Decodes the encoded words of a text. Returns `None` if it contains none.
pub(crate) fn decode_words(text: &str) -> Option<String> {
    decode_words_in(text, CharsetHints::default())
}

/// Like [`decode_words`], with what the message shows about the character set of words that state none, or a wrong one.
pub(super) fn decode_words_in(text: &str, hints: CharsetHints<'_>) -> Option<String> {
    let mut out = String::new();
    let mut pending: Option<EncodedWord<'_>> = None;
    let mut rest = text;
    let mut has_word = false;
    let last_close = text.rfind("?=")?;
    while let Some(start) = rest.find("=?") {
        let (before, from_word) = rest.split_at(start);
        // `last_close` is searched only once: searching for a `?=` after every `=?` would take quadratic time.
        if text.len() - from_word.len() > last_close {
            break;
        }
        let Some(word) = read_word(from_word) else {
            flush(&mut out, &mut pending, hints);
            out.push_str(before);
            out.push_str("=?");
            rest = &from_word[2..];
            continue;
        };
        has_word = true;
        let is_adjacent = before.chars().all(char::is_whitespace) && pending.is_some();
        if !is_adjacent {
            flush(&mut out, &mut pending, hints);
            out.push_str(before);
        }
        rest = &from_word[word.length..];
        match &mut pending {
            Some(pending) if pending.continues_in(&word) => {
                pending.bytes.extend_from_slice(&word.bytes);
                pending.is_joined = true;
            }
            _ => {
                flush(&mut out, &mut pending, hints);
                pending = Some(word);
            }
        }
    }
    if !has_word {
        return None;
    }
    flush(&mut out, &mut pending, hints);
    out.push_str(rest);
    Some(out)
}

/// Re-encodes encoded words to UTF-8 that readers of addresses would decode differently: words next to each other, and
/// those whose character set only [`charset`] decodes. Returns `None` if there are no such words. The words stay encoded,
/// so their content can't become syntax of an address field.
pub(crate) fn recode_words(text: &str, hints: CharsetHints<'_>) -> Option<String> {
    use base64::Engine as _;
    let last_close = text.rfind("?=")?;
    let mut out = String::new();
    let mut done = 0;
    let mut has_word = false;
    while let Some(start) = text[done..].find("=?").map(|at| done + at).filter(|start| *start < last_close) {
        out.push_str(&text[done..start]);
        let Some(word) = read_word(&text[start..]) else {
            out.push_str("=?");
            done = start + 2;
            continue;
        };
        let mut end = start + word.length;
        let mut is_run = false;
        while let Some(next) = adjacent_word(text, end).filter(|next| next.start < last_close) {
            (end, is_run) = (next.end, true);
        }
        done = end;
        let run = &text[start..end];
        if is_run || !is_decoded_alike(word.charset) || !run.is_ascii() {
            has_word = true;
            let decoded = decode_words_in(run, hints).unwrap_or_default();
            let encoded = base64::engine::general_purpose::STANDARD.encode(decoded);
            out.push_str(&format!("=?utf-8?B?{encoded}?="));
        } else {
            out.push_str(run);
        }
    }
    out.push_str(&text[done..]);
    has_word.then_some(out)
}

/// Returns the range of the encoded word that only white space separates from offset `from`.
fn adjacent_word(text: &str, from: usize) -> Option<std::ops::Range<usize>> {
    let rest = text[from..].trim_start();
    let start = text.len() - rest.len();
    let word = rest.starts_with("=?").then(|| read_word(rest)).flatten()?;
    Some(start..start + word.length)
}

/// Returns whether all decoders read a character set alike.
fn is_decoded_alike(label: &str) -> bool {
    charset::is_known(label) && !charset::is_own(label) && !charset::is_stateful(label)
}

impl EncodedWord<'_> {
    /// Returns whether a character may be split between this word and the next one. A word with shift sequences ends
    /// where it began (RFC 2047 §5), so it's decoded on its own unless that fails.
    fn continues_in(&self, next: &EncodedWord<'_>) -> bool {
        let is_whole = |word: &EncodedWord<'_>| {
            !charset::decode(Some(word.charset), &word.bytes).contains(char::REPLACEMENT_CHARACTER)
        };
        self.charset.eq_ignore_ascii_case(next.charset)
            && (self.is_joined || !charset::is_stateful(self.charset) || !is_whole(self) || !is_whole(next))
    }
}

fn flush(out: &mut String, pending: &mut Option<EncodedWord<'_>>, hints: CharsetHints<'_>) {
    let Some(word) = pending.take() else {
        return;
    };
    let encoded = EncodedText { bytes: &word.bytes, label: Some(word.charset), is_html: false, hints };
    for c in encoded.decode().chars() {
        match c {
            '\t' | '\n' | '\r' => out.push(' '),
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
}

/// Parses the encoded word at the start of `text`, which begins with `=?`.
fn read_word(text: &str) -> Option<EncodedWord<'_>> {
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
        b'q' | b'Q' => decode_q_word(encoded, label),
        _ => return None,
    };
    Some(EncodedWord {
        charset: label.split('*').next().unwrap_or(label),
        bytes,
        length: label_end + 3 + encoded.len() + 2,
        is_joined: false,
    })
}

/// Decodes a Q-encoded word. Unencoded non-ASCII characters, which RFC 2047 §4.2 forbids, come from bytes that were
/// decoded as windows-1252: they are converted back to one byte, unless the charset of the word is UTF-8.
fn decode_q_word(encoded: &str, label: &str) -> Vec<u8> {
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
