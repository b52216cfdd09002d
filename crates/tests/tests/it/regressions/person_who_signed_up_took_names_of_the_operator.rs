//! The workspace of a person who signed up counted as one of the operator where only the operator makes workspaces: in the
//! loopback profile, and after `signup.enabled` was turned off.

use posthouse_app::settings::DeliveryMode;
use posthouse_domain::plan::Plan;
use posthouse_store::{Tx, p, statements};
use posthouse_tests::{ServerOptions, TestServer, http::Api};
use serde_json::json;

statements! {
    SET_ORIGIN = "UPDATE workspaces SET origin = $2 WHERE id = $1";
    ORIGIN = "SELECT origin FROM workspaces WHERE id = $1";
}

const OF_THE_OPERATOR: &[&str] = &["support", "billing", "help", "postmaster", "security"];

async fn assert_ordinary(api: &Api) {
    for name in OF_THE_OPERATOR {
        for path in ["/v1/inboxes", "/v1/identities"] {
            api.post(path, json!({ "username": name })).await.invalid_fields(&["username"]);
        }
    }
    for name in ["Posthouse Security", "Posthouse", "Mail Delivery System"] {
        api.post("/v1/inboxes", json!({ "display_name": name })).await.invalid_fields(&["display_name"]);
    }
    api.post("/v1/inboxes", json!({ "username": "assistant", "display_name": "Ada" })).await.expect(201);
}

#[tokio::test]
async fn a_person_who_signs_up_gets_ordinary_names() {
    for is_first in [true, false] {
        let options = ServerOptions::default().configure(|config| config.delivery.mode = DeliveryMode::Capture);
        let server = TestServer::start(options).await;
        if !is_first {
            let owner = server.api(&server.workspace(Plan::Team).await);
            owner.post("/v1/inboxes", json!({ "username": "support" })).await.expect(201);
            owner.post("/v1/inboxes", json!({ "display_name": "Posthouse Security" })).await.expect(201);
            server.clock.advance(1);
        }
        server.request_link("ada@x.example").await;
        let lines = server.log.lines();
        let link = lines.iter().rfind(|line| line.text.contains("sign_in.captured")).expect("a link").text.clone();
        let token: String =
            link.split_once("#token=").unwrap().1.chars().take_while(char::is_ascii_alphanumeric).collect();
        let reply = server.anonymous().post("/platform/auth/verify", json!({ "token": token })).await.expect(200);
        let ada = server.browser(&reply);
        assert_ordinary(&ada).await;
        let workspace: posthouse_domain::id::WorkspaceId = reply["org"]["id"].as_str().unwrap().parse().unwrap();
        let origin = server.store().read(move |tx: &mut Tx| tx.value::<String>(&ORIGIN, p![workspace])).await;
        assert_eq!(origin.unwrap().as_deref(), Some("person"));
        server.finish().await;
    }
}

#[tokio::test]
async fn names_follow_who_made_the_workspace() {
    for (origin, signs_up, is_loopback, has_names) in [
        ("operator", true, true, true),
        ("operator", false, false, true),
        // There the operator makes the workspaces of customers too.
        ("operator", true, false, false),
        ("person", true, true, false),
        ("person", false, false, false),
        ("agent", true, true, false),
        ("agent", false, false, false),
    ] {
        let options = ServerOptions::default().configure(move |config| {
            config.app.signup.enabled = signs_up;
            config.delivery.mode = if is_loopback { DeliveryMode::Capture } else { DeliveryMode::Direct };
        });
        let server = TestServer::start(options).await;
        server.workspace(Plan::Team).await;
        server.clock.advance(1);
        let key = server.workspace(Plan::Team).await;
        let id = key.workspace;
        server.store().write(move |tx: &mut Tx| tx.exec(&SET_ORIGIN, p![id, origin])).await.unwrap();
        let reply = server.api(&key).post("/v1/inboxes", json!({ "username": "support" })).await;
        assert_eq!(reply.status == 201, has_names, "{origin}, sign-up: {signs_up}, loopback: {is_loopback}");
        server.finish().await;
    }
}
