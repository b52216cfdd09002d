//! The MIME structure of an outgoing message: which bodies and files go into which multipart (RFC 2046, RFC 2387).

use std::borrow::Cow;

use mail_builder::headers::content_type::ContentType;
use mail_builder::headers::raw::Raw;
use mail_builder::mime::{BodyPart, MimePart};
use sha2::{Digest, Sha256};

use super::field::{MimeBuildError, check};
use super::media_type::media_type;
use super::{MimeFile, MimeMessage};

/// The media type for attached messages that must be encoded, which `message/rfc822` does not allow. The bytes and the
/// file name still arrive.
const OCTET_STREAM: &str = "application/octet-stream";
/// The file name for such a message if it has none; mail programs recognize the extension.
const MESSAGE_NAME: &str = "message.eml";

/// Longest line of an attached message that is sent unencoded, in bytes without its end (RFC 5322 §2.1.1).
const LINE_BYTES_MAX: usize = 998;

/// Derives boundaries from the message ID, so that the same ID and bodies give the same boundaries.
struct BoundaryGenerator {
    stem: String,
    count: usize,
}

impl BoundaryGenerator {
    /// Chooses a stem that occurs in no body and in no unencoded message. Other files are base64 and can't contain it.
    fn new(message_id: &str, mail: &MimeMessage<'_>) -> Self {
        let messages =
            || mail.attachments.iter().filter(|file| is_message(&file.content_type.trim_start().to_ascii_lowercase()));
        let occurs = |stem: &str| {
            [mail.text, mail.html].into_iter().flatten().any(|body| body.contains(stem))
                || messages().any(|file| memchr::memmem::find(file.bytes, stem.as_bytes()).is_some())
        };
        let mut salt: u32 = 0;
        loop {
            let digest = Sha256::digest(format!("{salt}:{message_id}"));
            let stem = digest.iter().take(12).fold("=_".to_owned(), |stem, byte| format!("{stem}{byte:02x}"));
            // The bodies can contain only a finite number of stems, so this loop ends.
            if !occurs(&stem) {
                return BoundaryGenerator { stem, count: 0 };
            }
            salt += 1;
        }
    }

    fn multipart<'a>(&mut self, subtype: &str, parts: Vec<MimePart<'a>>) -> MimePart<'a> {
        self.count += 1;
        let boundary = format!("{}_{}", self.stem, self.count);
        let content_type = ContentType::new(format!("multipart/{subtype}")).attribute("boundary", boundary);
        MimePart::new(content_type, parts)
    }
}

/// Builds the whole body of a message as one part.
pub(super) fn root<'a>(mail: &MimeMessage<'a>, message_id: &str) -> Result<MimePart<'a>, MimeBuildError> {
    let mut boundaries = BoundaryGenerator::new(message_id, mail);
    let mut files = Vec::with_capacity(mail.attachments.len());
    let mut related = Vec::new();
    for attachment in mail.attachments {
        let part = file(attachment)?;
        if attachment.content_id.is_some() && mail.html.is_some() {
            related.push(part);
        } else {
            files.push(part);
        }
    }
    let html = mail.html.map(|html| {
        let html = body("text/html", html);
        if related.is_empty() {
            return html;
        }
        let mut parts = vec![html];
        parts.append(&mut related);
        boundaries.multipart("related", parts)
    });
    let text = mail.text.map(|text| body("text/plain", text));
    let bodies = match (text, html) {
        (Some(text), Some(html)) => boundaries.multipart("alternative", vec![text, html]),
        (Some(one), None) | (None, Some(one)) => one,
        (None, None) => body("text/plain", ""),
    };
    if files.is_empty() {
        return Ok(bodies);
    }
    let mut parts = vec![bodies];
    parts.append(&mut files);
    Ok(boundaries.multipart("mixed", parts))
}

fn body<'a>(media_type: &'static str, text: &'a str) -> MimePart<'a> {
    MimePart::new(media_type, BodyPart::Text(canonical_lines(text)))
}

/// Converts every line end to CRLF (RFC 2046 §4.1.1), and NUL, which mail must not contain, to U+FFFD.
fn canonical_lines(text: &str) -> Cow<'_, str> {
    let text = crate::parse::select::line_feeds(Cow::Borrowed(text));
    if text.contains('\n') { Cow::Owned(text.replace('\n', "\r\n")) } else { text }
}

fn file<'a>(file: &MimeFile<'a>) -> Result<MimePart<'a>, MimeBuildError> {
    check("filename", file.filename)?;
    let disposition = if file.content_id.is_some() { "inline" } else { "attachment" };
    let mut disposition = ContentType::new(disposition);
    let (mut content_type, mut filename) = (media_type(file.content_type)?, file.filename);
    let is_unencoded = is_message(&content_type) && is_seven_bit(file.bytes);
    if is_message(&content_type) && !is_unencoded {
        // Without its media type, only the file name shows that it is a message.
        OCTET_STREAM.clone_into(&mut content_type);
        filename = if filename.is_empty() { MESSAGE_NAME } else { filename };
    }
    if !filename.is_empty() {
        disposition = disposition.attribute("filename", filename);
    }
    // With the type as a raw value, the writer encodes text files as base64 too and preserves every byte.
    let mut headers = vec![
        (Cow::from("Content-Type"), Raw::new(content_type).into()),
        (Cow::from("Content-Disposition"), disposition.into()),
    ];
    if is_unencoded {
        headers.push((Cow::from("Content-Transfer-Encoding"), Raw::new("7bit").into()));
    }
    if let Some(content_id) = file.content_id {
        let valid = !content_id.is_empty()
            && content_id.len() <= 250
            && content_id.bytes().all(|b| b.is_ascii_graphic() && !b"<>".contains(&b));
        if !valid {
            return Err(MimeBuildError::ContentId { content_id: content_id.to_owned() });
        }
        headers.push((Cow::from("Content-ID"), Raw::new(format!("<{content_id}>")).into()));
    }
    Ok(MimePart { headers, contents: BodyPart::Binary(Cow::Borrowed(file.bytes)) })
}

/// Returns whether a lower-case media type is a message type that must not be encoded (RFC 2045 §6.4, RFC 2046 §5.2.1).
/// `message/global` and related types may be encoded (RFC 6532 §3.7, RFC 6533 §4).
fn is_message(media_type: &str) -> bool {
    media_type.strip_prefix("message/").is_some_and(|subtype| !subtype.starts_with("global"))
}

/// Returns whether a message is valid `7bit` data (RFC 2045 §2.7): ASCII lines of permitted length, each terminated by
/// CRLF.
fn is_seven_bit(bytes: &[u8]) -> bool {
    let is_line = |line: &[u8]| {
        let content = line.strip_suffix(b"\r\n").unwrap_or(line);
        content.len() <= LINE_BYTES_MAX && !content.iter().any(|byte| b"\r\n\0".contains(byte))
    };
    bytes.is_ascii() && bytes.split_inclusive(|&byte| byte == b'\n').all(is_line)
}
