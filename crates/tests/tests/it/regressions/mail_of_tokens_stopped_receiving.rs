//! A mail of 10,000 tokens took 2.8 seconds: each of their codes was searched for in the whole text, on a thread that
//! answers requests.

use posthouse_app::limits::blocking_pool::WorkClass;
use posthouse_domain::{link_token, plan::Plan};
use posthouse_tests::{ServerOptions, TestServer};

/// Tokens of the mail: 420 kB.
const TOKENS: usize = 10_000;

#[tokio::test]
async fn a_mail_of_tokens_stopped_receiving() {
    let server = TestServer::start(ServerOptions::default()).await;
    let key = server.workspace(Plan::Team).await;
    let (api, inbox) = (server.api(&key), server.inbox(&key).await);
    let lines: String =
        (0..TOKENS).map(|number| format!("{}\r\n", link_token::of_secret(&format!("a{number:031x}")))).collect();
    let raw = format!("From: a@x.example\r\nTo: {}\r\nSubject: 123456\r\n\r\n{lines}1234567\r\n", inbox.address);
    server.deliver_raw(raw.as_bytes(), &[&inbox.address]).await.expect(250);
    server.settle().await;
    let message = server.newest_message(&api, &inbox.id.to_string()).await;
    assert_eq!(message["subject"], link_token::MASK, "with so many tokens, any six digits may be a code");
    let text = message["text"].as_str().unwrap();
    assert_eq!(text.matches(link_token::MASK).count(), TOKENS);
    assert!(text.trim_end().ends_with("1234567"));
    server.finish().await;
}

#[test]
fn mail_of_strangers_is_read_apart_from_requests() {
    for class in [WorkClass::Receive, WorkClass::Content] {
        assert!(class.inline_bytes_max() <= 16 * 1024, "{class:?}");
    }
}
