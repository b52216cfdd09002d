//! Where in a text a value stands: the words that a model names as its source, if they are really there, or else the value
//! itself. Pure.

use serde_json::Value;

/// Places that an answer has.
const PLACES_MAX: usize = 500;
/// Characters of the words that a model names.
const QUOTE_CHARS_MAX: usize = 300;
/// Places within words that are passed over for one value.
const MATCHES_MAX: usize = 10_000;

/// The place of a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ValuePlace {
    /// JSON pointer of the value.
    pub pointer: String,
    /// The words of the text.
    pub quote: String,
    /// Where they begin, in characters.
    pub offset: u64,
    /// Their length in characters.
    pub length: u64,
    /// The page, from 1.
    pub page: u32,
}

/// A text to search, without regard to white space and case.
pub struct SearchedText<'t> {
    text: &'t str,
    /// The characters that count.
    folded: String,
    /// Where each byte of `folded` stands in `text`.
    origins: Vec<usize>,
}

impl<'t> SearchedText<'t> {
    /// Prepares a text.
    #[must_use]
    pub fn new(text: &'t str) -> Self {
        let (mut folded, mut origins) = (String::new(), Vec::new());
        for (at, c) in text.char_indices().filter(|(_, c)| !c.is_whitespace()) {
            for lower in c.to_lowercase() {
                folded.push(lower);
                origins.resize(folded.len(), at);
            }
        }
        Self { text, folded, origins }
    }

    /// Returns the range of bytes where the words stand first, neither beginning nor ending within a word or a number.
    fn find(&self, words: &str) -> Option<std::ops::Range<usize>> {
        let wanted: String = words.chars().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase).collect();
        if wanted.is_empty() {
            return None;
        }
        let ranges = self.folded.match_indices(&wanted).map(|(at, _)| {
            let start = self.origins[at];
            let last = self.origins[at + wanted.len() - 1];
            start..last + self.text[last..].chars().next().map_or(0, char::len_utf8)
        });
        ranges.take(MATCHES_MAX).find(|range| self.is_whole(range.start) && self.is_whole(range.end))
    }

    /// Returns whether a byte is at the edge of a word or a number.
    fn is_whole(&self, at: usize) -> bool {
        let mut before = self.text[..at].chars().rev();
        let mut after = self.text[at..].chars();
        let (Some(last), Some(next)) = (before.next(), after.next()) else { return true };
        let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
        let is_mark = |c: char| matches!(c, '.' | ',' | '\'' | '\u{2019}');
        // The point of 12.50 is within the number; that of the end of a sentence isn't.
        let is_in_number = (is_digit(Some(last)) && is_mark(next) && is_digit(after.next()))
            || (is_mark(last) && is_digit(Some(next)) && is_digit(before.next()));
        !(is_in_number || is_of_word(last) && is_of_word(next))
    }

    fn place(&self, pointer: &str, words: &str) -> Option<ValuePlace> {
        let found = self.find(words)?;
        let before = &self.text[..found.start];
        let page = before.matches('\u{c}').count() + 1;
        let quote = self.text[found].to_owned();
        Some(ValuePlace {
            pointer: pointer.to_owned(),
            offset: before.chars().count() as u64,
            length: quote.chars().count() as u64,
            page: u32::try_from(page).unwrap_or(u32::MAX),
            quote,
        })
    }
}

/// Returns whether a character is part of a word that white space or a sign ends. Chinese, Japanese and Thai have no such words.
fn is_of_word(c: char) -> bool {
    let is_of_script_without_spaces = matches!(
        c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{2e80}'..='\u{9fff}' |
            '\u{f900}'..='\u{faff}' | '\u{ff66}'..='\u{ff9f}' | '\u{20000}'..='\u{3ffff}'
    );
    c.is_alphanumeric() && !is_of_script_without_spaces
}

/// Returns the places of the values of an answer, in its order. `sources` are the places that the model names: a pointer and
/// words, which count only if the text has them.
#[must_use]
pub fn places(text: &SearchedText<'_>, data: &Value, sources: &[Value]) -> Vec<ValuePlace> {
    let mut values = Vec::new();
    collect(data, String::new(), &mut values);
    values.truncate(PLACES_MAX);
    let named = |pointer: &str| {
        let source = sources.iter().find(|source| source["pointer"] == pointer)?;
        let quote: String = source["quote"].as_str()?.chars().take(QUOTE_CHARS_MAX).collect();
        text.place(pointer, &quote)
    };
    let found = |(pointer, value): &(String, String)| named(pointer).or_else(|| text.place(pointer, value));
    values.iter().filter_map(found).collect()
}

/// Collects the values that can have a place: words and numbers.
fn collect(value: &Value, pointer: String, into: &mut Vec<(String, String)>) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                let escaped = name.replace('~', "~0").replace('/', "~1");
                collect(value, format!("{pointer}/{escaped}"), into);
            }
        }
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                collect(item, format!("{pointer}/{at}"), into);
            }
        }
        Value::String(text) => into.push((pointer, text.clone())),
        Value::Number(number) => into.push((pointer, number.to_string())),
        Value::Null | Value::Bool(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn places_neither_begin_nor_end_within_words() {
        let table = [
            ("Nr. 4711, 1 Stück", "1", Some(10)),
            ("Nr. 4711", "1", None),
            ("Nr. 4711", "471", None),
            ("Nr. 4711", "711", None),
            ("Nr. 4711", "4711", Some(4)),
            ("RE-4711/2", "4711", Some(3)),
            ("1.234,50 EUR", "1", None),
            ("1.234,50 EUR", "234", None),
            ("1.234,50 EUR", "50", None),
            ("1.234,50 EUR", "1.234,50", Some(0)),
            ("12'000 CHF", "12", None),
            ("There are 12.", "12", Some(10)),
            ("12, 13", "12", Some(0)),
            ("Total:12.5", "12.5", Some(6)),
            ("Category: cat", "cat", Some(10)),
            ("scatter", "cat", None),
            ("Größe groß", "groß", Some(6)),
            ("EUR12", "EUR", None),
            ("EUR 12", "EUR", Some(0)),
            ("12€", "12", Some(0)),
            ("ACME  GmbH", "acme gmbh", Some(0)),
            ("収件人張三先生", "張三", Some(3)),
            ("a 1\n2", "1", Some(2)),
            ("", "1", None),
        ];
        for (text, value, expected) in table {
            let found = places(&SearchedText::new(text), &json!({ "value": value }), &[]);
            assert_eq!(found.first().map(|place| place.offset), expected, "{value} in {text}");
        }
    }

    #[test]
    fn only_words_that_are_there_are_places() {
        let text = "ACME GmbH\nRechnung Nr.  4711\n\u{c}Gesamt: 1.234,50 EUR";
        let searched = SearchedText::new(text);
        let data = json!({ "number": "4711", "total": 1234.5, "vendor": { "name": "acme gmbh" }, "due": null });
        let sources = [
            json!({ "pointer": "/total", "quote": "Gesamt: 1.234,50" }),
            json!({ "pointer": "/number", "quote": "invented words" }),
        ];
        let found = places(&searched, &data, &sources);
        let shown: Vec<(&str, &str, u32)> = found.iter().map(|p| (&*p.pointer, &*p.quote, p.page)).collect();
        assert_eq!(
            shown,
            [("/number", "4711", 1), ("/total", "Gesamt: 1.234,50", 2), ("/vendor/name", "ACME GmbH", 1)]
        );
        for place in found {
            let start = usize::try_from(place.offset).unwrap();
            let taken: String = text.chars().skip(start).take(usize::try_from(place.length).unwrap()).collect();
            assert_eq!(taken, place.quote);
        }
    }
}
