//! Five addresses with 200 silent connections each held all connections of the mail exchanger for five minutes at a time, so
//! that no other server could deliver. Now a client without connections gets the place of the connection that was silent
//! the longest, of the client with the most, and the first command is due in 30 seconds (RFC 5321 §4.5.3.2.7).

use posthouse_app::ports::Clock as _;
use posthouse_domain::{plan::Plan, time::DAY_MS};
use posthouse_tests::{ServerOptions, TestServer, fixtures::TestInbox, smtp::TestSmtpClient};

const HOLDERS: u8 = 5;
const EACH: usize = 4;

/// Where a silent client stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Silence {
    AfterGreeting,
    WithinCommand,
    AfterEhlo,
    AfterStartTls,
    AfterMail,
    AfterRecipient,
    WithinData,
    WithinChunk,
}

impl Silence {
    const ALL: [Self; 8] = [
        Self::AfterGreeting,
        Self::WithinCommand,
        Self::AfterEhlo,
        Self::AfterStartTls,
        Self::AfterMail,
        Self::AfterRecipient,
        Self::WithinData,
        Self::WithinChunk,
    ];

    /// Returns how long the server waits, in milliseconds.
    fn limit_ms(self) -> i64 {
        match self {
            Self::AfterGreeting | Self::WithinCommand => 30_000,
            Self::WithinData | Self::WithinChunk => 60_000,
            _ => 300_000,
        }
    }

    /// Opens a connection from an address, up to this point.
    async fn open(self, server: &TestServer, source: [u8; 4], inbox: &TestInbox) -> TestSmtpClient {
        let mut smtp = TestSmtpClient::connect_from(source, server.smtp_address()).await;
        smtp.reply().await.expect(220);
        match self {
            Self::AfterGreeting => return smtp,
            Self::WithinCommand => {
                smtp.send("EHLO cl").await;
                return smtp;
            }
            _ => smtp.line("EHLO client.example").await.expect(250),
        };
        match self {
            Self::AfterStartTls => return smtp.starttls().await,
            Self::AfterMail => drop(smtp.line("MAIL FROM:<a@b.example>").await.expect(250)),
            Self::AfterRecipient | Self::WithinData | Self::WithinChunk => {
                smtp.envelope("a@b.example", &[&inbox.address]).await;
            }
            _ => {}
        }
        match self {
            Self::WithinData => {
                smtp.line("DATA").await.expect(354);
                smtp.send("From: a@b.example\r\n\r\nhalf").await;
            }
            Self::WithinChunk => drop(smtp.send("BDAT 100\r\nFrom: a@b.example\r\n").await),
            _ => {}
        }
        smtp
    }
}

async fn start() -> (TestServer, TestInbox) {
    let options = ServerOptions::default().configure(|config| {
        config.smtp.connections_max = usize::from(HOLDERS) * EACH;
        config.smtp.connections_per_client_max = EACH;
    });
    let server = TestServer::start(options).await;
    let key = server.workspace(Plan::Team).await;
    let inbox = server.inbox_named(&key, "sam").await;
    (server, inbox)
}

async fn deliver(server: &TestServer, source: [u8; 4], inbox: &TestInbox) {
    let mut smtp = Silence::AfterEhlo.open(server, source, inbox).await;
    smtp.mail("a@b.example", &[&inbox.address], b"From: a@b.example\r\nSubject: x\r\n\r\ny\r\n").await.expect(250);
    smtp.quit().await;
}

#[tokio::test]
async fn silent_connections_of_a_few_addresses_keep_nobody_out() {
    let (server, inbox) = start().await;
    let mut held = Vec::new();
    for (at, silence) in Silence::ALL.into_iter().cycle().take(usize::from(HOLDERS) * EACH).enumerate() {
        let holder = u8::try_from(at / EACH).unwrap() + 11;
        held.push(silence.open(&server, [127, 0, 0, holder], &inbox).await);
        server.clock.advance(1);
    }
    for source in 1..=3 {
        deliver(&server, [127, 0, 1, source], &inbox).await;
    }
    // Each took the place of the oldest connection of a holder, or found the one before free again.
    let mut dropped = 0;
    for (at, mut smtp) in held.into_iter().enumerate() {
        if at % EACH != 0 {
            continue;
        }
        let probe = smtp.send("\r\n").await;
        if let (true, Some(reply)) = (probe, smtp.reply_or_end().await)
            && reply.code == 421
        {
            assert!(reply.lines[0].contains("smtp.max_connections is 20"), "{reply}");
            dropped += 1;
        }
    }
    assert!((1..=3).contains(&dropped), "{dropped}");
    server.finish().await;
}

/// A holder can't push out others in turn: at equal numbers, a new connection is refused.
#[tokio::test]
async fn holders_do_not_drop_each_other_in_turns() {
    let (server, inbox) = start().await;
    let mut held = Vec::new();
    for at in 0..usize::from(HOLDERS) * EACH {
        let source = [127, 0, 0, u8::try_from(at).unwrap() + 11];
        held.push(Silence::AfterEhlo.open(&server, source, &inbox).await);
    }
    let mut late = TestSmtpClient::connect_from([127, 0, 1, 1], server.smtp_address()).await;
    late.reply().await.expect_enhanced(421, "4.3.2");
    for smtp in &mut held {
        smtp.line("NOOP").await.expect(250);
    }
    server.finish().await;
}

#[tokio::test]
async fn a_silent_client_is_disconnected_by_what_is_awaited() {
    for silence in Silence::ALL {
        let (server, inbox) = start().await;
        let mut smtp = silence.open(&server, [127, 0, 0, 1], &inbox).await;
        let began = server.clock.now();
        // Jobs may move the clock ahead before the server waits, which begins its time again.
        server.clock.advance_until(DAY_MS, smtp.reply()).await.expect(421);
        // The client may read the reply only when the clock has reached further deadlines, of jobs. The exact times are
        // tested in the listener's crate.
        let waited = server.clock.now().since_ms(began);
        assert!(waited >= silence.limit_ms(), "{silence:?}: {waited}");
        let is_greeted = !matches!(silence, Silence::AfterGreeting | Silence::WithinCommand);
        assert!(is_greeted || waited < 300_000, "{silence:?}: {waited}");
        server.finish().await;
    }
}
