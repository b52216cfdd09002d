//! TLS for outbound connections. Either any certificate is accepted, because plain text would be the alternative
//! (RFC 7435), or it must be valid for the host according to the system's certificate authorities.

use std::{net::SocketAddr, sync::Arc, sync::OnceLock};

use posthouse_domain::time::Time;
use rustls_pki_types::{CertificateDer, ServerName};
use tokio_rustls::TlsConnector;

use posthouse_app::tls::{CertificateTrust, CertificateVerifier, TlsClientError, client_config};

/// The TLS connectors, created on first use. Clones share them.
#[derive(Clone, Default)]
pub(in crate::adapters) struct Connectors(Arc<Made>);

#[derive(Default)]
struct Made {
    any: OnceLock<Result<TlsConnector, TlsClientError>>,
    verified: OnceLock<Result<TlsConnector, TlsClientError>>,
    /// `None` on a system without certificate authorities.
    verifier: OnceLock<Option<CertificateVerifier>>,
}

impl Connectors {
    /// Returns the connector that verifies certificates, or the one that accepts any.
    pub(in crate::adapters) fn of(&self, verify: bool) -> Result<TlsConnector, TlsClientError> {
        let (made, trust) = if verify {
            (&self.0.verified, CertificateTrust::SystemRoots)
        } else {
            (&self.0.any, CertificateTrust::AnyCertificate)
        };
        made.get_or_init(|| connector(&trust)).clone()
    }

    /// Returns whether a certificate chain is valid for a name.
    pub(in crate::adapters) fn are_valid(
        &self,
        chain: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        now: Time,
    ) -> bool {
        let verifier = self.0.verifier.get_or_init(|| CertificateVerifier::new(&CertificateTrust::SystemRoots).ok());
        verifier.as_ref().is_some_and(|verifier| verifier.is_valid(chain, name, now.seconds()))
    }

    /// Returns the server name for the handshake: the host's name, or its address if TLS can't represent the name.
    pub(in crate::adapters) fn server_name(&self, host: &str, address: SocketAddr) -> ServerName<'static> {
        ServerName::try_from(host.to_owned()).unwrap_or_else(|_| ServerName::from(address.ip()))
    }
}

fn connector(trust: &CertificateTrust) -> Result<TlsConnector, TlsClientError> {
    Ok(TlsConnector::from(client_config(trust)?))
}
