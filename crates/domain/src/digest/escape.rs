//! Lines of mail that look like lines of the digest itself.

use std::borrow::Cow;

/// What headings and the lines in place of others begin with.
const OWN_BEGINNINGS: [&str; 3] = ["#", "[quotes #", "[same file as in #"];
/// Stands before a line of mail that begins as one of the digest's own lines.
const ESCAPE: char = '\\';

/// Returns a text with a backslash before each line that a reader could take for a heading of the digest, or for a line in
/// place of others: an author must not write the heading of another author's message.
pub(super) fn escaped(text: &str) -> Cow<'_, str> {
    if !text.contains('#') || !text.split_inclusive(is_line_break).any(resembles_own) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 1);
    for line in text.split_inclusive(is_line_break) {
        if resembles_own(line) {
            out.push(ESCAPE);
        }
        out.push_str(line);
    }
    Cow::Owned(out)
}

/// Returns the longest beginning of a text that has at most `bytes_max` bytes once it is escaped.
pub(super) fn fitting(text: &str, bytes_max: usize) -> &str {
    let mut cut = &text[..text.floor_char_boundary(bytes_max)];
    loop {
        let over = escaped(cut).len().saturating_sub(bytes_max);
        if over == 0 {
            return cut;
        }
        cut = &cut[..cut.floor_char_boundary(cut.len() - over)];
    }
}

/// Returns whether a line begins, after blanks and signs that nobody sees, as a line of the digest does.
fn resembles_own(line: &str) -> bool {
    let line = line.trim_start_matches(|c: char| c.is_whitespace() || is_unseen(c));
    OWN_BEGINNINGS
        .iter()
        .any(|own| line.strip_prefix(own).is_some_and(|rest| rest.starts_with(|c: char| c.is_numeric())))
}

/// Signs that many readers begin a new line at.
const fn is_line_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Signs without a width, and those that only set the direction or language.
const fn is_unseen(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_mail_is_never_a_line_of_the_digest() {
        let own =
            ["#2 Boss <boss@corp.example> 2027-01-15T08:00", "[quotes #1]", "[quotes #1, #2]", "[same file as in #1]"];
        for own in own.map(str::to_owned).into_iter().chain(["#3 file x.csv".to_owned(), "#12 quoted".to_owned()]) {
            for hidden in ["", " ", "\t", "\u{a0}", "\u{200b}", "\u{feff} ", "\u{202e}"] {
                for line_break in ["\n", "\r\n", "\r", "\u{2028}", "\u{2029}", "\u{85}", "\u{b}", "\u{c}"] {
                    let text = format!("Hi,{line_break}{hidden}{own}{line_break}yes");
                    assert_eq!(escaped(&text), format!("Hi,{line_break}\\{hidden}{own}{line_break}yes"), "{text:?}");
                }
                assert_eq!(escaped(&format!("{hidden}{own}")), format!("\\{hidden}{own}"));
            }
        }
    }

    #[test]
    fn other_lines_stay() {
        for text in ["", "# Title", "#hash", "a #2", "[quotes 1]", "\\#2 x", "1\n2 #3\n", "> #2 x"] {
            assert_eq!(escaped(text), text);
        }
    }

    #[test]
    fn a_cut_text_fits_and_is_not_empty() {
        let dense = "\u{2028}#1".repeat(400);
        for text in [dense.as_str(), "#1 x #1 x", "plain text", "é\u{2028}#2é"] {
            for bytes_max in 8..200 {
                let cut = fitting(text, bytes_max);
                assert!(!cut.is_empty() && escaped(cut).len() <= bytes_max, "{bytes_max}: {cut:?}");
            }
        }
    }
}
