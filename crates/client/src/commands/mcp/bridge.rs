//! The bridge: one request to the server for each line of standard input, several at a time.

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    io::Write,
    path::PathBuf,
    time::Duration,
};

use base64::{Engine, prelude::BASE64_STANDARD};
use futures_util::{
    FutureExt, StreamExt,
    future::{AbortHandle, abortable},
    stream::FuturesUnordered,
};
use http_body_util::BodyExt;
use hyper::Method;
use serde_json::{Value, json};
use tokio::sync::{Semaphore, SemaphorePermit, watch};

use super::lines::{InputLine, read_lines};
use super::messages::{
    BATCH_WITHOUT_KEY, NOT_JSON, TOO_LARGE, addressed, error_message, error_of, failed_tool, invalid_message,
    name_the_option, request_id, tool_error, tool_result, write,
};
use super::{channel, events::EventReader, files, files::FileAccess, keyless, save_key, saving, signup, uploads};
use crate::{
    api::{Api, segment},
    commands::tail::SubscriptionOptions,
    error::ClientError,
    http::{Http, HttpRequest, REQUEST_TIMEOUT},
    output::{Lines, visible},
};

/// Longest line of standard input in bytes. The server accepts less.
const LINE_BYTES_MAX: usize = 64 * 1024 * 1024;
/// Messages that are sent to the server at once; others wait. A stream counts until it is open.
const CONCURRENT_MAX: usize = 64;
/// Messages that wait, are sent or are answered by a stream; further lines aren't read.
const MESSAGES_MAX: usize = 1_000;
/// How long a tool may wait, on top of the time of a request.
const TOOL_WAIT: Duration = Duration::from_secs(120);
/// Largest response that is not a stream, in bytes.
const RESPONSE_BYTES_MAX: usize = 64 * 1024 * 1024;
/// Where a request of the revision without a handshake names it.
const REVISION_META: &str = "io.modelcontextprotocol/protocolVersion";

/// Files of a call that don't pass through the model.
#[derive(Default)]
struct ExchangedFiles {
    /// Where those were saved that the call asked for.
    saved: Option<Value>,
    /// The contents of those that go to an upload link.
    uploads: Vec<Value>,
}

/// Passes messages between standard input and output and the server.
pub(super) struct Bridge {
    api: Api,
    key: RefCell<Option<String>>,
    profile: String,
    save_key: Option<PathBuf>,
    files: FileAccess,
    /// The revision that a handshake agreed on.
    revision: RefCell<Option<String>>,
    running: RefCell<HashMap<String, AbortHandle>>,
    /// The places of messages that are sent at once.
    places: Semaphore,
    /// Whether standard input has ended, and with it the streams.
    is_closed: watch::Sender<bool>,
    /// What the channel pushes; `None` without one.
    channel: Option<SubscriptionOptions>,
    is_initialized: Cell<bool>,
    /// Whether the client is initialized and there is a key, so that the channel may push.
    is_ready: watch::Sender<bool>,
}

impl Bridge {
    pub(super) fn new(
        api: Api,
        key: Option<String>,
        profile: String,
        save_key: Option<PathBuf>,
        files: FileAccess,
    ) -> Self {
        let key = RefCell::new(key);
        Self {
            api,
            key,
            profile,
            save_key,
            files,
            revision: RefCell::default(),
            running: RefCell::default(),
            places: Semaphore::new(CONCURRENT_MAX),
            is_closed: watch::channel(false).0,
            channel: None,
            is_initialized: Cell::new(false),
            is_ready: watch::channel(false).0,
        }
    }

    /// Adds a channel.
    pub(super) fn with_channel(self, channel: Option<SubscriptionOptions>) -> Self {
        Self { channel, ..self }
    }

    /// Pushes events from the moment that the client is ready and there is a key. When the channel ends, the session goes on.
    async fn push_events(&self) {
        let mut is_ready = self.is_ready.subscribe();
        let Some(wanted) = &self.channel else { return };
        if is_ready.wait_for(|is_ready| *is_ready).await.is_err() {
            return;
        }
        let key = self.key.borrow().clone();
        let done = match Http::new(self.api.http().base().clone()) {
            Ok(http) => channel::push(&Api::new(http, key), wanted.clone()).await,
            Err(error) => Err(error),
        };
        if let Err(error) = done {
            let why = visible(&error.to_string(), Lines::One);
            let _ = writeln!(std::io::stderr(), "posthouse: the channel ended: {why}");
        }
    }

    /// Notes that the client can read notifications.
    fn note_initialized(&self) {
        self.is_initialized.set(true);
        self.note_ready();
    }

    fn note_ready(&self) {
        if self.is_initialized.get() && self.key.borrow().is_some() {
            self.is_ready.send_replace(true);
        }
    }

    /// Runs until standard input ends and every message is answered. Streams, which have no end of their own, end with the
    /// input: a client that closes it waits for the end of this process.
    pub(super) async fn run(self) -> Result<(), ClientError> {
        let mut lines = read_lines(tokio::io::stdin(), LINE_BYTES_MAX).fuse();
        let mut answers = FuturesUnordered::new();
        let mut is_open = true;
        let pushing = self.push_events().fuse();
        tokio::pin!(pushing);
        while is_open || !answers.is_empty() {
            tokio::select! {
                line = lines.next(), if is_open && answers.len() < MESSAGES_MAX => match line {
                    None => {
                        is_open = false;
                        self.is_closed.send_replace(true);
                    }
                    Some(Ok(InputLine::Whole(line))) if line.trim_ascii().is_empty() => {}
                    Some(Ok(InputLine::Whole(line))) => {
                        if let Some(message) = self.parsed(&line)? {
                            answers.push(self.abortable(message));
                        }
                    }
                    Some(Ok(InputLine::TooLong)) => {
                        write(&error_message(&Value::Null, -32600, TOO_LARGE))?;
                    }
                    Some(Err(error)) => {
                        return Err(ClientError::Failed(format!("cannot read standard input: {error}")));
                    }
                },
                Some(done) = answers.next() => done?,
                () = &mut pushing => {}
            }
        }
        Ok(())
    }

    /// Reads a line. A cancelled request is stopped here and is not answered.
    fn parsed(&self, line: &[u8]) -> Result<Option<Value>, ClientError> {
        let Ok(message) = serde_json::from_slice::<Value>(line) else {
            write(&error_message(&Value::Null, -32700, NOT_JSON))?;
            return Ok(None);
        };
        if let Some(problem) = invalid_message(&message) {
            write(&error_message(&Value::Null, -32600, problem))?;
            return Ok(None);
        }
        if message.is_array() && self.key.borrow().is_none() {
            write(&error_message(&Value::Null, -32600, BATCH_WITHOUT_KEY))?;
            return Ok(None);
        }
        if message["method"] == "notifications/initialized" {
            self.note_initialized();
        }
        if message["method"] == "notifications/cancelled" {
            let id = message["params"]["requestId"].to_string();
            if let Some(request) = self.running.borrow_mut().remove(&id) {
                request.abort();
            }
        }
        Ok(Some(message))
    }

    async fn abortable(&self, message: Value) -> Result<(), ClientError> {
        let id = message.get("id").map(Value::to_string);
        let (answer, handle) = abortable(self.answer(message));
        if let Some(id) = &id {
            self.running.borrow_mut().insert(id.clone(), handle);
        }
        let done = answer.await;
        if let Some(id) = &id {
            self.running.borrow_mut().remove(id);
        }
        done.unwrap_or(Ok(()))
    }

    async fn answer(&self, mut message: Value) -> Result<(), ClientError> {
        let id = request_id(&message).cloned();
        let method = message["method"].as_str().unwrap_or_default().to_owned();
        let name = message["params"]["name"].as_str().unwrap_or_default().to_owned();
        let mut exchanged = ExchangedFiles::default();
        let place = self.places.acquire().await;
        if let Some(id) = &id {
            if method == "tools/call" && name == "signup" {
                let arguments = message["params"]["arguments"].take();
                return self.sign_up(id, &arguments).await;
            }
            if self.key.borrow().is_none() {
                return self.answer_without_key(id, &method, &message["params"]);
            }
            if method == "tools/call" {
                exchanged = match self.exchange_files(&mut message["params"]).await {
                    Ok(exchanged) => exchanged,
                    Err(error) => return write(&failed_tool(id, &error)),
                };
            }
        } else if self.key.borrow().is_none() {
            return Ok(());
        }
        match self.forward(&message, &method, exchanged, place.ok()).await {
            Ok(()) => Ok(()),
            Err(ClientError::OutputClosed) => Err(ClientError::OutputClosed),
            Err(error) => match id {
                None => Ok(()),
                Some(id) if method == "tools/call" => write(&tool_error(&id, "network_error", &error)),
                Some(id) => write(&error_of(&id, -32000, &error)),
            },
        }
    }

    /// Reads the files that a call attaches, and saves those that it asks for.
    async fn exchange_files(&self, params: &mut Value) -> Result<ExchangedFiles, ClientError> {
        let mut exchanged = ExchangedFiles::default();
        if let Some(arguments) = params.get_mut("arguments") {
            exchanged.uploads = self.files.resolve(arguments).map_err(ClientError::Usage)?;
        }
        if let Some(directory) = saving::take(&self.files, params).map_err(ClientError::Usage)? {
            let message = params["arguments"]["message_id"].as_str().unwrap_or_default();
            exchanged.saved = Some(saving::save(&self.api_with_key()?, message, &directory).await?);
        }
        Ok(exchanged)
    }

    fn api_with_key(&self) -> Result<Api, ClientError> {
        Ok(Api::new(Http::new(self.api.http().base().clone())?, self.key.borrow().clone()))
    }

    fn declare_channel(&self, result: &mut Value) {
        if self.channel.is_some() {
            channel::declare(result);
        }
    }

    fn answer_without_key(&self, id: &Value, method: &str, params: &Value) -> Result<(), ClientError> {
        if let Some(mut result) = keyless::result(method, params) {
            self.declare_channel(&mut result);
            if let Some(revision) = result["protocolVersion"].as_str() {
                *self.revision.borrow_mut() = Some(revision.to_owned());
            }
            return write(&json!({ "jsonrpc": "2.0", "id": id, "result": result }));
        }
        let why = "there is no API key; call the tool signup, or run posthouse login and start this server again";
        match method {
            "tools/call" => write(&tool_error(id, "no_api_key", &ClientError::Failed(why.to_owned()))),
            _ => write(&error_message(id, -32000, why)),
        }
    }

    async fn sign_up(&self, id: &Value, arguments: &Value) -> Result<(), ClientError> {
        if self.key.borrow().is_some() {
            let why = ClientError::Failed("there is an API key already; call the other tools, which use it".to_owned());
            return write(&tool_error(id, "already_configured", &why));
        }
        let (key, mut created) = match signup::sign_up(&self.api, arguments).await {
            Ok(done) => done,
            Err(error) => return write(&failed_tool(id, &error)),
        };
        let saved = match &self.save_key {
            None => "The key is kept until this server ends. Start it with --save-key FILE to keep it.".to_owned(),
            Some(path) => match save_key(path, &key) {
                Ok(()) => format!("The key is stored in {}.", path.display()),
                Err(error) => format!("The key is kept until this server ends: {error}."),
            },
        };
        created["key"] = saved.into();
        *self.key.borrow_mut() = Some(key);
        self.note_ready();
        write(&tool_result(id, &created, false))?;
        write(&json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" }))
    }

    /// Sends a message to the server and writes what it answers, with the result of the transfer of its files. A stream
    /// leaves the place of the message.
    async fn forward(
        &self,
        message: &Value,
        method: &str,
        mut exchanged: ExchangedFiles,
        place: Option<SemaphorePermit<'_>>,
    ) -> Result<(), ClientError> {
        let request = self.request(message, method)?;
        let start = self.api.http().start(request);
        let response = tokio::time::timeout(REQUEST_TIMEOUT + TOOL_WAIT, start)
            .await
            .map_err(|_| self.api.http().unreachable("no response within 150 s"))??;
        let (head, mut body) = response.into_parts();
        let kind = head.headers.get("content-type").and_then(|value| value.to_str().ok()).unwrap_or_default();
        if kind.starts_with("text/event-stream") {
            drop(place);
            let mut reader = EventReader::default();
            while let Some(frame) = self.while_wanted(method, body.frame()).await {
                let frame = frame.map_err(|error| self.api.http().unreachable(&error.to_string()))?;
                let Ok(data) = frame.into_data() else { continue };
                for event in reader.read(&data).map_err(|why| ClientError::Failed(why.to_owned()))? {
                    self.write_answer(&event, message, method, &mut exchanged).await?;
                }
            }
            return Ok(());
        }
        let collected = http_body_util::Limited::new(body, RESPONSE_BYTES_MAX).collect();
        let collected = tokio::time::timeout(REQUEST_TIMEOUT, collected).boxed().await;
        let bytes = match collected {
            Ok(Ok(collected)) => collected.to_bytes(),
            _ => return Err(self.api.http().unreachable("the response is incomplete")),
        };
        if bytes.is_empty() {
            return Ok(());
        }
        let text = String::from_utf8_lossy(&bytes);
        self.write_answer(&text, message, method, &mut exchanged).await.map_err(|error| match error {
            ClientError::Failed(_) => {
                let base = self.api.base();
                ClientError::Failed(format!("{base}/mcp answered with status {}; check the address", head.status))
            }
            other => other,
        })
    }

    /// Waits for the next part of a stream. After the end of standard input, only a call still has its rest.
    async fn while_wanted<T>(&self, method: &str, next: impl Future<Output = Option<T>>) -> Option<T> {
        let mut is_closed = self.is_closed.subscribe();
        let ended = async {
            let _ = is_closed.wait_for(|is_closed| *is_closed && method != "tools/call").await;
        };
        tokio::select! {
            next = next => next,
            () = ended => None,
        }
    }

    fn request(&self, message: &Value, method: &str) -> Result<HttpRequest, ClientError> {
        let target = format!("/mcp?profile={}", segment(&self.profile));
        let mut request = HttpRequest::new(Method::POST, target)
            .with_body("application/json", message.to_string())
            .with_header("accept", "application/json, text/event-stream")?;
        if let Some(key) = self.key.borrow().as_ref() {
            request = request.with_header("authorization", &format!("Bearer {key}"))?;
        }
        let params = &message["params"];
        let stateless = params["_meta"][REVISION_META].as_str().map(str::to_owned);
        if stateless.is_some() {
            request = request.with_header("mcp-method", method)?;
            if let Some(about) =
                params["name"].as_str().or_else(|| params["uri"].as_str()).or_else(|| params["taskId"].as_str())
            {
                request = request.with_header("mcp-name", &field_value(about))?;
            }
        }
        if let Some(revision) = stateless.or_else(|| self.revision.borrow().clone()).filter(|_| method != "initialize")
        {
            request = request.with_header("mcp-protocol-version", &revision)?;
        }
        Ok(request)
    }

    /// Writes a message of the server, with what the bridge adds to it.
    async fn write_answer(
        &self,
        text: &str,
        asked: &Value,
        method: &str,
        exchanged: &mut ExchangedFiles,
    ) -> Result<(), ClientError> {
        let mut answer: Value = serde_json::from_str(text)
            .ok()
            .filter(|answer: &Value| answer.is_array() || answer["jsonrpc"].is_string())
            .ok_or_else(|| ClientError::Failed("the answer is no message of the protocol".to_owned()))?;
        if method == "initialize"
            && let Some(revision) = answer["result"]["protocolVersion"].as_str()
        {
            *self.revision.borrow_mut() = Some(revision.to_owned());
        }
        if let Some(error) = answer.get_mut("error") {
            name_the_option(error);
        }
        if !exchanged.uploads.is_empty()
            && let Some(link) = uploads::link(&answer)
        {
            let contents = std::mem::take(&mut exchanged.uploads);
            answer = match uploads::post(&self.api_with_key()?, &link, contents).await {
                Ok(shown) => tool_result(&answer["id"], &shown, false),
                Err(error) => failed_tool(&answer["id"], &error),
            };
        }
        if let Some(parts) = answer.pointer_mut("/result/content").and_then(Value::as_array_mut)
            && let Some(saved) = exchanged.saved.take()
        {
            parts.push(json!({ "type": "text", "text": format!("{saved:#}") }));
        }
        if matches!(method, "initialize" | "server/discover")
            && let Some(result) = answer.get_mut("result")
        {
            self.declare_channel(result);
        }
        if method == "server/discover" {
            // The stateless revision has no notification that says it.
            self.note_initialized();
        }
        if method == "tools/list"
            && let Some(tools) = answer.pointer_mut("/result/tools")
        {
            files::describe(tools);
            saving::describe(tools);
            let is_last = answer.pointer("/result/nextCursor").is_none_or(Value::is_null);
            if self.profile == "all"
                && is_last
                && let Some(tools) = answer.pointer_mut("/result/tools").and_then(Value::as_array_mut)
            {
                tools.push(signup::declaration());
            }
        }
        addressed(answer, asked).as_ref().map_or(Ok(()), write)
    }
}

/// Returns a header value, in base64 if the text is not visible ASCII.
fn field_value(text: &str) -> String {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_graphic()) && !text.starts_with("=?base64?");
    if is_plain { text.to_owned() } else { format!("=?base64?{}?=", BASE64_STANDARD.encode(text)) }
}
