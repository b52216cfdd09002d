//! An agent that asked a support desk to own its workspace got the claim link back in the automatic reply, which quoted the
//! mail, and became its own owner.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use posthouse_domain::{link_token, plan::Plan, user::sign_in_code};
use posthouse_tests::{TestServer, http::Api};
use serde_json::{Value, json};

use crate::routes::signup::{Agent, SignupFixture};

/// A reply that quotes a link in one of many ways.
struct Quote {
    name: &'static str,
    content_type: &'static str,
    subject: String,
    body: String,
}

impl Quote {
    fn raw(&self, to: &str) -> String {
        format!(
            "From: Desk <desk@x.example>\r\nTo: {to}\r\nSubject: {}\r\nMessage-ID: <{}@x.example>\r\n\
             Date: Tue, 15 Sep 2026 12:00:00 +0000\r\nAuto-Submitted: auto-replied\r\nMIME-Version: 1.0\r\n{}\r\n\r\n{}\r\n",
            self.subject, self.name, self.content_type, self.body
        )
    }
}

/// Returns quotes of a mail with this link, as programs make them.
fn quotes(link: &str, mail: &str) -> Vec<Quote> {
    let plain = |name, body: String| Quote {
        name,
        content_type: "Content-Type: text/plain; charset=utf-8",
        subject: "Re: An agent asks you".to_owned(),
        body,
    };
    let (start, end) = link.split_at(link.len() - 20);
    let quoted: String = mail.split("\r\n").map(|line| format!("> {line}\r\n")).collect();
    let html = format!("<blockquote><a href=\"{link}\">{start}<wbr>{end}</a></blockquote>");
    let wrapped =
        STANDARD.encode(mail).as_bytes().chunks(76).map(String::from_utf8_lossy).collect::<Vec<_>>().join("\r\n");
    let multipart = |part: &str| format!("--b\r\nContent-Type: text/plain\r\n\r\nSee below.\r\n--b\r\n{part}\r\n--b--");
    vec![
        plain("text", format!("We got it.\r\n\r\n{quoted}")),
        plain("wrapped", format!("> Open {start}\r\n> {end}")),
        plain("upper", format!("OPEN {}", link.to_uppercase())),
        Quote { subject: format!("Re: {link}"), ..plain("subject", "We got it.".to_owned()) },
        Quote { content_type: "Content-Type: text/html; charset=utf-8", ..plain("html", html) },
        Quote {
            content_type: "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64",
            ..plain("base64", wrapped.clone())
        },
        Quote {
            content_type: "Content-Type: text/plain\r\nContent-Transfer-Encoding: quoted-printable",
            ..plain("quoted-printable", format!("{start}=\r\n{end}"))
        },
        Quote {
            content_type: "Content-Type: multipart/mixed; boundary=b",
            ..plain("attached", multipart(&format!("Content-Type: message/rfc822\r\n\r\n{mail}")))
        },
        Quote {
            content_type: "Content-Type: multipart/mixed; boundary=b",
            ..plain(
                "file",
                multipart(&format!(
                    "Content-Type: text/plain; name=mail.txt\r\nContent-Disposition: attachment; filename=mail.txt\r\n\
                     Content-Transfer-Encoding: base64\r\n\r\n{wrapped}"
                )),
            )
        },
    ]
}

/// Checks that nothing that a key can read has the token.
async fn assert_masked(api: &Api, quote: &Quote, message: &Value, token: &str) {
    let (id, name) = (message["id"].as_str().unwrap(), quote.name);
    let squeezed = |text: &str| text.replace(['\n', '\r', ' ', '>'], "").to_lowercase();
    for path in [
        format!("/v1/messages/{id}"),
        format!("/v1/messages/{id}/html"),
        format!("/v1/threads/{}", message["thread_id"].as_str().unwrap()),
        "/v1/threads".to_owned(),
        "/v1/events?limit=100".to_owned(),
        format!("/v1/search?q={token}"),
    ] {
        let seen = String::from_utf8(api.get(&path).await.bytes).unwrap();
        assert!(!squeezed(&seen.replace("\\n", "").replace("\\r", "")).contains(token), "{name} {path}: {seen}");
    }
    let refused = api.get(&format!("/v1/messages/{id}/raw")).await.error("forbidden");
    assert!(refused["error"]["message"].as_str().unwrap().contains("only an owner"), "{name}: {refused}");
    for file in message["attachments"].as_array().unwrap() {
        api.get(&format!("/v1/attachments/{}", file["id"].as_str().unwrap())).await.error("forbidden");
    }
    let found = api.get(&format!("/v1/messages/{id}")).await.expect(200);
    assert_eq!(found["verification"], Value::Null, "{name}: {found}");
    let shown = [&found["text"], &found["html"], &found["subject"]].map(|value| value.as_str().unwrap_or_default());
    let is_file = matches!(name, "attached" | "file");
    assert_eq!(shown.iter().any(|text| text.contains(link_token::MASK)), !is_file, "{name}: {found}");
}

async fn inbox_of(agent: &Agent) -> String {
    agent.created["inbox"]["address"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn no_quote_of_a_claim_mail_claims_the_workspace() {
    let fixture = SignupFixture::open().await;
    let agent = fixture.sign_up(json!({ "owner_email": "desk@x.example" })).await;
    let mail = fixture.server.service_mails(&agent.api).await.remove(0).raw;
    let path = fixture.link(&agent).await;
    let token = path.rsplit('/').next().unwrap();
    assert!(link_token::is_token(token), "{token}");
    let address = inbox_of(&agent).await;
    for quote in quotes(&format!("http://agents.localhost{path}"), &mail) {
        fixture.server.clock.advance(1);
        fixture.server.deliver_raw(quote.raw(&address).as_bytes(), &[&address]).await.expect(250);
        fixture.server.settle().await;
        let message = fixture.server.newest_message(&agent.api, &agent.id).await;
        assert_masked(&agent.api, &quote, &message, token).await;
    }
    let answered = fixture.server.service_mails(&agent.api).await.len();
    assert_eq!(answered, 1, "nothing answers a quote");
    let account = agent.api.get("/v1/account").await.expect(200);
    assert_eq!(account["claim"]["status"], "unclaimed");
    fixture.server.anonymous().post_empty(&path).await.expect(200);
    fixture.close().await;
}

/// Delivers a quote of a confirmation mail to a workspace, and returns the message and the token.
async fn confirmation_quote(server: &TestServer, api: &Api, address: &str, id: &str) -> (Value, String) {
    api.put("/v1/escalation", json!({ "contacts": ["pat@x.example"] })).await.expect(200);
    let mail = server.service_mails(api).await.remove(0).raw;
    let path = server.service_link(api, "/confirm/on-call/").await;
    let quote = quotes(&path, &mail).into_iter().find(|quote| quote.name == "attached").unwrap();
    server.deliver_raw(quote.raw(address).as_bytes(), &[address]).await.expect(250);
    server.settle().await;
    (server.newest_message(api, id).await, path.rsplit('/').next().unwrap().to_owned())
}

#[tokio::test]
async fn only_an_owner_reads_the_raw_bytes_and_nothing_takes_them_elsewhere() {
    let fixture = SignupFixture::open().await;
    let server = &fixture.server;
    let key = server.workspace(Plan::Team).await;
    let (api, inbox) = (server.api(&key), server.inbox(&key).await);
    let id = inbox.id.to_string();
    let path = format!("/v1/inboxes/{id}/forwarding");
    api.post(&path, json!({ "address": "dana@x.example", "skip_flagged": false })).await.expect(201);
    let link = server.service_link(&api, "/confirm/forwarding/").await;
    server.anonymous().post_empty(&link).await.expect(200);
    server.clock.advance(1);
    let (message, token) = confirmation_quote(server, &api, &inbox.address, &id).await;
    assert_eq!(message["direction"], "inbound", "it isn't forwarded: {message}");
    let below = |what: &str| format!("/v1/messages/{}/{what}", message["id"].as_str().unwrap());
    api.get(&below("raw")).await.error("forbidden");
    let forward = format!("/v1/inboxes/{id}/messages/{}/forward", message["id"].as_str().unwrap());
    api.post(&forward, json!({ "to": "eve@x.example" })).await.error("forbidden");
    let without = json!({ "to": "eve@x.example", "include_attachments": false });
    api.post(&forward, without).await.expect(202);
    let owner = server.owner_session(&key).await;
    let raw = String::from_utf8(owner.get(&below("raw")).await.expect(200).bytes).unwrap();
    assert!(raw.contains(&token), "the raw mail stays whole");
    let file = message["attachments"][0]["id"].as_str().unwrap();
    owner.get(&format!("/v1/attachments/{file}")).await.expect(200);
    api.get(&format!("/v1/attachments/{file}")).await.error("forbidden");
    fixture.close().await;
}

#[tokio::test]
async fn a_forwarded_sign_in_mail_shows_neither_link_nor_code() {
    let fixture = SignupFixture::open().await;
    let server = &fixture.server;
    let key = server.workspace(Plan::Team).await;
    let (api, inbox) = (server.api(&key), server.inbox(&key).await);
    server.request_link("owner@example.org").await;
    let mail = server.sign_in_mail(&key, "owner@example.org").await;
    assert_eq!(mail.code, sign_in_code(&mail.token));
    // The mailbox of the person passes everything on to the agent.
    server.deliver_raw(mail.text.as_bytes(), &[&inbox.address]).await.expect(250);
    server.settle().await;
    let message = server.newest_message(&api, &inbox.id.to_string()).await;
    let seen = message.to_string();
    assert!(!seen.contains(&mail.token) && !seen.contains(&mail.code), "{seen}");
    assert_eq!(message["verification"], Value::Null);
    // So does an agent that passes it on to another.
    let other = server.inbox(&key).await;
    let body = json!({ "to": other.address, "subject": mail.token, "text": mail.text, "html": mail.token });
    server.clock.advance(1);
    api.post(&format!("/v1/inboxes/{}/messages", inbox.id), body).await.expect(202);
    server.settle().await;
    let copy = server.newest_message(&api, &other.id.to_string()).await.to_string();
    assert!(!copy.contains(&mail.token) && copy.contains(link_token::MASK), "{copy}");
    fixture.close().await;
}
