//! URLs as attributes and plain texts contain them (WHATWG URL Standard, RFC 3986 appendix C).

use std::borrow::Cow;

use url::Url;

/// Minimum length of a line whose URL may continue on the next line, in bytes: programs wrap at 72 to 78.
const WRAPPED_BYTES_MIN: usize = 66;
/// Maximum number of lines that a URL continues on.
const CONTINUED_LINES_MAX: usize = 8;

/// Returns whether the text begins with a scheme of the web.
pub(super) fn is_web(url: &str) -> bool {
    let scheme = url.get(..8).unwrap_or(url).to_ascii_lowercase();
    scheme.starts_with("http://") || scheme.starts_with("https://")
}

/// Returns the web address that an `href` leads to, as written except for what browsers remove: line breaks, tabs, and
/// white space around it. Relative addresses need the `base` of the document.
pub(super) fn of_href(href: &str, base: Option<&str>) -> Option<String> {
    let trimmed = href.trim_matches(|c: char| c.is_ascii_control() || c == ' ');
    let url: String = trimmed.chars().filter(|c| !matches!(c, '\t' | '\n' | '\r')).collect();
    if is_web(&url) {
        return Some(url);
    }
    if url.starts_with("//") {
        return Some(format!("https:{url}"));
    }
    if url.is_empty() || url.starts_with('#') {
        return None;
    }
    let resolved = Url::parse(base?).ok()?.join(&url).ok()?;
    is_web(resolved.as_str()).then(|| resolved.into())
}

/// Returns the length of the URL at the start of a text: up to white space, a quotation mark or a bracket, or a word of
/// another script behind it, or a word behind a comma or an opening bracket that isn't closed.
pub(super) fn bare_length(text: &str) -> usize {
    let authority = text.find("://").map_or(0, |at| at + "://".len());
    let path = text[authority..].find(['/', '?', '#']).map_or(text.len(), |at| authority + at);
    let (mut before, mut in_query) = (' ', false);
    for (at, c) in text.char_indices() {
        let is_delimiter = c.is_whitespace()
            || matches!(c, '<' | '>' | '"' | '`' | '|' | '«' | '»')
            || !c.is_ascii() && !c.is_alphanumeric();
        // A path may have words of any script, but no program writes them behind a token.
        let is_glued = at > path && is_other_script(c) && before.is_ascii_alphanumeric();
        if is_delimiter || is_glued || at > authority && begins_remark(&text[at..], in_query) {
            return at;
        }
        in_query |= c == '?' || c == '#';
        before = c;
    }
    text.len()
}

/// Returns whether a comma or a bracket begins a remark of the sentence: `(valid 24h)`, `,gültig`. The names of pages and
/// lists of values go on behind the word: `Foo_(bar)`, `a,b&c`.
fn begins_remark(text: &str, in_query: bool) -> bool {
    /// Maximum number of bytes in which a bracket is closed.
    const BRACKET_BYTES_MAX: usize = 256;
    let close = match text.as_bytes()[0] {
        b',' => None,
        b'(' => Some(')'),
        b'[' => Some(']'),
        _ => return false,
    };
    let rest = &text[1..];
    let word = rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len());
    let behind = rest[word..].trim_start_matches(['.', ',', ';', ':', '!', '?', ')', ']', '*']);
    let is_word = word > 0 && behind.chars().next().is_none_or(char::is_whitespace);
    let Some(close) = close else { return is_word };
    let near = &rest[..rest.floor_char_boundary(BRACKET_BYTES_MAX)];
    let until = near.find(char::is_whitespace).unwrap_or(near.len());
    in_query && is_word || near.starts_with(char::is_alphanumeric) && !near[..until].contains(close)
}

/// Returns whether a character is a letter of another script than Latin.
fn is_other_script(c: char) -> bool {
    c >= '\u{370}' && c.is_alphabetic() && !matches!(c, '\u{1e00}'..='\u{1eff}')
}

/// Returns a URL of a plain text without the escape sequences of HTML, which some programs forget there.
pub(super) fn unescaped(url: &str) -> Cow<'_, str> {
    if url.contains("&amp;") { Cow::Owned(url.replace("&amp;", "&")) } else { Cow::Borrowed(url) }
}

/// Joins the lines of a plain text between which a program has broken a URL.
pub(super) fn joined_lines<'t>(lines: impl Iterator<Item = &'t str>) -> Vec<Cow<'t, str>> {
    let mut joined: Vec<Cow<'t, str>> = Vec::new();
    let mut continued = 0;
    for line in lines {
        let open = joined.last().and_then(|last| open_url(last)).filter(|_| continued < CONTINUED_LINES_MAX);
        let next = line.trim();
        let continues = open.is_some_and(|open| match open {
            OpenUrl::InBrackets => !next.is_empty() && !next.contains(char::is_whitespace),
            OpenUrl::AtMargin => is_continuation(next),
        });
        match joined.last_mut().filter(|_| continues) {
            Some(last) => {
                let mut whole = last.trim_end().to_owned();
                whole.push_str(next);
                *last = Cow::Owned(whole);
                continued += 1;
            }
            None => {
                joined.push(Cow::Borrowed(line));
                continued = 0;
            }
        }
    }
    joined
}

/// A URL that may go on below its line.
enum OpenUrl {
    /// Its opening angle bracket has no closing one.
    InBrackets,
    /// It ends where a program would wrap a line.
    AtMargin,
}

/// Returns how the last word of a line may be the beginning of a URL.
fn open_url(line: &str) -> Option<OpenUrl> {
    /// Maximum length of a line that a URL is joined in, in bytes.
    const JOINED_BYTES_MAX: usize = 4_096;
    let line = line.trim_end();
    let word = line.rsplit(char::is_whitespace).next().filter(|_| line.len() <= JOINED_BYTES_MAX)?;
    let bracketed = word.rsplit_once('<').map(|(_, url)| url.strip_prefix("URL:").unwrap_or(url));
    if bracketed.is_some_and(|url| is_web(url) && !url.contains('>')) {
        return Some(OpenUrl::InBrackets);
    }
    (is_web(word) && line.len() >= WRAPPED_BYTES_MIN).then_some(OpenUrl::AtMargin)
}

/// Returns whether a line may be the rest of a URL: one word that isn't one of a language.
fn is_continuation(line: &str) -> bool {
    /// Minimum length of a rest without digits and separators, in bytes.
    const LETTERS_MIN: usize = 20;
    let is_url = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~:/?#@!$&'*+,;=%".contains(&byte);
    let has_sign = line.bytes().any(|byte| byte.is_ascii_digit() || b"/?&=_%".contains(&byte));
    let inner = line.bytes().skip(1).any(|byte| byte.is_ascii_uppercase());
    !line.is_empty()
        && line.bytes().all(is_url)
        && !is_web(line)
        && !line.ends_with([',', ':'])
        && (has_sign || inner || line.len() >= LETTERS_MIN)
}
