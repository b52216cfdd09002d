//! Numbers of payment cards, however their digits are grouped.

use super::{FINDINGS_MAX, Finding, SecretKind};

/// Digits of the longest group that is read.
const DIGITS_MAX: usize = 24;
/// Characters between two groups of digits.
const GAP_MAX: usize = 3;
/// Bytes before a number that are searched for the beginning of a link.
const LINK_BYTES_MAX: usize = 1_024;
/// Groups after the number of a card, such as its month and its check code.
const GROUPS_AFTER_MAX: usize = 3;

/// Digits in groups with the same signs between them.
struct Number {
    digits: Vec<u8>,
    groups: Vec<usize>,
    /// The byte after each group.
    ends: Vec<usize>,
    start: usize,
    has_gap_of_cards: bool,
}

/// Finds card numbers: 14 to 19 digits of an issuer with a valid check digit, in groups.
pub(super) fn find(text: &str, found: &mut Vec<Finding>) {
    let (mut sure, mut loose, mut alike) = (Vec::new(), Vec::new(), 0);
    let mut at = 0;
    while let Some(start) = text.as_bytes()[at..].iter().position(u8::is_ascii_digit).map(|next| at + next) {
        let number = read(text, start);
        at = *number.ends.last().expect("a number has a group");
        if !is_apart(text, &number) {
            continue;
        }
        if number.groups.len() > 4 + GROUPS_AFTER_MAX && number.groups[..4] == [4; 4] {
            // A list or a table of numbers, some of which look like a part of a card.
            for (index, four) in number.groups.chunks_exact(4).enumerate().filter(|(_, four)| **four == [4; 4]) {
                alike += 1;
                let digits = number.digits.get(index * 16..index * 16 + 16).unwrap_or_default();
                if is_card(digits) && loose.len() < FINDINGS_MAX {
                    let (first, last) = (index * 4, index * 4 + 3);
                    let start = number.ends[first] - four[0];
                    loose.push(Finding { kind: SecretKind::CardNumber, start, end: number.ends[last] });
                }
            }
            continue;
        }
        for length in lengths(&number.groups) {
            let groups = &number.groups[..length];
            let digits = &number.digits[..groups.iter().sum::<usize>().min(number.digits.len())];
            let is_sure = number.has_gap_of_cards && is_usual(groups);
            alike += usize::from(!is_sure);
            if is_card(digits) && !is_in_link(text, start) {
                let end = number.ends[length - 1];
                let all = if is_sure { &mut sure } else { &mut loose };
                all.push(Finding { kind: SecretKind::CardNumber, start, end });
                break;
            }
        }
        if sure.len() + loose.len() >= FINDINGS_MAX {
            break;
        }
    }
    // Some numbers of every large table look like cards.
    if loose.len() * 2 >= alike {
        sure.append(&mut loose);
    }
    found.append(&mut sure);
}

fn read(text: &str, start: usize) -> Number {
    let bytes = text.as_bytes();
    let mut number = Number { digits: Vec::new(), groups: Vec::new(), ends: Vec::new(), start, has_gap_of_cards: true };
    let (mut at, mut gap) = (start, None::<&str>);
    loop {
        let end = bytes[at..].iter().position(|byte| !byte.is_ascii_digit()).map_or(text.len(), |length| at + length);
        number.digits.extend(bytes[at..end].iter().take(DIGITS_MAX).map(|digit| digit - b'0'));
        number.groups.push(end - at);
        number.ends.push(end);
        let next: usize =
            text[end..].chars().take(GAP_MAX).take_while(|c| !c.is_alphanumeric()).map(char::len_utf8).sum();
        let signs = &text[end..end + next];
        let goes_on = next > 0 && bytes.get(end + next).is_some_and(u8::is_ascii_digit);
        if !goes_on || gap.is_some_and(|gap| gap != signs) {
            return number;
        }
        number.has_gap_of_cards &= matches!(signs, " " | "-");
        (gap, at) = (Some(signs), end + next);
    }
}

/// Returns whether a number isn't part of a longer word or a number with decimals.
fn is_apart(text: &str, number: &Number) -> bool {
    let is_sign = |c: char| !c.is_alphanumeric() && !matches!(c, '_' | '%' | '#' | '&');
    let end = *number.ends.last().expect("a number has a group");
    text[..number.start].chars().next_back().is_none_or(is_sign) && text[end..].chars().next().is_none_or(is_sign)
}

/// Returns whether the word before a number is a link.
fn is_in_link(text: &str, start: usize) -> bool {
    let before = &text[text.ceil_char_boundary(start.saturating_sub(LINK_BYTES_MAX))..start];
    let word = before.rfind(char::is_whitespace).map_or(0, |at| at + 1);
    before[word..].contains("://") || before[word..].starts_with("www.")
}

/// Returns how many of the groups may be the number: all, or the first four with others after them.
fn lengths(groups: &[usize]) -> impl Iterator<Item = usize> {
    let is_even = || match groups {
        [rest @ .., last] => rest.iter().all(|length| *length == groups[0]) && *last <= groups[0],
        [] => false,
    };
    let digits: usize = groups.iter().sum();
    let all = ((14..=19).contains(&digits) && (is_usual(groups) || is_even())).then_some(groups.len());
    let first =
        matches!(groups, [4, 4, 4, 4, after @ ..] if (1..=GROUPS_AFTER_MAX).contains(&after.len())).then_some(4);
    all.into_iter().chain(first)
}

/// Returns whether cards show their digits in such groups.
fn is_usual(groups: &[usize]) -> bool {
    matches!(groups, [14..=19] | [4, 4, 4, 1..=7] | [4, 4, 4, 4, 1..=3] | [4, 6, 4..=5])
}

fn is_card(digits: &[u8]) -> bool {
    let number = |count: usize| digits.iter().take(count).fold(0u32, |all, digit| all * 10 + u32::from(*digit));
    let is_issued = match digits.len() {
        19 if digits[0] == 4 => true,
        14 => matches!(number(3), 300..=305) || matches!(number(2), 36 | 38),
        15 => matches!(number(2), 34 | 37),
        16 => {
            digits[0] == 4
                || matches!(number(2), 51..=55 | 65 | 62)
                || matches!(number(4), 2221..=2720 | 6011 | 3528..=3589)
                || matches!(number(3), 644..=649)
        }
        _ => false,
    };
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(at, digit)| {
            let value = u32::from(*digit) * if at % 2 == 1 { 2 } else { 1 };
            if value > 9 { value - 9 } else { value }
        })
        .sum();
    let is_varied = digits.iter().any(|digit| *digit != digits[0]);
    is_issued && is_varied && sum.is_multiple_of(10)
}
