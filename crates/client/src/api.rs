//! Requests to the API: JSON in, JSON out, errors with their next step.

use std::{cell::RefCell, fmt::Write, time::Duration};

use hyper::Method;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use serde_json::Value;

use crate::{
    error::{ApiError, ClientError},
    http::{Http, HttpRequest, HttpResponse, REQUEST_TIMEOUT},
};

/// What is not encoded in a segment of a path or in a query (RFC 3986 §2.3).
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');
/// How often a read is repeated after the server asks to wait.
const REPEATS_MAX: u32 = 3;
/// The longest such wait, in seconds.
const WAIT_S_MAX: u64 = 60;
/// The media type of bodies.
const JSON: &str = "application/json";

/// The API of one server, called with one key.
pub(crate) struct Api {
    http: Http,
    key: Option<String>,
    notice: RefCell<Option<String>>,
}

/// A call of the API.
pub(crate) struct Call {
    method: Method,
    target: String,
    body: Option<Value>,
    idempotency_key: Option<String>,
    timeout: Duration,
    repeats_max: u32,
}

/// A successful response.
pub(crate) struct ApiResponse {
    /// The status.
    pub(crate) status: u16,
    /// The body; null if it is empty.
    pub(crate) body: Value,
    /// The time of the response as the server states it.
    pub(crate) date: Option<jiff::Timestamp>,
}

/// Encodes a text as one segment of a path.
pub(crate) fn segment(text: &str) -> String {
    match text {
        // Clients resolve these two in a URL even if they are encoded.
        "." | ".." => "%20".to_owned(),
        _ => utf8_percent_encode(text, ENCODED).to_string(),
    }
}

/// The query of a call.
#[derive(Clone, Default)]
pub(crate) struct Query(String);

impl Query {
    /// Adds a parameter.
    pub(crate) fn with(mut self, name: &str, value: impl ToString) -> Self {
        let separator = if self.0.is_empty() { '?' } else { '&' };
        let value = value.to_string();
        write!(self.0, "{separator}{name}={}", utf8_percent_encode(&value, ENCODED))
            .expect("a string can always be written to");
        self
    }

    /// Adds a parameter that may be absent.
    pub(crate) fn maybe(self, name: &str, value: Option<impl ToString>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// Adds a parameter that is a list, unless it is empty.
    pub(crate) fn list(self, name: &str, values: &[String]) -> Self {
        if values.is_empty() { self } else { self.with(name, values.join(",")) }
    }

    /// Adds a flag that is set.
    pub(crate) fn flag(self, name: &str, is_set: bool) -> Self {
        if is_set { self.with(name, true) } else { self }
    }
}

impl Call {
    fn new(method: Method, path: impl Into<String>) -> Self {
        let repeats_max = if method == Method::GET { REPEATS_MAX } else { 0 };
        Self { method, target: path.into(), body: None, idempotency_key: None, timeout: REQUEST_TIMEOUT, repeats_max }
    }

    /// Reads the resource at a path.
    pub(crate) fn get(path: impl Into<String>) -> Self {
        Self::new(Method::GET, path)
    }

    /// Posts to a path.
    pub(crate) fn post(path: impl Into<String>) -> Self {
        Self::new(Method::POST, path)
    }

    /// Changes the resource at a path.
    pub(crate) fn patch(path: impl Into<String>) -> Self {
        Self::new(Method::PATCH, path)
    }

    /// Deletes the resource at a path.
    pub(crate) fn delete(path: impl Into<String>) -> Self {
        Self::new(Method::DELETE, path)
    }

    /// Adds a query.
    pub(crate) fn query(mut self, query: &Query) -> Self {
        self.target.push_str(&query.0);
        self
    }

    /// Sets the body.
    pub(crate) fn body(mut self, body: Value) -> Self {
        self.body = Some(body);
        self
    }

    /// Sets the idempotency key, if there is one.
    pub(crate) fn idempotency_key(mut self, key: Option<String>) -> Self {
        self.idempotency_key = key;
        self
    }

    /// Leaves repeats to the caller.
    pub(crate) fn once(mut self) -> Self {
        self.repeats_max = 0;
        self
    }

    /// Allows this time on top of the usual one, which the server spends waiting.
    pub(crate) fn waiting(mut self, time: Duration) -> Self {
        self.timeout = REQUEST_TIMEOUT + time;
        self
    }
}

impl Api {
    /// Creates a client that authenticates with that key, if there is one.
    pub(crate) fn new(http: Http, key: Option<String>) -> Self {
        Self { http, key, notice: RefCell::default() }
    }

    /// Returns the client of the server.
    pub(crate) fn http(&self) -> &Http {
        &self.http
    }

    /// Returns the address of the server without a slash at its end.
    pub(crate) fn base(&self) -> &str {
        self.http.base().as_str().trim_end_matches('/')
    }

    /// Returns the value of the `Authorization` header.
    pub(crate) fn authorization(&self) -> Option<String> {
        self.key.as_ref().map(|key| format!("Bearer {key}"))
    }

    /// Returns the notice of the operator, if a response had one, once.
    pub(crate) fn take_notice(&self) -> Option<String> {
        self.notice.take()
    }

    /// Makes a call. Reads are repeated if the server asks to wait a moment.
    ///
    /// # Errors
    /// Returns the error of the API, or why the server can't be reached.
    pub(crate) async fn call(&self, call: Call) -> Result<ApiResponse, ClientError> {
        let mut repeats = 0;
        loop {
            match self.attempt(&call).await {
                Err(ClientError::Api(error)) if repeats < call.repeats_max => {
                    let wait = error.retry_after_s.filter(|wait| *wait <= WAIT_S_MAX);
                    let Some(wait) = wait.filter(|_| matches!(error.status, 429 | 503)) else {
                        return Err(ClientError::Api(error));
                    };
                    repeats += 1;
                    tokio::time::sleep(Duration::from_secs(wait.max(1))).await;
                }
                done => return done,
            }
        }
    }

    /// Makes a call and returns the body of the response.
    ///
    /// # Errors
    /// Fails as [`Api::call`] does.
    pub(crate) async fn json(&self, call: Call) -> Result<Value, ClientError> {
        Ok(self.call(call).await?.body)
    }

    /// Reads bytes that are not JSON.
    ///
    /// # Errors
    /// Fails as [`Api::call`] does.
    pub(crate) async fn bytes(&self, path: String) -> Result<bytes::Bytes, ClientError> {
        let response = self.http.send(self.request(&Call::get(path))?).await?;
        self.check(&response)?;
        Ok(response.body)
    }

    async fn attempt(&self, call: &Call) -> Result<ApiResponse, ClientError> {
        let response = self.http.send(self.request(call)?).await?;
        self.check(&response)?;
        let body = if response.body.is_empty() {
            Value::Null
        } else {
            serde_json::from_slice(&response.body).map_err(|_| self.foreign(response.status))?
        };
        Ok(ApiResponse { status: response.status, body, date: date(&response) })
    }

    fn request(&self, call: &Call) -> Result<HttpRequest, ClientError> {
        let mut request = HttpRequest::new(call.method.clone(), call.target.clone());
        request.timeout = call.timeout;
        request = request.with_header("accept", JSON)?;
        if let Some(authorization) = self.authorization() {
            request = request.with_header("authorization", &authorization)?;
        }
        if let Some(key) = &call.idempotency_key {
            request = request.with_header("idempotency-key", key)?;
        }
        if let Some(body) = &call.body {
            request = request.with_body(JSON, body.to_string());
        }
        Ok(request)
    }

    /// Keeps the operator's notice, and returns the error that the response is.
    fn check(&self, response: &HttpResponse) -> Result<(), ClientError> {
        if let Some(notice) = response.header("service-notice") {
            *self.notice.borrow_mut() = Some(percent_decode_str(notice).decode_utf8_lossy().into_owned());
        }
        match response.status {
            200..=299 => Ok(()),
            300..=399 => {
                let to = response.header("location").unwrap_or("another address");
                let text = format!("{} redirects to {to}; pass the address that answers as --base-url", self.base());
                Err(ClientError::Failed(text))
            }
            status => Err(self.refused(status, response)),
        }
    }

    fn refused(&self, status: u16, response: &HttpResponse) -> ClientError {
        let body: Value = serde_json::from_slice(&response.body).unwrap_or(Value::Null);
        let error = &body["error"];
        let is_busy = matches!(status, 429 | 500..=599);
        let has_error = error["message"].is_string();
        if !has_error && !is_busy {
            return self.foreign(status);
        }
        let mut error = ApiError::of(status, error, &format!("{} answered with status {status}", self.base()));
        if !has_error {
            // A proxy answers like this while the server behind it is down or has too many requests.
            error.fix = Some("Try again later; if it stays so, check --base-url.".to_owned());
        }
        error.date = date(response);
        let in_header = response.header("retry-after").and_then(|value| value.trim().parse().ok());
        error.retry_after_s = in_header.or(error.retry_after_s);
        ClientError::Api(Box::new(error))
    }

    /// Returns the error for a response that is not the API's.
    fn foreign(&self, status: u16) -> ClientError {
        ClientError::Failed(format!(
            "{} answered with status {status}, but not as a Posthouse server; check --base-url",
            self.base()
        ))
    }
}

/// Returns the time of a response (RFC 9110 §6.6.1).
fn date(response: &HttpResponse) -> Option<jiff::Timestamp> {
    let text = response.header("date")?;
    jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scripted::{Reply, ScriptedServer};

    #[tokio::test]
    async fn a_busy_server_is_not_a_foreign_one() {
        for (status, is_foreign) in [(404, true), (429, false), (500, false), (503, false)] {
            let server = ScriptedServer::start(vec![Reply::Response(status, "", "<html>".to_owned())]).await;
            let error = server.session().api().unwrap().call(Call::get("/v1/inboxes")).await.err().unwrap();
            assert_eq!(error.to_string().contains("not as a Posthouse server"), is_foreign, "{error}");
            assert_eq!(error.has_status(status), !is_foreign, "{error}");
        }
    }

    #[test]
    fn ids_are_one_segment_of_a_path() {
        assert_eq!(segment("a/b?c#d@e"), "a%2Fb%3Fc%23d%40e");
        assert_eq!((segment("."), segment(".."), segment("x.y")), ("%20".into(), "%20".into(), "x.y".into()));
    }

    #[test]
    fn queries_hold_what_was_given() {
        let query = Query::default().maybe("limit", Some(5)).maybe("cursor", None::<String>).flag("all", false);
        let query = query.with("q", "a b&c").list("types", &["x".to_owned(), "y".to_owned()]).list("none", &[]);
        assert_eq!(query.0, "?limit=5&q=a%20b%26c&types=x%2Cy");
    }
}
