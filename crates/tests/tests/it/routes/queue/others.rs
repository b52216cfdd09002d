//! A lease can be used by the keys that see its message, and by no others.

use super::*;

/// Returns every request that accepts a lease.
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
async fn a_lease_is_useless_to_other_inboxes_and_workspaces() {
    let fixture = Fixture::new().await;
    let (id, other) = (fixture.deliver("Mine").await, fixture.server.inbox(&fixture.key).await);
    let claimed = fixture.claim_one().await;
    let before = fixture.api.get(&format!("/v1/messages/{id}")).await.expect(200);
    let stranger = fixture.server.workspace(Plan::Team).await;
    let their_inbox = fixture.server.inbox(&stranger).await;
    let keys = [
        fixture.server.key(&fixture.key, "full", Scope::Inbox(other.id)).await,
        stranger.clone(),
        fixture.server.key(&stranger, "full", Scope::Workspace).await,
        fixture.server.key(&stranger, "full", Scope::Inbox(their_inbox.id)).await,
    ];
    for key in &keys {
        let api = fixture.server.api(key);
        let own = if key.workspace == stranger.workspace { &their_inbox } else { &other };
        for (method, path, body) in requests(&fixture.inbox, &claimed).into_iter().chain(requests(own, &claimed)) {
            api.send(method, &path, Some(body)).await.error("not_found");
        }
    }
    assert_eq!(fixture.api.get(&format!("/v1/messages/{id}")).await.expect(200).json, before.json);
    let sent = fixture.api.get(&format!("/v1/inboxes/{}/messages?direction=outbound", fixture.inbox.id)).await;
    assert_eq!(sent.expect(200).data().len(), 0);
    fixture.server.clock.advance(299_999);
    assert_eq!(fixture.subjects(json!({})).await, [""; 0], "it was not returned");
    fixture.server.clock.advance(1);
    let again = fixture.claim_one().await;
    assert_eq!(again["delivery_count"], 2, "it was neither finished nor extended");
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_lease_is_valid_for_its_message_only() {
    let fixture = Fixture::new().await;
    fixture.deliver("Mine").await;
    let mine = fixture.claim_one().await;
    let other = fixture.server.inbox(&fixture.key).await;
    let narrow = fixture.server.api(&fixture.server.key(&fixture.key, "full", Scope::Inbox(other.id)).await);
    let path = format!("/v1/inboxes/{}/messages/claim", other.id);
    narrow.post_empty(&path).await.expect(200);
    fixture.server.receive_message(&other, mail("Theirs")).await;
    let mut theirs = narrow.post_empty(&path).await.expect(200).data()[0].clone();
    theirs["lease_id"] = mine["lease_id"].clone();
    for (method, path, body) in requests(&other, &theirs) {
        narrow.send(method, &path, Some(body)).await.error("lease_expired");
    }
    fixture.post_with_lease(&mine, "ack", json!({})).await.expect(200);
    fixture.server.finish().await;
}

#[tokio::test]
async fn another_key_of_the_inbox_can_ack_a_claimed_message() {
    let fixture = Fixture::new().await;
    fixture.deliver("Mine").await;
    let claimed = fixture.claim_one().await;
    let narrow = fixture.server.api(&fixture.server.key(&fixture.key, "agent", Scope::Inbox(fixture.inbox.id)).await);
    let (_, path, body) = requests(&fixture.inbox, &claimed).swap_remove(0);
    narrow.post(&path, body).await.expect(200);
    fixture.server.finish().await;
}
