//! Tokens in the addresses of programs that count clicks: they encode the address of a link in base64 or in hexadecimal
//! digits. A token has letters and digits only, so its letters in base64 are no signs either. Pure, in linear time.

use std::ops::Range;

use memchr::memmem;

use super::{PREFIX, SECRET_DIGITS, is_digit, tokens::Found};

/// The first letter of the prefix of a token in hexadecimal digits.
const FIRST_HEX: &str = "70";
/// The most signs between two letters in hexadecimal digits: a line break and the sign of a quote among them.
const BETWEEN_HEX_MAX: usize = 8;
/// The prefix of a token as a number of 24 bits.
const PREFIX_BITS: u64 = 0x70_6874;
const PREFIX_BITS_MASK: u64 = 0xff_ffff;
/// Letters and digits in a row, without which a text has no token in base64. Most words are shorter, and lines of base64 are
/// longer.
const RUN_MIN: usize = 12;
/// Bytes after a run in which the prefix of a token ends that begins in it, on the next line.
const PREFIX_BYTES_MAX: usize = 32;
/// Bits of a letter of base64.
const LETTER_BITS: usize = 6;

/// Returns whether a text has a token in base64 or hexadecimal digits.
pub(super) fn is_in(text: &[u8]) -> bool {
    !find(text).is_empty()
}

/// Returns the tokens of a text in base64 or hexadecimal digits.
pub(super) fn find(text: &[u8]) -> Vec<Found> {
    let (mut found, mut at) = (hexadecimal(text), 0);
    while let Some(run) = next_run(text, at) {
        base64(text, run.start.max(at)..text.len().min(run.end + PREFIX_BYTES_MAX), &mut found);
        at = run.end;
    }
    found
}

/// Returns the next long run of letters and digits. Looks at few bytes of a text of short words.
fn next_run(text: &[u8], from: usize) -> Option<Range<usize>> {
    let mut start = from;
    while let Some(run) = text.get(start..start + RUN_MIN) {
        match run.iter().rposition(|byte| value(*byte).is_none()) {
            Some(other) => start += other + 1,
            None => {
                let rest = &text[start + RUN_MIN..];
                let more = rest.iter().position(|byte| value(*byte).is_none()).unwrap_or(rest.len());
                return Some(start..start + RUN_MIN + more);
            }
        }
    }
    None
}

/// Finds the tokens of which each character is two hexadecimal digits, with or without signs between them, such as in
/// `70:68:74` and `0x70, 0x68, 0x74`.
fn hexadecimal(text: &[u8]) -> Vec<Found> {
    let mut found = Vec::new();
    for start in memmem::find_iter(text, FIRST_HEX) {
        let mut at = start;
        let is_token = PREFIX.bytes().all(|letter| next_pair(text, &mut at) == Some(letter));
        if !is_token {
            continue;
        }
        let mut secret = String::with_capacity(SECRET_DIGITS);
        while let Some(digit) =
            next_pair(text, &mut at).filter(|digit| secret.len() < SECRET_DIGITS && is_digit(*digit))
        {
            secret.push(char::from(digit));
            if secret.len() == SECRET_DIGITS {
                found.push(Found { range: start..at, secret });
                break;
            }
        }
    }
    found
}

/// Reads the next two hexadecimal digits, and moves behind them.
fn next_pair(text: &[u8], at: &mut usize) -> Option<u8> {
    let rest = text.get(*at..)?;
    let is_between = |byte: &&u8| is_gap(**byte) || b":,;-.|\"'".contains(byte);
    let between = rest.iter().take(BETWEEN_HEX_MAX).take_while(is_between).count();
    let mark = if matches!(rest.get(between..between + 2), Some([b'0', b'x' | b'X'])) { 2 } else { 0 };
    let pair = rest.get(between + mark..between + mark + 2)?;
    let value = pair.iter().try_fold(0, |value, digit| Some(value << 4 | char::from(*digit).to_digit(16)?))?;
    *at += between + mark + 2;
    u8::try_from(value).ok()
}

/// Finds the tokens in base64 whose prefix is in a range. A token ends at the end of a letter, or two or
/// four bits before it.
fn base64(text: &[u8], range: Range<usize>, found: &mut Vec<Found>) {
    let (mut bits, mut letters, mut read_until) = (0_u64, 0, 0);
    for at in range {
        let Some(value) = value(text[at]) else {
            if !is_gap(text[at]) {
                letters = 0;
            }
            continue;
        };
        (bits, letters) = (bits << LETTER_BITS | u64::from(value), letters + 1);
        let is_prefix =
            |spare: usize| letters * LETTER_BITS >= 24 + spare && bits >> spare & PREFIX_BITS_MASK == PREFIX_BITS;
        let Some(spare) = [0, 2, 4].into_iter().find(|spare| is_prefix(*spare)) else { continue };
        // A prefix within a secret can't be: the letters of the prefix are no digits of it.
        if at < read_until {
            continue;
        }
        if let Some(token) = secret(text, at, bits, spare) {
            read_until = token.range.end;
            found.push(token);
        }
    }
}

/// Reads the secret after a prefix that ends some bits before the end of a letter of base64.
fn secret(text: &[u8], prefix_end: usize, bits: u64, spare: usize) -> Option<Found> {
    let mut secret = String::with_capacity(SECRET_DIGITS);
    let (mut pending, mut count) = (bits & ((1 << spare) - 1), spare);
    for at in prefix_end + 1..text.len() {
        let Some(value) = value(text[at]) else {
            if is_gap(text[at]) {
                continue;
            }
            return None;
        };
        (pending, count) = (pending << LETTER_BITS | u64::from(value), count + LETTER_BITS);
        if count >= 8 {
            count -= 8;
            let byte = (pending >> count & 0xff) as u8;
            if !is_digit(byte) {
                return None;
            }
            secret.push(char::from(byte));
            pending &= (1 << count) - 1;
        }
        if secret.len() == SECRET_DIGITS {
            return Some(Found { range: prefix_start(text, prefix_end, spare)..at + 1, secret });
        }
    }
    None
}

/// Returns where the letters begin that stand for a prefix.
fn prefix_start(text: &[u8], end: usize, spare: usize) -> usize {
    let letters = (24 + spare).div_ceil(LETTER_BITS);
    let mut of_base64 = (0..=end).rev().filter(|at| value(text[*at]).is_some());
    of_base64.nth(letters - 1).unwrap_or(0)
}

/// Returns the value of a letter or digit in base64.
fn value(letter: u8) -> Option<u8> {
    const NONE: u8 = u8::MAX;
    static VALUES: [u8; 256] = {
        let mut values = [NONE; 256];
        let mut at = 0;
        while at < 26 {
            values[b'A' as usize + at] = at as u8;
            values[b'a' as usize + at] = at as u8 + 26;
            at += 1;
        }
        while at < 36 {
            values[b'0' as usize + at - 26] = at as u8 + 26;
            at += 1;
        }
        values
    };
    Some(VALUES[letter as usize]).filter(|value| *value != NONE)
}

/// Returns whether programs put a sign between lines of base64, also if they quote it.
const fn is_gap(byte: u8) -> bool {
    matches!(byte, b'\r' | b'\n' | b' ' | b'\t' | b'>')
}

#[cfg(test)]
mod tests {
    use base64::{
        Engine as _,
        engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
    };

    use super::{super::*, RUN_MIN};

    const SECRET: &str = "0123456789abcdef0123456789abcdef";

    /// Returns an address with a token, in the encodings of programs that count clicks.
    fn encoded(address: &str) -> Vec<String> {
        let hex: String = address.bytes().map(|byte| format!("{byte:02x}")).collect();
        let json = format!("{{\"url\":\"{}\",\"id\":\"a\"}}", address.replace('/', "\\/"));
        vec![
            STANDARD.encode(address),
            STANDARD.encode(address).replace('+', "%2B").replace('/', "%2F").replace('=', "%3D"),
            URL_SAFE_NO_PAD.encode(address),
            URL_SAFE_NO_PAD.encode(json),
            URL_SAFE_NO_PAD.encode(address.replace(':', "%3A").replace('/', "%2F")),
            hex.to_uppercase(),
            hex,
        ]
    }

    #[test]
    fn an_encoded_address_is_masked() {
        let token = of_secret(SECRET);
        for before in ["", "x", "xy", "xyz"] {
            for value in encoded(&format!("{before}https://h.example/claim/{token}")) {
                for text in [
                    format!("<a href=\"https://t.example/?u={value}&amp;s=1\">here</a>"),
                    format!("https://t.example/c/{value}/x"),
                    value.clone(),
                ] {
                    let mut codes = TokenCodes::default();
                    let masked = masked(&text, &mut codes).unwrap_or_else(|| panic!("{text}"));
                    assert!(masked.contains(MASK) && is_in(&text) && is_in_bytes(text.as_bytes()), "{text}: {masked}");
                    assert!(!masked.contains(&value[value.len() - 30..]) || value.len() > 150, "{masked}");
                    assert!(codes.is_code(&crate::user::sign_in_code(&token)), "{text}");
                    assert!(!is_in(&masked) && is_in_binary(text.as_bytes()), "{masked}");
                }
            }
        }
    }

    #[test]
    fn base64_in_lines_is_masked() {
        let mail = format!("Open this page:\r\nhttps://h.example/claim/{}\r\nBye", of_secret(SECRET));
        let lines = STANDARD.encode(mail).as_bytes().chunks(60).map(|line| line.to_vec()).collect::<Vec<_>>();
        for gap in ["\n", "\r\n> "] {
            let text = lines.join(gap.as_bytes());
            assert!(is_in_bytes(&text), "{gap:?}");
        }
    }

    #[test]
    fn base64_in_short_lines_is_masked() {
        for (before, width) in
            ["", "x", "xy"].into_iter().flat_map(|before| (RUN_MIN..=60).map(move |width| (before, width)))
        {
            let value = STANDARD.encode(format!("{before}https://h.example/claim/{}", of_secret(SECRET)));
            let lines: Vec<&str> =
                value.as_bytes().chunks(width).map(|line| std::str::from_utf8(line).unwrap()).collect();
            for gap in ["\r\n", "\n> "] {
                let text = lines.join(gap);
                let masked = masked(&text, &mut TokenCodes::default()).unwrap_or_else(|| panic!("{width} {text}"));
                assert!(!is_in(&masked), "{width} {masked}");
            }
        }
    }

    #[test]
    fn letters_in_codes_are_masked() {
        let address = format!("https://h.example/claim/{}", of_secret(SECRET));
        let each = |code: &dyn Fn(u8) -> String| address.bytes().map(code).collect::<String>();
        let hex: Vec<String> = address.bytes().map(|byte| format!("{byte:02x}")).collect();
        let mut all = vec![
            each(&|byte| format!("\\u{{{byte:x}}}")),
            each(&|byte| format!("\\u{{{byte:06x}}}")),
            each(&|byte| format!("%u{byte:04x}")),
            each(&|byte| format!("\\{byte:03o}")),
            each(&|byte| format!("\\{byte:x} ")),
            each(&|byte| format!("\\{byte:06x}")),
            each(&|byte| format!("\\x{byte:02x}")),
            each(&|byte| format!("0x{byte:02x}, ")),
            each(&|byte| format!("0x{byte:02X} ")),
            each(&|byte| format!("\"0x{byte:02x}\",")),
        ];
        all.extend([" ", ":", "-", ", ", ".", "|", "  ", "; "].map(|between| hex.join(between)));
        all.extend(
            [4, 8, 16, 20].map(|width| hex.chunks(width).map(|row| row.join(" ")).collect::<Vec<_>>().join("\r\n> ")),
        );
        all.extend(
            [10, 30, 36].map(|width| hex.chunks(width).map(|row| row.concat()).collect::<Vec<_>>().join("\r\n")),
        );
        for text in all {
            for text in [text.clone(), format!("See {text} there"), text.to_uppercase().replace("0X", "0x")] {
                // Only these are codes in small letters.
                if text.contains("\\U") || text.contains("\\X") {
                    continue;
                }
                let masked = masked(&text, &mut TokenCodes::default()).unwrap_or_else(|| panic!("{text}"));
                assert!(masked.contains(MASK) && !is_in(&masked), "{text}: {masked}");
            }
        }
    }

    #[test]
    fn the_rest_of_an_encoded_address_stays() {
        let value = STANDARD.encode(format!("{}&a=1", of_secret(SECRET)));
        let masked = masked(&format!("u={value}"), &mut TokenCodes::default()).unwrap();
        assert!(masked.starts_with(&format!("u={MASK}")) && masked.ends_with(&value[48..]), "{masked}");
    }

    #[test]
    fn other_encoded_text_stays() {
        let long = "A".repeat(80);
        for text in [
            STANDARD.encode("https://h.example/claim/pht0123456789abcdef and no more than that"),
            format!("{long} cGh0 cGh0MTIz, 706874, {}", "706874".repeat(40)),
            STANDARD.encode([7; 200]),
            "cGh0".repeat(100),
        ] {
            assert!(!is_in(&text), "{text}");
        }
    }
}
