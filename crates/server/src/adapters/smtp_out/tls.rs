//! TLS as a client: either any certificate will do, because plaintext would be the alternative (RFC 7435), or it must be
//! valid for the host by the certificate authorities of the machine.

use std::{net::SocketAddr, sync::Arc, sync::OnceLock};

use posthouse_domain::time::Time;
use rustls_pki_types::{CertificateDer, ServerName};
use tokio_rustls::TlsConnector;

use crate::tls::{ClientTlsError as TlsError, Judge, Trust, client_config};

/// The two ways to begin TLS, made when first needed. Cloning is cheap.
#[derive(Clone, Default)]
pub(in crate::adapters) struct Connectors(Arc<Made>);

#[derive(Default)]
struct Made {
    any: OnceLock<Result<TlsConnector, TlsError>>,
    verified: OnceLock<Result<TlsConnector, TlsError>>,
    /// None on a machine without certificate authorities.
    judge: OnceLock<Option<Judge>>,
}

impl Connectors {
    /// The connector that verifies, or the one that takes any certificate.
    pub(in crate::adapters) fn of(&self, verify: bool) -> Result<TlsConnector, TlsError> {
        let (made, trust) = if verify { (&self.0.verified, Trust::Machine) } else { (&self.0.any, Trust::Anybody) };
        made.get_or_init(|| connector(&trust)).clone()
    }

    /// Whether these certificates would have done for that name if they had been verified.
    pub(in crate::adapters) fn are_valid(
        &self,
        chain: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        now: Time,
    ) -> bool {
        let judge = self.0.judge.get_or_init(|| Judge::new(&Trust::Machine).ok());
        judge.as_ref().is_some_and(|judge| judge.is_valid(chain, name, now.seconds()))
    }

    /// The name for the handshake: the host's, or its address where the host has no name that TLS can carry.
    pub(in crate::adapters) fn server_name(&self, host: &str, address: SocketAddr) -> ServerName<'static> {
        ServerName::try_from(host.to_owned()).unwrap_or_else(|_| ServerName::from(address.ip()))
    }
}

fn connector(trust: &Trust) -> Result<TlsConnector, TlsError> {
    Ok(TlsConnector::from(client_config(trust)?))
}
