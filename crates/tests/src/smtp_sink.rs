//! A mail exchanger for tests: it takes mail and remembers it, and answers as a script says where one was given.
//!
//! It listens on loopback only and never delivers anything. Replies are looked up by how a command begins, so that a test
//! reads like the dialogue it is about.

use std::{
    collections::VecDeque,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use posthouse_server::ports::Clock;
use rustls::ServerConfig;
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufStream},
    net::{TcpListener, TcpStream},
    sync::Notify,
    task::JoinHandle,
};
use tokio_rustls::TlsAcceptor;

use crate::clock::ManualClock;

/// What the greeting is looked up by in a script.
pub const GREETING: &str = "GREETING";
/// What the answer to the final dot is looked up by in a script.
pub const END_OF_DATA: &str = "END OF DATA";
/// A reply that is no reply: the connection is closed instead.
pub const HANG_UP: &str = "HANG UP";

/// A message that the sink said 250 to.
#[derive(Clone, Debug)]
pub struct Received {
    /// The how-manieth connection it came over, from 1.
    pub connection: usize,
    /// Whether it came over TLS.
    pub encrypted: bool,
    /// The `AUTH PLAIN` of the connection, as sent.
    pub auth: Option<String>,
    /// Where it came from.
    pub from: IpAddr,
    /// The name that was said with `EHLO`.
    pub hello: String,
    /// The command `MAIL`, whole.
    pub mail: String,
    /// The accepted recipients.
    pub recipients: Vec<String>,
    /// Header and body, dot-stuffing undone.
    pub data: String,
}

/// The exchanger. It stops listening when it is dropped.
pub struct SmtpSink {
    /// Where it listens.
    pub address: SocketAddr,
    state: Arc<State>,
    task: JoinHandle<()>,
}

#[derive(Default)]
struct State {
    received: Mutex<Vec<Received>>,
    script: Mutex<VecDeque<Line>>,
    extensions: Mutex<Vec<String>>,
    slow: Mutex<Option<(ManualClock, i64)>>,
    tls: Mutex<Option<Arc<ServerConfig>>>,
    connections: AtomicUsize,
    /// Something came.
    news: Notify,
}

struct Line {
    begins: String,
    reply: String,
    times: usize,
}

impl SmtpSink {
    /// Listens on a free port of 127.0.0.1.
    pub async fn start() -> Self {
        Self::at(Ipv4Addr::LOCALHOST, 0).await
    }

    /// Listens there: several sinks share a port at several addresses of loopback, as mail exchangers do.
    pub async fn at(address: Ipv4Addr, port: u16) -> Self {
        let listener = TcpListener::bind((IpAddr::V4(address), port)).await.expect("loopback can be listened on");
        let address = listener.local_addr().expect("a bound listener has an address");
        let state = Arc::new(State::default());
        *lock(&state.extensions) = ["PIPELINING", "8BITMIME", "SIZE 30000000"].map(str::to_owned).into();
        let shared = state.clone();
        let task = tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                let number = shared.connections.fetch_add(1, Ordering::Relaxed) + 1;
                shared.news.notify_waiters();
                tokio::spawn(serve(socket, number, shared.clone()));
            }
        });
        Self { address, state, task }
    }

    /// Answers the next `times` commands that begin so with that reply.
    pub fn script(&self, begins: &str, reply: &str, times: usize) {
        lock(&self.state.script).push_back(Line { begins: begins.to_owned(), reply: reply.to_owned(), times });
    }

    /// Answers every command that begins so with that reply.
    pub fn always(&self, begins: &str, reply: &str) {
        self.script(begins, reply, usize::MAX);
    }

    /// Forgets what was not used of the script.
    pub fn forget_script(&self) {
        lock(&self.state.script).clear();
    }

    /// Waits so long by that clock before every answer to the final dot, from now on.
    pub fn slow(&self, clock: &ManualClock, millis: i64) {
        *lock(&self.state.slow) = Some((clock.clone(), millis));
    }

    /// Comes back when that many connections were made.
    pub async fn connected(&self, count: usize) {
        self.until(|sink| sink.connections() >= count).await;
    }

    /// Comes back when that many messages were taken.
    pub async fn taken(&self, count: usize) {
        self.until(|sink| lock(&sink.state.received).len() >= count).await;
    }

    async fn until(&self, done: impl Fn(&Self) -> bool) {
        loop {
            let mut news = std::pin::pin!(self.state.news.notified());
            // Registered before the look, so that nothing is missed.
            news.as_mut().enable();
            if done(self) {
                return;
            }
            news.await;
        }
    }

    /// Offers one more extension.
    pub fn offer(&self, extension: &str) {
        lock(&self.state.extensions).push(extension.to_owned());
    }

    /// Offers `STARTTLS`; without a configuration every handshake fails.
    pub fn offer_tls(&self, config: Option<Arc<ServerConfig>>) {
        self.offer("STARTTLS");
        *lock(&self.state.tls) = config;
    }

    /// What was taken, in order.
    #[must_use]
    pub fn received(&self) -> Vec<Received> {
        lock(&self.state.received).clone()
    }

    /// How many connections were made.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.state.connections.load(Ordering::Relaxed)
    }
}

impl Drop for SmtpSink {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl State {
    /// The scripted reply to a command, or the usual one.
    fn reply(&self, command: &str, usual: &str) -> String {
        let mut script = lock(&self.script);
        let found = script.iter_mut().find(|line| line.times > 0 && command.starts_with(&line.begins));
        found.map_or_else(
            || usual.to_owned(),
            |line| {
                line.times -= 1;
                line.reply.clone()
            },
        )
    }
}

/// One dialogue.
struct Dialogue<S> {
    stream: BufStream<S>,
    state: Arc<State>,
    mail: Received,
}

/// How a dialogue ended.
enum End {
    Closed,
    StartTls,
}

async fn serve(socket: TcpStream, number: usize, state: Arc<State>) {
    let mail = Received {
        connection: number,
        encrypted: false,
        auth: None,
        from: socket.peer_addr().map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.ip()),
        hello: String::new(),
        mail: String::new(),
        recipients: Vec::new(),
        data: String::new(),
    };
    let mut plain = Dialogue { stream: BufStream::new(socket), state: state.clone(), mail };
    let greeting = state.reply(GREETING, "220 sink.test ESMTP");
    if plain.say(&greeting).await.is_none() {
        return;
    }
    if let Some(End::StartTls) = plain.run().await {
        let Dialogue { stream, mut mail, .. } = plain;
        let socket = stream.into_inner();
        let Some(config) = lock(&state.tls).clone() else {
            let mut socket = socket;
            let _ = socket.read_u8().await;
            let _ = socket.write_all(b"this is no handshake\r\n").await;
            return;
        };
        if let Ok(stream) = TlsAcceptor::from(config).accept(socket).await {
            mail.encrypted = true;
            Dialogue { stream: BufStream::new(stream), state, mail }.run().await;
        }
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> Dialogue<S> {
    /// Answers commands until the end; nothing where the connection broke.
    async fn run(&mut self) -> Option<End> {
        loop {
            let mut line = String::new();
            if self.stream.read_line(&mut line).await.ok()? == 0 {
                return None;
            }
            let command = line.trim_end().to_owned();
            let verb = command.split([' ', ':']).next().unwrap_or_default().to_ascii_uppercase();
            match verb.as_str() {
                "EHLO" => {
                    command.get(5..).unwrap_or_default().clone_into(&mut self.mail.hello);
                    let hello = self.hello();
                    let reply = self.state.reply(&command, &hello);
                    self.say(&reply).await?;
                }
                "STARTTLS" => {
                    let reply = self.state.reply(&command, "220 go ahead");
                    self.say(&reply).await?;
                    if reply.starts_with("220") {
                        return Some(End::StartTls);
                    }
                }
                "AUTH" => {
                    let reply = self.state.reply(&command, "235 2.7.0 welcome");
                    self.mail.auth = command.strip_prefix("AUTH PLAIN ").map(str::to_owned);
                    self.say(&reply).await?;
                }
                "MAIL" => {
                    self.mail.recipients.clear();
                    self.mail.mail.clone_from(&command);
                    let reply = self.state.reply(&command, "250 2.1.0 ok");
                    self.say(&reply).await?;
                }
                "RCPT" => self.recipient(&command).await?,
                "DATA" => self.data(&command).await?,
                "QUIT" => {
                    self.say("221 2.0.0 bye").await?;
                    return Some(End::Closed);
                }
                _ => {
                    let reply = self.state.reply(&command, "250 2.0.0 ok");
                    self.say(&reply).await?;
                }
            }
        }
    }

    fn hello(&self) -> String {
        let mut lines = vec!["sink.test".to_owned()];
        let tls_is_on = self.mail.encrypted;
        lines.extend(lock(&self.state.extensions).iter().filter(|e| !(tls_is_on && *e == "STARTTLS")).cloned());
        let last = lines.len() - 1;
        let mark = |at: usize| if at == last { ' ' } else { '-' };
        let lines: Vec<String> = lines.iter().enumerate().map(|(at, line)| format!("250{}{line}", mark(at))).collect();
        lines.join("\r\n")
    }

    async fn recipient(&mut self, command: &str) -> Option<()> {
        let reply = self.state.reply(command, "250 2.1.5 ok");
        if reply.starts_with('2') {
            let address = command.split(['<', '>']).nth(1).unwrap_or_default();
            self.mail.recipients.push(address.to_owned());
        }
        self.say(&reply).await
    }

    async fn data(&mut self, command: &str) -> Option<()> {
        let usual = if self.mail.recipients.is_empty() { "503 5.5.1 no recipients" } else { "354 go ahead" };
        let reply = self.state.reply(command, usual);
        self.say(&reply).await?;
        if !reply.starts_with("354") {
            return Some(());
        }
        self.mail.data.clear();
        loop {
            let mut line = Vec::new();
            if self.stream.read_until(b'\n', &mut line).await.ok()? == 0 {
                return None;
            }
            if line == b".\r\n" {
                break;
            }
            let text = line.strip_prefix(b".").unwrap_or(&line);
            self.mail.data.push_str(&String::from_utf8_lossy(text));
        }
        let slow = lock(&self.state.slow).clone();
        if let Some((clock, millis)) = slow {
            clock.sleep_until(clock.now().plus_ms(millis)).await;
        }
        let reply = self.state.reply(END_OF_DATA, "250 2.0.0 taken");
        if reply.starts_with('2') {
            lock(&self.state.received).push(self.mail.clone());
            self.state.news.notify_waiters();
        }
        self.say(&reply).await
    }

    async fn say(&mut self, reply: &str) -> Option<()> {
        if reply == HANG_UP {
            return None;
        }
        self.stream.write_all(format!("{reply}\r\n").as_bytes()).await.ok()?;
        self.stream.flush().await.ok()?;
        // RFC 5321 §3.8: a server that says 421 closes.
        if reply.starts_with("421") { None } else { Some(()) }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
