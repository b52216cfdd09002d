//! Login codes and verification links in a mail, found by patterns alone.
//!
//! Never follows a link, never guesses: a mail without a sign of verification has neither. Pure, linear in the input
//! and bounded. API: `ai.verification` of the message object; confidence from patterns is at most
//! [`CONFIDENCE_MAX`] (contract §4.2).

mod code;
mod link;
mod page;
mod shape;
mod words;

#[cfg(test)]
mod tests;

use page::Page;

/// The most that patterns alone may claim.
pub const CONFIDENCE_MAX: f64 = 0.7;

/// The parts of a mail that detection reads.
#[derive(Debug, Clone, Copy, Default)]
pub struct Mail<'a> {
    /// Decoded `Subject`, empty when there is none.
    pub subject: &'a str,
    /// Decoded plain text.
    pub text: Option<&'a str>,
    /// Decoded HTML.
    pub html: Option<&'a str>,
    /// Address or header form of the sender, empty when there is none.
    pub from: &'a str,
}

/// A code, a link, or both.
#[derive(Debug, Clone, PartialEq)]
pub struct Verification {
    /// 4 to 10 characters, digits or alphanumeric, as the mail shows it (a hyphen inside is kept, spaces are not).
    pub code: Option<String>,
    /// The verification, magic, confirmation or reset URL, unchanged (tracking redirects are not resolved).
    pub link: Option<String>,
    /// 0 to [`CONFIDENCE_MAX`].
    pub confidence: f64,
}

/// The code and link of a mail; `None` when it has neither.
///
/// The plain text is read first; the shown text of the HTML gives what it lacks. Sent from anyone: whether the sender
/// is who it says is decided elsewhere.
#[must_use]
pub fn detect(mail: &Mail<'_>) -> Option<Verification> {
    let text = mail.text.filter(|text| !text.trim().is_empty()).map(|text| Page::of_text(mail.subject, text));
    let html = mail.html.filter(|html| !html.trim().is_empty()).map(|html| Page::of_html(mail.subject, html));
    // A mail of a subject alone can still carry its code there.
    let pages: Vec<Page<'_>> = match (text, html) {
        (None, None) => vec![Page::of_text(mail.subject, "")],
        (text, html) => text.into_iter().chain(html).collect(),
    };
    let code = pages.iter().find_map(code::find);
    let link =
        pages.iter().filter_map(link::find).reduce(|best, next| if next.score > best.score { next } else { best });
    let score = code.as_ref().map(|code| code.score).max(link.as_ref().map(|link| link.score))?;
    Some(Verification {
        code: code.map(|code| code.code),
        link: link.map(|link| link.url),
        confidence: confidence(score),
    })
}

/// Points to a probability, at most [`CONFIDENCE_MAX`].
fn confidence(score: i32) -> f64 {
    (f64::from(score) / 100.0).clamp(0.3, CONFIDENCE_MAX)
}
