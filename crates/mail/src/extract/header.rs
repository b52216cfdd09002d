//! Where an original message begins: separators between dashes, header blocks, and helpdesk markers.

use memchr::{memchr2, memchr3};

use super::labels::{Label, label};
use super::line::{Line, trim};
use super::words::{FORWARDED, ORIGINAL, REPLY_ABOVE};

/// Longest line that is read as a separator or a header, in bytes.
const LINE_BYTES_MAX: usize = 400;
/// Longest label, in characters.
const LABEL_CHARS_MAX: usize = 24;
/// Most lines of a header block (long recipient lists wrap).
const BLOCK_LINES_MAX: usize = 16;
/// Fewest dashes or underscores of a line that separates by itself.
const RULE_CHARS_MIN: usize = 10;

/// Marks that decorate a separator line.
fn is_rule_char(c: char) -> bool {
    matches!(c, '-' | '_' | '=' | '*' | '~' | '#' | '–' | '—' | '─' | '━' | '﹘' | '－')
}

/// True for a line of dashes, underscores or the like and nothing else.
pub(super) fn is_rule(text: &str) -> bool {
    let text = trim(text);
    text.chars().count() >= 3 && text.chars().all(is_rule_char)
}

/// The words between the dashes of a separator line, lower-case; `None` when the line is none.
fn between_dashes(text: &str) -> Option<String> {
    if text.len() > LINE_BYTES_MAX {
        return None;
    }
    let text = trim(text);
    if !text.starts_with(is_rule_char) {
        return None;
    }
    let inner = text.trim_start_matches(|c| is_rule_char(c) || matches!(c, ' ' | '>' | '<'));
    let dashes = text.chars().take_while(|c| is_rule_char(*c) || *c == ' ').filter(|c| *c != ' ').count();
    let inner = trim(inner.trim_end_matches(|c| is_rule_char(c) || matches!(c, ' ' | '>' | '<' | ':' | '：')));
    (dashes >= 2 && !inner.is_empty()).then(|| inner.to_lowercase())
}

/// True for `-----Original Message-----` in any language of the table.
pub(super) fn is_original(text: &str) -> bool {
    between_dashes(text).is_some_and(|inner| ORIGINAL.contains(&inner.as_str()))
}

/// True for `---------- Forwarded message ---------` or Apple's line without dashes, in any language of the table.
pub(super) fn is_forward(text: &str) -> bool {
    if let Some(inner) = between_dashes(text) {
        return FORWARDED.iter().any(|words| inner.starts_with(words));
    }
    let text = trim(text);
    text.len() <= LINE_BYTES_MAX && text.ends_with([':', '：']) && {
        let words = trim(text.trim_end_matches([':', '：'])).to_lowercase();
        FORWARDED.contains(&words.as_str())
    }
}

/// True for a helpdesk's "reply above this line".
pub(super) fn is_reply_above(text: &str) -> bool {
    // Most lines have no such mark, and need not be searched for words.
    let marked = |text: &[u8]| memchr3(b'-', b'#', b'=', text).is_some() || memchr2(b'_', b'*', text).is_some();
    text.len() <= LINE_BYTES_MAX && marked(text.as_bytes()) && {
        let text = text.to_lowercase();
        REPLY_ABOVE.iter().any(|words| text.contains(words))
    }
}

/// A header line: its label if known, whether its value has an address, and whether its value has a date.
#[derive(Debug, Clone, Copy)]
struct Field {
    label: Option<Label>,
    address: bool,
    date: bool,
}

/// Reads `Label: value`, with the asterisks that text versions of bold labels carry.
fn field(text: &str) -> Option<Field> {
    // Most lines have no colon, the wide one (EF BC 9A) included.
    if text.len() > LINE_BYTES_MAX * 8 || memchr2(b':', 0xef, text.as_bytes()).is_none() {
        return None;
    }
    let text = trim(text).trim_start_matches(['*', '_', '|', ' ']);
    let (name, value) = text.split_once([':', '：'])?;
    let name = trim(name.trim_matches(['*', ' ', '\u{a0}']));
    if name.is_empty() || name.chars().count() > LABEL_CHARS_MAX || name.chars().any(|c| c.is_numeric() || c == '<') {
        return None;
    }
    let known = label(&name.to_lowercase().replace('\u{307}', ""));
    // A link ("https://…") has a colon too.
    if known.is_none() && value.starts_with("//") {
        return None;
    }
    Some(Field { label: known, address: value.contains('@'), date: super::attribution::has_date(value) })
}

/// True when a header block (From, Sent, To, Subject) begins at line `at`.
pub(super) fn is_block(lines: &[Line<'_>], at: usize) -> bool {
    let Some(first) = field(lines[at].text) else {
        return false;
    };
    let after_rule = lines[..at]
        .iter()
        .rev()
        .take(3)
        .find(|line| !line.is_blank())
        .is_some_and(|line| trim(line.text).chars().count() >= RULE_CHARS_MIN && is_rule(line.text));
    if first.label.is_none() && !after_rule {
        return false;
    }
    let mut fields = vec![first];
    let mut loose = 0;
    for line in lines[at + 1..].iter().take(BLOCK_LINES_MAX) {
        if line.is_blank() {
            break;
        }
        match field(line.text) {
            Some(field) if field.label.is_some() || first.label.is_none() => {
                fields.push(field);
                loose = 0;
            }
            // A wrapped address list; prose would run on.
            _ if loose < 3 && !trim(line.text).ends_with('.') => loose += 1,
            _ => break,
        }
    }
    if first.label.is_none() { is_unknown_block(&fields) } else { is_known_block(&fields, after_rule) }
}

/// Known labels: a sender and enough of the rest that a note ("From: Berlin, To: Munich") does not pass.
fn is_known_block(fields: &[Field], after_rule: bool) -> bool {
    let has = |wanted: Label| fields.iter().any(|field| field.label == Some(wanted));
    let kinds = [Label::From, Label::Date, Label::To, Label::Subject].into_iter().filter(|label| has(*label)).count();
    let address = fields.iter().any(|field| field.address);
    let date = fields.iter().any(|field| field.date);
    let mail_like = has(Label::Subject) || address && date;
    has(Label::From) && (kinds >= 3 && mail_like || kinds >= 2 && (after_rule || address && date))
}

/// Labels of a language that the tables lack, below a rule: the values have to speak for themselves.
fn is_unknown_block(fields: &[Field]) -> bool {
    fields.len() >= 3
        && fields.iter().any(|field| field.address)
        && fields.iter().any(|field| field.date && !field.address)
}

/// True when a separator with unknown words stands above fields with an address.
pub(super) fn is_unknown_original(lines: &[Line<'_>], at: usize) -> bool {
    let Some(inner) = between_dashes(lines[at].text) else {
        return false;
    };
    let dashes_after = trim(lines[at].text).chars().rev().take_while(|c| is_rule_char(*c)).count();
    let fields: Vec<Field> =
        lines[at + 1..].iter().filter(|line| !line.is_blank()).take(4).map_while(|line| field(line.text)).collect();
    inner.chars().count() <= 40 && dashes_after >= 4 && fields.len() >= 2 && fields.iter().any(|field| field.address)
}
