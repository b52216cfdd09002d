//! Behaviour of the parser on single mails and on hostile bytes.
#![allow(clippy::unwrap_used)]

use super::*;

fn lines(text: &str) -> Vec<u8> {
    text.trim_start().replace('\n', "\r\n").into_bytes()
}

#[test]
fn a_mail_with_text_html_image_and_file_is_taken_apart() {
    let raw = lines(
        "
From: =?utf-8?Q?J=C3=B6rg?= <joerg@example.com>
To: a@x.example, \"B, C\" <b@x.example>
Subject: =?utf-8?B?R3LDvA==?=
 =?utf-8?B?w59l?=
Date: Fri, 15 Jan 2027 08:00:00 +0000
Message-ID: <m1@example.com>
References: <a@x> <b@x>
Content-Type: multipart/mixed; boundary=\"outer\"

preamble
--outer
Content-Type: multipart/alternative; boundary=inner

--inner
Content-Type: text/plain; charset=iso-8859-1
Content-Transfer-Encoding: quoted-printable

Gr=FC=DFe
--inner
Content-Type: multipart/related; boundary=rel

--rel
Content-Type: text/html; charset=utf-8

<p>Gruss <img src=cid:i1></p>
--rel
Content-Type: image/png
Content-ID: <i1>
Content-Transfer-Encoding: base64

AAEC
--rel--
--inner--
--outer
Content-Type: application/pdf; name=\"x.pdf\"
Content-Disposition: attachment; filename*=UTF-8''r%C3%A9sum%C3%A9.pdf
Content-Transfer-Encoding: base64

aGVsbG8=
--outer--
",
    );
    let parsed = parse(&raw);
    assert_eq!(parsed.subject.as_deref(), Some("Grüße"));
    assert_eq!(parsed.from[0].header_form, "Jörg <joerg@example.com>");
    assert_eq!(parsed.to[1].header_form, "\"B, C\" <b@x.example>");
    assert_eq!(parsed.date_ms, Some(1_800_000_000_000));
    assert_eq!(parsed.message_id.as_deref(), Some("<m1@example.com>"));
    assert_eq!(parsed.references, ["<a@x>", "<b@x>"]);
    assert_eq!(parsed.text.as_deref(), Some("Grüße"));
    assert_eq!(
        parsed.html.as_deref(),
        Some("<p>Gruss <img src=cid:i1></p>")
    );
    assert!(!parsed.text_from_html);
    let [image, pdf] = &parsed.attachments[..] else {
        panic!("two attachments expected: {:?}", parsed.attachments);
    };
    assert_eq!(
        (
            &*image.content_type,
            image.inline,
            image.content_id.as_deref()
        ),
        ("image/png", true, Some("i1"))
    );
    assert_eq!(&*image.bytes, b"\x00\x01\x02");
    assert_eq!(
        (pdf.filename.as_deref(), pdf.inline),
        (Some("résumé.pdf"), false)
    );
    assert_eq!(&*pdf.bytes, b"hello");
}
