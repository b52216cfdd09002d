//! Texts that a text spells: without its escapes, tags, invisible characters and encodings.

use std::{borrow::Cow, collections::HashMap, sync::LazyLock};

mod encoded;

/// The most words in a row that are joined, because each is one character.
const SPACED_MAX: usize = 200;

/// Words for `@` and for the dots of a domain, in lower case. In brackets, any word is one of them.
const AT_WORDS: &[&str] = &[
    "at",
    "@",
    "ät",
    "aet",
    "at-sign",
    "at-zeichen",
    "klammeraffe",
    "arroba",
    "arobase",
    "arobas",
    "chiocciola",
    "apenstaartje",
    "apestaart",
    "snabel-a",
    "snabela",
    "alfakrøll",
    "małpa",
    "malpa",
    "zavináč",
    "zavinac",
    "kukac",
    "kissanhäntä",
    "miukumauku",
    "strudel",
    "собака",
    "эт",
    "маймунско",
    "παπάκι",
    "שטרודל",
    "آت",
    "एट",
    "골뱅이",
];
const DOT_WORDS: &[&str] = &[
    "dot",
    ".",
    "punkt",
    "pkt",
    "point",
    "punto",
    "ponto",
    "punt",
    "stip",
    "prik",
    "punktum",
    "kropka",
    "tečka",
    "tecka",
    "bodka",
    "pont",
    "piste",
    "punct",
    "nokta",
    "titik",
    "chấm",
    "točka",
    "точка",
    "крапка",
    "τελεία",
    "נקודה",
    "نقطة",
    "نقطه",
    "डॉट",
    "점",
    "닷",
];
/// The sign that each word stands for.
static SIGNS: LazyLock<HashMap<&str, char>> = LazyLock::new(|| {
    let of = |words: &'static [&str], sign: char| words.iter().map(move |word| (*word, sign));
    of(DOT_WORDS, '.').chain(of(AT_WORDS, '@')).collect()
});
/// Words of scripts that don't put spaces around words, with their signs.
const UNSPACED_WORDS: &[(&str, &str)] = &[
    ("アットマーク", " @ "),
    ("アット", " @ "),
    ("小老鼠", " @ "),
    ("艾特", " @ "),
    ("골뱅이", " @ "),
    ("ドット", " . "),
    ("点", " . "),
    ("點", " . "),
    ("닷", " . "),
];
/// Brackets around a word for a sign.
const BRACKETS: &[(char, char)] = &[
    ('(', ')'),
    ('[', ']'),
    ('{', '}'),
    ('<', '>'),
    ('«', '»'),
    ('‹', '›'),
    ('“', '”'),
    ('„', '“'),
    ('「', '」'),
    ('【', '】'),
];
/// What marks a word for a sign within another word.
const MARKS: [char; 5] = ['-', '_', '*', '|', '~'];
/// The longest word for a sign in brackets, in characters.
const BRACKETED_MAX: usize = 16;

/// Calls `read` with each spelling of a text that differs from it.
pub(super) fn each(text: &str, mut read: impl FnMut(&str)) {
    let mut both = |text: &str| {
        read(text);
        if let Some(words) = spelled_out(text) {
            read(&words);
        }
    };
    let decoded = unescaped(text);
    let plain = decoded.as_deref().unwrap_or(text);
    // Reads the text itself again if nothing was escaped; what it names is known by then.
    both(plain);
    if let Some(bare) = without_tags(plain) {
        both(&bare);
    }
    if plain.contains(is_odd) {
        let normal = super::NFKC.normalize(plain);
        let bare: String = normal.chars().filter(|c| !is_invisible(*c)).map(full_stop).collect();
        both(&bare);
    }
    // Of `\x61:\x62`, only the escapes stand between the signs.
    let escaped = decoded.iter().flat_map(|_| encoded::all_numbers(text));
    for run in encoded::texts(plain).into_iter().chain(escaped) {
        both(&run);
    }
}

/// Returns whether a reader doesn't see the character.
pub(super) const fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{e0000}'..='\u{e0fff}')
}

fn is_odd(c: char) -> bool {
    !c.is_ascii() && (is_invisible(c) || !c.is_alphabetic() || ('\u{ff00}'..='\u{ffef}').contains(&c))
}

/// Returns a full stop for the characters that look like one or are one in other scripts, after NFKC.
const fn full_stop(c: char) -> char {
    match c {
        '\u{b7}' | '\u{387}' | '\u{589}' | '\u{6d4}' | '\u{701}' | '\u{702}' | '\u{964}' | '\u{1362}' | '\u{2022}'
        | '\u{2027}' | '\u{2219}' | '\u{22c5}' | '\u{2e33}' | '\u{3002}' | '\u{30fb}' => '.',
        c => c,
    }
}

/// Returns a text without character references, percent signs and escapes; `None` if it has none.
fn unescaped(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let (mut rest, mut changed) = (text, false);
    while let Some(at) = rest.find(['&', '%', '\\', '=']) {
        out.push_str(&rest[..at]);
        let tail = &rest[at..];
        let (c, length) = match escape(tail) {
            Some(found) => {
                changed = true;
                found
            }
            None => (char::from(tail.as_bytes()[0]), 1),
        };
        out.push(c);
        rest = &tail[length..];
    }
    out.push_str(rest);
    changed.then_some(out)
}

/// Returns the character that an escape at the start of a text stands for, and the length of the escape.
fn escape(text: &str) -> Option<(char, usize)> {
    let fixed = |start: usize, count: usize| {
        let digits = text.get(start..start + count)?;
        let is_hex = digits.bytes().all(|b| b.is_ascii_hexdigit());
        is_hex.then(|| coded(digits, 16)).flatten().map(|c| (c, start + count))
    };
    match text.as_bytes().get(..2)? {
        [b'&', _] => reference(text),
        b"\\u" | b"\\U" => fixed(2, 4),
        b"\\x" => fixed(2, 2),
        [b'%' | b'=', _] => fixed(1, 2),
        _ => None,
    }
}

fn coded(digits: &str, radix: u32) -> Option<char> {
    u32::from_str_radix(digits, radix).ok().and_then(char::from_u32).filter(|c| !c.is_control())
}

/// Returns the character of a reference, such as `&#64;`, and the length of the reference.
fn reference(text: &str) -> Option<(char, usize)> {
    let name_end = text[1..].find(|c: char| !(c.is_ascii_alphanumeric() || c == '#')).map_or(text.len(), |end| end + 1);
    let name = &text[1..name_end];
    let c = match name.strip_prefix('#') {
        Some(number) => match number.strip_prefix(['x', 'X']) {
            Some(hex) => coded(hex, 16),
            None => coded(number, 10),
        },
        None => named(name),
    };
    c.map(|c| (c, name_end + usize::from(text[name_end..].starts_with(';'))))
}

fn named(name: &str) -> Option<char> {
    Some(match name {
        "commat" => '@',
        "period" => '.',
        "lowbar" => '_',
        "hyphen" | "dash" => '-',
        "plus" => '+',
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "nbsp" => ' ',
        "shy" | "zwnj" | "zwj" | "ZeroWidthSpace" => '\u{200b}',
        _ => return None,
    })
}

/// Returns a text without tags and comments; `None` if it has none.
fn without_tags(text: &str) -> Option<String> {
    if !text.contains('<') {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        out.push_str(&rest[..at]);
        let tail = &rest[at + 1..];
        let close = if tail.starts_with("!--") { "-->" } else { ">" };
        rest = tail.find(close).map_or(tail, |end| &tail[end + close.len()..]);
        if rest.len() == tail.len() {
            break;
        }
    }
    out.push_str(rest);
    Some(out)
}

/// A part of a text between spaces.
enum Token {
    Word,
    Sign(char),
    /// A word in brackets, which is a sign in a language that [`AT_WORDS`] doesn't have, or an aside.
    Bracketed,
}

/// Returns a text with `@` and `.` in place of the words for them, and without spaces around them and between single
/// characters; `None` if it spells none.
fn spelled_out(text: &str) -> Option<String> {
    if !text.contains('@') && !contains_word(text) && !text.contains(is_bracket) {
        return None;
    }
    let apart = apart(text);
    let marked: Vec<Cow<'_, str>> =
        apart.split(char::is_whitespace).filter(|word| !word.is_empty()).map(unjoined).collect();
    let mut out = String::with_capacity(text.len());
    let (mut changed, mut spaced, mut is_glued) = (false, 0, true);
    // Whether the last sign belongs to an address whose domain may go on after the last word.
    let mut is_in_domain = false;
    for word in marked.iter().flat_map(|word| word.split(' ')).filter(|word| !word.is_empty()) {
        let is_single = word.chars().nth(1).is_none();
        let sign = match token(word) {
            Token::Sign(sign) => Some(sign),
            Token::Bracketed if is_in_domain => Some('.'),
            Token::Bracketed => Some('@'),
            Token::Word => None,
        };
        if let Some(sign) = sign {
            out.push(sign);
            (changed, is_glued, is_in_domain) = (true, true, true);
        } else {
            let is_joined = is_single && (1..SPACED_MAX).contains(&spaced);
            if !(is_glued || is_joined || word.starts_with(['@', '.'])) {
                out.push(' ');
                is_in_domain = false;
            }
            changed |= is_joined || word.starts_with('@') || out.ends_with('@');
            out.push_str(word);
            is_glued = word.ends_with('@');
        }
        spaced = if is_single { spaced + 1 } else { 0 };
    }
    changed.then_some(out)
}

fn token(word: &str) -> Token {
    let lower = if word.is_ascii() { Cow::Borrowed(word) } else { Cow::Owned(word.to_lowercase()) };
    let bare = lower.trim_matches(|c| is_bracket(c) || matches!(c, ',' | ';' | ':' | '"' | '\''));
    let has_capital = bare.bytes().any(|byte| byte.is_ascii_uppercase());
    let small = if has_capital { Cow::Owned(bare.to_ascii_lowercase()) } else { Cow::Borrowed(bare) };
    if let Some(sign) = SIGNS.get(&*small) {
        return Token::Sign(*sign);
    }
    let is_bracketed = !word.starts_with(char::is_alphanumeric)
        && BRACKETS.iter().any(|(open, close)| word.starts_with(*open) && word.ends_with(*close));
    if is_bracketed && !bare.is_empty() { Token::Bracketed } else { Token::Word }
}

fn is_bracket(c: char) -> bool {
    !(c.is_ascii_alphanumeric() || c == ' ') && BRACKETS.iter().any(|(open, close)| c == *open || c == *close)
}

fn contains_word(text: &str) -> bool {
    let lower = text.to_lowercase();
    AT_WORDS.iter().any(|word| lower.contains(word)) || UNSPACED_WORDS.iter().any(|(word, _)| text.contains(word))
}

/// Returns a text with spaces around words in brackets, and with signs in place of words that have no spaces around them.
fn apart(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(is_bracket) {
        out.push_str(&rest[..at]);
        let tail = &rest[at..];
        let first = tail.chars().next().unwrap_or_default();
        match bracketed(tail, first) {
            Some(group) => {
                out.push(' ');
                out.extend(group.chars().filter(|c| !c.is_whitespace()));
                out.push(' ');
                rest = &tail[group.len()..];
            }
            None => {
                out.push(first);
                rest = &tail[first.len_utf8()..];
            }
        }
    }
    out.push_str(rest);
    if UNSPACED_WORDS.iter().any(|(word, _)| out.contains(word)) {
        UNSPACED_WORDS.iter().for_each(|(word, sign)| out = out.replace(word, sign));
    }
    out
}

/// Returns the brackets at the start of a text with the one word in them.
fn bracketed(text: &str, first: char) -> Option<&str> {
    let (_, close) = BRACKETS.iter().find(|(open, _)| *open == first)?;
    let inner = &text[first.len_utf8()..];
    let (at, _) = inner.char_indices().take(BRACKETED_MAX + 1).find(|(_, c)| c == close)?;
    let word = inner[..at].trim();
    let is_word = !word.is_empty() && word.chars().all(|c| c.is_alphabetic() || matches!(c, '@' | '.' | '-'));
    is_word.then(|| &text[..first.len_utf8() + at + close.len_utf8()])
}

/// Puts spaces around a word for a sign that hyphens, lines or asterisks mark within another word.
fn unjoined(word: &str) -> Cow<'_, str> {
    let mut out = Cow::Borrowed(word);
    for mark in MARKS.into_iter().filter(|mark| word.contains(*mark)) {
        let word = out.clone().into_owned();
        let parts: Vec<&str> = word.split(mark).collect();
        let inner = parts.get(1..parts.len().saturating_sub(1)).unwrap_or_default();
        if inner.iter().any(|part| matches!(token(part), Token::Sign(_))) {
            let is_sign = |part: &&str| matches!(token(part), Token::Sign(_));
            let mut spaced = String::with_capacity(word.len());
            for (at, part) in parts.iter().enumerate() {
                let is_marked =
                    is_sign(part) || at.checked_sub(1).and_then(|last| parts.get(last)).is_some_and(is_sign);
                if at > 0 {
                    spaced.push(if is_marked { ' ' } else { mark });
                }
                spaced.push_str(part);
            }
            out = Cow::Owned(spaced);
        }
    }
    if is_mixed_case(&out) && contains_word(&out) { Cow::Owned(cased(&out)) } else { out }
}

/// Returns whether the case of a word changes at two places, so that another word can be between them.
fn is_mixed_case(word: &str) -> bool {
    let case = |c: char| (c.is_uppercase(), c.is_lowercase());
    let (mut changes, mut last) = (0, None);
    for case in word.chars().map(case) {
        changes += usize::from(last.is_some_and(|last| last != case));
        last = Some(case);
    }
    changes > 1 && word.contains(char::is_uppercase) && word.contains(char::is_lowercase)
}

/// Puts spaces around words for signs that only their case sets apart, as in `bobATexampleDOTcom` and `bobAtExampleDotCom`.
fn cased(word: &str) -> String {
    let chars: Vec<char> = word.chars().collect();
    let is_edge = |at: usize| {
        let of = |at: usize| chars.get(at).map_or((false, false), |c| (c.is_uppercase(), c.is_lowercase()));
        at.checked_sub(1).is_some_and(|last| of(last) != of(at))
    };
    let (mut out, mut at) = (String::with_capacity(word.len()), 0);
    while let Some(c) = chars.get(at) {
        let found = if is_edge(at) { cased_word(&chars[at..]) } else { String::new() };
        let end = at + found.chars().count();
        if end < chars.len() && is_edge(end) && matches!(token(&found), Token::Sign(_)) {
            out.extend([" ", &found, " "]);
            at = end;
        } else {
            out.push(*c);
            at += 1;
        }
    }
    out
}

/// Returns the letters at the start that have the case of the second one.
fn cased_word(chars: &[char]) -> String {
    let is_upper = chars.get(1).is_some_and(|c| c.is_uppercase());
    let more =
        chars.iter().skip(1).take(BRACKETED_MAX).take_while(|c| c.is_alphabetic() && c.is_uppercase() == is_upper);
    chars.iter().take(1).chain(more).collect()
}
