//! The order in which a line with letters of Hebrew or Arabic is read, by the order in which it is shown: the Unicode
//! Bidirectional Algorithm (UAX #9) backwards, as far as the text alone tells.

use std::borrow::Cow;
use std::ops::Range;

/// Brackets, which are shown the other way round in text from right to left.
const BRACKETS: [(char, char); 4] = [('(', ')'), ('[', ']'), ('{', '}'), ('«', '»')];

/// The direction of a part of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Direction {
    RightToLeft,
    LeftToRight,
    Number,
    /// A sign that separates the digits of a number.
    Separator,
    /// A sign that belongs to a number beside it.
    Terminator,
    /// A gap between cells.
    Cell,
    Neutral,
}

/// Returns whether a character is a letter that is read from right to left.
pub(super) fn is_right_to_left(c: char) -> bool {
    let is_of_block = matches!(
        c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}' | '\u{10800}'..='\u{10fff}' |
            '\u{1e800}'..='\u{1efff}'
    );
    is_of_block && !is_arabic_digit(c)
}

fn is_arabic_digit(c: char) -> bool {
    matches!(c, '\u{660}'..='\u{669}' | '\u{66b}' | '\u{66c}' | '\u{6f0}'..='\u{6f9}')
}

/// Returns whether a character is a mark on a letter of Hebrew or Arabic.
pub(super) fn is_mark(c: char) -> bool {
    matches!(
        c, '\u{591}'..='\u{5bd}' | '\u{5bf}' | '\u{5c1}' | '\u{5c2}' | '\u{5c4}' | '\u{5c5}' | '\u{5c7}' |
            '\u{610}'..='\u{61a}' | '\u{64b}'..='\u{65f}' | '\u{670}' | '\u{6d6}'..='\u{6dc}' | '\u{6df}'..='\u{6e4}' |
            '\u{6e7}' | '\u{6e8}' | '\u{6ea}'..='\u{6ed}'
    )
}

fn direction(text: &str) -> Direction {
    let mut found = Direction::Neutral;
    for c in text.chars() {
        found = match c {
            c if is_right_to_left(c) => return Direction::RightToLeft,
            c if c.is_ascii_digit() || is_arabic_digit(c) => Direction::Number,
            c if c.is_alphabetic() => return Direction::LeftToRight,
            '\t' => Direction::Cell,
            '.' | ',' | ':' | '/' | '-' | '+' if found == Direction::Neutral => Direction::Separator,
            '%' | '$' | '€' | '£' | '₪' | '#' | '°' | '‰' if found == Direction::Neutral => {
                Direction::Terminator
            }
            _ => found,
        };
    }
    found
}

/// Puts texts that are shown from left to right in the order in which they are read. The order within a text stays.
pub(super) fn logical(shown: Vec<&str>) -> Vec<Cow<'_, str>> {
    let mut parts: Vec<(Direction, Cow<'_, str>)> =
        shown.into_iter().map(|text| (direction(text), Cow::Borrowed(text))).collect();
    if is_read_from_right(&parts) {
        turn(&mut parts);
    } else {
        for (start, end) in right_to_left_runs(&parts) {
            turn(&mut parts[start..end]);
        }
    }
    parts.into_iter().map(|(_, text)| text).collect()
}

/// Returns whether a line is read from its right end: letters at both ends tell, or else most of its letters.
fn is_read_from_right(parts: &[(Direction, Cow<'_, str>)]) -> bool {
    let letters = parts
        .iter()
        .map(|(direction, _)| *direction)
        .filter(|one| matches!(one, Direction::RightToLeft | Direction::LeftToRight));
    let (first, last) = (letters.clone().next(), letters.clone().next_back());
    if first == last {
        return first == Some(Direction::RightToLeft);
    }
    let count = letters.clone().count();
    letters.filter(|one| *one == Direction::RightToLeft).count() * 2 > count
}

/// Returns the runs from the first to the last text from right to left that have no letters of the other direction between them.
fn right_to_left_runs(parts: &[(Direction, Cow<'_, str>)]) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    let mut is_open = false;
    for (at, (direction, _)) in parts.iter().enumerate() {
        match direction {
            Direction::RightToLeft if is_open => {
                if let Some((_, end)) = runs.last_mut() {
                    *end = at + 1;
                }
            }
            Direction::RightToLeft => {
                runs.push((at, at + 1));
                is_open = true;
            }
            Direction::LeftToRight | Direction::Cell => is_open = false,
            _ => {}
        }
    }
    runs
}

/// Turns a run from right to left. Words of the other direction and numbers within it keep their order.
fn turn(parts: &mut [(Direction, Cow<'_, str>)]) {
    let mut kept = Vec::new();
    let mut at = 0;
    while at < parts.len() {
        let (end, is_kept) = match parts[at].0 {
            Direction::LeftToRight => (end_of_words(parts, at), true),
            Direction::Number | Direction::Terminator => end_of_number(parts, at),
            _ => (at + 1, false),
        };
        kept.extend(is_kept.then_some(at..end));
        at = end;
    }
    turn_brackets(parts, &kept);
    let length = parts.len();
    parts.reverse();
    for Range { start, end } in kept {
        parts[length - end..length - start].reverse();
    }
}

/// Returns where words from left to right end, with the numbers after them.
fn end_of_words(parts: &[(Direction, Cow<'_, str>)], start: usize) -> usize {
    let mut end = start + 1;
    for (at, (direction, _)) in parts.iter().enumerate().skip(start) {
        match direction {
            Direction::LeftToRight | Direction::Number => end = at + 1,
            Direction::RightToLeft | Direction::Cell => break,
            _ => {}
        }
    }
    end
}

/// Returns where a number ends, with single signs between its digits and those that belong to it, and whether it has digits.
fn end_of_number(parts: &[(Direction, Cow<'_, str>)], start: usize) -> (usize, bool) {
    let direction = |at: usize| parts.get(at).map(|(direction, _)| *direction);
    let (mut end, mut has_digits) = (start, false);
    loop {
        match direction(end) {
            Some(Direction::Number) => (end, has_digits) = (end + 1, true),
            Some(Direction::Terminator) => end += 1,
            Some(Direction::Separator) if has_digits && direction(end + 1) == Some(Direction::Number) => end += 2,
            _ => return (end, has_digits),
        }
    }
}

/// Turns the brackets of a run if the file has them as they are shown: read from right to left, the first one would close.
fn turn_brackets(parts: &mut [(Direction, Cow<'_, str>)], kept: &[Range<usize>]) {
    let is_kept = |at: usize| {
        let before = kept.partition_point(|one| one.start <= at);
        before > 0 && at < kept[before - 1].end
    };
    let turned = |c: char| {
        let pair = BRACKETS.iter().find(|(open, close)| *open == c || *close == c)?;
        Some(if pair.0 == c { pair.1 } else { pair.0 })
    };
    let bracket =
        |text: &str| text.chars().next().filter(|_| text.chars().count() == 1).filter(|c| turned(*c).is_some());
    let found: Vec<(usize, char)> = parts
        .iter()
        .enumerate()
        .filter_map(|(at, (_, text))| Some((at, bracket(text)?)))
        .filter(|(at, _)| !is_kept(*at))
        .collect();
    let first_closes = found.last().is_some_and(|(_, c)| BRACKETS.iter().any(|(_, close)| close == c));
    for (at, c) in found.into_iter().filter(|_| first_closes) {
        parts[at].1 = turned(c).unwrap_or(c).to_string().into();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(shown: &str) -> String {
        let mut bytes = [0; 4];
        let texts: Vec<String> = shown.chars().map(|c| c.encode_utf8(&mut bytes).to_owned()).collect();
        logical(texts.iter().map(String::as_str).collect()).concat()
    }

    /// The left side is as a page shows it: capital letters stand for Hebrew.
    #[test]
    fn lines_are_read_in_their_order() {
        let table = [
            ("CBA", "ABC"),
            ("FED CBA", "ABC DEF"),
            (".FED ,CBA", "ABC, DEF."),
            ("FED 4711 CBA", "ABC 4711 DEF"),
            ("FED 1,234.50 CBA", "ABC 1,234.50 DEF"),
            ("FED 01.03.2026 CBA", "ABC 01.03.2026 DEF"),
            ("2024 2023 CBA", "ABC 2023 2024"),
            ("50% CBA", "ABC 50%"),
            ("$12 CBA", "ABC $12"),
            ("03-1234567 CBA", "ABC 03-1234567"),
            ("15-CBA", "ABC-15"),
            ("FED iphone 15 pro CBA", "ABC iphone 15 pro DEF"),
            ("FED example.com CBA", "ABC example.com DEF"),
            ("GFED (e-mail) CBA", "ABC (e-mail) DEFG"),
            ("(FED) CBA", "ABC (DEF)"),
            (")FED( CBA", "ABC (DEF)"),
            ("[FED] (CB) A", "A (BC) [DEF]"),
            ("hello CBA world", "hello ABC world"),
            ("hello FED CBA world", "hello ABC DEF world"),
            ("hello FED 12 CBA world", "hello ABC 12 DEF world"),
            ("hello world CBA", "hello world ABC"),
            ("total 12 CBA", "total 12 ABC"),
            ("one CBA two FED three", "one ABC two DEF three"),
            ("FED\t12\tCBA", "ABC\t12\tDEF"),
            ("only latin 12", "only latin 12"),
            ("", ""),
        ];
        let hebrew = |text: &str| -> String {
            let letter = |c: char| char::from_u32(0x5d0 + u32::from(c) - u32::from('A')).unwrap_or(c);
            text.chars().map(|c| if c.is_ascii_uppercase() { letter(c) } else { c }).collect()
        };
        for (shown, expected) in table {
            assert_eq!(read(&hebrew(shown)), hebrew(expected), "{shown}");
        }
    }

    #[test]
    fn stated_texts_keep_their_order() {
        assert_eq!(logical(vec!["דה", " ", "אבג"]).concat(), "אבג דה");
        assert_eq!(logical(vec!["\u{5b8}", "ב", "א"]).concat(), "אב\u{5b8}");
        assert_eq!(logical(vec!["لا", "٠١", "ب"]).concat(), "ب٠١لا");
    }
}
