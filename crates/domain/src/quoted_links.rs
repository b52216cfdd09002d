//! Masks links of this service in mail that arrives. A reply, a bounce or a forwarded copy quotes the mail that it answers,
//! and an agent that reads it must not be able to follow a link meant for the recipient
//! (`docs/decisions/people.md#0095-the-services-own-mail`). Pure.

use posthouse_mail::parse::{self, ParsedAttachment, ParsedMessage};

use crate::link_token::{self, TokenText};

/// The largest file that is searched, in bytes. Mail of the service, and what quotes it, is small.
const SEARCHED_BYTES_MAX: usize = 256 * 1024;

/// The depth of attached messages that are searched.
const DEPTH_MAX: usize = 3;

/// The links of this service in a mail.
#[derive(Default, Debug)]
pub struct QuotedLinks {
    is_any: bool,
    /// The sign-in codes that belong to the links.
    codes: Vec<String>,
}

impl QuotedLinks {
    /// Returns whether there are any.
    #[must_use]
    pub fn is_any(&self) -> bool {
        self.is_any
    }

    /// Returns a JSON text without the links and codes.
    #[must_use]
    pub fn masked_json(&self, json: String) -> String {
        let masked = link_token::masked(&json, TokenText::Plain).map_or(json, |masked| masked.text);
        if self.codes.is_empty() { masked } else { link_token::without_codes(&masked, &self.codes).into_owned() }
    }

    /// Masks the links in a text.
    pub fn mask(&mut self, text: &mut Option<String>, kind: TokenText) {
        if let Some(masked) = text.as_deref().and_then(|text| link_token::masked(text, kind)) {
            self.is_any = true;
            self.codes.extend(masked.codes);
            *text = Some(masked.text);
        }
    }

    fn mask_codes(&self, text: &mut Option<String>) {
        if let Some(text) = text.as_mut().filter(|_| !self.codes.is_empty()) {
            *text = link_token::without_codes(text, &self.codes).into_owned();
        }
    }
}

/// Masks the links in the subject and the bodies of a mail, and finds those in its files.
pub fn mask(parsed: &mut ParsedMessage<'_>) -> QuotedLinks {
    let mut found = QuotedLinks::default();
    found.mask(&mut parsed.subject, TokenText::Plain);
    found.mask(&mut parsed.text, TokenText::Plain);
    found.mask(&mut parsed.html, TokenText::Html);
    for text in [&mut parsed.subject, &mut parsed.text, &mut parsed.html] {
        found.mask_codes(text);
    }
    found.is_any |= parsed.attachments.iter().any(is_in_attachment);
    found
}

fn is_in_attachment(file: &ParsedAttachment<'_>) -> bool {
    is_in_file(&file.content_type, &file.bytes)
}

/// Returns whether a file has a link of this service, as text or within an attached message.
#[must_use]
pub fn is_in_file(content_type: &str, bytes: &[u8]) -> bool {
    is_within(content_type, bytes, DEPTH_MAX)
}

fn is_within(content_type: &str, bytes: &[u8], depth: usize) -> bool {
    if bytes.len() > SEARCHED_BYTES_MAX {
        return false;
    }
    if link_token::is_in(bytes, TokenText::Html) {
        return true;
    }
    let is_message = content_type.to_ascii_lowercase().starts_with("message/");
    if depth == 0 || !is_message {
        return false;
    }
    let parsed = parse::parse(bytes);
    let has =
        |text: &Option<String>, kind| text.as_deref().is_some_and(|text| link_token::is_in(text.as_bytes(), kind));
    has(&parsed.subject, TokenText::Plain)
        || has(&parsed.text, TokenText::Plain)
        || has(&parsed.html, TokenText::Html)
        || parsed.attachments.iter().any(|file| is_within(&file.content_type, &file.bytes, depth - 1))
}
