//! A receiver of webhooks for tests: it takes POSTs and remembers them byte for byte, and answers as a script says where one
//! was given.
//!
//! It listens on loopback only. It reads HTTP/1.1 with lengths and nothing else, so that what was on the wire is what a test
//! sees.

use std::{
    collections::VecDeque,
    net::{Ipv4Addr, SocketAddr},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    sync::watch,
    task::JoinHandle,
};

/// How a request is answered.
#[derive(Clone, Debug)]
pub enum Say {
    /// A status and a body.
    Status(u16, String),
    /// A status with one more header field.
    Field(u16, String),
    /// Nothing, while the connection stays open.
    Silence,
    /// Nothing, and the connection is closed.
    HangUp,
    /// A head that promises more than ever comes.
    Drip,
}

/// A request that arrived whole.
#[derive(Clone, Debug)]
pub struct Post {
    /// The how-manieth connection it came over, from 1.
    pub connection: usize,
    /// Method, path and version.
    pub line: String,
    /// Names in lower case and values, in their order.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl Post {
    /// The value of a header field.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }

    /// The body as JSON.
    ///
    /// # Panics
    /// Where it is none.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("the body of a webhook is JSON")
    }

    /// The type of the event.
    #[must_use]
    pub fn kind(&self) -> String {
        self.json()["type"].as_str().unwrap_or_default().to_owned()
    }
}

/// The receiver. It stops listening when it is dropped.
pub struct WebhookSink {
    /// Where it listens.
    pub address: SocketAddr,
    state: Arc<State>,
    task: JoinHandle<()>,
}

struct State {
    posts: Mutex<Vec<Post>>,
    script: Mutex<VecDeque<Say>>,
    usual: Mutex<Say>,
    count: watch::Sender<usize>,
    connections: Mutex<usize>,
}

impl WebhookSink {
    /// Listens on a free port of 127.0.0.1 and says 200 to everything.
    ///
    /// # Panics
    /// Where loopback cannot be listened on.
    pub async fn start() -> Self {
        Self::at(Ipv4Addr::LOCALHOST, 0).await
    }

    /// Listens there.
    ///
    /// # Panics
    /// Where it cannot.
    pub async fn at(ip: Ipv4Addr, port: u16) -> Self {
        let listener = TcpListener::bind((ip, port)).await.expect("loopback can be listened on");
        let address = listener.local_addr().expect("a bound listener has an address");
        let state = Arc::new(State {
            posts: Mutex::default(),
            script: Mutex::default(),
            usual: Mutex::new(Say::Status(200, "ok".to_owned())),
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

    /// A URL of this receiver.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}/hook?of=test", self.address)
    }

    /// Answers the next request so.
    pub fn next(&self, say: Say) {
        lock(&self.state.script).push_back(say);
    }

    /// Answers every request so that has no answer of its own.
    pub fn always(&self, say: Say) {
        *lock(&self.state.usual) = say;
    }

    /// What arrived, in order.
    #[must_use]
    pub fn posts(&self) -> Vec<Post> {
        lock(&self.state.posts).clone()
    }

    /// The types of the events that arrived.
    #[must_use]
    pub fn kinds(&self) -> Vec<String> {
        self.posts().iter().map(Post::kind).collect()
    }

    /// Comes back when so many have arrived.
    pub async fn arrived(&self, count: usize) {
        // The sender lives in `self`, so waiting cannot fail.
        let _ = self.state.count.subscribe().wait_for(|now| *now >= count).await;
    }

    /// How many connections were made.
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

async fn serve(socket: TcpStream, number: usize, state: Arc<State>) {
    let mut wire = BufReader::new(socket);
    while let Some(post) = read(&mut wire, number).await {
        let say = {
            // Together: the first answer of a script is that of the first request.
            let mut posts = lock(&state.posts);
            posts.push(post);
            lock(&state.script).pop_front().unwrap_or_else(|| lock(&state.usual).clone())
        };
        state.count.send_modify(|count| *count += 1);
        let answer = match say {
            Say::Status(status, body) => format!("HTTP/1.1 {status} x\r\nContent-Length: {}\r\n\r\n{body}", body.len()),
            Say::Field(status, field) => format!("HTTP/1.1 {status} x\r\n{field}\r\nContent-Length: 0\r\n\r\n"),
            Say::Drip => "HTTP/1.1 200 x\r\nContent-Length: 100\r\n\r\nslow".to_owned(),
            Say::Silence => {
                // Until the other side gives up.
                let _ = wire.read_u8().await;
                return;
            }
            Say::HangUp => return,
        };
        if wire.get_mut().write_all(answer.as_bytes()).await.is_err() {
            return;
        }
    }
}

async fn read(wire: &mut BufReader<TcpStream>, connection: usize) -> Option<Post> {
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
    Some(Post { connection, line, headers, body })
}

async fn line(wire: &mut BufReader<TcpStream>) -> Option<String> {
    let mut line = String::new();
    let read = wire.read_line(&mut line).await.ok()?;
    (read > 0).then(|| line.trim_end().to_owned())
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
