//! Links in every field and file of a mail.

use posthouse_mail::parse::parse;
use serde_json::json;

use super::*;
use crate::link_token::of_secret;

const SECRET: &str = "0123456789abcdef0123456789abcdef";

fn token() -> String {
    of_secret(SECRET)
}

fn base64(text: &[u8]) -> String {
    use ::base64::{Engine as _, engine::general_purpose::STANDARD};
    STANDARD.encode(text)
}

/// Returns a mail with a file.
fn with_file(header: &str, content: &str) -> String {
    format!(
        "From: a@x.example\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n\
         --b\r\n\r\nhello\r\n--b\r\n{header}\r\n\r\n{content}\r\n--b--\r\n"
    )
}

fn is_found(raw: &str) -> bool {
    mask(&mut parse(raw.as_bytes()), raw.as_bytes()).is_any()
}

#[test]
fn every_field_is_masked() {
    let token = token();
    let mail = |fields: &str| format!("{fields}\r\nX: y\r\n\r\ntext\r\n");
    for fields in [
        format!("From: \"{token}\" <a@x.example>"),
        format!("From: {token}@x.example"),
        format!("To: \"{token}\" <a@x.example>, {token}@x.example"),
        format!("Cc: {token} <a@x.example>"),
        format!("Reply-To: http://h/{token}"),
        format!("Message-ID: <{token}@x.example>"),
        format!("In-Reply-To: <{token}@x.example>"),
        format!("References: <1@x.example> <{token}@x.example>"),
        format!(
            "Subject: =?utf-8?b?{}?=\r\n =?utf-8?b?{}?=",
            base64(&token.as_bytes()[..20]),
            base64(&token.as_bytes()[20..])
        ),
        format!("X-{token}: x"),
        format!("X-Link: http://h/{}\r\n {}", &token[..20], &token[20..]),
        format!("Agent-Disclosure: agent=?1; operator=\"{token}\""),
    ] {
        let raw = mail(&fields);
        let mut parsed = parse(raw.as_bytes());
        assert!(mask(&mut parsed, raw.as_bytes()).is_any(), "{fields}");
        let seen = format!("{parsed:?}").replace(' ', "");
        assert!(!seen.contains(&token[3..]), "{fields}: {seen}");
    }
    assert!(!is_found(&mail("From: Pat <a@x.example>")));
}

#[test]
fn raw_bytes_beside_the_texts_are_searched() {
    let token = token();
    for raw in [
        with_file("Content-Type: text/plain", "x").replacen("\r\n--b", &format!("\r\n{token}\r\n--b"), 1),
        format!("{}{token}\r\n", with_file("Content-Type: text/plain", "x")),
        with_file(&format!("Content-Type: text/plain\r\nX-A: {token}"), "x"),
        with_file(&format!("Content-Type: text/{token}; name=\"{token}.txt\"\r\nContent-ID: <{token}>"), "x"),
    ] {
        assert!(is_found(&raw), "{raw}");
    }
}

/// Returns a message with a token in base64, within this many messages.
fn nested(depth: usize) -> String {
    (0..depth).fold(
        format!("Subject: x\r\nContent-Transfer-Encoding: base64\r\n\r\n{}", base64(token().as_bytes())),
        |inner, _| format!("Subject: outer\r\nContent-Type: message/rfc822\r\n\r\n{inner}"),
    )
}

#[test]
fn links_in_files_are_found() {
    let token = token();
    let utf16 = |text: &str, is_big: bool| -> Vec<u8> {
        text.encode_utf16().flat_map(|unit| if is_big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
    };
    let large = format!("{token}\r\n{}", "y".repeat(600_000));
    let files: [(&str, Vec<u8>); 11] = [
        ("text/plain", format!("See http://h/claim/{token}").into_bytes()),
        ("text/html", format!("<p><a href=\"http://h/&#112;{}\">", &token[1..]).into_bytes()),
        ("text/plain", utf16(&token, false)),
        ("text/plain", utf16(&token, true)),
        ("application/json", format!("{{\"a\":\"\\u0070{}\\n{}\"}}", &token[1..9], &token[9..]).into_bytes()),
        ("application/octet-stream", nested(0).into_bytes()),
        ("message/rfc822", nested(1).into_bytes()),
        ("message/rfc822", nested(20).into_bytes()),
        ("text/plain", large.into_bytes()),
        ("text/rfc822-headers", format!("Subject: =?utf-8?b?{}?=\r\n", base64(token.as_bytes())).into_bytes()),
        ("application/pdf", format!("%PDF-1.7\n\0/URI (http://h/claim/{token})").into_bytes()),
    ];
    for (index, (content_type, bytes)) in files.iter().enumerate() {
        assert!(is_in_file(content_type, bytes), "{index}");
        let header = format!("Content-Type: {content_type}\r\nContent-Transfer-Encoding: base64");
        assert!(is_found(&with_file(&header, &base64(bytes))), "{index}");
    }
}

#[test]
fn other_files_stay_readable() {
    let message = "Subject: x\r\nContent-Type: message/rfc822\r\n\r\nSubject: y\r\n\r\nhelp, photograph";
    for (content_type, bytes) in [
        ("text/plain", "help, photography, pht 123456".to_owned()),
        ("image/png", format!("\u{89}PNG\0{}", "pht".repeat(1_000_000))),
        ("application/pdf", format!("%PDF-1.7\n{}", "pht0".repeat(1_000_000))),
        ("application/zip", format!("PK\0{}", "p".repeat(1_000_000))),
        ("message/rfc822", message.to_owned()),
        ("text/csv", "pht,0123456789,0123456789,0123456789,0123456789\n".repeat(1_000)),
    ] {
        assert!(!is_in_file(content_type, bytes.as_bytes()), "{content_type}");
    }
}

#[test]
fn messages_within_messages_have_a_bound() {
    let deep = (0..4_000)
        .fold("Subject: x\r\n\r\n".to_owned(), |inner, _| format!("Content-Type: message/rfc822\r\n\r\n{inner}"));
    assert!(is_in_file("message/rfc822", deep.as_bytes()), "what isn't searched is for owners");
    let large = format!("{}{}", "Content-Type: message/rfc822\r\n\r\n".repeat(12), "x".repeat(1_000_000));
    assert!(is_in_file("message/rfc822", large.as_bytes()));
    let three =
        format!("{}Subject: x\r\n\r\n{}", "Content-Type: message/rfc822\r\n\r\n".repeat(3), "x".repeat(1_000_000));
    assert!(!is_in_file("message/rfc822", three.as_bytes()));
}

#[test]
fn json_is_masked_in_its_values() {
    let token = token();
    let code = crate::user::sign_in_code(&token);
    let mut links = QuotedLinks::default();
    let data = json!({
        "code": code, token.clone(): 1, "split": format!("{}\n{}", &token[..9], &token[9..]), "list": [token, code, null],
        "number": code.parse::<u32>().unwrap(), "text": "help 000",
    });
    let mut text = data.to_string();
    links.mask_json(&mut text);
    assert!(links.is_any());
    assert!(!text.contains(&code) && !text.replace("\\n", "").contains(&token[10..]), "{text}");
    assert!(text.contains("help 000") && text.contains(MASK), "{text}");
    let plain = "{ \"a\": \"help\", \"b\": [1, 123456] }";
    let mut same = plain.to_owned();
    QuotedLinks::default().mask_json(&mut same);
    assert_eq!(same, plain);
}

#[test]
fn a_code_is_masked_without_its_link() {
    for quoted in [
        "On another device, enter this code instead:\n\n430631\n",
        "> On another device, enter\n> this code instead:\n>\n> 430631\n",
        "<p>ON ANOTHER DEVICE, ENTER THIS CODE INSTEAD:</p><b>430631</b>",
    ] {
        let mut links = QuotedLinks::default();
        let mut text = quoted.to_owned();
        links.mask_all([&mut text]);
        assert!(links.is_any() && !text.contains("430631"), "{text}");
    }
    let mut text = "Enter this code on the device instead: 430631".to_owned();
    QuotedLinks::default().mask_all([&mut text]);
    assert!(text.contains("430631"), "{text}");
}

#[test]
fn a_zero_byte_hides_no_link_in_a_file() {
    let token = link_token::of_secret("0123456789abcdef0123456789abcdef");
    let wide: Vec<u8> = token.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let message = format!("Subject: x\r\n\r\nhttp://h/claim/{token}\0");
    for (content_type, bytes) in [
        ("application/vnd.ms-outlook", [&[1, 0, 255, 0][..], &wide].concat()),
        ("application/octet-stream", [&[0, 255][..], token.to_uppercase().as_bytes()].concat()),
        ("message/rfc822", message.into_bytes()),
        ("text/html", format!("<p>\0</p><a href=\"http://h/claim/&#112;{}\">", &token[1..]).into_bytes()),
    ] {
        assert!(is_in_file(content_type, &bytes), "{content_type}");
    }
    assert!(!is_in_file("image/png", b"\x89PNG\0\0pht0123"));
}
