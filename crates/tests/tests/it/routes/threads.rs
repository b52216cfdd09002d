//! `/v1/threads` and `/v1/events`.

use posthouse_domain::plan::Plan;
use posthouse_tests::{TestMessage, TestServer};
use serde_json::json;

use super::messages::read::mail;

#[tokio::test]
async fn a_thread_lists_its_messages_in_order_and_is_deleted_with_them() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let (api, inbox) = (server.api(&key), server.inbox(&key).await);
    let first = server.receive_message(&inbox, mail("Plan")).await;
    let reply = "From: Eve <eve@y.example>\r\nTo: bot@agents.example\r\nSubject: Re: Plan\r\nIn-Reply-To: <Plan@sender.example>\r\n\r\nYes.\r\n";
    let second = server.receive_message(&inbox, reply).await;
    let other = server.receive_message(&inbox, mail("Other")).await;
    let thread_id = api.get(&format!("/v1/messages/{first}")).await.text("thread_id").to_owned();
    let path = format!("/v1/threads/{thread_id}");

    let thread = api.get(&path).await.expect(200);
    let ids: Vec<&str> = thread["messages"].as_array().unwrap().iter().map(|m| m["id"].as_str().unwrap()).collect();
    assert_eq!(ids, [first.to_string(), second.to_string()]);
    assert_eq!(thread["message_count"], 2);
    assert_eq!(thread["metadata"], json!({}));
    let newest = api.get(&format!("{path}?limit=1")).await.expect(200);
    assert_eq!(newest["messages"][0]["id"], second.to_string());
    let earlier = api.get(&format!("{path}?limit=1&cursor={}", newest.text("earlier_cursor"))).await.expect(200);
    assert_eq!(earlier["messages"][0]["id"], first.to_string());
    assert!(earlier["earlier_cursor"].is_null());

    let change = json!({ "metadata": { "case": 7, "no": null }, "add_labels": ["vip"] });
    let changed = api.patch(&path, change).await.expect(200);
    assert_eq!((&changed["metadata"], &changed["labels"]), (&json!({ "case": 7 }), &json!(["vip"])));
    assert!(changed.json.get("messages").is_none());
    api.patch(&path, json!({ "add_labels": ["ai:x"] })).await.invalid_fields(&["add_labels[0]"]);
    for (query, count) in
        [("", 2), ("?labels=vip", 1), ("?participant=EVE@", 1), ("?subject=other", 1), ("?before=2020-01-01", 0)]
    {
        assert_eq!(api.get(&format!("/v1/threads{query}")).await.expect(200).data().len(), count, "{query}");
    }
    let page = api.get(&format!("/v1/inboxes/{}/threads?limit=1&ascending=true", inbox.id)).await.expect(200);
    assert_eq!(page.data()[0]["id"], thread_id);
    let next = page.text("next_cursor");
    api.get(&format!("/v1/threads?limit=1&cursor={next}")).await.error("invalid_cursor");

    let deleted = api.delete(&path).await.expect(200);
    assert_eq!(deleted.json, json!({ "deleted": true, "messages": 2, "attachments": 0 }));
    api.get(&path).await.error("not_found");
    api.get(&format!("/v1/messages/{first}")).await.error("not_found");
    api.get(&format!("/v1/messages/{first}/raw")).await.error("not_found");
    api.get(&format!("/v1/messages/{other}/raw")).await.expect(200);

    let events = api.get("/v1/events?types=message.received").await.expect(200);
    let gone: Vec<bool> = events.data().iter().map(|event| event["data"]["gone"] == true).collect();
    assert_eq!(gone, [true, true, false]);
    assert_eq!(events.data()[0]["data"]["message_id"], first.to_string());
    assert!(events.data()[0]["data"]["message"].is_null());
    server.finish().await;
}

#[tokio::test]
async fn events_are_listed_oldest_first_and_continue_after_an_event() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let (api, inbox) = (server.api(&key), server.inbox(&key).await);
    let mut ids = Vec::new();
    for n in 0..3 {
        ids.push(server.receive_message(&inbox, mail(&format!("Number {n}"))).await.to_string());
    }
    api.post(&format!("/v1/inboxes/{}/pause", inbox.id), json!({ "reason": "lunch" })).await.expect(200);
    let page = api.get("/v1/events?limit=2").await.expect(200);
    let event = &page.data()[0];
    assert_eq!(event["type"], "message.received");
    assert_eq!(event["data"]["message"]["id"], ids[0]);
    assert_eq!(event["data"]["inbox"]["address"], inbox.address);
    assert_eq!(event["data"]["thread_id"], event["data"]["message"]["thread_id"]);
    assert_eq!(page["next_cursor"], page.data()[1]["id"]);
    let rest = api.get(&format!("/v1/events?after={}", page.text("next_cursor"))).await.expect(200);
    assert_eq!(rest.data()[0]["data"]["message"]["id"], ids[2]);
    assert_eq!(rest.data()[1]["type"], "inbox.paused");
    assert_eq!(rest.data()[1]["data"]["reason"], "lunch");
    assert!(rest["next_cursor"].is_null());
    let paused = api.get(&format!("/v1/events?types=inbox.paused&inbox_id={}", inbox.id)).await.expect(200);
    assert_eq!(paused.data().len(), 1);
    let end = rest.data()[1]["id"].as_str().unwrap();
    assert_eq!(api.get(&format!("/v1/events?cursor={end}")).await.expect(200).data().len(), 0);
    api.get("/v1/events?after=01900000-0000-7000-8000-000000000000").await.error("invalid_cursor");
    api.get("/v1/events?types=message.recieved").await.invalid_fields(&["types"]);
    server.finish().await;
}

#[tokio::test]
async fn a_list_shows_the_newest_message_of_each_thread_on_request() {
    let mut server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let (api, inbox) = (server.api(&key), server.inbox(&key).await);
    let mail = |subject: &str, text: &str| TestMessage::new(subject, text).with("From", "Dana <dana@x.example>");
    server.deliver(&mail("One", "First\n  words  here.\n"), &inbox.address).await;
    let long = "wörd ".repeat(200);
    server.deliver(&mail("Two", &long), &inbox.address).await;
    let plain = api.get("/v1/threads").await.expect(200);
    assert!(plain.data().iter().all(|thread| thread["newest"].is_null()), "{plain}");
    let list = api.get("/v1/threads?include_newest=true").await.expect(200);
    let newest = |at: usize| list.data()[at]["newest"].clone();
    assert_eq!(
        (&newest(1)["from"], &newest(1)["preview"]),
        (&json!("Dana <dana@x.example>"), &json!("First words here."))
    );
    assert_eq!(newest(0)["preview"].as_str().unwrap().chars().count(), 120);
    let path = format!("/v1/inboxes/{}/messages/{}/reply", inbox.id, newest(1)["id"].as_str().unwrap());
    api.post(&path, json!({ "text": "Thanks." })).await.expect(202);
    server.receive_held(&inbox, &mail("Re: One", "held"), posthouse_domain::message::HoldReason::Phishing).await;
    let path = format!("/v1/inboxes/{}/threads?include_newest=true", inbox.id);
    let list = api.get(&path).await.expect(200);
    let one = list.data().iter().find(|thread| thread["subject"] == "One").unwrap();
    assert_eq!((&one["newest"]["direction"], &one["newest"]["preview"]), (&json!("outbound"), &json!("Thanks.")));
    server.allow().queued();
    server.settle().await;
    server.finish().await;
}
