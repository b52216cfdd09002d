//! A client of the API: requests with a key, and assertions on the responses.
//!
//! It never retries and never follows redirects: one call is one request.

use std::{fmt, ops::Index, time::Duration};

use posthouse_domain::error::ErrorCode;
use reqwest::{
    Client, Method,
    header::{HeaderMap, HeaderName, HeaderValue},
};
use serde_json::Value;

/// How long a request may take before the test fails, in seconds: much longer than any intended wait.
const GIVE_UP_S: u64 = 90;

/// An API client with at most one key. Clones share the connections.
#[derive(Clone)]
pub struct Api {
    client: Client,
    base_url: String,
    key: Option<String>,
    headers: HeaderMap,
}

impl Api {
    /// Creates a client of the API at that base URL, without a key.
    ///
    /// # Panics
    /// Panics if the HTTP client can't be built.
    #[must_use]
    pub fn new(base_url: &str) -> Self {
        let client = Client::builder()
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .tls_danger_accept_invalid_certs(true)
            .timeout(Duration::from_secs(GIVE_UP_S))
            .build()
            .expect("an HTTP client can be built");
        Self { client, base_url: base_url.to_owned(), key: None, headers: HeaderMap::new() }
    }

    /// Returns a client that uses this key.
    #[must_use]
    pub fn with_key(&self, key: &str) -> Self {
        Self { key: Some(key.to_owned()), ..self.clone() }
    }

    /// Returns a client that sends one more header field with every request.
    ///
    /// # Panics
    /// Panics if the name or value is not valid in a header field.
    #[must_use]
    pub fn with_header(&self, name: &str, value: &str) -> Self {
        let mut more = self.clone();
        let name = HeaderName::try_from(name).expect("a valid header field name");
        more.headers.append(name, HeaderValue::from_str(value).expect("a valid header field value"));
        more
    }

    /// Returns a client that sends this `Idempotency-Key`.
    #[must_use]
    pub fn idempotent(&self, key: &str) -> Self {
        self.with_header("Idempotency-Key", key)
    }

    /// Sends a GET request; `path` includes the query.
    pub async fn get(&self, path: &str) -> ApiResponse {
        self.send(Method::GET, path, None).await
    }

    /// Sends a POST request with a JSON body.
    pub async fn post(&self, path: &str, body: Value) -> ApiResponse {
        self.send(Method::POST, path, Some(body)).await
    }

    /// Sends a POST request without a body.
    pub async fn post_empty(&self, path: &str) -> ApiResponse {
        self.send(Method::POST, path, None).await
    }

    /// Sends a PATCH request with a JSON body.
    pub async fn patch(&self, path: &str, body: Value) -> ApiResponse {
        self.send(Method::PATCH, path, Some(body)).await
    }

    /// Sends a PUT request with a JSON body.
    pub async fn put(&self, path: &str, body: Value) -> ApiResponse {
        self.send(Method::PUT, path, Some(body)).await
    }

    /// Sends a DELETE request.
    pub async fn delete(&self, path: &str) -> ApiResponse {
        self.send(Method::DELETE, path, None).await
    }

    /// Sends a request with an optional JSON body.
    pub async fn send(&self, method: Method, path: &str, body: Option<Value>) -> ApiResponse {
        match body {
            Some(body) => self.raw(method, path, "application/json", body.to_string()).await,
            None => self.send_body(method, path, None).await,
        }
    }

    /// Sends a request with any body, for requests that a correct client never sends.
    pub async fn raw(&self, method: Method, path: &str, content_type: &str, body: impl Into<Vec<u8>>) -> ApiResponse {
        self.send_body(method, path, Some(RequestBody { content_type, bytes: body.into() })).await
    }

    /// Sends a POST request to a server that may be killed meanwhile. Returns `None` if the response is incomplete.
    pub async fn try_post(&self, path: &str, body: &Value) -> Option<ApiResponse> {
        let body = RequestBody { content_type: "application/json", bytes: body.to_string().into() };
        self.try_send_body(Method::POST, path, Some(body)).await.ok()
    }

    async fn send_body(&self, method: Method, path: &str, body: Option<RequestBody<'_>>) -> ApiResponse {
        let request_line = format!("{method} {path}");
        self.try_send_body(method, path, body)
            .await
            .unwrap_or_else(|error| panic!("{request_line}: no complete response: {error:?}"))
    }

    async fn try_send_body(
        &self,
        method: Method,
        path: &str,
        body: Option<RequestBody<'_>>,
    ) -> reqwest::Result<ApiResponse> {
        let request_line = format!("{method} {path}");
        let mut request = self.client.request(method, format!("{}{path}", self.base_url)).headers(self.headers.clone());
        if let Some(key) = &self.key {
            request = request.bearer_auth(key);
        }
        if let Some(RequestBody { content_type, bytes }) = body {
            request = request.header("Content-Type", content_type).body(bytes);
        }
        let response = request.send().await?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let bytes = response.bytes().await?;
        let json = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
        Ok(ApiResponse { request_line, status, headers, json, bytes: bytes.to_vec() })
    }
}

/// The body of a request.
struct RequestBody<'a> {
    content_type: &'a str,
    bytes: Vec<u8>,
}

/// A response of the API.
#[derive(Clone, Debug)]
pub struct ApiResponse {
    /// The method and path of the request, for assertion messages.
    pub request_line: String,
    /// The status code.
    pub status: u16,
    /// The header fields.
    pub headers: HeaderMap,
    /// The body as JSON, or null if it isn't JSON.
    pub json: Value,
    /// The body.
    pub bytes: Vec<u8>,
}

impl ApiResponse {
    /// Asserts the status code and returns the response.
    ///
    /// # Panics
    /// Panics with the whole response if the status differs.
    #[track_caller]
    pub fn expect(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{self}");
        self
    }

    /// Asserts that the response is this error, complete and well formed, and returns it.
    ///
    /// # Panics
    /// Panics with the whole response otherwise.
    #[track_caller]
    pub fn error(self, code: &str) -> Self {
        let known = ErrorCode::ALL.iter().find(|known| known.text() == code);
        let known = known.unwrap_or_else(|| panic!("{code} is not in the table of errors"));
        let error = &self.json["error"];
        assert_eq!(error["code"], code, "{self}");
        assert_eq!(self.status, known.status(), "the status of {code} in {self}");
        for member in ["message", "fix", "request_id"] {
            assert!(error[member].as_str().is_some_and(|text| !text.is_empty()), "error.{member} in {self}");
        }
        assert_eq!(self.header("x-request-id"), error["request_id"].as_str(), "{self}");
        if let Some(problem) = undeclared_details(*known, &error["details"]) {
            panic!("{problem} in {self}");
        }
        if matches!(self.status, 429 | 503) {
            let seconds = self.header("retry-after").and_then(|text| text.parse::<u64>().ok());
            assert!(seconds.is_some_and(|seconds| seconds > 0), "Retry-After of {self}");
        }
        self
    }

    /// Asserts that `invalid_request` names exactly these fields, in any order.
    ///
    /// # Panics
    /// Panics with the whole response otherwise.
    #[track_caller]
    pub fn invalid_fields(self, paths: &[&str]) -> Self {
        let reply = self.error("invalid_request");
        let fields = reply.json["error"]["details"]["fields"].as_array().cloned().unwrap_or_default();
        let mut found: Vec<&str> = fields.iter().filter_map(|field| field["path"].as_str()).collect();
        let mut expected = paths.to_vec();
        found.sort_unstable();
        expected.sort_unstable();
        assert_eq!(found, expected, "{reply}");
        reply
    }

    /// Returns the value of a header field.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// Returns the body as text.
    #[must_use]
    pub fn body_text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    /// Returns a string member of the JSON body.
    ///
    /// # Panics
    /// Panics with the whole response if it is not a string.
    #[must_use]
    #[track_caller]
    pub fn text(&self, member: &str) -> &str {
        self.json[member].as_str().unwrap_or_else(|| panic!("no text {member} in {self}"))
    }

    /// Returns the items of a list response.
    ///
    /// # Panics
    /// Panics with the whole response if it isn't a list.
    #[must_use]
    #[track_caller]
    pub fn data(&self) -> &[Value] {
        self.json["data"].as_array().unwrap_or_else(|| panic!("no list in {self}"))
    }
}

impl Index<&str> for ApiResponse {
    type Output = Value;

    fn index(&self, member: &str) -> &Value {
        &self.json[member]
    }
}

impl fmt::Display for ApiResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let body = String::from_utf8_lossy(&self.bytes);
        write!(f, "{} -> {}\n{body}", self.request_line, self.status)
    }
}

/// Compares `error.details` with the declaration of its code. Returns the first difference.
fn undeclared_details(code: ErrorCode, details: &Value) -> Option<String> {
    let rules = code.details();
    for rule in rules {
        let (name, value) = (rule.kind.text(), &details[rule.kind.text()]);
        let matches = match rule.kind.schema()["type"].as_str() {
            _ if value.is_null() => !rule.is_required,
            Some("integer") => value.is_u64(),
            Some("array") => value.is_array(),
            _ => value.is_string(),
        };
        if !matches {
            return Some(format!("details.{name} of {} is {value}", code.text()));
        }
    }
    let is_declared = |name: &str| rules.iter().any(|rule| rule.kind.text() == name);
    let undeclared = details.as_object()?.keys().find(|name| !is_declared(name))?;
    Some(format!("details.{undeclared} is not declared for {}", code.text()))
}
