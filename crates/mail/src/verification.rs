//! Login codes and verification links in a mail, found by patterns alone.
//!
//! Never follows a link, never guesses: a mail without a sign of verification has neither. Pure, linear in the input
//! and bounded. API: `ai.verification` of the message object; confidence from patterns is at most
//! [`CONFIDENCE_MAX`] (contract §4.2).

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
pub fn detect(mail: &Mail<'_>) -> Option<Verification> {
    let _ = mail;
    None
}
