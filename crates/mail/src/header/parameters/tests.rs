//! Tests of parameters in every layout that mail programs write.

use super::*;

fn parse(raw: &str) -> MimeFieldValue {
    MimeFieldValue::parse(&crate::header::unfold(raw.as_bytes()))
}

/// What may stand between two tokens of a structured field (RFC 5322 §3.2.2).
const GAPS: [&str; 9] =
    ["", " ", "\r\n ", "\r\n\t", " \r\n  ", "\n ", "(c)", " (a (nested; \\) comment)\r\n\t) ", "\t"];

#[test]
fn parameter_values_after_folds_and_comments_are_read() {
    let values = [
        ("\"My File.pdf\"", "My File.pdf"),
        ("My-File.pdf", "My-File.pdf"),
        ("\"a\\\"b; c=d.pdf\"", "a\"b; c=d.pdf"),
        ("\"=?utf-8?Q?My_F=C3=AFle?=\r\n =?utf-8?Q?.pdf?=\"", "My Fïle.pdf"),
        ("=?utf-8?Q?My_File.pdf?=", "My File.pdf"),
        ("\"----=_Part (1)\"", "----=_Part (1)"),
        ("----=_Part=1", "----=_Part=1"),
    ];
    for (written, expected) in values {
        for before_semicolon in GAPS {
            for gap in GAPS {
                for after_equals in GAPS {
                    let raw = format!(
                        "text/plain{before_semicolon};{gap}NAME{gap}={after_equals}{written}{gap};{gap}charset{gap}=utf-8"
                    );
                    let field = parse(&raw);
                    assert_eq!(field.value, "text/plain", "{raw:?}");
                    assert_eq!(field.parameter("name").as_deref(), Some(expected), "{raw:?}");
                    assert_eq!(field.parameter("charset").as_deref(), Some("utf-8"), "{raw:?}");
                }
            }
        }
    }
}

#[test]
fn extended_values_are_joined_in_every_layout() {
    let layouts = [
        "*=utf-8''na%C3%AFve%20file.pdf",
        "*=utf-8'fr'na%C3%AFve%20file.pdf",
        "*=utf-8'na%C3%AFve%20file.pdf",
        "*=na%C3%AFve%20file.pdf",
        "*=\"utf-8''na%C3%AFve%20file.pdf\"",
        "*=utf-8''\"na%C3%AFve%20file.pdf\"",
        "*=iso-8859-1''na%EFve%20file.pdf",
        "*0*=utf-8''na%C3;{}NAME*1*=%AFve%20;{}name*2=file.pdf",
        "*0*=utf-8'na%C3;{}name*1*=%AFve%20;{}name*2=\"file.pdf\"",
        "*1*=%AFve%20;{}name*2=file.pdf;{}name*0*=utf-8''na%C3",
        "*00=\"naïve \";{}name*01=\"file.pdf\"",
        "=fallback.pdf;{}name*=utf-8''na%C3%AFve%20file.pdf",
    ];
    for layout in layouts {
        for gap in GAPS {
            let raw = format!("attachment;{gap}name{}", layout.replace("{}", gap));
            assert_eq!(parse(&raw).parameter("name").as_deref(), Some("naïve file.pdf"), "{raw:?}");
        }
    }
}

#[test]
fn careless_layouts_are_read() {
    let cases = [
        ("attachment; filename=report (1).pdf", "report (1).pdf"),
        ("attachment; filename=report(1).pdf (a comment)", "report(1).pdf"),
        ("attachment; filename=My File.pdf", "My File.pdf"),
        ("attachment; filename=My File.pdf size=12", "My File.pdf"),
        ("attachment filename=\"a.pdf\" size=12", "a.pdf"),
        ("attachment filename=a.pdf", "a.pdf"),
        ("attachment; filename='My File.pdf'", "My File.pdf"),
        ("attachment; filename=it's Bob's.pdf", "it's Bob's.pdf"),
        ("attachment; filename*=it's Bob's.pdf", "it's Bob's.pdf"),
        ("attachment; filename=\"the \"big\" one.pdf\"; size=1", "the \"big\" one.pdf"),
        ("attachment; filename=\"unclosed.pdf; size=1", "unclosed.pdf"),
        ("attachment;; ;filename=a(.pdf", "a(.pdf"),
        ("attachment; =x; filename=a.pdf", "a.pdf"),
        ("attachment; filename=; filename*=utf-8''a.pdf", "a.pdf"),
        ("; filename=a.pdf", "a.pdf"),
    ];
    for (raw, expected) in cases {
        assert_eq!(parse(raw).parameter("filename").as_deref(), Some(expected), "{raw}");
    }
    assert_eq!(parse("attachment; filename=\"\"").parameter("filename"), None);
    assert_eq!(parse("(c) text / (c) HTML (d) charset=x").value, "text/HTML");
}

#[test]
fn hostile_values_are_parsed_in_linear_time() {
    for piece in ["(", "(a", "a=\"", "a=\";", "a=(b)", "a= b ", "\"", "\\", "a=\"b\"c", "a=b (", ";", "=", "a='", "(()"]
    {
        let field = parse(&format!("x;{}", piece.repeat(200_000 / piece.len())));
        assert!(field.parameters.len() <= 200_000);
    }
}
