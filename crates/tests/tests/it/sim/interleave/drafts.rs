//! A draft is sent once, as it was when its sender vouched for it, or not at all: whatever happens to it on its way.

use posthouse_domain::time::HOUR_MS;
use posthouse_server::ports::Clock as _;
use posthouse_tests::http::Reply;
use serde_json::{Value, json};

use crate::desk::Desk;

/// What another request does to a draft meanwhile.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Change {
    Text,
    Bcc,
    Files,
    Cancel,
    Delete,
    Schedule,
    Send,
}

use Change::{Bcc, Cancel, Delete, Files, Schedule, Send, Text};

const CHANGES: [Change; 7] = [Text, Bcc, Files, Cancel, Delete, Schedule, Send];

impl Change {
    /// What it writes into the draft, if it writes.
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

impl Desk {
    fn draft_path(&self, below: &str) -> String {
        format!("/v1/inboxes/{}/drafts{below}", self.inbox.id)
    }

    /// A draft to the inbox itself, scheduled if there is a time; its id.
    async fn prepared(&self, send_at: Option<String>) -> String {
        let mut body = json!({ "to": self.inbox.address, "subject": "Plan", "text": "Here it is." });
        if let Some(at) = send_at {
            body["send_at"] = at.into();
        }
        self.api.post(&self.draft_path(""), body).await.expect(201).text("id").to_owned()
    }

    async fn make(&self, change: Change, id: &str) -> Reply {
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

    /// The messages that were sent, newest first.
    async fn outbound(&self) -> Vec<Value> {
        let path = format!("/v1/inboxes/{}/messages?direction=outbound&limit=100", self.inbox.id);
        self.api.get(&path).await.expect(200).data().to_vec()
    }

    /// What leaves with each content, and the hash that stands for it, from sends that nobody disturbs.
    async fn hashes(&self) -> Vec<(Value, Value)> {
        let mut hashes = Vec::new();
        for change in [None, Some(Text), Some(Bcc), Some(Files)] {
            let id = self.prepared(None).await;
            if let Some(change) = change {
                self.make(change, &id).await.expect(200);
            }
            let message = self.make(Send, &id).await.expect(202)["message"].clone();
            hashes.push((leaving(&message), message["approval"]["content_sha256"].clone()));
        }
        assert!((1..4).all(|at| hashes[at].1 != hashes[0].1), "{hashes:?}");
        hashes
    }

    /// What must hold after a send and a change of a draft that met, of which the first `before` messages are no part.
    async fn check(&self, (id, before): (&str, usize), (change, made): (Change, &Reply), hashes: &[(Value, Value)]) {
        let mut sent = self.outbound().await;
        sent.truncate(sent.len() - before);
        assert!(sent.len() <= 1, "{change:?}: sent twice: {sent:?}");
        // A change that was taken is in what leaves later; one that was refused is not.
        let is_taken = made.status == 200 && change.content().is_some();
        let expected = if is_taken { leaving(&made.json) } else { hashes[0].0.clone() };
        for message in &sent {
            let shown = (leaving(message), message["approval"]["content_sha256"].clone());
            assert_eq!(shown.0, expected, "{change:?} was answered {made}");
            assert!(hashes.contains(&shown), "{change:?}: approved was something else: {message}");
            assert!(change != Cancel || made.status != 200, "sent after it was given up: {message}");
        }
        let now = self.api.get(&self.draft_path(&format!("/{id}"))).await;
        match now["status"].as_str() {
            Some("sent") => assert_eq!(now["sent_message_id"], sent[0]["id"], "{change:?}: {now}"),
            Some("cancelled") => assert_eq!((change, sent.len()), (Cancel, 0)),
            None => assert_eq!(change, Delete, "{now}"),
            // Nobody sent it yet: what was changed can still be sent.
            Some(_) => {
                assert_eq!(sent.len(), 0, "{change:?}: {now}");
                let message = self.make(Send, id).await.expect(202)["message"].clone();
                let shown = (leaving(&message), message["approval"]["content_sha256"].clone());
                assert_eq!(shown.0, expected, "{change:?}");
                assert!(hashes.contains(&shown), "{change:?}: {message}");
            }
        }
    }
}

/// What leaves, of a message or a draft.
fn leaving(of: &Value) -> Value {
    let files: Vec<&Value> = of["attachments"].as_array().into_iter().flatten().map(|file| &file["filename"]).collect();
    json!([of["text"], of["bcc"], files])
}

#[tokio::test]
async fn a_draft_that_changes_between_two_steps_of_its_send_is_never_sent_as_it_was() {
    let desk = Desk::open().await;
    let hashes = desk.hashes().await;
    for change in CHANGES {
        for unit in 1.. {
            let (id, before) = (desk.prepared(None).await, desk.outbound().await.len());
            let breakpoint = desk.server.break_after(unit);
            let (api, path) = (desk.api.clone(), desk.draft_path(&format!("/{id}/send")));
            let mut request = tokio::spawn(async move { api.post_empty(&path).await });
            let Ok(stopped) = breakpoint.hit_before(&mut request).await else {
                assert!(unit > 2, "a send reads and writes");
                break;
            };
            let made = desk.make(change, &id).await;
            drop(stopped);
            let sent = request.await.unwrap();
            if sent.status != 202 {
                let code = if change == Delete { "not_found" } else { "draft_not_editable" };
                sent.error(code);
            }
            desk.check((&id, before), (change, &made), &hashes).await;
        }
    }
    desk.close().await;
}

#[tokio::test]
async fn a_draft_that_is_sent_between_two_steps_of_a_change_stays_as_it_was_sent() {
    let desk = Desk::open().await;
    let hashes = desk.hashes().await;
    for change in [Text, Bcc, Files] {
        for unit in 1.. {
            let (id, before) = (desk.prepared(None).await, desk.outbound().await.len());
            let breakpoint = desk.server.break_after(unit);
            let (api, path) = (desk.api.clone(), desk.draft_path(&format!("/{id}")));
            let mut request = tokio::spawn(async move { api.patch(&path, change.content().unwrap()).await });
            let Ok(stopped) = breakpoint.hit_before(&mut request).await else {
                assert!(unit > 1, "a change writes");
                break;
            };
            desk.make(Send, &id).await.expect(202);
            drop(stopped);
            let made = request.await.unwrap();
            if made.status != 200 {
                desk.check((&id, before), (change, &made.error("draft_not_editable")), &hashes).await;
            } else {
                desk.check((&id, before), (change, &made), &hashes).await;
            }
        }
    }
    desk.close().await;
}

#[tokio::test]
async fn a_draft_that_changes_while_its_time_comes_is_never_sent_as_it_was() {
    let desk = Desk::open().await;
    let hashes = desk.hashes().await;
    for change in CHANGES {
        for unit in 1.. {
            desk.server.settle().await;
            let at = desk.server.clock.now().plus_ms(HOUR_MS);
            let (id, before) = (desk.prepared(Some(at.to_string())).await, desk.outbound().await.len());
            desk.server.clock.set(at);
            let breakpoint = desk.server.break_after(unit);
            let mut settling = Box::pin(desk.server.settle());
            let stopped = tokio::select! {
                biased;
                stopped = breakpoint.hit() => stopped,
                () = &mut settling => {
                    assert!(unit > 2, "the job is taken, the draft read and sent");
                    break;
                }
            };
            let made = desk.make(change, &id).await;
            drop(stopped);
            settling.await;
            desk.check((&id, before), (change, &made), &hashes).await;
        }
    }
    desk.server.advance(3 * HOUR_MS).await;
    desk.close().await;
}
