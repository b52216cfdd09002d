//! `GET /v1/webhooks/events` and the `webhooks` of the OpenAPI description.

use std::collections::BTreeSet;

use posthouse_domain::event::EventKind;
use posthouse_tests::{TestMessage, TestServer};
use serde_json::{Value, json};

use super::WebhookFixture;

/// Returns the names of an object's members.
fn members(value: &Value) -> BTreeSet<&str> {
    value.as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect()
}

#[tokio::test]
async fn every_type_has_an_example_in_both_forms_and_needs_no_key() {
    let server = TestServer::plain().await;
    let catalog = server.anonymous().get("/v1/webhooks/events").await.expect(200);
    let types: Vec<&str> = catalog.data().iter().filter_map(|entry| entry["type"].as_str()).collect();
    assert_eq!(types, EventKind::ALL.iter().map(|kind| kind.text()).collect::<Vec<_>>(), "every type has an entry");
    let envelope =
        ["inbox_id", "thread_id", "message_id", "from", "to", "subject", "labels", "received_at", "channel", "type"];
    for entry in catalog.data() {
        assert!(entry["description"].as_str().is_some_and(|text| text.len() > 10), "{entry}");
        for example in [&entry["example"], &entry["envelope_example"]] {
            assert_eq!(members(example), BTreeSet::from(["id", "type", "created_at", "data"]), "{example}");
            assert_eq!(example["type"], entry["type"]);
        }
        assert_eq!(members(&entry["envelope_example"]["data"]), BTreeSet::from(envelope), "{entry}");
        assert_ne!(members(&entry["example"]["data"]), BTreeSet::new(), "{entry}");
    }
    server.finish().await;
}

#[tokio::test]
async fn the_examples_have_the_members_of_real_events() {
    let fixture = WebhookFixture::new().await;
    fixture.webhook(json!({ "events": ["message.received", "inbox.paused", "inbox.resumed"] })).await;
    fixture.server.deliver(&TestMessage::new("Hello", "text"), &fixture.inbox.address).await;
    fixture.api.post(&format!("/v1/inboxes/{}/pause", fixture.inbox.id), json!({ "reason": "x" })).await.expect(200);
    fixture.api.post_empty(&format!("/v1/inboxes/{}/resume", fixture.inbox.id)).await.expect(200);
    fixture.server.settle().await;
    let catalog = fixture.server.anonymous().get("/v1/webhooks/events").await.expect(200);
    for post in fixture.sink.posts() {
        let event = post.json();
        let entry = catalog
            .data()
            .iter()
            .find(|entry| entry["type"] == event["type"])
            .expect("the event type is in the catalog");
        assert_eq!(members(&event["data"]), members(&entry["example"]["data"]), "{}", event["type"]);
        let (real, example) = (&event["data"]["message"], &entry["example"]["data"]["message"]);
        assert_eq!(members(real), members(example), "{}", event["type"]);
    }
    assert_eq!(fixture.sink.posts().len(), 3);
    fixture.server.finish().await;
}

#[tokio::test]
async fn the_openapi_document_lists_every_event_type() {
    let server = TestServer::plain().await;
    let document = server.anonymous().get("/v1/openapi.json").await.expect(200);
    let catalog = server.anonymous().get("/v1/webhooks/events").await.expect(200);
    for entry in catalog.data() {
        let kind = entry["type"].as_str().unwrap_or_default();
        let media = &document["webhooks"][kind]["post"]["requestBody"]["content"]["application/json"];
        assert_eq!(media["examples"]["full"]["value"], entry["example"], "{kind}");
        let schema = media["schema"]["$ref"].as_str().and_then(|reference| reference.strip_prefix('#'));
        let schema = document.json.pointer(schema.expect("a reference")).expect("the schema");
        assert_eq!(schema["properties"]["type"]["const"], kind);
    }
    assert_eq!(document["webhooks"].as_object().map(serde_json::Map::len), Some(catalog.data().len()));
    server.finish().await;
}
