//! Two workspaces with an inbox each, and agents that hold keys.

use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use posthouse_domain::plan::Plan;
use posthouse_mail::jose::{
    jws::{JwsHeader, sign_compact},
    key::Es256Key,
};
use posthouse_server::config::Configuration;
use posthouse_tests::{
    TestServer,
    fixtures::{TestInbox, TestKey},
    http::{Api, ApiResponse},
    server::ServerOptions,
};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// A workspace with an inbox.
pub(super) struct Side {
    pub(super) key: TestKey,
    pub(super) api: Api,
    pub(super) inbox: TestInbox,
}

impl Side {
    async fn open(server: &TestServer, name: &str) -> Self {
        let key = server.workspace(Plan::Team).await;
        let inbox = server.inbox_named(&key, name).await;
        Self { api: server.api(&key), inbox, key }
    }

    pub(super) async fn try_send(&self, body: Value) -> ApiResponse {
        self.api.post(&format!("/v1/inboxes/{}/messages", self.inbox.id), body).await
    }

    /// Returns the newest received message.
    pub(super) async fn newest(&self) -> Value {
        let path = format!("/v1/inboxes/{}/messages?limit=1&direction=inbound", self.inbox.id);
        self.api.get(&path).await.expect(200).data().first().cloned().expect("a received message")
    }

    /// Returns a message of this side.
    pub(super) async fn message(&self, id: &str) -> Value {
        self.api.get(&format!("/v1/messages/{id}")).await.expect(200).json
    }

    /// Returns the path of the agent's keys.
    pub(super) fn keys_path(&self) -> String {
        format!("/v1/inboxes/{}/agent/keys", self.inbox.id)
    }
}

/// Two workspaces that write to each other.
pub(super) struct Pair {
    pub(super) server: TestServer,
    pub(super) alice: Side,
    pub(super) bob: Side,
}

impl Pair {
    pub(super) async fn open() -> Self {
        Self::with(|_| {}).await
    }

    pub(super) async fn with(change: impl FnOnce(&mut Configuration) + 'static) -> Self {
        let server = TestServer::start(ServerOptions::default().configure(change)).await;
        let alice = Side::open(&server, "alice").await;
        let bob = Side::open(&server, "bob").await;
        Self { server, alice, bob }
    }

    /// Sends a message of Alice, and returns it with Bob's copy.
    pub(super) async fn deliver(&self, body: Value) -> (Value, Value) {
        let sent = self.alice.try_send(body).await.expect(202).json;
        self.server.settle().await;
        (self.alice.message(sent["id"].as_str().unwrap()).await, self.bob.newest().await)
    }

    /// Returns the current time in seconds.
    pub(super) fn now(&self) -> i64 {
        self.server.service().clock.now().seconds()
    }

    /// Returns the published keys of the service.
    pub(super) async fn service_keys(&self) -> Value {
        self.server.anonymous().get("/oidc/.well-known/agent-keys.json").await.expect(200)["keys"].clone()
    }

    pub(super) fn issuer(&self) -> String {
        self.server.config().issuer()
    }
}

/// A private key of an agent.
pub(super) enum AgentKeyPair {
    EdDsa(Ed25519KeyPair),
    Es256(Es256Key),
}

impl AgentKeyPair {
    pub(super) fn ed25519() -> Self {
        Self::EdDsa(Ed25519KeyPair::generate().unwrap())
    }

    pub(super) fn p256() -> Self {
        Self::Es256(Es256Key::generate().unwrap())
    }

    pub(super) fn jwk(&self) -> Value {
        match self {
            Self::EdDsa(pair) => {
                json!({ "kty": "OKP", "crv": "Ed25519", "x": URL_SAFE_NO_PAD.encode(pair.public_key().as_ref()) })
            }
            Self::Es256(key) => key.public().to_json(),
        }
    }

    /// Returns the thumbprint (RFC 7638).
    pub(super) fn kid(&self) -> String {
        let jwk = self.jwk();
        let member = |name: &str| jwk[name].as_str().unwrap().to_owned();
        let text = match self {
            Self::EdDsa(_) => format!(r#"{{"crv":"Ed25519","kty":"OKP","x":"{}"}}"#, member("x")),
            Self::Es256(_) => {
                format!(r#"{{"crv":"P-256","kty":"EC","x":"{}","y":"{}"}}"#, member("x"), member("y"))
            }
        };
        URL_SAFE_NO_PAD.encode(Sha256::digest(text))
    }

    pub(super) fn sign(&self, typ: &str, claims: &Value) -> String {
        let kid = self.kid();
        match self {
            Self::EdDsa(pair) => {
                let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
                let text = format!("{}.{}", part(&json!({ "alg": "EdDSA", "typ": typ, "kid": kid })), part(claims));
                let signature = URL_SAFE_NO_PAD.encode(pair.sign(text.as_bytes()));
                format!("{text}.{signature}")
            }
            Self::Es256(key) => sign_compact(key, JwsHeader { typ, kid: &kid }, claims).unwrap(),
        }
    }

    /// Signs a header and claims as they are written. Only for Ed25519.
    pub(super) fn sign_text(&self, header: &str, claims: &str) -> String {
        let Self::EdDsa(pair) = self else { panic!("an Ed25519 key") };
        let text = format!("{}.{}", URL_SAFE_NO_PAD.encode(header), URL_SAFE_NO_PAD.encode(claims));
        format!("{text}.{}", URL_SAFE_NO_PAD.encode(pair.sign(text.as_bytes())))
    }

    /// Returns the claims of a proof for an inbox.
    pub(super) fn proof_claims(&self, address: &str, now: i64, nonce: &str) -> Value {
        json!({ "aud": "service:agent-key", "sub": address, "jkt": self.kid(), "iat": now, "nonce": nonce })
    }

    pub(super) fn proof(&self, address: &str, now: i64, nonce: &str) -> String {
        self.sign("service-key-proof+jwt", &self.proof_claims(address, now, nonce))
    }

    /// Registers the key for the agent of a side.
    pub(super) async fn register(&self, side: &Side, now: i64) -> ApiResponse {
        let proof = self.proof(&side.inbox.address, now, &nonce());
        side.api.post(&side.keys_path(), json!({ "public_jwk": self.jwk(), "proof": proof })).await
    }
}

/// Returns a fresh nonce.
pub(super) fn nonce() -> String {
    Es256Key::generate().unwrap().public().thumbprint()
}

/// Returns the hash of a part.
pub(super) fn hash(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(bytes))
}
