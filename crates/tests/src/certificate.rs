//! Certificates of tests, and the look at the one that a server shows.

use std::net::SocketAddr;

use posthouse_store::tls::{Trust, client_config};
use rcgen::{CertificateParams, KeyPair, date_time_ymd};
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use crate::smtp::{SmtpClient, Wire};

/// A self-signed certificate with its key.
pub struct Made {
    /// The chain in PEM.
    pub chain: String,
    /// The private key in PEM.
    pub key: String,
    /// The certificate, as it is shown in a handshake.
    pub der: Vec<u8>,
}

/// One for these names, from the beginning of 2020 to the beginning of that year.
///
/// # Panics
/// Where none can be made.
#[must_use]
pub fn certificate(names: &[&str], until_year: i32) -> Made {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let mut params = CertificateParams::new(names).expect("names fit for a certificate");
    params.not_before = date_time_ymd(2020, 1, 1);
    params.not_after = date_time_ymd(until_year, 1, 1);
    let key = KeyPair::generate().expect("a key can be made");
    let made = params.self_signed(&key).expect("a certificate can be made");
    Made { chain: made.pem(), key: key.serialize_pem(), der: made.der().to_vec() }
}

/// How a connection comes to TLS.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum By {
    /// From the first byte.
    Nothing,
    /// With STARTTLS.
    StartTls,
}

/// The certificates that a server shows, its own first; whoever's they are.
///
/// # Panics
/// Where there is no handshake.
pub async fn shown(address: SocketAddr, by: By) -> Vec<Vec<u8>> {
    let config = client_config(&Trust::Anybody).expect("TLS can be set up");
    let name = ServerName::try_from("mx.example.com").expect("a name");
    let stream: Box<dyn Wire> = match by {
        By::Nothing => Box::new(TcpStream::connect(address).await.expect("somebody listens")),
        By::StartTls => SmtpClient::greeted(address).await.before_tls().await,
    };
    let shaken = TlsConnector::from(config).connect(name, stream).await.expect("the handshake succeeds");
    let chain = shaken.get_ref().1.peer_certificates().expect("a server shows a certificate");
    chain.iter().map(|one| one.as_ref().to_vec()).collect()
}
