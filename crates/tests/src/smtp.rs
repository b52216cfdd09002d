//! An SMTP client that says exactly what a test wants said, right or wrong, and reads whole replies (RFC 5321).
//!
//! It never corrects what it is given. [`SmtpClient::mail`] is the well-behaved way for tests about something else.

use std::{fmt, io, net::SocketAddr};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use posthouse_store::tls::{Trust, client_config};
use rustls::pki_types::ServerName;
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::TcpStream,
};
use tokio_rustls::TlsConnector;

/// Most bytes of one reply.
const REPLY_BYTES_MAX: usize = 64 * 1024;
/// What the client calls itself.
pub const HELO: &str = "client.example.net";

/// A connection, plain or over TLS.
pub(crate) trait Wire: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Wire for T {}

/// A dialogue.
pub struct SmtpClient {
    wire: Box<dyn Wire>,
    /// Read, but not part of a reply yet.
    ahead: Vec<u8>,
}

/// A whole reply.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SmtpReply {
    /// The three digits.
    pub code: u16,
    /// The text of each line.
    pub lines: Vec<String>,
}

impl SmtpClient {
    /// Connects and reads nothing yet.
    ///
    /// # Panics
    /// Where nobody listens.
    pub async fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).await.unwrap_or_else(|error| panic!("{address}: {error}"));
        stream.set_nodelay(true).expect("a connected socket takes options");
        Self { wire: Box::new(stream), ahead: Vec::new() }
    }

    /// Connects, reads the greeting and says EHLO.
    ///
    /// # Panics
    /// Where the server refuses either.
    pub async fn greeted(address: SocketAddr) -> Self {
        let mut client = Self::connect(address).await;
        client.reply().await.expect(220);
        client.line(&format!("EHLO {HELO}")).await.expect(250);
        client
    }

    /// Sends bytes as they are; whether the other side still takes them.
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
    /// Where the connection ends before it is whole.
    pub async fn reply(&mut self) -> SmtpReply {
        self.reply_or_end().await.expect("the server replies before it ends the connection")
    }

    /// Reads the next reply; none when the connection ends first.
    ///
    /// # Panics
    /// Where what comes is no reply.
    pub async fn reply_or_end(&mut self) -> Option<SmtpReply> {
        loop {
            if let Some((reply, bytes)) = parse(&self.ahead) {
                self.ahead.drain(..bytes);
                return Some(reply);
            }
            assert!(self.ahead.len() < REPLY_BYTES_MAX, "a reply without an end");
            match self.wire.read_buf(&mut self.ahead).await {
                Ok(0) | Err(_) => return None,
                Ok(_) => {}
            }
        }
    }

    /// Asserts that the server says nothing more and ends the connection.
    ///
    /// # Panics
    /// With the reply that comes instead.
    pub async fn expect_end(&mut self) {
        let more = self.reply_or_end().await;
        assert!(more.is_none(), "the connection ends here, but there came {more:?}");
    }

    /// STARTTLS and EHLO again; any certificate is taken.
    ///
    /// # Panics
    /// Where the server refuses.
    pub async fn starttls(mut self) -> Self {
        self.line("STARTTLS").await.expect(220);
        let mut client = self.handshake(&Trust::Anybody).await.expect("a TLS handshake");
        client.line(&format!("EHLO {HELO}")).await.expect(250);
        client
    }

    /// STARTTLS; what comes next on the connection is the handshake.
    ///
    /// # Panics
    /// Where the server refuses.
    pub(crate) async fn before_tls(mut self) -> Box<dyn Wire> {
        self.line("STARTTLS").await.expect(220);
        self.wire
    }

    /// The handshake alone, with `localhost`.
    ///
    /// # Errors
    /// What TLS says.
    ///
    /// # Panics
    /// Where something was said before it, or the trust cannot be had.
    pub async fn handshake(self, trust: &Trust) -> io::Result<Self> {
        assert!(self.ahead.is_empty(), "nothing may be said before the handshake");
        let name = ServerName::try_from("localhost").expect("a valid name");
        let connector = TlsConnector::from(client_config(trust).expect("a trust that can be had"));
        let wire = connector.connect(name, self.wire).await?;
        Ok(Self { wire: Box::new(wire), ahead: self.ahead })
    }

    /// AUTH PLAIN in one line, and the reply to it.
    pub async fn log_in(&mut self, user: &str, password: &str) -> SmtpReply {
        let response = base64_of(&format!("\0{user}\0{password}"));
        self.line(&format!("AUTH PLAIN {response}")).await
    }

    /// MAIL and RCPT, all accepted.
    ///
    /// # Panics
    /// Where one is refused.
    pub async fn envelope(&mut self, from: &str, to: &[&str]) {
        for command in envelope(from, to) {
            self.line(&command).await.expect(250);
        }
    }

    /// DATA with that content, and the reply to its end.
    ///
    /// # Panics
    /// Where DATA is refused.
    pub async fn data(&mut self, content: impl AsRef<[u8]>) -> SmtpReply {
        self.line("DATA").await.expect(354);
        self.send(stuffed(content.as_ref())).await;
        self.reply().await
    }

    /// One transaction: the reply to the end of the data, or to the first command that was refused.
    pub async fn mail(&mut self, from: &str, to: &[&str], raw: &[u8]) -> SmtpReply {
        for command in envelope(from, to).chain(["DATA".to_owned()]) {
            let reply = self.line(&command).await;
            if reply.code >= 400 {
                return reply;
            }
        }
        self.send(stuffed(raw)).await;
        self.reply().await
    }

    /// QUIT, and the end of the connection.
    ///
    /// # Panics
    /// Where the server does not say goodbye.
    pub async fn quit(mut self) {
        self.line("QUIT").await.expect(221);
        self.expect_end().await;
    }
}

impl SmtpReply {
    /// Asserts the code and gives the reply back.
    ///
    /// # Panics
    /// With the whole reply, when the code is another.
    #[track_caller]
    pub fn expect(self, code: u16) -> Self {
        assert_eq!(self.code, code, "{self}");
        self
    }

    /// Asserts code and enhanced code (RFC 3463) and gives the reply back.
    ///
    /// # Panics
    /// With the whole reply, when one is another.
    #[track_caller]
    pub fn says(self, code: u16, enhanced: &str) -> Self {
        let reply = self.expect(code);
        let first = reply.lines[0].split(' ').next();
        assert_eq!(first, Some(enhanced), "{reply}");
        reply
    }

    /// The id of the message that a 250 at the end of the data names.
    ///
    /// # Panics
    /// With the whole reply, when it is no such 250.
    #[must_use]
    #[track_caller]
    pub fn id(&self) -> &str {
        let (what, id) = self.lines[0].rsplit_once(' ').unwrap_or_else(|| panic!("{self}"));
        assert!(self.code == 250 && matches!(what, "2.0.0 Stored as" | "2.0.0 Queued as"), "{self}");
        id
    }

    /// Whether an EHLO reply offers an extension.
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

/// MAIL and one RCPT a recipient.
fn envelope(from: &str, to: &[&str]) -> impl Iterator<Item = String> {
    let recipients = to.iter().map(|recipient| format!("RCPT TO:<{recipient}>"));
    [format!("MAIL FROM:<{from}>")].into_iter().chain(recipients)
}

/// A text in base64, as AUTH wants it.
#[must_use]
pub fn base64_of(text: &str) -> String {
    STANDARD.encode(text)
}

/// A message with the dots of its lines doubled and the end behind it (RFC 5321 §4.5.2).
#[must_use]
pub fn stuffed(raw: &[u8]) -> Vec<u8> {
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

/// The first reply in the bytes and how many bytes it has; none when it is not whole.
fn parse(bytes: &[u8]) -> Option<(SmtpReply, usize)> {
    let (mut lines, mut at) = (Vec::new(), 0);
    loop {
        let end = at + bytes[at..].windows(2).position(|pair| pair == b"\r\n")?;
        let line = String::from_utf8_lossy(&bytes[at..end]).into_owned();
        let code = line.get(..3).and_then(|digits| digits.parse::<u16>().ok());
        let code = code.unwrap_or_else(|| panic!("no line of a reply: {line}"));
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
    fn replies_are_read_when_they_are_whole() {
        assert_eq!(parse(b"250-one\r\n250 two\r"), None);
        let (reply, bytes) = parse(b"250-one\r\n250 two\r\n354 x").unwrap();
        assert_eq!((reply.code, reply.lines, bytes), (250, vec!["one".to_owned(), "two".to_owned()], 18));
    }

    #[test]
    fn dots_are_doubled_and_the_end_is_there() {
        assert_eq!(stuffed(b".a\r\nb."), b"..a\r\nb.\r\n.\r\n");
        assert_eq!(stuffed(b""), b".\r\n");
    }
}
