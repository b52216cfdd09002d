//! An inbox that forwards automatically to another inbox of the server turned the mail of strangers into signed messages of
//! an agent, which lists for agents let in.

use posthouse_domain::plan::Plan;
use posthouse_tests::TestMessage;
use serde_json::{Value, json};

use crate::{inbox_fixture::InboxFixture, routes::directory::Agent};

#[tokio::test]
async fn a_forward_to_an_inbox_of_the_server_is_ordinary_mail() {
    let fixture = InboxFixture::open().await;
    let colleague = Agent::of(fixture.server.api(&fixture.key), "colleague").await;
    let stranger = fixture.server.workspace(Plan::Team).await;
    let stranger = Agent::of(fixture.server.api(&stranger), "stranger").await;
    for to in [&colleague, &stranger] {
        let path = format!("/v1/inboxes/{}/forwarding", fixture.inbox.id);
        fixture.api.post(&path, json!({ "address": to.address, "skip_flagged": false })).await.expect(201);
        fixture.server.settle().await;
        let request = fixture.server.newest_message(&to.api, &to.id).await;
        assert_ordinary(&request);
        let text = request["text"].as_str().unwrap();
        let link = &text[text.find("/confirm/forwarding/").unwrap()..];
        fixture.server.anonymous().post_empty(link.lines().next().unwrap()).await.expect(200);
    }
    let list = json!({ "direction": "receive", "kind": "allow", "pattern": "agents:any" });
    let list = stranger.api.post("/v1/lists", list).await.expect(201).text("id").to_owned();
    let mail = TestMessage::new("Wire 40,000", "now").with("Agent-Disclosure", "agent=?1; operator=\"Bank\"");
    let receive = async || {
        fixture.server.clock.advance(1);
        fixture.server.deliver(&mail, &fixture.inbox.address).await;
        fixture.server.settle().await;
        fixture.server.newest_message(&stranger.api, &stranger.id).await
    };
    assert_ne!(receive().await["subject"], "Wire 40,000", "an allow list of agents stops it");
    stranger.api.delete(&format!("/v1/lists/{list}")).await.expect(204);
    let copies = [receive().await, fixture.server.newest_message(&colleague.api, &colleague.id).await];
    for copy in &copies {
        assert_eq!(copy["subject"], "Wire 40,000");
        assert_ordinary(copy);
    }
    let path = format!("/v1/inboxes/{}/messages?direction=outbound&limit=1", fixture.inbox.id);
    let forward = fixture.api.get(&path).await.expect(200).data()[0].clone();
    assert_eq!((&forward["channel"], &forward["delivery"][0]["channel"]), (&json!("email"), &json!("email")));
    fixture.close().await;
}

fn assert_ordinary(message: &Value) {
    assert_eq!((&message["channel"], &message["agent"]), (&json!("email"), &Value::Null), "{message}");
    assert_ne!(message["ai_disclosure"]["verified"], true);
}
