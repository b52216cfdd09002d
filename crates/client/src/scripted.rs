//! A server for tests: it answers with prepared responses, in their order, and keeps what it was asked.
#![cfg(test)]

use std::sync::{Arc, Mutex};

use serde_json::Value;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::watch,
};

use crate::{environment::Environment, options::ClientOptions, session::Session};

/// What the server does with a request.
pub(crate) enum Reply {
    /// It answers with a status, header lines and a body.
    Response(u16, &'static str, String),
    /// It closes the connection without an answer.
    Hangup,
}

impl Reply {
    /// Answers with JSON.
    pub(crate) fn json(status: u16, body: &Value) -> Self {
        Self::Response(status, "", body.to_string())
    }
}

/// A running server. Each response ends its connection.
pub(crate) struct ScriptedServer {
    address: String,
    requests: Arc<Mutex<Vec<String>>>,
    /// How many requests arrived.
    count: watch::Receiver<usize>,
}

impl ScriptedServer {
    /// Starts a server that answers one request with each reply.
    pub(crate) async fn start(script: Vec<Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let kept = requests.clone();
        let (counted, count) = watch::channel(0);
        tokio::spawn(async move {
            for reply in script {
                let (mut stream, _) = listener.accept().await.unwrap();
                let request = read(&mut stream).await;
                kept.lock().unwrap().push(request);
                counted.send_modify(|count| *count += 1);
                if let Reply::Response(status, headers, body) = reply {
                    let length = body.len();
                    let head = format!("HTTP/1.1 {status} X\r\nconnection: close\r\ncontent-length: {length}\r\n");
                    stream.write_all(format!("{head}{headers}\r\n{body}").as_bytes()).await.unwrap();
                }
            }
        });
        Self { address, requests, count }
    }

    /// Waits until so many requests arrived.
    pub(crate) async fn wait_for(&self, requests: usize) {
        self.count.clone().wait_for(|count| *count >= requests).await.unwrap();
    }

    /// Returns the JSON body of a request; null if it has none.
    pub(crate) fn body(&self, at: usize) -> Value {
        let requests = self.requests.lock().unwrap();
        let (_, body) = requests[at].split_once("\r\n\r\n").unwrap();
        serde_json::from_str(body).unwrap_or_default()
    }

    /// Returns a session with a key for this server.
    pub(crate) fn session(&self) -> Session {
        let (api_key, base_url) = (Some("ph_test".to_owned()), Some(self.address.clone()));
        Session::new(ClientOptions::default(), Environment { api_key, base_url, ..Environment::default() })
    }

    /// Returns method and target of each request.
    pub(crate) fn requests(&self) -> Vec<String> {
        let shown = |request: &String| request.split(" HTTP/").next().unwrap_or_default().to_owned();
        self.requests.lock().unwrap().iter().map(shown).collect()
    }
}

/// Reads one request to its end, so that closing the connection loses no response.
async fn read(stream: &mut TcpStream) -> String {
    let (mut bytes, mut piece) = (Vec::new(), [0; 4096]);
    loop {
        let size = stream.read(&mut piece).await.unwrap();
        bytes.extend_from_slice(&piece[..size]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if size == 0 {
            return text;
        }
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok());
        if body.len() >= length.unwrap_or(0) {
            return text;
        }
    }
}
