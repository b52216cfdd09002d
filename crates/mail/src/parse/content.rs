//! The MIME header fields of one part: type, disposition, encoding, ID (RFC 2045, RFC 2183, RFC 2231).

use super::transfer::TransferEncoding;
use crate::header::{self, MimeFieldValue};

/// Maximum length of a boundary that is accepted, in bytes. RFC 2046 §5.1.1 allows 70.
const BOUNDARY_BYTES_MAX: usize = 256;

/// Maximum length of a media type that is accepted, in bytes. RFC 6838 §4.2 allows 127 on each side of the slash.
const MEDIA_TYPE_BYTES_MAX: usize = 255;

/// The content description in the header section of a part.
#[derive(Debug, Clone, Default)]
pub(crate) struct PartHeader {
    /// `type/subtype` in lower case; empty if the part has no content type.
    pub(crate) media_type: String,
    pub(crate) charset: Option<String>,
    pub(crate) boundary: Option<Vec<u8>>,
    /// Original file name from `Content-Disposition`, or else the `name` of `Content-Type`.
    pub(crate) filename: Option<String>,
    pub(crate) is_attachment: bool,
    pub(crate) is_inline: bool,
    pub(crate) content_id: Option<String>,
    pub(crate) encoding: TransferEncoding,
    /// Whether the last space of a line belongs to its break: `format=flowed` with `DelSp=yes` (RFC 3676 §3).
    pub(crate) has_soft_breaks: bool,
}

impl PartHeader {
    /// Parses the header section at the start of `raw`. If a field is repeated, the first one counts.
    pub(crate) fn read(raw: &[u8]) -> Self {
        let mut content = PartHeader::default();
        let mut seen = [false; 4];
        let mut fields = header::fields(raw).peekable();
        while let Some(field) = fields.next() {
            if !field.name.get(..8).is_some_and(|start| start.eq_ignore_ascii_case("content-")) {
                continue;
            }
            let names = ["content-type", "content-disposition", "content-transfer-encoding", "content-id"];
            let Some(which) = names.iter().position(|name| field.is(name)) else {
                continue;
            };
            if std::mem::replace(&mut seen[which], true) {
                continue;
            }
            let mut value = field.value;
            if value.trim_ascii_end().ends_with(b";") {
                // Some mailers fold without a blank at the start of the next line, which then isn't a field.
                let end = fields.peek().map_or(raw.len(), |next| next.range.start);
                let start =
                    field.range.start + memchr::memchr(b':', &raw[field.range.clone()]).map_or(0, |colon| colon + 1);
                value = &raw[start..end];
            }
            match which {
                0 => content.read_type(value),
                1 => content.read_disposition(value),
                2 => content.encoding = TransferEncoding::from_value(&header::unfold(value)),
                _ => content.content_id = content_id(&header::decode(value)),
            }
        }
        content
    }

    /// Returns whether the type is `multipart/…`.
    pub(crate) fn is_multipart(&self) -> bool {
        self.media_type.starts_with("multipart/")
    }

    fn read_type(&mut self, value: &[u8]) {
        let field = MimeFieldValue::parse(&header::unfold(value));
        let media_type = field.value.to_ascii_lowercase();
        let valid = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'/');
        let (kind, subtype) = media_type.split_once('/').unwrap_or((&media_type, ""));
        if media_type.len() <= MEDIA_TYPE_BYTES_MAX && valid(kind) && valid(subtype) {
            self.media_type = media_type;
        } else if kind == "text" {
            self.media_type = "text/plain".to_owned();
        }
        self.charset = field.parameter("charset");
        let is = |name, value: &str| field.parameter(name).is_some_and(|stated| stated.eq_ignore_ascii_case(value));
        self.has_soft_breaks = is("format", "flowed") && is("delsp", "yes");
        self.boundary = field
            .parameter("boundary")
            .map(|boundary| boundary.trim_end().as_bytes().to_vec())
            .filter(|boundary| !boundary.is_empty() && boundary.len() <= BOUNDARY_BYTES_MAX);
        if self.filename.is_none() {
            self.filename = field.parameter("name");
        }
    }

    fn read_disposition(&mut self, value: &[u8]) {
        let field = MimeFieldValue::parse(&header::unfold(value));
        self.is_inline = field.value.eq_ignore_ascii_case("inline");
        // RFC 2183 §2.8: an unknown disposition is an attachment.
        self.is_attachment = !self.is_inline && !field.value.is_empty();
        if let Some(filename) = field.parameter("filename").or_else(|| field.parameter("name")) {
            self.filename = Some(filename);
        }
    }
}

/// Returns a `Content-ID` value without angle brackets.
fn content_id(value: &str) -> Option<String> {
    let value = value.trim();
    let value = value.strip_prefix('<').unwrap_or(value);
    let value = value.strip_suffix('>').unwrap_or(value).trim();
    Some(value).filter(|value| !value.is_empty()).map(str::to_owned)
}
