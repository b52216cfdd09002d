//! The native copy of a message between agents: its channel, type and data, and the `agent` block.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use posthouse_app::settings::DeliveryMode;
use posthouse_domain::agent::sanction::Sanction;
use posthouse_domain::{agent::SanctionKind, workspace::ClaimStatus};
use posthouse_store::{Tx, agents, p, statements};
use serde_json::{Value, json};

use super::fixture::Pair;

statements! {
    SET_CLAIM = "UPDATE workspaces SET claim_status = $2 WHERE id = $1";
}

/// Returns the claims of a signature.
fn claims(jws: &Value) -> Value {
    let payload = jws.as_str().unwrap().split('.').nth(1).unwrap();
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(payload).unwrap()).unwrap()
}

async fn set_claim(pair: &Pair, status: ClaimStatus) {
    let id = pair.alice.key.workspace;
    pair.server.store().write(move |tx: &mut Tx| tx.exec(&SET_CLAIM, p![id, status])).await.unwrap();
}

#[tokio::test]
async fn a_copy_is_native_and_signed() {
    let pair = Pair::open().await;
    let body = json!({
        "to": format!("Bob <{}>", pair.bob.inbox.address), "subject": "Quote: 40 units", "text": "line one\r\nline two\r\n",
        "data": { "sku": "A-40", "qty": 40 }, "type": "task",
    });
    let (sent, copy) = pair.deliver(body).await;
    assert_eq!((&sent["channel"], &sent["agent"]), (&json!("agent"), &Value::Null));
    assert_eq!((&copy["channel"], &copy["type"]), (&json!("agent"), &json!("task")));
    assert_eq!(
        (&copy["data"], &copy["text"]),
        (&json!({ "sku": "A-40", "qty": 40 }), &json!("line one\r\nline two\r\n"))
    );
    let agent = &copy["agent"];
    assert_eq!((&agent["verified"], &agent["from"]), (&json!(true), &json!(pair.alice.inbox.address)));
    assert_eq!((&agent["assurance"], agent.get("reason")), (&json!("workspace"), None));
    assert_eq!(agent["signed_at"], posthouse_tests::clock::START);
    assert_eq!(agent["kid"], pair.service_keys().await[0]["kid"]);
    let claims = claims(&agent["signature"]);
    for (claim, value) in [
        ("iss", json!(pair.issuer())),
        ("v", json!(1)),
        ("iat", json!(pair.now())),
        ("msg_id", copy["rfc_message_id"].clone()),
        ("from", json!(pair.alice.inbox.address)),
        ("aud", json!(pair.bob.inbox.address)),
        ("to", json!([pair.bob.inbox.address])),
        ("cc", json!([])),
        ("subject_sha256", json!("ZrI2yxIV0lEkFVJGxXx18kyqUL-CkFmn852gPGs4aRE")),
        ("text_sha256", json!("6QJPGgfSnVKtOqXhoY6U2x86n9MrieOdR8RyzZkHHhM")),
        ("att", json!([])),
        ("type", json!("task")),
        ("assurance", json!("workspace")),
        ("card", json!(false)),
        ("disclosure", json!({ "agent": true, "operator": null })),
    ] {
        assert_eq!(claims[claim], value, "{claim}");
    }
    for absent in ["html_sha256", "in_reply_to", "agent_sig"] {
        assert_eq!(claims.get(absent), None, "{absent}");
    }
    pair.server.finish().await;
}

#[tokio::test]
async fn each_copy_has_a_signature_of_its_own() {
    let pair = Pair::open().await;
    let second = pair.server.inbox_named(&pair.bob.key, "carol").await;
    let own = pair.server.inbox_named(&pair.alice.key, "dave").await;
    let to = json!([pair.bob.inbox.address, second.address, own.address]);
    pair.alice.try_send(json!({ "to": to, "subject": "S", "text": "T" })).await.expect(202);
    pair.server.settle().await;
    let mut nonces = Vec::new();
    for (api, inbox) in [(&pair.bob.api, &pair.bob.inbox), (&pair.bob.api, &second), (&pair.alice.api, &own)] {
        let copy = pair.server.newest_message(api, &inbox.id.to_string()).await;
        let claims = claims(&copy["agent"]["signature"]);
        assert_eq!(claims["aud"], inbox.address);
        assert_eq!(claims["to"].as_array().unwrap().len(), 3);
        nonces.push(claims["nonce"].clone());
        nonces.push(claims["jti"].clone());
    }
    nonces.sort_by_key(ToString::to_string);
    nonces.dedup();
    assert_eq!(nonces.len(), 6);
    pair.server.finish().await;
}

#[tokio::test]
async fn a_message_with_data_alone_gets_a_text() {
    let pair = Pair::open().await;
    let body = json!({ "to": pair.bob.inbox.address, "subject": "", "data": [1, 2.50, "x"], "type": "event" });
    let (sent, copy) = pair.deliver(body).await;
    assert_eq!(copy["data"], json!([1, 2.5, "x"]));
    assert_eq!((&copy["type"], &copy["subject"]), (&json!("event"), &json!("")));
    assert!(copy["text"].as_str().is_some_and(|text| !text.is_empty()) && copy["text"] == sent["text"]);
    let claims = claims(&copy["agent"]["signature"]);
    assert!(claims["text_sha256"].is_string() && claims["data_sha256"].is_string());
    assert_eq!(copy["attachments"], json!([]));
    pair.server.finish().await;
}

#[tokio::test]
async fn assurance_follows_the_claim_of_the_workspace() {
    let pair = Pair::open().await;
    let body = json!({ "to": pair.bob.inbox.address, "subject": "S", "text": "T" });
    for (status, expected) in [
        (ClaimStatus::Unclaimed, "unclaimed"),
        (ClaimStatus::Claimed, "workspace"),
        (ClaimStatus::NotApplicable, "workspace"),
    ] {
        set_claim(&pair, status).await;
        pair.server.clock.advance(1);
        let (_, copy) = pair.deliver(body.clone()).await;
        assert_eq!(copy["agent"]["assurance"], expected);
        assert_eq!(claims(&copy["agent"]["signature"])["assurance"], expected);
    }
    pair.server.finish().await;
}

#[tokio::test]
async fn a_revoked_or_suspended_sender_is_not_signed_but_its_mail_flows() {
    let pair = Pair::open().await;
    let body = json!({ "to": pair.bob.inbox.address, "subject": "S", "text": "T" });
    let card = format!("/v1/inboxes/{}/agent", pair.alice.inbox.id);
    pair.alice.api.patch(&card, json!({ "name": "Alice" })).await.expect(200);
    let (_, copy) = pair.deliver(body.clone()).await;
    assert_eq!(claims(&copy["agent"]["signature"])["card"], true);
    pair.alice.api.post(&format!("{card}/revoke"), json!({})).await.expect(200);
    let unsigned = |copy: &Value, reason: &str| {
        let agent = &copy["agent"];
        assert_eq!((&agent["verified"], &agent["reason"]), (&json!(false), &json!(reason)));
        assert!(agent["signature"].is_null() && agent["kid"].is_null() && agent["signed_at"].is_null());
        assert_eq!((&copy["channel"], &copy["text"]), (&json!("agent"), &json!("T")));
    };
    unsigned(&pair.deliver(body.clone()).await.1, "revoked");
    pair.alice.api.post_empty(&format!("{card}/restore")).await.expect(200);
    assert_eq!(pair.deliver(body.clone()).await.1["agent"]["verified"], true);
    let sanction = Sanction {
        workspace: pair.alice.key.workspace,
        inbox: pair.alice.inbox.id,
        kind: SanctionKind::Suspended,
        reason: None,
        parties: Vec::new(),
        review_requested_at: None,
        review_note: None,
        created_at: pair.server.service().clock.now(),
    };
    pair.server.store().write(move |tx| agents::sanction(tx, &sanction)).await.unwrap();
    unsigned(&pair.deliver(body).await.1, "suspended");
    pair.server.finish().await;
}

#[tokio::test]
async fn a_forward_carries_the_data_unless_files_are_left_out() {
    let pair = Pair::open().await;
    let data = json!({ "deep": 1 });
    let body =
        json!({ "to": [pair.bob.inbox.address, "x@remote.example"], "subject": "S", "data": data, "type": "task" });
    let (sent, copy) = pair.deliver(body).await;
    assert_eq!(copy["attachments"], json!([]));
    assert_eq!(
        copy["text"],
        "This message carries structured data. By email, it is in the attached file service-data.json."
    );
    for (side, original, to) in [(&pair.bob, &copy, &pair.alice), (&pair.alice, &sent, &pair.bob)] {
        let path = format!("/v1/inboxes/{}/messages/{}/forward", side.inbox.id, original["id"].as_str().unwrap());
        for (include, expected) in [(true, &data), (false, &Value::Null)] {
            pair.server.clock.advance(1);
            let body = json!({ "to": [to.inbox.address, "x@remote.example"], "include_attachments": include });
            let forward = side.api.post(&path, body).await.expect(202).json;
            assert_eq!(forward["attachments"].as_array().unwrap().len(), usize::from(include), "{forward}");
            pair.server.settle().await;
            assert_eq!(&to.newest().await["data"], expected);
        }
    }
    pair.server.finish().await;
}

#[tokio::test]
async fn without_agent_messaging_a_copy_is_ordinary_mail() {
    let change = |config: &mut posthouse_server::config::Configuration| {
        config.app.agents.messaging = false;
        config.delivery.mode = DeliveryMode::Capture;
    };
    let pair = Pair::with(change).await;
    let body = json!({
        "to": pair.bob.inbox.address, "subject": "S", "text": "T", "data": { "b": 1, "a": 2 }, "type": "task",
    });
    let (sent, copy) = pair.deliver(body.clone()).await;
    assert_eq!((&sent["channel"], &sent["delivery"][0]["channel"]), (&json!("email"), &json!("email")));
    assert_eq!(sent["delivery"][0]["status"], "delivered");
    assert_eq!((&copy["channel"], &copy["type"]), (&json!("email"), &json!("message")));
    assert_eq!((&copy["data"], &copy["agent"]), (&Value::Null, &Value::Null));
    assert_eq!(copy["attachments"][0]["filename"], "service-data.json");
    assert_eq!(copy["ai_disclosure"]["verified"], true);
    let path = format!("/v1/inboxes/{}/messages?dry_run=true", pair.alice.inbox.id);
    assert_eq!(pair.alice.api.post(&path, body).await.expect(200)["recipients"][0]["channel"], "email");
    assert_eq!(pair.alice.api.get("/v1/account").await.expect(200)["agent_messaging"]["enabled"], false);
    pair.server.finish().await;
}

#[tokio::test]
async fn a_handle_stands_for_the_address_of_its_agent() {
    let pair = Pair::with(|config| config.delivery.mode = DeliveryMode::Capture).await;
    pair.bob.api.put("/v1/directory/handle", json!({ "handle": "bobs" })).await.expect(200);
    let card = format!("/v1/inboxes/{}/agent", pair.bob.inbox.id);
    pair.bob.api.patch(&card, json!({ "name": "Bob", "handle": "support" })).await.expect(200);
    let carol = pair.server.inbox_named(&pair.bob.key, "carol").await;
    let send = format!("/v1/inboxes/{}/messages", carol.id);
    let (bob, handle) = (&pair.bob.inbox.address, "@bobs/support");
    for field in ["to", "cc", "bcc"] {
        let mut body = json!({ "to": "x@far.example", "subject": field, "text": "T" });
        body[field] = json!([handle]);
        let sent = pair.bob.api.post(&send, body).await.expect(202).json;
        assert_eq!(sent[field], json!([bob]), "{field}");
        pair.server.settle().await;
        let copy = pair.bob.newest().await;
        assert_eq!((&copy["subject"], &copy["agent"]["verified"]), (&json!(field), &json!(true)));
        assert_eq!(copy["bcc"], json!([]));
    }
    let drafts = format!("/v1/inboxes/{}/drafts", carol.id);
    for field in ["to", "cc", "bcc"] {
        let mut body = json!({ "to": "x@far.example", "subject": field, "text": "T" });
        body[field] = json!([handle]);
        let draft = pair.bob.api.post(&drafts, body).await.expect(201);
        assert_eq!(draft[field], json!([bob]), "{field}");
        let path = format!("{drafts}/{}", draft.text("id"));
        let kept = pair.bob.api.patch(&path, json!({ "subject": "S" })).await.expect(200);
        assert_eq!(kept[field], json!([bob]), "{field}");
        let changed = pair.bob.api.patch(&path, json!({ "to": [handle, "y@far.example"] })).await.expect(200);
        assert_eq!(changed["to"], json!([bob, "y@far.example"]));
        pair.bob.api.patch(&path, json!({ "to": "@bobs/nobody" })).await.error("agent_not_found");
        pair.bob.api.patch(&path, json!({ "to": "@bobs" })).await.invalid_fields(&["to"]);
    }
    // Another workspace finds listed agents only.
    pair.alice.try_send(json!({ "to": handle, "subject": "", "text": "T" })).await.error("agent_not_found");
    for bad in ["@bobs", "@Bobs!/x", "@"] {
        let body = json!({ "to": [bad], "subject": "", "text": "T" });
        pair.alice.try_send(body).await.invalid_fields(&["to[0]"]);
    }
    pair.server.finish().await;
}
