//! Self-signed certificates for tests, and the certificates that a server presents.

use std::net::SocketAddr;

use posthouse_store::tls::{CertificateTrust, client_config};
use rcgen::{CertificateParams, KeyPair, date_time_ymd};
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use crate::smtp::{SmtpStream, TestSmtpClient};

/// A self-signed certificate with its key.
pub struct TestCertificate {
    /// The chain in PEM.
    pub chain: String,
    /// The private key in PEM.
    pub key: String,
    /// The certificate in DER, as presented in a handshake.
    pub der: Vec<u8>,
}

/// Creates a certificate for these names, valid from the start of 2020 to the start of `until_year`.
///
/// # Panics
/// Panics if the names are not valid in a certificate.
#[must_use]
pub fn certificate(names: &[&str], until_year: i32) -> TestCertificate {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let mut params = CertificateParams::new(names).expect("names fit for a certificate");
    params.not_before = date_time_ymd(2020, 1, 1);
    params.not_after = date_time_ymd(until_year, 1, 1);
    let key = KeyPair::generate().expect("a key can be made");
    let made = params.self_signed(&key).expect("a certificate can be made");
    TestCertificate { chain: made.pem(), key: key.serialize_pem(), der: made.der().to_vec() }
}

/// When a connection switches to TLS.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TlsMode {
    /// From the first byte (implicit TLS).
    Implicit,
    /// After the STARTTLS command.
    StartTls,
}

/// Returns the certificate chain that a server presents, leaf first. No certificate is rejected.
///
/// # Panics
/// Panics if the handshake fails.
pub async fn peer_certificates(address: SocketAddr, mode: TlsMode) -> Vec<Vec<u8>> {
    let config = client_config(&CertificateTrust::AnyCertificate).expect("TLS can be set up");
    let name = ServerName::try_from("mx.example.com").expect("a name");
    let stream: Box<dyn SmtpStream> = match mode {
        TlsMode::Implicit => Box::new(TcpStream::connect(address).await.expect("the server listens")),
        TlsMode::StartTls => TestSmtpClient::connect_with_ehlo(address).await.start_tls().await,
    };
    let connected = TlsConnector::from(config).connect(name, stream).await.expect("the handshake succeeds");
    let chain = connected.get_ref().1.peer_certificates().expect("a server shows a certificate");
    chain.iter().map(|one| one.as_ref().to_vec()).collect()
}
