//! Sign-in with an agent: apps, identity tokens, the browser flow, and the endpoints of the issuer.

mod agents;
mod approvals;
mod attacks;
mod browser;
mod clients;
mod errors;
mod exchange;
mod forged;
mod stops;
mod tokens;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use posthouse_app::settings::{DeliveryMode, LimitsConfig};
use posthouse_domain::plan::Plan;
use posthouse_server::config::Configuration;
use posthouse_tests::{
    ServerOptions, TestServer,
    fixtures::{TestInbox, TestKey},
    http::{Api, ApiResponse},
};
use reqwest::Method;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// Where browsers return to.
pub(crate) const CALLBACK: &str = "https://app.example/callback";
/// A PKCE verifier.
pub(crate) const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
/// Content type of a form.
const FORM: &str = "application/x-www-form-urlencoded";

/// A server with an agent in one workspace, and another workspace that registers apps.
pub(crate) struct IdentityFixture {
    pub(crate) server: TestServer,
    /// The workspace of the agent.
    pub(crate) key: TestKey,
    pub(crate) api: Api,
    pub(crate) inbox: TestInbox,
    /// The workspace of the apps.
    pub(crate) developer: Api,
    pub(crate) developer_key: TestKey,
}

/// A registered app.
#[derive(Clone)]
pub(crate) struct TestApp {
    pub(crate) id: String,
    pub(crate) client_id: String,
    pub(crate) secret: Option<String>,
}

/// A sign-in that waits in a browser.
pub(crate) struct WaitingBrowser {
    /// The path of the waiting page.
    pub(crate) page: String,
    /// The code that it shows.
    pub(crate) code: String,
}

impl IdentityFixture {
    pub(crate) async fn open() -> Self {
        Self::limited(|_| ()).await
    }

    /// Opens the fixture with other limits.
    pub(crate) async fn limited(set: impl Fn(&mut LimitsConfig) + Send + Sync + 'static) -> Self {
        Self::configured(move |config| set(&mut config.limits)).await
    }

    /// Opens the fixture with other settings.
    pub(crate) async fn configured(set: impl Fn(&mut Configuration) + Send + Sync + 'static) -> Self {
        let options = ServerOptions::default().configure(move |config| {
            config.delivery.mode = DeliveryMode::Capture;
            set(config);
        });
        let server = TestServer::start(options).await;
        let key = server.workspace(Plan::Team).await;
        let inbox = server.inbox_with(&key, json!({ "username": "ann", "display_name": "Ann" })).await;
        let developer_key = server.workspace(Plan::Team).await;
        let (api, developer) = (server.api(&key), server.api(&developer_key));
        Self { server, key, api, inbox, developer, developer_key }
    }

    /// Registers an app of this type, with more members of the request.
    pub(crate) async fn app_with(&self, kind: &str, more: Value) -> TestApp {
        let mut body = json!({ "name": "Travel desk", "type": kind });
        if kind != "verify_only" {
            body["redirect_uris"] = json!([CALLBACK]);
        }
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let reply = self.developer.post("/v1/identity/clients", body).await.expect(201);
        let client = &reply["client"];
        TestApp {
            id: client["id"].as_str().unwrap().to_owned(),
            client_id: client["client_id"].as_str().unwrap().to_owned(),
            secret: reply["client_secret"].as_str().map(str::to_owned),
        }
    }

    pub(crate) async fn app(&self, kind: &str) -> TestApp {
        self.app_with(kind, json!({})).await
    }

    /// Requests an identity token for an app.
    pub(crate) async fn mint(&self, app: &TestApp, more: Value) -> ApiResponse {
        self.mint_of(&self.inbox.id.to_string(), app, more).await
    }

    /// Requests an identity token of an agent for an app.
    pub(crate) async fn mint_of(&self, agent: &str, app: &TestApp, more: Value) -> ApiResponse {
        let mut body = json!({ "audience": app.client_id });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.api.post(&format!("/v1/inboxes/{agent}/identity-token"), body).await
    }

    /// Sends a form to the token endpoint, with the app's secret as HTTP Basic if it has one.
    pub(crate) async fn token(&self, app: &TestApp, pairs: &[(&str, &str)]) -> ApiResponse {
        let mut pairs = pairs.to_vec();
        let api = match &app.secret {
            Some(secret) => self.basic(&app.client_id, secret),
            None => {
                pairs.push(("client_id", &app.client_id));
                self.server.anonymous()
            }
        };
        post_form(&api, "/oidc/token", &pairs).await
    }

    /// Returns a client that authenticates with HTTP Basic.
    pub(crate) fn basic(&self, id: &str, secret: &str) -> Api {
        let text = base64::engine::general_purpose::STANDARD.encode(format!("{id}:{secret}"));
        self.server.anonymous().with_header("Authorization", &format!("Basic {text}"))
    }

    /// Reads the userinfo endpoint.
    pub(crate) async fn userinfo(&self, access_token: &str) -> ApiResponse {
        self.server.anonymous().with_key(access_token).get("/oidc/userinfo").await
    }

    /// Sends a browser to the authorization endpoint with these parameters; `None` removes a default one.
    pub(crate) async fn authorize(&self, app: &TestApp, changes: &[(&str, Option<&str>)]) -> ApiResponse {
        self.authorize_as(&self.server.anonymous(), app, changes).await
    }

    /// [`IdentityFixture::authorize`] in a browser.
    pub(crate) async fn authorize_as(
        &self,
        browser: &Api,
        app: &TestApp,
        changes: &[(&str, Option<&str>)],
    ) -> ApiResponse {
        browser.get(&self.authorize_target(app, changes)).await
    }

    /// Returns the path and query of an authorization request.
    pub(crate) fn authorize_target(&self, app: &TestApp, changes: &[(&str, Option<&str>)]) -> String {
        let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(VERIFIER));
        let defaults = [
            ("response_type", "code"),
            ("client_id", app.client_id.as_str()),
            ("redirect_uri", CALLBACK),
            ("scope", "openid email profile"),
            ("state", "s-1"),
            ("nonce", "n-1"),
            ("code_challenge", challenge.as_str()),
            ("code_challenge_method", "S256"),
        ];
        let kept = defaults.iter().filter(|(name, _)| changes.iter().all(|(changed, _)| changed != name));
        let changed = changes.iter().filter_map(|(name, value)| Some((*name, (*value)?)));
        let pairs: Vec<(&str, &str)> = kept.copied().chain(changed).collect();
        format!("/oidc/authorize?{}", form(&pairs))
    }

    /// Begins a sign-in and opens its waiting page.
    pub(crate) async fn waiting(&self, app: &TestApp, changes: &[(&str, Option<&str>)]) -> WaitingBrowser {
        let reply = self.authorize(app, changes).await.expect(303);
        let location = reply.header("location").unwrap();
        let at = location.find("/oidc/authorize/").unwrap_or_else(|| panic!("{location}"));
        let page = location[at..].to_owned();
        let html = self.server.anonymous().get(&page).await.expect(200);
        let text = String::from_utf8(html.bytes).unwrap();
        let code = text.split("<code>").nth(1).unwrap().split('<').next().unwrap().to_owned();
        WaitingBrowser { page, code }
    }

    /// Approves a waiting sign-in as the agent.
    pub(crate) async fn approve(&self, waiting: &WaitingBrowser) -> ApiResponse {
        let path = format!("/v1/inboxes/{}/identity/approvals/{}", self.inbox.id, waiting.code);
        self.api.post(&path, json!({ "approve": true })).await
    }

    /// Signs the agent in to an app in a browser and returns the parameters that the browser returns with.
    pub(crate) async fn code(&self, app: &TestApp, changes: &[(&str, Option<&str>)]) -> String {
        let waiting = self.waiting(app, changes).await;
        self.approve(&waiting).await.expect(200);
        let back = returned(&self.server.anonymous().get(&waiting.page).await);
        value(&back, "code")
    }

    /// Exchanges an authorization code.
    pub(crate) async fn redeem(&self, app: &TestApp, code: &str) -> ApiResponse {
        let pairs = [
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", CALLBACK),
            ("code_verifier", VERIFIER),
        ];
        self.token(app, &pairs).await
    }

    pub(crate) fn path(&self, rest: &str) -> String {
        format!("/v1/inboxes/{}/{rest}", self.inbox.id)
    }
}

/// Sends a form.
pub(crate) async fn post_form(api: &Api, path: &str, pairs: &[(&str, &str)]) -> ApiResponse {
    api.raw(Method::POST, path, FORM, form(pairs)).await
}

/// Encodes parameters.
pub(crate) fn form(pairs: &[(&str, &str)]) -> String {
    let encoded = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        other => format!("%{other:02X}"),
    };
    let encode = |text: &str| -> String { text.bytes().map(encoded).collect() };
    let pairs: Vec<String> = pairs.iter().map(|(name, value)| format!("{}={}", encode(name), encode(value))).collect();
    pairs.join("&")
}

/// Returns the parameters of a redirect to the app.
#[track_caller]
pub(crate) fn returned(reply: &ApiResponse) -> Vec<(String, String)> {
    assert_eq!(reply.status, 303, "{reply}");
    let location = reply.header("location").unwrap();
    let query = location.strip_prefix(CALLBACK).and_then(|rest| rest.strip_prefix('?'));
    let query = query.unwrap_or_else(|| panic!("{location} isn't the app's"));
    let decode = |text: &str| {
        let mut bytes = Vec::new();
        let mut rest = text.as_bytes();
        while let Some((byte, after)) = rest.split_first() {
            if *byte == b'%' {
                bytes.push(u8::from_str_radix(std::str::from_utf8(&after[..2]).unwrap(), 16).unwrap());
                rest = &after[2..];
            } else {
                bytes.push(*byte);
                rest = after;
            }
        }
        String::from_utf8(bytes).unwrap()
    };
    query
        .split('&')
        .map(|pair| pair.split_once('=').map(|(name, value)| (name.to_owned(), decode(value))).unwrap())
        .collect()
}

/// Returns one of the parameters.
#[track_caller]
pub(crate) fn value(pairs: &[(String, String)], name: &str) -> String {
    pairs.iter().find(|(known, _)| known == name).unwrap_or_else(|| panic!("no {name} in {pairs:?}")).1.clone()
}

/// Returns the claims of a token without checking its signature.
pub(crate) fn claims(token: &str) -> Value {
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(token.split('.').nth(1).unwrap()).unwrap()).unwrap()
}

/// Asserts an error of the OAuth form.
#[track_caller]
pub(crate) fn oauth_error(reply: &ApiResponse, status: u16, code: &str) {
    assert_eq!((reply.status, reply.json["error"].as_str()), (status, Some(code)), "{reply}");
    assert!(reply.json["error_description"].as_str().is_some_and(|text| !text.is_empty()), "{reply}");
    assert_eq!(reply.header("cache-control"), Some("no-store"), "{reply}");
}
