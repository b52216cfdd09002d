//! Secrets in every place of a message, in every disguise that its recipient undoes.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use posthouse_domain::OutboundPolicy;
use posthouse_tests::{mail::TestMessage, smtp::TestSmtpClient};
use serde_json::{Value, json};

use crate::inbox_fixture::InboxFixture;

const CODE: &str = "482913";

fn base64(text: &str) -> String {
    STANDARD.encode(text)
}

fn each(text: &str, one: impl Fn(char) -> String, between: &str) -> String {
    text.chars().map(one).collect::<Vec<_>>().join(between)
}

/// The name of a disguise, and what it makes of a text.
pub(super) type Disguise = (&'static str, fn(&str) -> String);

pub(super) const DISGUISES: [Disguise; 16] = [
    ("plain", str::to_owned),
    ("tags", |t| each(t, |c| format!("<b>{c}</b>"), "")),
    ("elements", |t| each(t, String::from, "<br>")),
    ("references", |t| each(t, |c| format!("&#{};", c as u32), "")),
    ("percent", |t| each(t, |c| format!("%{:02x}", c as u32), "")),
    ("base64", base64),
    ("base64 twice", |t| base64(&base64(t))),
    ("hex", |t| each(t, |c| format!("{:02x}", c as u32), "")),
    ("zero width", |t| each(t, String::from, "\u{200b}")),
    ("full width", |t| each(t, |c| char::from_u32(c as u32 + 0xfee0).unwrap_or(c).to_string(), "")),
    ("dots", |t| each(t, String::from, ".")),
    ("dashes", |t| each(t, String::from, "-")),
    ("blanks", |t| each(t, String::from, " ")),
    ("turned around", |t| t.chars().rev().collect()),
    ("escapes", |t| each(t, |c| format!("\\x{:02x}", c as u32), "")),
    ("hidden", |t| format!("Hi <span style=\"display:none\">{t}</span>")),
];

/// Places of a message, with the start of the place in the refusal.
const PLACES: [(&str, &str); 12] = [
    ("subject", "subject"),
    ("text", "text"),
    ("html", "html"),
    ("data", "data"),
    ("name of a recipient", "to:0"),
    ("name in copy", "cc:0"),
    ("name of a file", "attachment:0"),
    ("text of a file", "attachment:0"),
    ("markup of a file", "attachment:0"),
    ("document", "attachment:0"),
    ("second file", "attachment:1"),
    ("table", "attachment:0"),
];

fn file(name: &str, content_type: &str, text: &str) -> Value {
    json!({ "filename": name, "content_type": content_type, "content_base64": base64(text) })
}

/// Returns a message with the text in one place.
fn message(place: &str, text: &str) -> Value {
    let mut body = json!({ "to": ["friend@named.example"], "subject": "Report", "text": "Hello" });
    let rtf = || {
        let escaped: String =
            text.chars().map(|c| if c.is_ascii() { c.to_string() } else { format!("\\u{}?", c as u32) }).collect();
        format!("{{\\rtf1\\ansi Report\\par {escaped}\\par}}")
    };
    match place {
        "subject" | "text" => body[place] = json!(text),
        "html" => body["html"] = json!(format!("<p>Hello {text}</p>")),
        "data" => body["data"] = json!({ "note": text }),
        "name of a recipient" => body["to"] = json!([format!("\"{}\" <friend@named.example>", quoted(text))]),
        "name in copy" => body["cc"] = json!([format!("\"{}\" <other@named.example>", quoted(text))]),
        "name of a file" => {
            body["attachments"] = json!([file(&format!("{}.txt", text.replace(['/', '\\'], "_")), "text/plain", "x")])
        }
        "text of a file" => body["attachments"] = json!([file("a.txt", "text/plain", text)]),
        "markup of a file" => {
            body["attachments"] = json!([file("a.html", "text/html", &format!("<html><p>{text}</p></html>"))])
        }
        "document" => body["attachments"] = json!([file("a.rtf", "application/rtf", &rtf())]),
        "second file" => {
            // As much as is read of one file.
            let first = "x".repeat(if text == CODE { 1_100_000 } else { 1 });
            body["attachments"] = json!([file("a.txt", "text/plain", &first), file("b.txt", "text/plain", text)]);
        }
        _ => body["attachments"] = json!([file("a.csv", "text/csv", &format!("name,value\ncode,{text}\n"))]),
    }
    body
}

fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

/// Whether a place can have a disguise: a name has no path, and no markup survives in it.
fn is_possible(place: &str, disguise: &str) -> bool {
    !(place == "name of a file" && ["tags", "elements", "hidden", "escapes"].contains(&disguise)
        || place == "document" && disguise == "escapes")
}

#[tokio::test]
async fn a_secret_leaves_in_no_place_and_no_disguise() {
    let fixture = InboxFixture::open().await;
    let code = TestMessage::new("Your code", &format!("Your verification code is {CODE}. It expires in ten minutes."));
    fixture.receive_proven("no-reply@shop.example", &code).await;
    fixture.set_outbound_policy(OutboundPolicy::Refuse).await;
    let path = format!("/v1/inboxes/{}/messages?dry_run=true", fixture.inbox.id);
    let secrets = [("code", CODE), ("service_key", fixture.key.secret.as_str()), ("card_number", "4111111111111111")];
    let (mut missed, mut count) = (Vec::new(), 0);
    for (place, expected) in PLACES {
        for (disguise, hide) in DISGUISES {
            for (kind, secret) in secrets {
                let is_turned_card = kind == "card_number" && disguise == "turned around";
                if !is_possible(place, disguise) || is_turned_card {
                    continue;
                }
                count += 1;
                let body = message(place, &hide(secret));
                let decision = fixture.api.post(&path, body).await.expect(200);
                let findings = decision["findings"].as_array().expect("findings");
                let is_found = findings
                    .iter()
                    .any(|one| one["kind"] == kind && one["where"].as_str().is_some_and(|at| at.starts_with(expected)));
                if !is_found || decision["refusal"]["code"] != "content_blocked" {
                    missed.push(format!("{kind} as {disguise} in {place}: {findings:?}"));
                }
                assert!(!decision["findings"].to_string().contains(secret), "{decision}");
            }
        }
    }
    assert!(count > 450 && missed.is_empty(), "{} of {count} missed: {missed:#?}", missed.len());
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_mail_program_sends_no_secret_in_a_field_or_part() {
    let fixture = InboxFixture::open().await;
    fixture.set_outbound_policy(OutboundPolicy::Refuse).await;
    let (address, key) = (&fixture.inbox.address, &fixture.key.secret);
    let mixed = "MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n";
    let table = [
        format!("X-Note: {key}\r\n\r\nHello\r\n"),
        format!("X-Note: =?utf-8?B?{}?=\r\n\r\nHello\r\n", base64(key)),
        format!("Reply-To: \"{key}\" <{address}>\r\n\r\nHello\r\n"),
        format!("{mixed}\r\n{key}\r\n--b\r\nContent-Type: text/plain\r\n\r\nHello\r\n--b--\r\n"),
        format!(
            "{mixed}\r\n--b\r\nContent-Type: text/plain\r\n\r\nHello\r\n--b\r\nContent-Type: application/octet-stream\r\n\
             Content-Transfer-Encoding: base64\r\nContent-Disposition: attachment; filename=a.bin\r\n\r\n{}\r\n--b--\r\n",
            base64(&format!("\0\u{1} {key} \0"))
        ),
        format!("Content-Type: text/html\r\n\r\n<p>{}</p>\r\n", each(key, |c| format!("<i>{c}</i>"), "")),
    ];
    for rest in table {
        let mut session = TestSmtpClient::connect_with_ehlo(fixture.server.submission_address()).await;
        session.log_in(address, key).await.expect(235);
        let raw = format!("From: {address}\r\nTo: friend@named.example\r\nSubject: Report\r\n{rest}");
        let reply = session.mail(address, &["friend@named.example"], raw.as_bytes()).await;
        session.quit().await;
        let reply = reply.expect_enhanced(550, "5.7.1").to_string();
        assert!(reply.contains("content_blocked") && !reply.contains(key.as_str()), "{rest}: {reply}");
    }
    fixture.server.finish().await;
}
