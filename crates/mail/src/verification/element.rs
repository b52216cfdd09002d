//! What the attributes of an element show, and how.

use super::words::{self, KeywordTable};
use crate::extract::token::{self, HtmlStartTag};

/// Returns what a field or an image shows if it may be a code: characters and separators of codes, and digits, with a
/// short label in front of them.
pub(super) fn shown_value(tag: &HtmlStartTag<'_>) -> Option<String> {
    const CHARS_MAX: usize = 24;
    const LABEL_CHARS_MAX: usize = 48;
    let value = if tag.is("input") {
        let kind = tag.attribute("type").unwrap_or("text").to_ascii_lowercase();
        tag.attribute("value").filter(|_| matches!(&*kind, "text" | "tel" | "number" | "" | "search"))
    } else if tag.is("img") {
        tag.attribute("alt")
    } else {
        None
    };
    let value = token::decode(value?);
    let is_code = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || matches!(c, ' ' | '-' | '\u{a0}');
    let value = value.trim();
    let start = value.char_indices().rfind(|(_, c)| !is_code(*c)).map_or(0, |(at, c)| at + c.len_utf8());
    let (label, code) = (value[..start].to_lowercase(), value[start..].trim());
    let is_named = || words::hits(&label).any(|hit| matches!(hit.table, KeywordTable::Code | KeywordTable::Strong));
    let digits = code.bytes().filter(u8::is_ascii_digit).count();
    let is_shown = value.len() <= LABEL_CHARS_MAX && code.len() <= CHARS_MAX && digits >= 3;
    (is_shown && (label.is_empty() || is_named())).then(|| value.to_owned())
}

/// Returns whether the element quotes another message.
pub(super) fn is_quote(tag: &HtmlStartTag<'_>) -> bool {
    tag.attribute("type").is_some_and(|kind| kind.eq_ignore_ascii_case("cite"))
        || tag.attribute("class").is_some_and(|class| class.contains("quote"))
}

/// Returns whether the element shows its text in bold, large or spaced letters.
pub(super) fn is_emphasis(tag: &HtmlStartTag<'_>) -> bool {
    /// Minimum size of large letters in pixels or points.
    const LARGE: f32 = 18.0;
    if tag.name.traits.is_emphasis() {
        return true;
    }
    let Some(style) = tag.attribute("style") else { return false };
    style.split(';').filter_map(|rule| rule.split_once(':')).any(|(name, value)| {
        let (name, value) = (name.trim(), value.trim());
        let number = || -> f32 {
            let digits = value.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(value.len());
            value[..digits].parse().unwrap_or(0.0)
        };
        let is = |property: &str| name.eq_ignore_ascii_case(property);
        is("letter-spacing") && number() > 0.0
            || is("font-size") && number() >= LARGE
            || is("font-weight") && (value.starts_with("bold") || number() >= 600.0)
    })
}
