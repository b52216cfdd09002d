//! An owner who was removed or lost the role had invited friends before, and they became owners later.

use posthouse_app::settings::DeliveryMode;
use posthouse_domain::plan::Plan;
use posthouse_tests::{ServerOptions, TestServer, fixtures::TestKey, http::Api};
use serde_json::json;

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
        let ana = server.accept_invitation(&sign_in(&server, &key, ANA).await).await;
        let me = ana.get("/platform/me").await.expect(200);
        let ana_path = format!("/platform/members/{}", me["user"]["id"].as_str().unwrap());
        Self { server, key, owner, ana, ana_path }
    }

    async fn invite(&self, by: &Api, role: &str) -> String {
        let whose = if std::ptr::eq(by, &self.ana) { "ana" } else { "owner" };
        let email = format!("{role}-by-{whose}@x.example");
        by.post("/platform/members", json!({ "email": email, "role": role })).await.expect(202);
        self.server.settle().await;
        email
    }

    /// Returns whether a person can still accept the invitation.
    async fn joins(&self, email: &str) -> bool {
        let mail = self.server.sign_in_mail(&self.key, email).await;
        let reply = self.server.anonymous().post("/platform/auth/verify", json!({ "token": mail.token })).await;
        if reply.status != 200 {
            return false;
        }
        let person = self.server.browser(&reply);
        let me = person.get("/platform/me").await.expect(200);
        let Some(id) = me["invitations"][0]["id"].as_str() else { return false };
        person.post_empty(&format!("/platform/invitations/{id}/accept")).await.expect(200);
        true
    }
}

/// Signs a person in with the newest link that was mailed to the address.
async fn sign_in(server: &TestServer, key: &TestKey, email: &str) -> Api {
    server.settle().await;
    let mail = server.sign_in_mail(key, email).await;
    server.browser(&server.anonymous().post("/platform/auth/verify", json!({ "token": mail.token })).await.expect(200))
}

#[tokio::test]
async fn invitations_end_with_the_right_to_send_them() {
    for (change, by_ana, role, works) in [
        ("removed", true, "owner", false),
        ("removed", true, "member", false),
        ("demoted", true, "owner", false),
        ("demoted", true, "member", true),
        ("removed", false, "owner", true),
        ("demoted", false, "owner", true),
        // Sent again by an owner who stays.
        ("removed", true, "again", true),
        ("left", true, "owner", false),
    ] {
        let fixture = Fixture::open().await;
        let by = if by_ana { &fixture.ana } else { &fixture.owner };
        let email = fixture.invite(by, if role == "again" { "owner" } else { role }).await;
        if role == "again" {
            fixture.server.advance(60_000).await;
            fixture.owner.post("/platform/members", json!({ "email": email, "role": "owner" })).await.expect(202);
            fixture.server.settle().await;
        }
        match change {
            "removed" => fixture.owner.delete(&fixture.ana_path).await.expect(204),
            "left" => fixture.ana.delete(&fixture.ana_path).await.expect(204),
            _ => fixture.owner.patch(&fixture.ana_path, json!({ "role": "member" })).await.expect(200),
        };
        let members = fixture.owner.get("/platform/members").await.expect(200);
        assert_eq!(members.data().iter().any(|one| one["email"] == email), works, "{change}: {members}");
        assert_eq!(fixture.joins(&email).await, works, "{change}: an invitation as {role}, by Ana: {by_ana}");
        fixture.server.finish().await;
    }
}

/// A request that was authorized before the removal stored an invitation after it.
#[tokio::test]
async fn an_invitation_during_the_removal_is_refused() {
    for unit in 1.. {
        let fixture = Fixture::open().await;
        let ana = fixture.ana.clone();
        let body = json!({ "email": "late@x.example", "role": "owner" });
        let mut inviting = tokio::spawn(async move { drop(ana.post("/platform/members", body).await) });
        let paused = fixture.server.break_after(unit).hit_before(&mut inviting).await;
        let is_over = paused.is_err();
        fixture.owner.delete(&fixture.ana_path).await.expect(204);
        drop(paused);
        if !is_over {
            inviting.await.unwrap();
        }
        let members = fixture.owner.get("/platform/members").await.expect(200);
        assert!(!members.data().iter().any(|one| one["email"] == "late@x.example"), "after unit {unit}: {members}");
        fixture.server.settle().await;
        fixture.server.finish().await;
        if is_over {
            assert!(unit > 1, "the breakpoints were hit");
            return;
        }
    }
}
