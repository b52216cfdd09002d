//! An SMTP client that says exactly what a test tells it to, byte for byte, and shows what came back.

use std::net::SocketAddr;

use posthouse_domain::inbox::Inbox;
use posthouse_store::{
    Error, blobs,
    contents::{self, RawPlace},
    inboxes, p, statements,
};
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader},
    net::TcpStream,
};
use tokio_rustls::{
    TlsConnector,
    rustls::{
        self,
        pki_types::{CertificateDer, ServerName, pem::PemObject},
    },
};

use crate::{
    fixtures::{TestInbox, TestKey},
    server::TestServer,
};

statements! {
    CONTENTS = "SELECT content_id FROM messages WHERE workspace_id = $1 AND inbox_id = $2 ORDER BY created_at";
}

trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// A dialogue with a server.
pub struct Dialogue {
    stream: BufReader<Box<dyn Stream>>,
}

impl Dialogue {
    /// Connects and says nothing.
    ///
    /// # Panics
    /// Where nobody listens.
    pub async fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).await.unwrap_or_else(|error| panic!("{address}: {error}"));
        Self { stream: BufReader::new(Box::new(stream)) }
    }

    /// Connects, hears the greeting and says EHLO.
    pub async fn open(address: SocketAddr) -> Self {
        let mut dialogue = Self::connect(address).await;
        assert_eq!(dialogue.reply().await, "220 localhost ESMTP");
        assert!(dialogue.say("EHLO client.example").await.starts_with("250-localhost\n"));
        dialogue
    }

    /// Sends these bytes.
    ///
    /// # Panics
    /// Where the connection is gone.
    pub async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.stream.write_all(bytes.as_ref()).await.expect("the connection takes bytes");
        self.stream.flush().await.expect("the connection takes bytes");
    }

    /// The next reply, its lines joined with `\n`; empty at the end of the connection.
    pub async fn reply(&mut self) -> String {
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            // A reset connection has ended, too.
            if self.stream.read_line(&mut line).await.unwrap_or(0) == 0 {
                return lines.join("\n");
            }
            let line = line.strip_suffix("\r\n").expect("a reply's line ends with CRLF").to_owned();
            let goes_on = line.as_bytes().get(3) == Some(&b'-');
            lines.push(line);
            if !goes_on {
                return lines.join("\n");
            }
        }
    }

    /// Sends a command and gives its reply.
    pub async fn say(&mut self, command: &str) -> String {
        self.send(format!("{command}\r\n")).await;
        self.reply().await
    }

    /// Sends a command whose reply must begin like this.
    ///
    /// # Panics
    /// Where it does not.
    pub async fn expect(&mut self, command: &str, beginning: &str) -> String {
        let reply = self.say(command).await;
        assert!(reply.starts_with(beginning), "to {command:?} came {reply:?}, not {beginning:?}");
        reply
    }

    /// MAIL and RCPT, both accepted.
    pub async fn envelope(&mut self, from: &str, to: &[&str]) {
        self.expect(&format!("MAIL FROM:<{from}>"), "250 2.1.0 ").await;
        for to in to {
            self.expect(&format!("RCPT TO:<{to}>"), "250 2.1.5 ").await;
        }
    }

    /// DATA with that content, dots doubled as they must be, and the reply to it.
    pub async fn data(&mut self, content: &str) -> String {
        self.expect("DATA", "354 ").await;
        let stuffed = content.replace("\r\n.", "\r\n..");
        let stuffed = if stuffed.starts_with('.') { format!(".{stuffed}") } else { stuffed };
        self.send(format!("{stuffed}.\r\n")).await;
        self.reply().await
    }

    /// STARTTLS and EHLO again.
    pub async fn start_tls(mut self, server: &TestServer) -> Self {
        self.expect("STARTTLS", "220 ").await;
        let mut dialogue = self.encrypt(server).await;
        dialogue.expect("EHLO client.example", "250-localhost\n").await;
        dialogue
    }

    /// Shakes hands for TLS, believing the server's own certificate.
    ///
    /// # Panics
    /// Where the handshake fails.
    pub async fn encrypt(self, server: &TestServer) -> Self {
        let file = server.data_dir().join("tls/smtp.crt");
        let mut roots = rustls::RootCertStore::empty();
        roots.add(CertificateDer::from_pem_file(file).expect("a certificate")).expect("a usable certificate");
        let provider = std::sync::Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let config = rustls::ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("the provider knows TLS 1.2 and 1.3")
            .with_root_certificates(roots)
            .with_no_client_auth();
        let name = ServerName::try_from("localhost").expect("a host name");
        assert!(self.stream.buffer().is_empty(), "nothing may be said between 220 and the handshake");
        let connector = TlsConnector::from(std::sync::Arc::new(config));
        let stream = connector.connect(name, self.stream.into_inner()).await.expect("the handshake succeeds");
        Self { stream: BufReader::new(Box::new(stream)) }
    }
}

impl TestServer {
    /// A dialogue that has said EHLO.
    pub async fn dialogue(&self) -> Dialogue {
        Dialogue::open(self.smtp_address()).await
    }

    /// Puts an inbox at the default domain into the store, without the API.
    pub async fn stored_inbox(&self, key: &TestKey, username: &str) -> TestInbox {
        let (now, domain) = (self.app().clock.now(), self.config().mail.default_domain.clone());
        let inbox = Inbox {
            workspace: key.workspace,
            id: self.app().clock.ids().next(),
            address: format!("{username}@{domain}"),
            username: username.to_owned(),
            domain,
            display_name: None,
            client_id: None,
            metadata_json: "{}".to_owned(),
            temporary: false,
            expires_at: None,
            paused_at: None,
            paused_reason: None,
            promotions_filter: None,
            last_message_at: now,
            created_at: now,
            deleted_at: None,
        };
        let stored = inbox.clone();
        let inserted = self.store().write(move |tx| inboxes::insert(tx, &stored)).await.expect("the store works");
        assert!(inserted, "{} is taken", inbox.address);
        TestInbox { id: inbox.id, address: inbox.address }
    }

    /// Our own trace lines of the message that a 250 named.
    ///
    /// # Panics
    /// Where the reply is no such 250.
    pub async fn trace_of(&self, key: &TestKey, reply: &str) -> String {
        let id = reply.strip_prefix("250 2.0.0 Stored as ").unwrap_or_else(|| panic!("{reply}"));
        let (workspace, id) = (key.workspace, id.parse().expect("the id of a message"));
        let found = self.store().read(move |tx| posthouse_store::messages::get(tx, workspace, id)).await;
        found.expect("the store works").expect("the message is stored").trace
    }

    /// The raw bytes of every message of an inbox as they were received, oldest first.
    pub async fn raw_mails(&self, key: &TestKey, inbox: &TestInbox) -> Vec<Vec<u8>> {
        let (workspace, inbox) = (key.workspace, inbox.id);
        let found = self.store().read(move |tx| {
            let ids: Vec<(posthouse_domain::id::ContentId,)> = tx.rows(&CONTENTS, p![workspace, inbox])?;
            ids.into_iter().map(|(id,)| contents::raw(tx, workspace, id)).collect::<Result<Vec<_>, Error>>()
        });
        let found = found.await.expect("the store works");
        let mut mails = Vec::new();
        for raw in found {
            let raw = raw.expect("a message has its content");
            let compressed = match raw.place {
                RawPlace::Inline(bytes) => bytes,
                RawPlace::Blob(digest) => {
                    let digest = digest.parse().expect("a digest");
                    self.app()
                        .blobs
                        .get(&digest)
                        .await
                        .expect("the blob store works")
                        .expect("a named blob exists")
                        .to_vec()
                }
            };
            let limit = usize::try_from(raw.bytes).expect("a mail fits the memory");
            mails.push(blobs::decompress(&compressed, limit).expect("what was compressed"));
        }
        mails
    }
}
