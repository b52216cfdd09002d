//! Messages that must not leave yet are held, and leave when the hold ends.

use posthouse_domain::message::{DeliveryStatus, MessageStatus};
use posthouse_store::{jobs, messages, workspaces};
use serde_json::json;

use super::DeliveryFixture;

#[tokio::test]
async fn a_paused_inbox_holds_its_messages_until_it_is_resumed() {
    let fixture = DeliveryFixture::direct().await;
    let id = fixture.send(&["dana@b.example"]).await;
    let inbox = format!("/v1/inboxes/{}", fixture.inbox.id);
    fixture.api.post(&format!("{inbox}/pause"), json!({})).await.expect(200);
    fixture.deliver().await;
    fixture.advance(3_600_000).await;
    assert_eq!((fixture.sink.connections(), fixture.message(&id).await["status"].clone()), (0, json!("queued")));
    assert_eq!(fixture.entry(&id, "dana@b.example").await["attempts"], 0);
    fixture.api.post_empty(&format!("{inbox}/resume")).await.expect(200);
    fixture.deliver().await;
    assert_eq!(fixture.message(&id).await["status"], "delivered", "a held message gets its attempt, however late");
    fixture.close().await;
}

#[tokio::test]
async fn queued_messages_of_a_deleted_inbox_fail_without_an_attempt() {
    let fixture = DeliveryFixture::direct().await;
    let id = fixture.send(&["dana@b.example", "eve@b.example"]).await;
    fixture.api.delete(&format!("/v1/inboxes/{}", fixture.inbox.id)).await.expect(204);
    fixture.deliver().await;
    fixture.advance(3_600_000).await;
    assert_eq!(fixture.sink.connections(), 0);

    let message: posthouse_domain::id::MessageId = id.parse().unwrap();
    let account = fixture.api.get("/v1/account").await.expect(200);
    let workspace = account["workspace"]["id"].as_str().unwrap().parse().unwrap();
    let record =
        fixture.server.store().read(move |tx| messages::record(tx, workspace, message)).await.unwrap().unwrap();
    assert_eq!(record.message.status, MessageStatus::Failed);
    let deliveries = &record.deliveries;
    assert_eq!(deliveries.len(), 2);
    assert!(deliveries.iter().all(|one| one.status == DeliveryStatus::Failed), "{deliveries:?}");
    assert!(deliveries.iter().all(|one| one.detail.as_deref().is_some_and(|text| text.contains("deleted"))));
    assert_eq!(fixture.server.store().read(jobs::counts).await.unwrap(), []);
    fixture.close().await;
}

#[tokio::test]
async fn a_stopped_or_suspended_workspace_holds_its_messages() {
    let fixture = DeliveryFixture::direct().await;
    let tenant = {
        let account = fixture.api.get("/v1/account").await.expect(200);
        account["workspace"]["id"].as_str().unwrap().parse::<posthouse_domain::id::WorkspaceId>().unwrap()
    };
    let id = fixture.send(&["dana@b.example"]).await;
    for stop in [true, false] {
        let now = posthouse_app::ports::Clock::now(&fixture.server.clock);
        let set = move |held: bool| {
            move |tx: &mut posthouse_store::Tx| -> posthouse_store::Result<()> {
                let mut workspace = workspaces::get(tx, tenant)?.unwrap();
                if stop {
                    workspace.stopped_at = held.then_some(now);
                } else {
                    workspace.suspended = held;
                }
                workspaces::update(tx, &workspace)?;
                if !held {
                    jobs::recovery::release_held(tx, tenant, now)?;
                }
                Ok(())
            }
        };
        fixture.server.store().write(set(true)).await.unwrap();
        fixture.deliver().await;
        assert_eq!(fixture.sink.connections(), 0);
        assert_eq!(fixture.message(&id).await["status"], "queued");
        fixture.server.store().write(set(false)).await.unwrap();
    }
    fixture.deliver().await;
    assert_eq!(fixture.message(&id).await["status"], "delivered");
    fixture.close().await;
}

/// The pause happens at every moment of a delivery: before it, while the exchanger has the message, and after it.
#[tokio::test]
async fn outcomes_during_a_pause_are_announced_after_it() {
    let fixture = DeliveryFixture::direct().await;
    let inbox = format!("/v1/inboxes/{}", fixture.inbox.id);
    let mut left_while_paused = 0;
    for (to, kinds) in
        [("dana@b.example", &["message.sent", "message.delivered"][..]), ("gone@b.example", &["message.bounced"])]
    {
        for unit in 1.. {
            fixture.sink.clear_script();
            fixture.sink.always("RCPT TO:<gone@", "550 5.1.1 No such user");
            fixture.api.delete("/v1/suppressions/gone%40b.example").await;
            fixture.deliver().await;
            let before = fixture.events().await.len();
            let id = fixture.send(&[to]).await;
            let breakpoint = fixture.server.break_after(unit);
            let mut delivering = Box::pin(fixture.deliver());
            let paused = tokio::select! {
                biased;
                paused = breakpoint.hit() => paused,
                () = &mut delivering => break,
            };
            let announced = fixture.events().await.len();
            fixture.api.post_empty(&format!("{inbox}/pause")).await.expect(200);
            drop(paused);
            delivering.await;
            assert_eq!(fixture.events().await.len(), announced, "announced while paused, after unit {unit}");
            left_while_paused += u32::from(announced == before && fixture.message(&id).await["status"] != "queued");
            fixture.api.post_empty(&format!("{inbox}/resume")).await.expect(200);
            fixture.deliver().await;
            assert_eq!(fixture.events().await[before..], *kinds, "after unit {unit}");
        }
    }
    assert!(left_while_paused >= 2, "too few pauses while the exchanger had the message: {left_while_paused}");
    fixture.close().await;
}
