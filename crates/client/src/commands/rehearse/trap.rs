//! A server that counts which links of a rehearsal were opened.

use std::sync::{Arc, Mutex};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};

use crate::error::ClientError;

/// Bytes of a request that are read.
const REQUEST_BYTES_MAX: usize = 2_048;
/// Requests that are kept.
const CLICKS_MAX: usize = 10_000;

/// The running server; it ends with the program.
pub(super) struct Trap {
    address: String,
    clicks: Arc<Mutex<Vec<String>>>,
}

impl Trap {
    /// Opens the server on this machine.
    ///
    /// # Errors
    /// Fails if no port can be opened.
    pub(super) async fn open() -> Result<Self, ClientError> {
        let failed = |error: std::io::Error| ClientError::Failed(format!("no port can be opened for links: {error}"));
        let listener = TcpListener::bind("127.0.0.1:0").await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?.to_string();
        let clicks = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&clicks);
        tokio::spawn(async move {
            while let Ok((mut connection, _)) = listener.accept().await {
                let mut request = [0; REQUEST_BYTES_MAX];
                let length = connection.read(&mut request).await.unwrap_or(0);
                let line = String::from_utf8_lossy(&request[..length]);
                if let Some(target) = line.split(' ').nth(1) {
                    let mut clicks = seen.lock().expect("no thread panics with the lock");
                    if clicks.len() < CLICKS_MAX {
                        clicks.push(target.to_owned());
                    }
                }
                let _ = connection
                    .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\nok\n")
                    .await;
            }
        });
        Ok(Self { address, clicks })
    }

    /// Returns host and port.
    pub(super) fn address(&self) -> String {
        self.address.clone()
    }

    /// Returns the paths and queries that were opened.
    pub(super) fn clicks(&self) -> Vec<String> {
        self.clicks.lock().expect("no thread panics with the lock").clone()
    }
}
