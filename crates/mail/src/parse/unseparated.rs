//! Mailboxes that nothing separates, as people type them: `Ann <a@x.example> Ben <b@x.example>`, `Ann Bee a@x.example`.
//!
//! RFC 5322 §3.4 wants commas and angle brackets there. They are added in front of the field parser, which would join the
//! parts. A group, a comment and a quoted string stay as they are, and a text that isn't an address is never made one.

use crate::address::Address;

/// The scheme of links to addresses (RFC 6068), which people copy with them.
const MAILTO: &str = "mailto:";

/// Commas of East Asian scripts, which separate mailboxes there.
const WIDE_COMMAS: [&[u8]; 3] = ["、".as_bytes(), "，".as_bytes(), "；".as_bytes()];

/// A part of an address list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ListToken {
    /// A text up to a blank, or a quoted string.
    Word,
    /// An address without angle brackets.
    Address,
    /// An address in angle brackets.
    Bracketed,
    /// A comment, which belongs to what is in front of it.
    Comment,
    /// A comma, a semicolon, or the name of a group.
    Separator,
}

/// Adds the commas and angle brackets that are missing in an address list.
pub(super) fn separated(line: Vec<u8>) -> Vec<u8> {
    let tokens = tokens(&line);
    if !is_incomplete(&tokens) {
        return line;
    }
    let mut out = Vec::with_capacity(line.len() + 8);
    for entry in tokens.split_inclusive(|(kind, _)| *kind == ListToken::Separator) {
        push_entry(entry, &mut out);
    }
    out.push(b'\n');
    out
}

/// Returns whether a list has two mailboxes, or a name and a bare address, that nothing separates.
fn is_incomplete(tokens: &[(ListToken, &[u8])]) -> bool {
    let is_part = |kind: &ListToken| !matches!(kind, ListToken::Comment | ListToken::Separator);
    let mut before = ListToken::Separator;
    for (kind, text) in tokens {
        match kind {
            ListToken::Separator if WIDE_COMMAS.contains(text) => return true,
            ListToken::Comment => continue,
            ListToken::Address if is_part(&before) => return true,
            _ if matches!(before, ListToken::Bracketed | ListToken::Address) && is_part(kind) => return true,
            _ => before = *kind,
        }
    }
    false
}

/// Appends the tokens up to a separator as mailboxes.
fn push_entry(entry: &[(ListToken, &[u8])], out: &mut Vec<u8>) {
    let (entry, separator) = match entry {
        [rest @ .., (ListToken::Separator, mark)] => (rest, Some(*mark)),
        _ => (entry, None),
    };
    let count = |wanted| entry.iter().filter(|(kind, _)| *kind == wanted).count();
    let addresses = count(ListToken::Address);
    // An address beside one in brackets belongs to its name.
    let is_bare = addresses > 0 && count(ListToken::Bracketed) == 0;
    let is_alone = addresses + count(ListToken::Word) < 2;
    let first = entry.first().filter(|(kind, _)| *kind == ListToken::Address);
    let mut is_open = false;
    match first.filter(|_| is_bare && !is_alone && addresses == 1) {
        // The name of one address may be behind it.
        Some((_, address)) => {
            entry[1..].iter().for_each(|(_, text)| push_word(text, out));
            push_bracketed(address, out);
        }
        None => {
            for (kind, text) in entry {
                if is_open && *kind != ListToken::Comment {
                    out.push(b',');
                    is_open = false;
                }
                match kind {
                    ListToken::Address if is_bare && !is_alone => push_bracketed(text, out),
                    _ => push_word(text, out),
                }
                is_open |= *kind == ListToken::Bracketed || is_bare && *kind == ListToken::Address;
            }
        }
    }
    if let Some(mark) = separator {
        push_word(if WIDE_COMMAS.contains(&mark) { b"," } else { mark }, out);
    }
}

fn push_word(word: &[u8], out: &mut Vec<u8>) {
    out.push(b' ');
    out.extend_from_slice(word);
}

fn push_bracketed(address: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(b" <");
    out.extend_from_slice(bare_address(&String::from_utf8_lossy(address)).as_bytes());
    out.push(b'>');
}

/// Returns the parts of an address list.
fn tokens(line: &[u8]) -> Vec<(ListToken, &[u8])> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(byte) = line.get(at) {
        let rest = &line[at..];
        let wide = WIDE_COMMAS.iter().find(|comma| rest.starts_with(comma));
        // A name may have such a comma.
        let wide = wide.filter(|_| matches!(tokens.last(), Some((ListToken::Bracketed | ListToken::Address, _))));
        let (kind, length) = match byte {
            byte if byte.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            b',' | b';' => (ListToken::Separator, 1),
            b'(' => (ListToken::Comment, comment_length(rest)),
            b'<' => (ListToken::Bracketed, closed_length(rest, b'>')),
            _ if wide.is_some() => (ListToken::Separator, wide.map_or(1, |comma| comma.len())),
            _ => {
                let length = word_length(rest);
                (kind_of_word(&rest[..length]), length)
            }
        };
        tokens.push((kind, &rest[..length]));
        at += length;
    }
    tokens
}

/// Returns the length of a word: up to a blank or a mark outside a quoted string.
fn word_length(text: &[u8]) -> usize {
    let (mut at, mut has_at_sign) = (0, false);
    while let Some(byte) = text.get(at) {
        let is_end = byte.is_ascii_whitespace()
            || matches!(byte, b',' | b';' | b'(' | b'<')
            || has_at_sign && WIDE_COMMAS.iter().any(|comma| text[at..].starts_with(comma));
        if is_end {
            break;
        }
        let length = match byte {
            b'"' => closed_length(&text[at..], b'"'),
            b'\\' => 2.min(text.len() - at),
            _ => 1,
        };
        // Kept, because a search from the start at each comma would be quadratic.
        has_at_sign |= text[at..at + length].contains(&b'@');
        at += length;
    }
    at.max(1)
}

/// Returns the length of a comment with those inside it.
fn comment_length(text: &[u8]) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while let Some(byte) = text.get(at) {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            b'\\' => at += 1,
            _ => {}
        }
        at += 1;
        if depth == 0 {
            break;
        }
    }
    at.min(text.len())
}

fn kind_of_word(word: &[u8]) -> ListToken {
    // The name of a group ends with a colon.
    if word.ends_with(b":") {
        return ListToken::Separator;
    }
    let is_address = word.contains(&b'@')
        && !word.starts_with(b"=?")
        && std::str::from_utf8(word).is_ok_and(|word| Address::parse(&bare_address(word)).is_ok());
    if is_address { ListToken::Address } else { ListToken::Word }
}

/// Returns an address without `mailto:`, quotes and brackets around it, and the dot of the root behind it.
pub(super) fn bare_address(text: &str) -> String {
    let is_around = |c: char| matches!(c, '<' | '>' | '\'' | '’' | '‘' | ' ' | ',' | ';');
    let text = text.trim_matches(is_around);
    // `[mailto:ann@acme.example]`, but not `ann@[192.0.2.1]`.
    let text = if text.contains("@[") { text } else { text.trim_matches(['[', ']']) };
    let scheme = text.get(..MAILTO.len()).is_some_and(|start| start.eq_ignore_ascii_case(MAILTO));
    let text = if scheme { text[MAILTO.len()..].split('?').next().unwrap_or_default() } else { text };
    text.trim_matches(is_around).trim_end_matches('.').to_owned()
}

/// Returns the length up to and including `close`, skipping escapes, or the length of `text` if `close` is missing.
pub(super) fn closed_length(text: &[u8], close: u8) -> usize {
    let mut escaped = false;
    for (index, byte) in text.iter().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            byte if *byte == close => return index + 1,
            _ => {}
        }
    }
    text.len()
}
