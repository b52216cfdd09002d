//! An inbox that allowed `agents:verified` got no mail from any agent, and one that blocked them got all of it.

use posthouse_domain::{plan::Plan, workspace::ClaimStatus};
use posthouse_store::{Tx, p, statements};
use serde_json::json;

use crate::{inbox_fixture::InboxFixture, routes::directory::Agent};

statements! {
    SET_CLAIM = "UPDATE workspaces SET claim_status = $2 WHERE id = $1";
}

impl InboxFixture {
    /// Sends a message of the agent to the inbox, and returns whether the lists stopped it.
    async fn stops(&self, agent: &Agent) -> bool {
        self.server.clock.advance(1);
        let body = json!({ "to": self.inbox.address, "subject": "s", "text": "t" });
        agent.api.post(&format!("/v1/inboxes/{}/messages", agent.id), body).await.expect(202);
        self.server.settle().await;
        let path = format!("/v1/inboxes/{}/messages?include_blocked=true&limit=1", self.inbox.id);
        self.api.get(&path).await.expect(200).data()[0]["labels"].as_array().unwrap().contains(&json!("blocked"))
    }
}

#[tokio::test]
async fn a_verified_agent_has_a_card_an_owner_and_a_signature() {
    let fixture = InboxFixture::open().await;
    let key = fixture.server.workspace(Plan::Team).await;
    let agent = Agent::of(fixture.server.api(&key), "writer").await;
    let list = |kind: &str| json!({ "direction": "receive", "kind": kind, "pattern": "agents:verified" });
    let entry = fixture.api.post("/v1/lists", list("allow")).await.expect(201);
    assert!(fixture.stops(&agent).await, "no card");
    agent.card(json!({ "name": "Writer" })).await;
    assert!(!fixture.stops(&agent).await, "a card");
    let change = |path: &str| format!("{}/{path}", agent.path());
    agent.api.post(&change("revoke"), json!({})).await.expect(200);
    assert!(fixture.stops(&agent).await, "a revoked card isn't signed for");
    agent.api.post_empty(&change("restore")).await.expect(200);
    let claim = async |status: ClaimStatus| {
        let id = key.workspace;
        fixture.server.store().write(move |tx: &mut Tx| tx.exec(&SET_CLAIM, p![id, status])).await.unwrap();
    };
    claim(ClaimStatus::Unclaimed).await;
    assert!(fixture.stops(&agent).await, "nobody owns the workspace");
    claim(ClaimStatus::Claimed).await;
    assert!(!fixture.stops(&agent).await, "claimed");
    fixture.api.delete(&format!("/v1/lists/{}", entry.text("id"))).await.expect(204);
    fixture.api.post("/v1/lists", list("block")).await.expect(201);
    assert!(fixture.stops(&agent).await, "a block entry");
    fixture.close().await;
}
