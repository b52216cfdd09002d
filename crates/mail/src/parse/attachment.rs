//! Attachments of a received message (contract §4.3): decoded bytes and a name that is safe to show and to store.

use std::borrow::Cow;

use super::content::Content;

/// Longest file name that is kept, in bytes; the extension survives the cut.
pub const FILENAME_BYTES_MAX: usize = 255;

/// Longest file extension, dot included, that survives a cut, in bytes.
const EXTENSION_BYTES_MAX: usize = 16;

/// Longest Content-ID that is kept, in bytes.
const CONTENT_ID_BYTES_MAX: usize = 998;

/// One file of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachment<'a> {
    /// Decoded name without folders, control characters and direction marks; at most [`FILENAME_BYTES_MAX`].
    pub filename: Option<String>,
    /// Lower-case `type/subtype`.
    pub content_type: String,
    /// Content-ID without brackets.
    pub content_id: Option<String>,
    /// Meant to be shown inside the body rather than offered as a file.
    pub inline: bool,
    /// Decoded content; borrowed from the message when it was not encoded.
    pub bytes: Cow<'a, [u8]>,
}

impl<'a> Attachment<'a> {
    pub(crate) fn new(content: &Content, body: &'a [u8]) -> Self {
        let content_id = content.content_id.clone().filter(|id| id.len() <= CONTENT_ID_BYTES_MAX);
        Attachment {
            filename: content.filename.as_deref().and_then(safe_filename),
            content_type: content.media_type.clone(),
            inline: content.is_inline || (content_id.is_some() && !content.is_attachment),
            content_id,
            bytes: content.encoding.decode(body),
        }
    }

    /// Size of the decoded content in bytes.
    pub fn size_bytes(&self) -> u64 {
        self.bytes.len() as u64
    }
}

/// The last path segment of a stated name, cleaned and bounded; `None` when nothing usable is left.
pub(crate) fn safe_filename(stated: &str) -> Option<String> {
    let segment = stated.rsplit(['/', '\\']).find(|part| !part.trim().is_empty())?;
    let clean: String = segment.chars().filter(|&c| !c.is_control() && !is_invisible(c)).collect();
    let clean = clean.trim();
    if clean.is_empty() || clean.bytes().all(|byte| byte == b'.') {
        return None;
    }
    Some(bounded(clean))
}

/// Marks that change the order or hide the end of a name ("gpj.exe" shown as "exe.jpg").
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

fn bounded(name: &str) -> String {
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
