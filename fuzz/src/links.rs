//! Fuzzes the detection of codes and links: any text and any HTML give a bounded answer, always the same one, and its
//! link leads to the web.

use posthouse_mail::verification::{CONFIDENCE_MAX, VerificationInput, detect};

/// The most bytes of a link, and the most characters of a code.
const LINK_BYTES_MAX: usize = 8_192;
const CODE_CHARS_MAX: usize = 24;

/// The first line of an input is the subject, and the others are a text, an HTML document, and both.
pub fn run(data: &[u8]) {
    let whole = String::from_utf8_lossy(data);
    let (subject, body) = whole.split_once('\n').unwrap_or(("", &whole));
    for (text, html) in [(Some(body), None), (None, Some(body)), (Some(body), Some(body))] {
        let input = VerificationInput { subject, text, html, from: "Acme <noreply@acme.example>" };
        let found = detect(&input);
        assert_eq!(found, detect(&input), "the detection is deterministic");
        let Some(found) = found else { continue };
        assert!(found.code.is_some() || found.link.is_some());
        assert!(found.confidence > 0.0 && found.confidence <= CONFIDENCE_MAX);
        if let Some(code) = found.code {
            assert!(
                code.len() <= CODE_CHARS_MAX && code.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'),
                "{code}"
            );
        }
        if let Some(link) = found.link {
            let scheme = link.get(..8).unwrap_or(&link).to_ascii_lowercase();
            assert!(scheme.starts_with("http://") || scheme.starts_with("https://"), "{link}");
            assert!(link.len() <= LINK_BYTES_MAX && !link.contains(['\n', '\r', '\t']), "{link:?}");
        }
    }
}
