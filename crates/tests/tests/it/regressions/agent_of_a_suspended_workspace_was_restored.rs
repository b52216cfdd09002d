//! `restore` answered 200 while the operator had suspended the workspace, although the agent stayed suspended.

use posthouse_domain::plan::Plan;
use posthouse_store::{Tx, p, statements};
use serde_json::json;

use crate::routes::directory::{Agent, open};

statements! {
    SET_STATUS = "UPDATE workspaces SET status = $2 WHERE id = $1";
}

#[tokio::test]
async fn a_suspension_of_the_workspace_refuses_a_restoration() {
    let server = open().await;
    let owner = server.workspace(Plan::Team).await;
    let agent = Agent::of(server.api(&owner), "bot").await;
    agent.card(json!({})).await;
    agent.api.post(&format!("{}/revoke", agent.path()), json!({})).await.expect(200);
    let workspace = owner.workspace;
    let set = |status: &'static str| move |tx: &mut Tx| tx.exec(&SET_STATUS, p![workspace, status]);
    server.store().write(set("suspended")).await.unwrap();
    let restore = format!("{}/restore", agent.path());
    agent.api.post_empty(&restore).await.error("agent_suspended");
    server.store().write(set("active")).await.unwrap();
    assert_eq!(agent.api.get(&agent.path()).await.expect(200)["status"], "revoked", "nothing was restored meanwhile");
    assert_eq!(agent.api.post_empty(&restore).await.expect(200)["status"], "active");
    server.finish().await;
}
