//! Loads the listeners' certificate into the [`CertificateHolder`](crate::tls::CertificateHolder), at startup and
//! whenever it may have changed. A new certificate that cannot be used doesn't replace the current one.

use posthouse_domain::DAY_MS;
use posthouse_store::acme as stored;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::service::{ReadScope, Service};
use crate::tls::{self, CertificateError, CertificateFacts, CertificatePem, CertificateSource};
use crate::{keyring::context, settings::AcmeConfig};

/// Days before expiry from which a daily log line warns. ACME certificates are renewed long before.
const DAYS_LOW: i64 = 7;

/// Loads the certificate: the configured files, the ACME certificate, or until it is issued a self-signed one.
///
/// # Errors
/// Returns an error if no certificate can be used, or if the one in the files has expired. An expired ACME certificate
/// is accepted, because the running service renews it.
pub async fn begin(service: &Service) -> Result<(), CertificateError> {
    let text = find(service).await?;
    let pair = text.open()?;
    if text.source == CertificateSource::Files && pair.facts().remaining_ms(service.clock.now()) <= 0 {
        return Err(expired(&text, pair.facts()));
    }
    install(service, &text, pair);
    Ok(())
}

/// Checks for a new certificate and loads it. Does nothing before [`begin`].
pub async fn reload(service: &Service) {
    let Some(current) = service.tls.facts() else { return };
    match find(service).await {
        Ok(text) if service.tls.has(&text) => {}
        Ok(text) => match usable(service, &text, &current) {
            Ok(pair) => install(service, &text, pair),
            Err(error) => refuse(service, &error),
        },
        // A store outage is no problem of the certificate, and is logged by the store.
        Err(CertificateError::Store(_)) => {}
        Err(error) => refuse(service, &error),
    }
    warn_before_expiry(service);
}

/// Returns the facts of the stored ACME certificate; `None` before the first one was issued. For diagnostic commands.
///
/// # Errors
/// Returns an error if the certificate cannot be read or opened.
pub async fn stored_facts(service: &Service) -> Result<Option<CertificateFacts>, CertificateError> {
    stored(service).await?.map(|text| text.open().map(|pair| pair.facts().clone())).transpose()
}

/// Returns the id of the configured certificate in the store, which depends on its names and on the authority.
#[must_use]
pub fn certificate_id(config: &AcmeConfig) -> Uuid {
    let mut names = config.names.clone();
    names.sort_unstable();
    let mut digest = Sha256::new();
    digest.update(&config.directory);
    for name in names {
        digest.update(b"\n");
        digest.update(name);
    }
    let digest: [u8; 32] = digest.finalize().into();
    Uuid::from_u128(digest.iter().take(16).fold(0, |sum, byte| (sum << 8) | u128::from(*byte)))
}

async fn find(service: &Service) -> Result<CertificatePem, CertificateError> {
    if service.config.acme.enabled
        && let Some(text) = stored(service).await?
    {
        return Ok(text);
    }
    tls::read_files(&service.config)
}

async fn stored(service: &Service) -> Result<Option<CertificatePem>, CertificateError> {
    let id = certificate_id(&service.config.acme);
    let row = service.read(ReadScope::Statement, move |tx| stored::certificate(tx, id)).await;
    let row = row.map_err(|error| CertificateError::Store(error.to_string()))?;
    let Some((chain, sealed)) = row.and_then(|row| row.chain.zip(row.private_key)) else { return Ok(None) };
    let location = service.config.acme.directory.clone();
    let key = service.keys.key(&service.config).and_then(|vault| vault.open(&sealed, &context::certificate(id)));
    let key = key.map_err(|error| CertificateError::Unusable { cert: location.clone(), cause: error.to_string() })?;
    Ok(Some(CertificatePem { chain: chain.into_bytes(), key, source: CertificateSource::Acme, location }))
}

/// Opens the certificate, and rejects an expired one unless the current one has expired too.
fn usable(
    service: &Service,
    text: &CertificatePem,
    current: &CertificateFacts,
) -> Result<tls::CertificatePair, CertificateError> {
    let (pair, now) = (text.open()?, service.clock.now());
    if pair.facts().remaining_ms(now) <= 0 && current.remaining_ms(now) > 0 {
        return Err(expired(text, pair.facts()));
    }
    Ok(pair)
}

fn expired(text: &CertificatePem, facts: &CertificateFacts) -> CertificateError {
    CertificateError::Unusable { cert: text.location.clone(), cause: format!("it expired at {}", facts.expires_at) }
}

fn install(service: &Service, text: &CertificatePem, pair: tls::CertificatePair) {
    let facts = pair.facts().clone();
    service.tls.replace(pair, text);
    service.metrics.certificate(facts.source.text(), facts.expires_at.seconds());
    service.metrics.certificate_read("loaded");
    let (source, expires_at, names) = (facts.source.text(), facts.expires_at, facts.names.join(" "));
    if facts.self_signed() {
        tracing::debug!(source, expires_at = %expires_at, names, "tls.certificate_loaded");
    } else {
        tracing::info!(source, expires_at = %expires_at, names, "tls.certificate_loaded");
    }
    if facts.begins_at > service.clock.now() {
        // The local clock may be wrong.
        tracing::warn!(begins_at = %facts.begins_at, "tls.certificate_not_valid_yet");
    }
    let host = &service.config.hostname;
    if !facts.self_signed() && !facts.covers(host) {
        tracing::warn!(hostname = host, names = facts.names.join(" "), "tls.certificate_name_mismatch");
    }
}

fn refuse(service: &Service, error: &CertificateError) {
    if service.tls.refuse(&error.to_string()) {
        service.metrics.certificate_read("refused");
        tracing::error!(cause = %error, "tls.certificate_refused");
    }
}

/// Logs once a day that the certificate expires soon.
fn warn_before_expiry(service: &Service) {
    let now = service.clock.now();
    let Some(facts) = service.tls.facts() else { return };
    if service.tls.should_warn(now, DAYS_LOW) {
        let days = facts.remaining_ms(now).div_euclid(DAY_MS);
        let (source, expires_at) = (facts.source.text(), facts.expires_at);
        tracing::error!(source, days, %expires_at, "tls.certificate_expires_soon");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn certificate_id_depends_on_the_set_of_names_and_on_the_authority() {
        let of = |directory: &str, names: &[&str]| {
            let mut config = crate::settings::fixture::settings().acme;
            config.directory = directory.to_owned();
            config.names = names.iter().map(|name| (*name).to_owned()).collect();
            certificate_id(&config)
        };
        assert_eq!(of("d", &["a.example", "b.example"]), of("d", &["b.example", "a.example"]));
        assert_ne!(of("d", &["a.example", "b.example"]), of("d", &["a.example"]));
        assert_ne!(of("d", &["a.example"]), of("e", &["a.example"]));
    }
}
