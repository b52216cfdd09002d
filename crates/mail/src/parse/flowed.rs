//! Joins the lines of `format=flowed` text whose last space belongs to the line break (RFC 3676, `DelSp=yes`). Such text
//! breaks words and URLs. Other flowed text breaks only between words, so its lines stay as they are.

/// The separator above a signature, which isn't flowed although it ends with a space (RFC 3676 §4.3).
const SIGNATURE_SEPARATOR: &str = "-- ";

/// Returns the text with its paragraphs on one line each, and without space-stuffing.
pub(crate) fn joined(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    // The quote depth of a line that flows into the next one.
    let mut open: Option<usize> = None;
    for (at, line) in text.split('\n').enumerate() {
        let content = line.trim_start_matches('>');
        let depth = line.len() - content.len();
        let content = content.strip_prefix(' ').unwrap_or(content);
        let is_separator = content == SIGNATURE_SEPARATOR;
        if open.take().filter(|open| *open == depth && !is_separator).is_none() {
            if at > 0 {
                out.push('\n');
            }
            out.push_str(&line[..depth]);
            if depth > 0 && !content.is_empty() {
                out.push(' ');
            }
        }
        match content.strip_suffix(' ').filter(|_| !is_separator) {
            Some(flowed) => {
                out.push_str(flowed);
                open = Some(depth);
            }
            None => out.push_str(content),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::parse;

    #[test]
    fn flowed_lines_are_joined_up_to_their_paragraph() {
        for (text, expected) in [
            ("Hel \nlo wor \nld\nnext", "Hello world\nnext"),
            ("one  \ntwo", "one two"),
            ("https://x.example/ab \ncd?e=f", "https://x.example/abcd?e=f"),
            ("> quo \n> ted\nown", "> quoted\nown"),
            ("> a \n>> b", "> a\n>> b"),
            (" > stuffed\n From here", "> stuffed\nFrom here"),
            ("bye \n-- \nAnn", "bye\n-- \nAnn"),
            ("会議の \nご案内", "会議のご案内"),
            ("last \n", "last"),
            ("", ""),
            (">\n> x", ">\n> x"),
        ] {
            assert_eq!(joined(text), expected, "{text:?}");
        }
    }

    #[test]
    fn only_text_that_says_so_is_joined() {
        let text = |kind: &str| parse(format!("Content-Type: {kind}\r\n\r\nab \r\ncd\r\n").as_bytes()).text;
        for (kind, expected) in [
            ("text/plain; format=flowed; delsp=yes", "abcd\n"),
            ("text/plain; Format=Flowed; DelSp=Yes; charset=utf-8", "abcd\n"),
            ("text/plain; charset=utf-8; delsp=\"yes\"; format=\"flowed\"", "abcd\n"),
            ("text/plain; format=flowed; delsp=no", "ab \ncd\n"),
            ("text/plain; format=flowed", "ab \ncd\n"),
            ("text/plain; delsp=yes", "ab \ncd\n"),
        ] {
            assert_eq!(text(kind).as_deref(), Some(expected), "{kind}");
        }
    }

    #[test]
    fn every_break_of_a_text_is_undone() {
        let mut variants = 0;
        for text in ["Guten Tag, wie geht's?", "https://x.example/a?b=c&d=e", "日本語の文章です"] {
            for width in 1..12 {
                let chars: Vec<char> = text.chars().collect();
                let lines: Vec<String> = chars.chunks(width).map(|line| line.iter().collect()).collect();
                // A line that begins with a space or a `>` is stuffed.
                let stuffed =
                    lines.iter().map(|line| if line.starts_with(' ') { format!(" {line}") } else { line.clone() });
                let flowed = stuffed.collect::<Vec<_>>().join(" \n");
                assert_eq!(joined(&flowed), text, "{flowed:?}");
                variants += 1;
            }
        }
        assert!(variants >= 20);
    }
}
