//! TLS as a client: either any certificate will do, because plaintext would be the alternative (RFC 7435), or it must be
//! valid for the host by the certificate authorities of the machine.

use std::{net::SocketAddr, sync::Arc, sync::OnceLock};

use rustls::{
    ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
    client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    crypto::{CryptoProvider, aws_lc_rs::default_provider},
};
use rustls_pki_types::{CertificateDer, ServerName, UnixTime};
use tokio_rustls::TlsConnector;

/// Why TLS cannot be begun on this side.
#[derive(Debug, Clone, thiserror::Error)]
pub enum TlsError {
    /// The machine has no certificate authorities to check a server by.
    #[error("no certificate authorities are installed on this machine (package ca-certificates)")]
    NoAuthorities,
    /// The TLS library refuses the settings.
    #[error("TLS cannot be set up: {0}")]
    Settings(String),
}

/// The two ways to begin TLS, made when first needed. Cloning is cheap.
#[derive(Clone, Default)]
pub(in crate::adapters) struct Connectors(Arc<Made>);

#[derive(Default)]
struct Made {
    any: OnceLock<Result<TlsConnector, TlsError>>,
    verified: OnceLock<Result<TlsConnector, TlsError>>,
}

impl Connectors {
    /// The connector that verifies, or the one that takes any certificate.
    pub(in crate::adapters) fn of(&self, verify: bool) -> Result<TlsConnector, TlsError> {
        let made = if verify { self.0.verified.get_or_init(verified) } else { self.0.any.get_or_init(any_certificate) };
        made.clone()
    }

    /// The name for the handshake: the host's, or its address where the host has no name that TLS can carry.
    pub(in crate::adapters) fn server_name(&self, host: &str, address: SocketAddr) -> ServerName<'static> {
        ServerName::try_from(host.to_owned()).unwrap_or_else(|_| ServerName::from(address.ip()))
    }
}

fn any_certificate() -> Result<TlsConnector, TlsError> {
    let provider = Arc::new(default_provider());
    let verifier = Arc::new(AnyCertificate { provider: provider.clone() });
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| TlsError::Settings(error.to_string()))?
        .dangerous()
        .with_custom_certificate_verifier(verifier)
        .with_no_client_auth();
    Ok(TlsConnector::from(Arc::new(config)))
}

fn verified() -> Result<TlsConnector, TlsError> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() {
        return Err(TlsError::NoAuthorities);
    }
    let config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| TlsError::Settings(error.to_string()))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(TlsConnector::from(Arc::new(config)))
}

/// Takes every certificate: encryption against listeners, no proof of who answers.
#[derive(Debug)]
struct AnyCertificate {
    provider: Arc<CryptoProvider>,
}

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
        _message: &[u8],
        _cert: &CertificateDer<'_>,
        _signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _message: &[u8],
        _cert: &CertificateDer<'_>,
        _signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
