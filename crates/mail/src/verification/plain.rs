//! A line in the form that candidates are searched in: plain digits, spaces and hyphens, without what only separates or
//! decorates the characters of a code.

/// The mark of a dot between two groups of three digits, which may be a number or a code.
pub(super) const GROUP_DOT: char = '\u{2}';
/// What addresses, links, hosts and paths are overwritten with.
pub(super) const OVERWRITTEN: char = '\u{1}';

/// Minimum number of single digits with the same text between them that are one code.
const BOXES_MIN: usize = 4;
/// Minimum number of single digits with one dot, slash, underscore, colon or comma between them that are one code.
const NARROW_BOXES_MIN: usize = 6;
/// Maximum number of characters between them.
const BOX_GAP_CHARS_MAX: usize = 4;

/// Normalizes a line: converts full-width and other decimal digits to ASCII, unusual spaces and dashes to plain ones,
/// and overwrites addresses and links.
pub(super) fn plain(line: &str) -> Vec<char> {
    let mut chars: Vec<char> = if line.is_ascii() {
        line.bytes().map(|byte| if byte == b'\t' { ' ' } else { char::from(byte) }).collect()
    } else {
        line.chars().filter(|c| !is_invisible(*c)).map(plain_char).collect()
    };
    overwrite_addresses(&mut chars);
    if chars.iter().any(char::is_ascii_digit) {
        close_gap(&mut chars);
        open_boxes(&mut chars);
        mark_group_separators(&mut chars);
    }
    chars
}

/// Returns whether the line shows nothing.
pub(super) fn is_blank(line: &str) -> bool {
    line.chars().filter(|c| !is_invisible(*c)).all(|c| plain_char(c).is_whitespace())
}

fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{ad}' | '\u{34f}'
        // The box around a keycap digit.
        | '\u{fe0e}' | '\u{fe0f}' | '\u{20e3}')
}

pub(super) fn plain_char(c: char) -> char {
    if c.is_ascii() {
        return if c == '\t' { ' ' } else { c };
    }
    /// The zeros of the scripts with decimal digits (Unicode general category Nd).
    const ZEROS: [u32; 26] = [
        0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xde6, 0xe50, 0xed0, 0xf20,
        0x1040, 0x17e0, 0x1810, 0x1090, 0xff10, // The mathematical digits, and those of old computers.
        0x1d7ce, 0x1d7d8, 0x1d7e2, 0x1d7ec, 0x1d7f6,
    ];
    if let Some(value) = ZEROS.iter().map(|zero| (c as u32).wrapping_sub(*zero)).find(|value| *value < 10) {
        return char::from_digit(value, 10).unwrap_or(c);
    }
    match c {
        '\u{ff21}'..='\u{ff3a}' | '\u{ff41}'..='\u{ff5a}' => char::from_u32(c as u32 - 0xfee0).unwrap_or(c),
        '\u{2010}'..='\u{2015}' | '\u{2043}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}' => '-',
        '\t' | '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => ' ',
        c => c,
    }
}

/// Overwrites addresses, links, hosts and paths, because digits in them aren't a code.
fn overwrite_addresses(chars: &mut [char]) {
    let mut at = 0;
    while at < chars.len() {
        let end = chars[at..].iter().position(|c| *c == ' ').map_or(chars.len(), |length| at + length);
        let word = &chars[at..end];
        // Every address, link and host contains one of these characters.
        if !word.iter().any(|c| matches!(c, ':' | '@' | '.')) {
            at = end + 1;
            continue;
        }
        let has = |wanted: &[char]| word.windows(wanted.len()).any(|window| window == wanted);
        let host = word.windows(3).any(|w| w[0].is_ascii_alphanumeric() && w[1] == '.' && w[2].is_ascii_alphabetic())
            && word.iter().all(char::is_ascii)
            && !is_end_of_sentence(word);
        if has(&[':', '/', '/']) || has(&['@']) || host || has(&['w', 'w', 'w', '.']) {
            chars[at..end].fill(OVERWRITTEN);
        }
        at = end + 1;
    }
}

/// Returns whether a word is a number, a dot and the first word of the next sentence: "482913.It".
fn is_end_of_sentence(word: &[char]) -> bool {
    let dots = word.iter().filter(|c| **c == '.').count();
    let dot = word.iter().position(|c| *c == '.').unwrap_or(0);
    let (number, next) = (&word[..dot], &word[(dot + 1).min(word.len())..]);
    let digits = number.iter().filter(|c| c.is_ascii_digit()).count();
    let is_number = digits >= 4 && number.iter().all(|c| !c.is_ascii_alphabetic());
    let is_word = next.first().is_some_and(char::is_ascii_uppercase)
        && next[1..].iter().all(|c| c.is_ascii_lowercase() || matches!(c, '\'' | ',' | '!' | '?' | ':'));
    dots == 1 && is_number && is_word
}

/// Replaces a hyphen between two groups of single digits by a space: `4 8 2 - 9 1 3`.
fn close_gap(chars: &mut [char]) {
    let is_single = |digit: Option<&char>, beyond: Option<&char>| {
        digit.is_some_and(char::is_ascii_digit) && beyond.is_none_or(|c| !c.is_alphanumeric())
    };
    for at in 2..chars.len().saturating_sub(2) {
        let before = is_single(chars.get(at - 2), at.checked_sub(3).and_then(|at| chars.get(at)));
        if chars[at] == '-' && before && is_single(chars.get(at + 2), chars.get(at + 3)) {
            let is_apart = chars[at - 1] == ' ' && chars[at + 1] == ' ';
            chars[at] = if is_apart { ' ' } else { '-' };
        }
    }
}

/// Replaces what is around and between single digits by spaces: `[4] [8] [2] [9]`, `4 | 8 | 2 | 9`, `4.8.2.9.1.3`.
fn open_boxes(chars: &mut [char]) {
    let is_box = |c: &char| matches!(c, '[' | ']' | '|' | '│' | '┃' | '(' | ')' | '{' | '}' | '·' | '•' | '⋅' | ' ');
    let is_part = |c: Option<&char>| c.is_some_and(|c| c.is_alphanumeric());
    let mut at = 0;
    while at < chars.len() {
        if !chars[at].is_ascii_digit() || at > 0 && is_part(chars.get(at - 1)) {
            at += 1;
            continue;
        }
        let start = at;
        let gap = chars[start + 1..].iter().take(BOX_GAP_CHARS_MAX + 1).take_while(|c| is_box(c)).count();
        // One dot, slash or underscore between digits is also part of dates, versions and addresses, but not of six digits.
        let is_narrow = gap == 0 && matches!(chars.get(start + 1), Some('.' | '/' | '_' | ':' | ','));
        let (gap, digits_min) = if is_narrow { (1, NARROW_BOXES_MIN) } else { (gap, BOXES_MIN) };
        let step = gap + 1;
        let is_next = |last: usize| {
            let next = last + step;
            chars.get(next).is_some_and(char::is_ascii_digit)
                && !is_part(chars.get(next + 1))
                && chars[last + 1..next] == chars[start + 1..start + step]
        };
        let mut last = start;
        while gap > 0 && gap <= BOX_GAP_CHARS_MAX && is_next(last) {
            last += step;
        }
        let digits = (last - start) / step + 1;
        let is_open = is_narrow && is_part(chars.get(last + 2)) && chars[last + 1] == chars[start + 1];
        if digits >= digits_min && !is_open {
            let from = start - chars[..start].iter().rev().take(1).filter(|c| is_box(c)).count();
            let to = last + 1 + chars[last + 1..].iter().take(1).filter(|c| is_box(c)).count();
            chars[from..to].iter_mut().filter(|c| !c.is_ascii_digit()).for_each(|c| *c = ' ');
        }
        at = last + 1;
    }
}

/// Replaces separators between two groups of digits of one length: dots in the middle of the line and tildes by spaces,
/// and those that numbers, dates and ranges also have by a mark: `482.913`, `482/913`, `482_913`, `482 - 913`.
fn mark_group_separators(chars: &mut [char]) {
    const GROUP_CHARS: std::ops::RangeInclusive<usize> = 2..=4;
    let run = |chars: &[char], back: bool| {
        let is_digit = |c: &&char| c.is_ascii_digit();
        if back { chars.iter().rev().take_while(is_digit).count() } else { chars.iter().take_while(is_digit).count() }
    };
    for at in 1..chars.len().saturating_sub(1) {
        let mark = match chars[at] {
            '·' | '•' | '‧' | '∙' | '⋅' | '・' | '~' | '～' => ' ',
            '.' | '/' | '_' => GROUP_DOT,
            '-' if chars[at - 1] == ' ' && chars[at + 1] == ' ' => GROUP_DOT,
            _ => continue,
        };
        let blank = usize::from(chars[at] == '-');
        // Longer runs of digits aren't counted to their end.
        let before = &chars[at.saturating_sub(GROUP_CHARS.end() + 1 + blank)..at - blank];
        let after = &chars[at + 1 + blank..chars.len().min(at + 2 + blank + GROUP_CHARS.end())];
        let (left, right) = (run(before, true), run(after, false));
        let (left_end, right_end) = (left + blank + 1, right + blank + 1);
        let outside = [at.checked_sub(left_end).map(|at| chars[at]), chars.get(at + right_end).copied()];
        let is_number = outside.iter().flatten().any(|c| c.is_alphabetic() || ".,:/%-$€£+".contains(*c));
        let ends_sentence = outside[1] == Some('.') && chars.get(at + right_end + 1).is_none_or(|c| *c == ' ');
        let is_apart = outside[0].is_none_or(|c| !c.is_alphanumeric() && !".,/-$€£+".contains(c))
            && (!is_number || ends_sentence || outside[0] == Some(':') && outside[1].is_none_or(|c| c == ' '));
        let fits = if mark == GROUP_DOT { left == 3 && is_apart } else { GROUP_CHARS.contains(&left) };
        if left == right && fits {
            chars[at] = mark;
        }
    }
}
