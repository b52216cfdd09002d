//! The certificate of the listeners, from its source to the [`Keeper`](crate::tls::Keeper): at the start, and again whenever it
//! may have changed. A new one that cannot be used leaves the old one where it is.

use posthouse_domain::time::DAY_MS;
use posthouse_store::acme;
use uuid::Uuid;

use super::{App, obtain_certificate};
use crate::tls::{self, CertificateFacts, PairText, Source, TlsError};

/// Days before its end from which a certificate is spoken of in the log, once a day. One by ACME is renewed long before.
const DAYS_LOW: i64 = 7;

/// Keeps the certificate that there is: that of the files, that by ACME, or until there is one a self-signed one.
///
/// # Errors
/// When there is none that can be used, or that of the files has expired. One by ACME that has is renewed by who runs.
pub async fn begin(app: &App) -> Result<(), TlsError> {
    let text = find(app).await?;
    let pair = text.open()?;
    if text.source == Source::Files && pair.facts().left_ms(app.clock.now()) <= 0 {
        return Err(expired(&text, pair.facts()));
    }
    take(app, &text, pair);
    Ok(())
}

/// Looks whether there is another certificate now, and keeps that. Does nothing before [`begin`].
pub async fn look(app: &App) {
    let Some(current) = app.tls.facts() else { return };
    match find(app).await {
        Ok(text) if app.tls.has(&text) => {}
        Ok(text) => match usable(app, &text, &current) {
            Ok(pair) => take(app, &text, pair),
            Err(error) => refuse(app, &error),
        },
        // That the store is away says nothing of the certificate, and is told elsewhere.
        Err(TlsError::Store(_)) => {}
        Err(error) => refuse(app, &error),
    }
    remind(app);
}

/// The facts of the certificate by ACME that the store holds; none before the first was issued. For who looks from outside.
///
/// # Errors
/// When it cannot be read or opened.
pub async fn stored_facts(app: &App) -> Result<Option<CertificateFacts>, TlsError> {
    stored(app).await?.map(|text| text.open().map(|pair| pair.facts().clone())).transpose()
}

async fn find(app: &App) -> Result<PairText, TlsError> {
    if app.config.smtp.acme
        && let Some(text) = stored(app).await?
    {
        return Ok(text);
    }
    tls::read_files(&app.config)
}

async fn stored(app: &App) -> Result<Option<PairText>, TlsError> {
    let id = obtain_certificate::id(&app.config);
    let row = app.store.read_one(move |tx| acme::certificate(tx, id)).await;
    let row = row.map_err(|error| TlsError::Store(error.to_string()))?;
    let Some((chain, sealed)) = row.and_then(|row| row.chain.zip(row.private_key)) else { return Ok(None) };
    let place = app.config.acme.directory.clone();
    let key = app.vault.key(app).and_then(|vault| vault.open(&sealed, &context(id)));
    let key = key.map_err(|error| TlsError::Unusable { cert: place.clone(), cause: error.to_string() })?;
    Ok(Some(PairText { chain: chain.into_bytes(), key, source: Source::Acme, place }))
}

/// What a sealed private key is bound to.
pub(super) fn context(id: Uuid) -> String {
    format!("certificate {id}")
}

/// Opens it; one that has expired is of no use in place of one that has not.
fn usable(app: &App, text: &PairText, current: &CertificateFacts) -> Result<tls::Pair, TlsError> {
    let (pair, now) = (text.open()?, app.clock.now());
    if pair.facts().left_ms(now) <= 0 && current.left_ms(now) > 0 {
        return Err(expired(text, pair.facts()));
    }
    Ok(pair)
}

fn expired(text: &PairText, facts: &CertificateFacts) -> TlsError {
    TlsError::Unusable { cert: text.place.clone(), cause: format!("it expired at {}", facts.expires_at) }
}

fn take(app: &App, text: &PairText, pair: tls::Pair) {
    let facts = pair.facts().clone();
    app.tls.take(pair, text);
    app.metrics.certificate(facts.source.text(), facts.expires_at.seconds());
    app.metrics.certificate_read("taken");
    let (source, expires_at) = (facts.source.text(), facts.expires_at);
    tracing::info!(source, expires_at = %expires_at, names = facts.names.join(" "), "tls.certificate_taken");
    if facts.begins_at > app.clock.now() {
        // Perhaps it is our clock that is wrong.
        tracing::warn!(begins_at = %facts.begins_at, "tls.certificate_not_valid_yet");
    }
    let host = &app.config.smtp.hostname;
    if !facts.self_signed() && !facts.covers(host) {
        tracing::warn!(hostname = host, names = facts.names.join(" "), "tls.certificate_is_for_other_names");
    }
}

fn refuse(app: &App, error: &TlsError) {
    if app.tls.refuse(&error.to_string()) {
        app.metrics.certificate_read("refused");
        tracing::error!(cause = %error, "tls.certificate_refused");
    }
}

/// Says once a day that the end is near.
fn remind(app: &App) {
    let now = app.clock.now();
    let Some(facts) = app.tls.facts() else { return };
    if app.tls.is_worth_a_warning(now, DAYS_LOW) {
        let days = facts.left_ms(now).div_euclid(DAY_MS);
        tracing::error!(source = facts.source.text(), days, expires_at = %facts.expires_at, "tls.certificate_ends_soon");
    }
}
