//! A person who ignored an invitation and signed in with a plain link was in the workspace of the inviter.

use posthouse_app::settings::DeliveryMode;
use posthouse_call::Access;
use posthouse_domain::plan::Plan;
use posthouse_tests::{ServerOptions, TestServer, fixtures::TestKey, http::Api};
use serde_json::json;

use crate::contracts::permissions::path;

const ANA: &str = "ana@x.example";
const WEEK_MS: i64 = 7 * 24 * 3_600_000;

async fn server(signs_up: bool) -> TestServer {
    let change = move |config: &mut posthouse_server::config::Configuration| {
        config.delivery.mode = DeliveryMode::Capture;
        config.app.signup.enabled = signs_up;
    };
    TestServer::start(ServerOptions::default().configure(change)).await
}

async fn invite(server: &TestServer, key: &TestKey) -> Api {
    let owner = server.owner_session(key).await;
    owner.patch("/platform/org", json!({ "name": "Lamps and More" })).await.expect(200);
    owner.post("/platform/members", json!({ "email": ANA, "role": "member" })).await.expect(202);
    server.settle().await;
    owner
}

/// Signs in with the newest link that the log names.
async fn sign_in(server: &TestServer) -> Api {
    let lines = server.log.lines();
    let mut links = lines.iter().filter(|line| line.text.contains("sign_in.captured") && line.text.contains(ANA));
    let text = links.next_back().expect("a captured link").text.clone();
    let token: String = text.split_once("#token=").unwrap().1.chars().take_while(char::is_ascii_alphanumeric).collect();
    server.browser(&server.anonymous().post("/platform/auth/verify", json!({ "token": token })).await.expect(200))
}

#[tokio::test]
async fn neither_link_joins() {
    for signs_up in [true, false] {
        for plain in [true, false] {
            let server = server(signs_up).await;
            let key = server.workspace(Plan::Team).await;
            let owner = invite(&server, &key).await;
            if plain {
                server.request_link(ANA).await;
            }
            let ana = sign_in(&server).await;
            let me = ana.get("/platform/me").await.expect(200);
            // A plain link makes a workspace for a person without one, where everybody may sign up.
            assert_eq!(me["org"].is_null(), !(plain && signs_up), "{me}");
            assert_ne!(me["org"]["id"], key.workspace.to_string(), "{me}");
            let invitation = &me["invitations"][0];
            assert_eq!(invitation["workspace"]["name"], "Lamps and More");
            assert_eq!(invitation["invited_by"], "owner@example.org");
            assert_eq!(invitation["role"], "member");
            let members = owner.get("/platform/members").await.expect(200);
            assert!(members.data().iter().any(|one| one["email"] == ANA && one["status"] == "invited"));
            let switch = format!("/platform/workspaces/{}/switch", key.workspace);
            ana.post_empty(&switch).await.error(if plain && signs_up { "not_found" } else { "forbidden" });
            let ana = server.accept_invitation(&ana).await;
            let me = ana.get("/platform/me").await.expect(200);
            assert_eq!((&me["org"]["id"], &me["user"]["role"]), (&json!(key.workspace.to_string()), &json!("member")));
            assert_eq!(me["invitations"], json!([]));
            server.finish().await;
        }
    }
}

#[tokio::test]
async fn a_person_without_a_workspace_reaches_nothing_but_the_invitations() {
    let server = server(false).await;
    let key = server.workspace(Plan::Team).await;
    invite(&server, &key).await;
    let ana = sign_in(&server).await;
    for route in posthouse::all_routes() {
        if matches!(route.operation.access, Access::Key(..) | Access::Session(_)) {
            ana.send(route.method(), &path(&route), None).await.error("forbidden");
        }
    }
    server.finish().await;
}

#[tokio::test]
async fn an_invitation_is_for_one_person_once_and_ends() {
    let server = server(false).await;
    let key = server.workspace(Plan::Team).await;
    let owner = invite(&server, &key).await;
    let ana = sign_in(&server).await;
    let id = ana.get("/platform/me").await.expect(200)["invitations"][0]["id"].as_str().unwrap().to_owned();
    let (accept, decline) = (format!("/platform/invitations/{id}/accept"), format!("/platform/invitations/{id}"));
    owner.post_empty(&accept).await.error("not_found");
    owner.delete(&decline).await.error("not_found");
    // Declined, expired and withdrawn invitations can't be accepted.
    ana.delete(&decline).await.expect(204);
    ana.post_empty(&accept).await.error("not_found");
    ana.delete(&decline).await.error("not_found");
    invite(&server, &key).await;
    let ana = sign_in(&server).await;
    let invitations = ana.get("/platform/me").await.expect(200)["invitations"].clone();
    assert_ne!(invitations[0]["id"], json!(id));
    let accept = format!("/platform/invitations/{}/accept", invitations[0]["id"].as_str().unwrap());
    server.advance(WEEK_MS).await;
    assert_eq!(ana.get("/platform/me").await.expect(200)["invitations"], json!([]));
    ana.post_empty(&accept).await.error("not_found");
    let owner = invite(&server, &key).await;
    let ana = sign_in(&server).await;
    let me = ana.get("/platform/me").await.expect(200);
    let accept = format!("/platform/invitations/{}/accept", me["invitations"][0]["id"].as_str().unwrap());
    owner.delete(&format!("/platform/members/{}", me["user"]["id"].as_str().unwrap())).await.expect(204);
    ana.post_empty(&accept).await.error("not_found");
    server.finish().await;
}
