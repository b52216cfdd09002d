//! Digests: a thread in parts that fit a budget of tokens, without its repetitions (`docs/reference/digest.md`).
//!
//! The new text of all messages comes first, then quoted text that no earlier message has, then the text of files. Quoted
//! text, and a file, that an earlier message has becomes a line that names that message. Every line is in exactly one part or replaced
//! by such a line.

mod classify;
mod escape;
mod lines;
mod progress;
mod writer;

pub use classify::QuoteIndex;
pub use lines::{DigestLine, DigestSource, file_lines, repeated_file};
pub use progress::{DigestProgress, FILES_MAX, OPEN_MAX, OpenUnit};
pub use writer::{Digest, DigestPart, DigestWriter, UnitEnd};

named! {
    /// What a part of a digest contains.
    DigestKind {
        /// New text of a message.
        Text = "text",
        /// Quoted text, or the line in its place.
        Quote = "quote",
        /// Text of a file.
        File = "file",
    }
}

/// The smallest budget in tokens.
pub const BUDGET_MIN: i64 = 100;
/// The largest budget in tokens.
pub const BUDGET_MAX: i64 = 100_000;
/// The default budget in tokens.
pub const BUDGET_DEFAULT: i64 = 2_000;
/// The bytes of a token. The number of tokens is rounded up.
pub const TOKEN_BYTES: usize = 4;

/// Returns the number of tokens of a text.
#[must_use]
pub fn tokens(text: &str) -> usize {
    text.len().div_ceil(TOKEN_BYTES)
}

#[cfg(test)]
mod tests;
