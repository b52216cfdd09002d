//! `invalid_handle` didn't say which field has the wrong handle.

use serde_json::json;

use crate::routes::directory::{Agent, open};

#[tokio::test]
async fn a_wrong_handle_names_its_field() {
    let server = open().await;
    let agent = Agent::open(&server, "bot").await;
    let wrong = json!({ "handle": "a_b" });
    let create = json!({ "card": { "handle": "a_b" } });
    for (reply, path) in [
        (agent.api.put("/v1/directory/handle", wrong.clone()).await, "handle"),
        (agent.api.patch(&agent.path(), wrong).await, "handle"),
        (agent.api.get("/v1/directory/resolve?handle=acme/bot").await, "handle"),
        (agent.api.post("/v1/inboxes", create.clone()).await, "card.handle"),
        (agent.api.post("/v1/identities", create).await, "card.handle"),
    ] {
        let refused = reply.error("invalid_handle");
        let fields = refused["error"]["details"]["fields"].as_array().unwrap();
        assert_eq!((fields.len(), &fields[0]["path"]), (1, &json!(path)), "{refused}");
        assert!(!fields[0]["problem"].as_str().unwrap().is_empty());
    }
    server.finish().await;
}
