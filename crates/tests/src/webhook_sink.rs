//! A webhook receiver for tests. It records POST requests byte for byte, and replies from a script where one is set.
//!
//! It listens on loopback only. It reads only HTTP/1.1 with `Content-Length`, so that a test sees exactly the bytes on
//! the wire.

use std::{
    collections::VecDeque,
    net::{Ipv4Addr, SocketAddr},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    sync::watch,
    task::JoinHandle,
};

/// A reply to a webhook request.
#[derive(Clone, Debug)]
pub enum WebhookReply {
    /// This status and body.
    Status(u16, String),
    /// This status with one more header field.
    Field(u16, String),
    /// No reply, while the connection stays open.
    Silence,
    /// No reply, and the connection is closed.
    HangUp,
    /// A response whose body is shorter than its `Content-Length`.
    Drip,
}

/// A complete request.
#[derive(Clone, Debug)]
pub struct WebhookRequest {
    /// The number of its connection, counted from 1.
    pub connection: usize,
    /// Method, path and version.
    pub line: String,
    /// The header fields in order, with lowercase names.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl WebhookRequest {
    /// Returns the value of a header field.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }

    /// Parses the body as JSON.
    ///
    /// # Panics
    /// Panics if the body is not JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("the body of a webhook is JSON")
    }

    /// Returns the reply to a request that verifies the URL; `None` for another one.
    fn challenge(&self) -> Option<String> {
        let body: Value = serde_json::from_slice(&self.body).ok()?;
        (body["type"] == "verification").then(|| json!({ "challenge": body["challenge"] }).to_string())
    }

    /// Returns the event type.
    #[must_use]
    pub fn kind(&self) -> String {
        self.json()["type"].as_str().unwrap_or_default().to_owned()
    }
}

/// The receiver. Dropping it stops the listener.
pub struct WebhookSink {
    /// The listener's address.
    pub address: SocketAddr,
    state: Arc<WebhookSinkState>,
    task: JoinHandle<()>,
}

struct WebhookSinkState {
    posts: Mutex<Vec<WebhookRequest>>,
    script: Mutex<VecDeque<WebhookReply>>,
    default_reply: Mutex<WebhookReply>,
    verification_reply: Mutex<Option<WebhookReply>>,
    count: watch::Sender<usize>,
    connections: Mutex<usize>,
}

impl WebhookSink {
    /// Listens on a free port of 127.0.0.1 and replies 200 to everything.
    ///
    /// # Panics
    /// Panics if the port can't be bound.
    pub async fn start() -> Self {
        Self::at(Ipv4Addr::LOCALHOST, 0).await
    }

    /// Listens on this address and port.
    ///
    /// # Panics
    /// Panics if the port can't be bound.
    pub async fn at(ip: Ipv4Addr, port: u16) -> Self {
        let listener = TcpListener::bind((ip, port)).await.expect("loopback can be listened on");
        let address = listener.local_addr().expect("a bound listener has an address");
        let state = Arc::new(WebhookSinkState {
            posts: Mutex::default(),
            script: Mutex::default(),
            default_reply: Mutex::new(WebhookReply::Status(200, "ok".to_owned())),
            verification_reply: Mutex::new(None),
            count: watch::Sender::new(0),
            connections: Mutex::new(0),
        });
        let shared = state.clone();
        let task = tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                let number = {
                    let mut count = lock(&shared.connections);
                    *count += 1;
                    *count
                };
                tokio::spawn(serve(socket, number, shared.clone()));
            }
        });
        Self { address, state, task }
    }

    /// Returns the URL of this receiver.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}/hook?of=test", self.address)
    }

    /// Sets the reply to the next request without a scripted reply.
    pub fn next(&self, reply: WebhookReply) {
        lock(&self.state.script).push_back(reply);
    }

    /// Sets the reply to every request without a scripted reply.
    pub fn always(&self, reply: WebhookReply) {
        *lock(&self.state.default_reply) = reply;
    }

    /// Sets the reply to requests that verify the URL. By default the challenge is returned.
    pub fn verifies_with(&self, reply: WebhookReply) {
        *lock(&self.state.verification_reply) = Some(reply);
    }

    /// Returns the requests so far that are events of an MCP client, in order.
    #[must_use]
    pub fn occurrences(&self) -> Vec<WebhookRequest> {
        self.posts().into_iter().filter(|post| post.json().get("eventId").is_some()).collect()
    }

    /// Returns the requests so far, in order.
    #[must_use]
    pub fn posts(&self) -> Vec<WebhookRequest> {
        lock(&self.state.posts).clone()
    }

    /// Returns the event types of the requests so far.
    #[must_use]
    pub fn kinds(&self) -> Vec<String> {
        self.posts().iter().map(WebhookRequest::kind).collect()
    }

    /// Waits for that many requests.
    pub async fn wait_for_requests(&self, count: usize) {
        // The sender lives in `self`, so waiting can't fail.
        let _ = self.state.count.subscribe().wait_for(|now| *now >= count).await;
    }

    /// Returns the number of connections so far.
    #[must_use]
    pub fn connections(&self) -> usize {
        *lock(&self.state.connections)
    }
}

impl Drop for WebhookSink {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(socket: TcpStream, number: usize, state: Arc<WebhookSinkState>) {
    let mut wire = BufReader::new(socket);
    while let Some(post) = read(&mut wire, number).await {
        let challenge = post.challenge().map(|body| WebhookReply::Status(200, body));
        let reply = {
            // Under one lock, so that the first scripted reply goes to the first request.
            let mut posts = lock(&state.posts);
            posts.push(post);
            match challenge {
                Some(challenge) => lock(&state.verification_reply).clone().unwrap_or(challenge),
                None => lock(&state.script).pop_front().unwrap_or_else(|| lock(&state.default_reply).clone()),
            }
        };
        state.count.send_modify(|count| *count += 1);
        let answer = match reply {
            WebhookReply::Status(status, body) => {
                format!("HTTP/1.1 {status} x\r\nContent-Length: {}\r\n\r\n{body}", body.len())
            }
            WebhookReply::Field(status, field) => {
                format!("HTTP/1.1 {status} x\r\n{field}\r\nContent-Length: 0\r\n\r\n")
            }
            WebhookReply::Drip => "HTTP/1.1 200 x\r\nContent-Length: 100\r\n\r\nslow".to_owned(),
            WebhookReply::Silence => {
                // Until the other side gives up.
                let _ = wire.read_u8().await;
                return;
            }
            WebhookReply::HangUp => return,
        };
        if wire.get_mut().write_all(answer.as_bytes()).await.is_err() {
            return;
        }
    }
}

async fn read(wire: &mut BufReader<TcpStream>, connection: usize) -> Option<WebhookRequest> {
    let line = line(wire).await?;
    let mut headers = Vec::new();
    loop {
        let field = self::line(wire).await?;
        if field.is_empty() {
            break;
        }
        let (name, value) = field.split_once(':')?;
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length").and_then(|(_, n)| n.parse().ok())?;
    let mut body = vec![0; length];
    wire.read_exact(&mut body).await.ok()?;
    Some(WebhookRequest { connection, line, headers, body })
}

async fn line(wire: &mut BufReader<TcpStream>) -> Option<String> {
    let mut line = String::new();
    let read = wire.read_line(&mut line).await.ok()?;
    (read > 0).then(|| line.trim_end().to_owned())
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
