//! A certificate authority on this machine: Pebble, the test server of Let's Encrypt (package `pebble`), which looks at
//! challenges and checks signatures as the real one does; and the name server that it asks.
//!
//! Every name leads to 127.0.0.1, except what ends in `.wrong.example`: that leads to an address where nobody listens.

use std::{
    io::{BufRead, BufReader},
    net::{Ipv4Addr, SocketAddr, TcpListener},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use serde_json::json;
use tokio::{net::UdpSocket, task::JoinHandle};

use crate::{certificate::certificate, dir::ScratchDir};

/// The key of a customer whom the authority knows already: its name and its bytes in base64url.
pub const CUSTOMER: (&str, &str) = ("customer-1", "zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG44nMEtx3MUAsUDkMTQ12W");

/// An authority that has its place and does not run yet: who asks it must know where it will be, and it must know where who
/// asks it listens.
pub struct Place {
    dir: ScratchDir,
    address: SocketAddr,
    management: SocketAddr,
}

/// The authority. It ends when it is dropped.
pub struct Authority {
    place: Place,
    child: Child,
    names: JoinHandle<()>,
}

/// A place for an authority; none where Pebble is not installed, which is a failure where `CI` is set.
///
/// # Panics
/// Where `CI` is set and Pebble is missing.
#[must_use]
pub fn place() -> Option<Place> {
    let found = Command::new("pebble").arg("-h").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if found.is_err() {
        assert!(std::env::var("CI").is_err(), "pebble is missing: run scripts/need.sh test");
        eprintln!("skipped: pebble is not installed (scripts/need.sh test)");
        return None;
    }
    let own = own_address();
    let free = || TcpListener::bind((own, 0)).expect("there are free ports");
    // Both are held at once, so that they differ.
    let (one, other) = (free(), free());
    let address = |listener: &TcpListener| listener.local_addr().expect("a bound listener has an address");
    Some(Place { dir: ScratchDir::new(), address: address(&one), management: address(&other) })
}

/// An address of loopback (127.0.0.0/8) that no other test listens at: between the choice of the ports and the authority's
/// start nobody gets them.
fn own_address() -> Ipv4Addr {
    let [_, high, middle, low] = std::process::id().to_be_bytes();
    Ipv4Addr::new(127, 1 | high, middle, low)
}

impl Place {
    /// The URL of the directory.
    #[must_use]
    pub fn directory(&self) -> String {
        format!("https://{}/dir", self.address)
    }

    /// The file with who vouches for the directory.
    #[must_use]
    pub fn root(&self) -> PathBuf {
        self.dir.path().join("directory.pem")
    }

    /// Starts the authority, which looks at challenges on that port; with `strict_customers` it takes only those it knows.
    ///
    /// # Panics
    /// Where it does not start.
    pub async fn start(self, challenge_port: u16, strict_customers: bool) -> Authority {
        let dir = self.dir.path();
        let own = certificate(&[&self.address.ip().to_string(), "localhost"], 2040);
        std::fs::write(dir.join("directory.pem"), &own.chain).expect("written");
        std::fs::write(dir.join("directory.key"), &own.key).expect("written");
        let config = json!({ "pebble": {
            "listenAddress": self.address.to_string(),
            "managementListenAddress": self.management.to_string(),
            "certificate": dir.join("directory.pem"),
            "privateKey": dir.join("directory.key"),
            "httpPort": challenge_port,
            "tlsPort": 1,
            "ocspResponderURL": "",
            "externalAccountBindingRequired": strict_customers,
            "externalAccountMACKeys": { CUSTOMER.0: CUSTOMER.1 },
        }});
        std::fs::write(dir.join("pebble.json"), config.to_string()).expect("written");
        let (names, dns) = name_server().await;
        let child = start(dir, dns);
        Authority { place: self, child, names }
    }
}

fn start(dir: &Path, dns: SocketAddr) -> Child {
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
    let mut said = BufReader::new(child.stdout.take().expect("standard output is piped"));
    let (mut heard, mut line) = (String::new(), String::new());
    while !line.contains("ACME directory available") {
        line.clear();
        let read = said.read_line(&mut line).expect("pebble speaks UTF-8");
        assert!(read > 0, "pebble ended before it was ready:\n{heard}");
        heard.push_str(&line);
    }
    // A full pipe would stop it.
    std::thread::spawn(move || std::io::copy(&mut said, &mut std::io::sink()));
    child
}

impl Authority {
    /// Forgets everything: accounts, orders and its own root. It stays where it is.
    ///
    /// # Panics
    /// Where it does not end or start.
    pub async fn forget(&mut self) {
        self.end();
        self.names.abort();
        let (names, dns) = name_server().await;
        self.names = names;
        self.child = start(self.place.dir.path(), dns);
    }

    /// Ends it: nobody listens at its place any more.
    ///
    /// # Panics
    /// Where it cannot be ended.
    pub fn end(&mut self) {
        let _ = self.child.kill();
        self.child.wait().expect("a child can be waited for");
    }

    /// The root of the certificates that it makes, in PEM; another one after each start.
    ///
    /// # Panics
    /// Where it does not answer.
    pub async fn issuer(&self) -> String {
        let client = reqwest::Client::builder().no_proxy().tls_danger_accept_invalid_certs(true).build();
        let url = format!("https://{}/roots/0", self.place.management);
        let answer = client.expect("a client").get(url).send().await.expect("pebble answers");
        answer.text().await.expect("a text")
    }
}

impl Drop for Authority {
    fn drop(&mut self) {
        self.names.abort();
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A name server for datagrams (RFC 1035 §4.1).
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
