//! A mail exchanger for tests. It accepts and records messages, and replies from a script where one is set.
//!
//! It listens on loopback only and never delivers anything. A script matches commands by prefix, so that a test reads
//! like the SMTP session it is about.

use std::{
    collections::VecDeque,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use posthouse_app::ports::Clock;
use rustls::ServerConfig;
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufStream},
    net::{TcpListener, TcpStream},
    sync::Notify,
    task::JoinHandle,
};
use tokio_rustls::TlsAcceptor;

use crate::{
    clock::ManualClock,
    ports::{ReservedPort, reserve_at_all},
};

/// The script key of the greeting.
pub const GREETING: &str = "GREETING";
/// The script key of the reply to the final dot.
pub const END_OF_DATA: &str = "END OF DATA";
/// A scripted reply that closes the connection instead of replying.
pub const HANG_UP: &str = "HANG UP";

/// A message that the sink accepted.
#[derive(Clone, Debug)]
pub struct SinkMessage {
    /// The number of its connection, counted from 1.
    pub connection: usize,
    /// Whether it arrived over TLS.
    pub encrypted: bool,
    /// The `AUTH PLAIN` response of the connection, as sent.
    pub auth: Option<String>,
    /// The address of the client.
    pub from: IpAddr,
    /// The name in `EHLO`.
    pub hello: String,
    /// The whole `MAIL` command.
    pub mail: String,
    /// The accepted recipients.
    pub recipients: Vec<String>,
    /// The header and body without dot-stuffing.
    pub data: String,
}

/// The mail exchanger. Dropping it stops the listener.
pub struct SmtpSink {
    /// The listener's address.
    pub address: SocketAddr,
    state: Arc<SmtpSinkState>,
    task: JoinHandle<()>,
    _ports: Vec<ReservedPort>,
}

#[derive(Default)]
struct SmtpSinkState {
    received: Mutex<Vec<SinkMessage>>,
    script: Mutex<VecDeque<ScriptLine>>,
    extensions: Mutex<Vec<String>>,
    delay_replies: Mutex<Option<(ManualClock, i64)>>,
    tls: Mutex<Option<Arc<ServerConfig>>>,
    connections: AtomicUsize,
    /// Notified on each new connection and message.
    changed: Notify,
}

struct ScriptLine {
    prefix: String,
    reply: String,
    times: usize,
}

impl SmtpSink {
    /// Listens on a free port of 127.0.0.1. The port of [`SmtpSink::SECOND`] is free too.
    pub async fn start() -> Self {
        let ports = reserve_at_all([Ipv4Addr::LOCALHOST, Self::SECOND]);
        let address = ports[0].address();
        Self::open(address, ports.into()).await
    }

    /// The address of a second sink.
    pub const SECOND: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);

    /// Listens on this address and port. Several sinks can share a port at different loopback addresses, as mail
    /// exchangers do.
    pub async fn at(address: Ipv4Addr, port: u16) -> Self {
        Self::open(SocketAddr::from((address, port)), Vec::new()).await
    }

    async fn open(address: SocketAddr, ports: Vec<ReservedPort>) -> Self {
        let listener = TcpListener::bind(address).await.expect("loopback can be listened on");
        let address = listener.local_addr().expect("a bound listener has an address");
        let state = Arc::new(SmtpSinkState::default());
        *lock(&state.extensions) = ["PIPELINING", "8BITMIME", "SIZE 30000000"].map(str::to_owned).into();
        let shared = state.clone();
        let task = tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                let number = shared.connections.fetch_add(1, Ordering::Relaxed) + 1;
                shared.changed.notify_waiters();
                tokio::spawn(serve(socket, number, shared.clone()));
            }
        });
        Self { address, state, task, _ports: ports }
    }

    /// Replies with `reply` to the next `times` commands that begin with `prefix`.
    pub fn script(&self, prefix: &str, reply: &str, times: usize) {
        lock(&self.state.script).push_back(ScriptLine { prefix: prefix.to_owned(), reply: reply.to_owned(), times });
    }

    /// Replies with `reply` to every command that begins with `prefix`.
    pub fn always(&self, prefix: &str, reply: &str) {
        self.script(prefix, reply, usize::MAX);
    }

    /// Removes the unused part of the script.
    pub fn clear_script(&self) {
        lock(&self.state.script).clear();
    }

    /// Delays every reply to the final dot from now on by `millis` of that clock.
    pub fn delay_replies(&self, clock: &ManualClock, millis: i64) {
        *lock(&self.state.delay_replies) = Some((clock.clone(), millis));
    }

    /// Waits for that many connections.
    pub async fn wait_for_connections(&self, count: usize) {
        self.until(|sink| sink.connections() >= count).await;
    }

    /// Waits for that many accepted messages.
    pub async fn wait_for_messages(&self, count: usize) {
        self.until(|sink| lock(&sink.state.received).len() >= count).await;
    }

    async fn until(&self, done: impl Fn(&Self) -> bool) {
        loop {
            let mut changed = std::pin::pin!(self.state.changed.notified());
            // Registered before the check, so that no notification is missed.
            changed.as_mut().enable();
            if done(self) {
                return;
            }
            changed.await;
        }
    }

    /// Offers one more extension.
    pub fn offer(&self, extension: &str) {
        lock(&self.state.extensions).push(extension.to_owned());
    }

    /// Offers `STARTTLS`. Without a configuration every handshake fails.
    pub fn offer_tls(&self, config: Option<Arc<ServerConfig>>) {
        self.offer("STARTTLS");
        *lock(&self.state.tls) = config;
    }

    /// Returns the accepted messages, in order.
    #[must_use]
    pub fn received(&self) -> Vec<SinkMessage> {
        lock(&self.state.received).clone()
    }

    /// Returns the number of connections so far.
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

impl SmtpSinkState {
    /// Returns the scripted reply to a command, or the default.
    fn reply(&self, command: &str, default: &str) -> String {
        let mut script = lock(&self.script);
        let found = script.iter_mut().find(|line| line.times > 0 && command.starts_with(&line.prefix));
        found.map_or_else(
            || default.to_owned(),
            |line| {
                line.times -= 1;
                line.reply.clone()
            },
        )
    }
}

/// One SMTP session.
struct SinkSession<S> {
    stream: BufStream<S>,
    state: Arc<SmtpSinkState>,
    mail: SinkMessage,
}

/// How a session ended.
enum SessionEnd {
    Closed,
    StartTls,
}

async fn serve(socket: TcpStream, number: usize, state: Arc<SmtpSinkState>) {
    let mail = SinkMessage {
        connection: number,
        encrypted: false,
        auth: None,
        from: socket.peer_addr().map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.ip()),
        hello: String::new(),
        mail: String::new(),
        recipients: Vec::new(),
        data: String::new(),
    };
    let mut plain = SinkSession { stream: BufStream::new(socket), state: state.clone(), mail };
    let greeting = state.reply(GREETING, "220 sink.test ESMTP");
    if plain.reply(&greeting).await.is_none() {
        return;
    }
    if let Some(SessionEnd::StartTls) = plain.run().await {
        let SinkSession { stream, mut mail, .. } = plain;
        let socket = stream.into_inner();
        let Some(config) = lock(&state.tls).clone() else {
            let mut socket = socket;
            let _ = socket.read_u8().await;
            let _ = socket.write_all(b"this is not a handshake\r\n").await;
            return;
        };
        if let Ok(stream) = TlsAcceptor::from(config).accept(socket).await {
            mail.encrypted = true;
            SinkSession { stream: BufStream::new(stream), state, mail }.run().await;
        }
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> SinkSession<S> {
    /// Replies to commands until the session ends. Returns `None` if the connection broke.
    async fn run(&mut self) -> Option<SessionEnd> {
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
                    self.reply(&reply).await?;
                }
                "STARTTLS" => {
                    let reply = self.state.reply(&command, "220 go ahead");
                    self.reply(&reply).await?;
                    if reply.starts_with("220") {
                        return Some(SessionEnd::StartTls);
                    }
                }
                "AUTH" => {
                    let reply = self.state.reply(&command, "235 2.7.0 welcome");
                    self.mail.auth = command.strip_prefix("AUTH PLAIN ").map(str::to_owned);
                    self.reply(&reply).await?;
                }
                "MAIL" => {
                    self.mail.recipients.clear();
                    self.mail.mail.clone_from(&command);
                    let reply = self.state.reply(&command, "250 2.1.0 ok");
                    self.reply(&reply).await?;
                }
                "RCPT" => self.recipient(&command).await?,
                "DATA" => self.data(&command).await?,
                "QUIT" => {
                    self.reply("221 2.0.0 bye").await?;
                    return Some(SessionEnd::Closed);
                }
                _ => {
                    let reply = self.state.reply(&command, "250 2.0.0 ok");
                    self.reply(&reply).await?;
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
        self.reply(&reply).await
    }

    async fn data(&mut self, command: &str) -> Option<()> {
        let default = if self.mail.recipients.is_empty() { "503 5.5.1 no recipients" } else { "354 go ahead" };
        let reply = self.state.reply(command, default);
        self.reply(&reply).await?;
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
        let delay_replies = lock(&self.state.delay_replies).clone();
        if let Some((clock, millis)) = delay_replies {
            clock.sleep_until(clock.now().plus_ms(millis)).await;
        }
        let reply = self.state.reply(END_OF_DATA, "250 2.0.0 accepted");
        if reply.starts_with('2') {
            lock(&self.state.received).push(self.mail.clone());
            self.state.changed.notify_waiters();
        }
        self.reply(&reply).await
    }

    async fn reply(&mut self, reply: &str) -> Option<()> {
        if reply == HANG_UP {
            return None;
        }
        self.stream.write_all(format!("{reply}\r\n").as_bytes()).await.ok()?;
        self.stream.flush().await.ok()?;
        // RFC 5321 §3.8: a server closes the connection after a 421.
        if reply.starts_with("421") { None } else { Some(()) }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
