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

/// Returns where a quote is in a text. Models write white space differently, or leave it out where a line is wrapped;
/// otherwise the quote must be the same.
fn find(text: &str, quote: &str) -> Option<std::ops::Range<usize>> {
    let quote = quote.trim();
    if quote.is_empty() {
        return None;
    }
    if let Some(start) = text.find(quote) {
        return Some(start..start + quote.len());
    }
    let wanted: String = quote.split_whitespace().collect();
    let joined: String = text.split_whitespace().collect();
    // Where each byte of the joined words is in the text.
    let places: Vec<usize> = words(text).flatten().collect();
    let at = joined.find(&wanted)?;
    Some(places[at]..places[at + wanted.len() - 1] + 1)
}

/// Returns where the words of a text are, in bytes.
fn words(text: &str) -> impl Iterator<Item = std::ops::Range<usize>> {
    let start_of = |word: &str| word.as_ptr() as usize - text.as_ptr() as usize;
    text.split_whitespace().map(move |word| start_of(word)..start_of(word) + word.len())
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
            ("take five", Some("take\n  five")),
            ("Refunds take five days", Some("Refunds take\n  five days")),
            ("unds take five da", Some("unds take\n  five da")),
            ("é. End", Some("é. End")),
            ("takes five", None),
        ] {
            assert_eq!(find(text, quote).map(|at| &text[at]), expected, "{quote}");
        }
        let wrapped = "返品は三十日\n以内に無料です。";
        assert_eq!(find(wrapped, "三十日以内に無料").map(|at| &wrapped[at]), Some("三十日\n以内に無料"));
    }

    #[test]
    fn every_part_of_a_text_is_found_however_its_white_space_is_written() {
        let text = "Exchanges   are free\nwithin 30 days.\u{a0}Zwölf – Tage,\r\n\r\n\tdann nicht";
        let bounds: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        for (start, end) in bounds.iter().flat_map(|start| bounds.iter().map(|end| (*start, *end))) {
            let part = text.get(start..end).map(str::trim).filter(|part| part.chars().count() > 6);
            let Some(part) = part else { continue };
            let spaced = part.split_whitespace().collect::<Vec<_>>().join(" ");
            assert_eq!(find(text, &spaced).map(|at| &text[at]), Some(part), "{spaced}");
        }
    }
}
