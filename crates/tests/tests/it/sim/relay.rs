//! A relay that accepts everything and counts subjects, as the target of the service's queue.

use std::{
    collections::{HashMap, HashSet},
    net::SocketAddr,
    sync::Arc,
    time::Duration,
};

use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    sync::watch,
};

/// The relay. It runs until the test ends.
pub(crate) struct TestRelay {
    /// The listener's address.
    pub(crate) address: SocketAddr,
    counts: watch::Receiver<HashMap<String, u32>>,
}

impl TestRelay {
    /// Starts the relay.
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("loopback has ports");
        let address = listener.local_addr().expect("a bound socket has an address");
        let (sender, counts) = watch::channel(HashMap::new());
        let sender = Arc::new(sender);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let sender = sender.clone();
                // The client may be killed at any moment.
                tokio::spawn(async move { drop(serve(stream, &sender).await) });
            }
        });
        Self { address, counts }
    }

    /// Waits until all subjects have arrived or the time is over. Returns the count of each subject.
    pub(crate) async fn wait_for(&self, subjects: &HashSet<String>, at_most: Duration) -> HashMap<String, u32> {
        let mut counts = self.counts.clone();
        let all = counts.wait_for(|counts| subjects.iter().all(|subject| counts.contains_key(subject)));
        let _ = tokio::time::timeout(at_most, all).await;
        self.counts.borrow().clone()
    }
}

async fn serve(stream: TcpStream, sender: &watch::Sender<HashMap<String, u32>>) -> std::io::Result<()> {
    let mut wire = BufReader::new(stream);
    wire.write_all(b"220 relay.example\r\n").await?;
    let (mut line, mut subject, mut in_content) = (String::new(), String::new(), false);
    loop {
        line.clear();
        if wire.read_line(&mut line).await? == 0 {
            return Ok(());
        }
        let text = line.trim_end();
        if in_content {
            if let Some(value) = text.strip_prefix("Subject: ") {
                value.clone_into(&mut subject);
            }
            if text == "." {
                in_content = false;
                sender.send_modify(|counts| *counts.entry(subject.clone()).or_insert(0) += 1);
                wire.write_all(b"250 2.0.0 accepted\r\n").await?;
            }
            continue;
        }
        let verb = text.split([' ', ':']).next().unwrap_or_default().to_ascii_uppercase();
        in_content = verb == "DATA";
        let reply: &[u8] = match verb.as_str() {
            "EHLO" => b"250-relay.example\r\n250-PIPELINING\r\n250 8BITMIME\r\n",
            "DATA" => b"354 go on\r\n",
            "QUIT" => b"221 2.0.0 bye\r\n",
            _ => b"250 2.0.0 fine\r\n",
        };
        wire.write_all(reply).await?;
    }
}
