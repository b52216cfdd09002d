//! Downloads of raw mail and attachments.
//!
//! Content from strangers is served for download only, so that browsers neither render, sniff nor run it.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use posthouse_app::{drafts, messages::download::Download, messages::raw};
use posthouse_call::prelude::*;
use posthouse_domain::{AttachmentId, MessageId};

use super::fields::ScreeningQuery;

/// Denies a browser every use of the bytes.
const POLICY: &str = "sandbox; default-src 'none'";
/// The content type of a file whose own type is not a valid header value.
const UNKNOWN_TYPE: &str = "application/octet-stream";
/// Characters that stay unencoded in `filename*`: `attr-char` of RFC 8187 §3.2.1.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'!')
    .remove(b'#')
    .remove(b'$')
    .remove(b'&')
    .remove(b'+')
    .remove(b'-')
    .remove(b'.')
    .remove(b'^')
    .remove(b'_')
    .remove(b'`')
    .remove(b'|')
    .remove(b'~');

pub(crate) fn operations() -> Vec<Operation> {
    vec![
        Operation::new(Method::Get, "/v1/messages/{id}/raw", "getRawMessage", Permission::MessagesRead)
            .summary("Downloads the raw message. Received mail begins with the Return-Path and Received lines of this service.")
            .responds_with(200, Some("message/rfc822"))
            .errors(&[ErrorCode::Forbidden, ErrorCode::MessageWithheld, ErrorCode::NotFound, ErrorCode::ContentDamaged])
            .handle(raw),
        Operation::new(Method::Get, "/v1/attachments/{id}", "getAttachment", Permission::MessagesRead)
            .summary(
                "Downloads an attachment of a message, or of a draft if the key may read drafts, with the content \
                 type that its sender stated.",
            )
            .responds_with(200, Some("*/*"))
            .errors(&[ErrorCode::Forbidden, ErrorCode::MessageWithheld, ErrorCode::NotFound, ErrorCode::ContentDamaged])
            .handle(file),
    ]
}

async fn raw(service: Arc<Service>, input: Input<ScreeningQuery>) -> Result<Outcome, Refusal> {
    let id: MessageId = input.path.id("id", "message")?;
    input.query.check(&input.caller)?;
    let raw = raw::download(&service, input.caller, id, input.query.opt_ins()).await?;
    Ok(response("message/rfc822", &format!("{id}.eml"), raw))
}

async fn file(service: Arc<Service>, input: Input<ScreeningQuery>) -> Result<Outcome, Refusal> {
    let id: AttachmentId = input.path.id("id", "attachment")?;
    input.query.check(&input.caller)?;
    let (content_type, name, download) = match raw::file(&service, input.caller, id, input.query.opt_ins()).await {
        Ok((file, download)) => (file.content_type, file.filename, download),
        Err(refusal) if refusal.code == ErrorCode::NotFound => {
            let (file, download) = drafts::read_file(&service, input.caller, id)
                .await
                .map_err(|other| if other.code == ErrorCode::NotFound { refusal } else { other })?;
            (file.content_type, Some(file.filename), download)
        }
        Err(refusal) => return Err(refusal),
    };
    let is_shown = content_type.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic());
    let content_type = if is_shown { &content_type } else { UNKNOWN_TYPE };
    Ok(response(content_type, name.as_deref().unwrap_or("attachment"), download))
}

fn response(content_type: &str, name: &str, download: Download) -> Outcome {
    for_download(Outcome::download(content_type, download), name)
}

/// Serves bytes from a stranger's file for download only.
pub(super) fn for_download(outcome: Outcome, name: &str) -> Outcome {
    outcome
        .with("content-disposition", disposition(name))
        .with("x-content-type-options", "nosniff")
        .with("content-security-policy", POLICY)
}

/// Returns `Content-Disposition` with an ASCII fallback name and the exact name (RFC 6266 §4.3, RFC 8187).
fn disposition(name: &str) -> String {
    let plain =
        |c: char| if c.is_ascii_graphic() && !matches!(c, '"' | '\\' | '%' | '/') || c == ' ' { c } else { '_' };
    let fallback: String = name.chars().map(plain).collect();
    let exact = utf8_percent_encode(name, ENCODED);
    format!("attachment; filename=\"{fallback}\"; filename*=UTF-8''{exact}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_stay_quoted_and_decode_exactly() {
        let table = [
            ("a b.pdf", r#"attachment; filename="a b.pdf"; filename*=UTF-8''a%20b.pdf"#),
            ("x\"; y=\"z", r#"attachment; filename="x_; y=_z"; filename*=UTF-8''x%22%3B%20y%3D%22z"#),
            ("€.html", r#"attachment; filename="_.html"; filename*=UTF-8''%E2%82%AC.html"#),
            (
                "a\r\nSet-Cookie: b\\c",
                r#"attachment; filename="a__Set-Cookie: b_c"; filename*=UTF-8''a%0D%0ASet-Cookie%3A%20b%5Cc"#,
            ),
            ("100%.txt", r#"attachment; filename="100_.txt"; filename*=UTF-8''100%25.txt"#),
        ];
        for (name, expected) in table {
            assert_eq!(disposition(name), expected, "{name}");
        }
    }
}
