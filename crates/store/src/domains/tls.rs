//! TLS client configuration for all outgoing connections of the service: which certificates to trust.

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

/// Which server certificates are trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CertificateTrust {
    /// Any certificate: encryption without authentication of the server (RFC 7435).
    AnyCertificate,
    /// A certificate for the host name, issued by an authority that the system trusts.
    SystemRoots,
    /// A certificate for the host name, issued by an authority in this PEM file.
    RootsFile(PathBuf),
}

/// An error in the local TLS configuration.
#[derive(Debug, Clone, thiserror::Error)]
pub enum TlsClientError {
    /// The system has no trusted certificate authorities.
    #[error("no certificate authorities are installed on this machine (package ca-certificates)")]
    NoAuthorities,
    /// The file of certificate authorities is missing or contains none.
    #[error("{0} contains no readable certificate")]
    File(PathBuf),
    /// The TLS library rejects the settings.
    #[error("TLS can't be set up: {0}")]
    Settings(String),
}

/// Returns the client configuration for that trust setting.
///
/// # Errors
/// Fails if there are no certificate authorities to trust.
pub fn client_config(trust: &CertificateTrust) -> Result<Arc<ClientConfig>, TlsClientError> {
    let provider = Arc::new(default_provider());
    let builder = ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(|error| TlsClientError::Settings(error.to_string()))?;
    let config = match trust {
        CertificateTrust::AnyCertificate => builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(AnyCertificate(provider)))
            .with_no_client_auth(),
        CertificateTrust::SystemRoots => builder.with_root_certificates(system_roots()?).with_no_client_auth(),
        CertificateTrust::RootsFile(path) => builder.with_root_certificates(roots_of_file(path)?).with_no_client_auth(),
    };
    Ok(Arc::new(config))
}

/// Verifies certificates without affecting the connection, to report the result.
#[derive(Clone, Debug)]
pub struct CertificateVerifier(Arc<WebPkiServerVerifier>);

impl CertificateVerifier {
    /// Creates a verifier for that trust setting. With [`CertificateTrust::AnyCertificate`], no certificate is valid, because there is no
    /// authority.
    ///
    /// # Errors
    /// Fails if there are no certificate authorities to trust.
    pub fn new(trust: &CertificateTrust) -> Result<Self, TlsClientError> {
        let roots = match trust {
            CertificateTrust::AnyCertificate => RootCertStore::empty(),
            CertificateTrust::SystemRoots => system_roots()?,
            CertificateTrust::RootsFile(path) => roots_of_file(path)?,
        };
        let built = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::new(default_provider())).build();
        Ok(Self(built.map_err(|error| TlsClientError::Settings(error.to_string()))?))
    }

    /// Returns whether the chain, server certificate first, is valid for that name at that time (Unix seconds).
    #[must_use]
    pub fn is_valid(&self, chain: &[CertificateDer<'_>], name: &ServerName<'_>, now_s: i64) -> bool {
        let now = UnixTime::since_unix_epoch(Duration::from_secs(u64::try_from(now_s).unwrap_or(0)));
        let Some((first, rest)) = chain.split_first() else { return false };
        self.0.verify_server_cert(first, rest, name, &[], now).is_ok()
    }
}

fn system_roots() -> Result<RootCertStore, TlsClientError> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() { Err(TlsClientError::NoAuthorities) } else { Ok(roots) }
}

fn roots_of_file(path: &PathBuf) -> Result<RootCertStore, TlsClientError> {
    let mut roots = RootCertStore::empty();
    let certificates = CertificateDer::pem_file_iter(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    roots.add_parsable_certificates(certificates.unwrap_or_default());
    if roots.is_empty() { Err(TlsClientError::File(path.clone())) } else { Ok(roots) }
}

/// Accepts every certificate whose private key the server holds.
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
