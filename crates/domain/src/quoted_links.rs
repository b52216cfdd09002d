//! Masks links of this service in mail that arrives. A reply, a bounce or a forwarded copy quotes the mail that it answers,
//! and an agent that reads it must not be able to follow a link meant for the recipient
//! (`docs/decisions/people.md#0095-the-services-own-mail`). Pure.

mod file;

use posthouse_mail::{
    author::{Author, AuthorError},
    parse::{ParsedMessage, TextUse},
    report::{InboundReport, ReportContent},
};
use serde_json::Value;

pub use file::is_in_file;

use crate::link_token::{self, MASK, TokenCodes};

/// The links of this service in a mail.
#[derive(Default, Debug)]
pub struct QuotedLinks {
    is_any: bool,
    /// The sign-in codes that belong to the links.
    codes: TokenCodes,
}

impl QuotedLinks {
    /// Returns whether there are any.
    #[must_use]
    pub const fn is_any(&self) -> bool {
        self.is_any
    }

    /// Masks the links in a text. Codes stay: a later text may have their link.
    fn without_links(&mut self, text: &str) -> Option<String> {
        let masked = link_token::masked(text, &mut self.codes);
        self.is_any |= self.codes.note(text) || masked.is_some();
        masked
    }

    /// Masks the links and the codes that are known in a text.
    fn without_any(&mut self, text: &str) -> Option<String> {
        let masked = self.without_links(text);
        self.codes.masked(masked.as_deref().unwrap_or(text)).or(masked)
    }

    /// Masks links and codes in texts of one mail.
    pub fn mask_all<'t>(&mut self, texts: impl IntoIterator<Item = &'t mut String>) {
        let mut texts: Vec<&mut String> = texts.into_iter().collect();
        for text in &mut texts {
            if let Some(masked) = self.without_links(text) {
                **text = masked;
            }
        }
        for text in texts {
            if let Some(masked) = self.codes.masked(text) {
                *text = masked;
            }
        }
    }

    /// Masks links and codes in all strings, names and numbers of a JSON text.
    pub fn mask_json(&mut self, json: &mut String) {
        let Ok(mut value) = serde_json::from_str::<Value>(json) else {
            self.mask_all([json]);
            return;
        };
        // The first round finds links below the codes that belong to them.
        let is_changed = self.mask_value(&mut value);
        if self.mask_value(&mut value) || is_changed {
            *json = value.to_string();
        }
    }

    /// Masks links and known codes in a JSON value. Returns whether it changed.
    pub fn mask_value(&mut self, value: &mut Value) -> bool {
        match value {
            Value::String(text) => match self.without_any(text) {
                Some(masked) => {
                    *text = masked;
                    true
                }
                None => false,
            },
            Value::Number(number) if self.codes.is_code(&number.to_string()) => {
                *value = MASK.into();
                true
            }
            Value::Array(values) => {
                values.iter_mut().fold(false, |is_changed, value| self.mask_value(value) | is_changed)
            }
            Value::Object(members) => {
                let names: Vec<String> = members.keys().filter(|name| self.is_in(name)).cloned().collect();
                for name in &names {
                    let shown = self.without_any(name).unwrap_or_else(|| name.clone());
                    if let Some(member) = members.remove(name) {
                        members.insert(shown, member);
                    }
                }
                let change = |is_changed, value| self.mask_value(value) | is_changed;
                members.values_mut().fold(!names.is_empty(), change)
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        }
    }

    fn is_in(&self, text: &str) -> bool {
        link_token::is_in(text) || self.codes.masked(text).is_some()
    }

    /// Masks links and codes in what a report says about sent mail.
    pub fn mask_report(&mut self, report: &mut InboundReport) {
        match &mut report.content {
            ReportContent::Delivery(recipients) => self.mask_all(
                recipients.iter_mut().flat_map(|one| [&mut one.diagnostic, &mut one.remote, &mut one.status]).flatten(),
            ),
            ReportContent::Complaint { kind, .. } => self.mask_all([kind]),
        }
    }
}

/// Returns the author of a mail without links in the name; none if the address has one.
///
/// # Errors
/// Returns [`AuthorError::MissingFrom`] if the address has a link.
pub fn masked_author(author: Author) -> Result<Author, AuthorError> {
    if link_token::is_in(author.address().canonical_str()) {
        return Err(AuthorError::MissingFrom);
    }
    let name = author.mailbox().name().and_then(|name| QuotedLinks::default().without_any(name));
    Ok(if name.is_some() { author.renamed(name.as_deref()) } else { author })
}

/// Masks the links in all texts of a mail, and finds those in its files and the rest of its raw bytes.
pub fn mask(parsed: &mut ParsedMessage<'_>, raw: &[u8]) -> QuotedLinks {
    let mut found = mask_texts(parsed);
    found.is_any = found.is_any || link_token::is_in_bytes(raw) || file::is_in_files(&parsed.attachments, raw.len());
    found
}

fn mask_texts(parsed: &mut ParsedMessage<'_>) -> QuotedLinks {
    let mut found = QuotedLinks::default();
    parsed.rewrite(|text, _| found.without_links(text));
    let codes = &found.codes;
    if !codes.is_empty() {
        parsed.rewrite(|text, used| codes.masked(text).filter(|_| used == TextUse::Shown));
    }
    found
}

#[cfg(test)]
mod tests;
