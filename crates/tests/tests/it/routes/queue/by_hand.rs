//! What a person sees of the queues, and giving back and dropping messages by hand.

use super::*;

impl Fixture {
    async fn items(&self, state: &str) -> Vec<Value> {
        self.api.get(&format!("/v1/queue/items?state={state}")).await.expect(200).data().to_vec()
    }

    /// Makes a dead letter of the only message and returns its id.
    async fn dead_letter(&self) -> String {
        let id = self.deliver("Poison").await;
        for _ in 0..10 {
            let claimed = self.claim_one().await;
            self.post_with_lease(&claimed, "nack", json!({})).await.expect(200);
        }
        id
    }

    async fn labels(&self, id: &str) -> Value {
        self.api.get(&format!("/v1/messages/{id}")).await.expect(200)["labels"].clone()
    }
}

#[tokio::test]
async fn a_person_sees_leases_and_takes_one_back() {
    let fixture = Fixture::new().await;
    assert_eq!(fixture.items("in_flight").await, [Value::Null; 0]);
    let id = fixture.deliver("One").await;
    fixture.deliver("Two").await;
    let claimed = fixture.claim(json!({ "limit": 1, "consumer": "worker 1" })).await.data()[0].clone();
    let items = fixture.items("in_flight").await;
    assert_eq!(items.len(), 1);
    let item = &items[0];
    assert_eq!((&item["message_id"], &item["consumer"]), (&json!(id), &json!("worker 1")));
    assert_eq!((&item["subject"], &item["lease_until"]), (&json!("One"), &claimed["lease_until"]));
    assert_eq!((&item["state"], &item["delivery_count"]), (&json!("in_flight"), &json!(1)));
    assert!(item.get("lease_id").is_none(), "a lease is a capability of its worker");
    let counts = fixture.api.get("/v1/queue").await.expect(200).data()[0].clone();
    assert_eq!((&counts["depth"], &counts["in_flight"], &counts["dead_letters"]), (&json!(1), &json!(1), &json!(0)));
    let back = fixture.api.post_empty(&format!("/v1/messages/{id}/requeue")).await.expect(200);
    assert_eq!((back.text("id"), &back["delivery_count"]), (id.as_str(), &json!(0)));
    for verb in ["ack", "nack", "extend"] {
        fixture.post_with_lease(&claimed, verb, json!({})).await.error("lease_expired");
    }
    assert_eq!(fixture.items("in_flight").await, [Value::Null; 0]);
    assert_eq!(fixture.subjects(json!({})).await, ["One", "Two"], "it is the first again");
    fixture.server.clock.advance(300_000);
    assert_eq!(fixture.items("in_flight").await, [Value::Null; 0], "the leases ended");
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_waiting_claim_gets_a_message_that_is_given_back() {
    let fixture = Fixture::new().await;
    let id = fixture.deliver("One").await;
    fixture.claim_one().await;
    let (api, path) = (fixture.api.clone(), format!("/v1/inboxes/{}/messages/claim", fixture.inbox.id));
    let waiting = tokio::spawn(async move { api.post(&path, json!({ "wait": 30 })).await.expect(200) });
    fixture.server.clock.wait_for_sleepers(1).await;
    fixture.api.post_empty(&format!("/v1/messages/{id}/requeue")).await.expect(200);
    let claimed = waiting.await.unwrap();
    assert_eq!(claimed.data()[0]["message"]["id"], json!(id));
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_dead_letter_is_given_back_or_dropped() {
    let fixture = Fixture::new().await;
    let id = fixture.dead_letter().await;
    let dead = fixture.items("dead_letter").await;
    assert_eq!((&dead[0]["message_id"], &dead[0]["state"]), (&json!(id), &json!("dead_letter")));
    assert_eq!((&dead[0]["delivery_count"], &dead[0]["lease_until"]), (&json!(10), &Value::Null));
    assert!(dead[0]["dead_at"].is_string());
    assert_eq!(fixture.labels(&id).await, json!(["queue:dead-letter"]));
    fixture.api.post_empty(&format!("/v1/messages/{id}/requeue")).await.expect(200);
    assert_eq!((fixture.items("dead_letter").await.len(), fixture.labels(&id).await), (0, json!([])));
    fixture.api.post_empty(&format!("/v1/messages/{id}/drop")).await.error("not_queued");
    let claimed = fixture.claim_one().await;
    assert_eq!(claimed["delivery_count"], 1);
    fixture.post_with_lease(&claimed, "ack", json!({})).await.expect(200);
    fixture.api.post_empty(&format!("/v1/messages/{id}/requeue")).await.error("not_queued");

    let second = fixture.dead_letter().await;
    let dropped = fixture.api.post_empty(&format!("/v1/messages/{second}/drop")).await.expect(200);
    assert!(dropped["dropped_at"].is_string());
    assert_eq!((fixture.items("dead_letter").await.len(), fixture.labels(&second).await), (0, json!([])));
    assert_eq!(fixture.claim(json!({})).await.data().len(), 0);
    fixture.api.post_empty(&format!("/v1/messages/{second}/drop")).await.error("not_queued");
    let unclaimed = fixture.deliver("New").await;
    fixture.api.post_empty(&format!("/v1/messages/{unclaimed}/requeue")).await.error("not_queued");
    fixture.server.finish().await;
}

#[tokio::test]
async fn items_are_paged_and_limited_to_what_the_key_sees() {
    let fixture = Fixture::new().await;
    for subject in ["One", "Two", "Three"] {
        fixture.deliver(subject).await;
    }
    fixture.claim(json!({ "limit": 3 })).await;
    let all = fixture.items("in_flight").await;
    let mut found = Vec::new();
    let mut path = "/v1/queue/items?limit=1".to_owned();
    loop {
        let page = fixture.api.get(&path).await.expect(200);
        found.extend(page.data().to_vec());
        let Some(next) = page["next_cursor"].as_str() else { break };
        path = format!("/v1/queue/items?limit=1&cursor={next}");
    }
    assert_eq!((found.len(), &found), (3, &all));
    let other = fixture.server.inbox(&fixture.key).await;
    let narrow = fixture.server.api(&fixture.server.key(&fixture.key, "full", Scope::Inbox(other.id)).await);
    assert_eq!(narrow.get("/v1/queue/items").await.expect(200).data().len(), 0);
    assert_eq!(narrow.get("/v1/queue").await.expect(200).data().len(), 0);
    narrow.get(&format!("/v1/queue/items?inbox_id={}", fixture.inbox.id)).await.error("not_found");
    let id = all[0]["message_id"].as_str().unwrap();
    narrow.post_empty(&format!("/v1/messages/{id}/requeue")).await.error("not_found");
    narrow.post_empty(&format!("/v1/messages/{id}/drop")).await.error("not_found");
    fixture.api.delete(&format!("/v1/inboxes/{}", fixture.inbox.id)).await.expect(204);
    assert_eq!(fixture.items("in_flight").await.len(), 0);
    fixture.server.finish().await;
}
