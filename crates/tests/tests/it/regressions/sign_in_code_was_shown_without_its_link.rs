//! A gateway replaced the link in a quoted sign-in mail, and its code stayed. A zero byte hid a link in a file, and so did the
//! envelope of a mail and the address of a program that counts clicks.

use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
};
use posthouse_app::settings::DeliveryMode;
use posthouse_domain::{
    link_token::{self, CODE_OFFER, MASK},
    user::sign_in_code,
};
use posthouse_tests::{ServerOptions, http::Api};
use serde_json::Value;

use crate::inbox_fixture::InboxFixture;

const SECRET: &str = "0123456789abcdef0123456789abcdef";

/// Delivers a mail from an envelope sender to the fixture's inbox. Returns the message.
async fn deliver(fixture: &InboxFixture, from: &str, content: &str) -> Value {
    let (server, to) = (&fixture.server, &fixture.inbox.address);
    let raw = format!("From: Desk <desk@x.example>\r\nTo: {to}\r\nSubject: x\r\nMIME-Version: 1.0\r\n{content}\r\n");
    server.clock.advance(1);
    let mut client = server.smtp().await;
    client.mail(from, &[to], raw.as_bytes()).await.expect(250);
    client.quit().await;
    server.settle().await;
    server.newest_message(&fixture.api, &fixture.inbox.id.to_string()).await
}

/// Checks that a key reads none of these texts, and not the raw mail.
async fn assert_hidden(api: &Api, message: &Value, hidden: &[&str], case: &str) {
    let id = message["id"].as_str().expect("an id");
    for path in [
        format!("/v1/messages/{id}"),
        format!("/v1/messages/{id}/html"),
        format!("/v1/threads/{}", message["thread_id"].as_str().expect("a thread")),
        "/v1/threads".to_owned(),
        "/v1/contacts".to_owned(),
        "/v1/events?limit=100".to_owned(),
    ] {
        let seen = String::from_utf8(api.get(&path).await.bytes).expect("text");
        for text in hidden {
            assert!(!seen.contains(text), "{case} at {path}: {text} in {seen}");
        }
    }
    api.get(&format!("/v1/messages/{id}/raw")).await.error("forbidden");
}

/// Requests a sign-in mail, and returns its code.
async fn requested_code(fixture: &InboxFixture) -> String {
    fixture.server.request_link("owner@example.org").await;
    let mail = fixture.server.sign_in_mail(&fixture.key, "owner@example.org").await;
    assert!(mail.text.contains(CODE_OFFER) && mail.text.contains(&mail.code), "{}", mail.text);
    mail.code
}

#[tokio::test]
async fn a_sign_in_code_was_shown_without_its_link() {
    let capture = ServerOptions::default().configure(|config| config.delivery.mode = DeliveryMode::Capture);
    let fixture = InboxFixture::with(capture).await;
    let code = requested_code(&fixture).await;
    let html = format!("<p>{}</p><p><b>{code}</b></p>", CODE_OFFER.replace(' ', "<br> "));
    for (case, content) in [
        ("text", format!("\r\nhttps://gateway.example/1\r\n\r\n{CODE_OFFER}:\r\n\r\n{code}\r\n")),
        ("quote", format!("\r\n> On another device, enter\r\n> this code instead:\r\n>\r\n> {code}\r\n")),
        ("html", format!("Content-Type: text/html\r\n\r\n{html}")),
    ] {
        let message = deliver(&fixture, "desk@x.example", content.as_str()).await;
        assert!(message["text"].as_str().expect("text").contains(MASK), "{case}: {message}");
        assert_eq!(message["ai"]["verification"], Value::Null, "{case}: {message}");
        assert_hidden(&fixture.api, &message, &[&code], case).await;
    }
    // A code that the service didn't offer is what an agent waits for.
    let other = deliver(&fixture, "desk@x.example", "\r\nYour code is 430631.").await;
    assert_eq!(other["ai"]["verification"]["code"], "430631", "{other}");
    fixture.close().await;
}

#[tokio::test]
async fn a_zero_byte_hid_a_link_in_a_file() {
    let fixture = InboxFixture::open().await;
    let token = link_token::of_secret(SECRET);
    let wide: Vec<u8> = token.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let files = [
        ("text/plain", format!("http://h/claim/{token}\0").into_bytes(), true),
        ("text/html", format!("<p>\0</p><a href=\"http://h/claim/&#112;{}\">", &token[1..]).into_bytes(), true),
        ("message/rfc822", format!("Subject: x\r\n\r\nhttp://h/claim/{token}\0").into_bytes(), true),
        ("application/vnd.ms-outlook", [&[1, 0, 255, 0][..], &wide].concat(), true),
        (
            "application/pdf",
            format!("%PDF-1.7\n\0 {}", STANDARD.encode(format!("http://h/{token}"))).into_bytes(),
            true,
        ),
        ("image/png", b"\x89PNG\0\0pht0123".to_vec(), false),
    ];
    for (content_type, bytes, is_hidden) in files {
        let message = deliver(
            &fixture,
            "desk@x.example",
            &format!(
                "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\ntext\r\n--b\r\nContent-Type: {content_type}\r\n\
                 Content-Disposition: attachment; filename=f\r\nContent-Transfer-Encoding: base64\r\n\r\n{}\r\n--b--",
                STANDARD.encode(bytes)
            ),
        )
        .await;
        let file = format!("/v1/attachments/{}", message["attachments"][0]["id"].as_str().expect("a file"));
        let reply = fixture.api.get(&file).await;
        assert_eq!(reply.status, if is_hidden { 403 } else { 200 }, "{content_type}: {reply}");
        if is_hidden {
            assert_hidden(&fixture.api, &message, &[&token], content_type).await;
        }
    }
    fixture.close().await;
}

#[tokio::test]
async fn a_link_in_the_envelope_was_shown() {
    let fixture = InboxFixture::open().await;
    let token = link_token::of_secret(SECRET);
    let sender = format!("{token}@x.example");
    let message = deliver(&fixture, &sender, "\r\nNothing here.").await;
    assert_eq!(message["text"].as_str().map(str::trim_end), Some("Nothing here."));
    assert_hidden(&fixture.api, &message, &[&token], "sender").await;
    let plain = deliver(&fixture, "desk@x.example", "\r\nNothing here.").await;
    let raw = format!("/v1/messages/{}/raw", plain["id"].as_str().expect("an id"));
    fixture.api.get(&raw).await.expect(200);
    fixture.close().await;
}

#[tokio::test]
async fn an_address_that_counts_clicks_hid_a_link() {
    let fixture = InboxFixture::open().await;
    let token = link_token::of_secret(SECRET);
    let link = format!("https://agents.localhost/claim/{token}");
    let hex: String = link.bytes().map(|byte| format!("{byte:02x}")).collect();
    for (case, value) in [
        ("base64", STANDARD.encode(&link)),
        ("json", URL_SAFE_NO_PAD.encode(format!("{{\"u\":\"{link}\"}}"))),
        ("hex", hex),
        ("percent", link.bytes().map(|byte| format!("%{byte:02X}")).collect()),
        ("twice", link.replace(':', "%253A").replace('/', "%252F")),
    ] {
        for content in [
            format!("Content-Type: text/html\r\n\r\n<p><a href=\"https://t.example/?u={value}&amp;s=1\">here</a></p>"),
            format!("\r\nhttps://t.example/c/{value}?s=1"),
        ] {
            let message = deliver(&fixture, "desk@x.example", &content).await;
            let part = &value[value.len() - 44..value.len() - 8];
            assert_hidden(&fixture.api, &message, &[&token, &token[3..35], part, &sign_in_code(&token)], case).await;
            let seen = message.to_string();
            assert!(seen.contains(MASK) && seen.contains("t.example"), "{case}: {seen}");
        }
    }
    fixture.close().await;
}
