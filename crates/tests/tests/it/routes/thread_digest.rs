//! `GET /v1/threads/:id/digest`: threads in parts that fit a budget.

use posthouse_domain::{HoldReason, auth::Scope, plan::Plan};
use posthouse_tests::{TestMessage, TestServer, http::ApiResponse};
use serde_json::Value;

use super::messages::read::mail;

/// Returns a reply of the same conversation that quotes a text.
fn reply(number: usize, new: &str, quoted: &str) -> String {
    let quoted: String = quoted.lines().map(|line| format!("> {line}\r\n")).collect();
    format!(
        "From: Eve <eve@y.example>\r\nTo: bot@agents.example\r\nSubject: Re: Plan\r\nMessage-ID: <r{number}@y.example>\r\n\
         In-Reply-To: <Plan@sender.example>\r\n\r\n{new}\r\n\r\nOn Mon, 5 Jan 2026 at 10:00, Bot <bot@agents.example> wrote:\r\n{quoted}"
    )
}

/// Returns the ranges of a message in the parts.
fn ranges(parts: &[Value], message: &str) -> Vec<(u64, u64)> {
    let mut all: Vec<(u64, u64)> = parts
        .iter()
        .filter(|part| part["message_id"] == message && part["from"] != part["to"])
        .map(|part| (part["from"].as_u64().unwrap(), part["to"].as_u64().unwrap()))
        .collect();
    all.sort_unstable();
    all
}

#[tokio::test]
async fn a_thread_is_read_in_parts_that_continue_where_the_last_one_ended() {
    let mut server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let inbox = server.inbox(&key).await;
    let mut ids = vec![server.receive_message(&inbox, mail("Plan")).await.to_string()];
    let mut last = String::new();
    for number in 0..6 {
        server.clock.advance(1_000);
        let new = format!("Answer {number}: {}", "this is a sentence about the plan. ".repeat(12));
        ids.push(server.receive_message(&inbox, &*reply(number, &new, &last)).await.to_string());
        last = format!("{new}\n{last}");
    }
    let api = server.api(&key);
    let thread = api.get(&format!("/v1/messages/{}", ids[0])).await.text("thread_id").to_owned();
    let path = format!("/v1/threads/{thread}/digest");

    let mut parts: Vec<Value> = Vec::new();
    let mut text = String::new();
    let first = api.get(&format!("{path}?budget=200")).await.expect(200);
    let mut next = first.clone();
    let mut count = 0;
    loop {
        assert!(next["tokens"].as_u64().unwrap() <= 200 && count < 50, "{next}");
        assert_eq!(next["tokens"].as_u64().unwrap(), next.text("text").len().div_ceil(4) as u64);
        parts.extend(next["parts"].as_array().unwrap().iter().cloned());
        text.push_str(next.text("text"));
        count += 1;
        let Some(cursor) = next["next_cursor"].as_str().map(str::to_owned) else { break };
        // With the cursor, or from what the key was given before, also after a restart.
        let query = if count % 2 == 0 { format!("&cursor={cursor}") } else { String::new() };
        if count == 3 {
            server.restart().await;
        }
        next = server.api(&key).get(&format!("{path}?budget=200{query}")).await.expect(200);
    }
    let api = server.api(&key);
    for id in &ids {
        let body = api.get(&format!("/v1/messages/{id}")).await.text("text").chars().count() as u64;
        let mut at = 0;
        for (from, to) in ranges(&parts, id) {
            assert_eq!(from, at, "no gap and no overlap in {id}");
            at = to;
        }
        assert_eq!(at, body, "all of {id}");
    }
    for number in 0..6 {
        assert_eq!(text.matches(&format!("Answer {number}:")).count(), 1, "{text}");
    }
    assert!(text.contains("[quotes #"), "{text}");

    let nothing = api.get(&path).await.expect(200);
    assert_eq!((nothing.text("text"), &nothing["next_cursor"]), ("", &Value::Null));
    server.receive_message(&inbox, &*reply(9, "One more thing.", &last)).await;
    let news = api.get(&path).await.expect(200);
    assert!(news.text("text").starts_with("#8 ") && news.text("text").contains("One more thing."), "{news}");
    assert!(!news.text("text").contains("Answer 5"), "{news}");

    let again = api.get(&format!("{path}?budget=200&reset=true")).await.expect(200);
    assert_eq!(again.json, first.json);
    let other = server.api(&server.key(&key, "read_only", Scope::Workspace).await);
    assert_eq!(other.get(&format!("{path}?budget=200")).await.expect(200).json, first.json, "each key has its own");
    server.finish().await;
}

#[tokio::test]
async fn a_digest_refuses_wrong_budgets_and_cursors() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let (api, inbox) = (server.api(&key), server.inbox(&key).await);
    let threads = {
        let mut all = Vec::new();
        for subject in ["Plan", "Other"] {
            let id = server.receive_message(&inbox, mail(subject)).await;
            all.push(api.get(&format!("/v1/messages/{id}")).await.text("thread_id").to_owned());
        }
        all
    };
    let path = format!("/v1/threads/{}/digest", threads[0]);
    let refused = |reply: ApiResponse| reply.error("invalid_request");
    for budget in ["99", "100001", "x"] {
        refused(api.get(&format!("{path}?budget={budget}")).await);
    }
    api.get(&format!("{path}?cursor=x")).await.error("invalid_cursor");
    let whole = api.get(&path).await.expect(200);
    assert_eq!(whole["next_cursor"], Value::Null);
    api.get(&format!("/v1/threads/{}/digest", inbox.id)).await.error("not_found");
    server.finish().await;
}

#[tokio::test]
async fn a_withheld_message_comes_after_its_release() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let (api, inbox) = (server.api(&key), server.inbox(&key).await);
    let first = server.receive_message(&inbox, mail("Plan")).await;
    server.clock.advance(1_000);
    let bill = TestMessage::new("Re: Plan", "Pay the attached bill.").with("In-Reply-To", "<Plan@sender.example>");
    let held = server.receive_held(&inbox, &bill, HoldReason::Phishing).await;
    server.clock.advance(1_000);
    server.receive_message(&inbox, &*reply(1, "It starts on Monday.", "")).await;
    let thread = api.get(&format!("/v1/messages/{first}")).await.text("thread_id").to_owned();
    let path = format!("/v1/threads/{thread}/digest");
    let shown = api.get(&path).await.expect(200);
    assert!(shown.text("text").contains("\n#3 ") && !shown.text("text").contains("Pay the"), "{shown}");
    assert_eq!(api.get(&path).await.expect(200).text("text"), "");
    api.post_empty(&format!("/v1/messages/{held}/release")).await.expect(200);
    let released = api.get(&path).await.expect(200);
    assert!(released.text("text").starts_with("#3 ") && released.text("text").contains("Pay the"), "{released}");
    assert_eq!(api.get(&path).await.expect(200).text("text"), "");
    server.finish().await;
}

/// Returns a reply of the same conversation with a file.
fn with_file(number: usize, name: &str, text: &str) -> String {
    format!(
        "From: Eve <eve@y.example>\r\nTo: bot@agents.example\r\nSubject: Re: Plan\r\nMessage-ID: <f{number}@y.example>\r\n\
         In-Reply-To: <Plan@sender.example>\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n\
         --b\r\n\r\nFile {number}.\r\n--b\r\nContent-Type: text/plain\r\nContent-Disposition: attachment; filename={name}\r\n\r\n\
         {text}\r\n--b--\r\n"
    )
}

#[tokio::test]
async fn texts_of_files_follow_the_messages_once_they_are_read() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let (api, inbox) = (server.api(&key), server.inbox(&key).await);
    let first = server.receive_message(&inbox, mail("Plan")).await;
    let lines: Vec<String> = (0..60).map(|line| format!("line {line} of the list")).collect();
    let list = lines.join("\r\n");
    let mut ids = Vec::new();
    for (number, name) in [(1, "list.txt"), (2, "copy.txt")] {
        server.clock.advance(1_000);
        ids.push(server.receive_message(&inbox, &*with_file(number, name, &list)).await.to_string());
    }
    let thread = api.get(&format!("/v1/messages/{first}")).await.text("thread_id").to_owned();
    let path = format!("/v1/threads/{thread}/digest");
    let before = api.get(&path).await.expect(200);
    assert!(before.text("text").contains("File 2.") && !before.text("text").contains("line 0"), "{before}");
    assert_eq!(before["next_cursor"], Value::Null, "nothing else can be given yet");
    server.settle().await;

    let (mut parts, mut text): (Vec<Value>, String) = (Vec::new(), String::new());
    for count in 0.. {
        let next = api.get(&format!("{path}?budget=100")).await.expect(200);
        assert!(next["tokens"].as_u64().unwrap() <= 100 && count < 50, "{next}");
        parts.extend(next["parts"].as_array().unwrap().iter().cloned());
        text.push_str(next.text("text"));
        if next["next_cursor"].is_null() {
            break;
        }
    }
    assert!(text.starts_with("#2 file list.txt\nline 0 of the list\n"), "{text}");
    for line in &lines {
        assert_eq!(text.lines().filter(|given| given == line).count(), 1, "{line} in {text}");
    }
    assert!(text.contains("#3 file copy.txt\n[same file as in #2]\n"), "{text}");
    let shown = api.get(&format!("/v1/messages/{}", ids[0])).await;
    let file = &shown["attachments"][0];
    assert!(parts.iter().all(|part| part["kind"] == "file"), "{parts:?}");
    let of_file = parts.iter().filter(|part| part["attachment_id"] == file["id"]).collect::<Vec<_>>();
    let mut at = 0;
    for part in of_file {
        assert_eq!(part["from"], at);
        at = part["to"].as_u64().unwrap();
    }
    assert_eq!(file["extraction"]["chars"], at, "all of the file");
    assert_eq!(api.get(&path).await.expect(200).text("text"), "");
    server.finish().await;
}
