//! A copy is signed before the transaction that stores it. Its signature states what holds in that transaction: a sender
//! that is revoked meanwhile isn't signed.

use std::sync::Arc;

use posthouse_app::jobs::runner;
use posthouse_domain::plan::Plan;
use posthouse_tests::{fixtures::TestInbox, http::Api};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use crate::inbox_fixture::InboxFixture;

impl InboxFixture {
    async fn open_with_card() -> Self {
        let fixture = Self::open().await;
        let path = format!("/v1/inboxes/{}/agent", fixture.inbox.id);
        fixture.api.patch(&path, json!({ "name": "The sender" })).await.expect(200);
        fixture
    }

    fn begin_send(&self, to: &TestInbox) -> JoinHandle<()> {
        let (api, path) = (self.api.clone(), format!("/v1/inboxes/{}/messages", self.inbox.id));
        let body = json!({ "to": to.address, "subject": "Plan", "text": "Here it is." });
        tokio::spawn(async move { drop(api.post(&path, body).await.expect(202)) })
    }

    fn begin_jobs(&self) -> JoinHandle<()> {
        let app = Arc::clone(self.server.service());
        tokio::spawn(async move {
            runner::run_due(&app).await;
        })
    }

    async fn change_agent(&self, action: &str) {
        self.api.post(&format!("/v1/inboxes/{}/agent/{action}", self.inbox.id), json!({})).await.expect(200);
    }
}

async fn received(api: &Api, inbox: &TestInbox) -> Vec<Value> {
    let path = format!("/v1/inboxes/{}/messages?limit=100&direction=inbound", inbox.id);
    api.get(&path).await.expect(200).data().to_vec()
}

/// Revokes the sender after each unit of `deliver` in turn. `prepare` runs before each.
async fn revoke_at_each_unit(
    fixture: &InboxFixture,
    api: &Api,
    to: &TestInbox,
    prepare: impl AsyncFn(),
    deliver: impl Fn() -> JoinHandle<()>,
) {
    let mut stored = 0;
    for unit in 1.. {
        let before = fixture.server.units();
        prepare().await;
        let mut delivery = deliver();
        let breakpoint = fixture.server.break_after(unit);
        let paused = breakpoint.hit_before(&mut delivery).await;
        let is_over = paused.is_err();
        let is_stored = received(api, to).await.len() > stored;
        fixture.change_agent("revoke").await;
        drop(paused);
        if !is_over {
            delivery.await.unwrap();
        }
        fixture.server.settle().await;
        let all = received(api, to).await;
        stored = all.len();
        let agent = &all[0]["agent"];
        assert_eq!(agent["verified"], is_stored, "after unit {unit} of {}: {agent}", fixture.server.units() - before);
        assert_eq!(agent["reason"].as_str(), (!is_stored).then_some("revoked"), "after unit {unit}");
        fixture.change_agent("restore").await;
        if is_over {
            assert!(unit > 3, "the breakpoints were hit");
            return;
        }
    }
}

#[tokio::test]
async fn a_sender_that_is_revoked_during_a_send_is_not_signed() {
    let fixture = InboxFixture::open_with_card().await;
    let friend = fixture.server.inbox_named(&fixture.key, "friend").await;
    revoke_at_each_unit(&fixture, &fixture.api, &friend, async || {}, || fixture.begin_send(&friend)).await;
    fixture.close().await;
}

#[tokio::test]
async fn a_sender_that_is_revoked_while_another_workspace_stores_the_copy_is_not_signed() {
    let fixture = InboxFixture::open_with_card().await;
    let other = fixture.server.workspace(Plan::Team).await;
    let friend = fixture.server.inbox_named(&other, "friend").await;
    let api = fixture.server.api(&other);
    let send = async || fixture.begin_send(&friend).await.unwrap();
    revoke_at_each_unit(&fixture, &api, &friend, send, || fixture.begin_jobs()).await;
    fixture.close().await;
}
