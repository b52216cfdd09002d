//! `Agent-Disclosure`: the field of sent mail, the visible line, and what received mail shows.

use posthouse_app::settings::DeliveryMode;
use posthouse_domain::workspace::{AiDisclosure, DisclosureLine, Workspace};
use posthouse_store::workspaces;
use posthouse_tests::mail::TestMessage;
use serde_json::{Value, json};

use super::fixture::{Pair, Side};

async fn disclose(pair: &Pair, side: &Side, disclosure: AiDisclosure) {
    let id = side.key.workspace;
    let change = move |tx: &mut posthouse_store::Tx| {
        let found = workspaces::get(tx, id)?.expect("the workspace");
        workspaces::update(tx, &Workspace { ai_disclosure: disclosure.clone(), ..found })
    };
    pair.server.store().write(change).await.unwrap();
}

#[tokio::test]
async fn sent_mail_says_that_an_agent_wrote_it() {
    let pair = Pair::with(|config| config.delivery.mode = DeliveryMode::Capture).await;
    let body =
        json!({ "to": [pair.bob.inbox.address, "x@far.example"], "subject": "S", "text": "Hi", "html": "<p>Hi</p>" });
    let (sent, copy) = pair.deliver(body.clone()).await;
    let plain = json!({
        "agent": true, "on_behalf_of": null, "operator": null, "verified": true, "header": "agent=?1",
    });
    assert_eq!((&sent["ai_disclosure"], &copy["ai_disclosure"]), (&plain, &plain));
    assert_eq!(copy["headers"]["agent-disclosure"], "agent=?1");
    assert_eq!((&copy["text"], &copy["html"]), (&json!("Hi"), &json!("<p>Hi</p>")));

    let line = AiDisclosure { visible_line: DisclosureLine::Html, text: Some("By a <bot>.".into()), shares_name: true };
    disclose(&pair, &pair.alice, line).await;
    let (sent, copy) = pair.deliver(body.clone()).await;
    let header = "agent=?1; on-behalf-of=\"Test workspace\"; operator=\"Test workspace\"";
    let named = json!({
        "agent": true, "on_behalf_of": "Test workspace", "operator": "Test workspace", "verified": true, "header": header,
    });
    assert_eq!((&sent["ai_disclosure"], &copy["ai_disclosure"]), (&named, &named));
    assert_eq!(copy["text"], "Hi\n\nBy a <bot>.");
    assert_eq!(copy["html"], "<p>Hi</p><div style=\"white-space:pre-wrap\">By a &lt;bot&gt;.</div>");
    assert_eq!((&sent["text"], &sent["html"]), (&copy["text"], &copy["html"]));

    let line = AiDisclosure { visible_line: DisclosureLine::Text, text: None, shares_name: false };
    disclose(&pair, &pair.alice, line).await;
    let (_, copy) = pair.deliver(body).await;
    assert_eq!(copy["text"], "Hi\n\nThis message was written by an AI agent.");
    assert_eq!(copy["html"], "<p>Hi</p>");
    pair.server.finish().await;
}

#[tokio::test]
async fn the_visible_line_is_in_messages_without_a_text_too() {
    let pair = Pair::open().await;
    let line = AiDisclosure { visible_line: DisclosureLine::Text, text: Some("By a bot.".into()), shares_name: false };
    disclose(&pair, &pair.alice, line).await;
    let to = &pair.bob.inbox.address;
    let (_, copy) = pair.deliver(json!({ "to": to, "subject": "S", "html": "<p>Hi</p>" })).await;
    assert!(copy["html"].as_str().unwrap().contains("By a bot."), "{copy}");
    let (_, copy) = pair.deliver(json!({ "to": to, "subject": "S", "data": { "a": 1 } })).await;
    assert_eq!(copy["text"], "This message carries structured data.\n\nBy a bot.");
    pair.server.finish().await;
}

#[tokio::test]
async fn received_mail_shows_the_field_unverified() {
    let pair = Pair::open().await;
    for (value, expected) in [
        (
            "agent=?1; operator=\"Acme\"",
            json!({ "agent": true, "on_behalf_of": null, "operator": "Acme", "verified": false,
            "header": "agent=?1; operator=\"Acme\"" }),
        ),
        (
            "something else",
            json!({ "agent": false, "on_behalf_of": null, "operator": null, "verified": false,
            "header": "something else" }),
        ),
    ] {
        let mail = TestMessage::new("Hi", "text").with("From", "a@far.example").with("Agent-Disclosure", value);
        pair.server.deliver(&mail, &pair.bob.inbox.address).await;
        assert_eq!(pair.bob.newest().await["ai_disclosure"], expected);
    }
    let mail = TestMessage::new("Hi", "text").with("From", "a@far.example");
    pair.server.deliver(&mail, &pair.bob.inbox.address).await;
    assert_eq!(pair.bob.newest().await["ai_disclosure"], Value::Null);
    // Nobody but this server writes the field for one of its inboxes.
    let forged = TestMessage::new("Hi", "text")
        .with("From", &pair.alice.inbox.address)
        .with("Agent-Disclosure", "agent=?1; operator=\"Acme\"");
    pair.server.deliver(&forged, &pair.bob.inbox.address).await;
    let shown = pair.bob.newest().await;
    assert_eq!((&shown["ai_disclosure"]["verified"], &shown["agent"]), (&json!(false), &Value::Null));
    pair.server.finish().await;
}
