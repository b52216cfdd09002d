//! The Content-Type of a file to send (RFC 2045 §5.1), derived from the type that the caller states.

use std::collections::BTreeSet;

use super::field::MimeBuildError;
use crate::header::MimeFieldValue;

/// Most parameters written for one file.
const PARAMETERS_MAX: usize = 16;

/// Longest parameter value that is written, in bytes. It still fits on a line when quoted and escaped.
const PARAMETER_BYTES_MAX: usize = 255;

/// Longest type, subtype or parameter name, in bytes (RFC 6838 §4.2).
const NAME_BYTES_MAX: usize = 127;

/// Returns `type/subtype` in lower case with its parameters, without duplicates. Omits parameters that a header can't
/// contain (control characters, non-ASCII, too long, too many), `name`, which Content-Disposition states, and
/// `boundary`.
pub(super) fn media_type(stated: &str) -> Result<String, MimeBuildError> {
    let refused = || MimeBuildError::ContentType { content_type: stated.chars().take(100).collect() };
    let essence = stated.split(';').next().unwrap_or_default().trim();
    let (kind, subtype) = essence.split_once('/').ok_or_else(refused)?;
    if !is_restricted_name(kind) || !is_restricted_name(subtype) || kind.eq_ignore_ascii_case("multipart") {
        return Err(refused());
    }
    let mut written = essence.to_ascii_lowercase();
    let mut names = BTreeSet::new();
    for parameter in &MimeFieldValue::parse(stated).parameters {
        let attribute = parameter.name.split('*').next().unwrap_or_default();
        let is_reserved = matches!(attribute, "" | "name" | "boundary");
        if is_reserved || !is_parameter_name(&parameter.name) || !is_printable(&parameter.value) {
            continue;
        }
        if names.len() < PARAMETERS_MAX && names.insert(parameter.name.clone()) {
            written.push_str(&format!("; {}={}", parameter.name, token_or_quoted(&parameter.value)));
        }
    }
    Ok(written)
}

/// Checks a name by RFC 6838 §4.2, but allows every permitted character at the start too.
fn is_restricted_name(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$&^_.+-".contains(&byte);
    !text.is_empty() && text.len() <= NAME_BYTES_MAX && text.bytes().all(allowed)
}

fn is_parameter_name(text: &str) -> bool {
    text.len() <= NAME_BYTES_MAX && is_token(text)
}

/// Checks a token by RFC 2045 §5.1.
fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic() && !b"()<>@,;:\\\"/[]?=".contains(&byte))
}

fn is_printable(value: &str) -> bool {
    value.len() <= PARAMETER_BYTES_MAX && value.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic())
}

fn token_or_quoted(value: &str) -> String {
    if is_token(value) {
        return value.to_owned();
    }
    format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn valid_parameters_are_kept_without_duplicates() {
        let long = "x".repeat(PARAMETER_BYTES_MAX + 1);
        let table: &[(&str, &str)] = &[
            ("text/calendar; method=REQUEST; charset=\"utf-8\"", "text/calendar; method=REQUEST; charset=utf-8"),
            ("TEXT/Plain;Format=flowed ; DelSp=yes;", "text/plain; format=flowed; delsp=yes"),
            ("text/plain; charset=\"utf-8", "text/plain; charset=utf-8"),
            ("text/x; a=\"b; c=d\"; e=f", "text/x; a=\"b; c=d\"; e=f"),
            ("text/x; a=\"q\\\"\\\\\"; b=\"\"", "text/x; a=\"q\\\"\\\\\"; b=\"\""),
            ("text/x; t*=utf-8''%C3%BC; a=b c", "text/x; t*=utf-8''%C3%BC; a=\"b c\""),
            ("text/x; name=a; NAME*=utf-8''b; name*0=c; boundary=d; Boundary*0*=e; x-name=f", "text/x; x-name=f"),
            ("text/x; a=1; A=2", "text/x; a=1"),
            ("text/x; flag; =x; a b=c; (d)=e; ü=f; *=g", "text/x"),
            ("text/x; a=\"1\r\nBcc: x@y.example\"; b=\"\0\"; c=\"é\"; d=\"\t\"; e=f", "text/x; e=f"),
            ("text/x; a=1\r\nBcc: x@y.example\r\n", "text/x"),
            ("text/x; a\r\nb=1", "text/x"),
            (&format!("text/x; a={long}; b=c"), "text/x; b=c"),
        ];
        for (stated, written) in table {
            assert_eq!(media_type(stated).as_deref(), Ok(*written), "{stated:?}");
        }
        let many: String = (0..PARAMETERS_MAX + 5).map(|number| format!("; p{number}=v")).collect();
        assert_eq!(media_type(&format!("a/b{many}")).map(|text| text.matches(';').count()), Ok(PARAMETERS_MAX));
    }
}
