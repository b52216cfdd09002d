//! The `fix` of a stopped workspace named the configuration file and the data directory of the server, as the operator typed
//! them, to every tenant.

use posthouse_app::settings::DeliveryMode;
use posthouse_domain::plan::Plan;
use posthouse_store::{Tx, p, statements};
use posthouse_tests::{ServerOptions, TestServer, fixtures::TestKey};
use serde_json::json;

statements! {
    SET_ORIGIN = "UPDATE workspaces SET origin = $2 WHERE id = $1";
}

const OPTIONS: &str = " --config /etc/posthouse/posthouse.toml --data-dir /var/lib/posthouse";

/// Stops a workspace, and returns the advice that a send gets.
async fn fix_of_a_send(server: &TestServer, key: &TestKey) -> String {
    let (api, inbox) = (server.api(key), server.inbox(key).await);
    api.post("/v1/emergency-stop", json!({ "reason": "Look first." })).await.expect(200);
    let body = json!({ "to": inbox.address, "subject": "Plan", "text": "Here." });
    let refused = api.post(&format!("/v1/inboxes/{}/messages", inbox.id), body).await.error("workspace_stopped");
    refused.json["error"]["fix"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn only_the_operator_reads_the_options_of_the_command() {
    let options = ServerOptions::default().configure(|config| {
        config.app.signup.enabled = true;
        config.app.delivery.mode = DeliveryMode::Direct;
        config.app.command_options = " --config posthouse.toml".to_owned();
        config.app.command_options_absolute = OPTIONS.to_owned();
    });
    let server = TestServer::start(options).await;
    let operator = server.workspace(Plan::Team).await;
    server.clock.advance(1);
    let tenant = server.workspace(Plan::Team).await;
    let id = tenant.workspace;
    server.store().write(move |tx: &mut Tx| tx.exec(&SET_ORIGIN, p![id, "person"])).await.unwrap();

    let fix = fix_of_a_send(&server, &operator).await;
    assert!(fix.contains(&format!("`posthouse workspace set ID --resume{OPTIONS}`")), "{fix}");
    let fix = fix_of_a_send(&server, &tenant).await;
    assert!(fix.contains("Ask an owner") && !fix.contains("--config") && !fix.contains('/'), "{fix}");
    server.finish().await;
}
