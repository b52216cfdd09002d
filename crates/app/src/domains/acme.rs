//! Gets a certificate by ACME (RFC 8555) and renews it after two thirds of its lifetime.
//!
//! Failed attempts back off from minutes to hours to stay within the authority's limits; the number of failures is
//! stored, so a restart doesn't reset the backoff. All state is in the store, private keys sealed, so that any process
//! can answer the challenge and use the certificate.

use std::sync::Arc;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use posthouse_domain::{DAY_MS, HOUR_MS, MINUTE_MS, Time};
use posthouse_store::acme::{self, StoredCertificate};
use uuid::Uuid;

use crate::ports::{AcmeError, AcmeErrorKind, CertificateOrder, Challenge, PublishChallenge, Registration};
use crate::tls::{self, CertificateFacts, CertificatePem, CertificateSource};
use crate::{keyring::context, settings::SecretText};

pub use crate::{domains::certificate, keyring::instance_key::InstanceKeyError, service::ReadScope, service::Service};

/// The delay after each failed attempt, in milliseconds; the last one repeats. Four attempts fit in the first hour,
/// where the usual limit of an authority is five failures.
const GAPS_MS: &[i64] = &[2 * MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 6 * HOUR_MS, 12 * HOUR_MS];
/// Least time between two certificates, in milliseconds, so that a wrong clock, by which a new certificate seems
/// expired, doesn't cause one order after the other.
const ISSUED_MS_MIN: i64 = DAY_MS;
/// Least delay after a rate limit response, in milliseconds.
const RATE_LIMITED_MS: i64 = HOUR_MS;
/// Longest `Retry-After` that is honored, in milliseconds.
const RETRY_AFTER_MS_MAX: i64 = 7 * DAY_MS;
/// How long a challenge response is kept, in milliseconds.
const ANSWER_KEPT_MS: i64 = DAY_MS;
/// Maximum characters stored of an authority's error message.
const ERROR_CHARS_MAX: usize = 1_000;
/// Maximum characters logged of an authority's error message.
const LOGGED_CHARS_MAX: usize = 200;
/// Longest token that is looked up, in bytes; real tokens are half as long.
const TOKEN_BYTES_MAX: usize = 256;

/// When to run again, and why.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NextAcmeRun {
    pub at: Time,
    /// Why to run again.
    pub why: NextRunReason,
}

/// The reason for the next run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NextRunReason {
    /// The certificate needs renewal then.
    Renewal,
    /// The attempt failed.
    Retry,
}

/// Returns the error of the last attempt, if it failed.
pub async fn last_error(service: &Service) -> posthouse_store::Result<Option<String>> {
    let id = certificate::certificate_id(&service.config.acme);
    Ok(service.read(ReadScope::Statement, move |tx| acme::certificate(tx, id)).await?.and_then(|row| row.last_error))
}

/// Returns the response for a challenge token (RFC 8555 §8.3); `None` if the token is unknown.
pub async fn answer(service: &Service, token: &str) -> posthouse_store::Result<Option<String>> {
    if !service.config.acme.enabled || token.is_empty() || token.len() > TOKEN_BYTES_MAX {
        return Ok(None);
    }
    let token = token.to_owned();
    service.read(ReadScope::Statement, move |tx| acme::answer(tx, &token)).await
}

/// Orders a certificate if one is due.
///
/// # Errors
/// Returns an error if the database call fails; the authority's errors are in [`NextAcmeRun`].
pub async fn run(service: &Arc<Service>) -> posthouse_store::Result<NextAcmeRun> {
    let id = certificate::certificate_id(&service.config.acme);
    let row = service.read(ReadScope::Statement, move |tx| acme::certificate(tx, id)).await?.unwrap_or_default();
    let facts = certificate::stored_facts(service).await.ok().flatten();
    if let Some(next) = next_run(service, &row, facts.as_ref()) {
        return Ok(next);
    }
    let (names, now) = (service.config.acme.names.join(" "), service.clock.now());
    service.write(move |tx| acme::record_start(tx, id, &names, now)).await?;
    match obtain(service, id).await {
        Ok(facts) => {
            certificate::reload(service).await;
            Ok(renewal(service, &facts, service.clock.now()))
        }
        Err(declined) => fail(service, id, row.failures.saturating_add(1), declined).await,
    }
}

/// Returns when to run again if nothing is due yet.
fn next_run(service: &Service, row: &StoredCertificate, facts: Option<&CertificateFacts>) -> Option<NextAcmeRun> {
    let now = service.clock.now();
    if let Some(tried_at) = row.tried_at.filter(|_| row.failures > 0) {
        let at = tried_at.plus_ms(gap_ms(row.failures));
        return (now < at).then_some(NextAcmeRun { at, why: NextRunReason::Retry });
    }
    let (facts, issued_at) = (facts?, row.tried_at.unwrap_or(Time::from_millis(0)));
    (now < renew_at(facts, issued_at)).then(|| renewal(service, facts, issued_at))
}

/// Returns when a third of the certificate's lifetime is left.
fn renew_at(facts: &CertificateFacts, issued_at: Time) -> Time {
    facts.expires_at.plus_ms(-(lifetime_ms(facts) / 3)).max(issued_at.plus_ms(ISSUED_MS_MIN))
}

fn lifetime_ms(facts: &CertificateFacts) -> i64 {
    facts.expires_at.since_ms(facts.begins_at).max(0)
}

/// Returns the time of the renewal, delayed at random by up to a twentieth of the lifetime, so that services with
/// certificates of the same age don't renew at the same moment.
fn renewal(service: &Service, facts: &CertificateFacts, issued_at: Time) -> NextAcmeRun {
    NextAcmeRun {
        at: renew_at(facts, issued_at).plus_ms(jitter(service, lifetime_ms(facts) / 20)),
        why: NextRunReason::Renewal,
    }
}

/// Returns the delay after a number of failures.
fn gap_ms(failures: u32) -> i64 {
    let at = usize::try_from(failures.saturating_sub(1)).unwrap_or(usize::MAX).min(GAPS_MS.len() - 1);
    GAPS_MS[at]
}

/// Returns a random part of a duration.
fn jitter(service: &Service, ms: i64) -> i64 {
    let mut bytes = [0; 4];
    service.clock.random(&mut bytes);
    ms.saturating_mul(i64::from(u32::from_be_bytes(bytes) >> 8)) >> 24
}

/// Orders a certificate and stores it.
async fn obtain(service: &Arc<Service>, id: Uuid) -> Result<CertificateFacts, AcmeError> {
    let config = &service.config.acme;
    let (key, csr) = tls::request(&config.names).map_err(local_error)?;
    let wanted = CertificateOrder {
        root: config.root.clone(),
        credentials: account(service).await?,
        names: config.names.clone(),
        csr,
        publish: publish(service),
    };
    let chain = service.authority.order(wanted).await;
    if let Err(AcmeError { why: AcmeErrorKind::UnknownAccount, .. }) = &chain {
        let directory = config.directory.clone();
        service.write(move |tx| acme::delete_account(tx, &directory)).await.map_err(local_error)?;
    }
    let chain = chain?;
    let text = CertificatePem {
        chain: chain.clone().into_bytes(),
        key: key.clone().into_bytes(),
        source: CertificateSource::Acme,
        location: config.directory.clone(),
    };
    let facts = text.open().map_err(local_error)?.facts().clone();
    let private_key = seal(service, key.as_bytes(), &context::certificate(id)).map_err(local_error)?;
    let (names, not_after, now) = (config.names.join(" "), facts.expires_at, service.clock.now());
    let work = move |tx: &mut posthouse_store::Tx| {
        let new = acme::IssuedCertificate { id, names: &names, chain: &chain, private_key: &private_key, not_after };
        acme::issued(tx, &new, now)
    };
    service.write(work).await.map_err(local_error)?;
    tracing::info!(names = config.names.join(" "), expires_at = %not_after, "acme.certificate_issued");
    Ok(facts)
}

/// Returns the account's credentials, and registers an account if there isn't one. Of two concurrent registrations, the
/// first one stored is kept.
pub async fn account(service: &Arc<Service>) -> Result<SecretText, AcmeError> {
    if let Some(credentials) = stored_account(service).await? {
        return Ok(credentials);
    }
    let config = &service.config.acme;
    let external = config.external_account.as_ref().map(|external| {
        let key = URL_SAFE_NO_PAD.decode(external.key.0.trim_end_matches('=')).unwrap_or_default();
        (external.key_id.clone(), key)
    });
    let new = Registration {
        directory: config.directory.clone(),
        root: config.root.clone(),
        email: config.email.clone(),
        external,
    };
    let made = service.authority.register(new).await?;
    tracing::info!(directory = config.directory, "acme.account_created");
    let sealed = seal(service, made.as_bytes(), &context::acme_account(&config.directory)).map_err(local_error)?;
    let (directory, now) = (config.directory.clone(), service.clock.now());
    service.write(move |tx| acme::insert_account(tx, &directory, &sealed, now)).await.map_err(local_error)?;
    Ok(stored_account(service).await?.unwrap_or(SecretText(made)))
}

async fn stored_account(service: &Service) -> Result<Option<SecretText>, AcmeError> {
    let directory = service.config.acme.directory.clone();
    let context = context::acme_account(&directory);
    let Some(sealed) =
        service.read(ReadScope::Statement, move |tx| acme::account(tx, &directory)).await.map_err(local_error)?
    else {
        return Ok(None);
    };
    let opened = service.keys.key(&service.config).and_then(|key| key.open(&sealed, &context)).map_err(local_error)?;
    String::from_utf8(opened).map(|text| Some(SecretText(text))).map_err(local_error)
}

fn seal(service: &Service, secret: &[u8], context: &str) -> Result<Vec<u8>, InstanceKeyError> {
    service.keys.key(&service.config)?.seal(secret, context)
}

fn publish(service: &Arc<Service>) -> PublishChallenge {
    let service = Arc::clone(service);
    Arc::new(move |challenge: Challenge| {
        let service = Arc::clone(&service);
        Box::pin(async move {
            let now = service.clock.now();
            let work = move |tx: &mut posthouse_store::Tx| {
                let old = now.plus_ms(-ANSWER_KEPT_MS);
                {
                    let answer = acme::ChallengeAnswer { token: &challenge.token, answer: &challenge.answer };
                    acme::insert_answer(tx, answer, now, old)
                }
            };
            service.write(work).await.map_err(|error| error.to_string())
        })
    })
}

/// Converts a local error, from the store or the instance key.
fn local_error(error: impl std::fmt::Display) -> AcmeError {
    AcmeError { why: AcmeErrorKind::Unreachable, what: error.to_string(), retry_after_s: None }
}

/// Stores and logs a failed attempt.
async fn fail(service: &Service, id: Uuid, failures: u32, declined: AcmeError) -> posthouse_store::Result<NextAcmeRun> {
    let (now, wait_ms) = (service.clock.now(), wait_ms(failures, &declined));
    let at = now.plus_ms(wait_ms + jitter(service, wait_ms / 4));
    let error = sanitize(&declined.what, ERROR_CHARS_MAX);
    let what = sanitize(&error, LOGGED_CHARS_MAX);
    service.write(move |tx| acme::failed(tx, id, &error, now)).await?;
    let (names, next_at) = (service.config.acme.names.join(" "), at.to_string());
    if declined.why == AcmeErrorKind::Unreachable {
        tracing::warn!(names, cause = what, attempt = failures, next_at, "acme.unreachable");
    } else {
        tracing::error!(names, cause = what, attempt = failures, next_at, "acme.refused");
    }
    Ok(NextAcmeRun { at, why: NextRunReason::Retry })
}

/// Returns the least delay: the larger of the backoff and what the authority asks for.
fn wait_ms(failures: u32, declined: &AcmeError) -> i64 {
    let asked_ms = declined.retry_after_s.unwrap_or(0).saturating_mul(1_000).min(RETRY_AFTER_MS_MAX);
    let least_ms = if declined.why == AcmeErrorKind::RateLimited { RATE_LIMITED_MS } else { 0 };
    gap_ms(failures).max(asked_ms).max(least_ms)
}

/// Cuts external text and replaces its control characters.
fn sanitize(text: &str, chars_max: usize) -> String {
    text.chars().take(chars_max).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backoff_grows_and_stays_below_authority_limits() {
        let mut at = 0;
        let times: Vec<i64> = std::iter::once(0)
            .chain((1..12).map(|failures| {
                at += gap_ms(failures);
                at
            }))
            .collect();
        assert!(times.iter().filter(|time| **time < HOUR_MS).count() <= 4, "{times:?}");
        assert!(times.iter().filter(|time| **time < 7 * DAY_MS).count() < 20, "{times:?}");
        assert_eq!(gap_ms(u32::MAX), 12 * HOUR_MS);
    }

    #[test]
    fn retry_after_of_an_authority_is_honored_up_to_a_maximum() {
        let of =
            |failures, why, retry_after_s| wait_ms(failures, &AcmeError { why, what: String::new(), retry_after_s });
        let table = [
            (1, AcmeErrorKind::Refused, None, 2 * MINUTE_MS),
            (1, AcmeErrorKind::RateLimited, None, HOUR_MS),
            (5, AcmeErrorKind::RateLimited, None, 6 * HOUR_MS),
            (1, AcmeErrorKind::Unreachable, Some(600), 10 * MINUTE_MS),
            (3, AcmeErrorKind::Unreachable, Some(600), 30 * MINUTE_MS),
            (1, AcmeErrorKind::RateLimited, Some(86_400), DAY_MS),
            (1, AcmeErrorKind::RateLimited, Some(i64::MAX), 7 * DAY_MS),
        ];
        for (failures, why, retry_after_s, expected) in table {
            assert_eq!(of(failures, why, retry_after_s), expected, "{failures} {why:?} {retry_after_s:?}");
        }
    }

    #[test]
    fn external_text_is_cut_and_has_no_control_characters() {
        assert_eq!(sanitize("a\r\nb\u{1b}[31m", 5), "a  b ");
    }

    #[test]
    fn renewal_is_due_when_a_third_of_the_lifetime_is_left() {
        let day = |n: i64| Time::from_millis(n * DAY_MS);
        let facts = CertificateFacts {
            begins_at: day(0),
            expires_at: day(90),
            names: Vec::new(),
            source: CertificateSource::Acme,
        };
        assert_eq!(renew_at(&facts, day(0)), day(60));
        assert_eq!(renew_at(&facts, day(70)), day(71), "at least a day after it was issued");
        let short = CertificateFacts { expires_at: day(6), ..facts };
        assert_eq!(renew_at(&short, day(0)), day(4));
    }
}
