//! Where the members of an object are in a text.

use std::ops::Range;

/// The places of an object.
pub(super) struct Members {
    /// The opening brace.
    pub(super) open: usize,
    close: usize,
    /// The members, in their order.
    pub(super) list: Vec<Member>,
}

/// The places of a member.
pub(super) struct Member {
    /// Its name.
    pub(super) name: String,
    /// The first quote of the name.
    pub(super) start: usize,
    /// Its value.
    pub(super) value: Range<usize>,
    /// The comma after it.
    pub(super) comma: Option<usize>,
}

impl Members {
    /// Returns the place between the braces.
    pub(super) fn inner(&self) -> Range<usize> {
        self.open + 1..self.close
    }

    /// Returns a member by its name.
    pub(super) fn find(&self, name: &str) -> Option<&Member> {
        self.list.iter().find(|member| member.name == name)
    }
}

/// Returns the text as plain JSON: without comments, trailing commas and a byte order mark.
pub(super) fn plain(text: &str) -> String {
    let (mut out, mut at) = (String::new(), 0);
    while let Some(byte) = text.as_bytes().get(at) {
        let after = skip_blank(text, at);
        let is_trailing = *byte == b',' && matches!(text.as_bytes().get(skip_blank(text, at + 1)), Some(b'}' | b']'));
        let end = match byte {
            _ if after > at => {
                out.push(' ');
                at = after;
                continue;
            }
            b'"' => string_end(text, at),
            _ => at + text[at..].chars().next().map_or(1, char::len_utf8),
        };
        if !is_trailing {
            out.push_str(&text[at..end]);
        }
        at = end;
    }
    out
}

/// Finds the members of the object that begins here or after blanks; `None` if there is no object.
pub(super) fn scan(text: &str, at: usize) -> Option<Members> {
    let bytes = text.as_bytes();
    let open = skip_blank(text, at);
    if bytes.get(open) != Some(&b'{') {
        return None;
    }
    let (mut list, mut at) = (Vec::new(), skip_blank(text, open + 1));
    while bytes.get(at)? != &b'}' {
        let start = at;
        let name = serde_json::from_str(text.get(start..string_end(text, start))?).ok()?;
        let colon = skip_blank(text, string_end(text, start));
        let value_start = skip_blank(text, colon + 1);
        let value = value_start..value_end(text, value_start);
        at = skip_blank(text, value.end);
        let comma = (bytes.get(at) == Some(&b',')).then_some(at);
        if comma.is_some() {
            at = skip_blank(text, at + 1);
        }
        list.push(Member { name, start, value, comma });
    }
    Some(Members { open, close: at, list })
}

/// Returns the place after blanks and comments.
fn skip_blank(text: &str, mut at: usize) -> usize {
    loop {
        let rest = text.get(at..).unwrap_or_default();
        let trimmed = rest.trim_start_matches([' ', '\t', '\r', '\n', '\u{feff}']);
        at += rest.len() - trimmed.len();
        let length = if trimmed.starts_with("//") {
            trimmed.find('\n').unwrap_or(trimmed.len())
        } else if let Some(comment) = trimmed.strip_prefix("/*") {
            comment.find("*/").map_or(trimmed.len(), |end| end + 4)
        } else {
            return at;
        };
        at += length;
    }
}

/// Returns the place after a string that begins here.
fn string_end(text: &str, at: usize) -> usize {
    let mut is_escaped = false;
    for (offset, byte) in text.as_bytes().iter().enumerate().skip(at + 1) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return offset + 1,
            _ => {}
        }
    }
    text.len()
}

/// Returns the place after a value that begins here.
fn value_end(text: &str, mut at: usize) -> usize {
    let bytes = text.as_bytes();
    let mut depth = 0_usize;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => at = string_end(text, at),
            b'{' | b'[' => (depth, at) = (depth + 1, at + 1),
            b'}' | b']' if depth == 0 => return at,
            b'}' | b']' => (depth, at) = (depth - 1, at + 1),
            b',' if depth == 0 => return at,
            _ => {
                let after = skip_blank(text, at);
                if after > at && depth == 0 {
                    return at;
                }
                at = after.max(at + 1);
                continue;
            }
        }
        if depth == 0 {
            return at;
        }
    }
    text.len()
}
