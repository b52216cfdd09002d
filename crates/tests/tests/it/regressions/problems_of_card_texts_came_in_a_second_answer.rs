//! A card with a wrong URL and with HTML in its description was refused twice: first for the one, then for the other.

use serde_json::json;

use crate::routes::directory::{Agent, open};

#[tokio::test]
async fn problems_of_texts_and_handles_are_reported_with_the_others() {
    let server = open().await;
    let agent = Agent::open(&server, "bot").await;
    let skill = json!({ "id": "A", "name": "evil.shop", "tags": ["a@b.example"] });
    let change = json!({
        "name": "<b>", "description": "See example.net", "documentation_url": "http://x", "handle": "-a", "nme": 1,
        "capabilities": { "skills": [skill] },
    });
    let fields = [
        "capabilities.skills[0].id",
        "capabilities.skills[0].name",
        "capabilities.skills[0].tags[0]",
        "description",
        "documentation_url",
        "handle",
        "name",
        "nme",
    ];
    agent.api.patch(&agent.path(), change.clone()).await.invalid_fields(&fields);
    let nested: Vec<String> = fields.iter().map(|field| format!("card.{field}")).collect();
    let mut nested: Vec<&str> = nested.iter().map(String::as_str).collect();
    nested.push("usernme");
    agent.api.post("/v1/inboxes", json!({ "card": change, "usernme": "x" })).await.invalid_fields(&nested);
    agent.api.patch(&agent.path(), json!({ "handle": "-a" })).await.error("invalid_handle");
    agent.api.put("/v1/directory/handle", json!({ "handle": "-a", "x": 1 })).await.invalid_fields(&["handle", "x"]);
    server.finish().await;
}
