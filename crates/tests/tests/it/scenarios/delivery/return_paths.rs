//! Each recipient of a message has its own return path, with every delivery mode.

use std::collections::HashSet;

use posthouse_app::settings::{DeliveryMode, Relay};
use posthouse_domain::id::MessageId;
use posthouse_store::{Error, Tx, recipients, workspaces};
use posthouse_tests::smtp_sink::{SinkMessage, SmtpSink};

use super::DeliveryFixture;

impl DeliveryFixture {
    /// Returns the return path and the recipient of every message that the sink accepted.
    fn return_paths(&self) -> Vec<(String, String)> {
        let received = self.sink.received();
        let pair = |mail: &SinkMessage| {
            assert_eq!(mail.recipients.len(), 1, "{:?}", mail.recipients);
            (mail.mail.split(['<', '>']).nth(1).unwrap().to_owned(), mail.recipients[0].clone())
        };
        let paths: Vec<(String, String)> = received.iter().map(pair).collect();
        assert!(paths.iter().all(|(path, _)| path.starts_with("bounces+")), "{paths:?}");
        paths
    }

    /// Delivers a bounce to a return path.
    async fn deliver_bounce(&self, path: &str) {
        let notice =
            b"From: MAILER-DAEMON@b.example\r\nSubject: failure notice\r\n\r\nThis is the qmail-send program.\r\n\
            It did not work.\r\n\r\n<somebody@else.example>:\r\n550 5.1.1 No such user\r\n";
        let mut smtp = self.server.smtp().await;
        smtp.mail("", &[path], notice).await.expect(250);
        smtp.quit().await;
    }
}

#[tokio::test]
async fn recipients_of_a_domain_share_connections_but_not_return_paths() {
    let fixture = DeliveryFixture::direct().await;
    let to: Vec<String> = (0..30).map(|n| format!("r{n}@b.example")).collect();
    let to: Vec<&str> = to.iter().map(String::as_str).collect();
    let id = fixture.send(&to).await;
    fixture.deliver().await;
    let paths = fixture.return_paths();
    assert_eq!(paths.iter().map(|(_, recipient)| recipient).collect::<HashSet<_>>().len(), 30);
    assert_eq!(paths.iter().map(|(path, _)| path).collect::<HashSet<_>>().len(), 30);
    assert!(fixture.sink.connections() <= 10, "{}", fixture.sink.connections());
    let (path, recipient) = &paths[17];
    fixture.deliver_bounce(path).await;
    for other in &to {
        let expected = if other == recipient { "bounced" } else { "delivered" };
        assert_eq!(fixture.entry(&id, other).await["status"], expected, "{other}");
    }
    fixture.close().await;
}

#[tokio::test]
async fn a_retry_keeps_the_return_path_of_the_first_attempt() {
    let fixture = DeliveryFixture::direct().await;
    fixture.sink.script("RCPT TO:<eve@", "450 4.2.0 greylisted, come back", 1);
    fixture.send(&["dana@b.example", "eve@b.example"]).await;
    fixture.deliver().await;
    fixture.sink.script("RCPT TO:<eve@", "450 4.2.0 greylisted, come back", 1);
    fixture.advance(60_000).await;
    fixture.advance(120_000).await;
    let paths: HashSet<(String, String)> = fixture.return_paths().into_iter().collect();
    assert_eq!(paths.len(), 2, "greylisting recognizes the return path: {paths:?}");
    fixture.close().await;
}

#[tokio::test]
async fn a_relay_gets_a_return_path_for_each_recipient() {
    let sink = SmtpSink::start().await;
    let port = sink.address.port();
    let fixture = DeliveryFixture::with(sink, move |config| {
        config.delivery.mode =
            DeliveryMode::Relay(Relay { host: "127.0.0.1".to_owned(), port, implicit_tls: false, credentials: None });
    })
    .await;
    let id = fixture.send(&["dana@b.example", "eve@b.example", "zoe@c.example"]).await;
    fixture.deliver().await;
    let paths = fixture.return_paths();
    assert_eq!(paths.iter().map(|(path, _)| path).collect::<HashSet<_>>().len(), 3, "{paths:?}");
    let (path, recipient) = &paths[1];
    fixture.deliver_bounce(path).await;
    for other in ["dana@b.example", "eve@b.example", "zoe@c.example"] {
        let expected = if other == recipient { "bounced" } else { "sent" };
        assert_eq!(fixture.entry(&id, other).await["status"], expected, "{other}");
    }
    fixture.close().await;
}

/// Older versions put all recipients of a domain into one envelope. Such queued messages get separate return paths too.
#[tokio::test]
async fn an_envelope_with_several_recipients_is_split() {
    let fixture = DeliveryFixture::direct().await;
    let to = ["dana@b.example", "eve@b.example", "zoe@b.example"];
    let id = fixture.send(&to).await;
    let message: MessageId = id.parse().unwrap();
    let merge = move |tx: &mut Tx| -> Result<(), Error> {
        let workspace = workspaces::first(tx)?.unwrap();
        let entries = recipients::of(tx, workspace, &[message])?;
        let first = entries[0].delivery.envelope.unwrap();
        for entry in &entries[1..] {
            recipients::move_to(tx, workspace, message, entry.delivery.position, first)?;
            recipients::delete_envelope(tx, workspace, entry.delivery.envelope.unwrap())?;
        }
        Ok(())
    };
    fixture.server.store().write(merge).await.unwrap();
    fixture.deliver().await;
    let paths = fixture.return_paths();
    assert_eq!(paths.iter().map(|(path, _)| path).collect::<HashSet<_>>().len(), 3, "{paths:?}");
    for recipient in to {
        let entry = fixture.entry(&id, recipient).await;
        assert_eq!((&entry["status"], &entry["attempts"]), (&"delivered".into(), &1.into()), "{entry}");
    }
    fixture.close().await;
}
