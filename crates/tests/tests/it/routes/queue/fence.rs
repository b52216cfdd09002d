//! The lease in a reply, a forward or a change of a message: a worker that lost its lease changes nothing.

use super::*;

/// Claims a message twice. Returns the stale claim and the current one.
async fn claimed_twice(fixture: &Fixture) -> (Value, Value) {
    fixture.deliver("Question").await;
    let stale = fixture.claim(json!({ "lease_seconds": 30 })).await.data()[0].clone();
    fixture.server.clock.advance(30_000);
    let current = fixture.claim_one().await;
    assert_eq!(stale["message"]["id"], current["message"]["id"]);
    (stale, current)
}

#[tokio::test]
async fn a_stale_worker_cannot_send_a_second_reply() {
    let fixture = Fixture::new().await;
    let (stale, current) = claimed_twice(&fixture).await;
    let path = format!("/v1/inboxes/{}/messages/{}", fixture.inbox.id, stale["message"]["id"].as_str().unwrap());
    let forward = format!("{path}/forward");
    let reply = format!("{path}/reply");
    let body = |claim: &Value| json!({ "text": "Answer.", "lease_id": claim["lease_id"] });
    let forward_body = |claim: &Value| json!({ "to": "eve@far.example", "lease_id": claim["lease_id"] });
    fixture.api.post(&reply, body(&stale)).await.error("lease_expired");
    fixture.api.post(&forward, forward_body(&stale)).await.error("lease_expired");
    fixture.api.post(&reply, json!({ "text": "Answer.", "lease_id": "made up" })).await.error("lease_expired");
    let sent = fixture.api.get(&format!("/v1/inboxes/{}/messages?direction=outbound", fixture.inbox.id)).await;
    assert_eq!(sent.expect(200).data().len(), 0, "nothing was stored");

    let first = fixture.api.idempotent("once").post(&reply, body(&current)).await.expect(202);
    fixture.api.post(&forward, forward_body(&current)).await.expect(202);
    fixture.post_with_lease(&current, "ack", json!({})).await.expect(200);
    // A worker that acknowledged the message under this lease may still reply, because no other worker gets it.
    fixture.api.post(&reply, body(&current)).await.expect(202);
    let again = fixture.api.idempotent("once").post(&reply, body(&current)).await.expect(202);
    assert_eq!(again["id"], first["id"], "the response of the first request");
    let other = fixture.server.receive_message(&fixture.inbox, mail("Never claimed")).await;
    let path = format!("/v1/inboxes/{}/messages/{other}/reply", fixture.inbox.id);
    fixture.api.post(&path, body(&current)).await.error("lease_expired");
    fixture.server.settle().await;
    fixture.server.finish().await;
}

/// Every request that accepts a lease, with a stale one.
#[tokio::test]
async fn every_write_rejects_a_stale_lease() {
    let fixture = Fixture::new().await;
    let (stale, _) = claimed_twice(&fixture).await;
    let (id, lease) = (stale["message"]["id"].as_str().unwrap(), &stale["lease_id"]);
    let before = fixture.api.get(&format!("/v1/messages/{id}")).await.expect(200);
    let of_inbox = format!("/v1/inboxes/{}/messages/{id}", fixture.inbox.id);
    for (path, mut body) in [
        (format!("{of_inbox}/reply"), json!({ "text": "Answer." })),
        (format!("{of_inbox}/forward"), json!({ "to": "eve@far.example" })),
        (format!("/v1/messages/{id}/ack"), json!({ "mark_read": true })),
        (format!("/v1/messages/{id}/nack"), json!({ "delay_seconds": 5 })),
        (format!("/v1/messages/{id}/extend"), json!({ "lease_seconds": 60 })),
    ] {
        body["lease_id"] = lease.clone();
        fixture.api.post(&path, body).await.error("lease_expired");
    }
    for change in [json!({ "is_read": true }), json!({ "remove_labels": ["x"] }), json!({ "add_labels": ["x"] })] {
        let mut body = change;
        body["lease_id"] = lease.clone();
        fixture.api.patch(&format!("/v1/messages/{id}"), body).await.error("lease_expired");
    }
    assert_eq!(fixture.api.get(&format!("/v1/messages/{id}")).await.expect(200).json, before.json);
    assert_eq!(fixture.claim(json!({})).await.data().len(), 0, "the current lease is unchanged");
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_stale_worker_cannot_change_labels() {
    let fixture = Fixture::new().await;
    let (stale, current) = claimed_twice(&fixture).await;
    let path = format!("/v1/messages/{}", stale["message"]["id"].as_str().unwrap());
    let change = |claim: &Value, label: &str| json!({ "add_labels": [label], "lease_id": claim["lease_id"] });
    fixture.api.patch(&path, change(&stale, "late")).await.error("lease_expired");
    let changed = fixture.api.patch(&path, change(&current, "mine")).await.expect(200);
    assert_eq!(changed["labels"], json!(["mine"]));
    fixture.post_with_lease(&current, "nack", json!({})).await.expect(200);
    fixture.api.patch(&path, change(&current, "again")).await.error("lease_expired");
    fixture.server.finish().await;
}
