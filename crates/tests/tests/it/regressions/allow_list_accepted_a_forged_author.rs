//! An allow entry matched the name in From alone, so anyone who knew an entry could bypass the list.

use posthouse_domain::plan::Plan;
use posthouse_tests::{TestServer, fixtures::TestInbox, http::Api};
use serde_json::{Value, json};

/// Starts a server whose DNS has authors of every kind. The client of a test is at 127.0.0.1.
async fn start() -> (TestServer, Api, TestInbox) {
    let server = TestServer::plain().await;
    server.dns.txt("aligned.example", "v=spf1 ip4:127.0.0.1 -all");
    server.dns.txt("_dmarc.aligned.example", "v=DMARC1; p=none");
    server.dns.txt("aligned-without-policy.example", "v=spf1 ip4:127.0.0.1 -all");
    server.dns.txt("spf-fails.example", "v=spf1 -all");
    server.dns.txt("dmarc-fails.example", "v=spf1 ?all");
    server.dns.txt("_dmarc.dmarc-fails.example", "v=DMARC1; p=none");
    server.dns.fail("_dmarc.unknown.example", true);
    let key = server.workspace(Plan::Team).await;
    let api = server.api(&key);
    let inbox = server.inbox_named(&key, "gate").await;
    (server, api, inbox)
}

async fn labels(server: &TestServer, api: &Api, inbox: &TestInbox, domain: &str) -> Value {
    let mut smtp = server.smtp().await;
    let raw = format!("From: ann@{domain}\r\nSubject: x\r\n\r\nx\r\n");
    server.clock.advance(1);
    smtp.mail(&format!("ann@{domain}"), &[&inbox.address], raw.as_bytes()).await.expect(250);
    let path = format!("/v1/inboxes/{}/messages?include_blocked=true&include_held=true&limit=1", inbox.id);
    api.get(&path).await.expect(200).data()[0]["labels"].clone()
}

#[tokio::test]
async fn an_allow_entry_matches_only_authors_without_failed_authentication() {
    // (author's domain, labels without a list, accepted by an allow entry, accepted by one with require_auth)
    for (domain, expected, allowed, authenticated) in [
        ("aligned.example", json!([]), true, true),
        ("aligned-without-policy.example", json!([]), true, true),
        ("says-nothing.example", json!([]), true, false),
        ("spf-fails.example", json!(["spf-fail"]), false, false),
        ("dmarc-fails.example", json!(["dmarc-fail"]), false, false),
        ("unknown.example", json!(["auth-unknown"]), false, false),
    ] {
        let (server, api, inbox) = start().await;
        assert_eq!(labels(&server, &api, &inbox, domain).await, expected, "{domain}");
        for (require_auth, is_accepted) in [(false, allowed), (true, authenticated)] {
            let entry =
                json!({ "direction": "receive", "kind": "allow", "pattern": domain, "require_auth": require_auth });
            let made = api.post("/v1/lists", entry).await.expect(201);
            assert_eq!(made["require_auth"], require_auth);
            let labels = labels(&server, &api, &inbox, domain).await;
            let is_blocked = labels.as_array().expect("labels").contains(&json!("blocked"));
            assert_eq!(is_blocked, !is_accepted, "{domain}, require_auth {require_auth}: {labels}");
            api.delete(&format!("/v1/lists/{}", made.text("id"))).await.expect(204);
        }
        server.finish().await;
    }
}

#[tokio::test]
async fn a_block_entry_matches_unauthenticated_authors() {
    let (server, api, inbox) = start().await;
    api.post("/v1/lists", json!({ "direction": "receive", "kind": "block", "pattern": "spf-fails.example" }))
        .await
        .expect(201);
    assert_eq!(labels(&server, &api, &inbox, "spf-fails.example").await, json!(["spf-fail", "blocked"]));
    server.finish().await;
}

#[tokio::test]
async fn require_auth_is_only_valid_for_receive_allow_entries() {
    let (server, api, _inbox) = start().await;
    for (direction, kind) in [("send", "allow"), ("reply", "allow"), ("receive", "block")] {
        let entry = json!({ "direction": direction, "kind": kind, "pattern": "a.example", "require_auth": true });
        api.post("/v1/lists", entry).await.expect(400).invalid_fields(&["require_auth"]);
    }
    server.finish().await;
}
