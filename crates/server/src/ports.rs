//! What the use-cases need from the outside world, as traits; `adapters/` implements them, tests bring fakes.

use std::{
    future::Future,
    net::{IpAddr, SocketAddr},
    pin::Pin,
};

use bytes::Bytes;
use posthouse_domain::{id::Ids, message::TlsUse, time::Time};
use posthouse_mail::{
    auth::{Answer, Question},
    smtp::client::{Config as SessionConfig, ConnectionFailure, Message, RecipientOutcome},
};

/// A future of a port.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Time and randomness.
pub trait Clock: Send + Sync + 'static {
    /// The time.
    fn now(&self) -> Time;

    /// Comes back at that time, or at once when it is past.
    fn sleep_until(&self, time: Time) -> Pending<'static, ()>;

    /// Fills the buffer with random bytes fit for secrets.
    fn random(&self, buffer: &mut [u8]);

    /// A source of ids of now.
    fn ids(&self) -> Ids {
        let mut seed = [0; 8];
        self.random(&mut seed);
        Ids::new(self.now(), seed)
    }
}

/// Looks names up.
pub trait Dns: Send + Sync + 'static {
    /// Asks one question; time-outs and broken servers are an answer too ([`Answer::Failed`]).
    fn lookup(&self, question: Question) -> Pending<'_, Answer>;

    /// Forgets what is cached: the next answers are those of now. For somebody who has just changed a record and asks
    /// whether it can be seen.
    fn forget(&self) {}
}

/// A server that mail is handed to.
#[derive(Clone, Debug)]
pub struct Peer {
    /// Its name: for TLS, and for people.
    pub host: String,
    /// Where it listens.
    pub address: SocketAddr,
    /// How to speak to it.
    pub session: SessionConfig,
    /// Whether its certificate must be valid for `host`. Mail exchangers found by DNS prove nothing by theirs (RFC 7435).
    pub verify: bool,
    /// Our address to connect from; none: the one that the system picks.
    pub source: Option<IpAddr>,
    /// Most connections to its address at once.
    pub connections_max: u32,
    /// Most messages over one connection.
    pub messages_max: u32,
}

/// What a server said to a message.
#[derive(Clone, Debug)]
pub struct Answered {
    /// One outcome per recipient, in their order.
    pub outcomes: Vec<RecipientOutcome>,
    /// How the connection was encrypted, if it was.
    pub tls: Option<TlsUse>,
}

/// Hands mail to other servers.
pub trait SmtpOut: Send + Sync + 'static {
    /// Offers one message to one server, over a connection that is there or a new one; waits for its turn where as many
    /// connections as allowed are busy. A failure says that the server was not spoken to about this message.
    fn offer(&self, peer: Peer, message: Message) -> Pending<'_, Result<Answered, ConnectionFailure>>;
}

/// A request to be made over HTTP.
#[derive(Clone, Debug)]
pub struct Posting {
    /// Whether over TLS, with a certificate that is valid for `host`.
    pub https: bool,
    /// The server's name, or its address where it has none.
    pub host: String,
    /// Where to connect, and nowhere else: judged already, tried in their order.
    pub addresses: Vec<SocketAddr>,
    /// Path and query.
    pub path: String,
    /// The header fields, `Host` among them; only the length is added.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Bytes,
    /// Bytes of the answer's body that are wanted.
    pub answer_bytes_max: usize,
}

/// What a server answered over HTTP.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HttpAnswer {
    /// The status.
    pub status: u16,
    /// The beginning of the body.
    pub body: Vec<u8>,
}

/// Makes requests over HTTP: one each, whatever is answered. Never follows a redirect, and knows no proxy.
pub trait HttpOut: Send + Sync + 'static {
    /// POSTs. The caller bounds the time by dropping the future.
    ///
    /// # Errors
    /// Why there was no answer, in words for the owner of the address.
    fn post(&self, posting: Posting) -> Pending<'_, Result<HttpAnswer, String>>;
}
