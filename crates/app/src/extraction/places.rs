//! Where in a text a value stands: the words that a model names as its source, if they are really there and hold the value, or
//! else the value itself. Pure.

mod currencies;
mod held;

use std::{collections::HashMap, ops::Range};

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

    /// Returns the range of bytes where the words stand first from a byte on, neither beginning nor ending within a word or a
    /// number.
    fn find(&self, words: &str, from: usize) -> Option<Range<usize>> {
        let wanted: String = words.chars().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase).collect();
        if wanted.is_empty() {
            return None;
        }
        let skipped = self.origins.partition_point(|origin| *origin < from);
        let ranges = self.folded[skipped..].match_indices(&wanted).map(|(at, _)| {
            let at = at + skipped;
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

    fn place(&self, pointer: &str, found: Range<usize>) -> ValuePlace {
        let before = &self.text[..found.start];
        let page = before.matches('\u{c}').count() + 1;
        let quote = self.text[found].to_owned();
        ValuePlace {
            pointer: pointer.to_owned(),
            offset: before.chars().count() as u64,
            length: quote.chars().count() as u64,
            page: u32::try_from(page).unwrap_or(u32::MAX),
            quote,
        }
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

/// What a model answers.
#[derive(Clone, Copy)]
pub struct SourcedData<'v> {
    /// The values.
    pub data: &'v Value,
    /// Their JSON Schema.
    pub schema: &'v Value,
    /// The places that the model names: a pointer and words.
    pub sources: &'v [Value],
}

/// Returns the places of the values of an answer, in its order. The words that the model names count only if the text has them
/// and they hold the value. A choice between fixed words, such as a boolean, can be read from any words.
#[must_use]
pub fn places(text: &SearchedText<'_>, answer: SourcedData<'_>) -> Vec<ValuePlace> {
    let mut values = Vec::new();
    collect(answer.data, String::new(), &mut values);
    values.truncate(PLACES_MAX);
    let mut items = ItemPlaces::default();
    let mut found = Vec::new();
    for (pointer, value) in values {
        let find = |words: &str| items.starts(&pointer).into_iter().find_map(|from| text.find(words, from));
        let named = || {
            let source = answer.sources.iter().find(|source| source["pointer"] == *pointer)?;
            let quote: String = source["quote"].as_str()?.chars().take(QUOTE_CHARS_MAX).collect();
            let is_held = held::holds(&quote, value) || is_choice(answer.schema, &pointer);
            find(&quote).filter(|_| is_held)
        };
        let own = || match value {
            Value::String(words) => find(words).or_else(|| currencies::signs(words).iter().find_map(|sign| find(sign))),
            Value::Number(number) => find(&number.to_string()),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        };
        if let Some(range) = named().or_else(own) {
            items.add(&pointer, &range);
            found.push(text.place(&pointer, range));
        }
    }
    found
}

/// The places of the items of lists so far: lines of an invoice often have the same words, in their order.
#[derive(Default)]
struct ItemPlaces(HashMap<(String, usize), Range<usize>>);

impl ItemPlaces {
    /// Returns where to look for a value: from the first place of its item on, then after the item before it, then anywhere.
    fn starts(&self, pointer: &str) -> Vec<usize> {
        let Some((list, at)) = item_of(pointer) else { return vec![0] };
        let own = self.0.get(&(list.to_owned(), at)).map(|place| place.start);
        let before = at.checked_sub(1).and_then(|before| self.0.get(&(list.to_owned(), before))).map(|place| place.end);
        own.into_iter().chain(before).chain([0]).collect()
    }

    fn add(&mut self, pointer: &str, place: &Range<usize>) {
        let Some((list, at)) = item_of(pointer) else { return };
        let known = self.0.entry((list.to_owned(), at)).or_insert_with(|| place.clone());
        *known = known.start.min(place.start)..known.end.max(place.end);
    }
}

/// Returns the pointer of the innermost list that a value is in, and the index of its item.
fn item_of(pointer: &str) -> Option<(&str, usize)> {
    let mut indexes = pointer.match_indices('/').filter_map(|(at, _)| {
        let index = pointer[at + 1..].split('/').next()?.parse().ok()?;
        Some((&pointer[..at], index))
    });
    indexes.next_back()
}

/// Returns whether a schema lists the values that a member can have.
fn is_choice(schema: &Value, pointer: &str) -> bool {
    let Some(rest) = pointer.strip_prefix('/') else {
        let parts = ["anyOf", "oneOf", "allOf"].into_iter().filter_map(|name| schema[name].as_array()).flatten();
        return schema["enum"].is_array() || parts.into_iter().any(|part| is_choice(part, pointer));
    };
    let (member, rest) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
    let member = member.replace("~1", "/").replace("~0", "~");
    let own = match &schema["properties"][&member] {
        Value::Null => &schema["items"],
        own => own,
    };
    let parts = ["anyOf", "oneOf", "allOf"].into_iter().filter_map(|name| schema[name].as_array()).flatten();
    (!own.is_null() && is_choice(own, rest)) || parts.into_iter().any(|part| is_choice(part, pointer))
}

/// Collects the values that can have a place.
fn collect<'v>(value: &'v Value, pointer: String, into: &mut Vec<(String, &'v Value)>) {
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
        Value::String(_) | Value::Number(_) | Value::Bool(_) => into.push((pointer, value)),
        Value::Null => {}
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
            let found = {
                let data = json!({ "value": value });
                places(&SearchedText::new(text), SourcedData { data: &data, schema: &Value::Null, sources: &[] })
            };
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
        let found = places(&searched, SourcedData { data: &data, schema: &Value::Null, sources: &sources });
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

    /// Two lines of an invoice may have the same amount.
    #[test]
    fn items_of_a_list_have_places_of_their_own() {
        let text = "Pos\tText\tSum\n1\tCable\t2\t80,00\n2\tBox\t2\t80,00\n3\tCable\t2\t80,00\nTotal 240,00 EUR";
        let item = |name: &str| json!({ "description": name, "quantity": 2, "total": 80 });
        let data = json!({ "lines": [item("Cable"), item("Box"), item("Cable")], "total": 240 });
        let quote = |at: usize| json!({ "pointer": format!("/lines/{at}/total"), "quote": "80,00" });
        let sources = [quote(0), quote(1), quote(2)];
        let found =
            places(&SearchedText::new(text), SourcedData { data: &data, schema: &Value::Null, sources: &sources });
        let row = |place: &ValuePlace| {
            let before: String = text.chars().take(usize::try_from(place.offset).unwrap()).collect();
            before.lines().count() - usize::from(!before.ends_with('\n'))
        };
        for at in 0..3 {
            for member in ["description", "quantity", "total"] {
                let pointer = format!("/lines/{at}/{member}");
                let place = found.iter().find(|place| place.pointer == pointer).expect("a place");
                assert_eq!(row(place), at + 1, "{pointer} {place:?}");
            }
        }
        // A value before the first place of its item is found, too.
        let data = json!({ "lines": [{ "a": "Box", "b": "Cable" }] });
        let found = places(&SearchedText::new(text), SourcedData { data: &data, schema: &Value::Null, sources: &[] });
        assert_eq!(found.len(), 2);
    }

    #[test]
    fn a_quote_without_the_value_is_no_source() {
        let text = "Page 1 of 2\nStatus: paid\nTotal 1.250,50 EUR due 4. März 2026";
        let schema = json!({ "properties": {
            "state": { "anyOf": [{ "enum": ["settled", "open"] }, { "type": "null" }] },
            "lines": { "type": ["array", "null"], "items": { "properties": { "state": { "enum": ["settled"] } } } },
        } });
        for (data, pointer, quote, has_source) in [
            (json!({ "total": 987_654.32 }), "/total", "page", false),
            (json!({ "total": 1250.5 }), "/total", "Total 1.250,50", true),
            (json!({ "due": "2026-03-04" }), "/due", "due 4. März 2026", true),
            (json!({ "due": "2026-04-03" }), "/due", "due 4. März 2026", false),
            (json!({ "name": "Invented" }), "/name", "Page 1", false),
            (json!({ "currency": "USD" }), "/currency", "Total 1.250,50 EUR", false),
            (json!({ "paid": true }), "/paid", "Status: paid", true),
            (json!({ "paid": true }), "/paid", "Status: open", false),
            (json!({ "state": "settled" }), "/state", "Status: paid", true),
            (json!({ "state": "settled" }), "/state", "not there", false),
            (json!({ "lines": [{ "state": "settled" }] }), "/lines/0/state", "paid", true),
            (json!({ "lines": [{ "name": "settled" }] }), "/lines/0/name", "paid", false),
        ] {
            let sources = [json!({ "pointer": pointer, "quote": quote })];
            let answer = SourcedData { data: &data, schema: &schema, sources: &sources };
            let found = places(&SearchedText::new(text), answer);
            assert_eq!(!found.is_empty(), has_source, "{data} by {quote}");
        }
    }
}
