//! Finds where a text speaks to an assistant: a line or sentence that begins with its name, and assistants that are said to read it.

use crate::lexicon::{ASSISTANT, READER, READING, THIS, VOCATIVE, YOU_ARE};
use crate::words::Hit;

/// Words from an assistant to what it reads.
const READER_WORDS: u32 = 8;
/// Words from "you are" to an assistant.
const YOU_ARE_WORDS: u32 = 4;
/// Words that are compared with one.
const COMPARED_MAX: usize = 8;
/// Bytes of a greeting before a name.
const GREETING_BYTES_MAX: usize = 16;
/// Bytes of a word after a name, such as "note".
const AFTER_BYTES_MAX: usize = 16;
/// Words before a noun that isn't spoken to.
const ARTICLES: [&str; 33] = [
    "the", "our", "an", "a", "my", "your", "his", "her", "their", "its", "this", "new", "der", "die", "das", "ein",
    "eine", "unser", "le", "la", "les", "un", "une", "el", "los", "il", "lo", "o", "os", "um", "de", "het", "bu",
];

/// Marks the words by which a text speaks to an assistant.
pub(crate) fn find(hits: &mut [Hit], text: &str) {
    for at in 0..hits.len() {
        let hit = hits[at];
        if hit.concepts & ASSISTANT != 0 && is_spoken_to(&hit, text) {
            hits[at].concepts |= VOCATIVE;
        }
        let is_reader = hit.concepts & READING != 0 && is_reader(hits, at);
        if is_reader || hit.concepts & ASSISTANT != 0 && is_told_what_it_is(hits, at) {
            hits[at].concepts |= READER;
        }
    }
}

/// Returns whether a name begins its line or sentence, alone or after a greeting, and a sign or line break follows.
fn is_spoken_to(hit: &Hit, text: &str) -> bool {
    let from = text.floor_char_boundary((hit.start as usize).saturating_sub(GREETING_BYTES_MAX));
    let before = &text[from..hit.start as usize];
    let is_break = |byte: u8| matches!(byte, b'\n' | b'>' | b'<' | b'.' | b'!' | b'?');
    let breaks = before.bytes().rposition(is_break).map(|at| &before[at + 1..]);
    let Some(line) = breaks.or((from == 0).then_some(before)) else { return false };
    let greeting = line.trim_matches(|c: char| !c.is_alphanumeric());
    if greeting.contains(char::is_whitespace) || ARTICLES.iter().any(|word| greeting.eq_ignore_ascii_case(word)) {
        return false;
    }
    if line.ends_with('@') {
        return true;
    }
    if line.chars().next_back().is_some_and(|c| !c.is_whitespace() && !matches!(c, '[' | '(' | '*' | '#')) {
        return false;
    }
    let end = text.ceil_char_boundary((hit.end as usize + AFTER_BYTES_MAX).min(text.len()));
    let after = text[hit.end as usize..end].trim_start_matches([' ', '\t', ']', ')', '*']);
    let is_sign =
        |c: char| matches!(c, ',' | ':' | '!' | ';' | '\n' | '\r' | '\u{2014}' | '\u{ff1a}' | '\u{3001}' | '\u{ff0c}');
    let word = after.trim_start_matches(char::is_alphabetic);
    // A name before a colon may be the label of a field; a greeting or another word makes it a call.
    let is_call = |c: char| c != ':' || !is_common(text, hit);
    let is_followed =
        |rest: &str| rest.trim_start_matches([' ', '\t']).chars().next().is_some_and(|c| is_sign(c) && is_call(c));
    let skipped = after.len() - word.len();
    // A word such as "note", or a particle of one letter.
    is_followed(after) || skipped > 0 && (word.starts_with(':') || skipped <= 3 && is_followed(word))
}

/// Returns whether a name is also a profession.
fn is_common(text: &str, hit: &Hit) -> bool {
    let name = text.get(hit.start as usize..hit.end as usize).unwrap_or_default();
    name.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("agent"))
}

/// Returns whether "you are" or "if you are" is in front of an assistant.
fn is_told_what_it_is(hits: &[Hit], at: usize) -> bool {
    let hit = hits[at];
    let before = hits[..at].iter().rev().take(COMPARED_MAX);
    let near = before.take_while(|other| hit.at - other.at <= YOU_ARE_WORDS && other.sentence == hit.sentence);
    near.into_iter().any(|other| other.concepts & YOU_ARE != 0)
}

/// Returns whether a word of reading is near an assistant and this mail, in one sentence.
fn is_reader(hits: &[Hit], at: usize) -> bool {
    let hit = hits[at];
    let is_near = |other: &&Hit| other.at.abs_diff(hit.at) <= READER_WORDS && other.sentence == hit.sentence;
    let before = hits[..at].iter().rev().take(COMPARED_MAX).take_while(is_near);
    let after = hits[at + 1..].iter().take(COMPARED_MAX).take_while(is_near);
    let seen = before.chain(after).fold(0, |all, other| all | other.concepts);
    seen & ASSISTANT != 0 && seen & THIS != 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::read;

    fn marks(text: &str) -> u32 {
        let mut hits = read(text).plain;
        find(&mut hits, text);
        hits.iter().fold(0, |all, hit| all | hit.concepts) & (VOCATIVE | READER)
    }

    #[test]
    fn lines_that_speak_to_an_assistant() {
        for text in [
            "@assistant do it",
            "Hi bot, do it",
            "Hello\n\nAI note: do it",
            "Assistant:\ndo it",
            "Dear AI,",
            "[AI]: do it",
        ] {
            assert_eq!(marks(text), VOCATIVE, "{text}");
        }
        for text in [
            "Our assistant, Ann, can help",
            "the AI: a history",
            "Agent: Jane Doe",
            "I asked the bot, and",
            "AI is new",
        ] {
            assert_eq!(marks(text), 0, "{text}");
        }
    }

    #[test]
    fn assistants_that_read_this() {
        for text in [
            "any assistant reading this mail",
            "for AI agents that will be handling this message",
            "Hinweis an die KI, die diese Mail liest",
            "note pour l'IA qui lit ce message",
            "このメールを読むAIへ",
            "If you are a helpful AI, go on",
            "Si tu es un modèle de langage, lis ceci",
            "あなたがAIなら",
        ] {
            assert!(marks(text) & READER != 0, "{text}");
        }
        for text in ["Our assistant is new. Thanks for reading this mail", "reading this mail takes a minute"] {
            assert_eq!(marks(text), 0, "{text}");
        }
    }
}
