//! Splits a text into tokens and segments in one pass.

use crate::vocabulary::{Vocabulary, special};

/// Words of the longest segment.
const SEGMENT_WORDS: u32 = 40;

/// Words below which a sentence joins the next one of its paragraph.
const SHORT_SENTENCE: u32 = 4;

/// Characters below which a line is a heading or an item of a list rather than part of a wrapped paragraph.
const SHORT_LINE: u32 = 45;

/// Segments of a text. Later ones end at [`SEGMENT_WORDS`] only.
const MAX_SEGMENTS: usize = 2_048;

/// Bytes of an address before its `@`, and of a link.
const MAX_LOCAL: usize = 64;
const MAX_LINK: usize = 500;

/// Links and addresses that are kept.
const MAX_KEPT: usize = 50;

/// Letters and digits from which a mixed word is encoded data.
const BLOB: usize = 28;

/// Counts of a segment or a text.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Counts {
    pub(crate) words: u32,
    pub(crate) letters: u32,
    pub(crate) capitals: u32,
    pub(crate) other_script: u32,
    pub(crate) exclamations: u32,
    pub(crate) questions: u32,
    /// Characters of markup and code.
    pub(crate) code: u32,
    pub(crate) links: u32,
    pub(crate) addresses: u32,
    pub(crate) quoted: u32,
    pub(crate) lines: u32,
}

impl Counts {
    pub(crate) fn add(&mut self, other: &Self) {
        self.words += other.words;
        self.letters += other.letters;
        self.capitals += other.capitals;
        self.other_script += other.other_script;
        self.exclamations += other.exclamations;
        self.questions += other.questions;
        self.code += other.code;
        self.links += other.links;
        self.addresses += other.addresses;
        self.quoted += other.quoted;
        self.lines += other.lines;
    }
}

/// A sentence, or several short ones.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Segment {
    /// Bytes of the text.
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Range of the tokens.
    pub(crate) tokens: (usize, usize),
    pub(crate) counts: Counts,
}

/// A text as tokens.
#[derive(Debug, Default)]
pub(crate) struct Scan<'a> {
    pub(crate) tokens: Vec<u32>,
    pub(crate) segments: Vec<Segment>,
    pub(crate) links: Vec<&'a str>,
    pub(crate) addresses: Vec<&'a str>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Letter,
    Digit,
    /// Chinese and Japanese, which have no spaces.
    Dense,
    Space,
    Newline,
    Mark,
    Skip,
}

fn kind(c: char) -> Kind {
    match c {
        'a'..='z' | 'A'..='Z' => Kind::Letter,
        '0'..='9' | '\u{ff10}'..='\u{ff19}' => Kind::Digit,
        '\n' => Kind::Newline,
        ' ' | '\t' | '\r' | '\u{a0}' | '\u{3000}' => Kind::Space,
        '\0'..='\u{7f}' => Kind::Mark,
        '\u{ad}' | '\u{300}'..='\u{36f}' | '\u{640}' | '\u{64b}'..='\u{652}' => Kind::Skip,
        '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' => Kind::Skip,
        '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{e0000}'..='\u{e01ef}' => Kind::Skip,
        '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}' => {
            Kind::Dense
        }
        _ if c.is_alphabetic() => Kind::Letter,
        _ if c.is_whitespace() => Kind::Space,
        _ if c.is_numeric() => Kind::Digit,
        _ => Kind::Mark,
    }
}

/// Appends a letter in the form of the vocabulary: lower case, without combining marks, ASCII for full width.
fn fold(c: char, out: &mut String) {
    match c {
        'a'..='z' | '0'..='9' => out.push(c),
        'A'..='Z' => out.push(c.to_ascii_lowercase()),
        '\u{ff01}'..='\u{ff5e}' => {
            let ascii = char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c);
            out.push(ascii.to_ascii_lowercase());
        }
        _ => out.extend(c.to_lowercase().filter(|c| kind(*c) != Kind::Skip)),
    }
}

struct Scanner<'a, 'v> {
    text: &'a str,
    vocabulary: &'v Vocabulary,
    at: usize,
    out: Scan<'a>,
    word: String,
    counts: Counts,
    segment_start: usize,
    first_token: usize,
    line: u32,
}

/// Scans a text.
pub(crate) fn scan<'a>(text: &'a str, vocabulary: &Vocabulary) -> Scan<'a> {
    let mut scanner = Scanner {
        text,
        vocabulary,
        at: 0,
        out: Scan::default(),
        word: String::new(),
        counts: Counts::default(),
        segment_start: 0,
        first_token: 0,
        line: 0,
    };
    scanner.out.tokens.reserve(text.len() / 4);
    scanner.run();
    scanner.out
}

impl<'a> Scanner<'a, '_> {
    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn run(&mut self) {
        while let Some(c) = self.peek() {
            match kind(c) {
                Kind::Letter | Kind::Digit => {
                    if !self.link() && !self.address() {
                        self.word();
                    }
                }
                Kind::Dense => self.dense(),
                Kind::Newline => self.newline(),
                Kind::Space | Kind::Skip => {
                    self.at += c.len_utf8();
                    self.line += 1;
                }
                Kind::Mark => self.punctuation(c),
            }
            if self.counts.words >= SEGMENT_WORDS {
                self.finish_segment();
            }
        }
        self.finish_segment();
    }

    fn push(&mut self, token: u32) {
        self.out.tokens.push(token);
        self.counts.words += 1;
    }

    /// Consumes a link and keeps it.
    fn link(&mut self) -> bool {
        let rest = &self.text.as_bytes()[self.at..];
        let starts = |prefix: &str| rest.get(..prefix.len()).is_some_and(|b| b.eq_ignore_ascii_case(prefix.as_bytes()));
        if !matches!(rest[0], b'h' | b'H' | b'w' | b'W') {
            return false;
        }
        if !starts("http://") && !starts("https://") && !starts("www.") {
            return false;
        }
        let stop = |b: &u8| b.is_ascii_whitespace() || matches!(b, b'<' | b'>' | b'"' | b')' | b']' | b'|' | b'\\');
        let mut end = rest.iter().take(MAX_LINK).position(stop).unwrap_or(rest.len().min(MAX_LINK));
        while !self.text.is_char_boundary(self.at + end) {
            end -= 1;
        }
        if self.out.links.len() < MAX_KEPT {
            self.out.links.push(&self.text[self.at..self.at + end]);
        }
        self.counts.links += 1;
        let sentence_ends = matches!(rest[end - 1], b'.' | b'!' | b'?');
        self.at += end - usize::from(sentence_ends && end > 8);
        self.line += end as u32;
        self.push(special::LINK);
        true
    }

    /// Consumes a mail address and keeps it.
    fn address(&mut self) -> bool {
        let rest = &self.text.as_bytes()[self.at..];
        let local = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'%' | b'+' | b'-');
        let Some(at) = rest.iter().take(MAX_LOCAL).position(|b| !local(b)) else { return false };
        if rest[at] != b'@' {
            return false;
        }
        let domain = rest[at + 1..].iter().take(255).take_while(|b| local(b)).count();
        if domain < 3 {
            return false;
        }
        let mut end = at + 1 + domain;
        while rest[end - 1] == b'.' {
            end -= 1;
        }
        if self.out.addresses.len() < MAX_KEPT {
            self.out.addresses.push(&self.text[self.at..self.at + end]);
        }
        self.counts.addresses += 1;
        self.at += end;
        self.line += end as u32;
        self.push(special::ADDRESS);
        true
    }

    fn word(&mut self) {
        self.word.clear();
        let (mut digits, mut characters) = (0, 0);
        let mut capitals = 0;
        while let Some(c) = self.peek() {
            match kind(c) {
                Kind::Letter => {
                    self.counts.letters += 1;
                    capitals += u32::from(c.is_uppercase());
                    self.counts.other_script += u32::from(!c.is_ascii());
                    fold(c, &mut self.word);
                }
                Kind::Digit => {
                    digits += 1;
                    fold(c, &mut self.word);
                }
                Kind::Skip => {}
                _ if matches!(c, '\'' | '\u{2019}') && self.joins(c) => self.word.push('\''),
                _ => break,
            }
            characters += 1;
            self.line += 1;
            self.at += c.len_utf8();
        }
        self.counts.capitals += capitals;
        if digits == characters {
            self.push(match digits {
                0 => return,
                1 | 2 => special::SHORT_NUMBER,
                3 => special::NUMBER,
                4..=8 => special::CODE,
                _ => special::LONG_NUMBER,
            });
        } else if characters >= BLOB && digits > 0 && capitals > 0 {
            self.push(special::BLOB);
        } else {
            self.counts.words += 1;
            self.vocabulary.word(&self.word, true, &mut self.out.tokens);
        }
    }

    /// An apostrophe is between two letters.
    fn joins(&self, mark: char) -> bool {
        let next = self.text[self.at + mark.len_utf8()..].chars().next();
        next.is_some_and(|c| kind(c) == Kind::Letter) && !self.word.is_empty()
    }

    fn dense(&mut self) {
        self.word.clear();
        let mut characters = 0;
        while let Some(c) = self.peek() {
            if kind(c) != Kind::Dense || characters == 24 {
                break;
            }
            self.word.push(c);
            characters += 1;
            self.at += c.len_utf8();
        }
        self.line += 2 * characters;
        self.counts.letters += characters;
        self.counts.other_script += characters;
        let before = self.out.tokens.len();
        self.vocabulary.word(&self.word, false, &mut self.out.tokens);
        self.counts.words += (self.out.tokens.len() - before) as u32;
    }

    fn newline(&mut self) {
        let rest = self.text[self.at + 1..].trim_start_matches([' ', '\t', '\r']);
        let blank = rest.is_empty() || rest.starts_with('\n');
        let item =
            rest.starts_with(['>', '-', '*', '#', '|', '\u{2022}']) || rest.starts_with(|c: char| c.is_ascii_digit());
        self.counts.lines += u32::from(self.line > 0);
        if blank || ((self.line < SHORT_LINE || item) && self.counts.words >= SHORT_SENTENCE) {
            self.finish_segment();
        }
        self.at += 1;
        self.line = 0;
    }

    fn punctuation(&mut self, c: char) {
        self.at += c.len_utf8();
        let line = self.line;
        self.line += 1;
        match c {
            '>' if line == 0 => self.counts.quoted += 1,
            '$' | '\u{20ac}' | '\u{a3}' | '\u{a5}' | '\u{20ba}' => self.out.tokens.push(special::CURRENCY),
            '<' | '>' | '{' | '}' | '[' | ']' | '#' | '`' | '|' | '\\' | '=' => self.counts.code += 1,
            '!' | '\u{ff01}' => self.counts.exclamations += 1,
            '?' | '\u{ff1f}' | '\u{61f}' => self.counts.questions += 1,
            _ => {}
        }
        let dense = matches!(c, '\u{3002}' | '\u{ff01}' | '\u{ff1f}');
        let ends = dense || matches!(c, '.' | '!' | '?' | '\u{2026}' | '\u{61f}');
        if ends && self.counts.words >= SHORT_SENTENCE {
            let next = self.peek();
            if dense || next.is_none_or(char::is_whitespace) {
                self.finish_segment();
            }
        }
    }

    fn finish_segment(&mut self) {
        let full = self.out.segments.len() >= MAX_SEGMENTS && self.counts.words < SEGMENT_WORDS;
        let tokens = (self.first_token, self.out.tokens.len());
        if tokens.0 == tokens.1 || (full && self.at < self.text.len()) {
            if tokens.0 == tokens.1 {
                self.segment_start = self.at;
            }
            return;
        }
        let text = &self.text[self.segment_start..self.at];
        let start = self.segment_start + (text.len() - text.trim_start().len());
        let end = self.at - (text.len() - text.trim_end().len());
        self.out.segments.push(Segment { start, end, tokens, counts: self.counts });
        self.counts = Counts::default();
        self.segment_start = self.at;
        self.first_token = self.out.tokens.len();
    }
}
