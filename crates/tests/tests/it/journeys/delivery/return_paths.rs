//! Each recipient of a message has a return path of its own, whichever way the mail leaves.

use std::collections::HashSet;

use posthouse_domain::id::MessageId;
use posthouse_server::config::{DeliveryMode, Relay};
use posthouse_store::{Error, Tx, recipients, workspaces};
use posthouse_tests::smtp_sink::{Received, SmtpSink};

use super::Post;

impl Post {
    /// The return path and the recipient of every message that the sink took.
    fn return_paths(&self) -> Vec<(String, String)> {
        let received = self.sink.received();
        let pair = |mail: &Received| {
            assert_eq!(mail.recipients.len(), 1, "{:?}", mail.recipients);
            (mail.mail.split(['<', '>']).nth(1).unwrap().to_owned(), mail.recipients[0].clone())
        };
        let paths: Vec<(String, String)> = received.iter().map(pair).collect();
        assert!(paths.iter().all(|(path, _)| path.starts_with("bounces+")), "{paths:?}");
        paths
    }

    /// Hands a failure notice in at a return path.
    async fn bounces(&self, path: &str) {
        let notice =
            b"From: MAILER-DAEMON@b.example\r\nSubject: failure notice\r\n\r\nThis is the qmail-send program.\r\n\
            It did not work.\r\n\r\n<somebody@else.example>:\r\n550 5.1.1 No such user\r\n";
        let mut smtp = self.server.smtp().await;
        smtp.mail("", &[path], notice).await.expect(250);
        smtp.quit().await;
    }
}

#[tokio::test]
async fn many_recipients_of_a_domain_share_connections_and_no_return_path() {
    let post = Post::direct().await;
    let to: Vec<String> = (0..30).map(|n| format!("r{n}@b.example")).collect();
    let to: Vec<&str> = to.iter().map(String::as_str).collect();
    let id = post.send(&to).await;
    post.deliver().await;
    let paths = post.return_paths();
    assert_eq!(paths.iter().map(|(_, recipient)| recipient).collect::<HashSet<_>>().len(), 30);
    assert_eq!(paths.iter().map(|(path, _)| path).collect::<HashSet<_>>().len(), 30);
    assert!(post.sink.connections() <= 10, "{}", post.sink.connections());
    let (path, recipient) = &paths[17];
    post.bounces(path).await;
    for other in &to {
        let expected = if other == recipient { "bounced" } else { "delivered" };
        assert_eq!(post.entry(&id, other).await["status"], expected, "{other}");
    }
    post.close().await;
}

#[tokio::test]
async fn a_retry_has_the_return_path_of_the_first_attempt() {
    let post = Post::direct().await;
    post.sink.script("RCPT TO:<eve@", "450 4.2.0 greylisted, come back", 1);
    post.send(&["dana@b.example", "eve@b.example"]).await;
    post.deliver().await;
    post.sink.script("RCPT TO:<eve@", "450 4.2.0 greylisted, come back", 1);
    post.advance(60_000).await;
    post.advance(120_000).await;
    let paths: HashSet<(String, String)> = post.return_paths().into_iter().collect();
    assert_eq!(paths.len(), 2, "who greylists knows us by the return path: {paths:?}");
    post.close().await;
}

#[tokio::test]
async fn a_relay_gets_a_return_path_for_each_recipient() {
    let sink = SmtpSink::start().await;
    let port = sink.address.port();
    let post = Post::with(sink, move |config| {
        config.delivery.mode =
            DeliveryMode::Relay(Relay { host: "127.0.0.1".to_owned(), port, implicit_tls: false, credentials: None });
    })
    .await;
    let id = post.send(&["dana@b.example", "eve@b.example", "zoe@c.example"]).await;
    post.deliver().await;
    let paths = post.return_paths();
    assert_eq!(paths.iter().map(|(path, _)| path).collect::<HashSet<_>>().len(), 3, "{paths:?}");
    let (path, recipient) = &paths[1];
    post.bounces(path).await;
    for other in ["dana@b.example", "eve@b.example", "zoe@c.example"] {
        let expected = if other == recipient { "bounced" } else { "sent" };
        assert_eq!(post.entry(&id, other).await["status"], expected, "{other}");
    }
    post.close().await;
}

/// Older versions put all recipients of a domain into one envelope; what they queued leaves with return paths too.
#[tokio::test]
async fn an_envelope_of_several_recipients_is_split() {
    let post = Post::direct().await;
    let to = ["dana@b.example", "eve@b.example", "zoe@b.example"];
    let id = post.send(&to).await;
    let message: MessageId = id.parse().unwrap();
    let merge = move |tx: &mut Tx| -> Result<(), Error> {
        let workspace = workspaces::first(tx)?.unwrap();
        let entries = recipients::of(tx, workspace, &[message])?;
        let first = entries[0].delivery.envelope.unwrap();
        for entry in &entries[1..] {
            recipients::move_to(tx, workspace, (message, entry.delivery.position), first)?;
            recipients::delete_envelope(tx, workspace, entry.delivery.envelope.unwrap())?;
        }
        Ok(())
    };
    post.server.store().write(merge).await.unwrap();
    post.deliver().await;
    let paths = post.return_paths();
    assert_eq!(paths.iter().map(|(path, _)| path).collect::<HashSet<_>>().len(), 3, "{paths:?}");
    for recipient in to {
        let entry = post.entry(&id, recipient).await;
        assert_eq!((&entry["status"], &entry["attempts"]), (&"delivered".into(), &1.into()), "{entry}");
    }
    post.close().await;
}
