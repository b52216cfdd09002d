//! Words that are encoded one by one, and codes in short pieces: `SWdub3Jl YWxs`, `69676e6f7265 616c6c`.

use super::{BASE64, CLASSES, HEX, Payloads, bits, hex, value64};

/// Characters of a word in a code.
const WORD_MIN: usize = 4;
/// Words in a row that are a text.
const WORDS_MIN: usize = 3;
/// Bytes from one word to the next, and other words there, such as the names of pieces.
const GAP_MAX: usize = 16;
const OTHERS_MAX: usize = 1;
/// Bytes of a text of such words.
const TEXT_MAX: usize = 16 * 1024;

#[derive(Default)]
struct Group {
    words: Vec<Word>,
    others: usize,
    bytes: usize,
}

struct Word {
    name: &'static str,
    decoded: Vec<u8>,
    start: usize,
    end: usize,
}

impl Payloads<'_> {
    /// Adds the texts of such words.
    pub(super) fn words(&mut self) {
        let text = self.text;
        let mut group = Group::default();
        for (start, end) in super::tokens_of(text, super::QUOTE) {
            let far = group.words.last().is_some_and(|last| start - last.end > GAP_MAX);
            let token = &text.as_bytes()[start..end];
            // Most numbers are figures, so that they don't begin a text.
            if group.words.is_empty() && token.iter().all(u8::is_ascii_digit) {
                continue;
            }
            match word(token) {
                Some((name, decoded)) => {
                    let is_other = group.words.last().is_some_and(|last| last.name != name);
                    if far || is_other || group.bytes + decoded.len() > TEXT_MAX {
                        self.add_words(&mut group);
                    }
                    group.bytes += decoded.len();
                    group.others = 0;
                    group.words.push(Word { name, decoded, start, end });
                }
                None if !group.words.is_empty() => {
                    group.others += 1;
                    if far || group.others > OTHERS_MAX {
                        self.add_words(&mut group);
                    }
                }
                None => {}
            }
        }
        self.add_words(&mut group);
    }

    fn add_words(&mut self, group: &mut Group) {
        let Group { words, .. } = std::mem::take(group);
        let [first, .., last] = &words[..] else { return };
        // Digits alone are figures.
        let is_code = |word: &Word| self.text[word.start..word.end].contains(|c: char| c.is_ascii_alphabetic());
        if words.len() < WORDS_MIN || !words.iter().any(is_code) {
            return;
        }
        // Pieces of one code have the same length.
        let length = |word: &Word| word.end - word.start;
        let are_pieces = words[..words.len() - 1].iter().all(|word| length(word) == length(first));
        let between: &[u8] = if are_pieces { b"" } else { b" " };
        let all: Vec<&[u8]> = words.iter().map(|word| &*word.decoded).collect();
        self.add(first.name, &all.join(between), first.start, last.end);
    }
}

/// Returns the text of a word in hexadecimal or base64.
fn word(word: &[u8]) -> Option<(&'static str, Vec<u8>)> {
    if word.len() < WORD_MIN {
        return None;
    }
    let is_of = |class: u8| word.iter().all(|byte| CLASSES[*byte as usize] & class != 0);
    if word.len().is_multiple_of(2) && is_text(&hex(&word[..WORD_MIN])) && is_of(HEX) {
        return Some(("hex", hex(word))).filter(|(_, decoded)| is_text(decoded));
    }
    if word.len() % 4 == 1 || !is_text(&bits(&word[..WORD_MIN], 6, value64)) || !is_of(BASE64) {
        return None;
    }
    Some(("base64", bits(word, 6, value64))).filter(|(_, decoded)| is_text(decoded))
}

/// Returns whether bytes are letters, and few signs and blanks.
fn is_text(bytes: &[u8]) -> bool {
    let letters = bytes.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    bytes.iter().all(|byte| matches!(byte, b' '..=b'~' | b'\n')) && letters * 2 >= bytes.len()
}
