//! Numbers of payment cards, however their digits are grouped.
//!
//! A number is a candidate if its digits are in the groups of a card, and looks like a card if it has the prefix and the
//! length of an issuer and a valid check digit. Two of 100 random numbers do. So the text around it counts, too: words that
//! belong to cards, a label such as "order", and how many numbers of the same layout look like none.

use std::collections::HashSet;

use super::{FINDINGS_MAX, Finding, SecretKind, spelling};

#[cfg(test)]
mod tests;

/// Digits of the longest group that is read.
const DIGITS_MAX: usize = 24;
/// Characters between two groups of digits.
const GAP_MAX: usize = 3;
/// Groups after the number of a card, such as its month and its check code.
const GROUPS_AFTER_MAX: usize = 3;
/// Bytes on each side of a number in which words of cards are looked for.
const CONTEXT_BYTES: usize = 80;
/// Bytes before a number in which its label is looked for.
const LABEL_BYTES: usize = 24;

/// Digits in groups with the same signs between them.
struct Number<'a> {
    digits: Vec<u8>,
    groups: Vec<usize>,
    /// The byte after each group.
    ends: Vec<usize>,
    start: usize,
    gap: Option<&'a str>,
}

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
    let all = candidates(text);
    if !all.iter().any(|one| one.looks_like_card) {
        return;
    }
    let labels: Vec<String> = LABELS.iter().map(|label| plain(label)).collect();
    for layout in Layout::ALL {
        let of_layout = || all.iter().filter(|one| one.layout == layout);
        let count = |is_card: bool| {
            let some = of_layout().filter(|one| one.looks_like_card == is_card);
            some.map(|one| one.value).collect::<HashSet<u64>>().len()
        };
        let (cards, others) = (count(true), count(false));
        let is_list_of_others = others >= layout.others_max() && cards * 2 < others;
        let is_card = |one: &&Candidate| {
            let is_plausible = !(is_list_of_others && !one.has_leading_zero)
                && !(layout == Layout::Whole && is_labelled(text, one.start, &labels));
            one.looks_like_card && (is_plausible || is_among_words_of_cards(text, one))
        };
        let cards = of_layout().filter(is_card).take(FINDINGS_MAX);
        found.extend(cards.map(|one| Finding { kind: SecretKind::CardNumber, start: one.start, end: one.end }));
    }
}

fn candidates(text: &str) -> Vec<Candidate> {
    let mut all = Vec::new();
    let mut at = 0;
    while let Some(start) = text.as_bytes()[at..].iter().position(u8::is_ascii_digit).map(|next| at + next) {
        let number = read(text, start);
        at = *number.ends.last().expect("a number has a group");
        if !is_apart(text, &number) {
            continue;
        }
        if number.groups.len() > 4 + GROUPS_AFTER_MAX && number.groups[..4] == [4; 4] {
            // A list of numbers with four digits each, or cards in a row.
            let fours = number.groups.chunks_exact(4).enumerate().filter(|(_, four)| **four == [4; 4]);
            all.extend(fours.filter_map(|(index, _)| number.candidate(index * 4, 4)));
            continue;
        }
        let some: Vec<Candidate> = lengths(&number.groups).filter_map(|length| number.candidate(0, length)).collect();
        let best = some.iter().position(|one| one.looks_like_card).unwrap_or(0);
        all.extend(some.into_iter().nth(best));
    }
    all
}

impl Number<'_> {
    /// Returns the number in some of the groups.
    fn candidate(&self, first: usize, count: usize) -> Option<Candidate> {
        let before: usize = self.groups[..first].iter().sum();
        let groups = &self.groups[first..first + count];
        let digits = self.digits.get(before..before + groups.iter().sum::<usize>())?;
        let mut starts = groups.iter().scan(0, |at, length| Some(std::mem::replace(at, *at + length)));
        Some(Candidate {
            start: self.ends[first] - groups[0],
            end: self.ends[first + count - 1],
            layout: Layout::of(self.gap.filter(|_| count > 1)),
            value: digits.iter().fold(0, |all, digit| all * 10 + u64::from(*digit)),
            looks_like_card: is_card(digits),
            has_leading_zero: starts.any(|at| at > 0 && digits[at] == 0),
        })
    }
}

fn read(text: &str, start: usize) -> Number<'_> {
    let bytes = text.as_bytes();
    let mut number = Number { digits: Vec::new(), groups: Vec::new(), ends: Vec::new(), start, gap: None };
    let mut at = start;
    loop {
        let end = bytes[at..].iter().position(|byte| !byte.is_ascii_digit()).map_or(text.len(), |length| at + length);
        number.digits.extend(bytes[at..end].iter().take(DIGITS_MAX).map(|digit| digit - b'0'));
        number.groups.push(end - at);
        number.ends.push(end);
        let next: usize =
            text[end..].chars().take(GAP_MAX).take_while(|c| !c.is_alphanumeric()).map(char::len_utf8).sum();
        let signs = &text[end..end + next];
        let goes_on = next > 0 && bytes.get(end + next).is_some_and(u8::is_ascii_digit);
        if !goes_on || number.gap.is_some_and(|gap| gap != signs) {
            return number;
        }
        (number.gap, at) = (Some(signs), end + next);
    }
}

/// Returns whether a number isn't part of a longer word, an escape or a character reference.
fn is_apart(text: &str, number: &Number<'_>) -> bool {
    // Chinese, Japanese and Korean have no spaces between words and numbers.
    let is_of_word = |c: char| c == '%' || c.is_alphanumeric() && c < '\u{2e80}';
    let end = *number.ends.last().expect("a number has a group");
    let mut before = text[..number.start].chars().rev();
    let (last, second) = (before.next(), before.next());
    let begins = last.is_none_or(|c| !is_of_word(c) && !(c == '#' && second == Some('&')));
    begins && text[end..].chars().next().is_none_or(|c| !is_of_word(c))
}

/// Returns how many of the groups may be the number: all, or the first ones with a few others after them.
fn lengths(groups: &[usize]) -> impl Iterator<Item = usize> {
    let is_even = |some: &[usize]| match some {
        [rest @ .., last] => rest.iter().all(|length| *length == some[0]) && *last <= some[0],
        [] => false,
    };
    let fewest = groups.len().saturating_sub(GROUPS_AFTER_MAX).max(1);
    (fewest..=groups.len()).rev().filter(move |count| {
        let some = &groups[..*count];
        (14..=19).contains(&some.iter().sum::<usize>()) && (is_usual(some) || (*count == groups.len() && is_even(some)))
    })
}

/// Returns whether cards show their digits in such groups.
fn is_usual(groups: &[usize]) -> bool {
    matches!(groups, [14..=19] | [4, 4, 4, 1..=7] | [4, 4, 4, 4, 1..=3] | [4, 6, 4..=5])
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

/// Words beside the numbers of cards, in lower case.
const CARD_WORDS: [&str; 62] = [
    "card",
    "cards",
    "creditcard",
    "debitcard",
    "cardnumber",
    "cc",
    "ccn",
    "pan",
    "visa",
    "mastercard",
    "maestro",
    "amex",
    "diners",
    "jcb",
    "unionpay",
    "cvv",
    "cvc",
    "cvv2",
    "cvc2",
    "csc",
    "expiry",
    "exp",
    "thru",
    "kreditkarte",
    "kreditkartennummer",
    "karte",
    "kartennummer",
    "prüfziffer",
    "carte",
    "bancaire",
    "tarjeta",
    "caducidad",
    "carta",
    "scadenza",
    "cartão",
    "cartao",
    "validade",
    "kaart",
    "kaartnummer",
    "creditcardnummer",
    "karta",
    "karty",
    "karcie",
    "kort",
    "kortnummer",
    "kreditkort",
    "kortti",
    "kortin",
    "kártya",
    "kart",
    "kartı",
    "карта",
    "карты",
    "карте",
    "картой",
    "κάρτα",
    "κάρτας",
    "بطاقة",
    "البطاقة",
    "כרטיס",
    "kartu",
    "thẻ",
];
/// Words of cards in scripts without spaces between words.
const CARD_WORDS_UNSPACED: [&str; 5] = ["カード", "信用卡", "卡号", "卡號", "카드"];

/// Returns whether words of cards, or a month and a year, are near a number.
fn is_among_words_of_cards(text: &str, one: &Candidate) -> bool {
    let before = &text[text.floor_char_boundary(one.start.saturating_sub(CONTEXT_BYTES))..one.start];
    let after = &text[one.end..text.ceil_char_boundary((one.end + CONTEXT_BYTES).min(text.len()))];
    [before, after].into_iter().any(|part| {
        let lower = part.to_lowercase();
        let mut words = lower.split(|c: char| !c.is_alphanumeric());
        words.any(|word| CARD_WORDS.contains(&word)) || CARD_WORDS_UNSPACED.iter().any(|word| lower.contains(word))
    }) || has_month(after)
}

/// Returns whether a text begins with a month and a year, such as ` 12/27`.
fn has_month(after: &str) -> bool {
    let rest = after.trim_start_matches(|c: char| !c.is_alphanumeric()).as_bytes();
    matches!(rest, [b'0'..=b'1', b'0'..=b'9', b'/', b'2', b'0'..=b'9', ..])
}

/// Words that say what a number is, in lower case, and what they begin with.
const LABELS: [&str; 46] = [
    "order",
    "invoice",
    "reference",
    "ref",
    "tracking",
    "shipment",
    "parcel",
    "consignment",
    "ticket",
    "case",
    "booking",
    "transaction",
    "txn",
    "serial",
    "imei",
    "ean",
    "gtin",
    "isbn",
    "upc",
    "sku",
    "customer",
    "policy",
    "contract",
    "meeting",
    "bestell",
    "auftrag",
    "rechnung",
    "sendung",
    "kunden",
    "vorgang",
    "commande",
    "facture",
    "colis",
    "pedido",
    "factura",
    "envío",
    "ordine",
    "fattura",
    "spedizione",
    "encomenda",
    "zamówieni",
    "faktura",
    "beställning",
    "ordre",
    "заказ",
    "注文",
];

/// Returns a text in lower case, with the letters that others look like, as a variant of the text has them.
fn plain(text: &str) -> String {
    spelling::folded(&text.to_lowercase()).text
}

/// Returns whether the words before a number on its line say that it is something else.
fn is_labelled(text: &str, start: usize, labels: &[String]) -> bool {
    let before = &text[text.floor_char_boundary(start.saturating_sub(LABEL_BYTES))..start];
    let line = plain(before.rfind('\n').map_or(before, |at| &before[at + 1..]));
    let is_label = |word: &str| labels.iter().any(|label| word.starts_with(label));
    line.trim_end().ends_with('#') || line.split(|c: char| !c.is_alphanumeric()).any(is_label)
}
