//! A draft is sent once, with the content that was approved, or not at all, whatever happens during the send.

use posthouse_app::ports::Clock as _;
use posthouse_domain::time::HOUR_MS;
use posthouse_tests::http::ApiResponse;
use serde_json::{Value, json};

use crate::inbox_fixture::InboxFixture;

/// A concurrent operation on a draft.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum DraftChange {
    Text,
    Bcc,
    Files,
    Cancel,
    Delete,
    Schedule,
    Send,
}

use DraftChange::{Bcc, Cancel, Delete, Files, Schedule, Send, Text};

const CHANGES: [DraftChange; 7] = [Text, Bcc, Files, Cancel, Delete, Schedule, Send];

impl DraftChange {
    /// Returns the content that it writes, if any.
    fn content(self) -> Option<Value> {
        let file = json!({ "filename": "a.txt", "content_type": "text/plain", "content_base64": "YQ==" });
        match self {
            Text => Some(json!({ "text": "Other." })),
            Bcc => Some(json!({ "bcc": "sender+eve@agents.localhost" })),
            Files => Some(json!({ "attachments": [file] })),
            Cancel | Delete | Schedule | Send => None,
        }
    }
}

/// The sent content of a message, and the hash of its approval.
#[derive(PartialEq, Debug)]
struct ApprovedContent {
    content: Value,
    hash: Value,
}

impl ApprovedContent {
    fn of(message: &Value) -> Self {
        Self { content: sent_content(message), hash: message["approval"]["content_sha256"].clone() }
    }
}

impl InboxFixture {
    fn draft_path(&self, below: &str) -> String {
        format!("/v1/inboxes/{}/drafts{below}", self.inbox.id)
    }

    /// Creates a draft to the inbox itself, scheduled if a time is given, and returns its id.
    async fn create_draft(&self, send_at: Option<String>) -> String {
        let mut body = json!({ "to": self.inbox.address, "subject": "Plan", "text": "Here it is." });
        if let Some(at) = send_at {
            body["send_at"] = at.into();
        }
        self.api.post(&self.draft_path(""), body).await.expect(201).text("id").to_owned()
    }

    async fn apply(&self, change: DraftChange, id: &str) -> ApiResponse {
        let path = self.draft_path(&format!("/{id}"));
        let at = self.server.clock.now().plus_ms(2 * HOUR_MS).to_string();
        match (change, change.content()) {
            (_, Some(content)) => self.api.patch(&path, content).await,
            (Delete, None) => self.api.delete(&path).await,
            (Cancel, None) => self.api.post_empty(&format!("{path}/cancel")).await,
            (Schedule, None) => self.api.post(&format!("{path}/schedule"), json!({ "send_at": at })).await,
            _ => self.api.post_empty(&format!("{path}/send")).await,
        }
    }

    /// Returns the sent messages, newest first.
    async fn outbound(&self) -> Vec<Value> {
        let path = format!("/v1/inboxes/{}/messages?direction=outbound&limit=100", self.inbox.id);
        self.api.get(&path).await.expect(200).data().to_vec()
    }

    /// Returns the approved content of each variant, from undisturbed sends.
    async fn approved(&self) -> Vec<ApprovedContent> {
        let mut approved = Vec::new();
        for change in [None, Some(Text), Some(Bcc), Some(Files)] {
            let id = self.create_draft(None).await;
            if let Some(change) = change {
                self.apply(change, &id).await.expect(200);
            }
            let message = self.apply(Send, &id).await.expect(202)["message"].clone();
            approved.push(ApprovedContent::of(&message));
        }
        assert!((1..4).all(|at| approved[at].hash != approved[0].hash), "{approved:?}");
        approved
    }

    /// Checks the result of a concurrent send and change of a draft. The first `before` messages are older.
    async fn check(
        &self,
        id: &str,
        before: usize,
        change: DraftChange,
        applied: &ApiResponse,
        approved: &[ApprovedContent],
    ) {
        let mut sent = self.outbound().await;
        sent.truncate(sent.len() - before);
        assert!(sent.len() <= 1, "{change:?}: sent twice: {sent:?}");
        // An accepted change is in the sent content, a rejected one isn't.
        let is_accepted = applied.status == 200 && change.content().is_some();
        let expected = if is_accepted { sent_content(&applied.json) } else { approved[0].content.clone() };
        for message in &sent {
            let shown = ApprovedContent::of(message);
            assert_eq!(shown.content, expected, "{change:?} got {applied}");
            assert!(approved.contains(&shown), "{change:?}: the approved content differs: {message}");
            assert!(change != Cancel || applied.status != 200, "sent after it was canceled: {message}");
        }
        let now = self.api.get(&self.draft_path(&format!("/{id}"))).await;
        match now["status"].as_str() {
            Some("sent") => assert_eq!(now["sent_message_id"], sent[0]["id"], "{change:?}: {now}"),
            Some("cancelled") => assert_eq!((change, sent.len()), (Cancel, 0)),
            None => assert_eq!(change, Delete, "{now}"),
            // It is unsent: the changed draft can still be sent.
            Some(_) => {
                assert_eq!(sent.len(), 0, "{change:?}: {now}");
                let message = self.apply(Send, id).await.expect(202)["message"].clone();
                let shown = ApprovedContent::of(&message);
                assert_eq!(shown.content, expected, "{change:?}");
                assert!(approved.contains(&shown), "{change:?}: {message}");
            }
        }
    }
}

/// Returns the sent content of a message or a draft.
fn sent_content(of: &Value) -> Value {
    let files: Vec<&Value> = of["attachments"].as_array().into_iter().flatten().map(|file| &file["filename"]).collect();
    json!([of["text"], of["bcc"], files])
}

#[tokio::test]
async fn a_change_during_a_send_never_sends_the_old_content() {
    let fixture = InboxFixture::open().await;
    let approved = fixture.approved().await;
    for change in CHANGES {
        for unit in 1.. {
            let (id, before) = (fixture.create_draft(None).await, fixture.outbound().await.len());
            let breakpoint = fixture.server.break_after(unit);
            let (api, path) = (fixture.api.clone(), fixture.draft_path(&format!("/{id}/send")));
            let mut request = tokio::spawn(async move { api.post_empty(&path).await });
            let Ok(paused) = breakpoint.hit_before(&mut request).await else {
                assert!(unit > 2, "a send reads and writes");
                break;
            };
            let applied = fixture.apply(change, &id).await;
            drop(paused);
            let sent = request.await.unwrap();
            if sent.status != 202 {
                let code = if change == Delete { "not_found" } else { "draft_not_editable" };
                sent.error(code);
            }
            fixture.check(&id, before, change, &applied, &approved).await;
        }
    }
    fixture.close().await;
}

#[tokio::test]
async fn a_send_during_a_change_keeps_the_sent_content() {
    let fixture = InboxFixture::open().await;
    let approved = fixture.approved().await;
    for change in [Text, Bcc, Files] {
        for unit in 1.. {
            let (id, before) = (fixture.create_draft(None).await, fixture.outbound().await.len());
            let breakpoint = fixture.server.break_after(unit);
            let (api, path) = (fixture.api.clone(), fixture.draft_path(&format!("/{id}")));
            let mut request = tokio::spawn(async move { api.patch(&path, change.content().unwrap()).await });
            let Ok(paused) = breakpoint.hit_before(&mut request).await else {
                assert!(unit > 1, "a change writes");
                break;
            };
            fixture.apply(Send, &id).await.expect(202);
            drop(paused);
            let applied = request.await.unwrap();
            if applied.status != 200 {
                fixture.check(&id, before, change, &applied.error("draft_not_editable"), &approved).await;
            } else {
                fixture.check(&id, before, change, &applied, &approved).await;
            }
        }
    }
    fixture.close().await;
}

#[tokio::test]
async fn a_change_while_a_draft_is_due_never_sends_the_old_content() {
    let fixture = InboxFixture::open().await;
    let approved = fixture.approved().await;
    for change in CHANGES {
        for unit in 1.. {
            fixture.server.settle().await;
            let at = fixture.server.clock.now().plus_ms(HOUR_MS);
            let (id, before) = (fixture.create_draft(Some(at.to_string())).await, fixture.outbound().await.len());
            fixture.server.clock.set(at);
            let breakpoint = fixture.server.break_after(unit);
            let mut settling = Box::pin(fixture.server.settle());
            let paused = tokio::select! {
                biased;
                paused = breakpoint.hit() => paused,
                () = &mut settling => {
                    assert!(unit > 2, "the job is claimed, the draft read and sent");
                    break;
                }
            };
            let applied = fixture.apply(change, &id).await;
            drop(paused);
            settling.await;
            fixture.check(&id, before, change, &applied, &approved).await;
        }
    }
    fixture.server.advance(3 * HOUR_MS).await;
    fixture.close().await;
}
