//! Parts of long texts.

/// A part of a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextWindow {
    /// Where it begins, in characters.
    pub(crate) offset: usize,
    /// Its longest length in characters.
    pub(crate) chars_max: usize,
}

/// Returns a part of a text and, if the text goes on or has no such part, a note that says so.
pub(crate) fn window(text: &str, window: TextWindow) -> (String, Option<String>) {
    let TextWindow { offset, chars_max } = window;
    let mut rest = text.chars();
    if offset > 0 {
        let _ = rest.nth(offset - 1);
    }
    let part: String = rest.by_ref().take(chars_max).collect();
    let left = rest.count();
    if offset > 0 && part.is_empty() {
        let length = text.chars().count();
        return (part, Some(beyond(length, offset)));
    }
    let next = offset + chars_max;
    let note = (left > 0).then(|| format!("{left} more characters; the next part begins at offset {next}"));
    (part, note)
}

/// Returns the note about an offset behind the end of a text.
pub(crate) fn beyond(chars: usize, offset: usize) -> String {
    format!("the text has {chars} characters, so nothing begins at offset {offset}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_cover_a_text_without_gaps() {
        let text = "aäb\u{1f600}c";
        for chars_max in 1..=6 {
            let (mut all, mut offset) = (String::new(), 0);
            loop {
                let (part, note) = window(text, TextWindow { offset, chars_max });
                all.push_str(&part);
                let Some(note) = note else { break };
                offset += chars_max;
                assert!(note.ends_with(&format!("offset {offset}")), "{note}");
            }
            assert_eq!(all, text);
        }
        for offset in [3, 9] {
            let note = format!("the text has 3 characters, so nothing begins at offset {offset}");
            assert_eq!(window("abc", TextWindow { offset, chars_max: 5 }), (String::new(), Some(note)));
        }
        assert_eq!(window("", TextWindow { offset: 0, chars_max: 5 }), (String::new(), None));
    }
}
