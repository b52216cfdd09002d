//! Limits of mail to one address didn't hold for a mailbox: `name+1@`, `name+2@` and so on reach the same person, as do
//! `n.ame@gmail.com` and `name@googlemail.com`.

use posthouse_app::settings::DeliveryMode;
use posthouse_domain::plan::Plan;
use posthouse_tests::{ServerOptions, TestServer};
use serde_json::json;

async fn capturing() -> TestServer {
    TestServer::start(ServerOptions::default().configure(|config| config.delivery.mode = DeliveryMode::Capture)).await
}

#[tokio::test]
async fn invitations_are_counted_by_mailbox() {
    let server = capturing().await;
    let key = server.workspace(Plan::Team).await;
    let owner = server.owner_session(&key).await;
    for at in 0..3 {
        owner.post("/platform/members", json!({ "email": format!("pat+{at}@x.example") })).await.expect(202);
    }
    for email in ["pat+4@x.example", "Pat@X.example"] {
        let refused = owner.post("/platform/members", json!({ "email": email })).await.error("rate_limited");
        assert_eq!(refused["error"]["details"]["limit"], "invitations_per_recipient");
        assert!(refused.header("retry-after").is_some());
    }
    // A person who is removed and invited again is the same mailbox.
    let members = owner.get("/platform/members").await.expect(200);
    let first = members.data().iter().find(|one| one["email"] == "pat+0@x.example").unwrap()["id"].clone();
    owner.delete(&format!("/platform/members/{}", first.as_str().unwrap())).await.expect(204);
    owner.post("/platform/members", json!({ "email": "pat+0@x.example" })).await.error("rate_limited");
    // Another workspace can't send more, and others still get theirs.
    let other = server.workspace(Plan::Team).await;
    let elsewhere = server.owner_session(&other).await;
    elsewhere.post("/platform/members", json!({ "email": "pat+9@x.example" })).await.error("rate_limited");
    elsewhere.post("/platform/members", json!({ "email": "kim@x.example" })).await.expect(202);
    server.advance(24 * 3_600_000).await;
    owner.post("/platform/members", json!({ "email": "pat@x.example" })).await.expect(202);
    server.finish().await;
}

#[tokio::test]
async fn confirmations_are_counted_by_mailbox() {
    let server = capturing().await;
    let key = server.workspace(Plan::Team).await;
    let api = server.api(&key);
    server.inbox(&key).await;
    let contacts: Vec<String> = (0..5).map(|at| format!("pat+{at}@x.example")).collect();
    api.put("/v1/escalation", json!({ "contacts": contacts })).await.expect(200);
    let refused = api.put("/v1/escalation", json!({ "contacts": ["pat@x.example"] })).await.error("rate_limited");
    assert_eq!(refused["error"]["details"]["limit"], "confirmations_per_address");
    server.finish().await;
}

#[tokio::test]
async fn dots_and_another_domain_of_the_provider_renewed_the_limits() {
    let same =
        ["ann.x@gmail.com", "a.nnx@gmail.com", "annx+1@googlemail.com", "an.n.x@googlemail.com", "an.nx@gmail.com"];
    let server = capturing().await;
    let key = server.workspace(Plan::Team).await;
    let owner = server.owner_session(&key).await;
    for (at, email) in same.into_iter().enumerate() {
        let reply = owner.post("/platform/members", json!({ "email": email })).await;
        match at {
            0..3 => drop(reply.expect(202)),
            _ => assert_eq!(reply.error("rate_limited")["error"]["details"]["limit"], "invitations_per_recipient"),
        }
    }
    let api = server.api(&key);
    server.inbox(&key).await;
    api.put("/v1/escalation", json!({ "contacts": same })).await.expect(200);
    let refused = api.put("/v1/escalation", json!({ "contacts": ["a.n.n.x@gmail.com"] })).await.error("rate_limited");
    assert_eq!(refused["error"]["details"]["limit"], "confirmations_per_address");
    server.finish().await;
}

#[tokio::test]
async fn an_invitation_shows_no_link_but_its_own() {
    let server = capturing().await;
    let key = server.workspace(Plan::Team).await;
    let owner = server.owner_session(&key).await;
    for (name, email, shown) in [
        ("You won: https://evil.example/prize", "ana@x.example", "You are invited to a workspace on "),
        ("Lamps and More", "bob@x.example", "You are invited to the workspace Lamps and More on "),
    ] {
        owner.patch("/platform/org", json!({ "name": name })).await.expect(200);
        owner.post("/platform/members", json!({ "email": email })).await.expect(202);
        server.settle().await;
        let mail = server.sign_in_mail(&key, email).await;
        assert!(mail.text.contains(shown) && !mail.text.contains("evil.example"), "{}", mail.text);
    }
    server.finish().await;
}
