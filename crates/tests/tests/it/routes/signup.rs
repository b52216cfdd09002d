//! `/v1/signup` and `/claim/{token}`. Restrictions and expiry are tested in `scenarios/signup`.

mod challenge;
mod claim;
mod create;

use posthouse_app::settings::DeliveryMode;
use posthouse_domain::signup::is_solved;
use posthouse_server::config::Configuration;
use posthouse_tests::{
    TestServer,
    http::{Api, ApiResponse},
    server::ServerOptions,
};
use serde_json::{Value, json};

/// The difficulty of the challenges.
const DIFFICULTY: u32 = 6;

/// A server in capture mode, whose outbox shows claim links.
pub(crate) struct SignupFixture {
    pub(crate) server: TestServer,
}

/// An agent that signed up.
pub(crate) struct Agent {
    pub(crate) api: Api,
    pub(crate) created: Value,
    /// The id of its inbox or identity.
    pub(crate) id: String,
}

impl SignupFixture {
    pub(crate) async fn open() -> Self {
        Self::open_with(|_| ()).await
    }

    pub(crate) async fn open_with(change: impl FnOnce(&mut Configuration) + 'static) -> Self {
        let options = ServerOptions::default().configure(|config| {
            config.delivery.mode = DeliveryMode::Capture;
            config.app.signup.enabled = true;
            config.app.signup.difficulty = DIFFICULTY;
        });
        Self { server: TestServer::start(options.configure(change)).await }
    }

    /// Returns a solved challenge as the members of a signup.
    pub(crate) async fn solved(&self) -> Value {
        let challenge = self.server.anonymous().get("/v1/signup/challenge").await.expect(200);
        let text = challenge.text("challenge");
        json!({ "challenge": text, "solution": solution(text) })
    }

    /// Sends a signup with a solved challenge and these members.
    pub(crate) async fn post(&self, members: Value) -> ApiResponse {
        let mut body = self.solved().await;
        body.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
        self.server.anonymous().post("/v1/signup", body).await
    }

    pub(crate) async fn sign_up(&self, members: Value) -> Agent {
        let created = self.post(members).await.expect(201).json;
        let home = if created["inbox"].is_null() { &created["identity"] } else { &created["inbox"] };
        let id = home["id"].as_str().unwrap().to_owned();
        Agent { api: self.server.anonymous().with_key(created["api_key"].as_str().unwrap()), created, id }
    }

    /// Returns the path of the claim link in the newest captured mail about an agent.
    pub(crate) async fn link(&self, agent: &Agent) -> String {
        self.server.service_link(&agent.api, "/claim/").await
    }

    /// Requests a claim link and presses its button.
    pub(crate) async fn claim(&self, agent: &Agent, email: &str) {
        self.server.clock.advance(1);
        agent.api.post("/v1/signup/claim", json!({ "email": email })).await.expect(202);
        self.server.anonymous().post_empty(&self.link(agent).await).await.expect(200);
    }

    pub(crate) async fn close(self) {
        self.server.settle().await;
        self.server.finish().await;
    }
}

/// Returns the smallest solution of a challenge.
fn solution(challenge: &str) -> String {
    (0_u64..).map(|n| n.to_string()).find(|n| is_solved(challenge, n, DIFFICULTY)).expect("there is always one")
}

/// Returns a number that doesn't solve a challenge.
fn wrong_solution(challenge: &str) -> String {
    (0_u64..).map(|n| n.to_string()).find(|n| !is_solved(challenge, n, DIFFICULTY)).expect("there is always one")
}

/// Returns the text of a page.
fn page(reply: &ApiResponse) -> String {
    assert_eq!(reply.header("content-type"), Some("text/html; charset=utf-8"), "{reply}");
    String::from_utf8(reply.bytes.clone()).unwrap()
}
