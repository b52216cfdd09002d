//! The search query language: words, `"phrases"`, `-excluded`, `or`, `prefix*`, `from:`, `to:`, `subject:`, `label:`,
//! `has:attachment`, `before:`, `after:`.
//!
//! `a b or c d` means `(a and b) or (c and d)`, as in other search engines. Filters by label, attachment and time apply
//! to the whole query. If a side of an `or` consists of filters only, each side has its own filters. An unknown name
//! before a colon is an ordinary word.

use std::collections::BTreeSet;

use super::{
    index::{WordMark, marked},
    words::{beginning, words},
};
use crate::time::Time;

/// The longest query in characters.
pub const QUERY_CHARS_MAX: usize = 500;
/// The maximum number of terms of a query.
const TERMS_MAX: usize = 40;

/// A parsed query.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ParsedQuery {
    /// Alternatives; at least one must match with all of its terms.
    pub(super) any: Vec<Vec<SearchTerm>>,
    /// Labels that a hit must have.
    pub labels: Vec<String>,
    /// Labels that a hit must not have.
    pub without_labels: Vec<String>,
    /// Whether a hit must have attachments or must not; both together match nothing.
    pub has_attachments: BTreeSet<bool>,
    /// Only messages stored before this time.
    pub before: Option<Time>,
    /// Only messages stored at this time or later.
    pub after: Option<Time>,
    /// Whether all hits have the same rank, wherever the words occur.
    is_flat: bool,
    /// Alternative queries with their own filters; a message that matches any of them is a hit.
    pub others: Vec<ParsedQuery>,
}

/// A sequence of adjacent words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct SearchTerm {
    pub(super) is_negated: bool,
    pub(super) field: SearchField,
    pub(super) words: Vec<String>,
    /// Whether the only word is a prefix.
    pub(super) is_beginning: bool,
}

/// The field that a term searches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SearchField {
    Any,
    Subject,
    From,
    To,
}

/// How well a message matches.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum RankTier {
    /// All terms are in the subject.
    Subject,
    /// Every word is in the subject or the sender, or several times in the body.
    Strong,
    /// Any other match.
    Plain,
}

/// A query expression in terms of indexed words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SearchExpression {
    /// All of the expressions.
    All(Vec<SearchExpression>),
    /// Any of the expressions.
    Any(Vec<SearchExpression>),
    /// The first expression but not the second.
    Without(Box<SearchExpression>, Box<SearchExpression>),
    /// These words, adjacent and in order.
    Phrase(Vec<String>),
    /// A word with this prefix.
    Prefix(String),
    /// Both. Every message that matches the first contains all words of the second, so an index doesn't need to look
    /// them up.
    Both(Box<SearchExpression>, Box<SearchExpression>),
}

impl RankTier {
    /// Every tier, best first.
    pub const ALL: [RankTier; 3] = [RankTier::Subject, RankTier::Strong, RankTier::Plain];

    /// Returns the `rank` of a hit.
    #[must_use]
    pub const fn rank(self) -> f64 {
        match self {
            RankTier::Subject => 1.0,
            RankTier::Strong => 0.75,
            RankTier::Plain => 0.5,
        }
    }
}

impl ParsedQuery {
    /// Parses a query.
    ///
    /// # Errors
    /// Describes the problem if the query is invalid.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut sides = vec![Self::default()];
        let mut rest = text.trim_start();
        let mut joins = false;
        while let Some(piece) = next_piece(&mut rest) {
            let has_more = !rest.trim().is_empty();
            if piece.is_or() && has_more && sides.last().is_some_and(|side| *side != Self::default()) {
                joins = true;
                continue;
            }
            if std::mem::take(&mut joins) {
                sides.push(Self::default());
            }
            if let Some(side) = sides.last_mut() {
                side.add(&piece)?;
            }
            if sides.iter().flat_map(|side| &side.any).map(Vec::len).sum::<usize>() > TERMS_MAX {
                return Err(format!("must have at most {TERMS_MAX} terms"));
            }
        }
        sides.retain(|side| *side != Self::default());
        let has_filter_only_side = sides.len() > 1 && sides.iter().any(|side| side.any.is_empty());
        let joined = if has_filter_only_side { Self::separate(sides) } else { sides.into_iter().reduce(Self::joined) };
        joined.ok_or_else(|| "must contain at least one search term".to_owned())
    }

    /// Combines the alternatives of both sides; filters apply to both.
    fn joined(mut self, other: Self) -> Self {
        self.any.extend(other.any);
        self.labels.extend(other.labels);
        self.without_labels.extend(other.without_labels);
        self.has_attachments.extend(other.has_attachments);
        self.before = self.before.into_iter().chain(other.before).min();
        self.after = self.after.into_iter().chain(other.after).max();
        self
    }

    fn separate(sides: Vec<Self>) -> Option<Self> {
        let mut sides = sides.into_iter().map(|side| Self { is_flat: true, ..side });
        let first = sides.next()?;
        Some(Self { others: sides.collect(), ..first })
    }

    fn add(&mut self, piece: &Piece<'_>) -> Result<(), String> {
        let Some(name) = piece.name else {
            self.term(SearchField::Any, piece);
            return Ok(());
        };
        let value = piece.value.trim();
        match name {
            Name::From => self.term(SearchField::From, piece),
            Name::To => self.term(SearchField::To, piece),
            Name::Subject => self.term(SearchField::Subject, piece),
            Name::Label if value.is_empty() => return Err("label: must be followed by a label name".to_owned()),
            Name::Label if piece.is_negated => self.without_labels.push(value.to_owned()),
            Name::Label => self.labels.push(value.to_owned()),
            Name::Has if matches!(value.to_lowercase().as_str(), "attachment" | "attachments") => {
                self.has_attachments.insert(!piece.is_negated);
            }
            Name::Has => return Err("has: only supports has:attachment".to_owned()),
            Name::Before | Name::After => {
                let at =
                    parse_time(value).ok_or("before: and after: need a date such as 2026-01-31 or an ISO 8601 time")?;
                if (name == Name::Before) != piece.is_negated {
                    self.before = Some(self.before.map_or(at, |other| other.min(at)));
                } else {
                    self.after = Some(self.after.map_or(at, |other| other.max(at)));
                }
            }
        }
        Ok(())
    }

    fn term(&mut self, field: SearchField, piece: &Piece<'_>) {
        let start = piece.value.strip_suffix('*').filter(|_| !piece.is_quoted).map(beginning).unwrap_or_default();
        let found: Vec<String> = words(piece.value).into_iter().map(|word| word.text).collect();
        let is_beginning = found.len() == 1 && !start.is_empty();
        let words = if is_beginning { vec![start] } else { found };
        if words.is_empty() {
            return;
        }
        let term = SearchTerm { is_negated: piece.is_negated, field, words, is_beginning };
        match self.any.last_mut() {
            Some(all) => all.push(term),
            None => self.any.push(vec![term]),
        }
    }

    /// Returns whether hits can differ in rank: whether a term may match in any field.
    #[must_use]
    pub fn has_tiers(&self) -> bool {
        !self.is_flat && self.any.iter().flatten().any(|term| term.field == SearchField::Any && !term.is_negated)
    }

    /// Iterates over all terms.
    pub(super) fn terms(&self) -> impl Iterator<Item = &SearchTerm> {
        self.any.iter().chain(self.others.iter().flat_map(|other| &other.any)).flatten()
    }

    /// Returns the expression for the hits of exactly one tier, among the messages that contain the word `scope`.
    #[must_use]
    pub fn expression(&self, tier: RankTier, scope: &str) -> SearchExpression {
        let fits = |tier| self.candidates_of(tier, scope);
        match tier {
            RankTier::Subject => fits(RankTier::Subject),
            RankTier::Strong => excluding(fits(RankTier::Strong), fits(RankTier::Subject)),
            RankTier::Plain if self.has_tiers() => excluding(
                fits(RankTier::Plain),
                SearchExpression::Any(vec![fits(RankTier::Strong), fits(RankTier::Subject)]),
            ),
            RankTier::Plain => fits(RankTier::Plain),
        }
    }

    /// Returns the expression that every hit of this tier or a better one matches.
    #[must_use]
    pub fn candidates_of(&self, tier: RankTier, scope: &str) -> SearchExpression {
        let scope = SearchExpression::Phrase(vec![scope.to_owned()]);
        if self.any.is_empty() {
            return scope;
        }
        let each = self.any.iter().map(|all| {
            let (excluded, included): (Vec<&SearchTerm>, Vec<&SearchTerm>) =
                all.iter().partition(|term| term.is_negated);
            let mut wanted = vec![scope.clone()];
            wanted.extend(included.iter().flat_map(|term| term.expressions(tier)));
            let unwanted: Vec<SearchExpression> =
                excluded.iter().flat_map(|term| term.expressions(RankTier::Plain)).collect();
            let wanted = SearchExpression::All(wanted);
            if unwanted.is_empty() { wanted } else { excluding(wanted, SearchExpression::Any(unwanted)) }
        });
        SearchExpression::Any(each.collect())
    }
}

fn excluding(included: SearchExpression, excluded: SearchExpression) -> SearchExpression {
    SearchExpression::Without(Box::new(included), Box::new(excluded))
}

impl SearchTerm {
    /// Returns the expressions that must all match.
    fn expressions(&self, tier: RankTier) -> Vec<SearchExpression> {
        let mark = match (self.field, tier) {
            (SearchField::Any, RankTier::Plain) => None,
            (SearchField::Any, RankTier::Subject) | (SearchField::Subject, _) => Some(WordMark::Subject),
            (SearchField::From, _) => Some(WordMark::From),
            (SearchField::To, _) => Some(WordMark::To),
            (SearchField::Any, RankTier::Strong) => Some(WordMark::Strong),
        };
        let form = |word: &String| mark.map_or_else(|| word.clone(), |mark| marked(mark, word));
        if self.is_beginning {
            return self.words.first().map(|word| SearchExpression::Prefix(form(word))).into_iter().collect();
        }
        if mark != Some(WordMark::Strong) || self.words.len() == 1 {
            return vec![SearchExpression::Phrase(self.words.iter().map(form).collect())];
        }
        // Marked words have no order among themselves.
        let each = self.words.iter().map(|word| SearchExpression::Phrase(vec![form(word)])).collect();
        let in_order = SearchExpression::Phrase(self.words.clone());
        vec![SearchExpression::Both(Box::new(SearchExpression::All(each)), Box::new(in_order))]
    }
}

/// A part of the query text.
struct Piece<'a> {
    is_negated: bool,
    is_quoted: bool,
    name: Option<Name>,
    value: &'a str,
}

impl Piece<'_> {
    fn is_or(&self) -> bool {
        !self.is_negated && !self.is_quoted && self.name.is_none() && self.value.eq_ignore_ascii_case("or")
    }
}

/// The names that have a special meaning before a colon.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Name {
    From,
    To,
    Subject,
    Label,
    Has,
    Before,
    After,
}

const NAMES: [(&str, Name); 7] = [
    ("from:", Name::From),
    ("to:", Name::To),
    ("subject:", Name::Subject),
    ("label:", Name::Label),
    ("has:", Name::Has),
    ("before:", Name::Before),
    ("after:", Name::After),
];
/// Characters that start and end a phrase.
const QUOTES: [char; 3] = ['"', '\u{201C}', '\u{201D}'];

/// Splits off the next part of the query text.
fn next_piece<'a>(rest: &mut &'a str) -> Option<Piece<'a>> {
    let mut text = rest.trim_start();
    if text.is_empty() {
        return None;
    }
    let mut is_negated = false;
    if let Some(remainder) = text.strip_prefix('-')
        && remainder.starts_with(|c: char| !c.is_whitespace())
    {
        (is_negated, text) = (true, remainder);
    }
    let named =
        NAMES.iter().find(|(name, _)| text.get(..name.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(name)));
    let name = named.map(|(name, which)| {
        text = &text[name.len()..];
        *which
    });
    if let Some(remainder) = text.strip_prefix(QUOTES) {
        let (value, after) = remainder.split_once(QUOTES).unwrap_or((remainder, ""));
        *rest = after;
        return Some(Piece { is_negated, is_quoted: true, name, value });
    }
    let end = text.find(|c: char| c.is_whitespace() || QUOTES.contains(&c)).unwrap_or(text.len());
    let (value, after) = text.split_at(end);
    *rest = after;
    Some(Piece { is_negated, is_quoted: false, name, value })
}

/// Parses a time, or the start of a day (UTC).
fn parse_time(text: &str) -> Option<Time> {
    let text = text.replace('/', "-");
    Time::parse(&text).ok().or_else(|| Time::parse(&format!("{text}T00:00:00Z")).ok())
}
