//! Digests of threads.

use posthouse_domain::digest::{Digest, DigestKind, DigestPart};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::name_of;

/// Part of a thread that fits a budget of tokens.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ThreadDigest")]
pub struct DigestView<'a> {
    /// Headings and lines of messages. Empty if everything was given before.
    text: &'a str,
    /// Number of tokens of the text: its bytes divided by 4, rounded up.
    tokens: usize,
    /// Origin of the lines, in their order.
    parts: Vec<DigestPartView>,
    /// Value of `cursor` for the next part; null if everything was given.
    next_cursor: Option<String>,
}

/// Consecutive lines of one message or file.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "DigestPart")]
struct DigestPartView {
    message_id: Uuid,
    /// Attachment, for `file`.
    attachment_id: Option<Uuid>,
    /// `text` (new text), `quote` (quoted text, or the line in its place) or `file`.
    #[schemars(schema_with = "name_of::<DigestKind>")]
    kind: &'static str,
    /// Offset of the first character in the text of the message or file.
    from: u32,
    /// Offset after the last character.
    to: u32,
}

impl<'a> DigestView<'a> {
    /// Returns the view of a digest.
    #[must_use]
    pub fn of(digest: &'a Digest, next_cursor: Option<String>) -> Self {
        let part = |part: &DigestPart| DigestPartView {
            message_id: part.message.into(),
            attachment_id: part.attachment.map(Into::into),
            kind: part.kind.text(),
            from: part.from,
            to: part.to,
        };
        let parts = digest.parts.iter().map(part).collect();
        Self { text: &digest.text, tokens: digest.tokens(), parts, next_cursor }
    }
}
