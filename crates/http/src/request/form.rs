//! `multipart/form-data` (RFC 7578) as JSON: each field is a member, and a file is an object with its name, content type
//! and bytes in base64. Operations that accept forms need not know them.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use bytes::Bytes;
use posthouse_domain::Refusal;
use serde_json::{Map, Value, json};

/// The content type of forms.
pub(super) const CONTENT_TYPE: &str = "multipart/form-data";
/// The most fields of a form.
const FIELDS_MAX: usize = 50;
/// The longest header of a field in bytes.
const HEADER_BYTES_MAX: usize = 8 * 1024;
/// The longest boundary (RFC 2046 §5.1.1).
const BOUNDARY_BYTES_MAX: usize = 70;

/// Returns a form as a JSON body.
///
/// # Errors
/// Returns `invalid_request` if the form is malformed.
pub(super) fn to_json(content_type: &str, form: &[u8]) -> Result<Bytes, Refusal> {
    let boundary = boundary(content_type).ok_or_else(|| malformed("has no boundary in Content-Type"))?;
    let mut members = Map::new();
    for part in parts(form, &boundary)? {
        let field = Field::of(part)?;
        let value = match field.filename {
            Some(name) => {
                let content_type = field.content_type.map_or(Value::Null, Value::from);
                json!({ "filename": name, "content_type": content_type, "content_base64": STANDARD.encode(field.content) })
            }
            None => {
                let text = std::str::from_utf8(field.content).map_err(|_| malformed("has a field that isn't UTF-8"))?;
                Value::from(text)
            }
        };
        if members.insert(field.name, value).is_some() {
            return Err(malformed("has a field twice"));
        }
        if members.len() > FIELDS_MAX {
            return Err(malformed("has too many fields"));
        }
    }
    Ok(Value::Object(members).to_string().into())
}

fn malformed(problem: &str) -> Refusal {
    Refusal::invalid_field("body", problem).with_fix("Send a form as browsers and curl's option -F do.")
}

/// Returns the boundary that a content type names.
fn boundary(content_type: &str) -> Option<String> {
    let found = parameter(content_type, "boundary")?;
    let is_usable = !found.is_empty() && found.len() <= BOUNDARY_BYTES_MAX && found.is_ascii();
    is_usable.then_some(found)
}

/// Returns a parameter of a header field, quoted or not.
fn parameter(field: &str, name: &str) -> Option<String> {
    let (mut rest, mut is_first) = (field, true);
    loop {
        let end = end_of_parameter(rest);
        let item = rest[..end].trim();
        if !is_first
            && let Some((key, value)) = item.split_once('=')
            && key.trim().eq_ignore_ascii_case(name)
        {
            return Some(unquoted(value.trim()));
        }
        is_first = false;
        rest = rest.get(end + 1..)?;
    }
}

/// Returns where the first `;` outside quotes is, or else the end.
fn end_of_parameter(text: &str) -> usize {
    let (mut is_quoted, mut is_escaped) = (false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_quoted => is_escaped = true,
            b'"' => is_quoted = !is_quoted,
            b';' if !is_quoted => return at,
            _ => {}
        }
    }
    text.len()
}

fn unquoted(value: &str) -> String {
    match value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        // Browsers escape only quotes and line ends (WHATWG HTML, multipart form data).
        Some(inner) => inner.replace("\\\"", "\"").replace("%22", "\""),
        None => value.to_owned(),
    }
}

/// Returns the parts between the delimiters.
fn parts<'b>(form: &'b [u8], boundary: &str) -> Result<Vec<&'b [u8]>, Refusal> {
    let delimiter = format!("--{boundary}");
    let mut rest = match find(form, delimiter.as_bytes()) {
        Some(at) if at == 0 || form[..at].ends_with(b"\r\n") => &form[at + delimiter.len()..],
        _ => return Err(malformed("doesn't begin with its boundary")),
    };
    let next = format!("\r\n{delimiter}");
    let mut all = Vec::new();
    loop {
        if rest.starts_with(b"--") {
            return Ok(all);
        }
        let line = find(rest, b"\r\n").ok_or_else(|| malformed("ends early"))?;
        let part = &rest[line + 2..];
        // An empty part may be followed by the delimiter at once.
        let end = find(part, next.as_bytes()).ok_or_else(|| malformed("ends early"))?;
        if all.len() >= FIELDS_MAX {
            return Err(malformed("has too many fields"));
        }
        all.push(&part[..end]);
        rest = &part[end + next.len()..];
    }
}

fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    memchr::memmem::find(text, wanted)
}

/// A field of a form.
struct Field<'b> {
    name: String,
    filename: Option<String>,
    content_type: Option<String>,
    content: &'b [u8],
}

impl<'b> Field<'b> {
    fn of(part: &'b [u8]) -> Result<Self, Refusal> {
        let end = find(part, b"\r\n\r\n").filter(|end| *end <= HEADER_BYTES_MAX);
        let end = end.ok_or_else(|| malformed("has a field without a header"))?;
        let header = std::str::from_utf8(&part[..end]).map_err(|_| malformed("has a header that isn't UTF-8"))?;
        let field = |name: &str| {
            header.split("\r\n").find_map(|line| {
                let (key, value) = line.split_once(':')?;
                key.trim().eq_ignore_ascii_case(name).then(|| value.trim())
            })
        };
        let disposition = field("content-disposition").unwrap_or_default();
        let name = parameter(disposition, "name").ok_or_else(|| malformed("has a field without a name"))?;
        let filename = parameter(disposition, "filename");
        let content_type = field("content-type").map(str::to_owned);
        Ok(Self { name, filename, content_type, content: &part[end + 4..] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json_of(content_type: &str, form: &str) -> Result<Value, Refusal> {
        to_json(content_type, form.as_bytes()).map(|json| serde_json::from_slice(&json).unwrap())
    }

    #[test]
    fn fields_and_files_become_members() {
        let form = "--x y\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nReturns\r\n--x y\r\n\
                    content-disposition: form-data; name=\"file\"; filename=\"a;\\\"b.txt\"\r\nContent-Type: text/plain\r\n\
                    \r\nline\r\n--x\r\n--x y\r\nContent-Disposition: form-data; name=empty\r\n\r\n\r\n--x y--\r\n";
        let json = json_of("multipart/form-data; charset=utf-8; boundary=\"x y\"", form).unwrap();
        assert_eq!(
            json,
            json!({
                "title": "Returns",
                "file": { "filename": "a;\"b.txt", "content_type": "text/plain", "content_base64": STANDARD.encode("line\r\n--x") },
                "empty": "",
            })
        );
    }

    #[test]
    fn malformed_forms_are_refused() {
        let good = "--b\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--b--";
        assert!(json_of("multipart/form-data; boundary=b", good).is_ok());
        for cut in 0..good.len() - 1 {
            assert!(json_of("multipart/form-data; boundary=b", &good[..cut]).is_err(), "{cut}");
        }
        let twice = good.replace("\r\n--b--", &format!("\r\n{good}"));
        let many = format!("{}--b--", "--b\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n".repeat(60));
        for (content_type, form) in [
            ("multipart/form-data", good),
            ("multipart/form-data; boundary=", good),
            ("multipart/form-data; boundary=c", good),
            ("multipart/form-data; boundary=b", twice.as_str()),
            ("multipart/form-data; boundary=b", many.as_str()),
            ("multipart/form-data; boundary=b", "--b\r\nContent-Disposition: form-data\r\n\r\n1\r\n--b--"),
            ("multipart/form-data; boundary=b", "--b\r\n\r\n1\r\n--b--"),
        ] {
            assert_eq!(
                json_of(content_type, form).unwrap_err().code.text(),
                "invalid_request",
                "{content_type} {form}"
            );
        }
    }
}
