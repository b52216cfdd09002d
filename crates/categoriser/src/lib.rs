//! The built-in categoriser: category, injection, phishing, needs-human, urgency and auto-reply of one mail.
//!
//! Static token vectors, a few small networks and features of form, all in one file inside the binary. No I/O, no
//! clock, no dependency. `ml/` trains the file; docs/MODEL.md describes its data, figures and limits.

mod features;
mod file;
mod heads;
mod links;
mod model;
mod scan;
pub mod training;
mod vocabulary;

pub use file::ModelFileError;
pub use model::Model;

/// Dimensions of a text vector.
pub const DIMENSIONS: usize = 256;

/// Bytes of the text that are read. The rest is ignored, and [`Answers::complete`] is false.
pub const MAX_TEXT: usize = 128 * 1024;

/// Bytes of the subject that are read.
pub const MAX_SUBJECT: usize = 1_000;

/// The categories in the order of [`Answers::category`].
pub const CATEGORIES: [&str; 8] =
    ["support", "sales", "billing", "verification", "notification", "newsletter", "personal", "other"];

/// The levels of urgency in the order of [`Answers::urgency`].
pub const URGENCIES: [&str; 4] = ["low", "normal", "high", "critical"];

/// A mail as the categoriser reads it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Mail<'a> {
    /// The `From` field: `Name <address>` or an address alone.
    pub from: &'a str,
    /// The decoded subject.
    pub subject: &'a str,
    /// The text body, or the text of the HTML body.
    pub text: &'a str,
    /// File names of the attachments.
    pub attachment_names: &'a [&'a str],
    /// What the service found out about the mail.
    pub facts: Facts,
}

/// Evidence from outside of the text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Facts {
    /// SPF of the envelope sender.
    pub spf: Authentication,
    /// DKIM, aligned or not.
    pub dkim: Authentication,
    /// DMARC of the `From` domain.
    pub dmarc: Authentication,
    /// `Auto-Submitted` other than `no`, `X-Autoreply`, `X-Autorespond` or `Precedence: auto_reply`.
    pub automatic_header: bool,
    /// `List-Id`, `List-Unsubscribe` or `Precedence: bulk` or `list`.
    pub list_header: bool,
    /// A link shows another host than it opens.
    pub link_mismatch: bool,
    /// The sender's or a link's domain imitates a known one.
    pub lookalike_domain: bool,
}

/// The result of one authentication check.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Authentication {
    /// The check passed.
    Pass,
    /// The check failed.
    Fail,
    /// Not checked, or no policy.
    #[default]
    None,
}

/// Calibrated probabilities.
#[derive(Debug, Clone, PartialEq)]
pub struct Answers {
    /// One probability for each of [`CATEGORIES`]; they sum to 1.
    pub category: [f32; 8],
    /// The mail tries to instruct an AI.
    pub injection: f32,
    /// Bytes of the text that look most like an instruction to an AI. `None` for an empty text or a suspicious subject.
    pub injection_at: Option<(usize, usize)>,
    /// Credential harvesting, scam or impersonation.
    pub phishing: f32,
    /// A person should handle the mail.
    pub needs_human: f32,
    /// One probability for each of [`URGENCIES`]; they sum to 1.
    pub urgency: [f32; 4],
    /// Out-of-office, auto-responder, ticket acknowledgement or bulk mail.
    pub auto_reply: f32,
    /// The whole text was read.
    pub complete: bool,
}

impl Answers {
    /// The most likely category and its probability.
    pub fn best_category(&self) -> (&'static str, f32) {
        let mut best = 0;
        for (index, p) in self.category.iter().enumerate() {
            if *p > self.category[best] {
                best = index;
            }
        }
        (CATEGORIES[best], self.category[best])
    }
}
