//! Header fields that the owner of a webhook adds: bounded, and never one of ours or of the transport.

/// Most fields of a webhook.
pub const HEADERS_MAX: usize = 20;
/// Longest name in bytes.
const NAME_BYTES_MAX: usize = 100;
/// Longest value in bytes.
const VALUE_BYTES_MAX: usize = 2_048;

/// Names that are ours: by them receivers know and check what arrives.
const OURS: &[&str] = &["content-type", "user-agent"];
/// What names that are ours begin with.
const OUR_PREFIXES: &[&str] = &["x-service-", "webhook-"];
/// Names that frame the request, or steer who stands between.
const TRANSPORT: &[&str] = &[
    "connection",
    "content-encoding",
    "content-length",
    "expect",
    "host",
    "http2-settings",
    "keep-alive",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// What is wrong with a header field, if anything is.
#[must_use]
pub fn header_problem(name: &str, value: &str) -> Option<String> {
    let lower = name.to_ascii_lowercase();
    if name.is_empty() || name.len() > NAME_BYTES_MAX || !name.bytes().all(is_token) {
        return Some(format!("the name must be 1 to {NAME_BYTES_MAX} letters, digits and other characters of tokens"));
    }
    if OURS.contains(&lower.as_str()) || OUR_PREFIXES.iter().any(|prefix| lower.starts_with(prefix)) {
        return Some("is a header field that the service sets itself".to_owned());
    }
    if TRANSPORT.contains(&lower.as_str()) || lower.starts_with("proxy-") {
        return Some("is a header field of the connection and cannot be set".to_owned());
    }
    if value.contains(['\r', '\n']) {
        return Some("must be one line without line breaks".to_owned());
    }
    if value.len() > VALUE_BYTES_MAX || !value.bytes().all(|b| (b' '..=b'~').contains(&b) || b == b'\t') {
        return Some(format!("must have at most {VALUE_BYTES_MAX} printable ASCII characters"));
    }
    None
}

/// A character of a token (RFC 9110 §5.6.2).
fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::header_problem;

    #[test]
    fn own_fields_are_fine_and_ours_and_broken_ones_are_not() {
        for (name, value) in
            [("Authorization", "Bearer abc"), ("X-Tenant", ""), ("x_odd.name~", "a\tb"), ("X-Api-Key", "~!")]
        {
            assert_eq!(header_problem(name, value), None, "{name}");
        }
        for name in [
            "X-Service-Signature",
            "x-service-timestamp",
            "Webhook-Id",
            "webhook-anything",
            "Content-Type",
            "User-Agent",
        ] {
            assert!(header_problem(name, "x").is_some_and(|problem| problem.contains("sets itself")), "{name}");
        }
        for name in ["Host", "Content-Length", "transfer-encoding", "Connection", "Proxy-Authorization", "TE"] {
            assert!(header_problem(name, "x").is_some_and(|problem| problem.contains("connection")), "{name}");
        }
        for name in ["", "a b", "a:b", "é", "a\r\nb", &"n".repeat(101)] {
            assert!(header_problem(name, "x").is_some(), "{name:?}");
        }
        for value in ["a\r\nX-Evil: 1", "a\nb", "\0", "é", &"v".repeat(2_049)] {
            assert!(header_problem("X-Fine", value).is_some(), "{value:?}");
        }
    }
}
