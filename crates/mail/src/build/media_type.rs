//! The Content-Type of a file to send (RFC 2045 §5.1), from what a caller says it is.

use std::collections::BTreeSet;

use super::field::BuildError;
use crate::header::parameters;

/// Most parameters of one file that are written.
const PARAMETERS_MAX: usize = 16;

/// Longest value of a parameter that is written, in bytes: quoted and escaped it still fits a line.
const PARAMETER_BYTES_MAX: usize = 255;

/// Longest half of a media type, and longest name of a parameter, in bytes (RFC 6838 §4.2).
const NAME_BYTES_MAX: usize = 127;

/// `type/subtype` in lower case with its parameters, each once. Left out are those that cannot stand in a header (control
/// characters, beyond ASCII, too long, too many), the `name`, which is told by the disposition, and the `boundary`.
pub(super) fn media_type(stated: &str) -> Result<String, BuildError> {
    let refused = || BuildError::ContentType { content_type: stated.chars().take(100).collect() };
    let essence = stated.split(';').next().unwrap_or_default().trim();
    let (kind, subtype) = essence.split_once('/').ok_or_else(refused)?;
    if !is_restricted_name(kind) || !is_restricted_name(subtype) || kind.eq_ignore_ascii_case("multipart") {
        return Err(refused());
    }
    let mut written = essence.to_ascii_lowercase();
    let mut names = BTreeSet::new();
    for parameter in parameters(stated) {
        let attribute = parameter.name.split('*').next().unwrap_or_default();
        let is_ours = matches!(attribute, "" | "name" | "boundary");
        if is_ours || !is_parameter_name(&parameter.name) || !is_printable(&parameter.value) {
            continue;
        }
        if names.len() < PARAMETERS_MAX && names.insert(parameter.name.clone()) {
            written.push_str(&format!("; {}={}", parameter.name, token_or_quoted(&parameter.value)));
        }
    }
    Ok(written)
}

/// RFC 6838 §4.2, and a little more than its first characters.
fn is_restricted_name(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$&^_.+-".contains(&byte);
    !text.is_empty() && text.len() <= NAME_BYTES_MAX && text.bytes().all(allowed)
}

fn is_parameter_name(text: &str) -> bool {
    text.len() <= NAME_BYTES_MAX && is_token(text)
}

/// RFC 2045 §5.1.
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
    fn parameters_of_a_file_are_lost() {
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
