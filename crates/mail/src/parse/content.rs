//! The MIME header fields of one part: type, disposition, encoding, ID (RFC 2045, RFC 2183, RFC 2231).

use mail_parser::{ContentType, HeaderValue, parsers::MessageStream};

use super::structured_line;
use super::transfer::TransferEncoding;
use crate::header;

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
    /// Original file name from `PartHeader-Disposition`, or else the `name` of `PartHeader-Type`.
    pub(crate) filename: Option<String>,
    pub(crate) is_attachment: bool,
    pub(crate) is_inline: bool,
    pub(crate) content_id: Option<String>,
    pub(crate) encoding: TransferEncoding,
}

impl PartHeader {
    /// Parses the header section at the start of `raw`. If a field is repeated, the first one counts.
    pub(crate) fn read(raw: &[u8]) -> Self {
        let mut content = PartHeader::default();
        let mut seen = [false; 4];
        for field in header::fields(raw) {
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
            match which {
                0 => content.read_type(field.value),
                1 => content.read_disposition(field.value),
                2 => content.encoding = TransferEncoding::from_value(&header::unfold(field.value)),
                _ => content.content_id = content_id(&field.decoded()),
            }
        }
        content
    }

    /// Returns whether the type is `multipart/…`.
    pub(crate) fn is_multipart(&self) -> bool {
        self.media_type.starts_with("multipart/")
    }

    fn read_type(&mut self, value: &[u8]) {
        let line = structured_line(value);
        let Some(parsed) = parse_content_type(&line) else {
            return;
        };
        let subtype = parsed.subtype().unwrap_or_default();
        let media_type = format!("{}/{subtype}", parsed.ctype());
        let valid = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'/');
        if media_type.len() <= MEDIA_TYPE_BYTES_MAX && valid(parsed.ctype()) && valid(subtype) {
            self.media_type = media_type.to_ascii_lowercase();
        } else if parsed.ctype().eq_ignore_ascii_case("text") {
            self.media_type = "text/plain".to_owned();
        }
        self.charset = parsed.attribute("charset").map(str::to_owned);
        self.boundary = parsed
            .attribute("boundary")
            .map(|boundary| boundary.trim_end().as_bytes().to_vec())
            .filter(|boundary| !boundary.is_empty() && boundary.len() <= BOUNDARY_BYTES_MAX);
        if self.filename.is_none() {
            self.filename = filename_parameter(value, &parsed, "name");
        }
    }

    fn read_disposition(&mut self, value: &[u8]) {
        let line = structured_line(value);
        let Some(parsed) = parse_content_type(&line) else {
            return;
        };
        self.is_inline = parsed.is_inline();
        // RFC 2183 §2.8: an unknown disposition is an attachment.
        self.is_attachment = !self.is_inline;
        if let Some(filename) =
            filename_parameter(value, &parsed, "filename").or_else(|| filename_parameter(value, &parsed, "name"))
        {
            self.filename = Some(filename);
        }
    }
}

/// Returns a file name parameter. The extended form takes precedence regardless of order (RFC 2231, RFC 6266 §4.3).
fn filename_parameter(value: &[u8], parsed: &ContentType<'_>, name: &str) -> Option<String> {
    header::extended(&header::unfold(value), name).or_else(|| parsed.attribute(name).map(str::to_owned))
}

fn parse_content_type(line: &[u8]) -> Option<ContentType<'_>> {
    match MessageStream::new(line).parse_content_type() {
        HeaderValue::ContentType(parsed) => Some(parsed),
        _ => None,
    }
}

/// Returns a `PartHeader-ID` value without angle brackets.
fn content_id(value: &str) -> Option<String> {
    let value = value.trim();
    let value = value.strip_prefix('<').unwrap_or(value);
    let value = value.strip_suffix('>').unwrap_or(value).trim();
    Some(value).filter(|value| !value.is_empty()).map(str::to_owned)
}
