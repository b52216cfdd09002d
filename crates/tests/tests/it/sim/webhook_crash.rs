//! SIGKILL under load, repeatedly, with a webhook: the events of all acknowledged messages arrive, and few arrive
//! twice. Prints the number, which `docs/guides/webhooks.md` quotes.

use std::{
    collections::HashMap,
    io,
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use posthouse_tests::{dir::ScratchDir, http::Api, process::ServiceProcess};
use serde_json::json;
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    sync::{mpsc::unbounded_channel, watch},
    task::JoinSet,
};

use super::crash::{deliver_without_end, draw};

/// Number of kills.
const ROUNDS: u32 = 8;
/// Maximum number of acknowledgments before a kill.
const ACKS_MAX: u64 = 150;
/// Number of clients.
const CLIENTS: u32 = 4;
/// The seed of the moments of the kills.
const SEED: u64 = 0x5851_f42d_4c95_7f2d;
/// How long the last start may take to deliver the rest, in seconds.
const DRAIN_S: u64 = 90;

/// The number of POSTs by event id and by subject.
#[derive(Default)]
struct PostCounts {
    ids: HashMap<String, u32>,
    subjects: HashMap<String, u32>,
}

type SharedCounts = Arc<Mutex<PostCounts>>;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_kill_at_any_moment_loses_no_event_and_repeats_few() {
    let dir = ScratchDir::new();
    let (counts, changed) = (SharedCounts::default(), watch::Sender::new(()));
    let url = receive(counts.clone(), changed.clone()).await;
    let (mut acknowledged, mut random, mut agent) = (Vec::new(), SEED, None);
    for round in 0..ROUNDS {
        let process = ServiceProcess::start(dir.path(), CONFIG);
        let (key, address) = match &agent {
            Some(agent) => agent,
            None => agent.insert(first(&process, &url).await),
        };
        assert!(!key.is_empty());
        let acks = draw(&mut random) % ACKS_MAX + 1;
        acknowledged.extend(load_until(process, address, round, acks).await);
    }
    let process = ServiceProcess::start(dir.path(), CONFIG);
    let all_arrived = async {
        let mut changed = changed.subscribe();
        while !acknowledged.iter().all(|subject| lock(&counts).subjects.contains_key(subject)) {
            changed.changed().await.expect("the sender lives in this test");
        }
    };
    let whole = tokio::time::timeout(std::time::Duration::from_secs(DRAIN_S), all_arrived).await;
    let counts = lock(&counts);
    let lost: Vec<_> = acknowledged.iter().filter(|subject| !counts.subjects.contains_key(*subject)).collect();
    assert!(whole.is_ok() && lost.is_empty(), "acknowledged without an event: {lost:?}");
    let posts: u32 = counts.ids.values().sum();
    let twice = posts - counts.ids.len() as u32;
    println!("seed {SEED:#x}, {ROUNDS} kills: {} events, {twice} repeated POSTs", counts.ids.len());
    // At most the attempts in progress at each kill.
    assert!(twice <= ROUNDS * 64, "{twice} of {posts} were repeated");
    drop(counts);
    assert!(process.stop().success(), "SIGTERM stops cleanly");
}

const CONFIG: &str = "data_dir = \"data\"\n[http]\nlisten = \"127.0.0.1:0\"\n[smtp]\nlisten = [\"127.0.0.1:0\"]\n\
    [submission]\nlisten = [\"127.0.0.1:0\"]\n[delivery]\nmode = \"capture\"\n[dns]\nnameservers = [\"127.0.0.1:9\"]\n\
    [webhooks]\nallow_private_networks = true\nallow_http = true\n";

/// Creates an inbox and a webhook to that URL. Returns the key and the inbox's address.
async fn first(process: &ServiceProcess, url: &str) -> (String, String) {
    let key = process.ready["first_run"]["api_key"].as_str().expect("a first start has a key").to_owned();
    let api = Api::new(&format!("http://{}", process.address("http"))).with_key(&key);
    let made = api.post("/v1/inboxes", json!({ "username": "crash" })).await.expect(201);
    api.post("/v1/webhooks", json!({ "url": url, "events": ["message.received"] })).await.expect(201);
    (key, made.text("address").to_owned())
}

/// Runs clients until that many messages are acknowledged, kills the process, and returns the acknowledged subjects.
async fn load_until(process: ServiceProcess, to: &str, round: u32, acks: u64) -> Vec<String> {
    let (acknowledged, mut receiver) = unbounded_channel();
    let mut clients = JoinSet::new();
    for client in 0..CLIENTS {
        let (smtp, to, report_sender) = (process.address("smtp"), to.to_owned(), acknowledged.clone());
        clients.spawn(async move {
            // An error means that the process was killed.
            let _ = deliver_without_end(smtp, &to, &format!("in {round} {client}"), |subject| {
                let _ = report_sender.send(subject);
            })
            .await;
        });
    }
    drop(acknowledged);
    let mut given = Vec::new();
    while (given.len() as u64) < acks {
        given.push(receiver.recv().await.expect("clients work until the kill"));
    }
    process.kill();
    while clients.join_next().await.is_some() {}
    while let Ok(subject) = receiver.try_recv() {
        given.push(subject);
    }
    given
}

/// Starts a receiver that outlives the kills and returns its URL.
async fn receive(counts: SharedCounts, changed: watch::Sender<()>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address: SocketAddr = listener.local_addr().expect("a bound listener has an address");
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            let (counts, changed) = (counts.clone(), changed.clone());
            tokio::spawn(async move {
                // An error means the end of the connection.
                let _ = take_posts(BufReader::new(socket), &counts, &changed).await;
            });
        }
    });
    format!("http://{address}/hook")
}

async fn take_posts(
    mut wire: BufReader<TcpStream>,
    counts: &SharedCounts,
    changed: &watch::Sender<()>,
) -> io::Result<()> {
    loop {
        let (mut length, mut id) = (0, String::new());
        loop {
            let mut line = String::new();
            if wire.read_line(&mut line).await? == 0 {
                return Ok(());
            }
            let lower = line.to_ascii_lowercase();
            if let Some(value) = lower.strip_prefix("content-length:") {
                length = value.trim().parse().unwrap_or(0);
            } else if let Some(value) = lower.strip_prefix("webhook-id:") {
                id = value.trim().to_owned();
            } else if line == "\r\n" {
                break;
            }
        }
        let mut body = vec![0; length];
        wire.read_exact(&mut body).await?;
        let event: serde_json::Value = serde_json::from_slice(&body).unwrap_or_default();
        let subject = event["data"]["message"]["subject"].as_str().unwrap_or_default().to_owned();
        {
            let mut counts = lock(counts);
            *counts.ids.entry(id).or_insert(0) += 1;
            *counts.subjects.entry(subject).or_insert(0) += 1;
        }
        changed.send_replace(());
        wire.get_mut().write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").await?;
    }
}

fn lock(counts: &SharedCounts) -> MutexGuard<'_, PostCounts> {
    counts.lock().unwrap_or_else(PoisonError::into_inner)
}
