//! SIGKILL under load, again and again, with a webhook: every event of mail that was acknowledged arrives, and few arrive
//! twice. The number is printed; `docs/journeys/webhooks.md` has it.

use std::{
    collections::HashMap,
    io,
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use posthouse_tests::{dir::ScratchDir, http::Api, process::Process};
use serde_json::json;
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    sync::{mpsc::unbounded_channel, watch},
    task::JoinSet,
};

use super::crash::{deliver_without_end, draw};

/// Kills.
const ROUNDS: u32 = 8;
/// Most acknowledgements before a kill.
const ACKS_MAX: u64 = 150;
/// Clients.
const CLIENTS: u32 = 4;
/// Where the moments of the kills come from.
const SEED: u64 = 0x5851_f42d_4c95_7f2d;
/// How long the last start may take to hand over the rest, in seconds.
const DRAIN_S: u64 = 90;

/// Counts POSTs by the id of the event and by the subject of the message.
#[derive(Default)]
struct Counted {
    ids: HashMap<String, u32>,
    subjects: HashMap<String, u32>,
}

type Shared = Arc<Mutex<Counted>>;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_kill_at_any_moment_loses_no_event_and_repeats_few() {
    let dir = ScratchDir::new();
    let (counted, news) = (Shared::default(), watch::Sender::new(()));
    let url = receive(counted.clone(), news.clone()).await;
    let (mut promised, mut random, mut agent) = (Vec::new(), SEED, None);
    for round in 0..ROUNDS {
        let process = Process::start(dir.path(), CONFIG);
        let (key, address) = match &agent {
            Some(agent) => agent,
            None => agent.insert(first(&process, &url).await),
        };
        assert!(!key.is_empty());
        let acks = draw(&mut random) % ACKS_MAX + 1;
        promised.extend(load_until(process, address, round, acks).await);
    }
    let process = Process::start(dir.path(), CONFIG);
    let all_there = async {
        let mut news = news.subscribe();
        while !promised.iter().all(|subject| lock(&counted).subjects.contains_key(subject)) {
            news.changed().await.expect("the sender lives in this test");
        }
    };
    let whole = tokio::time::timeout(std::time::Duration::from_secs(DRAIN_S), all_there).await;
    let counted = lock(&counted);
    let lost: Vec<_> = promised.iter().filter(|subject| !counted.subjects.contains_key(*subject)).collect();
    assert!(whole.is_ok() && lost.is_empty(), "acknowledged, and no event came: {lost:?}");
    let posts: u32 = counted.ids.values().sum();
    let twice = posts - counted.ids.len() as u32;
    println!("seed {SEED:#x}, {ROUNDS} kills: {} events, {twice} POSTs more than once", counted.ids.len());
    // At most what was under way at each kill.
    assert!(twice <= ROUNDS * 64, "{twice} of {posts} came again");
    drop(counted);
    assert!(process.stop().success(), "SIGTERM is a clean end");
}

const CONFIG: &str = "data_dir = \"data\"\n[http]\nlisten = \"127.0.0.1:0\"\n[smtp]\nlisten = [\"127.0.0.1:0\"]\n\
    [submission]\nlisten = [\"127.0.0.1:0\"]\n[delivery]\nmode = \"capture\"\n[dns]\nnameservers = [\"127.0.0.1:9\"]\n\
    [webhooks]\nallow_private_networks = true\nallow_http = true\n";

/// The key and an inbox's address, with a webhook to that URL.
async fn first(process: &Process, url: &str) -> (String, String) {
    let key = process.ready["first_run"]["api_key"].as_str().expect("a first start has a key").to_owned();
    let api = Api::new(&format!("http://{}", process.address("http"))).with_key(&key);
    let made = api.post("/v1/inboxes", json!({ "username": "crash" })).await.expect(201);
    api.post("/v1/webhooks", json!({ "url": url, "events": ["message.received"] })).await.expect(201);
    (key, made.text("address").to_owned())
}

/// Lets clients deliver until that many mails were acknowledged, kills the process, and says which they were.
async fn load_until(process: Process, to: &str, round: u32, acks: u64) -> Vec<String> {
    let (promised, mut promises) = unbounded_channel();
    let mut clients = JoinSet::new();
    for client in 0..CLIENTS {
        let (smtp, to, teller) = (process.address("smtp"), to.to_owned(), promised.clone());
        clients.spawn(async move {
            // The error is the kill.
            let _ = deliver_without_end(smtp, &to, &format!("in {round} {client}"), |subject| {
                let _ = teller.send(subject);
            })
            .await;
        });
    }
    drop(promised);
    let mut given = Vec::new();
    while (given.len() as u64) < acks {
        given.push(promises.recv().await.expect("clients work until the kill"));
    }
    process.kill();
    while clients.join_next().await.is_some() {}
    while let Ok(subject) = promises.try_recv() {
        given.push(subject);
    }
    given
}

/// A receiver that outlives the kills; its URL.
async fn receive(counted: Shared, news: watch::Sender<()>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address: SocketAddr = listener.local_addr().expect("a bound listener has an address");
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            let (counted, news) = (counted.clone(), news.clone());
            tokio::spawn(async move {
                // The error is the end of the connection.
                let _ = take_posts(BufReader::new(socket), &counted, &news).await;
            });
        }
    });
    format!("http://{address}/hook")
}

async fn take_posts(mut wire: BufReader<TcpStream>, counted: &Shared, news: &watch::Sender<()>) -> io::Result<()> {
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
            let mut counted = lock(counted);
            *counted.ids.entry(id).or_insert(0) += 1;
            *counted.subjects.entry(subject).or_insert(0) += 1;
        }
        news.send_replace(());
        wire.get_mut().write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").await?;
    }
}

fn lock(counted: &Shared) -> MutexGuard<'_, Counted> {
    counted.lock().unwrap_or_else(PoisonError::into_inner)
}
