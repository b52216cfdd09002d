//! Codes in mail whose sender failed authentication (docs/journeys/receiving.md, The author): skipped unless asked for, and marked wherever they are
//! shown.

use posthouse_domain::{id::MessageId, plan::Plan};
use posthouse_tests::{
    TestServer,
    fixtures::{TestInbox, TestKey},
    http::Api,
};
use serde_json::json;

/// The envelope sender of mail that [`TestServer::arrive`] stores.
const ENVELOPE: &str = "sender.example";

struct World {
    server: TestServer,
    key: TestKey,
    api: Api,
    inbox: TestInbox,
}

impl World {
    /// `bank.example` and `sender.example` have DMARC records; mail from here is authorised by `sender.example` alone.
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
        self.server.arrive(&self.inbox, mail).await
    }

    fn path(&self, query: &str) -> String {
        format!("/v1/inboxes/{}/verification?timeout=1{query}", self.inbox.id)
    }
}

#[tokio::test]
async fn a_code_of_a_forged_sender_is_not_handed_out_however_new_it_is() {
    let world = World::new().await;
    let real = world.code("dana@sender.example", "482913").await;
    let forged = world.code("Bank <no-reply@bank.example>", "666666").await;
    let found = world.api.get(&world.path("&since=2020-01-01")).await.expect(200);
    let shown = (&found["data"]["message_id"], &found["data"]["code"], &found["data"]["auth_failed"]);
    assert_eq!(shown, (&json!(real.to_string()), &json!("482913"), &json!(null)));
    let found = world.api.get(&world.path("&since=2020-01-01&include_unauthenticated=true")).await.expect(200);
    let shown = (&found["data"]["message_id"], &found["data"]["code"], &found["data"]["auth_failed"]);
    assert_eq!(shown, (&json!(forged.to_string()), &json!("666666"), &json!(true)));
    world.server.finish().await;
}

#[tokio::test]
async fn a_code_of_a_forged_sender_ends_no_wait() {
    let world = World::new().await;
    let (api, path) = (world.api.clone(), world.path(""));
    let waiting = tokio::spawn(async move { api.get(&path).await.expect(200).json });
    world.server.clock.waiting(1).await;
    world.code("Bank <no-reply@bank.example>", "666666").await;
    let real = world.code("dana@sender.example", "482913").await;
    assert_eq!(waiting.await.unwrap()["data"]["message_id"], real.to_string());

    let (api, path) = (world.api.clone(), world.path("&from=bank.example"));
    let waiting = tokio::spawn(async move { api.get(&path).await.expect(200).json });
    world.server.clock.waiting(1).await;
    world.code("Bank <no-reply@bank.example>", "666666").await;
    world.server.clock.advance(1_000);
    assert_eq!(waiting.await.unwrap(), json!({ "data": null }), "nothing but a forged one came");
    world.server.finish().await;
}

#[tokio::test]
async fn a_failed_sender_is_marked_wherever_the_code_is_shown() {
    let world = World::new().await;
    world.server.dns.remove(ENVELOPE);
    world.server.dns.txt(ENVELOPE, "v=spf1 -all");
    // SPF fails, and so does DMARC; SPF alone; SPF alone of a domain without DMARC.
    for (author, label) in [
        ("no-reply@bank.example", "dmarc-fail"),
        ("dana@sender.example", "spf-fail"),
        ("eve@unpublished.example", "spf-fail"),
    ] {
        let id = world.code(author, "666666").await.to_string();
        let message = world.api.get(&format!("/v1/messages/{id}")).await.expect(200);
        assert!(message["labels"].as_array().unwrap().contains(&json!(label)), "{message}");
        let list = world.api.get(&format!("/v1/inboxes/{}/messages?limit=1", world.inbox.id)).await.expect(200);
        let log = world.api.get("/v1/events?types=message.received&limit=100").await.expect(200);
        let told = &log.data().last().unwrap()["data"]["message"];
        for shown in [&message.json, &list.data()[0], told] {
            assert_eq!((&shown["id"], &shown["ai"]["verification"]["auth_failed"]), (&json!(id), &json!(true)));
        }
    }
    world.server.finish().await;
}

#[tokio::test]
async fn a_sender_that_passed_is_not_marked() {
    let world = World::new().await;
    let id = world.code("dana@sender.example", "482913").await;
    let message = world.api.get(&format!("/v1/messages/{id}")).await.expect(200);
    assert_eq!(message["ai"]["verification"]["auth_failed"], json!(null), "{message}");
    assert_eq!(message["labels"], json!([]));
    assert_eq!(world.server.api(&world.key).get(&world.path("&since=2020-01-01")).await["data"]["code"], "482913");
    world.server.finish().await;
}
