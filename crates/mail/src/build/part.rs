//! The MIME parts of a mail to send: which bodies and files stand in which multipart (RFC 2046, RFC 2387).

use std::borrow::Cow;

use mail_builder::headers::content_type::ContentType;
use mail_builder::headers::raw::Raw;
use mail_builder::mime::{BodyPart, MimePart};
use sha2::{Digest, Sha256};

use super::field::{BuildError, check};
use super::{File, Outgoing};

/// Makes boundaries from the message id: the same id and bodies give the same ones.
struct Boundaries {
    stem: String,
    made: usize,
}

impl Boundaries {
    /// A stem that stands in no body. Files cannot hold one: they are base64.
    fn new(message_id: &str, mail: &Outgoing<'_>) -> Self {
        let taken = |stem: &str| [mail.text, mail.html].into_iter().flatten().any(|body| body.contains(stem));
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
    if !file.filename.is_empty() {
        disposition = disposition.attribute("filename", file.filename);
    }
    // As a raw value the type tells the writer nothing, so that text files become base64 too and keep every byte.
    let content_type = Raw::new(media_type(file.content_type)?);
    let mut headers =
        vec![(Cow::from("Content-Type"), content_type.into()), (Cow::from("Content-Disposition"), disposition.into())];
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

/// `type/subtype`, with the charset when one is given and well formed; other parameters are dropped.
fn media_type(stated: &str) -> Result<String, BuildError> {
    let refused = || BuildError::ContentType { content_type: stated.chars().take(100).collect() };
    let is_token = |text: &str| {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$&^_.+-".contains(&byte);
        !text.is_empty() && text.len() <= 127 && text.bytes().all(allowed)
    };
    let mut parameters = stated.split(';');
    let essence = parameters.next().unwrap_or_default().trim();
    let (kind, subtype) = essence.split_once('/').ok_or_else(refused)?;
    if !is_token(kind) || !is_token(subtype) || kind.eq_ignore_ascii_case("multipart") {
        return Err(refused());
    }
    let charset = parameters.find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let value = value.trim().trim_matches('"');
        (name.trim().eq_ignore_ascii_case("charset") && is_token(value)).then_some(value)
    });
    let essence = essence.to_ascii_lowercase();
    Ok(match charset {
        Some(charset) => format!("{essence}; charset={charset}"),
        None => essence,
    })
}
