//! What the texts of a card may not contain: markup, links, addresses, and characters that show nothing or reorder text.

use icu_normalizer::ComposingNormalizerBorrowed;

use super::card_links::has_host;

named! {
    /// What a text of a card may not contain.
    CardTextProblem {
        /// HTML tags, comments or character references.
        Html = "html",
        /// URLs and names of sites.
        Link = "link",
        /// Email addresses.
        Address = "address",
        /// Characters that show nothing, reorder text or control devices.
        Invisible = "invisible_text",
    }
}

/// The schemes of links. A colon follows.
const SCHEMES: &[&str] = &[
    "http",
    "https",
    "ftp",
    "ftps",
    "javascript",
    "vbscript",
    "data",
    "mailto",
    "file",
    "blob",
    "tel",
    "sms",
    "ws",
    "wss",
    "ssh",
    "git",
    "magnet",
    "ipfs",
    "intent",
];

/// Characters that show nothing or reorder text, beyond the control characters: first and last of each range.
const INVISIBLE: &[(char, char)] = &[
    ('\u{ad}', '\u{ad}'),
    ('\u{34f}', '\u{34f}'),
    ('\u{600}', '\u{605}'),
    ('\u{61c}', '\u{61c}'),
    ('\u{6dd}', '\u{6dd}'),
    ('\u{70f}', '\u{70f}'),
    ('\u{8e2}', '\u{8e2}'),
    ('\u{115f}', '\u{1160}'),
    ('\u{17b4}', '\u{17b5}'),
    ('\u{180b}', '\u{180f}'),
    ('\u{200b}', '\u{200f}'),
    ('\u{2028}', '\u{202e}'),
    ('\u{2060}', '\u{206f}'),
    ('\u{2800}', '\u{2800}'),
    ('\u{3164}', '\u{3164}'),
    ('\u{e000}', '\u{f8ff}'),
    ('\u{feff}', '\u{feff}'),
    ('\u{ffa0}', '\u{ffa0}'),
    ('\u{fff0}', '\u{fffb}'),
    ('\u{110bd}', '\u{110bd}'),
    ('\u{1bca0}', '\u{1bca3}'),
    ('\u{1d173}', '\u{1d17a}'),
    ('\u{e0000}', '\u{10ffff}'),
];

impl CardTextProblem {
    /// Describes the problem, worded so that it states what is allowed.
    #[must_use]
    pub const fn message(self) -> &'static str {
        match self {
            CardTextProblem::Html => "must be plain text without HTML",
            CardTextProblem::Link => "must not contain links or names of sites; use `documentation_url`",
            CardTextProblem::Address => "must not contain email addresses",
            CardTextProblem::Invisible => "must not contain invisible characters or characters that reorder text",
        }
    }
}

/// Checks a text of a card, as it is written and as compatible characters would show it.
///
/// # Errors
/// Returns the first problem.
pub fn check(text: &str) -> Result<(), CardTextProblem> {
    if text.chars().any(is_invisible) {
        return Err(CardTextProblem::Invisible);
    }
    let shown = ComposingNormalizerBorrowed::new_nfkc().normalize(text);
    let shown = shown.to_lowercase();
    if has_html(&shown) {
        return Err(CardTextProblem::Html);
    }
    if shown.split(char::is_whitespace).any(is_address) {
        return Err(CardTextProblem::Address);
    }
    if has_scheme(&shown) || has_host(&shown) {
        return Err(CardTextProblem::Link);
    }
    Ok(())
}

/// Returns a text without invisible characters, for pages.
#[must_use]
pub fn visible(text: &str) -> String {
    text.chars().filter(|c| !is_invisible(*c)).collect()
}

fn is_invisible(c: char) -> bool {
    c.is_control() && c != '\n' && c != '\r' && c != '\t'
        || INVISIBLE.iter().any(|(first, last)| (*first..=*last).contains(&c))
}

/// Returns whether the text has `<` before a letter, `/`, `!` or `?`, or a character reference.
fn has_html(text: &str) -> bool {
    let begins_tag = |rest: &str| rest.starts_with(|c: char| c.is_ascii_alphabetic() || "/!?".contains(c));
    let begins_reference = |rest: &str| {
        let name: &str = rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '#').next().unwrap_or_default();
        name.len() > 1 && rest[name.len()..].starts_with(';')
    };
    text.split('<').skip(1).any(begins_tag) || text.split('&').skip(1).any(begins_reference)
}

/// Returns whether a word has an `@` between other characters.
fn is_address(word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || "._%+-\"'".contains(c);
    let is_host = |c: char| c.is_alphanumeric() || c == '[';
    word.match_indices('@').any(|(at, _)| word[..at].ends_with(is_part) && word[at + 1..].starts_with(is_host))
}

/// Returns whether the text has `://`, or the scheme of a link with something behind it.
fn has_scheme(text: &str) -> bool {
    text.contains("://")
        || text.match_indices(':').any(|(at, _)| {
            let is_part = |c: char| c.is_ascii_alphanumeric() || "+.-".contains(c);
            let word = text[..at].rsplit(|c| !is_part(c)).next().unwrap_or_default();
            SCHEMES.contains(&word) && text[at + 1..].starts_with(|c: char| !c.is_whitespace())
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use CardTextProblem::{Address, Html, Invisible, Link};

    #[test]
    fn plain_text_is_allowed() {
        for fine in [
            "Support bot",
            "Answers questions in < 5 minutes; a > b",
            "R&D, Q&A, AT&T; costs 5 € & more;",
            "Node.js and ASP.NET, e.g. version 1.2.3",
            "Time: 10:30, ratio 3:1. Note: see below.",
            "Ask @acme/support",
            "日本語のサポート 🙂",
            "Zwei Zeilen\nund mehr",
            "24/7 and/or either/or",
        ] {
            assert_eq!(check(fine), Ok(()), "{fine}");
        }
    }

    #[test]
    fn markup_links_and_addresses_are_refused() {
        for (text, problem) in [
            ("<script>alert(1)</script>", Html),
            ("a</b>", Html),
            ("<!-- x -->", Html),
            ("＜img src=x＞", Html),
            ("&lt;b&gt;", Html),
            ("&#60;b", Html),
            ("see https://evil.example/x", Link),
            ("ｈｔｔｐ：／／evil.example", Link),
            ("javascript:alert(1)", Link),
            ("JaVaScRiPt:alert(1)", Link),
            ("data:text/html;base64,x", Link),
            ("visit www.evil.example", Link),
            ("visit evil.com!", Link),
            ("go to evil.example/path", Link),
            ("evil.io:8443", Link),
            ("evil.shop", Link),
            ("evil。com", Link),
            ("evil．com", Link),
            ("name(at)host.com", Link),
            ("1.2.3.4/x", Link),
            ("write to a@b.example", Address),
            ("a＠b.example", Address),
            ("user@localhost", Address),
            ("mailto:a@b.example", Address),
            ("\u{202e}gnp.exe", Invisible),
            ("a\u{200b}b", Invisible),
            ("tag \u{e0041}", Invisible),
            ("bell \u{7}", Invisible),
            ("\u{2066}x\u{2069}", Invisible),
        ] {
            assert_eq!(check(text), Err(problem), "{text:?}");
        }
    }
}
