//! Headers of downloads. Content from strangers is served for download only, so that browsers neither render, sniff nor
//! run it.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use posthouse_app::messages::download::Download;
use posthouse_call::Outcome;

/// Denies a browser every use of the bytes.
const POLICY: &str = "sandbox; default-src 'none'";
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

/// Returns a file for download.
pub(super) fn response(content_type: &str, name: &str, download: Download) -> Outcome {
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
