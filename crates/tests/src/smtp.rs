//! An SMTP client that sends exactly what a test specifies, valid or not, and reads complete replies (RFC 5321).
//!
//! It never corrects its input. [`TestSmtpClient::mail`] runs a regular transaction, for tests about something else.

use std::{fmt, io, net::SocketAddr};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use posthouse_store::tls::{CertificateTrust, client_config};
use rustls::pki_types::ServerName;
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::{TcpSocket, TcpStream},
};
use tokio_rustls::TlsConnector;

/// Maximum size of one reply.
const REPLY_BYTES_MAX: usize = 64 * 1024;
/// The client's name in EHLO.
pub const HELO: &str = "client.example.net";

/// A connection, plain or over TLS.
pub(crate) trait SmtpStream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> SmtpStream for T {}

/// An SMTP connection.
pub struct TestSmtpClient {
    wire: Box<dyn SmtpStream>,
    /// Bytes that were read but are not part of a reply yet.
    buffered: Vec<u8>,
}

/// A complete reply.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SmtpReply {
    /// The reply code.
    pub code: u16,
    /// The text of each line.
    pub lines: Vec<String>,
}

impl TestSmtpClient {
    /// Connects without reading the greeting.
    ///
    /// # Panics
    /// Panics if nothing listens.
    pub async fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).await.unwrap_or_else(|error| panic!("{address}: {error}"));
        stream.set_nodelay(true).expect("a connected socket accepts options");
        Self { wire: Box::new(stream), buffered: Vec::new() }
    }

    /// Connects from another address of this machine, without reading the greeting.
    ///
    /// # Panics
    /// Panics if nothing listens.
    pub async fn connect_from(source: [u8; 4], address: SocketAddr) -> Self {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.bind((source, 0).into()).expect("a loopback address");
        let stream = socket.connect(address).await.unwrap_or_else(|error| panic!("{address}: {error}"));
        Self { wire: Box::new(stream), buffered: Vec::new() }
    }

    /// Connects, reads the greeting and sends EHLO.
    ///
    /// # Panics
    /// Panics if the server refuses either.
    pub async fn connect_with_ehlo(address: SocketAddr) -> Self {
        let mut client = Self::connect(address).await;
        client.reply().await.expect(220);
        client.line(&format!("EHLO {HELO}")).await.expect(250);
        client
    }

    /// Sends bytes unchanged. Returns whether the other side still accepts them.
    pub async fn send(&mut self, bytes: impl AsRef<[u8]>) -> bool {
        self.wire.write_all(bytes.as_ref()).await.is_ok() && self.wire.flush().await.is_ok()
    }

    /// Sends a line with CRLF and reads the reply.
    pub async fn line(&mut self, line: &str) -> SmtpReply {
        self.send(format!("{line}\r\n")).await;
        self.reply().await
    }

    /// Reads the next reply.
    ///
    /// # Panics
    /// Panics if the connection ends before the reply is complete.
    pub async fn reply(&mut self) -> SmtpReply {
        self.reply_or_end().await.expect("the server replies before it ends the connection")
    }

    /// Reads the next reply. Returns `None` if the connection ends first.
    ///
    /// # Panics
    /// Panics if the bytes are not a reply.
    pub async fn reply_or_end(&mut self) -> Option<SmtpReply> {
        loop {
            if let Some((reply, bytes)) = parse(&self.buffered) {
                self.buffered.drain(..bytes);
                return Some(reply);
            }
            assert!(self.buffered.len() < REPLY_BYTES_MAX, "a reply without an end");
            match self.wire.read_buf(&mut self.buffered).await {
                Ok(0) | Err(_) => return None,
                Ok(_) => {}
            }
        }
    }

    /// Asserts that the server sends nothing more and closes the connection.
    ///
    /// # Panics
    /// Panics with the reply that arrives instead.
    pub async fn expect_end(&mut self) {
        let more = self.reply_or_end().await;
        assert!(more.is_none(), "expected the end of the connection, got {more:?}");
    }

    /// Sends STARTTLS, then EHLO again. Any certificate is accepted.
    ///
    /// # Panics
    /// Panics if the server refuses.
    pub async fn starttls(mut self) -> Self {
        self.line("STARTTLS").await.expect(220);
        let mut client = self.handshake(&CertificateTrust::AnyCertificate).await.expect("a TLS handshake");
        client.line(&format!("EHLO {HELO}")).await.expect(250);
        client
    }

    /// Sends STARTTLS and returns the connection right before the handshake.
    ///
    /// # Panics
    /// Panics if the server refuses.
    pub(crate) async fn start_tls(mut self) -> Box<dyn SmtpStream> {
        self.line("STARTTLS").await.expect(220);
        self.wire
    }

    /// Performs only the TLS handshake, for the name `localhost`.
    ///
    /// # Errors
    /// Returns the error of the TLS handshake.
    ///
    /// # Panics
    /// Panics if bytes arrived before the handshake, or if the trust settings are invalid.
    pub async fn handshake(self, trust: &CertificateTrust) -> io::Result<Self> {
        assert!(self.buffered.is_empty(), "no bytes may arrive before the handshake");
        let name = ServerName::try_from("localhost").expect("a valid name");
        let connector = TlsConnector::from(client_config(trust).expect("valid trust settings"));
        let wire = connector.connect(name, self.wire).await?;
        Ok(Self { wire: Box::new(wire), buffered: self.buffered })
    }

    /// Sends AUTH PLAIN with an initial response and returns the reply.
    pub async fn log_in(&mut self, user: &str, password: &str) -> SmtpReply {
        let response = base64_of(&format!("\0{user}\0{password}"));
        self.line(&format!("AUTH PLAIN {response}")).await
    }

    /// Sends MAIL and RCPT, which must be accepted.
    ///
    /// # Panics
    /// Panics if the server refuses a command.
    pub async fn envelope(&mut self, from: &str, to: &[&str]) {
        for command in envelope_commands(from, to) {
            self.line(&command).await.expect(250);
        }
    }

    /// Sends DATA with this content and returns the reply to its end.
    ///
    /// # Panics
    /// Panics if the server refuses DATA.
    pub async fn data(&mut self, content: impl AsRef<[u8]>) -> SmtpReply {
        self.line("DATA").await.expect(354);
        self.send(dot_stuffed(content.as_ref())).await;
        self.reply().await
    }

    /// Runs one transaction. Returns the reply to the end of the data, or to the first refused command.
    pub async fn mail(&mut self, from: &str, to: &[&str], raw: &[u8]) -> SmtpReply {
        for command in envelope_commands(from, to).chain(["DATA".to_owned()]) {
            let reply = self.line(&command).await;
            if reply.code >= 400 {
                return reply;
            }
        }
        self.send(dot_stuffed(raw)).await;
        self.reply().await
    }

    /// Sends QUIT and waits for the end of the connection.
    ///
    /// # Panics
    /// Panics if the server does not reply with 221.
    pub async fn quit(mut self) {
        self.line("QUIT").await.expect(221);
        self.expect_end().await;
    }
}

impl SmtpReply {
    /// Asserts the reply code and returns the reply.
    ///
    /// # Panics
    /// Panics with the whole reply if the code differs.
    #[track_caller]
    pub fn expect(self, code: u16) -> Self {
        assert_eq!(self.code, code, "{self}");
        self
    }

    /// Asserts the reply code and the enhanced code (RFC 3463) and returns the reply.
    ///
    /// # Panics
    /// Panics with the whole reply if either differs.
    #[track_caller]
    pub fn expect_enhanced(self, code: u16, enhanced: &str) -> Self {
        let reply = self.expect(code);
        let first = reply.lines[0].split(' ').next();
        assert_eq!(first, Some(enhanced), "{reply}");
        reply
    }

    /// Returns the message id in the 250 reply to the end of the data.
    ///
    /// # Panics
    /// Panics with the whole reply if it is not such a reply.
    #[must_use]
    #[track_caller]
    pub fn id(&self) -> &str {
        let (what, id) = self.lines[0].rsplit_once(' ').unwrap_or_else(|| panic!("{self}"));
        assert!(self.code == 250 && matches!(what, "2.0.0 Stored as" | "2.0.0 Queued as"), "{self}");
        id
    }

    /// Returns whether an EHLO reply offers an extension.
    #[must_use]
    pub fn offers(&self, keyword: &str) -> bool {
        self.lines.iter().skip(1).any(|line| line.split(' ').next() == Some(keyword))
    }
}

impl fmt::Display for SmtpReply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lines.iter().try_for_each(|line| writeln!(f, "{} {line}", self.code))
    }
}

/// Returns the MAIL command and one RCPT command per recipient.
fn envelope_commands(from: &str, to: &[&str]) -> impl Iterator<Item = String> {
    let recipients = to.iter().map(|recipient| format!("RCPT TO:<{recipient}>"));
    [format!("MAIL FROM:<{from}>")].into_iter().chain(recipients)
}

/// Encodes a text in base64, as AUTH requires.
#[must_use]
pub fn base64_of(text: &str) -> String {
    STANDARD.encode(text)
}

/// Returns the message with dot-stuffed lines and the final dot (RFC 5321 §4.5.2).
#[must_use]
pub fn dot_stuffed(raw: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(raw.len() + 64);
    for line in raw.split_inclusive(|byte| *byte == b'\n') {
        if line.starts_with(b".") {
            out.push(b'.');
        }
        out.extend_from_slice(line);
    }
    if !out.is_empty() && !out.ends_with(b"\r\n") {
        out.extend_from_slice(b"\r\n");
    }
    out.extend_from_slice(b".\r\n");
    out
}

/// Parses the first reply in the bytes and returns it with its length. Returns `None` if it is incomplete.
fn parse(bytes: &[u8]) -> Option<(SmtpReply, usize)> {
    let (mut lines, mut at) = (Vec::new(), 0);
    loop {
        let end = at + bytes[at..].windows(2).position(|pair| pair == b"\r\n")?;
        let line = String::from_utf8_lossy(&bytes[at..end]).into_owned();
        let code = line.get(..3).and_then(|digits| digits.parse::<u16>().ok());
        let code = code.unwrap_or_else(|| panic!("not a reply line: {line}"));
        lines.push(line.get(4..).unwrap_or_default().to_owned());
        at = end + 2;
        if line.as_bytes().get(3) != Some(&b'-') {
            return Some((SmtpReply { code, lines }, at));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_complete_replies_are_parsed() {
        assert_eq!(parse(b"250-one\r\n250 two\r"), None);
        let (reply, bytes) = parse(b"250-one\r\n250 two\r\n354 x").unwrap();
        assert_eq!((reply.code, reply.lines, bytes), (250, vec!["one".to_owned(), "two".to_owned()], 18));
    }

    #[test]
    fn leading_dots_are_doubled_and_the_final_dot_is_added() {
        assert_eq!(dot_stuffed(b".a\r\nb."), b"..a\r\nb.\r\n.\r\n");
        assert_eq!(dot_stuffed(b""), b".\r\n");
    }
}
