//! Verification codes in messages that failed authentication: skipped unless requested, and marked wherever they are
//! shown. See docs/guides/receiving.md, "The author".

use posthouse_domain::{id::MessageId, plan::Plan};
use posthouse_tests::{
    TestServer,
    fixtures::{TestInbox, TestKey},
    http::Api,
};
use serde_json::json;

/// The domain of the envelope sender that [`TestServer::receive_message`] uses.
const ENVELOPE: &str = "sender.example";

struct Fixture {
    server: TestServer,
    key: TestKey,
    api: Api,
    inbox: TestInbox,
}

impl Fixture {
    /// Starts a server for which `bank.example` and `sender.example` have DMARC records, and only `sender.example`
    /// authorizes this client.
    async fn new() -> Self {
        let server = TestServer::plain().await;
        server.dns.txt(ENVELOPE, "v=spf1 ip4:127.0.0.0/8 -all");
        for domain in [ENVELOPE, "bank.example"] {
            server.dns.txt(&format!("_dmarc.{domain}"), "v=DMARC1; p=none");
        }
        let key = server.workspace(Plan::Team).await;
        let (api, inbox) = (server.api(&key), server.inbox(&key).await);
        Self { server, key, api, inbox }
    }

    async fn code(&self, author: &str, code: &str) -> MessageId {
        self.server.clock.advance(1);
        let mail = format!(
            "From: {author}\r\nTo: {}\r\nSubject: Your verification code\r\n\r\nYour verification code is {code}.\r\n",
            self.inbox.address
        );
        self.server.receive_message(&self.inbox, mail).await
    }

    fn path(&self, query: &str) -> String {
        format!("/v1/inboxes/{}/verification?timeout=1{query}", self.inbox.id)
    }
}

#[tokio::test]
async fn a_code_from_a_forged_sender_is_skipped_even_if_it_is_newer() {
    let fixture = Fixture::new().await;
    let real = fixture.code("dana@sender.example", "482913").await;
    let forged = fixture.code("Bank <no-reply@bank.example>", "666666").await;
    let found = fixture.api.get(&fixture.path("&since=2020-01-01")).await.expect(200);
    let shown = (&found["data"]["message_id"], &found["data"]["code"], &found["data"]["auth_failed"]);
    assert_eq!(shown, (&json!(real.to_string()), &json!("482913"), &json!(null)));
    let found = fixture.api.get(&fixture.path("&since=2020-01-01&include_unauthenticated=true")).await.expect(200);
    let shown = (&found["data"]["message_id"], &found["data"]["code"], &found["data"]["auth_failed"]);
    assert_eq!(shown, (&json!(forged.to_string()), &json!("666666"), &json!(true)));
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_code_from_a_forged_sender_does_not_end_a_wait() {
    let fixture = Fixture::new().await;
    let (api, path) = (fixture.api.clone(), fixture.path(""));
    let wait_task = tokio::spawn(async move { api.get(&path).await.expect(200).json });
    fixture.server.clock.wait_for_sleepers(1).await;
    fixture.code("Bank <no-reply@bank.example>", "666666").await;
    let real = fixture.code("dana@sender.example", "482913").await;
    assert_eq!(wait_task.await.unwrap()["data"]["message_id"], real.to_string());

    let (api, path) = (fixture.api.clone(), fixture.path("&from=bank.example"));
    let wait_task = tokio::spawn(async move { api.get(&path).await.expect(200).json });
    fixture.server.clock.wait_for_sleepers(1).await;
    fixture.code("Bank <no-reply@bank.example>", "666666").await;
    fixture.server.clock.advance(1_000);
    assert_eq!(wait_task.await.unwrap(), json!({ "data": null }), "only a forged one arrived");
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_code_from_an_unauthenticated_sender_is_marked_everywhere() {
    let fixture = Fixture::new().await;
    fixture.server.dns.remove(ENVELOPE);
    fixture.server.dns.txt(ENVELOPE, "v=spf1 -all");
    // SPF and DMARC fail; only SPF fails; only SPF fails for a domain without DMARC.
    for (author, label) in [
        ("no-reply@bank.example", "dmarc-fail"),
        ("dana@sender.example", "spf-fail"),
        ("eve@unpublished.example", "spf-fail"),
    ] {
        let id = fixture.code(author, "666666").await.to_string();
        let message = fixture.api.get(&format!("/v1/messages/{id}")).await.expect(200);
        assert!(message["labels"].as_array().unwrap().contains(&json!(label)), "{message}");
        let list = fixture.api.get(&format!("/v1/inboxes/{}/messages?limit=1", fixture.inbox.id)).await.expect(200);
        let log = fixture.api.get("/v1/events?types=message.received&limit=100").await.expect(200);
        let logged = &log.data().last().unwrap()["data"]["message"];
        for shown in [&message.json, &list.data()[0], logged] {
            assert_eq!((&shown["id"], &shown["ai"]["verification"]["auth_failed"]), (&json!(id), &json!(true)));
        }
    }
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_code_from_an_authenticated_sender_is_not_marked() {
    let fixture = Fixture::new().await;
    let id = fixture.code("dana@sender.example", "482913").await;
    let message = fixture.api.get(&format!("/v1/messages/{id}")).await.expect(200);
    assert_eq!(message["ai"]["verification"]["auth_failed"], json!(null), "{message}");
    assert_eq!(message["labels"], json!([]));
    assert_eq!(
        fixture.server.api(&fixture.key).get(&fixture.path("&since=2020-01-01")).await["data"]["code"],
        "482913"
    );
    fixture.server.finish().await;
}
