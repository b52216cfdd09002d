//! The API as a client sees it: requests with a key, and answers with what a test asks of them.
//!
//! It never retries and never follows a redirect: one call is one request.

use std::{fmt, ops::Index, time::Duration};

use posthouse_domain::error::Code;
use reqwest::{
    Client, Method,
    header::{HeaderMap, HeaderName, HeaderValue},
};
use serde_json::Value;

/// How long an answer may take before the test gives up, in seconds: far longer than any test waits on purpose.
const GIVE_UP_S: u64 = 90;

/// The API with one key, or without. Clones share the connections.
#[derive(Clone)]
pub struct Api {
    client: Client,
    base_url: String,
    key: Option<String>,
    headers: HeaderMap,
}

impl Api {
    /// The API at that base URL, without a key.
    ///
    /// # Panics
    /// Where no client can be made.
    #[must_use]
    pub fn new(base_url: &str) -> Self {
        let client = Client::builder()
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .tls_danger_accept_invalid_certs(true)
            .timeout(Duration::from_secs(GIVE_UP_S))
            .build()
            .expect("a client without certificates of its own can be made");
        Self { client, base_url: base_url.to_owned(), key: None, headers: HeaderMap::new() }
    }

    /// The same API with that key.
    #[must_use]
    pub fn with_key(&self, key: &str) -> Self {
        Self { key: Some(key.to_owned()), ..self.clone() }
    }

    /// The same API with one more header field on every request.
    ///
    /// # Panics
    /// Where name or value are not fit for a header field.
    #[must_use]
    pub fn with_header(&self, name: &str, value: &str) -> Self {
        let mut more = self.clone();
        let name = HeaderName::try_from(name).expect("a name fit for a header field");
        more.headers.append(name, HeaderValue::from_str(value).expect("a value fit for a header field"));
        more
    }

    /// The same API with an `Idempotency-Key`.
    #[must_use]
    pub fn idempotent(&self, key: &str) -> Self {
        self.with_header("Idempotency-Key", key)
    }

    /// GET; the path with its query.
    pub async fn get(&self, path: &str) -> Reply {
        self.send(Method::GET, path, None).await
    }

    /// POST with a JSON body.
    pub async fn post(&self, path: &str, body: Value) -> Reply {
        self.send(Method::POST, path, Some(body)).await
    }

    /// POST without a body.
    pub async fn post_empty(&self, path: &str) -> Reply {
        self.send(Method::POST, path, None).await
    }

    /// PATCH with a JSON body.
    pub async fn patch(&self, path: &str, body: Value) -> Reply {
        self.send(Method::PATCH, path, Some(body)).await
    }

    /// PUT with a JSON body.
    pub async fn put(&self, path: &str, body: Value) -> Reply {
        self.send(Method::PUT, path, Some(body)).await
    }

    /// DELETE.
    pub async fn delete(&self, path: &str) -> Reply {
        self.send(Method::DELETE, path, None).await
    }

    /// Any method, with a JSON body or none.
    pub async fn send(&self, method: Method, path: &str, body: Option<Value>) -> Reply {
        match body {
            Some(body) => self.raw(method, path, "application/json", body.to_string()).await,
            None => self.carry(method, path, None).await,
        }
    }

    /// Any method with any body: for requests that no client of good will sends.
    pub async fn raw(&self, method: Method, path: &str, content_type: &str, body: impl Into<Vec<u8>>) -> Reply {
        self.carry(method, path, Some((content_type, body.into()))).await
    }

    /// POST to a server that may be killed meanwhile: nothing where there was no whole answer.
    pub async fn try_post(&self, path: &str, body: &Value) -> Option<Reply> {
        self.try_carry(Method::POST, path, Some(("application/json", body.to_string().into()))).await.ok()
    }

    async fn carry(&self, method: Method, path: &str, body: Option<(&str, Vec<u8>)>) -> Reply {
        let asked = format!("{method} {path}");
        self.try_carry(method, path, body).await.unwrap_or_else(|error| panic!("{asked}: no whole answer: {error:?}"))
    }

    async fn try_carry(&self, method: Method, path: &str, body: Option<(&str, Vec<u8>)>) -> reqwest::Result<Reply> {
        let asked = format!("{method} {path}");
        let mut request = self.client.request(method, format!("{}{path}", self.base_url)).headers(self.headers.clone());
        if let Some(key) = &self.key {
            request = request.bearer_auth(key);
        }
        if let Some((content_type, body)) = body {
            request = request.header("Content-Type", content_type).body(body);
        }
        let response = request.send().await?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let bytes = response.bytes().await?;
        let json = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
        Ok(Reply { asked, status, headers, json, bytes: bytes.to_vec() })
    }
}

/// An answer.
#[derive(Clone, Debug)]
pub struct Reply {
    /// The request, for messages.
    pub asked: String,
    /// The status.
    pub status: u16,
    /// The header fields.
    pub headers: HeaderMap,
    /// The body as JSON; null when it is none.
    pub json: Value,
    /// The body.
    pub bytes: Vec<u8>,
}

impl Reply {
    /// Asserts the status and gives the answer back.
    ///
    /// # Panics
    /// With the whole answer, when the status is another.
    #[track_caller]
    pub fn expect(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{self}");
        self
    }

    /// Asserts that the answer is this refusal, whole and well formed (decision 1), and gives it back.
    ///
    /// # Panics
    /// With the whole answer, when it is not.
    #[track_caller]
    pub fn error(self, code: &str) -> Self {
        let known = Code::ALL.iter().find(|known| known.text() == code);
        let known = known.unwrap_or_else(|| panic!("{code} is not in the table of errors"));
        let error = &self.json["error"];
        assert_eq!(error["code"], code, "{self}");
        assert_eq!(self.status, known.status(), "the status of {code} in {self}");
        for member in ["message", "fix", "request_id"] {
            assert!(error[member].as_str().is_some_and(|text| !text.is_empty()), "error.{member} in {self}");
        }
        assert_eq!(self.header("x-request-id"), error["request_id"].as_str(), "{self}");
        if matches!(self.status, 429 | 503) {
            let seconds = self.header("retry-after").and_then(|text| text.parse::<u64>().ok());
            assert!(seconds.is_some_and(|seconds| seconds > 0), "Retry-After of {self}");
        }
        self
    }

    /// Asserts that `invalid_request` names exactly these fields, in any order.
    ///
    /// # Panics
    /// With the whole answer, when it does not.
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

    /// A header field as text.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// The text of a member of the JSON object.
    ///
    /// # Panics
    /// With the whole answer, when it is not a string.
    #[must_use]
    #[track_caller]
    pub fn text(&self, member: &str) -> &str {
        self.json[member].as_str().unwrap_or_else(|| panic!("no text {member} in {self}"))
    }

    /// The items of a list.
    ///
    /// # Panics
    /// With the whole answer, when it is none.
    #[must_use]
    #[track_caller]
    pub fn data(&self) -> &[Value] {
        self.json["data"].as_array().unwrap_or_else(|| panic!("no list in {self}"))
    }
}

impl Index<&str> for Reply {
    type Output = Value;

    fn index(&self, member: &str) -> &Value {
        &self.json[member]
    }
}

impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let body = String::from_utf8_lossy(&self.bytes);
        write!(f, "{} -> {}\n{body}", self.asked, self.status)
    }
}
