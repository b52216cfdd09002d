//! A local ACME certificate authority: Pebble (package `pebble`), the test server of Let's Encrypt, which validates
//! challenges and signatures like the real one; and the nameserver that it queries.
//!
//! Every name resolves to 127.0.0.1, except those ending in `.wrong.example`: they resolve to an address without a
//! listener.

use std::{
    io::{BufRead, BufReader},
    net::{Ipv4Addr, SocketAddr, TcpListener},
    path::PathBuf,
    process::{Child, Command, Stdio},
};

use serde_json::json;
use tokio::{net::UdpSocket, task::JoinHandle};

use crate::{certificate::certificate, dir::ScratchDir};

/// The external account that Pebble accepts: key id, and MAC key in base64url.
pub const EXTERNAL_ACCOUNT: (&str, &str) =
    ("customer-1", "zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG44nMEtx3MUAsUDkMTQ12W");

/// A Pebble server that has its ports but does not run yet. The service must know the directory URL before it starts,
/// and Pebble must know the port of the service's challenge listener.
pub struct ReservedPebble {
    dir: ScratchDir,
    address: SocketAddr,
    management: SocketAddr,
}

/// A running Pebble server. Dropping it stops it.
pub struct Pebble {
    reserved: ReservedPebble,
    child: Child,
    names: JoinHandle<()>,
}

/// Reserves the ports of a Pebble server. Returns `None` if Pebble is not installed.
///
/// # Panics
/// Panics if Pebble is not installed and `CI` is set.
#[must_use]
pub fn reserve() -> Option<ReservedPebble> {
    let found = Command::new("pebble").arg("-h").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if found.is_err() {
        assert!(std::env::var("CI").is_err(), "pebble is missing: run scripts/need.sh test");
        eprintln!("skipped: pebble is not installed (scripts/need.sh test)");
        return None;
    }
    let host = process_address();
    let free = || TcpListener::bind((host, 0)).expect("there are free ports");
    // Both listeners are open at once, so that the ports differ.
    let (one, other) = (free(), free());
    let address = |listener: &TcpListener| listener.local_addr().expect("a bound listener has an address");
    Some(ReservedPebble { dir: ScratchDir::new(), address: address(&one), management: address(&other) })
}

/// Returns a loopback address (127.0.0.0/8) that belongs to this process alone, so that no other test can bind the
/// ports between their choice and Pebble's start.
fn process_address() -> Ipv4Addr {
    let [_, high, middle, low] = std::process::id().to_be_bytes();
    Ipv4Addr::new(127, 1 | high, middle, low)
}

impl ReservedPebble {
    /// Returns the URL of the ACME directory.
    #[must_use]
    pub fn directory(&self) -> String {
        format!("https://{}/dir", self.address)
    }

    /// Returns the path of the PEM file with the certificate that signs the directory's TLS connection.
    #[must_use]
    pub fn root(&self) -> PathBuf {
        self.dir.path().join("directory.pem")
    }

    /// Starts Pebble. It validates challenges at `challenge_port`; with `strict_customers` it requires an external
    /// account binding.
    ///
    /// # Panics
    /// Panics if Pebble does not start.
    pub async fn start(self, challenge_port: u16, strict_customers: bool) -> Pebble {
        let dir = self.dir.path();
        let server_cert = certificate(&[&self.address.ip().to_string(), "localhost"], 2040);
        std::fs::write(dir.join("directory.pem"), &server_cert.chain).expect("written");
        std::fs::write(dir.join("directory.key"), &server_cert.key).expect("written");
        let config = json!({ "pebble": {
            "listenAddress": self.address.to_string(),
            "managementListenAddress": self.management.to_string(),
            "certificate": dir.join("directory.pem"),
            "privateKey": dir.join("directory.key"),
            "httpPort": challenge_port,
            "tlsPort": 1,
            "ocspResponderURL": "",
            "externalAccountBindingRequired": strict_customers,
            "externalAccountMACKeys": { EXTERNAL_ACCOUNT.0: EXTERNAL_ACCOUNT.1 },
        }});
        std::fs::write(dir.join("pebble.json"), config.to_string()).expect("written");
        let (names, dns) = name_server().await;
        let child = start(&self, dns);
        Pebble { reserved: self, child, names }
    }
}

fn start(reserved: &ReservedPebble, dns: SocketAddr) -> Child {
    let dir = reserved.dir.path();
    let mut child = Command::new("pebble")
        .args(["-config".as_ref(), dir.join("pebble.json").as_os_str()])
        .args(["-dnsserver", &dns.to_string()])
        .env("PEBBLE_VA_NOSLEEP", "1")
        .env("PEBBLE_WFE_NONCEREJECT", "0")
        .env("PEBBLE_AUTHZREUSE", "0")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("pebble runs");
    let mut stdout = BufReader::new(child.stdout.take().expect("standard output is piped"));
    let (mut output, mut line) = (String::new(), String::new());
    while !line.contains("ACME directory available") {
        line.clear();
        let read = stdout.read_line(&mut line).expect("pebble speaks UTF-8");
        assert!(read > 0, "pebble ended before it was ready:\n{output}");
        output.push_str(&line);
    }
    // Pebble says that it is ready before its listeners are.
    for listener in [reserved.address, reserved.management] {
        while std::net::TcpStream::connect(listener).is_err() {
            assert_eq!(child.try_wait().expect("a child can be asked"), None, "pebble ended:\n{output}");
            std::thread::yield_now();
        }
    }
    // Pebble would block on a full pipe.
    std::thread::spawn(move || std::io::copy(&mut stdout, &mut std::io::sink()));
    child
}

impl Pebble {
    /// Restarts Pebble at the same address with empty state: no accounts, no orders and a new root.
    ///
    /// # Panics
    /// Panics if Pebble does not stop or start.
    pub async fn reset(&mut self) {
        self.stop();
        self.names.abort();
        let (names, dns) = name_server().await;
        self.names = names;
        self.child = start(&self.reserved, dns);
    }

    /// Stops Pebble. Its ports have no listener afterwards.
    ///
    /// # Panics
    /// Panics if the process can't be waited for.
    pub fn stop(&mut self) {
        let _ = self.child.kill();
        self.child.wait().expect("a child can be waited for");
    }

    /// Returns the root of the issued certificates in PEM. Each start has a new root.
    ///
    /// # Panics
    /// Panics if Pebble does not answer.
    pub async fn issuer(&self) -> String {
        let client = reqwest::Client::builder().no_proxy().tls_danger_accept_invalid_certs(true).build();
        let url = format!("https://{}/roots/0", self.reserved.management);
        let answer = client.expect("a client").get(url).send().await.expect("pebble answers");
        answer.text().await.expect("a text")
    }
}

impl Drop for Pebble {
    fn drop(&mut self) {
        self.names.abort();
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts a UDP nameserver (RFC 1035 §4.1).
async fn name_server() -> (JoinHandle<()>, SocketAddr) {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("there are free ports");
    let address = socket.local_addr().expect("a bound socket has an address");
    let task = tokio::spawn(async move {
        let mut query = [0; 1_500];
        while let Ok((bytes, from)) = socket.recv_from(&mut query).await {
            if let Some(answer) = answer(&query[..bytes]) {
                let _ = socket.send_to(&answer, from).await;
            }
        }
    });
    (task, address)
}

fn answer(query: &[u8]) -> Option<Vec<u8>> {
    let (mut name, mut at) = (String::new(), 12);
    while *query.get(at)? != 0 {
        let end = at + 1 + usize::from(query[at]);
        name.push_str(&String::from_utf8_lossy(query.get(at + 1..end)?).to_lowercase());
        name.push('.');
        at = end;
    }
    let question = query.get(12..at + 5)?;
    let is_a = question[question.len() - 4..] == [0, 1, 0, 1];
    let mut out = query[..2].to_vec();
    out.extend([0x81, 0x80, 0, 1, 0, u8::from(is_a), 0, 0, 0, 0]);
    out.extend(question);
    if is_a {
        let last = if name.ends_with(".wrong.example.") { 77 } else { 1 };
        out.extend([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, 127, 0, 0, last]);
    }
    Some(out)
}
