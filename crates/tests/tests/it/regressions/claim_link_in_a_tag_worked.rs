//! An agent got its claim link back in ordinary HTML: after the first letter of `<p>`, the tag with the link was taken for a
//! break within a token, and skipped. It became its own owner. References, percent signs and long tags hid the link, too.

use posthouse_domain::link_token;
use serde_json::json;

use crate::routes::signup::{Agent, SignupFixture};

/// Returns quotes of a link in HTML, as programs write it.
fn quotes(link: &str) -> Vec<String> {
    let (host, token) = link.rsplit_once('/').unwrap();
    let (start, end) = token.split_at(10);
    let numbers: String = token.chars().map(|c| format!("&#{};", c as u32)).collect();
    let long = "a".repeat(600);
    vec![
        format!("<p><a href=\"{link}\">{link}</a></p>"),
        format!("<p><a href=\"{link}\">Open</a></p>"),
        format!("<div>Open this page for help <a href=\"{link}\">{link}</a></div>"),
        format!("<pre>\r\n<a href=\"{link}\">{link}</a></pre>"),
        format!("<p><img src={link}></p>"),
        format!("<p>x</p><!-- {link} -->"),
        format!("<P TITLE='{link}'>x</P>"),
        format!("<p><a href=\"{host}/&#112;{}\">x</a> {host}/{numbers}</p>", &token[1..]),
        format!("<p>{host}/{start}&zwnj;{end} {host}/{start}&#08203;{end} {host}/{start}&#xAD;{end}</p>"),
        format!("<p>{host}/{start}<span style=\"{long}\">{end}</span></p>"),
        format!("<p>{host}/{start}<span title=\"a>b\">{end}</span></p>"),
        format!("<p><a href=\"{host}/%70ht{}\">x</a></p>", &token[3..]),
        format!("<p>{host}/{}</p>", &token[..link_token::TOKEN_CHARS - 1]),
    ]
}

/// Returns a text as an agent could put it together: decoded, without tags and all that isn't a letter or digit.
fn read(text: &str) -> String {
    let text = text.replace("\\n", "").replace("%70", "p").to_lowercase();
    let references = ["&#112;=p", "&#xad;=", "&#08203;=", "&zwnj;="];
    let text =
        references.iter().filter_map(|pair| pair.split_once('=')).fold(text, |text, (from, to)| text.replace(from, to));
    text.chars().filter(char::is_ascii_alphanumeric).collect()
}

async fn deliver(fixture: &SignupFixture, agent: &Agent, content_type: &str, body: &str) -> String {
    let to = agent.created["inbox"]["address"].as_str().unwrap();
    fixture.server.clock.advance(1);
    let raw = format!(
        "From: Desk <desk@x.example>\r\nTo: {to}\r\nSubject: Ticket 1\r\nAuto-Submitted: auto-replied\r\n\
         MIME-Version: 1.0\r\nContent-Type: {content_type}; charset=utf-8\r\n\r\n{body}\r\n"
    );
    fixture.server.deliver_raw(raw.as_bytes(), &[to]).await.expect(250);
    fixture.server.settle().await;
    let message = fixture.server.newest_message(&agent.api, &agent.id).await;
    message["id"].as_str().unwrap().to_owned()
}

/// Checks that a key reads the secret of a token nowhere.
async fn assert_hidden(agent: &Agent, message: &str, token: &str, case: &str) {
    let secret = &token[3..35];
    for path in [
        format!("/v1/messages/{message}"),
        format!("/v1/messages/{message}/html"),
        "/v1/threads".to_owned(),
        "/v1/events?limit=100".to_owned(),
        "/v1/search?q=workspace".to_owned(),
    ] {
        let seen = String::from_utf8(agent.api.get(&path).await.bytes).unwrap();
        assert!(!seen.contains(token) && !read(&seen).contains(secret), "{case} at {path}: {seen}");
    }
    agent.api.get(&format!("/v1/messages/{message}/raw")).await.error("forbidden");
}

#[tokio::test]
async fn a_claim_link_in_a_tag_after_a_paragraph_worked() {
    let fixture = SignupFixture::open().await;
    let agent = fixture.sign_up(json!({ "owner_email": "desk@x.example" })).await;
    let path = fixture.link(&agent).await;
    let token = path.rsplit('/').next().unwrap();
    for quote in quotes(&format!("http://agents.localhost{path}")) {
        let message = deliver(&fixture, &agent, "text/html", &quote).await;
        assert_hidden(&agent, &message, token, &quote).await;
    }
    let account = agent.api.get("/v1/account").await.expect(200);
    assert_eq!(account["claim"]["status"], "unclaimed");
    fixture.close().await;
}

#[tokio::test]
async fn a_claim_link_with_signs_in_it_worked() {
    let fixture = SignupFixture::open().await;
    let agent = fixture.sign_up(json!({ "owner_email": "desk@x.example" })).await;
    let path = fixture.link(&agent).await;
    let token = path.rsplit('/').next().unwrap();
    let (start, end) = token.split_at(20);
    for gap in [
        "\n│ ", "\n» ", "\n- ", "\n* ", "\n# ", "\n: ", "\nAB> ", "_", "\\\n", "-\n", "\u{200e}", "\u{2028}",
        "\u{3000}", "\u{fe0f}",
    ] {
        let text = format!("Open http://h/claim/{start}{gap}{end}");
        let message = deliver(&fixture, &agent, "text/plain", &text.replace('\n', "\r\n")).await;
        let seen = agent.api.get(&format!("/v1/messages/{message}")).await.expect(200);
        assert_eq!(
            seen["text"].as_str().unwrap().trim_end(),
            format!("Open http://h/claim/{}", link_token::MASK),
            "{gap:?}"
        );
        agent.api.get(&format!("/v1/messages/{message}/raw")).await.error("forbidden");
    }
    fixture.close().await;
}
