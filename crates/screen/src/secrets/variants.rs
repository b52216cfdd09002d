//! The variants in which a reader can have a text: with its character references and escapes replaced, as markup shows it and
//! hides it, without markup, with look-alike and invisible characters folded, and with its encoded parts decoded. Each variant
//! is read again the same way, so that disguises within disguises are found, too. Everything has a limit and is linear.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use super::derived::DerivedText;
use super::spelling::{self, Escapes};
use crate::{decode, html};

/// Bytes of a text of which variants are made. The text itself is read whole.
const TEXT_BYTES_MAX: usize = 4 << 20;
/// Bytes of all variants of a text.
const VARIANTS_BYTES_MAX: usize = 24 << 20;
/// Variants of a text.
const VARIANTS_MAX: usize = 64;
/// Disguises within disguises.
const DEPTH_MAX: usize = 4;

/// A text with its variants.
#[derive(Debug)]
pub struct TextVariants<'a> {
    text: &'a str,
    derived: Vec<(DerivedText, Option<usize>)>,
}

impl<'a> TextVariants<'a> {
    /// Makes all variants of a text.
    #[must_use]
    pub fn of(text: &'a str) -> Self {
        let mut variants = Self { text, derived: Vec::new() };
        let mut seen = HashSet::from([hash(text)]);
        let mut bytes_left = VARIANTS_BYTES_MAX;
        let mut level: Vec<Option<usize>> = vec![None];
        for _ in 0..DEPTH_MAX {
            let mut next = Vec::new();
            for parent in level {
                for form in derived(variants.text_of(parent)) {
                    let is_kept = variants.derived.len() < VARIANTS_MAX && form.text.len() <= bytes_left;
                    if is_kept && seen.insert(hash(&form.text)) {
                        bytes_left -= form.text.len();
                        next.push(Some(variants.derived.len()));
                        variants.derived.push((form, parent));
                    }
                }
            }
            level = next;
        }
        variants
    }

    fn text_of(&self, form: Option<usize>) -> &str {
        form.map_or(self.text, |number| &self.derived[number].0.text)
    }

    /// Returns the text itself, then its variants.
    pub fn iter(&self) -> impl Iterator<Item = TextVariant<'_>> {
        std::iter::once(None).chain((0..self.derived.len()).map(Some)).map(|form| TextVariant {
            all: self,
            form,
            text: self.text_of(form),
        })
    }
}

/// One variant of a text, or the text itself.
#[derive(Debug, Clone, Copy)]
pub struct TextVariant<'a> {
    all: &'a TextVariants<'a>,
    form: Option<usize>,
    /// The text in this variant.
    pub text: &'a str,
}

impl TextVariant<'_> {
    /// Returns the range of the original text, in bytes, that a range of this variant stands for.
    #[must_use]
    pub fn source(&self, start: usize, end: usize) -> (usize, usize) {
        let (mut range, mut form) = ((start, end), self.form);
        while let Some(number) = form {
            let (made, parent) = &self.all.derived[number];
            (range, form) = (made.source(range.0, range.1), *parent);
        }
        let text = self.all.text;
        let start = text.floor_char_boundary(range.0.min(text.len()));
        (start, text.ceil_char_boundary(range.1.clamp(start, text.len())))
    }
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// Returns the texts that are derived from a text in one step.
fn derived(text: &str) -> Vec<DerivedText> {
    let text = &text[..text.floor_char_boundary(TEXT_BYTES_MAX)];
    let mut all = Vec::new();
    let both = [Escapes::All, Escapes::WithoutQuotedPrintable];
    all.extend(both.into_iter().filter_map(|escapes| spelling::unescaped(text, escapes)));
    if has_markup(text) {
        let parts = html::read(text);
        all.extend([parts.visible, parts.hidden].map(DerivedText::of_stream));
        all.push(without_markup(text));
    }
    if !text.is_ascii() {
        all.push(spelling::folded(text));
    }
    all.extend(spelling::numerals(text));
    all.extend(decoded(text));
    all.retain(|form| !form.text.trim().is_empty());
    all
}

fn has_markup(text: &str) -> bool {
    memchr::memchr_iter(b'<', text.as_bytes()).any(|at| is_tag(&text.as_bytes()[at..]))
}

fn is_tag(rest: &[u8]) -> bool {
    rest.get(1).is_some_and(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'/' | b'!' | b'?'))
}

/// Returns a text without its tags and comments, with nothing in their place.
fn without_markup(text: &str) -> DerivedText {
    let mut form = DerivedText::default();
    let mut from = 0;
    while from < text.len() {
        let tag = memchr::memchr_iter(b'<', &text.as_bytes()[from..])
            .map(|at| from + at)
            .find(|at| is_tag(&text.as_bytes()[*at..]));
        let Some(tag) = tag else { break };
        form.copy(&text[from..tag], from);
        let close = if text[tag..].starts_with("<!--") { "-->" } else { ">" };
        from = text[tag..].find(close).map_or(text.len(), |end| tag + end + close.len());
    }
    form.copy(&text[from..], from);
    form
}

/// Returns the decoded parts of a text, each in a line of its own.
fn decoded(text: &str) -> Option<DerivedText> {
    let mut form = DerivedText::default();
    for payload in decode::payloads_for_secrets(text) {
        let (start, end) = (payload.start as usize, payload.end as usize);
        form.put(&payload.text, start, end);
        form.put("\n", start, end);
    }
    Some(form).filter(|form| !form.text.is_empty())
}
