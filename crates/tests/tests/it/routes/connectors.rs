//! Connectors: programs that a person allows to act in the workspace, by OAuth 2.1.

mod access;
mod clients;
mod ends;
mod requests;
mod tokens;

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use posthouse_app::access::{authenticate::AuthenticatedCaller, credentials, credentials::Audience};
use posthouse_app::settings::{DeliveryMode, SecretText};
use posthouse_call::{Answer, Arguments, CallSource};
use posthouse_call::{OutcomeBody, PathParams};
use posthouse_domain::{Refusal, plan::Plan};
use posthouse_tests::{
    DocumentSite, ServerOptions, TestServer,
    fixtures::{TestInbox, TestKey},
    http::{Api, ApiResponse},
};
use reqwest::{Method, Url};
use serde_json::{Value, json};

use super::identity::VERIFIER;

/// The challenge of [`VERIFIER`].
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
/// Where browsers return to.
const CALLBACK: &str = "https://assistant.example/oauth/callback";
/// The owner of the workspace.
const OWNER: &str = "owner@example.org";
/// Content type of a form.
const FORM: &str = "application/x-www-form-urlencoded";

/// A server with a workspace whose owner is signed in, and the site of a client.
struct ConnectorFixture {
    server: TestServer,
    key: TestKey,
    inbox: TestInbox,
    owner: Api,
    site: DocumentSite,
    /// The id of the client: the URL of its document.
    client_id: String,
}

/// The tokens of a connector.
struct TestTokens {
    access: String,
    refresh: String,
}

/// Writes parameters as a query or form.
fn encoded(pairs: &[(&str, &str)]) -> String {
    let url = Url::parse_with_params("http://x/", pairs).expect("parameters can be encoded");
    url.query().unwrap_or_default().to_owned()
}

/// Returns a parameter of a URL.
fn parameter(url: &str, name: &str) -> Option<String> {
    let url = Url::parse(url).expect("a URL");
    url.query_pairs().find(|(known, _)| known == name).map(|(_, value)| value.into_owned())
}

impl ConnectorFixture {
    async fn open() -> Self {
        let options = ServerOptions::default().configure(|config| {
            config.delivery.mode = DeliveryMode::Capture;
        });
        let server = TestServer::start(options).await;
        let key = server.workspace(Plan::Team).await;
        let inbox = server.inbox(&key).await;
        let owner = server.sign_in(&key, OWNER).await;
        let site = DocumentSite::start().await;
        let client_id = site.url("/client.json");
        site.serve_json(&document(&client_id));
        Self { server, key, inbox, owner, site, client_id }
    }

    /// Returns the URL of the MCP endpoint.
    fn resource(&self) -> String {
        format!("{}/mcp", self.server.config().app.base_url)
    }

    /// Returns the query of a correct request, with changes. An empty value leaves a parameter out.
    fn request(&self, changes: &[(&str, &str)]) -> String {
        let resource = self.resource();
        let mut pairs = vec![
            ("response_type", "code"),
            ("client_id", self.client_id.as_str()),
            ("redirect_uri", CALLBACK),
            ("code_challenge", CHALLENGE),
            ("code_challenge_method", "S256"),
            ("state", "a b&c"),
            ("scope", "mcp"),
            ("resource", resource.as_str()),
        ];
        pairs.retain(|(name, _)| changes.iter().all(|(changed, _)| changed != name));
        pairs.extend(changes.iter().filter(|(_, value)| !value.is_empty()));
        encoded(&pairs)
    }

    /// Returns the body of a decision that approves a request for the inbox.
    fn approval(&self, request: &str) -> Value {
        json!({ "request": request, "approve": true, "scope": "inboxes", "inbox_ids": [self.inbox.id.to_string()] })
    }

    async fn decide(&self, body: Value) -> ApiResponse {
        self.owner.post("/platform/connector-requests", body).await
    }

    /// Approves a correct request with more members of the decision, and returns the code.
    async fn code(&self, more: &Value) -> String {
        let mut body = self.approval(&self.request(&[]));
        for (name, value) in more.as_object().into_iter().flatten() {
            body[name] = value.clone();
        }
        let decided = self.decide(body).await.expect(200);
        parameter(decided.text("return_to"), "code").expect("a code")
    }

    /// Sends a form to the token endpoint, with changes. An empty value leaves a parameter out.
    async fn exchange(&self, code: &str, changes: &[(&str, &str)]) -> ApiResponse {
        let mut pairs = vec![
            ("grant_type", "authorization_code"),
            ("client_id", self.client_id.as_str()),
            ("code", code),
            ("redirect_uri", CALLBACK),
            ("code_verifier", VERIFIER),
        ];
        pairs.retain(|(name, _)| changes.iter().all(|(changed, _)| changed != name));
        pairs.extend(changes.iter().filter(|(_, value)| !value.is_empty()));
        self.form("/oauth/token", &pairs).await
    }

    async fn refresh(&self, token: &str) -> ApiResponse {
        let pairs = [("grant_type", "refresh_token"), ("client_id", self.client_id.as_str()), ("refresh_token", token)];
        self.form("/oauth/token", &pairs).await
    }

    async fn form(&self, path: &str, pairs: &[(&str, &str)]) -> ApiResponse {
        self.server.anonymous().raw(Method::POST, path, FORM, encoded(pairs)).await
    }

    /// Connects the client with more members of the decision, and returns its tokens.
    async fn connect(&self, more: &Value) -> TestTokens {
        let code = self.code(more).await;
        TestTokens::of(&self.exchange(&code, &[]).await.expect(200))
    }

    /// Authenticates an access token as the MCP endpoint does.
    async fn authenticate(&self, access: &str) -> Result<AuthenticatedCaller, Refusal> {
        let client = IpAddr::V4(Ipv4Addr::LOCALHOST);
        let token = SecretText(access.to_owned());
        credentials::bearer(self.server.service(), &token, Audience::Mcp, client, None).await
    }

    /// Calls an operation with an access token, as the MCP endpoint does.
    async fn call(&self, access: &str, name: &str, arguments: Arguments) -> Result<Value, Refusal> {
        let caller = self.authenticate(access).await?;
        let answer = call(&self.server, &caller, name, arguments).await;
        let outcome = answer.result?;
        match outcome.body {
            OutcomeBody::Bytes(bytes) => Ok(serde_json::from_slice(&bytes).unwrap_or(Value::Null)),
            OutcomeBody::Stream(_) => Ok(Value::Null),
        }
    }

    /// Returns the events of connectors with their reasons, oldest first.
    async fn events(&self) -> Vec<String> {
        let events = self.server.api(&self.key).get("/v1/events?limit=100").await.expect(200);
        let of_connectors = events
            .data()
            .iter()
            .filter(|event| event["type"].as_str().is_some_and(|kind| kind.starts_with("connector.")));
        let text = |event: &Value| match event["data"]["reason"].as_str() {
            Some(reason) => format!("{} {reason}", event["type"].as_str().unwrap_or_default()),
            None => event["type"].as_str().unwrap_or_default().to_owned(),
        };
        of_connectors.map(text).collect()
    }

    /// Asserts that neither token works any more, and that the connector ended for this reason.
    async fn has_ended(&self, tokens: &TestTokens, reason: &str) {
        self.authenticate(&tokens.access).await.expect_err("an ended access token works");
        oauth_error(self.refresh(&tokens.refresh).await, "invalid_grant");
        assert_eq!(self.events().await.last().map(String::as_str), Some(&*format!("connector.revoked {reason}")));
        assert!(self.owner.get("/platform/connectors").await.expect(200).data().is_empty());
    }

    /// Invites a person and returns a client with the session that the invitation began.
    async fn join(&self, email: &str) -> Api {
        self.owner.post("/platform/members", json!({ "email": email, "role": "member" })).await.expect(202);
        self.server.settle().await;
        let mail = self.server.sign_in_mail(&self.key, email).await;
        let reply = self.server.anonymous().post("/platform/auth/verify", json!({ "token": mail.token })).await;
        self.server.accept_invitation(&self.server.browser(&reply.expect(200))).await
    }
}

impl TestTokens {
    fn of(reply: &ApiResponse) -> Self {
        Self { access: reply.text("access_token").to_owned(), refresh: reply.text("refresh_token").to_owned() }
    }
}

/// Returns the metadata document of a client.
fn document(client_id: &str) -> Value {
    json!({
        "client_id": client_id,
        "client_name": "Assistant",
        "client_uri": "https://assistant.example",
        "redirect_uris": [CALLBACK, "http://localhost/callback"],
        "token_endpoint_auth_method": "none",
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
    })
}

/// Asserts an error of OAuth (RFC 6749 §5.2).
#[track_caller]
fn oauth_error(reply: ApiResponse, code: &str) -> ApiResponse {
    assert_eq!(reply["error"], code, "{reply}");
    assert!(!reply.text("error_description").is_empty(), "{reply}");
    assert!(reply.header("cache-control").is_some_and(|text| text.contains("no-store")), "{reply}");
    reply
}

/// Calls an operation of the table.
async fn call(server: &TestServer, caller: &AuthenticatedCaller, name: &str, arguments: Arguments) -> Answer {
    let routes = posthouse::all_routes();
    let route = routes.iter().find(|route| route.operation.name == name).expect("a known operation");
    let source = CallSource {
        id: "test".to_owned(),
        arrived_at: server.service().clock.now(),
        client_ip: IpAddr::V4(Ipv4Addr::LOCALHOST),
    };
    posthouse_call::call(&Arc::clone(server.service()), &route.operation, Some(caller), source, arguments).await
}

/// Returns arguments with this query.
fn query(text: &str) -> Arguments {
    Arguments { query: Some(text.to_owned()), ..Arguments::default() }
}

/// Returns arguments with these path parameters.
fn path(pairs: &[(&str, &str)]) -> Arguments {
    Arguments { path: PathParams::of(pairs.iter().copied()), ..Arguments::default() }
}
