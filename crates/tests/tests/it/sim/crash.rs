//! SIGKILL under load, repeatedly: everything acknowledged with 250 or 202 is stored, every queued message is sent at
//! least once, and an inbox of another workspace gets one copy.
//!
//! Each kill happens after a number of acknowledgments drawn from a printed seed. The other connections may be in any
//! state at that moment.

use std::{
    collections::{HashMap, HashSet},
    io,
    net::SocketAddr,
    path::Path,
    time::Duration,
};

use posthouse_tests::{command, dir::ScratchDir, http::Api, postgres::Cluster, process::ServiceProcess};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::TcpStream,
    sync::mpsc::{UnboundedSender, unbounded_channel},
    task::JoinSet,
};

use super::relay::TestRelay;

/// Number of kills with SQLite.
const SQLITE_ROUNDS: u32 = 25;
/// Number of kills with PostgreSQL.
const POSTGRES_ROUNDS: u32 = 10;
/// Maximum number of acknowledgments before a kill.
const ACKS_MAX: u64 = 80;
/// Number of clients of each kind.
const CLIENTS: u32 = 4;
/// How long the last start may take to send the queue, including expiring leases of killed processes, in seconds.
const DRAIN_S: u64 = 150;
/// The seed of the moments of the kills.
const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

/// An acknowledgment that a client got.
enum Acknowledgment {
    /// A received message, by subject.
    Received(String),
    /// A queued message, by subject.
    Queued(String),
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_kill_at_any_moment_loses_no_acknowledged_message() {
    let on_postgres = std::env::var("POSTHOUSE_TEST_DATABASE").is_ok_and(|engine| engine == "postgres");
    let rounds = if on_postgres { POSTGRES_ROUNDS } else { SQLITE_ROUNDS };
    let dir = ScratchDir::new();
    let relay = TestRelay::start().await;
    let config = config(relay.address, on_postgres.then(|| Cluster::shared().create_database()));
    let (mut received, mut queued) = (HashSet::new(), HashSet::new());
    let mut agent = None;
    let mut random = SEED;
    println!("seed {SEED:#x}, {rounds} rounds");
    for round in 0..rounds {
        let process = ServiceProcess::start(dir.path(), &config);
        let agent = match &agent {
            Some(agent) => agent,
            None => agent.insert(Agent::first(&process, dir.path()).await),
        };
        let acks = draw(&mut random) % ACKS_MAX + 1;
        for acknowledgment in load_until(process, agent, round, acks).await {
            match acknowledgment {
                Acknowledgment::Received(subject) => received.insert(subject),
                Acknowledgment::Queued(subject) => queued.insert(subject),
            };
        }
    }
    let process = ServiceProcess::start(dir.path(), &config);
    let agent = agent.expect("there was a round");
    let delivered = relay.wait_for(&queued, Duration::from_secs(DRAIN_S)).await;
    let stored = agent.subjects(&process).await;
    verify(&received, &queued, &stored, &delivered);
    agent.verify_other_workspace(&process, &queued).await;
    assert!(process.stop().success(), "SIGTERM stops cleanly");
}

fn verify(
    received: &HashSet<String>,
    queued: &HashSet<String>,
    stored: &HashMap<String, u32>,
    delivered: &HashMap<String, u32>,
) {
    let lost: Vec<&String> = received.iter().chain(queued).filter(|subject| !stored.contains_key(*subject)).collect();
    assert!(lost.is_empty(), "acknowledged and lost: {lost:?}");
    let twice: Vec<&String> = stored.iter().filter(|(_, count)| **count > 1).map(|(subject, _)| subject).collect();
    assert!(twice.is_empty(), "stored twice: {twice:?}");
    let unsent: Vec<&String> = queued.iter().filter(|subject| !delivered.contains_key(*subject)).collect();
    assert!(unsent.is_empty(), "queued and never sent: {unsent:?}");
    let duplicates: u32 = delivered.values().map(|count| count - 1).sum();
    println!("{} received, {} queued, {duplicates} sent more than once", received.len(), queued.len());
}

fn config(relay: SocketAddr, database: Option<String>) -> String {
    let database = database.map(|url| format!("database_url = {url:?}\n")).unwrap_or_default();
    let unlimited =
        ["emails_per_month", "daily_sends_per_inbox", "daily_sends", "sends_per_5_minutes", "requests_per_minute"]
            .map(|limit| format!("{limit} = \"unlimited\"\n"))
            .concat();
    format!(
        "{database}data_dir = \"data\"\n[http]\nlisten = \"127.0.0.1:0\"\n[smtp]\nlisten = [\"127.0.0.1:0\"]\n\
         [submission]\nlisten = [\"127.0.0.1:0\"]\n\
         [delivery]\nmode = \"relay\"\nrelay_url = \"smtp://{relay}\"\nallow_private_networks = true\n\
         retry_schedule = [\"1s\", \"1s\", \"1s\", \"5s\", \"5s\"]\n[plans.team]\n{unlimited}"
    )
}

/// Returns the next number of a fixed sequence (SplitMix64).
pub(super) fn draw(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The user that sends and reads.
struct Agent {
    key: String,
    inbox: String,
    address: String,
    other: OtherAgent,
}

/// A user in another workspace.
struct OtherAgent {
    key: String,
    inbox: String,
    address: String,
}

impl Agent {
    async fn first(process: &ServiceProcess, dir: &Path) -> Self {
        let key = match process.ready["first_run"]["api_key"].as_str() {
            Some(key) => key.to_owned(),
            None => panic!("a first start in {} creates a key: {}", dir.display(), process.ready),
        };
        let made = api(process, &key).post("/v1/inboxes", json!({ "username": "crash" })).await.expect(201);
        let text = |name: &str| made[name].as_str().unwrap_or_default().to_owned();
        let create = ["workspace", "create", "--name", "Other", "--owner", "other@example.org", "--json"];
        let created = command::run(dir, &create).json(0);
        let other_key = created["api_key"].as_str().unwrap_or_default().to_owned();
        let other = api(process, &other_key).post("/v1/inboxes", json!({ "username": "other" })).await.expect(201);
        let (inbox, address) = (other.text("id").to_owned(), other.text("address").to_owned());
        let other = OtherAgent { key: other_key, inbox, address };
        Self { inbox: text("id"), address: text("address"), key, other }
    }

    /// Waits until the inbox of the other workspace has every queued message, and checks that it has each once.
    async fn verify_other_workspace(&self, process: &ServiceProcess, queued: &HashSet<String>) {
        let OtherAgent { key, inbox, .. } = &self.other;
        let api = api(process, key);
        let copies = async {
            loop {
                let copies = subjects(&api, inbox).await;
                if queued.iter().all(|subject| copies.contains_key(subject)) {
                    return copies;
                }
                api.get(&format!("/v1/inboxes/{inbox}/messages/wait?timeout=1")).await;
            }
        };
        let copies = tokio::time::timeout(Duration::from_secs(DRAIN_S), copies).await.expect("every copy arrives");
        let twice: Vec<&String> = copies.iter().filter(|(_, count)| **count > 1).map(|(subject, _)| subject).collect();
        assert!(twice.is_empty(), "copied twice: {twice:?}");
    }

    /// Returns how often each subject is stored.
    async fn subjects(&self, process: &ServiceProcess) -> HashMap<String, u32> {
        subjects(&api(process, &self.key), &self.inbox).await
    }
}

/// Returns how often each subject is stored in an inbox.
async fn subjects(api: &Api, inbox: &str) -> HashMap<String, u32> {
    let (mut subjects, mut cursor) = (HashMap::new(), String::new());
    loop {
        let page = api.get(&format!("/v1/inboxes/{inbox}/messages?limit=100{cursor}")).await.expect(200);
        for message in page["data"].as_array().into_iter().flatten() {
            *subjects.entry(message["subject"].as_str().unwrap_or_default().to_owned()).or_insert(0) += 1;
        }
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return subjects,
        }
    }
}

fn api(process: &ServiceProcess, key: &str) -> Api {
    Api::new(&format!("http://{}", process.address("http"))).with_key(key)
}

/// Runs clients until they have that many acknowledgments, kills the process, and returns the acknowledgments.
async fn load_until(process: ServiceProcess, agent: &Agent, round: u32, acks: u64) -> Vec<Acknowledgment> {
    let (sender, mut receiver) = unbounded_channel();
    let mut clients = JoinSet::new();
    for client in 0..CLIENTS {
        let (smtp, to, report_sender) = (process.address("smtp"), agent.address.clone(), sender.clone());
        clients.spawn(async move {
            // An error means that the process was killed.
            let report = |subject| drop(report_sender.send(Acknowledgment::Received(subject)));
            let _ = deliver_without_end(smtp, &to, &format!("in {round} {client}"), report).await;
        });
        let (api, path) = (api(&process, &agent.key), format!("/v1/inboxes/{}/messages", agent.inbox));
        let to = ["someone@elsewhere.example".to_owned(), agent.other.address.clone()];
        let sender = sender.clone();
        let name = format!("out {round} {client}");
        clients.spawn(async move { send_without_end(&api, &path, &to, &name, &sender).await });
    }
    drop(sender);
    let mut acknowledged = Vec::new();
    while (acknowledged.len() as u64) < acks {
        acknowledged.push(receiver.recv().await.expect("clients work until the kill"));
    }
    process.kill();
    while clients.join_next().await.is_some() {}
    while let Ok(acknowledgment) = receiver.try_recv() {
        acknowledged.push(acknowledgment);
    }
    acknowledged
}

async fn send_without_end(api: &Api, path: &str, to: &[String], name: &str, sender: &UnboundedSender<Acknowledgment>) {
    for n in 0u32.. {
        let subject = format!("{name} {n}");
        let body: Value = json!({ "to": to, "subject": subject, "text": "A test." });
        match api.try_post(path, &body).await {
            Some(reply) if reply.status == 202 => drop(sender.send(Acknowledgment::Queued(subject))),
            _ => return,
        }
    }
}

/// Delivers messages in a loop and reports the subject of each acknowledged one.
pub(super) async fn deliver_without_end(
    smtp: SocketAddr,
    to: &str,
    name: &str,
    report: impl Fn(String),
) -> io::Result<()> {
    let mut wire = BufReader::new(TcpStream::connect(smtp).await?);
    read_reply(&mut wire, "220").await?;
    send_command(&mut wire, "EHLO client.example\r\n", "250").await?;
    for n in 0u32.. {
        let subject = format!("{name} {n}");
        send_command(&mut wire, "MAIL FROM:<someone@elsewhere.example>\r\n", "250").await?;
        send_command(&mut wire, &format!("RCPT TO:<{to}>\r\n"), "250").await?;
        send_command(&mut wire, "DATA\r\n", "354").await?;
        let mail = format!("From: someone@elsewhere.example\r\nTo: {to}\r\nSubject: {subject}\r\n\r\nA test.\r\n.\r\n");
        send_command(&mut wire, &mail, "250").await?;
        report(subject);
    }
    Ok(())
}

async fn send_command(wire: &mut BufReader<TcpStream>, command: &str, code: &str) -> io::Result<()> {
    wire.get_mut().write_all(command.as_bytes()).await?;
    read_reply(wire, code).await
}

/// Reads a whole reply and asserts its code.
async fn read_reply(wire: &mut BufReader<TcpStream>, code: &str) -> io::Result<()> {
    let mut line = String::new();
    loop {
        line.clear();
        if wire.take(4096).read_line(&mut line).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        assert!(line.starts_with(code), "expected {code}, got {line}");
        if line.as_bytes().get(3) != Some(&b'-') {
            return Ok(());
        }
    }
}
