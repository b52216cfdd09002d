//! What somebody looks for: words, `"phrases"`, `-without`, `or`, `beginning*`, `from:`, `to:`, `subject:`, `label:`,
//! `has:attachment`, `before:`, `after:`.
//!
//! `a b or c d` is `(a and b) or (c and d)`, as in other search boxes. What is said of labels, attachments and time counts
//! for the whole query, unless it stands alone on a side of an `or`: then each side is for itself. A name that is not one of
//! those above is an ordinary word.

use std::collections::BTreeSet;

use super::{
    index::{Mark, marked},
    words::{beginning, words},
};
use crate::time::Time;

/// Longest query in characters.
pub const QUERY_CHARS_MAX: usize = 500;
/// Most terms of a query.
const TERMS_MAX: usize = 40;

/// A query, understood.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Query {
    /// One of these must fit, and all terms of it.
    pub(super) any: Vec<Vec<Term>>,
    /// Labels that must be there.
    pub labels: Vec<String>,
    /// Labels that must not be there.
    pub without_labels: Vec<String>,
    /// Whether there must be files, or must not; who asks for both finds nothing.
    pub has_attachments: BTreeSet<bool>,
    /// Only messages stored before that time.
    pub before: Option<Time>,
    /// Only messages stored at that time or later.
    pub after: Option<Time>,
    /// Whether all hits fit equally well, wherever the words are.
    is_flat: bool,
    /// Other queries: what fits one of them fits too.
    pub others: Vec<Query>,
}

/// Words that stand one behind the other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Term {
    pub(super) is_negated: bool,
    pub(super) field: Field,
    pub(super) words: Vec<String>,
    /// Whether the only word is the beginning of one.
    pub(super) is_beginning: bool,
}

/// Where a term is looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Field {
    Any,
    Subject,
    From,
    To,
}

/// How well a message fits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Tier {
    /// All that is looked for is in the subject.
    Subject,
    /// Each word is in the subject, in the sender or several times in the body.
    Strong,
    /// It is there.
    Plain,
}

/// What the index is asked, in words of the index.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expression {
    /// All of them.
    All(Vec<Expression>),
    /// One of them.
    Any(Vec<Expression>),
    /// The first, and not the second.
    Without(Box<Expression>, Box<Expression>),
    /// These words, one behind the other.
    Phrase(Vec<String>),
    /// A word that begins so.
    Beginning(String),
    /// Both. Whatever fits the first has all words of the second already, so that an index need not be asked for those.
    Narrowed(Box<Expression>, Box<Expression>),
}

impl Tier {
    /// Every tier, best first.
    pub const ALL: [Tier; 3] = [Tier::Subject, Tier::Strong, Tier::Plain];

    /// `rank` of a hit.
    #[must_use]
    pub const fn rank(self) -> f64 {
        match self {
            Tier::Subject => 1.0,
            Tier::Strong => 0.75,
            Tier::Plain => 0.5,
        }
    }
}

impl Query {
    /// Understands a query.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut sides = vec![Self::default()];
        let mut rest = text.trim_start();
        let mut joins = false;
        while let Some(piece) = piece(&mut rest) {
            let has_more = !rest.trim().is_empty();
            if piece.is_or() && has_more && sides.last().is_some_and(|side| *side != Self::default()) {
                joins = true;
                continue;
            }
            if std::mem::take(&mut joins) {
                sides.push(Self::default());
            }
            if let Some(side) = sides.last_mut() {
                side.take(&piece)?;
            }
            if sides.iter().flat_map(|side| &side.any).map(Vec::len).sum::<usize>() > TERMS_MAX {
                return Err(format!("must have at most {TERMS_MAX} terms"));
            }
        }
        sides.retain(|side| *side != Self::default());
        let is_bound = sides.len() > 1 && sides.iter().any(|side| side.any.is_empty());
        let joined = if is_bound { Self::each_for_itself(sides) } else { sides.into_iter().reduce(Self::joined) };
        joined.ok_or_else(|| "has no word to look for".to_owned())
    }

    /// Either side, what is said of labels, attachments and time counting for both.
    fn joined(mut self, other: Self) -> Self {
        self.any.extend(other.any);
        self.labels.extend(other.labels);
        self.without_labels.extend(other.without_labels);
        self.has_attachments.extend(other.has_attachments);
        self.before = self.before.into_iter().chain(other.before).min();
        self.after = self.after.into_iter().chain(other.after).max();
        self
    }

    fn each_for_itself(sides: Vec<Self>) -> Option<Self> {
        let mut sides = sides.into_iter().map(|side| Self { is_flat: true, ..side });
        let first = sides.next()?;
        Some(Self { others: sides.collect(), ..first })
    }

    fn take(&mut self, piece: &Piece<'_>) -> Result<(), String> {
        let Some(name) = piece.name else {
            self.term(Field::Any, piece);
            return Ok(());
        };
        let value = piece.value.trim();
        match name {
            Name::From => self.term(Field::From, piece),
            Name::To => self.term(Field::To, piece),
            Name::Subject => self.term(Field::Subject, piece),
            Name::Label if value.is_empty() => return Err("label: needs the name of a label".to_owned()),
            Name::Label if piece.is_negated => self.without_labels.push(value.to_owned()),
            Name::Label => self.labels.push(value.to_owned()),
            Name::Has if matches!(value.to_lowercase().as_str(), "attachment" | "attachments") => {
                self.has_attachments.insert(!piece.is_negated);
            }
            Name::Has => return Err("has: takes attachment alone: has:attachment".to_owned()),
            Name::Before | Name::After => {
                let at =
                    moment(value).ok_or("before: and after: take a date such as 2026-01-31 or an ISO 8601 time")?;
                if (name == Name::Before) != piece.is_negated {
                    self.before = Some(self.before.map_or(at, |other| other.min(at)));
                } else {
                    self.after = Some(self.after.map_or(at, |other| other.max(at)));
                }
            }
        }
        Ok(())
    }

    fn term(&mut self, field: Field, piece: &Piece<'_>) {
        let start = piece.value.strip_suffix('*').filter(|_| !piece.is_quoted).map(beginning).unwrap_or_default();
        let found: Vec<String> = words(piece.value).into_iter().map(|word| word.text).collect();
        let is_beginning = found.len() == 1 && !start.is_empty();
        let words = if is_beginning { vec![start] } else { found };
        if words.is_empty() {
            return;
        }
        let term = Term { is_negated: piece.is_negated, field, words, is_beginning };
        match self.any.last_mut() {
            Some(all) => all.push(term),
            None => self.any.push(vec![term]),
        }
    }

    /// Whether hits can fit better or worse: whether a word is looked for that may be anywhere.
    #[must_use]
    pub fn has_tiers(&self) -> bool {
        !self.is_flat && self.any.iter().flatten().any(|term| term.field == Field::Any && !term.is_negated)
    }

    /// Everything that is looked for.
    pub(super) fn terms(&self) -> impl Iterator<Item = &Term> {
        self.any.iter().chain(self.others.iter().flat_map(|other| &other.any)).flatten()
    }

    /// What the index is asked for the hits of a tier, among the messages that have the word `scope`.
    #[must_use]
    pub fn expression(&self, tier: Tier, scope: &str) -> Expression {
        let fits = |tier| self.fits(tier, scope);
        match tier {
            Tier::Subject => fits(Tier::Subject),
            Tier::Strong => without(fits(Tier::Strong), fits(Tier::Subject)),
            Tier::Plain if self.has_tiers() => {
                without(fits(Tier::Plain), Expression::Any(vec![fits(Tier::Strong), fits(Tier::Subject)]))
            }
            Tier::Plain => fits(Tier::Plain),
        }
    }

    /// What every hit of that tier or a better one fits.
    #[must_use]
    pub fn fits(&self, tier: Tier, scope: &str) -> Expression {
        let scope = Expression::Phrase(vec![scope.to_owned()]);
        if self.any.is_empty() {
            return scope;
        }
        let each = self.any.iter().map(|all| {
            let (no, yes): (Vec<&Term>, Vec<&Term>) = all.iter().partition(|term| term.is_negated);
            let mut wanted = vec![scope.clone()];
            wanted.extend(yes.iter().flat_map(|term| term.expressions(tier)));
            let unwanted: Vec<Expression> = no.iter().flat_map(|term| term.expressions(Tier::Plain)).collect();
            let wanted = Expression::All(wanted);
            if unwanted.is_empty() { wanted } else { without(wanted, Expression::Any(unwanted)) }
        });
        Expression::Any(each.collect())
    }
}

fn without(yes: Expression, no: Expression) -> Expression {
    Expression::Without(Box::new(yes), Box::new(no))
}

impl Term {
    /// All of these must fit.
    fn expressions(&self, tier: Tier) -> Vec<Expression> {
        let mark = match (self.field, tier) {
            (Field::Any, Tier::Plain) => None,
            (Field::Any, Tier::Subject) | (Field::Subject, _) => Some(Mark::Subject),
            (Field::From, _) => Some(Mark::From),
            (Field::To, _) => Some(Mark::To),
            (Field::Any, Tier::Strong) => Some(Mark::Strong),
        };
        let form = |word: &String| mark.map_or_else(|| word.clone(), |mark| marked(mark, word));
        if self.is_beginning {
            return self.words.first().map(|word| Expression::Beginning(form(word))).into_iter().collect();
        }
        if mark != Some(Mark::Strong) || self.words.len() == 1 {
            return vec![Expression::Phrase(self.words.iter().map(form).collect())];
        }
        // Strong words have no order among themselves.
        let each = self.words.iter().map(|word| Expression::Phrase(vec![form(word)])).collect();
        let in_order = Expression::Phrase(self.words.clone());
        vec![Expression::Narrowed(Box::new(Expression::All(each)), Box::new(in_order))]
    }
}

/// A part of the query's text.
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

/// The names with a meaning of their own.
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
/// What begins and ends a phrase.
const QUOTES: [char; 3] = ['"', '\u{201C}', '\u{201D}'];

/// Takes the next part off the text.
fn piece<'a>(rest: &mut &'a str) -> Option<Piece<'a>> {
    let mut text = rest.trim_start();
    if text.is_empty() {
        return None;
    }
    let mut is_negated = false;
    if let Some(behind) = text.strip_prefix('-')
        && behind.starts_with(|c: char| !c.is_whitespace())
    {
        (is_negated, text) = (true, behind);
    }
    let named =
        NAMES.iter().find(|(name, _)| text.get(..name.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(name)));
    let name = named.map(|(name, which)| {
        text = &text[name.len()..];
        *which
    });
    if let Some(behind) = text.strip_prefix(QUOTES) {
        let (value, after) = behind.split_once(QUOTES).unwrap_or((behind, ""));
        *rest = after;
        return Some(Piece { is_negated, is_quoted: true, name, value });
    }
    let end = text.find(|c: char| c.is_whitespace() || QUOTES.contains(&c)).unwrap_or(text.len());
    let (value, after) = text.split_at(end);
    *rest = after;
    Some(Piece { is_negated, is_quoted: false, name, value })
}

/// A time, or the beginning of a day (UTC).
fn moment(text: &str) -> Option<Time> {
    let text = text.replace('/', "-");
    Time::parse(&text).ok().or_else(|| Time::parse(&format!("{text}T00:00:00Z")).ok())
}
