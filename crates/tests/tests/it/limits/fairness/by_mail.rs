//! The abuse by SMTP: half-sent contents, idle connections, unknown recipients, and mail beyond the storage of a plan. The
//! clients of the abuser state other addresses in PROXY headers, each with budgets of its own.

use posthouse_app::settings::network::Network;
use posthouse_server::config::Configuration;
use posthouse_tests::{
    TestServer,
    fixtures::{TestInbox, TestKey},
    smtp::{SmtpReply, TestSmtpClient},
};

/// The address of the abuser's proxy.
const PROXY: [u8; 4] = [127, 0, 0, 3];
/// The clients that hold contents, hold connections, name unknown recipients and fill the inbox: the last part of their
/// addresses.
const HOLDER: u8 = 1;
const IDLER: u8 = 2;
const GUESSER: u8 = 3;
const FILLER: u8 = 4;

const CONTENT_BYTES: u64 = 1024 * 1024;
const SMTP_CONNECTIONS: usize = 5;
const UNKNOWN_RECIPIENTS: u64 = 3;

/// Sets small budgets of SMTP.
pub(super) fn configure(config: &mut Configuration) {
    config.smtp.proxy_protocol_from = vec![Network { address: PROXY.into(), prefix_bits: 32 }];
    config.smtp.connections_per_client_max = SMTP_CONNECTIONS;
    config.limits.smtp_content_bytes = 4 * CONTENT_BYTES;
    config.limits.smtp_content_bytes_per_client = CONTENT_BYTES;
    config.limits.unknown_recipients_per_minute = Some(UNKNOWN_RECIPIENTS);
}

/// Returns a message of about this size.
fn content(bytes: usize) -> String {
    let line = format!("{}\r\n", "x".repeat(70));
    format!("From: a@remote.example\r\n\r\n{}", line.repeat(bytes / line.len()))
}

/// The SMTP clients of the abuser, with what they hold open.
pub(super) struct MailAbuse<'a> {
    server: &'a TestServer,
    inbox: TestInbox,
    held: Vec<TestSmtpClient>,
}

impl<'a> MailAbuse<'a> {
    /// Uses up the content and the connections of two clients.
    pub(super) async fn begin(server: &'a TestServer, key: &TestKey) -> Self {
        let inbox = server.inbox_named(key, "full").await;
        let mut abuse = Self { server, inbox, held: Vec::new() };
        for _ in 0..2 {
            let (session, reply) = abuse.half_content(400 * 1024).await;
            reply.expect(250);
            abuse.held.push(session);
        }
        for _ in 0..SMTP_CONNECTIONS {
            let session = abuse.session(IDLER).await;
            abuse.held.push(session);
        }
        abuse
    }

    /// Returns the inbox that the abuser fills.
    pub(super) fn inbox(&self) -> &TestInbox {
        &self.inbox
    }

    async fn connect(&self, client: u8) -> TestSmtpClient {
        let mut session = TestSmtpClient::connect_from(PROXY, self.server.smtp_address()).await;
        session.send(format!("PROXY TCP4 192.0.2.{client} 198.51.100.1 56324 25\r\n")).await;
        session
    }

    async fn session(&self, client: u8) -> TestSmtpClient {
        let mut session = self.connect(client).await;
        session.reply().await.expect(220);
        session.line("EHLO client.example").await.expect(250);
        session
    }

    /// Sends a part of a message and keeps the session open.
    async fn half_content(&self, bytes: usize) -> (TestSmtpClient, SmtpReply) {
        let mut session = self.session(HOLDER).await;
        session.envelope("a@remote.example", &[&self.inbox.address]).await;
        let content = content(bytes);
        session.send(format!("BDAT {}\r\n{content}", content.len())).await;
        let reply = session.reply().await;
        (session, reply)
    }

    /// One round of attempts beyond the budgets. Each is refused, or the mail of the filler stored.
    pub(super) async fn attack(&mut self) {
        let (_, reply) = self.half_content(400 * 1024).await;
        reply.expect_enhanced(421, "4.7.0");
        self.connect(IDLER).await.reply().await.expect_enhanced(421, "4.7.0");
        self.guess().await;
        let mut filler = self.session(FILLER).await;
        let reply = filler.mail("a@remote.example", &[&self.inbox.address], content(70_000).as_bytes()).await;
        assert!(matches!(reply.code, 250 | 452), "{reply}");
    }

    async fn guess(&self) {
        let mut guesser = self.session(GUESSER).await;
        guesser.line("MAIL FROM:<a@remote.example>").await.expect(250);
        for at in 0..UNKNOWN_RECIPIENTS {
            let reply = guesser.line(&format!("RCPT TO:<guess{at}@agents.localhost>")).await;
            assert!(matches!(reply.code, 421 | 550), "{reply}");
            if reply.code == 421 {
                break;
            }
        }
    }

    /// Checks that each budget of SMTP refused something.
    pub(super) async fn assert_limits_reached(&self) {
        let metrics = self.server.anonymous().get("/metrics").await.to_string();
        for limit in [
            "limits.smtp_content_bytes_per_client",
            "smtp.max_connections_per_client",
            "limits.unknown_recipients_per_minute",
        ] {
            let row = format!("posthouse_limit_refusals_total{{limit=\"{limit}\"}} ");
            let count = metrics.lines().find_map(|line| line.strip_prefix(&row)).unwrap_or("0");
            assert_ne!(count, "0", "{limit} was not reached");
        }
    }
}
