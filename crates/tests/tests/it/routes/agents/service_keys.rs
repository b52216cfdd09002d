//! `agent-keys.json`: publication, rotation and revocation of the keys that sign agent messages.

use posthouse_app::ports::Clock;
use posthouse_app::signing::{keys, sign};
use posthouse_domain::{
    signing_key::{PRIVATE_PART_MS, PUBLISHED_BEFORE_MS, ROTATION_MS, SigningPurpose},
    time::MINUTE_MS,
};
use posthouse_store::signing_keys;
use posthouse_tests::TestServer;
use serde_json::Value;

const PATH: &str = "/oidc/.well-known/agent-keys.json";

/// Returns id and status of the published keys, newest first.
async fn published(server: &TestServer) -> Vec<(String, String)> {
    let reply = server.anonymous().get(PATH).await.expect(200);
    let keys = reply["keys"].as_array().unwrap().clone();
    keys.iter()
        .map(|key| (key["kid"].as_str().unwrap().to_owned(), key["status"].as_str().unwrap().to_owned()))
        .collect()
}

/// Returns the id of the key that signs now.
async fn signing(server: &TestServer) -> String {
    sign::signer(server.service(), SigningPurpose::AgentMessages).await.unwrap().kid().to_owned()
}

fn expected(keys: &[(&str, &str)]) -> Vec<(String, String)> {
    keys.iter().map(|(kid, status)| ((*kid).to_owned(), (*status).to_owned())).collect()
}

#[tokio::test]
async fn keys_are_public_and_cacheable() {
    let server = TestServer::plain().await;
    let first = signing(&server).await;
    let reply = server.anonymous().get(PATH).await.expect(200);
    let key = &reply["keys"][0];
    assert_eq!(key["kid"], first);
    for (member, value) in [("kty", "EC"), ("crv", "P-256"), ("alg", "ES256"), ("use", "sig"), ("status", "active")] {
        assert_eq!(key[member], value, "{member}");
    }
    assert_eq!(key["created_at"], posthouse_tests::clock::START);
    assert!(key.get("d").is_none() && key.get("retired_at").is_none() && key.get("revoked_at").is_none());
    assert_eq!(reply.header("cache-control"), Some("public, max-age=300"));
    let tag = reply.header("etag").unwrap().to_owned();
    let root = server.anonymous().get("/.well-known/agent-keys.json").await.expect(200);
    assert_eq!(root.json, reply.json);
    let again = server.anonymous().with_header("If-None-Match", &tag).get(PATH).await.expect(304);
    assert_eq!((again.header("etag"), &again.json), (Some(tag.as_str()), &Value::Null));
    server.anonymous().with_header("If-None-Match", "\"other\"").get(PATH).await.expect(200);
    server.finish().await;
}

#[tokio::test]
async fn a_new_key_is_published_before_it_signs() {
    let mut server = TestServer::plain().await;
    let first = signing(&server).await;
    let signs_at = server.clock.now().plus_ms(PUBLISHED_BEFORE_MS);
    let rotated = keys::rotate(server.service(), SigningPurpose::AgentMessages).await.unwrap();
    assert_eq!(published(&server).await, expected(&[(&rotated.kid, "active"), (&first, "active")]));
    assert_eq!(signing(&server).await, first);
    // A second rotation at once changes nothing.
    assert_eq!(keys::rotate(server.service(), SigningPurpose::AgentMessages).await.unwrap(), rotated);
    server.restart().await;
    // The clock moves while the server stops.
    server.clock.advance(signs_at.millis() - server.clock.now().millis() - 1);
    assert_eq!(signing(&server).await, first);
    server.clock.advance(1);
    assert_eq!(signing(&server).await, rotated.kid);
    assert_eq!(published(&server).await, expected(&[(&rotated.kid, "active"), (&first, "retired")]));
    server.finish().await;
}

#[tokio::test]
async fn a_revoked_key_is_replaced_at_once() {
    let server = TestServer::plain().await;
    let first = signing(&server).await;
    server.clock.advance(MINUTE_MS);
    let next = keys::revoke(server.service(), &first).await.unwrap().unwrap();
    assert_eq!(signing(&server).await, next.kid);
    assert_eq!(published(&server).await, expected(&[(&next.kid, "active"), (&first, "revoked")]));
    // The next key is revoked before it signs: the present one goes on.
    let pending = keys::rotate(server.service(), SigningPurpose::AgentMessages).await.unwrap();
    keys::revoke(server.service(), &pending.kid).await.unwrap().unwrap();
    let third = signing(&server).await;
    assert!(third != pending.kid && third != next.kid);
    assert_eq!(keys::revoke(server.service(), "unknown").await.unwrap(), None);
    server.finish().await;
}

#[tokio::test]
async fn keys_rotate_once_a_year_and_old_private_parts_are_deleted() {
    let server = TestServer::plain().await;
    let first = signing(&server).await;
    server.clock.advance(ROTATION_MS);
    keys::maintain(server.service()).await.unwrap();
    keys::maintain(server.service()).await.unwrap();
    assert_eq!(published(&server).await.len(), 2, "one rotation");
    assert_eq!(signing(&server).await, first);
    server.clock.advance(PUBLISHED_BEFORE_MS + PRIVATE_PART_MS + 1);
    keys::maintain(server.service()).await.unwrap();
    assert_ne!(signing(&server).await, first);
    let old = server.store().read(move |tx| signing_keys::get(tx, &first)).await.unwrap().unwrap();
    assert_eq!(old.private_key, None);
    server.finish().await;
}
