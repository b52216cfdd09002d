//! The MIME parts of a mail to send: which bodies and files stand in which multipart (RFC 2046, RFC 2387).

use std::borrow::Cow;

use mail_builder::headers::content_type::ContentType;
use mail_builder::headers::raw::Raw;
use mail_builder::mime::{BodyPart, MimePart};
use sha2::{Digest, Sha256};

use super::field::{BuildError, check};
use super::media_type::media_type;
use super::{File, Outgoing};

/// What a message is sent as that cannot be sent as a message: its bytes and its name arrive.
const OCTET_STREAM: &str = "application/octet-stream";
/// The name of a message without one that leaves as such: mail programs open it by that.
const MESSAGE_NAME: &str = "message.eml";

/// Longest line of a message that is carried as it is, in bytes without its end (RFC 5322 §2.1.1).
const LINE_BYTES_MAX: usize = 998;

/// Makes boundaries from the message id: the same id and bodies give the same ones.
struct Boundaries {
    stem: String,
    made: usize,
}

impl Boundaries {
    /// A stem that stands in no body and in no message that is carried as it is. Other files are base64: none is in them.
    fn new(message_id: &str, mail: &Outgoing<'_>) -> Self {
        let messages =
            || mail.attachments.iter().filter(|file| is_message(&file.content_type.trim_start().to_ascii_lowercase()));
        let taken = |stem: &str| {
            [mail.text, mail.html].into_iter().flatten().any(|body| body.contains(stem))
                || messages().any(|file| memchr::memmem::find(file.bytes, stem.as_bytes()).is_some())
        };
        let mut salt: u32 = 0;
        loop {
            let digest = Sha256::digest(format!("{salt}:{message_id}"));
            let stem = digest.iter().take(12).fold("=_".to_owned(), |stem, byte| format!("{stem}{byte:02x}"));
            // A body can hold only so many stems; each round asks for another one.
            if !taken(&stem) {
                return Boundaries { stem, made: 0 };
            }
            salt += 1;
        }
    }

    fn multipart<'a>(&mut self, subtype: &str, parts: Vec<MimePart<'a>>) -> MimePart<'a> {
        self.made += 1;
        let boundary = format!("{}_{}", self.stem, self.made);
        let content_type = ContentType::new(format!("multipart/{subtype}")).attribute("boundary", boundary);
        MimePart::new(content_type, parts)
    }
}

/// The whole body of a mail as one part.
pub(super) fn root<'a>(mail: &Outgoing<'a>, message_id: &str) -> Result<MimePart<'a>, BuildError> {
    let mut boundaries = Boundaries::new(message_id, mail);
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

/// Every line end as CRLF (RFC 2046 §4.1.1); NUL, which no mail may hold, as U+FFFD.
fn canonical_lines(text: &str) -> Cow<'_, str> {
    let text = crate::parse::select::line_feeds(Cow::Borrowed(text));
    if text.contains('\n') { Cow::Owned(text.replace('\n', "\r\n")) } else { text }
}

fn file<'a>(file: &File<'a>) -> Result<MimePart<'a>, BuildError> {
    check("filename", file.filename)?;
    let disposition = if file.content_id.is_some() { "inline" } else { "attachment" };
    let mut disposition = ContentType::new(disposition);
    let (mut content_type, mut filename) = (media_type(file.content_type)?, file.filename);
    let is_bare = is_message(&content_type) && is_seven_bit(file.bytes);
    if is_message(&content_type) && !is_bare {
        // Without its type, its name alone tells what it is.
        OCTET_STREAM.clone_into(&mut content_type);
        filename = if filename.is_empty() { MESSAGE_NAME } else { filename };
    }
    if !filename.is_empty() {
        disposition = disposition.attribute("filename", filename);
    }
    // As a raw value the type tells the writer nothing, so that text files become base64 too and keep every byte.
    let mut headers = vec![
        (Cow::from("Content-Type"), Raw::new(content_type).into()),
        (Cow::from("Content-Disposition"), disposition.into()),
    ];
    if is_bare {
        headers.push((Cow::from("Content-Transfer-Encoding"), Raw::new("7bit").into()));
    }
    if let Some(content_id) = file.content_id {
        let valid = !content_id.is_empty()
            && content_id.len() <= 250
            && content_id.bytes().all(|b| b.is_ascii_graphic() && !b"<>".contains(&b));
        if !valid {
            return Err(BuildError::ContentId { content_id: content_id.to_owned() });
        }
        headers.push((Cow::from("Content-ID"), Raw::new(format!("<{content_id}>")).into()));
    }
    Ok(MimePart { headers, contents: BodyPart::Binary(Cow::Borrowed(file.bytes)) })
}

/// Whether a lower-case media type is a message of those that no encoding may wrap (RFC 2045 §6.4, RFC 2046 §5.2.1).
/// `message/global` and its kin may be encoded (RFC 6532 §3.7, RFC 6533 §4).
fn is_message(media_type: &str) -> bool {
    media_type.strip_prefix("message/").is_some_and(|subtype| !subtype.starts_with("global"))
}

/// Whether a message can stand as it is, as `7bit` data (RFC 2045 §2.7): lines of ASCII of bearable length, each ended by
/// CRLF.
fn is_seven_bit(bytes: &[u8]) -> bool {
    let is_line = |line: &[u8]| {
        let content = line.strip_suffix(b"\r\n").unwrap_or(line);
        content.len() <= LINE_BYTES_MAX && !content.iter().any(|byte| b"\r\n\0".contains(byte))
    };
    bytes.is_ascii() && bytes.split_inclusive(|&byte| byte == b'\n').all(is_line)
}
