//! A lease that a reply, a forward or a change of the message carries: who lost it changes nothing.

use super::*;

/// A message that was claimed twice: the stale claim and the current one.
async fn claimed_twice(world: &World) -> (Value, Value) {
    world.deliver("Question").await;
    let stale = world.claim(json!({ "lease_seconds": 30 })).await.data()[0].clone();
    world.server.clock.advance(30_000);
    let current = world.claim_one().await;
    assert_eq!(stale["message"]["id"], current["message"]["id"]);
    (stale, current)
}

#[tokio::test]
async fn a_stale_worker_sends_no_second_answer() {
    let world = World::new().await;
    let (stale, current) = claimed_twice(&world).await;
    let path = format!("/v1/inboxes/{}/messages/{}", world.inbox.id, stale["message"]["id"].as_str().unwrap());
    let forward = format!("{path}/forward");
    let reply = format!("{path}/reply");
    let body = |claim: &Value| json!({ "text": "Answer.", "lease_id": claim["lease_id"] });
    let passed_on = |claim: &Value| json!({ "to": "eve@far.example", "lease_id": claim["lease_id"] });
    world.api.post(&reply, body(&stale)).await.error("lease_expired");
    world.api.post(&forward, passed_on(&stale)).await.error("lease_expired");
    world.api.post(&reply, json!({ "text": "Answer.", "lease_id": "made up" })).await.error("lease_expired");
    let sent = world.api.get(&format!("/v1/inboxes/{}/messages?direction=outbound", world.inbox.id)).await;
    assert_eq!(sent.expect(200).data().len(), 0, "nothing was stored");

    let first = world.api.idempotent("once").post(&reply, body(&current)).await.expect(202);
    world.api.post(&forward, passed_on(&current)).await.expect(202);
    world.tell(&current, "ack", json!({})).await.expect(200);
    // Who finished it under this lease may still write: nobody else will get it.
    world.api.post(&reply, body(&current)).await.expect(202);
    let again = world.api.idempotent("once").post(&reply, body(&current)).await.expect(202);
    assert_eq!(again["id"], first["id"], "the answer of the first time");
    let other = world.server.arrive(&world.inbox, mail("Never claimed")).await;
    let path = format!("/v1/inboxes/{}/messages/{other}/reply", world.inbox.id);
    world.api.post(&path, body(&current)).await.error("lease_expired");
    world.server.settle().await;
    world.server.finish().await;
}

#[tokio::test]
async fn a_stale_worker_changes_no_labels() {
    let world = World::new().await;
    let (stale, current) = claimed_twice(&world).await;
    let path = format!("/v1/messages/{}", stale["message"]["id"].as_str().unwrap());
    let change = |claim: &Value, label: &str| json!({ "add_labels": [label], "lease_id": claim["lease_id"] });
    world.api.patch(&path, change(&stale, "late")).await.error("lease_expired");
    let changed = world.api.patch(&path, change(&current, "mine")).await.expect(200);
    assert_eq!(changed["labels"], json!(["mine"]));
    world.tell(&current, "nack", json!({})).await.expect(200);
    world.api.patch(&path, change(&current, "again")).await.error("lease_expired");
    world.server.finish().await;
}
