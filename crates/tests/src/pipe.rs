//! A second transport of the operations: JSON lines on a pipe, one call and one answer a line.
//!
//! A call is `{"key", "operation", "path", "query", "body", "idempotency_key"}`; all but `operation` may be absent. The key is an
//! API key or the secret of a session. The answer is `{"status", "value"}` or `{"status", "error"}`.

use std::{collections::HashMap, net::Ipv4Addr, sync::Arc};

use futures_util::StreamExt as _;
use posthouse_app::{Service, access::credentials};
use posthouse_call::{Answer, Arguments, CallSource, Operation, Outcome, OutcomeBody, PathParams, call};
use posthouse_domain::{ApiKeySecret, ErrorCode, Refusal, SessionSecret};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, duplex};

/// The bytes that the pipe holds in each direction.
const PIPE_BYTES: usize = 64 * 1024;

/// A call, as a line.
#[derive(Deserialize)]
struct CallLine {
    key: Option<String>,
    operation: String,
    #[serde(default)]
    path: Map<String, Value>,
    query: Option<String>,
    body: Option<Value>,
    idempotency_key: Option<String>,
}

/// The client's end of the pipe.
pub struct Pipe {
    lines: BufReader<DuplexStream>,
    key: Option<String>,
}

impl Pipe {
    /// Connects to a service. Must be called on a runtime, whose task answers the calls.
    #[must_use]
    pub fn connect(service: Arc<Service>, key: Option<String>) -> Self {
        let (client, server) = duplex(PIPE_BYTES);
        tokio::spawn(serve(service, server));
        Self { lines: BufReader::new(client), key }
    }

    /// Calls an operation. Returns the answer.
    ///
    /// # Panics
    /// Panics if the pipe is closed.
    pub async fn call(&mut self, operation: &str, path: Value, query: Option<&str>, body: Option<Value>) -> Value {
        let call = json!({ "key": self.key, "operation": operation, "path": path, "query": query, "body": body });
        self.lines.get_mut().write_all(format!("{call}\n").as_bytes()).await.expect("the pipe is open");
        let mut answer = String::new();
        self.lines.read_line(&mut answer).await.expect("the pipe is open");
        serde_json::from_str(&answer).expect("answers are JSON")
    }
}

/// Answers the calls of a client until it closes the pipe.
async fn serve(service: Arc<Service>, stream: DuplexStream) {
    let operations: HashMap<&str, Operation> =
        posthouse::all_operations().into_iter().map(|operation| (operation.name, operation)).collect();
    let (read, mut write) = tokio::io::split(stream);
    let mut lines = BufReader::new(read).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let answer = match answer(&service, &operations, &line).await {
            Ok((status, value)) => json!({ "status": status, "value": value }),
            Err(refusal) => json!({ "status": refusal.code.status(), "error": refusal.body("")["error"] }),
        };
        if write.write_all(format!("{answer}\n").as_bytes()).await.is_err() {
            return;
        }
    }
}

async fn answer(
    service: &Arc<Service>,
    operations: &HashMap<&str, Operation>,
    line: &str,
) -> Result<(u16, Value), Refusal> {
    let invalid = |text: String| Refusal::new(ErrorCode::InvalidRequest, text);
    let line: CallLine = serde_json::from_str(line).map_err(|error| invalid(error.to_string()))?;
    let unknown = || invalid(format!("There is no operation `{}`.", line.operation));
    let operation = operations.get(line.operation.as_str()).filter(|one| one.is_callable()).ok_or_else(unknown)?;
    let client_ip = Ipv4Addr::LOCALHOST.into();
    let key = line.key.as_deref().unwrap_or_default();
    let caller = match (ApiKeySecret::parse(key), SessionSecret::parse(key)) {
        (Some(key), _) => Some(credentials::key(service, &key, client_ip, None).await?),
        (None, Some(session)) => Some(credentials::session(service, &session, client_ip).await?),
        (None, None) => None,
    };
    let path = line.path.iter().map(|(name, value)| (name.as_str(), value.as_str().unwrap_or_default()));
    let arguments = Arguments {
        path: PathParams::of(path),
        query: line.query,
        body: line.body.map_or_else(Default::default, |body| match body {
            Value::String(text) if operation.body.is_some_and(|rule| !rule.content_type.ends_with("json")) => {
                text.into()
            }
            body => body.to_string().into(),
        }),
        idempotency_key: line.idempotency_key,
    };
    let id = service.clock.ids().next::<uuid::Uuid>().to_string();
    let source = CallSource { id, arrived_at: service.clock.now(), client_ip };
    let Answer { result, .. } = call(service, operation, caller.as_ref(), source, arguments).await;
    value(result?).await
}

/// Returns the status and the value of a result: JSON as it is, and other bodies as text.
async fn value(outcome: Outcome) -> Result<(u16, Value), Refusal> {
    let bytes = match outcome.body {
        OutcomeBody::Bytes(bytes) => bytes.to_vec(),
        OutcomeBody::Stream(mut chunks) => {
            let mut all = Vec::new();
            while let Some(chunk) = chunks.next().await {
                all.extend_from_slice(&chunk?);
            }
            all
        }
    };
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let is_json = outcome.content_type.as_deref() == Some("application/json");
    let parsed = if is_json { serde_json::from_str(&text).ok() } else { None };
    Ok((outcome.status, parsed.unwrap_or(if text.is_empty() { Value::Null } else { Value::String(text) })))
}
