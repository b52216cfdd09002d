//! SMTP smuggling: a second message hidden in the first. Only CRLF.CRLF ends a message, for every sequence in the
//! corpus of known attempts (RFC 5321 §2.3.8, §4.1.1.4).

use std::path::PathBuf;

use posthouse_domain::plan::Plan;
use posthouse_tests::TestServer;

const EVIL: &str =
    "MAIL FROM:<evil@b.example>\r\nRCPT TO:<victim@agents.localhost>\r\nDATA\r\nSubject: evil\r\n\r\nevil\r\n";

/// Returns the sequences of the corpus, or nothing if the corpora are not installed.
fn sequences() -> Vec<String> {
    let root = std::env::var_os("POSTHOUSE_CORPORA")
        .map_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")), PathBuf::from);
    let file = root.join("smtp-end-of-data.json");
    let Ok(text) = std::fs::read(&file) else {
        assert!(std::env::var_os("CI").is_none_or(|ci| ci != "true"), "no corpus at {}", file.display());
        println!("no corpus at {}, nothing tested", file.display());
        return Vec::new();
    };
    let corpus: serde_json::Value = serde_json::from_slice(&text).unwrap();
    let lists = [&corpus["inbound"], &corpus["outbound"]];
    lists.iter().flat_map(|list| list.as_array().unwrap()).map(|item| item.as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn no_sequence_of_the_corpus_delivers_a_second_message() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let (inbox, victim) = (server.inbox_named(&key, "sam").await, server.inbox_named(&key, "victim").await);
    let mut whole = 0;
    for sequence in sequences() {
        let content = format!("From: a@b.example\r\nSubject: t\r\n\r\nbody{sequence}{EVIL}");
        let mut smtp = server.smtp().await;
        smtp.envelope("a@b.example", &[&inbox.address]).await;
        smtp.line("DATA").await.expect(354);
        smtp.send(format!("{content}.\r\n")).await;
        let spoiled = content.replace("\r\n", "").contains(['\r', '\n']);
        let reply = smtp.reply().await;
        assert_eq!(reply.code, if spoiled { 550 } else { 250 }, "{sequence:?}: {reply}");
        whole += usize::from(!spoiled);
        smtp.line("NOOP").await.expect(250);
        smtp.quit().await;
    }
    assert!(server.raw_messages(&key, &victim).await.is_empty());
    assert_eq!(server.raw_messages(&key, &inbox).await.len(), whole);
    server.finish().await;
}
