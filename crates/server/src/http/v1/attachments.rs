//! Bytes: the raw mail of a message and the files that came with it (API document, Attachments; contract §4.6).
//!
//! What strangers sent is only ever downloaded: never shown, never sniffed, never run by a browser.

use std::sync::Arc;

use axum::http::{HeaderName, HeaderValue, Method, StatusCode, header};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use posthouse_domain::{
    auth::Permission,
    error::{Code, Refusal},
    id::{AttachmentId, MessageId},
};

use super::messages::ScreeningQuery;
use crate::{
    app::{App, draft, read_raw},
    http::route::{Answer, Input, Route},
};

/// What a browser may do with the bytes: nothing.
const POLICY: HeaderValue = HeaderValue::from_static("sandbox; default-src 'none'");
/// What is stated for a file whose type is no header value.
const UNKNOWN_TYPE: HeaderValue = HeaderValue::from_static("application/octet-stream");
/// Characters that stand as they are in `filename*`: `attr-char` of RFC 8187 §3.2.1.
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

pub(crate) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::GET, "/v1/messages/{id}/raw", "getRawMessage", Permission::MessagesRead)
            .summary("The mail as it was received, behind our own Return-Path and Received lines; download only.")
            .answers_with(200, Some("message/rfc822"))
            .errors(&[Code::NotFound, Code::ContentDamaged])
            .handle(raw),
        Route::new(Method::GET, "/v1/attachments/{id}", "getAttachment", Permission::MessagesRead)
            .summary("A file of a message, or of a draft for keys that may read drafts, with the content type that its sender stated; download only.")
            .answers_with(200, Some("application/octet-stream"))
            .errors(&[Code::NotFound, Code::ContentDamaged])
            .handle(file),
    ]
}

async fn raw(app: Arc<App>, input: Input<ScreeningQuery>) -> Result<Answer, Refusal> {
    let id: MessageId = input.path.id("id", "message")?;
    input.query.check(&input.caller)?;
    let bytes = read_raw::message(&app, input.caller, id, input.query.include_held).await?;
    Ok(download(HeaderValue::from_static("message/rfc822"), &format!("{id}.eml"), bytes))
}

async fn file(app: Arc<App>, input: Input<ScreeningQuery>) -> Result<Answer, Refusal> {
    let id: AttachmentId = input.path.id("id", "attachment")?;
    input.query.check(&input.caller)?;
    let (content_type, name, bytes) = match read_raw::file(&app, input.caller, id, input.query.include_held).await {
        Ok((file, bytes)) => (file.content_type, file.filename, bytes),
        Err(refusal) if refusal.code == Code::NotFound => {
            let (file, bytes) = draft::read_file(&app, input.caller, id)
                .await
                .map_err(|other| if other.code == Code::NotFound { refusal } else { other })?;
            (file.content_type, Some(file.filename), bytes)
        }
        Err(refusal) => return Err(refusal),
    };
    let content_type = HeaderValue::from_str(&content_type).unwrap_or(UNKNOWN_TYPE);
    Ok(download(content_type, name.as_deref().unwrap_or("attachment"), bytes))
}

fn download(content_type: HeaderValue, name: &str, bytes: Vec<u8>) -> Answer {
    let headers = vec![
        (header::CONTENT_TYPE, content_type),
        (header::CONTENT_DISPOSITION, disposition(name)),
        (HeaderName::from_static("x-content-type-options"), HeaderValue::from_static("nosniff")),
        (header::CONTENT_SECURITY_POLICY, POLICY),
    ];
    Answer { status: StatusCode::OK, headers, body: bytes.into(), entrance: None }
}

/// `Content-Disposition` with the name in two forms (RFC 6266 §4.3, RFC 8187): one for everybody, one that is exact.
fn disposition(name: &str) -> HeaderValue {
    let plain =
        |c: char| if c.is_ascii_graphic() && !matches!(c, '"' | '\\' | '%' | '/') || c == ' ' { c } else { '_' };
    let fallback: String = name.chars().map(plain).collect();
    let exact = utf8_percent_encode(name, ENCODED);
    HeaderValue::from_str(&format!("attachment; filename=\"{fallback}\"; filename*=UTF-8''{exact}"))
        .unwrap_or(HeaderValue::from_static("attachment"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_leave_their_quotes_and_come_back_exactly() {
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
