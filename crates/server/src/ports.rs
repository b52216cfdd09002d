//! What the use-cases need from the outside world, as traits; `adapters/` implements them, tests bring fakes.

use std::{
    future::Future,
    net::{IpAddr, SocketAddr},
    path::PathBuf,
    pin::Pin,
    sync::Arc,
};

use bytes::Bytes;
use posthouse_domain::{id::Ids, message::TlsUse, time::Time};
use posthouse_mail::{
    auth::{Answer, Question},
    smtp::client::{Config as SessionConfig, ConnectionFailure, Message, RecipientOutcome},
};

use crate::config::SecretText;

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

    /// Whether the name servers answer anything at all now, asked anew: it tells an outage on this side from a name whose own
    /// servers fail.
    fn is_served(&self) -> Pending<'_, bool>;

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

/// An account to be made with a certificate authority (RFC 8555 §7.3). Making one agrees to the authority's terms.
#[derive(Clone, Debug)]
pub struct Registration {
    /// The URL of the authority's directory.
    pub directory: String,
    /// Whose certificate the directory may have; none: the machine's authorities.
    pub root: Option<PathBuf>,
    /// Where the authority writes to.
    pub email: Option<String>,
    /// The key by which the authority knows its customer already: its name and its bytes.
    pub external: Option<(String, Vec<u8>)>,
}

/// A certificate to be got.
#[derive(Clone)]
pub struct CertificateOrder {
    /// Whose certificate the directory may have; none: the machine's authorities.
    pub root: Option<PathBuf>,
    /// The account, as [`Authority::register`] gave it.
    pub credentials: SecretText,
    /// The names it is for.
    pub names: Vec<String>,
    /// The signing request for those names (RFC 2986), in DER.
    pub csr: Vec<u8>,
    /// Makes the answer to a challenge visible; it is called before the authority looks.
    pub publish: Publish,
}

/// What the authority will look for at `/.well-known/acme-challenge/TOKEN` (RFC 8555 §8.3).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Challenge {
    /// The last segment of the path.
    pub token: String,
    /// The body.
    pub answer: String,
}

/// Stores an answer; says why it could not.
pub type Publish = Arc<dyn Fn(Challenge) -> Pending<'static, Result<(), String>> + Send + Sync>;

/// Why there is no certificate or account.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Declined {
    /// Whose fault it is.
    pub why: DeclinedWhy,
    /// In words, the authority's where it said something.
    pub what: String,
    /// How long the authority wants not to be asked, in seconds, where it said so.
    pub retry_after_s: Option<i64>,
}

/// Whose fault it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DeclinedWhy {
    /// The authority said no: a name does not lead here, or something in the order is wrong.
    Refused,
    /// The authority was asked too often.
    RateLimited,
    /// The authority does not know the account any more.
    UnknownAccount,
    /// The authority could not be reached, or is out of order.
    Unreachable,
}

/// A certificate authority that speaks ACME (RFC 8555).
pub trait Authority: Send + Sync + 'static {
    /// Makes an account; what is given back is its secret.
    ///
    /// # Errors
    /// Why not.
    fn register(&self, new: Registration) -> Pending<'_, Result<String, Declined>>;

    /// Gets a certificate: the chain in PEM. One round, whatever comes of it.
    ///
    /// # Errors
    /// Why not.
    fn order(&self, wanted: CertificateOrder) -> Pending<'_, Result<String, Declined>>;
}
