//! What is shown of a hit: the part of the body where most of the query is, as HTML: escaped, with `<b>` around what was
//! found.

use super::{
    index::TEXT_BYTES_MAX,
    query::{Field, Query, Term},
    words::{Word, words},
};

/// How long a snippet is, in bytes of the text, without the marks.
const BYTES: usize = 240;
/// How much of it stands in front of the first mark, at most.
const BEFORE_BYTES: usize = 60;

/// The part of a message where most of the query is: of its body; if nothing is there, of its subject or sender. HTML.
#[must_use]
pub fn snippet(query: &Query, (subject, from, text): (&str, &str, &str)) -> String {
    let body = &text[..text.floor_char_boundary(TEXT_BYTES_MAX)];
    let wanted = |fields: &[Field]| -> Vec<&Term> {
        query.terms().filter(|term| !term.is_negated && fields.contains(&term.field)).collect()
    };
    let parts = [
        (body, wanted(&[Field::Any])),
        (subject, wanted(&[Field::Any, Field::Subject])),
        (from, wanted(&[Field::Any, Field::From])),
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

/// A place where a term is: words from and to, and which term.
#[derive(Clone, Copy)]
struct Hit {
    from: usize,
    to: usize,
    term: usize,
}

fn hits(found: &[Word], terms: &[&Term]) -> Vec<Hit> {
    let mut hits: Vec<Hit> = Vec::new();
    for at in 0..found.len() {
        for (which, term) in terms.iter().enumerate() {
            let length = term.words.len();
            let Some(here) = found.get(at..at + length) else { continue };
            let fits = here.iter().zip(&term.words).all(|(word, wanted)| {
                if term.is_beginning { word.text.starts_with(wanted.as_str()) } else { word.text == *wanted }
            });
            if fits {
                hits.push(Hit { from: at, to: at + length, term: which });
            }
        }
    }
    hits
}

/// Where the snippet begins: at the hit around which most terms are.
fn best(found: &[Word], hits: &[Hit]) -> usize {
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

fn cut(text: &str, found: &[Word], hits: &[Hit]) -> String {
    let centre = best(found, hits);
    let mut from = text.floor_char_boundary(centre.saturating_sub(BEFORE_BYTES));
    if from > 0 {
        // Begin with a whole word.
        from = found.iter().map(|word| word.at.start).find(|start| *start >= from).unwrap_or(centre).min(centre);
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
    let mut shown = out.text.trim_end().to_owned();
    if to < text.trim_end().len() {
        shown.push('…');
    }
    shown
}

/// HTML text in which white space is one space.
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
