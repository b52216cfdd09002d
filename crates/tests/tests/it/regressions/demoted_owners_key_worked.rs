//! An owner who lost the role kept a working org-wide key, which only owners may make, and nobody was told.

use posthouse_app::settings::DeliveryMode;
use posthouse_domain::plan::Plan;
use posthouse_tests::{ServerOptions, TestServer, fixtures::TestKey, http::Api};
use serde_json::{Value, json};

const ANA: &str = "ana@x.example";

struct Fixture {
    server: TestServer,
    key: TestKey,
    owner: Api,
    ana: Api,
    ana_path: String,
}

impl Fixture {
    async fn open() -> Self {
        let capture = ServerOptions::default().configure(|config| config.delivery.mode = DeliveryMode::Capture);
        let server = TestServer::start(capture).await;
        let key = server.workspace(Plan::Team).await;
        let owner = server.owner_session(&key).await;
        owner.post("/platform/members", json!({ "email": ANA, "role": "owner" })).await.expect(202);
        server.settle().await;
        let mail = server.sign_in_mail(&key, ANA).await;
        let reply = server.anonymous().post("/platform/auth/verify", json!({ "token": mail.token })).await.expect(200);
        let ana = server.accept_invitation(&server.browser(&reply)).await;
        let me = ana.get("/platform/me").await.expect(200);
        let ana_path = format!("/platform/members/{}", me["user"]["id"].as_str().unwrap());
        Self { server, key, owner, ana, ana_path }
    }

    /// Creates a key of Ana and returns a client with it.
    async fn key_of_ana(&self, body: Value) -> Api {
        let made = self.ana.post("/platform/api-keys", body).await.expect(201);
        self.server.anonymous().with_key(made["key"].as_str().unwrap())
    }

    async fn role_of_ana(&self) -> Value {
        let me = self.ana.get("/platform/me").await.expect(200);
        me["user"]["role"].clone()
    }
}

#[tokio::test]
async fn a_demotion_asks_about_org_wide_keys() {
    for (choice, works) in [("revoke", false), ("take_over", true)] {
        let fixture = Fixture::open().await;
        let inbox = fixture.server.inbox(&fixture.key).await;
        let org = fixture.key_of_ana(json!({ "name": "everything", "scope": "org" })).await;
        let kept = [
            fixture.key_of_ana(json!({ "name": "plain" })).await,
            fixture.key_of_ana(json!({ "name": "agent", "inbox_id": inbox.id.to_string() })).await,
        ];
        let to_member = json!({ "role": "member" });
        let refused = fixture.owner.patch(&fixture.ana_path, to_member.clone()).await.error("member_has_keys");
        let named = refused["error"]["details"]["api_keys"].as_array().unwrap();
        assert!(named.len() == 1 && named[0].as_str().unwrap().contains("everything"), "{refused}");
        assert_eq!(fixture.role_of_ana().await, "owner");
        let with = |keys: &str| format!("{}?keys={keys}", fixture.ana_path);
        fixture.owner.patch(&with("keep"), to_member.clone()).await.invalid_fields(&["keys"]);
        fixture.ana.patch(&with("take_over"), to_member.clone()).await.error("forbidden");
        // Nothing ends for an owner who stays one.
        fixture.owner.patch(&with("revoke"), json!({ "role": "owner" })).await.expect(200);
        org.get("/v1/threads").await.expect(200);
        fixture.owner.patch(&with(choice), to_member.clone()).await.expect(200);
        assert_eq!(fixture.role_of_ana().await, "member");
        let reply = org.post("/v1/emergency-stop", json!({ "reason": "Mine." })).await;
        if works {
            reply.expect(200);
        } else {
            reply.error("unauthorized");
        }
        for key in &kept {
            key.get("/v1/threads").await.expect(200);
        }
        let me = fixture.owner.get("/platform/me").await.expect(200);
        let listed = fixture.owner.get("/platform/api-keys").await.expect(200);
        let mine = listed.data().iter().find(|key| key["name"] == "everything").unwrap();
        assert_eq!((mine["revoked_at"].is_null(), mine["owner"]["id"] == me["user"]["id"]), (works, works), "{mine}");
        // Nothing is left to ask about.
        fixture.owner.patch(&fixture.ana_path, to_member).await.expect(200);
        fixture.server.settle().await;
        fixture.server.finish().await;
    }
}

#[tokio::test]
async fn an_owner_gives_up_the_role_with_the_keys() {
    let fixture = Fixture::open().await;
    let org = fixture.key_of_ana(json!({ "name": "everything", "scope": "org" })).await;
    fixture.ana.patch(&fixture.ana_path, json!({ "role": "member" })).await.error("member_has_keys");
    fixture.ana.patch(&format!("{}?keys=revoke", fixture.ana_path), json!({ "role": "member" })).await.expect(200);
    org.get("/v1/threads").await.error("unauthorized");
    fixture.server.finish().await;
}

/// A request that was authorized before the demotion stored a key after it.
#[tokio::test]
async fn an_org_wide_key_during_the_demotion_is_refused() {
    for unit in 1.. {
        let fixture = Fixture::open().await;
        let ana = fixture.ana.clone();
        let mut creating = tokio::spawn(async move {
            drop(ana.post("/platform/api-keys", json!({ "name": "late", "scope": "org" })).await);
        });
        let paused = fixture.server.break_after(unit).hit_before(&mut creating).await;
        let is_over = paused.is_err();
        let path = format!("{}?keys=revoke", fixture.ana_path);
        fixture.owner.patch(&path, json!({ "role": "member" })).await.expect(200);
        drop(paused);
        if !is_over {
            creating.await.unwrap();
        }
        let listed = fixture.owner.get("/platform/api-keys").await.expect(200);
        let late = listed.data().iter().find(|key| key["name"] == "late");
        assert!(late.is_none_or(|key| !key["revoked_at"].is_null()), "after unit {unit}: {listed}");
        fixture.server.finish().await;
        if is_over {
            assert!(unit > 1, "the breakpoints were hit");
            return;
        }
    }
}
