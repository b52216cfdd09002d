//! Mail that may not leave now waits, and leaves when it may.

use posthouse_domain::message::{DeliveryStatus, Status};
use posthouse_store::{deliveries, jobs, messages, workspaces};
use serde_json::json;

use super::Post;

#[tokio::test]
async fn a_paused_inbox_holds_its_mail_until_it_is_resumed() {
    let post = Post::direct().await;
    let id = post.send(&["dana@b.example"]).await;
    let inbox = format!("/v1/inboxes/{}", post.inbox.id);
    post.api.post(&format!("{inbox}/pause"), json!({})).await.expect(200);
    post.deliver().await;
    post.advance(3_600_000).await;
    assert_eq!((post.sink.connections(), post.message(&id).await["status"].clone()), (0, json!("queued")));
    assert_eq!(post.entry(&id, "dana@b.example").await["attempts"], 0);
    post.api.post_empty(&format!("{inbox}/resume")).await.expect(200);
    post.deliver().await;
    assert_eq!(post.message(&id).await["status"], "delivered", "held mail gets its attempt, however late");
    post.close().await;
}

#[tokio::test]
async fn of_a_deleted_inbox_nothing_leaves_and_what_waited_is_settled_as_failed() {
    let post = Post::direct().await;
    let id = post.send(&["dana@b.example", "eve@b.example"]).await;
    post.api.delete(&format!("/v1/inboxes/{}", post.inbox.id)).await.expect(204);
    post.deliver().await;
    post.advance(3_600_000).await;
    assert_eq!(post.sink.connections(), 0);

    let message: posthouse_domain::id::MessageId = id.parse().unwrap();
    let account = post.api.get("/v1/account").await.expect(200);
    let workspace = account["workspace"]["id"].as_str().unwrap().parse().unwrap();
    let record = post.server.store().read(move |tx| messages::record(tx, workspace, message)).await.unwrap().unwrap();
    assert_eq!(record.message.status, Status::Failed);
    let deliveries = &record.deliveries;
    assert_eq!(deliveries.len(), 2);
    assert!(deliveries.iter().all(|one| one.status == DeliveryStatus::Failed), "{deliveries:?}");
    assert!(deliveries.iter().all(|one| one.detail.as_deref().is_some_and(|text| text.contains("deleted"))));
    assert_eq!(post.server.store().read(jobs::counts).await.unwrap(), []);
    post.close().await;
}

#[tokio::test]
async fn a_stopped_or_suspended_workspace_holds_its_mail() {
    let post = Post::direct().await;
    let tenant = {
        let account = post.api.get("/v1/account").await.expect(200);
        account["workspace"]["id"].as_str().unwrap().parse::<posthouse_domain::id::WorkspaceId>().unwrap()
    };
    let id = post.send(&["dana@b.example"]).await;
    for stop in [true, false] {
        let now = posthouse_server::ports::Clock::now(&post.server.clock);
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
                    deliveries::release_held(tx, tenant, now)?;
                }
                Ok(())
            }
        };
        post.server.store().write(set(true)).await.unwrap();
        post.deliver().await;
        assert_eq!(post.sink.connections(), 0);
        assert_eq!(post.message(&id).await["status"], "queued");
        post.server.store().write(set(false)).await.unwrap();
    }
    post.deliver().await;
    assert_eq!(post.message(&id).await["status"], "delivered");
    post.close().await;
}

/// The pause comes at every moment of a delivery: before it, while the exchanger has the mail, after it.
#[tokio::test]
async fn what_becomes_of_mail_that_was_on_its_way_is_told_after_the_pause() {
    let post = Post::direct().await;
    let inbox = format!("/v1/inboxes/{}", post.inbox.id);
    let mut left_while_paused = 0;
    for (to, kinds) in
        [("dana@b.example", &["message.sent", "message.delivered"][..]), ("gone@b.example", &["message.bounced"])]
    {
        for unit in 1.. {
            post.sink.forget_script();
            post.sink.always("RCPT TO:<gone@", "550 5.1.1 No such user");
            post.api.delete("/v1/suppressions/gone%40b.example").await;
            post.deliver().await;
            let before = post.events().await.len();
            let id = post.send(&[to]).await;
            let breakpoint = post.server.break_after(unit);
            let mut delivering = Box::pin(post.deliver());
            let stopped = tokio::select! {
                biased;
                stopped = breakpoint.hit() => stopped,
                () = &mut delivering => break,
            };
            let told = post.events().await.len();
            post.api.post_empty(&format!("{inbox}/pause")).await.expect(200);
            drop(stopped);
            delivering.await;
            assert_eq!(post.events().await.len(), told, "told while paused, after unit {unit}");
            left_while_paused += u32::from(told == before && post.message(&id).await["status"] != "queued");
            post.api.post_empty(&format!("{inbox}/resume")).await.expect(200);
            post.deliver().await;
            assert_eq!(post.events().await[before..], *kinds, "after unit {unit}");
        }
    }
    assert!(left_while_paused >= 2, "some pauses came while the exchanger had the mail: {left_while_paused}");
    post.close().await;
}
