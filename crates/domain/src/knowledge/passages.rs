//! Passages: a body is cut at headings, paragraphs, lines or sentences into pieces of about a screen. The pieces are
//! stored with their terms and vectors in one value for each document.

use super::terms::terms;

/// The longest passage in characters.
pub const PASSAGE_CHARS_MAX: usize = 1_000;
/// A heading or paragraph begins a new passage after this many characters.
const PASSAGE_CHARS_GOOD: usize = 500;
/// The terms of a passage that are kept.
const TERMS_MAX: usize = 1_000;
/// How often a term is counted at most.
const COUNT_MAX: usize = 255;
/// Marks the layout of [`encode`].
const LAYOUT: u8 = 1;

/// The meaning of a passage: a vector of length 1 in steps of `scale`.
#[derive(Clone, PartialEq, Debug)]
pub struct PassageVector {
    /// The size of a step.
    pub scale: f32,
    /// The components in steps.
    pub steps: Vec<i8>,
}

impl PassageVector {
    /// Returns the vector with its length set to 1; `None` if it is zero.
    #[must_use]
    pub fn of(components: &[f32]) -> Option<Self> {
        let length = components.iter().map(|x| x * x).sum::<f32>().sqrt();
        let most = components.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
        if !length.is_finite() || length <= f32::EPSILON {
            return None;
        }
        #[expect(clippy::cast_possible_truncation, reason = "the value is within -127 and 127")]
        let steps = components.iter().map(|x| (x / most * 127.0).round() as i8).collect();
        Some(Self { scale: most / length / 127.0, steps })
    }

    /// Returns the cosine of the angle to a vector with these steps.
    #[must_use]
    pub fn cosine(&self, scale: f32, steps: &[i8]) -> f32 {
        let sum: i32 = self.steps.iter().zip(steps).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum();
        #[expect(clippy::cast_precision_loss, reason = "the sum has few digits")]
        let sum = sum as f32;
        sum * self.scale * scale
    }
}

/// A part of a document.
#[derive(Clone, PartialEq, Debug)]
pub struct Passage {
    /// Where it begins, in bytes of the body.
    pub start: u32,
    /// Where it ends.
    pub end: u32,
    /// Its terms, each once, with how often they occur.
    pub terms: Vec<(u32, u8)>,
    /// The number of all its terms.
    pub length: u32,
    /// Its meaning, if a model was there.
    pub vector: Option<PassageVector>,
}

/// Splits a body into passages. They follow each other without gaps, so that a part of the body is in exactly one. The
/// terms of the title are in each. `embed` returns the meaning of a text.
#[must_use]
pub fn split(title: &str, body: &str, embed: impl Fn(&str) -> Option<PassageVector>) -> Vec<Passage> {
    let of_title = terms(title);
    let mut start = 0;
    let mut all = Vec::new();
    for end in ends(body) {
        let text = &body[start..end];
        let mut found = of_title.clone();
        found.extend(terms(text));
        let length = offset(found.len());
        let vector = embed(&format!("{title}\n{text}"));
        all.push(Passage { start: offset(start), end: offset(end), terms: counted(found), length, vector });
        start = end;
    }
    all
}

fn counted(mut all: Vec<u32>) -> Vec<(u32, u8)> {
    all.sort_unstable();
    let runs = all.chunk_by(|one, next| one == next);
    runs.map(|run| (run[0], u8::try_from(run.len().min(COUNT_MAX)).unwrap_or(u8::MAX))).take(TERMS_MAX).collect()
}

fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// Returns where the passages of a body end.
fn ends(body: &str) -> Vec<usize> {
    let (mut ends, mut start, mut at, mut chars) = (Vec::new(), 0, 0, 0);
    let mut after_gap = false;
    for line in body.split_inclusive('\n') {
        let count = line.chars().count();
        let begins_part = line.starts_with('#') || (after_gap && !line.trim().is_empty());
        if at > start && (chars + count > PASSAGE_CHARS_MAX || (begins_part && chars >= PASSAGE_CHARS_GOOD)) {
            ends.push(at);
            (start, chars) = (at, 0);
        }
        let mut rest = line;
        while let Some(cut) = cut_of(rest) {
            at += cut;
            ends.push(at);
            start = at;
            rest = &rest[cut..];
        }
        at += rest.len();
        chars += rest.chars().count();
        after_gap = line.trim().is_empty();
    }
    if at > start {
        ends.push(at);
    }
    ends
}

/// Returns where a line is cut that is longer than a passage: after the last sentence that fits, or else the last word.
fn cut_of(line: &str) -> Option<usize> {
    let (end, _) = line.char_indices().nth(PASSAGE_CHARS_MAX)?;
    let fits = &line[..end];
    let sentence = fits.rfind(['.', '!', '?', '。', '！', '？']).and_then(|at| {
        let end = at + fits[at..].chars().next().map_or(0, char::len_utf8);
        (end > fits.len() / 2).then_some(end)
    });
    let word = || fits.rfind(char::is_whitespace).map(|at| at + fits[at..].chars().next().map_or(0, char::len_utf8));
    Some(sentence.or_else(word).filter(|at| *at > 0).unwrap_or(end))
}

/// Returns passages as one stored value.
#[must_use]
pub fn encode(passages: &[Passage]) -> Vec<u8> {
    let mut out = vec![LAYOUT];
    for passage in passages {
        let steps = passage.vector.as_ref().map_or(&[][..], |vector| &vector.steps);
        for number in [passage.start, passage.end, passage.length, offset(passage.terms.len()), offset(steps.len())] {
            out.extend(number.to_le_bytes());
        }
        out.extend(passage.vector.as_ref().map_or(0.0, |vector| vector.scale).to_le_bytes());
        for (term, count) in &passage.terms {
            out.extend(term.to_le_bytes());
            out.push(*count);
        }
        out.extend(steps.iter().map(|step| step.to_le_bytes()[0]));
    }
    out
}

/// Reads a value of [`encode`]; `None` if it has another layout.
#[must_use]
pub fn decode(stored: &[u8]) -> Option<Vec<Passage>> {
    let (layout, mut rest) = stored.split_first()?;
    if *layout != LAYOUT {
        return None;
    }
    let mut all = Vec::new();
    while !rest.is_empty() {
        let [start, end, length, terms, steps] = [(); 5].map(|()| number(&mut rest));
        let scale = f32::from_bits(number(&mut rest)?);
        let (terms, steps) = (terms? as usize, steps? as usize);
        let mut found = Vec::with_capacity(terms.min(TERMS_MAX));
        for _ in 0..terms {
            let term = number(&mut rest)?;
            let (count, after) = rest.split_first()?;
            rest = after;
            found.push((term, *count));
        }
        let (values, after) = rest.split_at_checked(steps)?;
        rest = after;
        let steps: Vec<i8> = values.iter().map(|byte| i8::from_le_bytes([*byte])).collect();
        let vector = (!steps.is_empty()).then_some(PassageVector { scale, steps });
        all.push(Passage { start: start?, end: end?, terms: found, length: length?, vector });
    }
    Some(all)
}

fn number(rest: &mut &[u8]) -> Option<u32> {
    let (bytes, after) = rest.split_first_chunk::<4>()?;
    *rest = after;
    Some(u32::from_le_bytes(*bytes))
}
