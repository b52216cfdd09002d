//! Tokens in links that the service mails. They have one form, so that mail which quotes a link can be recognized and the
//! token in it masked: a link must never work from a reply, a quote or a forwarded copy
//! (`docs/decisions/people.md#0095-the-services-own-mail`). Pure.

use std::{borrow::Cow, ops::Range};

use memchr::memchr2;
use sha2::{Digest, Sha256};

use crate::user::sign_in_code;

/// What stands in place of a token in mail that arrives.
pub const MASK: &str = "[link of this service]";
/// The start of every token. None of its letters is a hexadecimal digit.
const PREFIX: &str = "pht";
/// Hexadecimal digits of the secret.
const SECRET_DIGITS: usize = 32;
/// Hexadecimal digits that show that the text is a token, so that other text never matches.
const CHECK_DIGITS: usize = 5;
/// The length of a token.
pub const TOKEN_CHARS: usize = PREFIX.len() + SECRET_DIGITS + CHECK_DIGITS;
/// The longest tag that may stand within a token in HTML, in bytes.
const TAG_BYTES_MAX: usize = 512;

/// The kind of text that is searched for tokens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TokenText {
    /// Text, whose lines may be broken and quoted anywhere.
    Plain,
    /// HTML, whose tags may also stand anywhere.
    Html,
}

/// Returns the token with a secret of 32 hexadecimal digits.
#[must_use]
pub fn of_secret(secret: &str) -> String {
    format!("{PREFIX}{secret}{}", check_digits(secret))
}

/// Returns whether a text is exactly a token.
#[must_use]
pub fn is_token(text: &str) -> bool {
    let Some((secret, check)) = text.strip_prefix(PREFIX).and_then(|rest| rest.split_at_checked(SECRET_DIGITS)) else {
        return false;
    };
    text.len() == TOKEN_CHARS && text[PREFIX.len()..].bytes().all(is_digit) && check_digits(secret) == check
}

/// Returns whether a text has a token.
#[must_use]
pub fn is_in(text: &[u8], kind: TokenText) -> bool {
    Tokens { text, kind, at: 0 }.next().is_some()
}

/// Returns the text without its tokens and the sign-in codes that belong to them; `None` if it has no token.
#[must_use]
pub fn masked(text: &str, kind: TokenText) -> Option<MaskedText> {
    let mut tokens = Tokens { text: text.as_bytes(), kind, at: 0 }.peekable();
    tokens.peek()?;
    let (mut out, mut end, mut codes) = (String::with_capacity(text.len()), 0, Vec::new());
    for Found { range, token } in tokens {
        out.push_str(&text[end..range.start]);
        out.push_str(MASK);
        end = range.end;
        codes.push(sign_in_code(&token));
    }
    out.push_str(&text[end..]);
    codes.sort_unstable();
    codes.dedup();
    Some(MaskedText { text: without_codes(&out, &codes).into_owned(), codes })
}

/// A text after its tokens were masked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MaskedText {
    /// The text.
    pub text: String,
    /// The sign-in codes that stand for the tokens.
    pub codes: Vec<String>,
}

/// Returns the text with these sign-in codes masked.
#[must_use]
pub fn without_codes<'a>(text: &'a str, codes: &[String]) -> Cow<'a, str> {
    let mut masked = Cow::Borrowed(text);
    for code in codes.iter().filter(|code| text.contains(code.as_str())) {
        masked = Cow::Owned(masked.replace(code.as_str(), MASK));
    }
    masked
}

fn is_digit(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'f')
}

fn check_digits(secret: &str) -> String {
    let digest = Sha256::new().chain_update("link token\n").chain_update(secret).finalize();
    let digits: String = digest.iter().take(CHECK_DIGITS).map(|byte| format!("{byte:02x}")).collect();
    digits[..CHECK_DIGITS].to_owned()
}

/// A token in a text.
struct Found {
    range: Range<usize>,
    token: String,
}

/// Finds the tokens of a text. No letter of the prefix is a digit, so a text that stops matching can't have begun
/// another token: each byte is read once.
struct Tokens<'a> {
    text: &'a [u8],
    kind: TokenText,
    at: usize,
}

impl Iterator for Tokens<'_> {
    type Item = Found;

    fn next(&mut self) -> Option<Found> {
        loop {
            let start = self.at + memchr2(b'p', b'P', self.text.get(self.at..)?)?;
            let (end, token) = self.read(start);
            self.at = end;
            if is_token(&token) {
                return Some(Found { range: start..end, token });
            }
        }
    }
}

impl Tokens<'_> {
    /// Reads what may be a token; returns where it ends, or where the text stops to match.
    fn read(&self, start: usize) -> (usize, String) {
        let mut token = String::from("p");
        let mut at = start + 1;
        while token.len() < TOKEN_CHARS {
            let Some(byte) = self.text.get(at).map(u8::to_ascii_lowercase) else { break };
            let is_next = match PREFIX.as_bytes().get(token.len()) {
                Some(expected) => byte == *expected,
                None => is_digit(byte),
            };
            if is_next {
                token.push(char::from(byte));
                at += 1;
                continue;
            }
            match self.gap(at) {
                0 => break,
                bytes => at += bytes,
            }
        }
        (at, token)
    }

    /// Returns the bytes at a position that quoting programs put into the middle of a long word: line breaks with the
    /// signs of quoted lines, soft breaks, characters without width, and tags in HTML.
    fn gap(&self, at: usize) -> usize {
        let rest = &self.text[at..];
        match rest {
            [b' ' | b'\t' | b'\r' | b'\n' | b'>' | b'|', ..] => 1,
            [b'=', b'\r' | b'\n', ..] => 2,
            [0xc2, 0xad | 0xa0, ..] => 2,
            [0xe2, 0x80, 0x8b..=0x8d, ..] | [0xe2, 0x81, 0xa0, ..] | [0xef, 0xbb, 0xbf, ..] => 3,
            [b'&', ..] if self.kind == TokenText::Html => entity(rest),
            [b'<', ..] if self.kind == TokenText::Html => {
                let tag = &rest[1..rest.len().min(TAG_BYTES_MAX)];
                memchr2(b'>', b'<', tag).filter(|end| tag[*end] == b'>').map_or(0, |end| end + 2)
            }
            _ => 0,
        }
    }
}

/// Returns the length of an entity without width, or of a space, at the start of a text.
fn entity(text: &[u8]) -> usize {
    ["&shy;", "&nbsp;", "&#8203;", "&#x200b;", "&#173;", "&gt;"]
        .iter()
        .find(|name| text.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name.as_bytes())))
        .map_or(0, |name| name.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "0123456789abcdef0123456789abcdef";

    fn plain(text: &str) -> Option<String> {
        masked(text, TokenText::Plain).map(|masked| masked.text)
    }

    #[test]
    fn a_token_is_recognized_exactly() {
        let token = of_secret(SECRET);
        assert!(is_token(&token) && token.len() == TOKEN_CHARS && token.starts_with("pht0123"));
        let last = if token.ends_with('0') { '1' } else { '0' };
        let altered = format!("{}{last}", &token[..TOKEN_CHARS - 1]);
        for other in ["", SECRET, &token[1..], &token[..TOKEN_CHARS - 1], &altered, &token.to_uppercase()] {
            assert!(!is_token(other), "{other}");
        }
        assert!(!is_token(&format!("{token}0")) && !is_in(altered.as_bytes(), TokenText::Html));
    }

    /// Ways in which programs quote a link.
    fn quoted(token: &str) -> Vec<(TokenText, String)> {
        let mut all = Vec::new();
        for at in 1..TOKEN_CHARS {
            let (start, end) = token.split_at(at);
            for gap in ["\n", "\r\n> ", "\n>> ", "=\r\n", " ", "\u{200b}", "\u{ad}", "\n| ", "\u{a0}"] {
                all.push((TokenText::Plain, format!("{start}{gap}{end}")));
            }
            for gap in ["<wbr>", "</span><span style=\"x\">", "&shy;", "<br>\n&gt; ", "&#8203;"] {
                all.push((TokenText::Html, format!("{start}{gap}{end}")));
            }
        }
        all.push((TokenText::Plain, token.to_uppercase()));
        all
    }

    #[test]
    fn every_quote_of_a_token_is_masked() {
        let token = of_secret(SECRET);
        for (kind, quote) in quoted(&token) {
            let (before, after) = ("> Open https://x.example/claim/", "\n> and press the button. pht0 p");
            let text = masked(&format!("{before}{quote}{after}"), kind).expect("a token").text;
            assert_eq!(text, format!("{before}{MASK}{after}"), "{quote}");
        }
        let twice = format!("{token}, {token}{token}");
        assert_eq!(plain(&twice).as_deref(), Some(format!("{MASK}, {MASK}{MASK}").as_str()));
        assert_eq!(plain(&format!("pppht {token}p")).as_deref(), Some(format!("pppht {MASK}p").as_str()));
    }

    #[test]
    fn the_code_that_stands_for_a_token_is_masked_too() {
        let token = of_secret(SECRET);
        let code = sign_in_code(&token);
        let found = masked(&format!("{token} or {code}, not 000000x"), TokenText::Plain).expect("a token");
        assert_eq!(found.text, format!("{MASK} or {MASK}, not 000000x"));
        assert_eq!(without_codes(&format!("Code {code}"), &found.codes), format!("Code {MASK}"));
    }

    #[test]
    fn other_text_stays() {
        for text in ["", "p", "pht", "photography", &"pht".repeat(1_000), &format!("pht{SECRET}00000"), &"p<".repeat(9)]
        {
            assert_eq!(plain(text), None, "{text}");
            assert_eq!(masked(text, TokenText::Html), None, "{text}");
        }
    }
}
