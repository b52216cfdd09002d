//! SIGKILL under load, again and again: whatever was answered with 250 or 202 is there afterwards, and every queued send
//! goes out at least once.
//!
//! The moment of each kill is a number of acknowledgements drawn from a printed seed; what the other connections are doing
//! at that moment is nobody's choice.

use std::{
    collections::{HashMap, HashSet},
    io,
    net::SocketAddr,
    path::Path,
    time::Duration,
};

use posthouse_tests::{dir::ScratchDir, http::Api, postgres::Cluster, process::Process};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::TcpStream,
    sync::mpsc::{UnboundedSender, unbounded_channel},
    task::JoinSet,
};

use super::relay::Relay;

/// Kills on the embedded database.
const SQLITE_ROUNDS: u32 = 25;
/// Kills on PostgreSQL.
const POSTGRES_ROUNDS: u32 = 10;
/// Most acknowledgements before a kill.
const ACKS_MAX: u64 = 80;
/// Clients of each kind.
const CLIENTS: u32 = 4;
/// How long the last start may take to send what is queued, leases of the killed included, in seconds.
const DRAIN_S: u64 = 150;
/// Where the moments of the kills come from.
const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

/// What a client was promised.
enum Promise {
    /// A received mail, by its subject.
    Received(String),
    /// A queued send, by its subject.
    Queued(String),
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_kill_at_any_moment_loses_nothing_that_was_acknowledged() {
    let on_postgres = std::env::var("POSTHOUSE_TEST_DATABASE").is_ok_and(|engine| engine == "postgres");
    let rounds = if on_postgres { POSTGRES_ROUNDS } else { SQLITE_ROUNDS };
    let dir = ScratchDir::new();
    let relay = Relay::start().await;
    let config = config(relay.address, on_postgres.then(|| Cluster::shared().create_database()));
    let (mut received, mut queued) = (HashSet::new(), HashSet::new());
    let mut agent = None;
    let mut random = SEED;
    println!("seed {SEED:#x}, {rounds} rounds");
    for round in 0..rounds {
        let process = Process::start(dir.path(), &config);
        let agent = match &agent {
            Some(agent) => agent,
            None => agent.insert(Agent::first(&process, dir.path()).await),
        };
        let acks = draw(&mut random) % ACKS_MAX + 1;
        for promise in load_until(process, agent, round, acks).await {
            match promise {
                Promise::Received(subject) => received.insert(subject),
                Promise::Queued(subject) => queued.insert(subject),
            };
        }
    }
    let process = Process::start(dir.path(), &config);
    let agent = agent.expect("there was a round");
    let delivered = relay.wait_for(&queued, Duration::from_secs(DRAIN_S)).await;
    let stored = agent.subjects(&process).await;
    verify(&received, &queued, &stored, &delivered);
    assert!(process.stop().success(), "SIGTERM is a clean end");
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

/// The next number of a fixed sequence (SplitMix64).
pub(super) fn draw(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The one who sends and reads.
struct Agent {
    key: String,
    inbox: String,
    address: String,
}

impl Agent {
    async fn first(process: &Process, dir: &Path) -> Self {
        let key = match process.ready["first_run"]["api_key"].as_str() {
            Some(key) => key.to_owned(),
            None => panic!("a first start in {} makes a key: {}", dir.display(), process.ready),
        };
        let made = api(process, &key).post("/v1/inboxes", json!({ "username": "crash" })).await.expect(201);
        let text = |name: &str| made[name].as_str().unwrap_or_default().to_owned();
        Self { inbox: text("id"), address: text("address"), key }
    }

    /// How often each subject is stored.
    async fn subjects(&self, process: &Process) -> HashMap<String, u32> {
        let api = api(process, &self.key);
        let (mut subjects, mut cursor) = (HashMap::new(), String::new());
        loop {
            let page = api.get(&format!("/v1/inboxes/{}/messages?limit=100{cursor}", self.inbox)).await.expect(200);
            for message in page["data"].as_array().into_iter().flatten() {
                *subjects.entry(message["subject"].as_str().unwrap_or_default().to_owned()).or_insert(0) += 1;
            }
            match page["next_cursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => return subjects,
            }
        }
    }
}

fn api(process: &Process, key: &str) -> Api {
    Api::new(&format!("http://{}", process.address("http"))).with_key(key)
}

/// Lets clients work until that many promises were given, kills the process, and says what was promised.
async fn load_until(process: Process, agent: &Agent, round: u32, acks: u64) -> Vec<Promise> {
    let (promised, mut promises) = unbounded_channel();
    let mut clients = JoinSet::new();
    for client in 0..CLIENTS {
        let (smtp, to, teller) = (process.address("smtp"), agent.address.clone(), promised.clone());
        clients.spawn(async move {
            // The error is the kill.
            let tell = |subject| drop(teller.send(Promise::Received(subject)));
            let _ = deliver_without_end(smtp, &to, &format!("in {round} {client}"), tell).await;
        });
        let (api, path) = (api(&process, &agent.key), format!("/v1/inboxes/{}/messages", agent.inbox));
        let promised = promised.clone();
        clients.spawn(async move { send_without_end(&api, &path, &format!("out {round} {client}"), &promised).await });
    }
    drop(promised);
    let mut given = Vec::new();
    while (given.len() as u64) < acks {
        given.push(promises.recv().await.expect("clients work until the kill"));
    }
    process.kill();
    while clients.join_next().await.is_some() {}
    while let Ok(promise) = promises.try_recv() {
        given.push(promise);
    }
    given
}

async fn send_without_end(api: &Api, path: &str, name: &str, promised: &UnboundedSender<Promise>) {
    for n in 0u32.. {
        let subject = format!("{name} {n}");
        let body: Value = json!({ "to": "someone@elsewhere.example", "subject": subject, "text": "A test." });
        match api.try_post(path, &body).await {
            Some(reply) if reply.status == 202 => drop(promised.send(Promise::Queued(subject))),
            _ => return,
        }
    }
}

/// Delivers one mail after the other and tells the subject of each that was acknowledged.
pub(super) async fn deliver_without_end(
    smtp: SocketAddr,
    to: &str,
    name: &str,
    tell: impl Fn(String),
) -> io::Result<()> {
    let mut wire = BufReader::new(TcpStream::connect(smtp).await?);
    hear(&mut wire, "220").await?;
    say(&mut wire, "EHLO client.example\r\n", "250").await?;
    for n in 0u32.. {
        let subject = format!("{name} {n}");
        say(&mut wire, "MAIL FROM:<someone@elsewhere.example>\r\n", "250").await?;
        say(&mut wire, &format!("RCPT TO:<{to}>\r\n"), "250").await?;
        say(&mut wire, "DATA\r\n", "354").await?;
        let mail = format!("From: someone@elsewhere.example\r\nTo: {to}\r\nSubject: {subject}\r\n\r\nA test.\r\n.\r\n");
        say(&mut wire, &mail, "250").await?;
        tell(subject);
    }
    Ok(())
}

async fn say(wire: &mut BufReader<TcpStream>, words: &str, code: &str) -> io::Result<()> {
    wire.get_mut().write_all(words.as_bytes()).await?;
    hear(wire, code).await
}

/// Reads a whole reply and looks at its code.
async fn hear(wire: &mut BufReader<TcpStream>, code: &str) -> io::Result<()> {
    let mut line = String::new();
    loop {
        line.clear();
        if wire.take(4096).read_line(&mut line).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        assert!(line.starts_with(code), "expected {code}, heard {line}");
        if line.as_bytes().get(3) != Some(&b'-') {
            return Ok(());
        }
    }
}
