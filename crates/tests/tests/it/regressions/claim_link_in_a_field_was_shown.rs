//! A link of the service was masked in the subject and the bodies only: names, IDs, file names and attached messages showed
//! it, and the raw mail stayed open to keys if the link was nowhere else.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use posthouse_domain::{link_token, plan::Plan};
use posthouse_tests::{ServerOptions, TestServer, http::Api};
use serde_json::{Value, json};

/// A mail with a link somewhere.
struct Hidden {
    name: &'static str,
    /// Header fields that begin with `From`.
    fields: String,
    body: String,
}

fn field(name: &'static str, field: &str) -> Hidden {
    let from = if field.starts_with("From:") { "" } else { "From: Desk <desk@x.example>\r\n" };
    Hidden { name, fields: format!("{from}{field}\r\n"), body: "text".to_owned() }
}

/// Returns a mail with a part after its text.
fn part(name: &'static str, header: &str, content: &str) -> Hidden {
    let fields = "From: a@x.example\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n".to_owned();
    let body = format!("--b\r\nContent-Type: text/plain\r\n\r\ntext\r\n--b\r\n{header}\r\n\r\n{content}\r\n--b--");
    Hidden { name, fields, body }
}

/// Returns mails with a token where it isn't the text.
fn hidden(token: &str) -> Vec<Hidden> {
    let base64 = |bytes: &[u8]| STANDARD.encode(bytes);
    let nested = (0..6).fold(
        format!("Subject: x\r\nContent-Transfer-Encoding: base64\r\n\r\n{}", base64(token.as_bytes())),
        |inner, _| format!("Subject: outer\r\nMIME-Version: 1.0\r\nContent-Type: message/rfc822\r\n\r\n{inner}"),
    );
    let utf16: Vec<u8> = token.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let large = format!("{token}\r\n{}", "y\r\n".repeat(100_000));
    let file = |kind: &str| {
        format!(
            "Content-Type: {kind}\r\nContent-Disposition: attachment; filename=f\r\nContent-Transfer-Encoding: base64"
        )
    };
    let preamble = part("preamble", "Content-Type: text/plain", "x");
    vec![
        field("from", &format!("From: \"{token}\" <a@x.example>")),
        field("cc", &format!("Cc: \"{token}\" <c@y.example>, {token}@y.example")),
        field("reply-to", &format!("Reply-To: {token} <a@x.example>")),
        field("ids", &format!("In-Reply-To: <{token}@h>\r\nReferences: <{token}@h>")),
        field("disclosure", &format!("Agent-Disclosure: agent=?1; operator=\"{token}\"")),
        field("field", &format!("X-Link: http://h/{}\r\n {}", &token[..20], &token[20..])),
        part(
            "names",
            &format!(
                "Content-Type: text/x{token}\r\nContent-ID: <{token}>\r\nContent-Disposition: attachment; filename={token}.txt"
            ),
            "x",
        ),
        Hidden { name: "preamble", body: format!("{token}\r\n{}", preamble.body), ..preamble },
        part("utf-16", &file("text/plain"), &base64(&utf16)),
        part("nested", "Content-Type: message/rfc822", &nested),
        part("message as bytes", &file("application/octet-stream"), &base64(nested.as_bytes())),
        part("large", &file("text/plain"), &base64(large.as_bytes())),
        part(
            "header",
            "Content-Type: text/rfc822-headers",
            &format!("Subject: =?utf-8?b?{}?=", base64(token.as_bytes())),
        ),
    ]
}

async fn deliver(server: &TestServer, to: &str, hidden: &Hidden) {
    let raw = format!("{}To: {to}\r\nSubject: {}\r\n\r\n{}\r\n", hidden.fields, hidden.name, hidden.body);
    server.clock.advance(1);
    server.deliver_raw(raw.as_bytes(), &[to]).await.expect(250);
    server.settle().await;
}

async fn assert_hidden(api: &Api, path: &str, token: &str, name: &str) {
    let seen = String::from_utf8(api.get(path).await.bytes).unwrap();
    let squeezed = seen.replace([' ', '\n'], "").replace("\\n", "");
    assert!(!squeezed.contains(&token[3..35]), "{name} at {path}: {seen}");
}

#[tokio::test]
async fn a_claim_link_in_a_field_or_file_was_shown() {
    let server = TestServer::start(ServerOptions::default()).await;
    let key = server.workspace(Plan::Team).await;
    let (api, inbox) = (server.api(&key), server.inbox(&key).await);
    let token = link_token::of_secret("0123456789abcdef0123456789abcdef");
    for hidden in hidden(&token) {
        deliver(&server, &inbox.address, &hidden).await;
        let message = server.newest_message(&api, &inbox.id.to_string()).await;
        assert_eq!(message["subject"], hidden.name);
        let id = message["id"].as_str().unwrap();
        for path in [
            format!("/v1/messages/{id}"),
            "/v1/threads".to_owned(),
            "/v1/contacts".to_owned(),
            "/v1/events?limit=100".to_owned(),
        ] {
            assert_hidden(&api, &path, &token, hidden.name).await;
        }
        api.get(&format!("/v1/messages/{id}/raw")).await.error("forbidden");
        let is_closed = matches!(hidden.name, "utf-16" | "nested" | "message as bytes" | "large" | "header");
        for file in message["attachments"].as_array().unwrap() {
            let reply = api.get(&format!("/v1/attachments/{}", file["id"].as_str().unwrap())).await;
            assert_eq!(reply.status, if is_closed { 403 } else { 200 }, "{}: {reply}", hidden.name);
        }
    }
    server.finish().await;
}

#[tokio::test]
async fn a_claim_link_in_data_was_shown() {
    let server = TestServer::start(ServerOptions::default()).await;
    let key = server.workspace(Plan::Team).await;
    let (api, from, to) = (server.api(&key), server.inbox(&key).await, server.inbox(&key).await);
    let token = link_token::of_secret("0123456789abcdef0123456789abcdef");
    let data = json!({ token.clone(): 1, "split": format!("{}\n{}", &token[..20], &token[20..]), "other": [1, "x"] });
    let body = json!({ "to": to.address, "subject": "data", "text": "x", "data": data });
    api.post(&format!("/v1/inboxes/{}/messages", from.id), body).await.expect(202);
    server.settle().await;
    let copy: Value = server.newest_message(&api, &to.id.to_string()).await;
    assert_eq!(copy["data"], json!({ link_token::MASK: 1, "split": link_token::MASK, "other": [1, "x"] }));
    server.finish().await;
}
