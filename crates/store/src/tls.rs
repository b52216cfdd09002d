//! TLS as a client, for every connection that this service opens by itself: whom to believe, made into a configuration.

use std::{path::PathBuf, sync::Arc, time::Duration};

use rustls::{
    ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
    client::{
        WebPkiServerVerifier,
        danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    },
    crypto::{CryptoProvider, aws_lc_rs::default_provider, verify_tls12_signature, verify_tls13_signature},
};
use rustls_pki_types::{CertificateDer, ServerName, UnixTime, pem::PemObject};

/// Whose certificate is believed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trust {
    /// Anybody's: encryption against listeners, no proof of who answers (RFC 7435).
    Anybody,
    /// One for the host's name by a certificate authority of the machine.
    Machine,
    /// One for the host's name by a certificate authority in this PEM file.
    File(PathBuf),
}

/// Why TLS cannot be begun on this side.
#[derive(Debug, Clone, thiserror::Error)]
pub enum TlsError {
    /// The machine has no certificate authorities to check a server by.
    #[error("no certificate authorities are installed on this machine (package ca-certificates)")]
    NoAuthorities,
    /// The file of certificate authorities is missing or holds none.
    #[error("{0} holds no certificate that can be read")]
    File(PathBuf),
    /// The TLS library refuses the settings.
    #[error("TLS cannot be set up: {0}")]
    Settings(String),
}

/// The configuration for connections to servers that are believed like this.
///
/// # Errors
/// Where there are no certificate authorities to believe.
pub fn client_config(trust: &Trust) -> Result<Arc<ClientConfig>, TlsError> {
    let provider = Arc::new(default_provider());
    let builder = ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(|error| TlsError::Settings(error.to_string()))?;
    let config = match trust {
        Trust::Anybody => builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(AnyCertificate(provider)))
            .with_no_client_auth(),
        Trust::Machine => builder.with_root_certificates(machine()?).with_no_client_auth(),
        Trust::File(path) => builder.with_root_certificates(of_file(path)?).with_no_client_auth(),
    };
    Ok(Arc::new(config))
}

/// Says what verifying would have said, to who goes on in any case.
#[derive(Clone, Debug)]
pub struct Judge(Arc<WebPkiServerVerifier>);

impl Judge {
    /// One who believes like this. [`Trust::Anybody`] believes nobody here: there is nothing to judge by.
    ///
    /// # Errors
    /// Where there are no certificate authorities to believe.
    pub fn new(trust: &Trust) -> Result<Self, TlsError> {
        let roots = match trust {
            Trust::Anybody => RootCertStore::empty(),
            Trust::Machine => machine()?,
            Trust::File(path) => of_file(path)?,
        };
        let built = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::new(default_provider())).build();
        Ok(Self(built.map_err(|error| TlsError::Settings(error.to_string()))?))
    }

    /// Whether the chain, the server's own certificate first, is for that name and good at that time (Unix seconds).
    #[must_use]
    pub fn is_valid(&self, chain: &[CertificateDer<'_>], name: &ServerName<'_>, now_s: i64) -> bool {
        let now = UnixTime::since_unix_epoch(Duration::from_secs(u64::try_from(now_s).unwrap_or(0)));
        let Some((first, rest)) = chain.split_first() else { return false };
        self.0.verify_server_cert(first, rest, name, &[], now).is_ok()
    }
}

fn machine() -> Result<RootCertStore, TlsError> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() { Err(TlsError::NoAuthorities) } else { Ok(roots) }
}

fn of_file(path: &PathBuf) -> Result<RootCertStore, TlsError> {
    let mut roots = RootCertStore::empty();
    let found = CertificateDer::pem_file_iter(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    roots.add_parsable_certificates(found.unwrap_or_default());
    if roots.is_empty() { Err(TlsError::File(path.clone())) } else { Ok(roots) }
}

/// Takes every certificate that its owner can use.
#[derive(Debug)]
struct AnyCertificate(Arc<CryptoProvider>);

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, cert, dss, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, cert, dss, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
