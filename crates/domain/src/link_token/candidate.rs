//! Whether a text can have a token at all. Most texts can't, and reading them once, byte by byte, is cheaper than looking
//! for tokens. It says yes whenever in doubt. Pure.

use super::SECRET_DIGITS;
use memchr::memmem;

/// Bytes after `&` in which the letters of a named reference stand.
const REFERENCE_BYTES_MAX: usize = 40;
/// Bytes of a line in which the initials of an author stand before a quotation mark.
const INITIALS_BYTES_MAX: usize = 16;

/// Returns whether a text may have a token: as many hexadecimal digits as its secret, with no other letter between them that a
/// reader would see, after a letter of its prefix or with something encoded.
pub(super) fn is_in(text: &[u8]) -> bool {
    // Comments and undisplayed elements hide letters of every kind.
    if memmem::find(text, b"<!").is_some() || has_undisplayed(text) {
        return true;
    }
    let mut run = Run::default();
    let (mut at, mut word_end) = (0, 0);
    while let Some(&byte) = text.get(at) {
        let rest = &text[at + 1..];
        match byte {
            b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F' => run.digits += 1,
            // A reference whose `&` is one itself: `&amp;shy;`.
            b'g'..=b'z' | b'G'..=b'Z' => {
                if at >= word_end {
                    let word = rest.iter().position(|byte| !byte.is_ascii_alphanumeric()).unwrap_or(rest.len());
                    word_end = at + 1 + word;
                }
                if text.get(word_end) == Some(&b';') {
                    run.is_begun = true;
                } else {
                    run = Run { digits: 0, is_begun: b"phtPHT".contains(&byte) };
                }
            }
            b'<' => at += read(rest, memchr::memchr(b'>', rest), &mut run),
            b'&' => {
                run.is_begun = true;
                let near = &rest[..rest.len().min(REFERENCE_BYTES_MAX)];
                at += read(rest, memchr::memchr(b';', near), &mut run);
            }
            // The letter of an escape: `\n`, `\u0070`, `#x70`.
            b'\\' | b'#' => {
                run.is_begun = true;
                at += usize::from(rest.first().is_some_and(u8::is_ascii_alphabetic));
            }
            b'%' | b'=' | 0x80.. => run = Run { digits: run.digits + u32::from(byte >= 0xC0), is_begun: true },
            b'\n' | b'\r' => {
                // A name of an author in front of a quotation mark: `AB> text`, `Pat | text`.
                let near = &rest[..rest.len().min(INITIALS_BYTES_MAX)];
                let sign = near.iter().rposition(|byte| !byte.is_ascii_alphanumeric() && !byte.is_ascii_whitespace());
                at += read(rest, sign, &mut run);
            }
            _ => {}
        }
        if run.is_begun && run.digits as usize >= SECRET_DIGITS {
            return true;
        }
        at += 1;
    }
    false
}

#[derive(Default, Clone, Copy)]
struct Run {
    digits: u32,
    is_begun: bool,
}

/// Counts the digits before an end, if there is one, and returns how many bytes those are. Letters don't end the run there.
fn read(rest: &[u8], end: Option<usize>, run: &mut Run) -> usize {
    let inner = &rest[..end.unwrap_or(0)];
    run.is_begun |= inner.iter().any(|byte| b"phtPHT&%=\\#".contains(byte) || !byte.is_ascii());
    let digits = inner.iter().filter(|byte| byte.is_ascii_hexdigit() || !byte.is_ascii()).count();
    run.digits = run.digits.saturating_add(u32::try_from(digits).unwrap_or(u32::MAX));
    inner.len()
}

/// Returns whether a text has elements whose content isn't displayed.
fn has_undisplayed(text: &[u8]) -> bool {
    memchr::memchr_iter(b'<', text).any(|at| {
        let name = text[at + 1..].iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let name = text[at + 1..at + 1 + name].to_ascii_lowercase();
        super::walk::DROPPED.iter().any(|dropped| dropped.as_bytes() == name)
    })
}
