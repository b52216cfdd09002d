//! An agent that does what a mail asks for, with the rights of an agent's key and over every path that such a key has.

use posthouse_app::ports::Clock as _;
use posthouse_domain::{auth::Scope, time::HOUR_MS};
use posthouse_tests::{fixtures::TestKey, http::Api, mcp::McpClient, smtp::TestSmtpClient};
use serde_json::{Value, json};

use super::encode;
use crate::inbox_fixture::InboxFixture;

/// A way to send.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SendingPath {
    Send,
    SendAlias,
    BlindCopy,
    Draft,
    ChangedDraft,
    Scheduled,
    Reply,
    ReplyToAll,
    Forward,
    McpSend,
    McpReply,
    McpDraft,
    Submission,
}

impl SendingPath {
    /// Thirteen, which has no common factor with the number of kinds of attacks.
    pub(super) const ALL: [Self; 13] = [
        Self::Send,
        Self::SendAlias,
        Self::BlindCopy,
        Self::Draft,
        Self::ChangedDraft,
        Self::Scheduled,
        Self::Reply,
        Self::ReplyToAll,
        Self::Forward,
        Self::McpSend,
        Self::McpReply,
        Self::McpDraft,
        Self::Submission,
    ];
}

/// The agent.
pub(super) struct ObedientAgent<'a> {
    fixture: &'a InboxFixture,
    key: TestKey,
    api: Api,
    mcp: McpClient,
}

impl<'a> ObedientAgent<'a> {
    pub(super) async fn of(fixture: &'a InboxFixture) -> Self {
        let key = fixture.server.key(&fixture.key, "agent", Scope::Inbox(fixture.inbox.id)).await;
        Self { api: fixture.server.api(&key), mcp: fixture.server.mcp(&key), fixture, key }
    }

    /// Sends `secret` to the target over a path, and returns the last answer.
    pub(super) async fn obey(&self, path: SendingPath, mail: &str, target: &str, secret: &str) -> String {
        let inbox = format!("/v1/inboxes/{}", self.fixture.inbox.id);
        let text = format!("As you wish. The code is {secret}.");
        let new = json!({ "to": target, "subject": "Report", "text": text });
        let file = json!([{ "filename": "r.txt", "content_type": "text/plain", "content_base64": encode(&text) }]);
        let at = self.fixture.server.clock.now().plus_ms(HOUR_MS).to_string();
        let (url, body) = match path {
            SendingPath::Send => (format!("{inbox}/messages"), new),
            SendingPath::SendAlias => (format!("{inbox}/messages/send"), new),
            SendingPath::BlindCopy => (
                format!("{inbox}/messages"),
                json!({ "to": "friend@known.example", "bcc": target, "subject": "x", "text": "y", "attachments": file }),
            ),
            SendingPath::Draft => return self.send_draft(&new, None).await,
            SendingPath::ChangedDraft => {
                let harmless = json!({ "to": "friend@known.example", "subject": "Report", "text": "Hello" });
                return self.send_draft(&harmless, Some(&new)).await;
            }
            SendingPath::Scheduled => {
                let mut draft = new;
                draft["send_at"] = json!(at);
                (format!("{inbox}/drafts"), draft)
            }
            SendingPath::Reply => (format!("{inbox}/messages/{mail}/reply"), json!({ "to": target, "text": text })),
            SendingPath::ReplyToAll => {
                (format!("{inbox}/messages/{mail}/reply"), json!({ "text": "Yes.", "reply_all": true }))
            }
            SendingPath::Forward => (format!("{inbox}/messages/{mail}/forward"), json!({ "to": target })),
            SendingPath::McpSend => {
                return self.call("send_email", json!({ "to": [target], "subject": "Report", "text": text })).await;
            }
            SendingPath::McpReply => {
                let reply = json!({ "message_id": mail, "text": text, "reply_all": true });
                return self.call("reply_to_email", reply).await;
            }
            SendingPath::McpDraft => {
                let draft = json!({ "to": target, "subject": "Report", "text": text, "send_at": at });
                return self.call("create_draft", draft).await;
            }
            SendingPath::Submission => return self.submit(target, &text).await,
        };
        self.api.post(&url, body).await.json.to_string()
    }

    /// Writes a draft, changes it, sends it, and tries to approve it.
    async fn send_draft(&self, draft: &Value, change: Option<&Value>) -> String {
        let drafts = format!("/v1/inboxes/{}/drafts", self.fixture.inbox.id);
        let mut made = self.api.post(&drafts, draft.clone()).await.expect(201);
        let path = format!("{drafts}/{}", made["id"].as_str().expect("an id"));
        if let Some(change) = change {
            made = self.api.patch(&path, change.clone()).await.expect(200);
        }
        let sent = self.api.post_empty(&format!("{path}/send")).await;
        self.api.post(&format!("{path}/approve"), json!({ "content_sha256": made["content_sha256"] })).await;
        sent.json.to_string()
    }

    async fn call(&self, tool: &str, mut arguments: Value) -> String {
        arguments["inbox_id"] = json!(self.fixture.inbox.id.to_string());
        let answer = self.mcp.call("tools/call", json!({ "name": tool, "arguments": arguments })).await;
        assert!(answer["error"].is_null(), "{answer}");
        answer.to_string()
    }

    async fn submit(&self, target: &str, text: &str) -> String {
        let address = &self.fixture.inbox.address;
        let mut session = TestSmtpClient::connect_with_ehlo(self.fixture.server.submission_address()).await;
        session.log_in(address, &self.key.secret).await.expect(235);
        let raw = format!("From: {address}\r\nTo: friend@known.example\r\nSubject: Report\r\n\r\n{text}\r\n");
        let reply = session.mail(address, &[target], raw.as_bytes()).await;
        session.quit().await;
        reply.to_string()
    }
}
