//! A lease is good in the hands of keys that see its message, and of no others.

use super::*;

/// Every request that carries a lease.
fn requests(inbox: &TestInbox, claimed: &Value) -> Vec<(Method, String, Value)> {
    let id = claimed["message"]["id"].as_str().unwrap();
    let (of_inbox, of_message) = (format!("/v1/inboxes/{}/messages/{id}", inbox.id), format!("/v1/messages/{id}"));
    let with = |mut body: Value| {
        body["lease_id"] = claimed["lease_id"].clone();
        body
    };
    vec![
        (Method::POST, format!("{of_message}/ack"), with(json!({ "mark_read": true }))),
        (Method::POST, format!("{of_message}/nack"), with(json!({}))),
        (Method::POST, format!("{of_message}/extend"), with(json!({ "lease_seconds": 3_600 }))),
        (Method::PATCH, of_message, with(json!({ "add_labels": ["x"], "is_read": true }))),
        (Method::POST, format!("{of_inbox}/reply"), with(json!({ "text": "Answer." }))),
        (Method::POST, format!("{of_inbox}/forward"), with(json!({ "to": "eve@far.example" }))),
    ]
}

#[tokio::test]
async fn a_lease_of_another_inbox_or_workspace_is_good_for_nothing() {
    let world = World::new().await;
    let (id, other) = (world.deliver("Mine").await, world.server.inbox(&world.key).await);
    let claimed = world.claim_one().await;
    let before = world.api.get(&format!("/v1/messages/{id}")).await.expect(200);
    let stranger = world.server.workspace(Plan::Team).await;
    let their_inbox = world.server.inbox(&stranger).await;
    let keys = [
        world.server.key(&world.key, "full", Scope::Inbox(other.id)).await,
        stranger.clone(),
        world.server.key(&stranger, "full", Scope::Workspace).await,
        world.server.key(&stranger, "full", Scope::Inbox(their_inbox.id)).await,
    ];
    for key in &keys {
        let api = world.server.api(key);
        let own = if key.workspace == stranger.workspace { &their_inbox } else { &other };
        for (method, path, body) in requests(&world.inbox, &claimed).into_iter().chain(requests(own, &claimed)) {
            api.send(method, &path, Some(body)).await.error("not_found");
        }
    }
    assert_eq!(world.api.get(&format!("/v1/messages/{id}")).await.expect(200).json, before.json);
    let sent = world.api.get(&format!("/v1/inboxes/{}/messages?direction=outbound", world.inbox.id)).await;
    assert_eq!(sent.expect(200).data().len(), 0);
    world.server.clock.advance(299_999);
    assert_eq!(world.subjects(json!({})).await, [""; 0], "it was not given back");
    world.server.clock.advance(1);
    let again = world.claim_one().await;
    assert_eq!(again["delivery_count"], 2, "it was neither finished nor extended");
    world.server.finish().await;
}

#[tokio::test]
async fn a_lease_of_one_message_is_good_for_no_other() {
    let world = World::new().await;
    world.deliver("Mine").await;
    let mine = world.claim_one().await;
    let other = world.server.inbox(&world.key).await;
    let narrow = world.server.api(&world.server.key(&world.key, "full", Scope::Inbox(other.id)).await);
    let path = format!("/v1/inboxes/{}/messages/claim", other.id);
    narrow.post_empty(&path).await.expect(200);
    world.server.arrive(&other, mail("Theirs")).await;
    let mut theirs = narrow.post_empty(&path).await.expect(200).data()[0].clone();
    theirs["lease_id"] = mine["lease_id"].clone();
    for (method, path, body) in requests(&other, &theirs) {
        narrow.send(method, &path, Some(body)).await.error("lease_expired");
    }
    world.tell(&mine, "ack", json!({})).await.expect(200);
    world.server.finish().await;
}

#[tokio::test]
async fn a_key_of_the_inbox_itself_finishes_what_another_key_of_it_claimed() {
    let world = World::new().await;
    world.deliver("Mine").await;
    let claimed = world.claim_one().await;
    let narrow = world.server.api(&world.server.key(&world.key, "agent", Scope::Inbox(world.inbox.id)).await);
    let (_, path, body) = requests(&world.inbox, &claimed).swap_remove(0);
    narrow.post(&path, body).await.expect(200);
    world.server.finish().await;
}
