//! Searches in the workspace and in the public directory.

use serde_json::json;

use super::{Agent, addresses, open};

#[tokio::test]
async fn a_search_compares_parts_of_texts_and_whole_capabilities() {
    let server = open().await;
    let one = Agent::open(&server, "one").await;
    let two = Agent::of(one.api.clone(), "two").await;
    let hidden = Agent::of(one.api.clone(), "hidden").await;
    let skill = json!({ "id": "quote.create", "name": "Angebote", "description": "Nicht durchsucht?", "tags": ["Stahl"], "oasf": 10201 });
    let capabilities = json!({ "skills": [skill], "accepts_types": ["task"] });
    server.clock.advance(1);
    one.card(json!({ "name": "Über Bot", "visibility": "workspace", "capabilities": capabilities })).await;
    server.clock.advance(1);
    two.card(json!({ "name": "日本語サポート", "description": "100% sure_thing", "visibility": "workspace" })).await;
    hidden.card(json!({ "name": "Über Geheim" })).await;
    let (a, b) = (one.address.clone(), two.address.clone());
    for (query, expected) in [
        ("", vec![b.clone(), a.clone()]),
        ("q=%C3%BCber", vec![a.clone()]),
        ("q=BER%20B", vec![a.clone()]),
        ("q=ngebot", vec![a.clone()]),
        ("q=tahl", vec![a.clone()]),
        ("q=%E6%9C%AC", vec![b.clone()]),
        ("q=%E8%AA%9E%E3%82%B5", vec![b.clone()]),
        ("q=0%25", vec![b.clone()]),
        ("q=e_t", vec![b.clone()]),
        ("q=e.t", vec![]),
        ("q=geheim", vec![]),
        ("q=bot%20angebote", vec![]),
        ("capability=quote.create", vec![a.clone()]),
        ("capability=Stahl", vec![a.clone()]),
        ("capability=10201", vec![a.clone()]),
        ("capability=stahl", vec![]),
        ("capability=quote", vec![]),
        ("type=task", vec![a.clone()]),
        ("type=message", vec![b.clone()]),
        ("type=task&q=100", vec![]),
        ("type=event", vec![]),
    ] {
        assert_eq!(one.search(query).await, expected, "{query}");
    }
    two.api.delete(&two.path()).await.expect(204);
    assert_eq!(one.search("").await, [a]);
    let other = Agent::open(&server, "other").await;
    assert_eq!(other.search("").await, [] as [String; 0]);
    server.finish().await;
}

#[tokio::test]
async fn a_search_has_pages_and_bound_cursors() {
    let server = open().await;
    let first = Agent::open(&server, "a0").await;
    let mut all = vec![first.address.clone()];
    first.card(json!({ "name": "Agent", "visibility": "workspace" })).await;
    for n in 1..5 {
        server.clock.advance(1);
        let agent = Agent::of(first.api.clone(), &format!("a{n}")).await;
        agent.card(json!({ "name": "Agent", "visibility": "workspace" })).await;
        all.insert(0, agent.address);
    }
    let (mut found, mut path) = (Vec::new(), "/v1/directory/search?q=gen&limit=2".to_owned());
    let mut cursors = Vec::new();
    loop {
        let page = first.api.get(&path).await.expect(200).json;
        found.extend(addresses(&page));
        let Some(cursor) = page["next_cursor"].as_str() else { break };
        cursors.push(cursor.to_owned());
        path = format!("/v1/directory/search?q=gen&limit=2&cursor={cursor}");
    }
    assert_eq!((found, cursors.len()), (all, 2));
    first.api.get(&format!("/v1/directory/search?q=age&cursor={}", cursors[0])).await.error("invalid_cursor");
    first.api.get("/v1/directory/search?limit=51").await.invalid_fields(&["limit"]);
    first.api.get("/v1/directory/search?limit=0").await.invalid_fields(&["limit"]);
    first.api.get("/v1/directory/search?q=").await.invalid_fields(&["q"]);
    first.api.get("/v1/directory/search?scope=all").await.invalid_fields(&["scope"]);
    server.finish().await;
}

#[tokio::test]
async fn the_public_directory_has_listed_cards_of_every_workspace() {
    let server = open().await;
    let (one, two) = (Agent::open(&server, "one").await, Agent::open(&server, "two").await);
    one.card(json!({ "name": "Inner", "visibility": "workspace" })).await;
    server.clock.advance(1);
    two.list(&server, "Outer").await;
    assert_eq!(one.search("scope=public").await, std::slice::from_ref(&two.address));
    assert_eq!(one.search("scope=public&q=inner").await, [] as [String; 0]);
    assert_eq!(one.search("scope=workspace").await, std::slice::from_ref(&one.address));
    let card = two.api.get("/v1/directory/search?scope=public").await.expect(200).data()[0].clone();
    assert_eq!(card["listing"]["state"], "listed", "the own workspace sees its full card");
    server.finish().await;
}
