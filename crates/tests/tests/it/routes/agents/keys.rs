//! `/v1/inboxes/{id}/agent/keys`: registration by proof, retirement and revocation.

use posthouse_domain::time::{SECOND_MS, Time};
use serde_json::{Value, json};

use super::fixture::{AgentKeyPair, Pair, nonce};

/// Checks that a registration is refused for a reason.
async fn refused(pair: &Pair, jwk: &Value, proof: &str, reason: &str) {
    let body = json!({ "public_jwk": jwk, "proof": proof });
    let reply = pair.alice.api.post(&pair.alice.keys_path(), body).await.error("invalid_key_proof");
    assert_eq!(reply["error"]["details"]["reason"], reason);
}

#[tokio::test]
async fn a_key_is_registered_retired_and_revoked() {
    let pair = Pair::open().await;
    let (ed, ec) = (AgentKeyPair::ed25519(), AgentKeyPair::p256());
    let made = ed.register(&pair.alice, pair.now()).await.expect(201).json;
    let expected = json!({
        "kid": ed.kid(), "alg": "EdDSA", "status": "active", "public_jwk": ed.jwk(),
        "created_at": posthouse_tests::clock::START, "retired_at": null, "revoked_at": null,
        "revocation_reason": null, "last_used_at": null,
    });
    assert_eq!(made, expected);
    pair.server.clock.advance(1_000);
    assert_eq!(ec.register(&pair.alice, pair.now()).await.expect(201)["alg"], "ES256");
    let path = pair.alice.keys_path();
    let kids = |reply: &posthouse_tests::http::ApiResponse| -> Vec<String> {
        reply.data().iter().map(|key| key["kid"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(kids(&pair.alice.api.get(&path).await.expect(200)), [ec.kid(), ed.kid()]);

    let retired = pair.alice.api.post_empty(&format!("{path}/{}/retire", ed.kid())).await.expect(200).json;
    assert_eq!(retired["status"], "retired");
    let again = pair.alice.api.post_empty(&format!("{path}/{}/retire", ed.kid())).await.expect(200).json;
    assert_eq!(again, retired);
    let since = Time::parse(posthouse_tests::clock::START).unwrap().to_string();
    let revoke = format!("{path}/{}/revoke", ed.kid());
    let revoked = pair.alice.api.post(&revoke, json!({ "reason": "leaked", "since": since })).await.expect(200).json;
    assert_eq!((&revoked["status"], &revoked["revoked_at"]), (&json!("revoked"), &json!(since)));
    // A later date doesn't make signatures valid again.
    let later = pair.alice.api.post(&revoke, json!({})).await.expect(200).json;
    assert_eq!((&later["revoked_at"], &later["revocation_reason"]), (&json!(since), &json!("leaked")));
    pair.alice.api.post_empty(&format!("{path}/{}/retire", ed.kid())).await.error("agent_key_revoked");
    let after = |seconds: i64| pair.server.service().clock.now().plus_ms(seconds * SECOND_MS).to_string();
    pair.alice.api.post(&revoke, json!({ "since": after(31) })).await.invalid_fields(&["since"]);
    // The clock of a client may be ahead. The date never is.
    let ahead = pair.alice.api.post(&format!("{path}/{}/revoke", ec.kid()), json!({ "since": after(30) })).await;
    assert_eq!(ahead.expect(200)["revoked_at"], after(0));
    for path in [format!("{path}/unknown/retire"), format!("{path}/unknown/revoke")] {
        pair.alice.api.post(&path, json!({})).await.error("not_found");
    }
    // Another workspace sees nothing.
    pair.bob.api.get(&path).await.error("not_found");
    pair.bob.api.post(&revoke, json!({})).await.error("not_found");
    pair.server.finish().await;
}

#[tokio::test]
async fn a_proof_is_for_one_key_one_agent_five_minutes_and_one_use() {
    let pair = Pair::open().await;
    let (key, other) = (AgentKeyPair::ed25519(), AgentKeyPair::ed25519());
    let (now, address) = (pair.now(), pair.alice.inbox.address.clone());
    let claims = |change: &[(&str, Value)]| {
        let mut claims = key.proof_claims(&address, now, &nonce());
        for (name, value) in change {
            claims[*name] = value.clone();
        }
        claims
    };
    let proof = |change: &[(&str, Value)]| key.sign("service-key-proof+jwt", &claims(change));
    let jwk = key.jwk();
    refused(&pair, &jwk, "a.b.c", "malformed").await;
    refused(&pair, &jwk, &key.sign("JWT", &claims(&[])), "wrong_type").await;
    refused(&pair, &jwk, &other.proof(&address, now, &nonce()), "wrong_key").await;
    refused(&pair, &jwk, &proof(&[("jkt", json!(other.kid()))]), "wrong_key").await;
    let forged = proof(&[]);
    let (signed, _) = forged.rsplit_once('.').unwrap();
    let (_, signature) =
        other.proof(&address, now, &nonce()).rsplit_once('.').map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
    refused(&pair, &jwk, &format!("{signed}.{signature}"), "bad_signature").await;
    refused(&pair, &jwk, &proof(&[("aud", json!("other"))]), "wrong_audience").await;
    refused(&pair, &jwk, &proof(&[("sub", json!(pair.bob.inbox.address))]), "wrong_subject").await;
    refused(&pair, &jwk, &proof(&[("iat", json!(now + 31))]), "issued_in_future").await;
    refused(&pair, &jwk, &proof(&[("iat", json!(now - 301))]), "too_old").await;
    refused(&pair, &jwk, &proof(&[("iat", json!("now"))]), "malformed").await;
    refused(&pair, &jwk, &proof(&[("nonce", json!("short"))]), "malformed").await;
    for (member, value) in [
        ("d", json!("AAAA")),
        ("crv", json!("P-384")),
        ("x", json!("AAAA")),
        ("x", json!("A".repeat(100_000))),
        ("x5c", json!(["A".repeat(100_000)])),
        ("key_ops", json!(["sign"])),
    ] {
        let mut bad = jwk.clone();
        bad[member] = value;
        let body = json!({ "public_jwk": bad, "proof": proof(&[]) });
        pair.alice.api.post(&pair.alice.keys_path(), body).await.invalid_fields(&["public_jwk"]);
    }
    assert_eq!(pair.alice.api.get(&pair.alice.keys_path()).await.expect(200).data(), [] as [Value; 0]);
    let good = json!({ "public_jwk": jwk, "proof": proof(&[]) });
    pair.alice.api.post(&pair.alice.keys_path(), good.clone()).await.expect(201);
    pair.alice.api.post(&pair.alice.keys_path(), good).await.error("agent_key_exists");
    // Another agent may have the same key, with a proof of its own.
    key.register(&pair.bob, now).await.expect(201);
    pair.server.finish().await;
}

#[tokio::test]
async fn an_agent_has_three_active_keys_and_twenty_in_all() {
    let pair = Pair::open().await;
    let path = pair.alice.keys_path();
    let mut active = Vec::new();
    for _ in 0..3 {
        let key = AgentKeyPair::ed25519();
        key.register(&pair.alice, pair.now()).await.expect(201);
        active.push(key.kid());
    }
    let refused = AgentKeyPair::ed25519().register(&pair.alice, pair.now()).await.error("agent_key_limit");
    assert_eq!(refused["error"]["details"]["max"], 3);
    for _ in 3..20 {
        let oldest = active.remove(0);
        pair.alice.api.post(&format!("{path}/{oldest}/revoke"), json!({})).await.expect(200);
        let key = AgentKeyPair::ed25519();
        key.register(&pair.alice, pair.now()).await.expect(201);
        active.push(key.kid());
    }
    pair.alice.api.post_empty(&format!("{path}/{}/retire", active[0])).await.expect(200);
    let refused = AgentKeyPair::ed25519().register(&pair.alice, pair.now()).await.error("agent_key_limit");
    assert_eq!(refused["error"]["details"]["max"], 20);
    pair.server.finish().await;
}

#[tokio::test]
async fn keys_can_be_switched_off() {
    let pair = Pair::with(|config| config.app.agents.agent_keys = false).await;
    let path = pair.alice.keys_path();
    pair.alice.api.get(&path).await.error("agent_keys_disabled");
    AgentKeyPair::p256().register(&pair.alice, pair.now()).await.error("agent_keys_disabled");
    let body = json!({ "to": pair.bob.inbox.address, "subject": "", "text": "Hi", "agent_signature": "a.b.c" });
    pair.alice.try_send(body).await.error("agent_keys_disabled");
    assert_eq!(pair.alice.api.get("/v1/account").await.expect(200)["agent_messaging"]["agent_keys_enabled"], false);
    pair.server.finish().await;
}

#[tokio::test]
async fn a_temporary_inbox_has_no_keys() {
    let pair = Pair::open().await;
    let made = pair.alice.api.post("/v1/inboxes", json!({ "ttl_seconds": 60 })).await.expect(201).json;
    let key = AgentKeyPair::p256();
    let proof = key.proof(made["address"].as_str().unwrap(), pair.now(), &nonce());
    let path = format!("/v1/inboxes/{}/agent/keys", made["id"].as_str().unwrap());
    let body = json!({ "public_jwk": key.jwk(), "proof": proof });
    pair.alice.api.post(&path, body).await.error("temporary_inbox_receive_only");
    pair.server.finish().await;
}
