//! Validates the header fields that a webhook's owner adds: bounded in size, and not reserved for the server or the
//! connection.

/// The maximum number of header fields of a webhook.
pub const HEADERS_MAX: usize = 20;
/// The longest name, in bytes.
const NAME_BYTES_MAX: usize = 100;
/// The longest value, in bytes.
const VALUE_BYTES_MAX: usize = 2_048;

/// Reserved names, which the server sets itself.
const RESERVED: &[&str] = &["content-type", "user-agent"];
/// Reserved prefixes, for example of the signature headers.
const RESERVED_PREFIXES: &[&str] = &["x-service-", "webhook-"];
/// Names that frame the request or control the connection and proxies.
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

/// The prefix of names that control proxies.
const PROXY_PREFIX: &str = "proxy-";

/// Returns the pattern of the names that are never valid, in any case (ECMA-262).
#[must_use]
pub fn reserved_pattern() -> String {
    let any_case = |name: &&str| -> String {
        name.chars()
            .map(|c| if c.is_ascii_lowercase() { format!("[{}{c}]", c.to_ascii_uppercase()) } else { c.to_string() })
            .collect()
    };
    let names: Vec<String> = RESERVED.iter().chain(TRANSPORT).map(any_case).collect();
    let starts: Vec<String> = RESERVED_PREFIXES.iter().chain([&PROXY_PREFIX]).map(any_case).collect();
    format!("^(?:(?:{})$|{})", names.join("|"), starts.join("|"))
}

/// Returns what is wrong with a header field, or `None` if it is valid.
#[must_use]
pub fn header_problem(name: &str, value: &str) -> Option<String> {
    let lower = name.to_ascii_lowercase();
    if name.is_empty() || name.len() > NAME_BYTES_MAX || !name.bytes().all(is_token) {
        return Some(format!("the name must have 1 to {NAME_BYTES_MAX} letters, digits or !#$%&'*+-.^_`|~"));
    }
    if RESERVED.contains(&lower.as_str()) || RESERVED_PREFIXES.iter().any(|prefix| lower.starts_with(prefix)) {
        return Some("is a header field that the server sets itself".to_owned());
    }
    if TRANSPORT.contains(&lower.as_str()) || lower.starts_with(PROXY_PREFIX) {
        return Some("controls the connection and can't be set".to_owned());
    }
    if value.contains(['\r', '\n']) {
        return Some("must not contain line breaks".to_owned());
    }
    if value.len() > VALUE_BYTES_MAX || !value.bytes().all(|b| (b' '..=b'~').contains(&b) || b == b'\t') {
        return Some(format!("must have at most {VALUE_BYTES_MAX} printable ASCII characters"));
    }
    None
}

/// Returns whether the byte is allowed in a token (RFC 9110 §5.6.2).
fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::header_problem;

    #[test]
    fn custom_fields_are_allowed_and_reserved_or_malformed_ones_are_not() {
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
