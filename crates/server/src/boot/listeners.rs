//! The SMTP listeners that a start binds.

use std::net::SocketAddr;

use super::BootError;
use crate::{
    config::Configuration,
    smtp::{frontend::ConnectionKind, listener::Listener},
};

/// Binds the listeners for mail from other servers.
pub(super) async fn bind_smtp(config: &Configuration) -> Result<Vec<Listener>, BootError> {
    bind_all("smtp.listen", &config.listen.smtp, ConnectionKind::Plain).await
}

/// The submission listeners.
#[derive(Default)]
pub(super) struct SubmissionListeners {
    /// Those with STARTTLS.
    pub(super) starttls: Vec<Listener>,
    /// Those with implicit TLS.
    pub(super) tls: Vec<Listener>,
}

/// Binds the listeners for mail programs.
pub(super) async fn bind_submission(config: &Configuration) -> Result<SubmissionListeners, BootError> {
    let starttls = bind_all("submission.listen", &config.listen.submission, ConnectionKind::Plain).await?;
    let tls = bind_all("submission.listen_tls", &config.listen.submission_tls, ConnectionKind::Tls).await?;
    Ok(SubmissionListeners { starttls, tls })
}

async fn bind_all(key: &str, addresses: &[SocketAddr], kind: ConnectionKind) -> Result<Vec<Listener>, BootError> {
    let mut listeners = Vec::with_capacity(addresses.len());
    for address in addresses {
        let bound = Listener::bind_as(*address, kind).await;
        listeners.push(bound.map_err(BootError::listen(key, *address))?);
    }
    Ok(listeners)
}
