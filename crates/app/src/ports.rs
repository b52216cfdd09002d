//! The ports: traits for external systems. The server crate has the adapters, tests have fakes.

mod file_reader;
mod host_addresses;
mod outbound_http;

use std::{future::Future, net::IpAddr, net::SocketAddr, path::PathBuf, pin::Pin, sync::Arc};

use posthouse_domain::{IdGenerator, Time, TlsParameters};
use posthouse_mail::auth::{DnsAnswer, DnsQuestion};
use posthouse_mail::smtp::client::{
    ClientConfig as SessionConfig, ConnectionFailure, OutboundMessage, RecipientOutcome,
};

use crate::settings::SecretText;

pub use self::{
    file_reader::{FileReader, FileToRead},
    host_addresses::{HostAddresses, host_addresses},
    outbound_http::{
        HttpHeader, HttpLimits, HttpMethod, HttpRequest, HttpResponse, NetworkScope, OutboundHttp, OutboundHttpError,
    },
};

/// A boxed future of a port.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Time and randomness.
pub trait Clock: Send + Sync + 'static {
    /// Returns the current time.
    fn now(&self) -> Time;

    /// Returns the microseconds of a clock that only moves forward, to measure how long work takes.
    fn elapsed_us(&self) -> i64 {
        self.now().millis().saturating_mul(1_000)
    }

    /// Completes at that time, or at once if it is past.
    fn sleep_until(&self, time: Time) -> BoxFuture<'static, ()>;

    /// Fills the buffer with random bytes fit for secrets.
    fn random(&self, buffer: &mut [u8]);

    /// Returns an id generator for the current time.
    fn ids(&self) -> IdGenerator {
        let mut seed = [0; 8];
        self.random(&mut seed);
        IdGenerator::new(self.now(), seed)
    }
}

/// A DNS resolver.
pub trait Dns: Send + Sync + 'static {
    /// Answers one question. Timeouts and server failures are [`DnsAnswer::Failed`].
    fn lookup(&self, question: DnsQuestion) -> BoxFuture<'_, DnsAnswer>;

    /// Returns whether the nameservers answer at all, with a fresh query. Distinguishes a local outage from a domain
    /// whose servers fail.
    fn is_served(&self) -> BoxFuture<'_, bool>;

    /// Clears the cache, so that a check sees a record that was just changed.
    fn clear_cache(&self) {}
}

/// A server to deliver mail to.
#[derive(Clone, Debug)]
pub struct Peer {
    /// Its host name, for TLS and messages.
    pub host: String,
    /// Its address and port.
    pub address: SocketAddr,
    /// The session settings.
    pub session: SessionConfig,
    /// Whether its certificate must be valid for `host`. For mail exchangers found by DNS, a certificate proves nothing
    /// (RFC 7435).
    pub verify: bool,
    /// The source address; `None` means that the system chooses.
    pub source: Option<IpAddr>,
    /// Maximum concurrent connections to its address.
    pub connections_max: u32,
    /// Maximum messages per connection.
    pub messages_max: u32,
}

/// A server's response to a message.
#[derive(Clone, Debug)]
pub struct SmtpResponse {
    /// One outcome per recipient, in their order.
    pub outcomes: Vec<RecipientOutcome>,
    /// The TLS version and cipher of the connection, if it was encrypted.
    pub tls: Option<TlsParameters>,
}

/// An SMTP client.
pub trait SmtpTransport: Send + Sync + 'static {
    /// Sends one message to one server over an idle or new connection, and waits if all allowed connections are busy.
    ///
    /// # Errors
    /// Returns [`ConnectionFailure`] if the transaction of this message never began.
    fn offer(&self, peer: Peer, message: OutboundMessage) -> BoxFuture<'_, Result<SmtpResponse, ConnectionFailure>>;
}

/// An account to register with a certificate authority (RFC 8555 §7.3). Registering agrees to the authority's terms.
#[derive(Clone, Debug)]
pub struct Registration {
    /// The URL of the authority's directory.
    pub directory: String,
    /// The root certificates to trust for the directory; `None` means the system's.
    pub root: Option<PathBuf>,
    /// The contact address.
    pub email: Option<String>,
    /// The external account binding: key id and key bytes.
    pub external: Option<(String, Vec<u8>)>,
}

/// A certificate to order.
#[derive(Clone)]
pub struct CertificateOrder {
    /// The root certificates to trust for the directory; `None` means the system's.
    pub root: Option<PathBuf>,
    /// The account credentials from [`AcmeClient::register`].
    pub credentials: SecretText,
    /// The names of the certificate.
    pub names: Vec<String>,
    /// The signing request for those names (RFC 2986), in DER.
    pub csr: Vec<u8>,
    /// Publishes a challenge response; called before the authority fetches it.
    pub publish: PublishChallenge,
}

/// The response that the authority fetches from `/.well-known/acme-challenge/TOKEN` (RFC 8555 §8.3).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Challenge {
    /// The last segment of the path.
    pub token: String,
    /// The body.
    pub answer: String,
}

/// Stores a challenge response, or returns why it could not.
pub type PublishChallenge = Arc<dyn Fn(Challenge) -> BoxFuture<'static, Result<(), String>> + Send + Sync>;

/// Why an order or a registration failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AcmeError {
    /// The kind of failure.
    pub why: AcmeErrorKind,
    /// The description, from the authority if it sent one.
    pub what: String,
    /// The authority's `Retry-After`, in seconds, if it sent one.
    pub retry_after_s: Option<i64>,
}

/// The kind of failure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AcmeErrorKind {
    /// The authority rejected the order, for example because a name does not resolve to this server.
    Refused,
    /// A rate limit of the authority was exceeded.
    RateLimited,
    /// The authority no longer knows the account.
    UnknownAccount,
    /// The authority could not be reached or failed.
    Unreachable,
}

/// An ACME client (RFC 8555).
pub trait AcmeClient: Send + Sync + 'static {
    /// Registers an account and returns its credentials.
    ///
    /// # Errors
    /// Returns [`AcmeError`] with the reason.
    fn register(&self, new: Registration) -> BoxFuture<'_, Result<String, AcmeError>>;

    /// Orders a certificate once, without retries, and returns the chain in PEM.
    ///
    /// # Errors
    /// Returns [`AcmeError`] with the reason.
    fn order(&self, wanted: CertificateOrder) -> BoxFuture<'_, Result<String, AcmeError>>;
}
