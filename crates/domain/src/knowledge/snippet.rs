//! Snippets of passages, with the matches in `**`.

use crate::search::words::words;

/// The length of a snippet in bytes of the text, without marks.
const BYTES: usize = 240;
/// The maximum number of bytes before the first match.
const BEFORE_BYTES: usize = 60;

/// Returns the part of a passage that has most of the wanted words, each match in `**`. White space is one space.
#[must_use]
pub fn marked_snippet(passage: &str, wanted: &[String]) -> String {
    let found = words(passage);
    let matches: Vec<_> = found.iter().filter(|word| wanted.binary_search(&word.text).is_ok()).collect();
    let near = |start: usize| {
        let mut texts: Vec<&str> = matches
            .iter()
            .filter(|word| word.at.start >= start && word.at.end <= start + BYTES - BEFORE_BYTES)
            .map(|word| word.text.as_str())
            .collect();
        texts.sort_unstable();
        texts.dedup();
        texts.len()
    };
    let best = matches.iter().map(|word| word.at.start).max_by_key(|start| (near(*start), usize::MAX - *start));
    let from = passage.floor_char_boundary(best.unwrap_or_default().saturating_sub(BEFORE_BYTES));
    let from = found.iter().map(|word| word.at.start).find(|start| *start >= from).filter(|_| from > 0).unwrap_or(from);
    let to = passage.floor_char_boundary((from + BYTES).min(passage.len()));
    let last = || found.iter().rev().map(|word| word.at.end).find(|end| *end <= to && *end > from);
    let to = if to < passage.len() { last().unwrap_or(to) } else { to };
    let mut out = String::from(if from > 0 { "…" } else { "" });
    let mut at = from;
    // Matches that touch are one: scripts without spaces have a word for each character.
    let mut runs: Vec<std::ops::Range<usize>> = Vec::new();
    for word in matches.iter().filter(|word| word.at.start >= from && word.at.end <= to) {
        match runs.last_mut() {
            Some(run) if run.end == word.at.start => run.end = word.at.end,
            _ => runs.push(word.at.clone()),
        }
    }
    for run in runs {
        push(&mut out, &passage[at..run.start]);
        out.push_str("**");
        push(&mut out, &passage[run.clone()]);
        out.push_str("**");
        at = run.end;
    }
    push(&mut out, &passage[at..to]);
    let ends_early = to < passage.trim_end().len();
    let mut out = out.trim_end().to_owned();
    if ends_early {
        out.push('…');
    }
    out
}

fn push(out: &mut String, text: &str) {
    for c in text.chars() {
        if !(c.is_whitespace() || c.is_control()) {
            out.push(c);
        } else if !out.is_empty() && !out.ends_with([' ', '…']) {
            out.push(' ');
        }
    }
}
