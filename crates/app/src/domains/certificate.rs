//! Loads the listeners' certificate into the [`CertificateHolder`](crate::tls::CertificateHolder), at startup and
//! whenever it may have changed. A new certificate that cannot be used doesn't replace the current one.

use posthouse_domain::DAY_MS;
use posthouse_store::acme as stored;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::tls::{self, CertificateError, CertificateFacts, CertificatePem, CertificateSource};
use crate::{app::App, keyring::context, settings::AcmeConfig};

/// Days before expiry from which a daily log line warns. ACME certificates are renewed long before.
const DAYS_LOW: i64 = 7;

/// Loads the certificate: the configured files, the ACME certificate, or until it is issued a self-signed one.
///
/// # Errors
/// Returns an error if no certificate can be used, or if the one in the files has expired. An expired ACME certificate
/// is accepted, because the running service renews it.
pub async fn begin(app: &App) -> Result<(), CertificateError> {
    let text = find(app).await?;
    let pair = text.open()?;
    if text.source == CertificateSource::Files && pair.facts().remaining_ms(app.clock.now()) <= 0 {
        return Err(expired(&text, pair.facts()));
    }
    install(app, &text, pair);
    Ok(())
}

/// Checks for a new certificate and loads it. Does nothing before [`begin`].
pub async fn reload(app: &App) {
    let Some(current) = app.tls.facts() else { return };
    match find(app).await {
        Ok(text) if app.tls.has(&text) => {}
        Ok(text) => match usable(app, &text, &current) {
            Ok(pair) => install(app, &text, pair),
            Err(error) => refuse(app, &error),
        },
        // A store outage is no problem of the certificate, and is logged by the store.
        Err(CertificateError::Store(_)) => {}
        Err(error) => refuse(app, &error),
    }
    warn_before_expiry(app);
}

/// Returns the facts of the stored ACME certificate; `None` before the first one was issued. For diagnostic commands.
///
/// # Errors
/// Returns an error if the certificate cannot be read or opened.
pub async fn stored_facts(app: &App) -> Result<Option<CertificateFacts>, CertificateError> {
    stored(app).await?.map(|text| text.open().map(|pair| pair.facts().clone())).transpose()
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

async fn find(app: &App) -> Result<CertificatePem, CertificateError> {
    if app.config.acme.enabled
        && let Some(text) = stored(app).await?
    {
        return Ok(text);
    }
    tls::read_files(&app.config)
}

async fn stored(app: &App) -> Result<Option<CertificatePem>, CertificateError> {
    let id = certificate_id(&app.config.acme);
    let row = app.store.read_one(move |tx| stored::certificate(tx, id)).await;
    let row = row.map_err(|error| CertificateError::Store(error.to_string()))?;
    let Some((chain, sealed)) = row.and_then(|row| row.chain.zip(row.private_key)) else { return Ok(None) };
    let location = app.config.acme.directory.clone();
    let key = app.keys.key(&app.config).and_then(|vault| vault.open(&sealed, &context::certificate(id)));
    let key = key.map_err(|error| CertificateError::Unusable { cert: location.clone(), cause: error.to_string() })?;
    Ok(Some(CertificatePem { chain: chain.into_bytes(), key, source: CertificateSource::Acme, location }))
}

/// Opens the certificate, and rejects an expired one unless the current one has expired too.
fn usable(
    app: &App,
    text: &CertificatePem,
    current: &CertificateFacts,
) -> Result<tls::CertificatePair, CertificateError> {
    let (pair, now) = (text.open()?, app.clock.now());
    if pair.facts().remaining_ms(now) <= 0 && current.remaining_ms(now) > 0 {
        return Err(expired(text, pair.facts()));
    }
    Ok(pair)
}

fn expired(text: &CertificatePem, facts: &CertificateFacts) -> CertificateError {
    CertificateError::Unusable { cert: text.location.clone(), cause: format!("it expired at {}", facts.expires_at) }
}

fn install(app: &App, text: &CertificatePem, pair: tls::CertificatePair) {
    let facts = pair.facts().clone();
    app.tls.replace(pair, text);
    app.metrics.certificate(facts.source.text(), facts.expires_at.seconds());
    app.metrics.certificate_read("loaded");
    let (source, expires_at, names) = (facts.source.text(), facts.expires_at, facts.names.join(" "));
    if facts.self_signed() {
        tracing::debug!(source, expires_at = %expires_at, names, "tls.certificate_loaded");
    } else {
        tracing::info!(source, expires_at = %expires_at, names, "tls.certificate_loaded");
    }
    if facts.begins_at > app.clock.now() {
        // The local clock may be wrong.
        tracing::warn!(begins_at = %facts.begins_at, "tls.certificate_not_valid_yet");
    }
    let host = &app.config.hostname;
    if !facts.self_signed() && !facts.covers(host) {
        tracing::warn!(hostname = host, names = facts.names.join(" "), "tls.certificate_name_mismatch");
    }
}

fn refuse(app: &App, error: &CertificateError) {
    if app.tls.refuse(&error.to_string()) {
        app.metrics.certificate_read("refused");
        tracing::error!(cause = %error, "tls.certificate_refused");
    }
}

/// Logs once a day that the certificate expires soon.
fn warn_before_expiry(app: &App) {
    let now = app.clock.now();
    let Some(facts) = app.tls.facts() else { return };
    if app.tls.should_warn(now, DAYS_LOW) {
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
