//! `/v1/public`: documents for everyone, with caching, limits and signatures.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use posthouse_mail::jose::{canonical::canonical_json, jwk::PublicJwk};
use serde_json::{Value, json};

use super::{Agent, addresses, open};

#[tokio::test]
async fn everyone_reads_the_documents_of_a_listed_agent() {
    let server = open().await;
    let agent = Agent::open(&server, "bot").await;
    agent.handle("acme", "sales").await;
    let skill = json!({ "id": "quote", "name": "Quotes", "tags": ["sales"], "oasf": "10201" });
    agent.card(json!({ "description": "Helps.", "capabilities": { "skills": [skill], "languages": ["en"] } })).await;
    agent.list(&server, "Sales bot").await;
    let anybody = server.anonymous();
    let path = format!("/v1/public/agents/{}", agent.address);
    let card = anybody.get(&path).await.expect(200)["card"].clone();
    assert_eq!((&card["name"], &card["handle"]), (&json!("Sales bot"), &json!("@acme/sales")));
    assert_eq!(agent.api.get(&path).await.expect(200)["card"], card, "a key changes nothing");
    let page = anybody.get("/v1/public/agents?q=sales&capability=quote&type=message").await.expect(200).json;
    assert_eq!((addresses(&page), &page["next_cursor"]), (vec![agent.address.clone()], &Value::Null));
    assert_eq!(page["data"][0], card);
    let oasf = anybody.get(&format!("{path}/oasf.json")).await.expect(200).json;
    assert_eq!(oasf["skills"], json!([{ "id": 10201 }]));
    assert_eq!((&oasf["authors"], &oasf["annotations"]["handle"]), (&json!(["@acme"]), &json!("@acme/sales")));
    assert_eq!(anybody.get(&format!("{path}/keys.json")).await.expect(200).json, json!({ "keys": [] }));
    let handle = anybody.get("/v1/public/handles/acme/sales").await.expect(200).json;
    assert_eq!((&handle["handle"], &handle["address"]), (&json!("@acme/sales"), &json!(agent.address)));
    assert_eq!((&handle["card"], handle.get("redirected_from")), (&card, None));
    agent.api.put("/v1/directory/handle", json!({ "handle": "acme-new" })).await.expect(200);
    let moved = anybody.get("/v1/public/handles/acme/sales").await.expect(200).json;
    assert_eq!((&moved["handle"], &moved["redirected_from"]), (&json!("@acme-new/sales"), &json!("@acme/sales")));
    for missing in [
        "/v1/public/agents/nobody@example.com",
        "/v1/public/agents/x",
        "/v1/public/handles/acme/x",
        "/v1/public/handles/-/-",
    ] {
        anybody.get(missing).await.error("agent_not_found");
    }
    server.finish().await;
}

#[tokio::test]
async fn documents_are_cached_by_their_tag() {
    let server = open().await;
    let agent = Agent::open(&server, "bot").await;
    agent.list(&server, "Sales bot").await;
    let anybody = server.anonymous();
    let one = format!("/v1/public/agents/{}", agent.address);
    let mut tags = Vec::new();
    let paths = [
        one.clone(),
        format!("{one}/agent-card.json"),
        format!("{one}/oasf.json"),
        format!("{one}/keys.json"),
        "/v1/public/agents".to_owned(),
        format!("/directory/{}", agent.address),
        "/directory".to_owned(),
        "/sitemap.xml".to_owned(),
        "/robots.txt".to_owned(),
    ];
    for path in &paths {
        let reply = anybody.get(path).await.expect(200);
        assert_eq!(reply.header("cache-control"), Some("public, max-age=60"), "{path}");
        assert_eq!(reply.header("x-content-type-options").or(Some("nosniff")), Some("nosniff"));
        let tag = reply.header("etag").unwrap().to_owned();
        let again = anybody.with_header("if-none-match", &tag).get(path).await.expect(304);
        assert_eq!(again.header("etag"), Some(tag.as_str()), "{path}");
        tags.push(tag);
    }
    server.clock.advance(61_000);
    agent.card(json!({ "documentation_url": "https://acme.example/docs" })).await;
    for (path, tag) in paths.iter().zip(&tags).take(3) {
        anybody.with_header("if-none-match", tag).get(path).await.expect(200);
    }
    server.finish().await;
}

#[tokio::test]
async fn the_a2a_card_is_signed_by_the_service() {
    let server = open().await;
    let agent = Agent::open(&server, "bot").await;
    agent.card(json!({ "description": "Grüße aus 東京." })).await;
    agent.list(&server, "Sales bot").await;
    let mut card =
        server.anonymous().get(&format!("/v1/public/agents/{}/agent-card.json", agent.address)).await.expect(200).json;
    for required in [
        "name",
        "description",
        "supportedInterfaces",
        "version",
        "capabilities",
        "defaultInputModes",
        "defaultOutputModes",
        "skills",
    ] {
        assert!(card.get(required).is_some(), "{required}");
    }
    let signature = card.as_object_mut().unwrap().remove("signatures").unwrap()[0].clone();
    let header: Value =
        serde_json::from_slice(&URL_SAFE_NO_PAD.decode(signature["protected"].as_str().unwrap()).unwrap()).unwrap();
    assert_eq!((&header["alg"], &header["typ"]), (&json!("ES256"), &json!("JOSE")));
    let keys = server.anonymous().get("/.well-known/agent-keys.json").await.expect(200).json;
    let key = keys["keys"].as_array().unwrap().iter().find(|key| key["kid"] == header["kid"]).unwrap().clone();
    let key = PublicJwk::parse(key.as_object().unwrap()).unwrap();
    let signed =
        format!("{}.{}", signature["protected"].as_str().unwrap(), URL_SAFE_NO_PAD.encode(canonical_json(&card)));
    let bytes = URL_SAFE_NO_PAD.decode(signature["signature"].as_str().unwrap()).unwrap();
    assert!(key.verifies(signed.as_bytes(), &bytes));
    assert!(!key.verifies(signed.replacen('e', "f", 1).as_bytes(), &bytes));
    server.finish().await;
    let server = super::open_with(|config| config.app.agents.messaging = false).await;
    let agent = Agent::open(&server, "bot").await;
    agent.list(&server, "Sales bot").await;
    let card =
        server.anonymous().get(&format!("/v1/public/agents/{}/agent-card.json", agent.address)).await.expect(200).json;
    assert_eq!(card.get("signatures"), None, "agent messages are off");
    server.finish().await;
}

#[tokio::test]
async fn a_client_has_a_limit_of_public_requests() {
    let server = open().await;
    let anybody = server.anonymous();
    for _ in 0..300 {
        anybody.get("/v1/public/agents").await.expect(200);
    }
    let refused = anybody.get("/v1/public/agents").await.error("rate_limited");
    assert_eq!(refused["error"]["details"]["limit"], "public_requests_per_minute");
    anybody.get("/directory").await.error("rate_limited");
    anybody.get("/robots.txt").await.expect(200);
    server.clock.advance(60_000);
    anybody.get("/v1/public/agents").await.expect(200);
    server.finish().await;
}
