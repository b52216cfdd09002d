//! HTML character references (`&amp;`, `&#8217;`, `&#x2019;`).

use std::borrow::Cow;

use encoding_rs::WINDOWS_1252;
use mail_parser::decoders::html::add_html_token;
use memchr::memchr;

use crate::byte_search::find_byte;

/// Maximum length of a reference in bytes, including `&` and `;`. The longest name has 31 letters.
const REFERENCE_BYTES_MAX: usize = 34;

/// References that are decoded without a semicolon, as in browsers.
const BARE: &[(&str, char)] = &[
    ("&nbsp", '\u{a0}'),
    ("&amp", '&'),
    ("&lt", '<'),
    ("&gt", '>'),
    ("&quot", '"'),
    ("&copy", '\u{a9}'),
    ("&reg", '\u{ae}'),
];

/// Returns the text with decoded references. Unknown references are kept as they are.
pub(crate) fn decoded(text: &str) -> Cow<'_, str> {
    if find_byte(b'&', text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = memchr(b'&', rest.as_bytes()) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = push_reference(&mut out, rest);
        rest = &rest[length..];
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Returns the value of an attribute with decoded references. As in browsers, a reference without a semicolon before `=`
/// or a letter is text, so that `?a=1&copy=2` stays what it is.
pub(crate) fn decoded_attribute(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let name = rest[1..].bytes().take_while(u8::is_ascii_alphanumeric).take(REFERENCE_BYTES_MAX).count();
        let is_bare = rest.as_bytes().get(1 + name) != Some(&b';') && name > 0;
        let is_text = is_bare && {
            let longest = BARE.iter().find(|(reference, _)| rest.starts_with(reference));
            longest.is_none_or(|(reference, _)| {
                let next = rest.as_bytes().get(reference.len());
                next.is_some_and(|byte| *byte == b'=' || byte.is_ascii_alphanumeric())
            })
        };
        let length = if is_text {
            out.push('&');
            1
        } else {
            push_reference(&mut out, rest)
        };
        rest = &rest[length..];
    }
    out.push_str(rest);
    out
}

/// Returns the character of the reference at the start of a text, and its length. Also reads what only some programs
/// accept: numbers of any length and without a semicolon.
#[must_use]
pub fn reference(text: &str) -> Option<(char, usize)> {
    let rest = text.strip_prefix('&')?;
    if let Some(number) = rest.strip_prefix('#') {
        let (digits, radix, start) = match number.strip_prefix(['x', 'X']) {
            Some(digits) => (digits, 16, 3),
            None => (number, 10, 2),
        };
        let count = digits.bytes().take_while(|byte| char::from(*byte).is_digit(radix)).count();
        let end = start + count + usize::from(digits.as_bytes().get(count) == Some(&b';'));
        let significant = digits[..count].trim_start_matches('0');
        let code = u32::from_str_radix(significant, radix).ok().filter(|_| count > 0)?;
        return Some((char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), end));
    }
    let name = rest.bytes().take(REFERENCE_BYTES_MAX).take_while(u8::is_ascii_alphanumeric).count();
    if rest.as_bytes().get(name) == Some(&b';') {
        let mut out = String::new();
        add_html_token(&mut out, &text.as_bytes()[..name + 2], false);
        let mut decoded = out.chars();
        if let (Some(only), None) = (decoded.next(), decoded.next()) {
            return Some((only, name + 2));
        }
    }
    let bare = BARE.iter().chain(&[("&shy", '\u{ad}')]).find(|(name, _)| text.starts_with(name));
    bare.map(|(name, value)| (*value, name.len()))
}

/// Decodes the reference at the start of `text`. Returns the number of bytes consumed, which is at least 1.
fn push_reference(out: &mut String, text: &str) -> usize {
    let window = text.as_bytes().get(..REFERENCE_BYTES_MAX).unwrap_or(text.as_bytes());
    let end =
        window.iter().skip(1).position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'#').map(|offset| offset + 1);
    match end {
        Some(end) if window[end] == b';' && end > 1 => {
            match text[1..end].strip_prefix('#') {
                Some(number) => out.extend(numbered(number)),
                None => add_html_token(out, &window[..=end], false),
            }
            end + 1
        }
        _ => push_bare(out, text),
    }
}

fn push_bare(out: &mut String, text: &str) -> usize {
    let may_be_name = text.as_bytes().get(1).is_some_and(u8::is_ascii_lowercase);
    for (name, value) in BARE.iter().filter(|_| may_be_name) {
        if text.starts_with(name) {
            out.push(*value);
            return name.len();
        }
    }
    out.push('&');
    1
}

/// Returns the character for `8217` or `x2019`. Numbers in the C1 range are decoded as windows-1252; other control
/// characters are dropped.
fn numbered(number: &str) -> Option<char> {
    let code = match number.strip_prefix(['x', 'X']) {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => number.parse(),
    };
    match code {
        Ok(9 | 10 | 13) => Some(' '),
        Ok(0..=31 | 127) => None,
        Ok(code @ 128..=159) => {
            let byte = [u8::try_from(code).ok()?];
            let (text, _) = WINDOWS_1252.decode_without_bom_handling(&byte);
            text.chars().next().filter(|c| !c.is_control())
        }
        Ok(code) => Some(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)),
        Err(_) => Some(char::REPLACEMENT_CHARACTER),
    }
}
