//! Snippets of hits: the part of the body that matches most of the query, as escaped HTML with matches in `<b>`.

use super::{
    index::TEXT_BYTES_MAX,
    query::{ParsedQuery, SearchField, SearchTerm},
    words::{NormalizedWord, words},
};

/// The length of a snippet in bytes of the text, without markup.
const BYTES: usize = 240;
/// The maximum number of bytes before the first match.
const BEFORE_BYTES: usize = 60;

/// The texts of a message in which a hit is shown.
#[derive(Clone, Copy, Debug)]
pub struct SearchedText<'a> {
    pub subject: &'a str,
    /// The author.
    pub from: &'a str,
    /// The text body.
    pub text: &'a str,
}

/// Returns the part of a message that matches most of the query, as HTML. It is taken from the body, or else from the
/// subject or the sender.
#[must_use]
pub fn snippet(query: &ParsedQuery, searched: SearchedText<'_>) -> String {
    let SearchedText { subject, from, text } = searched;
    let body = &text[..text.floor_char_boundary(TEXT_BYTES_MAX)];
    let wanted = |fields: &[SearchField]| -> Vec<&SearchTerm> {
        query.terms().filter(|term| !term.is_negated && fields.contains(&term.field)).collect()
    };
    let parts = [
        (body, wanted(&[SearchField::Any])),
        (subject, wanted(&[SearchField::Any, SearchField::Subject])),
        (from, wanted(&[SearchField::Any, SearchField::From])),
    ];
    for (part, terms) in &parts {
        let found = words(part);
        let hits = hits(&found, terms);
        if !hits.is_empty() {
            return cut(part, &found, &hits);
        }
    }
    cut(body, &words(body), &[])
}

/// A match of a term: the range of words, and the index of the term.
#[derive(Clone, Copy)]
struct SnippetMatch {
    from: usize,
    to: usize,
    term: usize,
}

fn hits(found: &[NormalizedWord], terms: &[&SearchTerm]) -> Vec<SnippetMatch> {
    let mut hits: Vec<SnippetMatch> = Vec::new();
    for at in 0..found.len() {
        for (which, term) in terms.iter().enumerate() {
            let length = term.words.len();
            let Some(here) = found.get(at..at + length) else { continue };
            let fits = here.iter().zip(&term.words).all(|(word, wanted)| {
                if term.is_beginning { word.text.starts_with(wanted.as_str()) } else { word.text == *wanted }
            });
            if fits {
                hits.push(SnippetMatch { from: at, to: at + length, term: which });
            }
        }
    }
    hits
}

/// Returns where the snippet starts: at the hit with the most distinct terms near it.
fn best_start(found: &[NormalizedWord], hits: &[SnippetMatch]) -> usize {
    let mut best = (0, 0);
    for (at, hit) in hits.iter().enumerate() {
        let start = found[hit.from].at.start;
        let near = hits[at..].iter().take_while(|other| found[other.to - 1].at.end <= start + BYTES - BEFORE_BYTES);
        let mut terms: Vec<usize> = near.map(|other| other.term).collect();
        terms.sort_unstable();
        terms.dedup();
        if terms.len() > best.0 {
            best = (terms.len(), start);
        }
    }
    best.1
}

fn cut(text: &str, found: &[NormalizedWord], hits: &[SnippetMatch]) -> String {
    let center = best_start(found, hits);
    let mut from = text.floor_char_boundary(center.saturating_sub(BEFORE_BYTES));
    if from > 0 {
        // Start at a word boundary.
        from = found.iter().map(|word| word.at.start).find(|start| *start >= from).unwrap_or(center).min(center);
    }
    let mut to = text.floor_char_boundary((from + BYTES).min(text.len()));
    if to < text.len() {
        to = found.iter().rev().map(|word| word.at.end).find(|end| *end <= to && *end > from).unwrap_or(to);
    }
    let mut out = Out::default();
    if from > 0 {
        out.text.push('…');
    }
    let mut at = from;
    for hit in hits {
        let (start, end) = (found[hit.from].at.start, found[hit.to - 1].at.end);
        if start < at || end > to {
            continue;
        }
        out.push(&text[at..start]);
        out.text.push_str("<b>");
        out.push(&text[start..end]);
        out.text.push_str("</b>");
        at = end;
    }
    out.push(&text[at..to]);
    let mut html = out.text.trim_end().to_owned();
    if to < text.trim_end().len() {
        html.push('…');
    }
    html
}

/// HTML text in which each run of white space is one space.
#[derive(Default)]
struct Out {
    text: String,
}

impl Out {
    fn push(&mut self, text: &str) {
        for c in text.chars() {
            match c {
                '&' => self.text.push_str("&amp;"),
                '<' => self.text.push_str("&lt;"),
                '>' => self.text.push_str("&gt;"),
                '"' => self.text.push_str("&quot;"),
                '\'' => self.text.push_str("&#39;"),
                c if c.is_whitespace() || c.is_control() => {
                    if !self.text.ends_with([' ', '…']) && !self.text.is_empty() {
                        self.text.push(' ');
                    }
                }
                c => self.text.push(c),
            }
        }
    }
}
