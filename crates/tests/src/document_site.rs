//! A web site for tests: answers every GET with a document that the test sets. It listens on loopback only.

use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::{Arc, Mutex, PoisonError},
};

use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

/// The answer of the site.
#[derive(Clone, Debug)]
pub struct SiteAnswer {
    /// The status.
    pub status: u16,
    /// The content type.
    pub content_type: &'static str,
    /// The body.
    pub body: String,
}

/// The site. Dropping it stops the listener.
pub struct DocumentSite {
    address: SocketAddr,
    state: Arc<Mutex<SiteState>>,
    task: JoinHandle<()>,
}

struct SiteState {
    answer: SiteAnswer,
    requests: usize,
}

impl DocumentSite {
    /// Listens on a free port of 127.0.0.1.
    ///
    /// # Panics
    /// Panics if the port can't be bound.
    pub async fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("loopback can be listened on");
        let address = listener.local_addr().expect("a bound listener has an address");
        let answer = SiteAnswer { status: 404, content_type: "text/plain", body: String::new() };
        let state = Arc::new(Mutex::new(SiteState { answer, requests: 0 }));
        let shared = Arc::clone(&state);
        let task = tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                tokio::spawn(serve(socket, Arc::clone(&shared)));
            }
        });
        Self { address, state, task }
    }

    /// Returns the URL of a path.
    #[must_use]
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Sets the answer.
    pub fn answer(&self, answer: SiteAnswer) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).answer = answer;
    }

    /// Sets an answer of 200 with JSON.
    pub fn serve_json(&self, body: &serde_json::Value) {
        self.answer(SiteAnswer { status: 200, content_type: "application/json", body: body.to_string() });
    }

    /// Returns the number of requests so far.
    #[must_use]
    pub fn requests(&self) -> usize {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).requests
    }
}

impl Drop for DocumentSite {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(socket: TcpStream, state: Arc<Mutex<SiteState>>) {
    let mut wire = BufReader::new(socket);
    let mut line = String::new();
    while wire.read_line(&mut line).await.is_ok_and(|read| read > 0) {
        let is_end = line.trim_end().is_empty();
        line.clear();
        if !is_end {
            continue;
        }
        let answer = {
            let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
            state.requests += 1;
            state.answer.clone()
        };
        let SiteAnswer { status, content_type, body } = answer;
        let length = body.len();
        let head = format!("HTTP/1.1 {status} x\r\nContent-Type: {content_type}\r\nContent-Length: {length}\r\n\r\n");
        if wire.get_mut().write_all(format!("{head}{body}").as_bytes()).await.is_err() {
            return;
        }
    }
}
