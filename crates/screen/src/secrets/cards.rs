//! Numbers of payment cards, however their digits are grouped.
//!
//! A number is a candidate if its digits are in the groups of a card, wherever they are in a run of groups, and looks like a
//! card if it has the prefix and the length of an issuer and a valid check digit. Two of 100 random numbers do. So the text
//! around it counts, too: words that belong to cards, a label such as "order", and how many numbers of the same layout look
//! like none.

use std::cell::Cell;
use std::ops::{Range, RangeInclusive};

use super::{FINDINGS_MAX, Finding, SecretKind};

mod context;
#[cfg(test)]
mod tests;

/// Characters between two groups of digits.
const GAP_MAX: usize = 3;
/// Groups of the digits of a card with the signs of a list between them that may follow, such as its month and check code.
const GROUPS_AFTER_MAX: usize = 3;
/// Digits of the numbers of cards.
const DIGITS: RangeInclusive<usize> = 14..=19;
/// Groups of a card in a usual layout.
const GROUPS_MAX: usize = 5;
/// Groups of four digits in a row from which they are a list of figures or of cards.
const LIST_FROM: usize = 8;
/// Numbers whose surroundings are read in one text. The others are cards if they look like it.
const CONTEXTS_MAX: usize = 8_000;

/// How the digits of a number are grouped, which decides what else it may be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Layout {
    /// In one group: perhaps an id.
    Whole,
    /// In groups with signs of one number between them, such as dashes.
    Bound,
    /// In groups with signs of a list between them: perhaps four figures of a table.
    Row,
}

impl Layout {
    const ALL: [Self; 3] = [Self::Whole, Self::Bound, Self::Row];

    fn of(gap: Option<&str>) -> Self {
        match gap {
            None => Self::Whole,
            Some(gap) if gap.contains(['.', '-', '/', '_', ':', '\u{2013}']) => Self::Bound,
            Some(_) => Self::Row,
        }
    }

    /// Returns how many other numbers of the layout show that all of them are something else.
    const fn others_max(self) -> usize {
        match self {
            Self::Whole => 8,
            Self::Bound => usize::MAX,
            Self::Row => 3,
        }
    }
}

/// A number in the groups of a card.
struct Candidate {
    start: usize,
    end: usize,
    layout: Layout,
    value: u64,
    looks_like_card: bool,
    /// Whether a later group begins with a zero, as no figure of a table does.
    has_leading_zero: bool,
}

/// Finds card numbers.
pub(super) fn find(text: &str, found: &mut Vec<Finding>) {
    let surroundings = Surroundings { text, left: Cell::new(CONTEXTS_MAX) };
    let all = candidates(&surroundings);
    for layout in Layout::ALL {
        let of_layout = || all.iter().filter(|one| one.layout == layout);
        let count = |is_card: bool| {
            let some = of_layout().filter(|one| one.looks_like_card == is_card);
            let mut values: Vec<u64> = some.map(|one| one.value).collect();
            values.sort_unstable();
            values.dedup();
            values.len()
        };
        let (cards, others) = (count(true), count(false));
        let is_list_of_others = others >= layout.others_max() && cards * 2 < others;
        let is_card = |one: &&Candidate| {
            let is_part = || context::is_fraction(text, one.start, one.end);
            let is_something_else = is_list_of_others && !one.has_leading_zero
                || layout == Layout::Whole && (is_part() || surroundings.have_label(one));
            !is_something_else || surroundings.have_words_of_cards(one)
        };
        let cards = of_layout().filter(|one| one.looks_like_card).filter(is_card).take(FINDINGS_MAX);
        found.extend(cards.map(|one| Finding { kind: SecretKind::CardNumber, start: one.start, end: one.end }));
    }
}

/// The text around numbers, of which a bounded part is read.
struct Surroundings<'a> {
    text: &'a str,
    left: Cell<usize>,
}

impl Surroundings<'_> {
    fn is_read(&self) -> bool {
        let left = self.left.get();
        self.left.set(left.saturating_sub(1));
        left > 0
    }

    fn have_label(&self, one: &Candidate) -> bool {
        self.is_read() && context::is_labelled(self.text, one.start)
    }

    fn have_words_of_cards(&self, one: &Candidate) -> bool {
        !self.is_read() || context::is_among_words_of_cards(self.text, one.start, one.end)
    }
}

fn candidates(surroundings: &Surroundings<'_>) -> Vec<Candidate> {
    let text = surroundings.text;
    let (mut all, mut at, mut is_shared) = (Vec::new(), 0, false);
    while let Some(start) = text.as_bytes()[at..].iter().position(u8::is_ascii_digit).map(|next| at + next) {
        let run = read(text, start, is_shared);
        run.candidates(surroundings, &mut all);
        let last = run.groups.last().expect("a run has a group");
        (at, is_shared) = (if run.goes_on { last.start } else { last.end }, run.goes_on);
    }
    all
}

/// Groups of digits with the same signs between them.
struct Run<'a> {
    text: &'a str,
    groups: Vec<Range<usize>>,
    gap: Option<&'a str>,
    /// Whether the first group is the last one of the run before.
    is_shared: bool,
    /// Whether other signs and another group follow.
    goes_on: bool,
}

fn read(text: &str, start: usize, is_shared: bool) -> Run<'_> {
    let bytes = text.as_bytes();
    let mut run = Run { text, groups: Vec::new(), gap: None, is_shared, goes_on: false };
    let mut at = start;
    loop {
        let end = bytes[at..].iter().position(|byte| !byte.is_ascii_digit()).map_or(text.len(), |length| at + length);
        run.groups.push(at..end);
        let next: usize =
            text[end..].chars().take(GAP_MAX).take_while(|c| !c.is_alphanumeric()).map(char::len_utf8).sum();
        let signs = &text[end..end + next];
        if next == 0 || !bytes.get(end + next).is_some_and(u8::is_ascii_digit) {
            return run;
        }
        if run.gap.is_some_and(|gap| gap != signs) {
            return Run { goes_on: true, ..run };
        }
        (run.gap, at) = (Some(signs), end + next);
    }
}

impl Run<'_> {
    /// Adds the cards of the run, and the other candidates that overlap no card and none of them.
    fn candidates(&self, surroundings: &Surroundings<'_>, all: &mut Vec<Candidate>) {
        let (mut at, mut free_from) = (0, 0);
        let mut fours = 0..0;
        while at < self.groups.len() {
            if at >= fours.end {
                let is_four = |group: &&Range<usize>| group.len() == 4;
                fours = at..at + self.groups[at..].iter().take_while(is_four).count().max(1);
            }
            match self.best_candidate(at) {
                Some((count, card)) if card.looks_like_card => {
                    let is_figures = fours.len() >= LIST_FROM
                        && count == 4
                        && !(at - fours.start).is_multiple_of(4)
                        && !(fours.end - at).is_multiple_of(4);
                    if (is_figures || self.is_account(at)) && !surroundings.have_words_of_cards(&card) {
                        at += 1;
                        continue;
                    }
                    if free_from > at {
                        all.pop();
                    }
                    all.push(card);
                    at += count;
                    free_from = at;
                }
                Some((count, other)) if at >= free_from => {
                    all.push(other);
                    free_from = at + count;
                    at += 1;
                }
                _ => at += 1,
            }
        }
    }

    /// Returns the longest number from a group on that looks like a card, or else the longest one, and its groups.
    fn best_candidate(&self, at: usize) -> Option<(usize, Candidate)> {
        let mut best = None;
        for (count, one) in self.counts(at).filter_map(|count| self.candidate(at, count)) {
            if one.looks_like_card {
                return Some((count, one));
            }
            best = best.or(Some((count, one)));
        }
        best
    }

    /// Returns how many groups from there on may be the number of a card, most first.
    fn counts(&self, at: usize) -> impl Iterator<Item = usize> {
        let all = self.groups.len();
        let has_card_signs = self.gap.is_none_or(is_within_cards);
        let starts_with_fours = all >= LIST_FROM && self.groups[..4].iter().all(|group| group.len() == 4);
        let whole = Some(all).filter(|_| at == 0 && (GROUPS_MAX + 1..=19).contains(&all));
        whole.into_iter().chain((1..=GROUPS_MAX.min(all - at)).rev()).filter(move |count| {
            let groups = &self.groups[at..at + count];
            if !DIGITS.contains(&groups.iter().map(Range::len).sum()) {
                return false;
            }
            let is_placed = match *count {
                1 => return !(at == 0 && self.is_shared),
                _ if has_card_signs => true,
                4 if starts_with_fours && at.is_multiple_of(4) => groups.iter().all(|group| group.len() == 4),
                _ => at == 0 && count + GROUPS_AFTER_MAX >= all,
            };
            is_placed && is_usual(groups) || at == 0 && *count == all && is_even(groups)
        })
    }

    /// Returns the number in some of the groups, with their count, if it isn't part of a longer word. A fraction is one only if
    /// it looks like a card.
    fn candidate(&self, first: usize, count: usize) -> Option<(usize, Candidate)> {
        let groups = &self.groups[first..first + count];
        let (start, end) = (groups[0].start, groups[count - 1].end);
        if !is_apart(self.text, start, end) {
            return None;
        }
        let bytes = self.text.as_bytes();
        let (mut all, mut length) = ([0; *DIGITS.end()], 0);
        for digit in groups.iter().flat_map(|group| &bytes[group.clone()]) {
            all[length] = digit - b'0';
            length += 1;
        }
        let digits = &all[..length];
        let looks_like_card = is_card(digits);
        if !looks_like_card && count == 1 && context::is_fraction(self.text, start, end) {
            return None;
        }
        let one = Candidate {
            start,
            end,
            layout: Layout::of(self.gap.filter(|_| count > 1)),
            value: digits.iter().fold(0, |all, digit| all * 10 + u64::from(*digit)),
            looks_like_card,
            has_leading_zero: groups[1..].iter().any(|group| bytes[group.start] == b'0'),
        };
        Some((count, one))
    }

    /// Returns whether the groups before are those of an IBAN (ISO 13616): a country, two digits, and groups of four.
    fn is_account(&self, at: usize) -> bool {
        const GROUPS_OF_ACCOUNT_MAX: usize = 8;
        let is_country = |before: &str| {
            let mut before = before.bytes().rev();
            let letters = [before.next(), before.next()];
            letters.iter().all(|letter| letter.is_some_and(|letter| letter.is_ascii_uppercase()))
                && before.next().is_none_or(|byte| !byte.is_ascii_alphanumeric())
        };
        (1..=GROUPS_OF_ACCOUNT_MAX).contains(&at)
            && self.groups[0].len() == 2
            && self.groups[1..at].iter().all(|group| group.len() == 4)
            && is_country(&self.text[..self.groups[0].start])
    }
}

/// Returns whether the signs between two groups may be within the number of a card, not only between the items of a list.
fn is_within_cards(gap: &str) -> bool {
    !gap.contains([',', ';', '|', '\t', '\n', '\r', '\u{3001}', '\u{60c}', '\u{ff0c}'])
}

/// Returns whether a number isn't part of a longer word, an escape or a character reference.
fn is_apart(text: &str, start: usize, end: usize) -> bool {
    // Chinese, Japanese and Korean have no spaces between words and numbers.
    let is_of_word = |c: char| c == '%' || c.is_alphanumeric() && c < '\u{2e80}';
    let mut before = text[..start].chars().rev();
    let (last, second) = (before.next(), before.next());
    let goes_on = last.is_some_and(|c| is_of_word(c) || c == '#' && second == Some('&'));
    !goes_on && text[end..].chars().next().is_none_or(|c| !is_of_word(c))
}

/// Returns whether all groups but the last have the same length.
fn is_even(groups: &[Range<usize>]) -> bool {
    groups.split_last().is_some_and(|(last, rest)| {
        rest.iter().all(|group| group.len() == groups[0].len()) && last.len() <= groups[0].len()
    })
}

/// Returns whether cards show their digits in such groups, whose digits together are as many as those of a card.
fn is_usual(groups: &[Range<usize>]) -> bool {
    let lengths = |at: usize| groups[at].len();
    match groups.len() {
        1 => true,
        3 => lengths(0) == 4 && lengths(1) == 6 && matches!(lengths(2), 4..=5),
        4 => (0..3).all(|at| lengths(at) == 4) && matches!(lengths(3), 1..=7),
        5 => (0..4).all(|at| lengths(at) == 4) && matches!(lengths(4), 1..=3),
        _ => false,
    }
}

/// Returns whether digits have the prefix and the length of an issuer, and a valid check digit (ISO/IEC 7812-1).
fn is_card(digits: &[u8]) -> bool {
    let number = |count: usize| digits.iter().take(count).fold(0u32, |all, digit| all * 10 + u32::from(*digit));
    let is_issued = match digits.len() {
        // Diners Club.
        14 => matches!(number(3), 300..=305) || matches!(number(2), 36 | 38),
        // American Express.
        15 => matches!(number(2), 34 | 37),
        // Visa, Mastercard, Discover, UnionPay, JCB, Mir, Maestro, Troy.
        16 => {
            digits[0] == 4
                || matches!(number(2), 51..=55 | 62 | 65)
                || matches!(number(3), 644..=649)
                || matches!(number(4), 2200..=2204 | 2221..=2720 | 3528..=3589 | 5018 | 5020 | 5038 | 6011 | 6304)
                || matches!(number(4), 6759 | 6761..=6763 | 9792)
        }
        17 | 18 => number(2) == 62,
        19 => digits[0] == 4 || number(2) == 62,
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
