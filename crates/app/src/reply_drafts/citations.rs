//! Citations: the quotes of a model are looked up in the passages that it read. One that isn't there is dropped.

use super::{Citation, prompt::NamedQuote};
use crate::knowledge::search::FoundPassage;

/// Returns the citations whose quotes are in their passages, each once.
pub(super) fn checked(named: &[NamedQuote], passages: &[FoundPassage]) -> Vec<Citation> {
    let mut all: Vec<Citation> = Vec::new();
    for NamedQuote { passage, quote } in named {
        let Some(passage) = passage.checked_sub(1).and_then(|at| passages.get(at)) else { continue };
        let Some(found) = find(&passage.text, quote) else { continue };
        let before = passage.text[..found.start].chars().count();
        let citation = Citation {
            document: passage.document.id,
            title: passage.document.title.clone(),
            version: passage.document.version,
            offset: (passage.start_chars + before) as u64,
            quote: passage.text[found].to_owned(),
        };
        if !all.contains(&citation) {
            all.push(citation);
        }
    }
    all
}

/// Returns where a quote is in a text. Models write white space differently; otherwise the quote must be the same.
fn find(text: &str, quote: &str) -> Option<std::ops::Range<usize>> {
    let quote = quote.trim();
    if quote.is_empty() {
        return None;
    }
    if let Some(start) = text.find(quote) {
        return Some(start..start + quote.len());
    }
    let wanted: Vec<&str> = quote.split_whitespace().collect();
    let words: Vec<std::ops::Range<usize>> = words(text);
    let fits = |run: &[std::ops::Range<usize>]| run.iter().zip(&wanted).all(|(at, word)| text[at.clone()] == **word);
    let run = words.windows(wanted.len()).find(|run| fits(run))?;
    Some(run.first()?.start..run.last()?.end)
}

/// Returns where the words of a text are.
fn words(text: &str) -> Vec<std::ops::Range<usize>> {
    let start_of = |word: &str| word.as_ptr() as usize - text.as_ptr() as usize;
    text.split_whitespace().map(|word| start_of(word)..start_of(word) + word.len()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_found_as_they_are_in_the_text() {
        let text = "Intro.\n\nRefunds take\n  five days, é. End";
        for (quote, expected) in [
            ("Refunds take\n  five days", Some("Refunds take\n  five days")),
            ("Refunds take five days,  é.", Some("Refunds take\n  five days, é.")),
            (" Intro. ", Some("Intro.")),
            ("refunds take", None),
            ("Refunds take six days", None),
            ("  ", None),
            ("End more", None),
        ] {
            assert_eq!(find(text, quote).map(|at| &text[at]), expected, "{quote}");
        }
    }
}
