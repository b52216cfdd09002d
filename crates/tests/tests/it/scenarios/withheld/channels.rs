//! What comes without being asked for, and MCP: the stream, webhooks, events, tools and resources.

use posthouse_domain::auth::Scope;
use posthouse_tests::{ServerOptions, mcp::McpClient};
use serde_json::{Map, Value, json};

use super::{MARK, STATES, Withheld};

/// Tools that only read but wait for the clock if there is nothing, and are tried with a timeout of a second.
const WAITING: [&str; 2] = ["wait_for_email", "get_verification_code"];

impl Withheld {
    /// Returns the value of an argument of a tool.
    fn argument(&self, name: &str) -> Option<Value> {
        let ids = &self.ids;
        Some(match name {
            "inbox_id" => json!(ids.inbox),
            "message_id" => json!(ids.message),
            "thread_id" => json!(ids.thread),
            "attachment_id" => json!(ids.attachment),
            "contact_id" => json!(ids.contact),
            "draft_id" => json!(ids.draft),
            "query" | "q" | "subject" => json!(MARK),
            "since" => json!("2020-01-01T00:00:00Z"),
            "timeout_seconds" => json!(1),
            "include_full_text" | "include_html" => json!(true),
            _ => return None,
        })
    }

    /// Returns what every tool that only reads answers, and what every resource has.
    async fn answers(&self, mcp: &McpClient) -> Vec<(String, Value)> {
        let clock = &self.fixture.server.clock;
        let mut answers = Vec::new();
        let listed = mcp.result("tools/list", json!({})).await;
        let tools = listed["tools"].as_array().expect("tools").clone();
        let reading =
            tools.iter().filter(|tool| tool["annotations"]["readOnlyHint"] == true || tool["name"] == "claim_messages");
        for tool in reading {
            let (name, schema) = (tool["name"].as_str().expect("a name"), &tool["inputSchema"]);
            let properties = schema["properties"].as_object().cloned().unwrap_or_default();
            let given: Map<String, Value> =
                properties.keys().filter_map(|name| Some((name.clone(), self.argument(name)?))).collect();
            let call = mcp.call("tools/call", json!({ "name": name, "arguments": given }));
            let answer = if WAITING.contains(&name) && self.state.is_withheld() {
                clock.advance_until(1_000, call).await
            } else {
                call.await
            };
            answers.push((name.to_owned(), answer));
        }
        let ids = &self.ids;
        for uri in [
            format!("inbox://{}", ids.inbox),
            format!("message://{}", ids.message),
            format!("message://{}/raw", ids.message),
            format!("attachment://{}/{}", ids.message, ids.attachment),
            format!("attachment://{}/{}/text", ids.message, ids.attachment),
        ] {
            let answer = mcp.call("resources/read", json!({ "uri": uri })).await;
            let family = uri.replace(&ids.message, "…").replace(&ids.attachment, "…").replace(&ids.inbox, "…");
            answers.push((family, answer));
        }
        for name in ["message.received", "message.enriched", "message.released"] {
            let params = json!({ "name": name, "arguments": {}, "cursor": ids.earlier });
            answers.push((format!("event {name}"), mcp.call("events/poll", params).await));
        }
        answers
    }
}

/// Returns whether an answer has the content, also in base64.
fn shows(answer: &Value) -> bool {
    use base64::Engine as _;
    let blob = answer.pointer("/result/contents/0/blob").and_then(Value::as_str).unwrap_or_default();
    let bytes = base64::engine::general_purpose::STANDARD.decode(blob).unwrap_or_default();
    answer.to_string().contains(MARK) || String::from_utf8_lossy(&bytes).contains(MARK)
}

/// Tools, resources and events that show the content of mail that isn't withheld.
const SHOWING: &[&str] = &[
    "list_messages",
    "get_message",
    "get_thread",
    "search_email",
    "wait_for_email",
    "get_verification_code",
    "get_contact",
    "get_attachment_text",
    "claim_messages",
    "message://…",
    "message://…/raw",
    "attachment://…/…",
    "attachment://…/…/text",
];

#[tokio::test]
async fn no_tool_resource_or_event_of_mcp_shows_withheld_content() {
    let mut wrong = Vec::new();
    for state in STATES {
        let options = ServerOptions::default().configure(|config| config.plans.team.requests_per_minute = None);
        let withheld = Withheld::open(state, options).await;
        let fixture = &withheld.fixture;
        let agent = fixture.server.key(&fixture.key, "agent", Scope::Workspace).await;
        for (key, who) in [(&fixture.key, "full"), (&agent, "agent")] {
            for (name, answer) in withheld.answers(&fixture.server.mcp(key)).await {
                let is_event = name.starts_with("event ");
                // Which event brings the content depends on the state; `subscribers_get_content_once` checks it.
                let expected = !state.is_withheld() && SHOWING.contains(&name.as_str());
                if shows(&answer) != expected && (!is_event || state.is_withheld()) {
                    wrong.push(format!("{name} {state:?} {who}: {answer}"));
                }
            }
        }
        withheld.fixture.close().await;
    }
    assert!(wrong.is_empty(), "{} answers are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[tokio::test]
async fn subscribers_get_content_once() {
    for state in STATES {
        let withheld = Withheld::open(state, ServerOptions::default()).await;
        let fixture = &withheld.fixture;
        let mut stream = fixture.server.stream(&fixture.key).await;
        let subscribed = stream.subscribe(json!({ "since": withheld.ids.earlier })).await;
        let mut frames = Vec::new();
        for _ in 0..subscribed["replayed"].as_u64().unwrap_or_default() {
            frames.push(stream.frame().await);
        }
        stream.close().await;
        fixture.server.settle().await;
        let posts: Vec<Value> = withheld.sink.posts().iter().map(|post| post.json()).collect();
        for (channel, all) in [("stream", &frames), ("webhook", &posts)] {
            let about: Vec<&Value> = all.iter().filter(|one| one.to_string().contains(&withheld.ids.message)).collect();
            assert!(!about.is_empty(), "{channel} {state:?}: {all:?}");
            let showing = about.iter().filter(|one| one.to_string().contains(MARK)).count();
            assert_eq!(showing > 0, !state.is_withheld(), "{channel} {state:?}: {about:?}");
        }
        withheld.fixture.close().await;
    }
}
