//! The keys of a removed member kept working, and nobody was told. Nor was anybody told of the first key of a workspace, which its
//! first owner was shown.

use posthouse_app::{
    people::new_workspace::{NewWorkspace, create},
    settings::DeliveryMode,
};
use posthouse_domain::plan::Plan;
use posthouse_tests::{ServerOptions, TestServer, fixtures::TestKey, http::Api};
use serde_json::{Value, json};

const ANA: &str = "ana@x.example";

struct Fixture {
    server: TestServer,
    key: TestKey,
    owner: Api,
    ana: Api,
    ana_id: String,
}

impl Fixture {
    async fn open() -> Self {
        let change = |config: &mut posthouse_server::config::Configuration| {
            config.delivery.mode = DeliveryMode::Capture;
        };
        let server = TestServer::start(ServerOptions::default().configure(change)).await;
        let key = server.workspace(Plan::Team).await;
        let owner = server.owner_session(&key).await;
        owner.post("/platform/members", json!({ "email": ANA, "role": "owner" })).await.expect(202);
        server.settle().await;
        let mail = server.sign_in_mail(&key, ANA).await;
        let reply = server.anonymous().post("/platform/auth/verify", json!({ "token": mail.token })).await.expect(200);
        let ana = server.accept_invitation(&server.browser(&reply)).await;
        let ana_id = ana.get("/platform/me").await.expect(200)["user"]["id"].as_str().unwrap().to_owned();
        Self { server, key, owner, ana, ana_id }
    }

    /// Creates a key of Ana and returns a client with it.
    async fn key_of_ana(&self, body: Value) -> Api {
        let made = self.ana.post("/platform/api-keys", body).await.expect(201);
        self.server.anonymous().with_key(made["key"].as_str().unwrap())
    }

    fn path(&self, keys: &str) -> String {
        format!("/platform/members/{}{keys}", self.ana_id)
    }
}

#[tokio::test]
async fn a_removal_asks_about_the_keys() {
    for (choice, works) in [("revoke", false), ("take_over", true)] {
        let fixture = Fixture::open().await;
        let inbox = fixture.server.inbox(&fixture.key).await;
        let plain = fixture.key_of_ana(json!({ "name": "mine" })).await;
        let scoped = fixture.key_of_ana(json!({ "name": "agent", "inbox_id": inbox.id.to_string() })).await;
        let listed = fixture.owner.get("/platform/api-keys").await.expect(200);
        let owner_of =
            |name: &str| listed.data().iter().find(|key| key["name"] == name).expect("a listed key")["owner"].clone();
        assert_eq!(owner_of("mine"), json!({ "kind": "member", "id": fixture.ana_id }));
        assert_eq!(owner_of("agent"), json!({ "kind": "inbox", "id": inbox.id.to_string() }));
        let refused = fixture.owner.delete(&fixture.path("")).await.error("member_has_keys");
        let named = refused["error"]["details"]["api_keys"].to_string();
        assert!(named.contains("mine") && named.contains("agent"), "{refused}");
        fixture.owner.delete(&fixture.path("?keys=keep")).await.invalid_fields(&["keys"]);
        fixture.ana.delete(&fixture.path("?keys=take_over")).await.error("forbidden");
        plain.get("/v1/threads").await.expect(200);
        fixture.owner.delete(&fixture.path(&format!("?keys={choice}"))).await.expect(204);
        for key in [&plain, &scoped] {
            let reply = key.get("/v1/threads").await;
            if works {
                reply.expect(200)
            } else {
                reply.error("unauthorized")
            };
        }
        let me = fixture.owner.get("/platform/me").await.expect(200);
        let listed = fixture.owner.get("/platform/api-keys").await.expect(200);
        let mine = listed.data().iter().find(|key| key["name"] == "mine").unwrap();
        assert_eq!(mine["revoked_at"].is_null(), works);
        if works {
            assert_eq!(mine["owner"]["id"], me["user"]["id"]);
        }
        fixture.server.finish().await;
    }
}

#[tokio::test]
async fn a_member_without_active_keys_is_removed_at_once() {
    let fixture = Fixture::open().await;
    let made = fixture.ana.post("/platform/api-keys", json!({ "name": "old" })).await.expect(201);
    let id = made["api_key"]["id"].as_str().unwrap();
    fixture.ana.delete(&format!("/platform/api-keys/{id}")).await.expect(204);
    fixture.owner.delete(&fixture.path("")).await.expect(204);
    fixture.server.finish().await;
}

#[tokio::test]
async fn the_last_use_of_a_key_is_shown() {
    let fixture = Fixture::open().await;
    let key = fixture.key_of_ana(json!({ "name": "mine" })).await.with_header("User-Agent", "probe/1");
    key.get("/v1/threads").await.expect(200);
    let listed = fixture.owner.get("/platform/api-keys").await.expect(200);
    let mine = listed.data().iter().find(|key| key["name"] == "mine").unwrap();
    assert_eq!((&mine["last_used_ip"], &mine["last_used_user_agent"]), (&json!("127.0.0.1"), &json!("probe/1")));
    fixture.server.finish().await;
}

#[tokio::test]
async fn the_first_key_belongs_to_the_first_owner() {
    let change = |config: &mut posthouse_server::config::Configuration| config.delivery.mode = DeliveryMode::Capture;
    let server = TestServer::start(ServerOptions::default().configure(change)).await;
    let founder = "founder@x.example".to_owned();
    let new = NewWorkspace { name: "Acme".to_owned(), owner: founder, plan: Plan::Team };
    let made = create(server.service().clock.as_ref(), &new);
    let stored = made.clone();
    server.store().write(move |tx| stored.insert(tx)).await.unwrap();
    let first_key = server.anonymous().with_key(made.secret.reveal());
    first_key.get("/v1/threads").await.expect(200);
    let url = made.link.url("");
    let token = url.split_once("#token=").unwrap().1;
    let reply = server.anonymous().post("/platform/auth/verify", json!({ "token": token })).await.expect(200);
    let founder = server.browser(&reply);
    let listed = founder.get("/platform/api-keys").await.expect(200);
    let founder_id = founder.get("/platform/me").await.expect(200)["user"]["id"].as_str().unwrap().to_owned();
    assert_eq!(listed.data()[0]["owner"], json!({ "kind": "member", "id": founder_id }));
    founder.post("/platform/members", json!({ "email": ANA, "role": "owner" })).await.expect(202);
    server.settle().await;
    let key = TestKey { workspace: made.workspace.id, id: made.key.id, secret: made.secret.reveal().to_owned() };
    let mail = server.sign_in_mail(&key, ANA).await;
    let reply = server.anonymous().post("/platform/auth/verify", json!({ "token": mail.token })).await.expect(200);
    let ana = server.accept_invitation(&server.browser(&reply)).await;
    let path = format!("/platform/members/{founder_id}");
    let refused = ana.delete(&path).await.error("member_has_keys");
    assert!(refused["error"]["details"]["api_keys"].to_string().contains("first key"), "{refused}");
    ana.delete(&format!("{path}?keys=revoke")).await.expect(204);
    first_key.get("/v1/threads").await.error("unauthorized");
    server.finish().await;
}
