//! Attachments of a received message: the decoded bytes and a file name that is safe to display and store.

use std::{borrow::Cow, ops::Range};

use super::content::PartHeader;
use super::transfer::{TransferDecoder, TransferEncoding};

/// Maximum length of a file name in bytes. Truncation keeps the extension.
pub const FILENAME_BYTES_MAX: usize = 255;

/// Maximum length of a file extension that truncation keeps, in bytes, including the dot.
const EXTENSION_BYTES_MAX: usize = 16;

/// Maximum length of a `Content-ID` that is kept, in bytes.
const CONTENT_ID_BYTES_MAX: usize = 998;

/// Bytes that [`ParsedAttachment::decoder`] decodes at once.
const TRIAL_PIECE_BYTES: usize = 64 * 1024;

/// An attachment of a parsed message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedAttachment<'a> {
    /// The decoded name without folders, control characters and direction marks; at most [`FILENAME_BYTES_MAX`] bytes.
    pub filename: Option<String>,
    /// `type/subtype` in lower case.
    pub content_type: String,
    /// `Content-ID` without angle brackets.
    pub content_id: Option<String>,
    /// Whether the part is displayed inside the body rather than offered as a file.
    pub inline: bool,
    /// Decoded content; borrowed from the message if it wasn't encoded.
    pub bytes: Cow<'a, [u8]>,
    /// Position of the encoded content in the message.
    pub encoded: Range<usize>,
    pub(crate) encoding: TransferEncoding,
}

impl<'a> ParsedAttachment<'a> {
    pub(crate) fn new(content: &PartHeader, raw: &'a [u8], encoded: Range<usize>) -> Self {
        let content_id = content.content_id.clone().filter(|id| id.len() <= CONTENT_ID_BYTES_MAX);
        ParsedAttachment {
            filename: content.filename.as_deref().and_then(safe_filename),
            content_type: content.media_type.clone(),
            inline: content.is_inline || (content_id.is_some() && !content.is_attachment),
            content_id,
            bytes: content.encoding.decode(&raw[encoded.clone()]),
            encoded,
            encoding: content.encoding,
        }
    }

    /// Returns a decoder that decodes the content from pieces of the message, if it produces the same bytes.
    pub fn decoder(&self, raw: &[u8]) -> Option<TransferDecoder> {
        let decoder = TransferDecoder::new(self.encoding)?;
        let (mut trial, mut rest) = (decoder.clone(), &*self.bytes);
        let mut is_same = |decoded: &[u8]| {
            let same = rest.strip_prefix(decoded);
            rest = same.unwrap_or(rest);
            same.is_some()
        };
        let mut pieces = raw.get(self.encoded.clone())?.chunks(TRIAL_PIECE_BYTES);
        let is_decoded = pieces.all(|piece| is_same(&trial.decode(piece))) && is_same(&trial.finish());
        (is_decoded && rest.is_empty()).then_some(decoder)
    }

    /// Returns the size of the decoded content in bytes.
    pub fn size_bytes(&self) -> u64 {
        self.bytes.len() as u64
    }
}

/// Returns the last path segment of a file name, cleaned and truncated, or `None` if nothing usable is left.
pub(crate) fn safe_filename(name: &str) -> Option<String> {
    let segment = name.rsplit(['/', '\\']).find(|part| !part.trim().is_empty())?;
    let clean: String = segment.chars().filter(|&c| !c.is_control() && !is_invisible(c)).collect();
    let clean = clean.trim();
    if clean.is_empty() || clean.bytes().all(|byte| byte == b'.') {
        return None;
    }
    Some(truncated(clean))
}

/// Returns whether a mark hides or reorders parts of a name, which can make `gpj.exe` look like `exe.jpg`.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

fn truncated(name: &str) -> String {
    if name.len() <= FILENAME_BYTES_MAX {
        return name.to_owned();
    }
    let extension = name
        .rfind('.')
        .map(|dot| &name[dot..])
        .filter(|extension| extension.len() <= EXTENSION_BYTES_MAX)
        .unwrap_or_default();
    let end = name.floor_char_boundary(FILENAME_BYTES_MAX - extension.len());
    format!("{}{extension}", &name[..end])
}
