//! Limits of SMTP clients: content in memory, the rate of content, connections. Each holds at its bound, the reply names
//! the setting, its value and the wait, and other clients are served. Clients connect through the PROXY protocol.

use std::net::SocketAddr;

use posthouse_app::{ports::Clock as _, settings::network::Network};
use posthouse_domain::plan::Plan;
use posthouse_server::config::Configuration;
use posthouse_tests::{
    ServerOptions, TestServer,
    fixtures::{TestInbox, TestKey},
    smtp::{SmtpReply, TestSmtpClient},
};

/// The share of a client in these tests, in bytes.
const SHARE: u64 = 1024 * 1024;
/// The free content of a session, in bytes.
const FREE: usize = 256 * 1024;
const CLIENT: [u8; 4] = [192, 0, 2, 7];
const OTHER: [u8; 4] = [192, 0, 2, 8];

/// Returns a message of about this size.
fn content(bytes: usize) -> String {
    let line = format!("{}\r\n", "x".repeat(510));
    format!("From: a@b.example\r\nSubject: large\r\n\r\n{}", line.repeat(bytes / 512))
}

struct Fixture {
    server: TestServer,
    inbox: TestInbox,
    key: TestKey,
}

impl Fixture {
    async fn with(change: impl FnOnce(&mut Configuration) + 'static) -> Self {
        let options = ServerOptions::default().configure(|config| {
            let local = vec![Network { address: [127, 0, 0, 0].into(), prefix_bits: 8 }];
            config.smtp.proxy_protocol_from.clone_from(&local);
            config.smtp.submission_proxy_protocol_from = local;
            change(config);
        });
        let server = TestServer::start(options).await;
        let key = server.workspace(Plan::Team).await;
        let inbox = server.inbox_named(&key, "desk").await;
        Self { server, inbox, key }
    }

    async fn connect(&self, listener: SocketAddr, [a, b, c, d]: [u8; 4]) -> TestSmtpClient {
        let mut smtp = TestSmtpClient::connect(listener).await;
        smtp.send(format!("PROXY TCP4 {a}.{b}.{c}.{d} 198.51.100.1 56324 25\r\n")).await;
        smtp
    }

    /// Opens a session from this address, up to a recipient.
    async fn envelope(&self, client: [u8; 4]) -> TestSmtpClient {
        let mut smtp = self.connect(self.server.smtp_address(), client).await;
        smtp.reply().await.expect(220);
        smtp.line("EHLO client.example").await.expect(250);
        smtp.envelope("a@remote.example", &[&self.inbox.address]).await;
        smtp
    }

    /// Opens a session from this address and sends this much of a message. Returns it with the reply.
    async fn start_message(&self, client: [u8; 4], bytes: usize) -> (TestSmtpClient, SmtpReply) {
        let mut smtp = self.envelope(client).await;
        let content = content(bytes);
        smtp.send(format!("BDAT {}\r\n", content.len())).await;
        smtp.send(content).await;
        let reply = smtp.reply().await;
        (smtp, reply)
    }

    /// Sends a whole message of this size from this address; it must be stored.
    async fn deliver(&self, client: [u8; 4], bytes: usize) {
        let mut smtp = self.envelope(client).await;
        smtp.data(content(bytes)).await.expect(250);
        smtp.quit().await;
    }

    /// Returns the number of refusals because of this setting.
    async fn refusals(&self, setting: &str) -> u64 {
        let metrics = self.server.anonymous().get("/metrics").await.to_string();
        let row = format!("posthouse_limit_refusals_total{{limit=\"{setting}\"}} ");
        let count = metrics.lines().find_map(|line| line.strip_prefix(&row));
        count.map_or(0, |count| count.parse().expect("a counter is a number"))
    }
}

#[tokio::test]
async fn clients_over_their_share_of_content_leave_room_for_others() {
    let fixture = Fixture::with(|config| {
        config.limits.smtp_content_bytes = 10 * SHARE;
        config.limits.smtp_content_bytes_per_client = SHARE;
    })
    .await;
    // The share holds two such messages. A third is refused beyond the free content of its session.
    let mut held = Vec::new();
    for _ in 0..2 {
        let (smtp, reply) = fixture.start_message(CLIENT, 400 * 1024).await;
        reply.expect(250);
        held.push(smtp);
    }
    let (mut over, reply) = fixture.start_message(CLIENT, 400 * 1024).await;
    let reply = reply.expect_enhanced(421, "4.7.0");
    let limit = "(limits.smtp_content_bytes_per_client is 1048576), try again in 60 seconds";
    assert!(reply.lines[0].contains(limit), "{reply}");
    over.expect_end().await;
    assert_eq!(fixture.refusals("limits.smtp_content_bytes_per_client").await, 1);

    fixture.deliver(CLIENT, FREE / 2).await;
    fixture.deliver(OTHER, 1000 * 1024).await;
    // Storing the messages makes room for another large one.
    for mut smtp in held {
        smtp.line("BDAT 0 LAST").await.expect(250);
        smtp.quit().await;
    }
    fixture.deliver(CLIENT, 1000 * 1024).await;
    let stored = fixture.server.raw_messages(&fixture.key, &fixture.inbox).await.len();
    assert_eq!(stored, 5, "what was acknowledged is stored, and nothing else");
    fixture.server.finish().await;
}

#[tokio::test]
async fn content_below_the_minimum_rate_ends_the_session() {
    let fixture = Fixture::with(|_| ()).await;
    let (mut slow, reply) = fixture.start_message(CLIENT, 100 * 1024).await;
    reply.expect(250);
    let began = fixture.server.clock.now();
    let reply = fixture.server.clock.advance_until(100_000, slow.reply()).await.expect_enhanced(421, "4.4.2");
    assert!(reply.lines[0].contains("(limits.smtp_content_bytes_per_second is 1024)"), "{reply}");
    assert!(fixture.server.clock.now().since_ms(began) >= 60_000);
    slow.expect_end().await;
    assert_eq!(fixture.refusals("limits.smtp_content_bytes_per_second").await, 1);
    assert!(fixture.server.raw_messages(&fixture.key, &fixture.inbox).await.is_empty());
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_client_that_guesses_addresses_is_stopped_across_its_sessions() {
    let fixture = Fixture::with(|config| config.limits.unknown_recipients_per_minute = Some(3)).await;
    let known = format!("RCPT TO:<{}>", fixture.inbox.address);
    let guess = |n: usize| format!("RCPT TO:<guess{n}@agents.localhost>");
    for n in 0..3 {
        let mut smtp = fixture.envelope(CLIENT).await;
        smtp.line(&guess(n)).await.expect_enhanced(550, "5.1.1");
        smtp.quit().await;
    }
    // Further guesses and known recipients get the same reply.
    for recipient in [&guess(3), &known] {
        let mut smtp = fixture.connect(fixture.server.smtp_address(), CLIENT).await;
        smtp.reply().await.expect(220);
        smtp.line("EHLO client.example").await.expect(250);
        smtp.line("MAIL FROM:<a@remote.example>").await.expect(250);
        let reply = smtp.line(recipient).await.expect_enhanced(421, "4.7.0");
        let limit = "(limits.unknown_recipients_per_minute is 3), try again in 60 seconds";
        assert!(reply.lines[0].contains(limit), "{reply}");
        smtp.expect_end().await;
    }
    assert_eq!(fixture.refusals("limits.unknown_recipients_per_minute").await, 2);
    // Role addresses and other clients are accepted, and the client itself after the minute.
    for (client, recipient) in [(CLIENT, "RCPT TO:<postmaster>"), (OTHER, known.as_str())] {
        let mut smtp = fixture.connect(fixture.server.smtp_address(), client).await;
        smtp.reply().await.expect(220);
        smtp.line("EHLO client.example").await.expect(250);
        smtp.line("MAIL FROM:<a@remote.example>").await.expect(250);
        smtp.line(recipient).await.expect(250);
        smtp.quit().await;
    }
    fixture.server.clock.advance(60_000);
    fixture.deliver(CLIENT, 100).await;
    fixture.server.finish().await;
}

#[tokio::test]
async fn trusted_clients_may_name_unknown_recipients() {
    let fixture = Fixture::with(|config| {
        config.limits.unknown_recipients_per_minute = Some(1);
        config.inbound.trusted_clients = vec![Network { address: CLIENT.into(), prefix_bits: 32 }];
    })
    .await;
    let mut smtp = fixture.envelope(CLIENT).await;
    for _ in 0..5 {
        smtp.line("RCPT TO:<guess@agents.localhost>").await.expect_enhanced(550, "5.1.1");
    }
    smtp.quit().await;
    fixture.server.finish().await;
}

/// Opens a connection from each address and asserts that only the last one is refused, on both kinds of listeners.
async fn assert_last_is_refused(fixture: Fixture, clients: &[[u8; 4]], enhanced: &str, limit: &str) {
    for listener in [fixture.server.smtp_address(), fixture.server.submission_address()] {
        let mut sessions = Vec::new();
        for (at, client) in clients.iter().enumerate() {
            let mut smtp = fixture.connect(listener, *client).await;
            let reply = smtp.reply().await;
            if at + 1 < clients.len() {
                reply.expect(220);
            } else {
                let reply = reply.expect_enhanced(421, enhanced);
                assert!(reply.lines[0].contains(limit), "{reply}");
                smtp.expect_end().await;
            }
            sessions.push(smtp);
        }
    }
    let setting = limit.trim_start_matches('(').split(' ').next().unwrap_or_default();
    assert_eq!(fixture.refusals(setting).await, 2, "{setting}");
    fixture.server.finish().await;
}

#[tokio::test]
async fn connections_are_limited_in_total_on_both_listeners() {
    let fixture = Fixture::with(|config| config.smtp.connections_max = 3).await;
    let limit = "(smtp.max_connections is 3), try again in 60 seconds";
    assert_last_is_refused(fixture, &[CLIENT, CLIENT, OTHER, OTHER], "4.3.2", limit).await;
}

#[tokio::test]
async fn connections_are_limited_per_client_on_both_listeners() {
    let fixture = Fixture::with(|config| config.smtp.connections_per_client_max = 2).await;
    let limit = "(smtp.max_connections_per_client is 2), try again in 60 seconds";
    assert_last_is_refused(fixture, &[CLIENT, OTHER, CLIENT, CLIENT], "4.7.0", limit).await;
}
