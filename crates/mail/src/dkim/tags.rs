//! Tag lists: `name=value; name=value` (RFC 6376 §3.2), the syntax of signatures, key records and DMARC records.

/// Most tags in a list.
const TAGS_MAX: usize = 64;

/// A parsed tag list with unique names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DkimTags<'t> {
    list: Vec<(&'t str, &'t str)>,
}

impl<'t> DkimTags<'t> {
    /// Parses a list. Returns `None` if the syntax is wrong, a name occurs twice, or the list has more than 64 tags.
    pub(crate) fn parse(text: &'t str) -> Option<Self> {
        let mut list: Vec<(&str, &str)> = Vec::new();
        let mut specs = text.split(';').peekable();
        while let Some(spec) = specs.next() {
            let spec = spec.trim_matches(is_fws);
            if spec.is_empty() && specs.peek().is_none() && !list.is_empty() {
                // One trailing semicolon is allowed.
                break;
            }
            let (name, value) = spec.split_once('=')?;
            let (name, value) = (name.trim_matches(is_fws), value.trim_matches(is_fws));
            let starts = name.starts_with(|c: char| c.is_ascii_alphabetic());
            if !starts || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
                return None;
            }
            let valid_value = value.chars().all(|c| is_fws(c) || !(c.is_ascii_control() || c == ';'));
            if !valid_value || list.len() == TAGS_MAX || list.iter().any(|(seen, _)| *seen == name) {
                return None;
            }
            list.push((name, value));
        }
        Some(Self { list })
    }

    /// Returns the value of a tag without surrounding white space. Names are case-sensitive.
    pub(crate) fn get(&self, name: &str) -> Option<&'t str> {
        self.list.iter().find(|(seen, _)| *seen == name).map(|(_, value)| *value)
    }

    /// Returns the first tag.
    pub(crate) fn first(&self) -> Option<(&'t str, &'t str)> {
        self.list.first().copied()
    }
}

/// Returns true for white space that may surround names and values, including folds.
pub(crate) fn is_fws(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n')
}

/// Removes all white space from a value, as base64 values and lists require.
pub(crate) fn without_fws(value: &str) -> String {
    value.chars().filter(|c| !is_fws(*c)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_parse_with_folds_and_one_trailing_semicolon() {
        let tags = DkimTags::parse(" v = 1;\r\n\ta=b c ; e=;").expect("valid");
        assert_eq!((tags.get("v"), tags.get("a"), tags.get("e")), (Some("1"), Some("b c"), Some("")));
        assert_eq!((tags.get("A"), tags.first()), (None, Some(("v", "1"))));
    }

    #[test]
    fn invalid_lists_are_rejected() {
        for text in ["", ";", "a", "a=1;;", "a=1;;b=2", "a=1;a=2", "1a=2", "=1", "a b=1", "a=\u{1}"] {
            assert_eq!(DkimTags::parse(text), None, "{text:?}");
        }
    }
}
