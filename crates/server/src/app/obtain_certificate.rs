//! Getting a certificate by ACME (RFC 8555), and a new one in good time: when two thirds of its life are over.
//!
//! An attempt that fails waits longer each time, by minutes at first and then by hours, so that no authority is asked more than
//! its limits allow; how often it failed is stored, so a restart does not begin anew. Everything that is kept is kept in the store,
//! private keys sealed: another process answers the challenge or uses the certificate as well.

use std::sync::Arc;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use posthouse_domain::time::{DAY_MS, HOUR_MS, MINUTE_MS, Time};
use posthouse_store::{acme, acme::StoredCertificate};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::{App, keep_certificate, signing::InstanceKeyError};
use crate::{
    config::{Config, SecretText},
    ports::{CertificateOrder, Challenge, Declined, DeclinedWhy, Publish, Registration},
    tls::{self, CertificateFacts, PairText, Source},
};

/// The gap after each failed attempt, in milliseconds: four attempts in the first hour, where five failed ones are an authority's
/// usual limit; then the last gap again and again.
const GAPS_MS: &[i64] = &[2 * MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 6 * HOUR_MS, 12 * HOUR_MS];
/// The least time between two certificates, in milliseconds: one whose life seems to be over when it comes, because a clock is
/// wrong, is not followed by the next at once.
const ISSUED_MS_MIN: i64 = DAY_MS;
/// The least gap after the authority was asked too often, in milliseconds.
const RATE_LIMITED_MS: i64 = HOUR_MS;
/// The longest that an authority can send us away for, in milliseconds.
const SENT_AWAY_MS_MAX: i64 = 7 * DAY_MS;
/// How long an answer to a challenge is kept, in milliseconds.
const ANSWER_KEPT_MS: i64 = DAY_MS;
/// Most characters that are kept of an authority's words.
const TROUBLE_CHARS_MAX: usize = 1_000;
/// Most characters of them in the log.
const LOGGED_CHARS_MAX: usize = 200;
/// Longest token that is looked for, in bytes; they are half as long.
const TOKEN_BYTES_MAX: usize = 256;

/// When to come back, and how it went.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Next {
    /// The time.
    pub at: Time,
    /// What is waited for.
    pub why: Waits,
}

/// What is waited for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Waits {
    /// The certificate's old age.
    Renewal,
    /// Another attempt.
    Retry,
}

/// The place of the configured certificate in the store: another set of names, or another authority, has another.
#[must_use]
pub fn id(config: &Config) -> Uuid {
    let mut names = config.acme.names.clone();
    names.sort_unstable();
    let mut digest = Sha256::new();
    digest.update(&config.acme.directory);
    for name in names {
        digest.update(b"\n");
        digest.update(name);
    }
    let digest: [u8; 32] = digest.finalize().into();
    Uuid::from_u128(digest.iter().take(16).fold(0, |sum, byte| (sum << 8) | u128::from(*byte)))
}

/// Why the last attempt failed, if it did.
///
/// # Errors
/// The store's own.
pub async fn trouble(app: &App) -> posthouse_store::Result<Option<String>> {
    let id = id(&app.config);
    Ok(app.store.read_one(move |tx| acme::certificate(tx, id)).await?.and_then(|row| row.trouble))
}

/// What to answer who asks for that token (RFC 8555 §8.3); none where nobody was told of it.
///
/// # Errors
/// The store's own.
pub async fn answer(app: &App, token: &str) -> posthouse_store::Result<Option<String>> {
    if !app.config.smtp.acme || token.is_empty() || token.len() > TOKEN_BYTES_MAX {
        return Ok(None);
    }
    let token = token.to_owned();
    app.store.read_one(move |tx| acme::answer(tx, &token)).await
}

/// Gets a certificate if it is time for one.
///
/// # Errors
/// The store's own; what the authority says is in [`Next`].
pub async fn run(app: &Arc<App>) -> posthouse_store::Result<Next> {
    let id = id(&app.config);
    let row = app.store.read_one(move |tx| acme::certificate(tx, id)).await?.unwrap_or_default();
    let facts = keep_certificate::stored_facts(app).await.ok().flatten();
    if let Some(next) = too_early(app, &row, facts.as_ref()) {
        return Ok(next);
    }
    let (names, now) = (app.config.acme.names.join(" "), app.clock.now());
    app.store.write(move |tx| acme::began(tx, id, &names, now)).await?;
    match obtain(app, id).await {
        Ok(facts) => {
            keep_certificate::look(app).await;
            Ok(renewal(app, &facts, app.clock.now()))
        }
        Err(declined) => fail(app, id, row.failures.saturating_add(1), declined).await,
    }
}

/// Whether there is nothing to do yet, whoever asks.
fn too_early(app: &App, row: &StoredCertificate, facts: Option<&CertificateFacts>) -> Option<Next> {
    let now = app.clock.now();
    if let Some(tried_at) = row.tried_at.filter(|_| row.failures > 0) {
        let at = tried_at.plus_ms(gap_ms(row.failures));
        return (now < at).then_some(Next { at, why: Waits::Retry });
    }
    let (facts, issued_at) = (facts?, row.tried_at.unwrap_or(Time::from_millis(0)));
    (now < renew_at(facts, issued_at)).then(|| renewal(app, facts, issued_at))
}

/// When a third of its life is left.
fn renew_at(facts: &CertificateFacts, issued_at: Time) -> Time {
    facts.expires_at.plus_ms(-(life_ms(facts) / 3)).max(issued_at.plus_ms(ISSUED_MS_MIN))
}

fn life_ms(facts: &CertificateFacts) -> i64 {
    facts.expires_at.since_ms(facts.begins_at).max(0)
}

/// Not at the same moment as everybody who got one at the same time: up to a twentieth of its life later.
fn renewal(app: &App, facts: &CertificateFacts, issued_at: Time) -> Next {
    Next { at: renew_at(facts, issued_at).plus_ms(spread(app, life_ms(facts) / 20)), why: Waits::Renewal }
}

/// The gap after so many failures.
fn gap_ms(failures: u32) -> i64 {
    let at = usize::try_from(failures.saturating_sub(1)).unwrap_or(usize::MAX).min(GAPS_MS.len() - 1);
    GAPS_MS[at]
}

/// A part of that many milliseconds, by chance.
fn spread(app: &App, ms: i64) -> i64 {
    let mut bytes = [0; 4];
    app.clock.random(&mut bytes);
    ms.saturating_mul(i64::from(u32::from_be_bytes(bytes) >> 8)) >> 24
}

/// One order, and the certificate in the store.
async fn obtain(app: &Arc<App>, id: Uuid) -> Result<CertificateFacts, Declined> {
    let config = &app.config.acme;
    let (key, csr) = tls::request(&config.names).map_err(ours)?;
    let wanted = CertificateOrder {
        root: config.root.clone(),
        credentials: account(app).await?,
        names: config.names.clone(),
        csr,
        publish: publish(app),
    };
    let chain = app.authority.order(wanted).await;
    if let Err(Declined { why: DeclinedWhy::UnknownAccount, .. }) = &chain {
        let directory = config.directory.clone();
        app.store.write(move |tx| acme::delete_account(tx, &directory)).await.map_err(ours)?;
    }
    let chain = chain?;
    let text = PairText {
        chain: chain.clone().into_bytes(),
        key: key.clone().into_bytes(),
        source: Source::Acme,
        place: config.directory.clone(),
    };
    let facts = text.open().map_err(ours)?.facts().clone();
    let private_key = seal(app, key.as_bytes(), &keep_certificate::context(id)).map_err(ours)?;
    let (names, not_after, now) = (config.names.join(" "), facts.expires_at, app.clock.now());
    let work = move |tx: &mut posthouse_store::Tx| {
        let new = acme::Issued { id, names: &names, chain: &chain, private_key: &private_key, not_after };
        acme::issued(tx, &new, now)
    };
    app.store.write(work).await.map_err(ours)?;
    tracing::info!(names = config.names.join(" "), expires_at = %not_after, "acme.certificate_issued");
    Ok(facts)
}

/// The account's secret; the account is made where there is none. Of two that are made at once the first is kept.
async fn account(app: &Arc<App>) -> Result<SecretText, Declined> {
    if let Some(credentials) = stored_account(app).await? {
        return Ok(credentials);
    }
    let config = &app.config.acme;
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
    let made = app.authority.register(new).await?;
    tracing::info!(directory = config.directory, "acme.account_made");
    let sealed = seal(app, made.as_bytes(), &account_context(&config.directory)).map_err(ours)?;
    let (directory, now) = (config.directory.clone(), app.clock.now());
    app.store.write(move |tx| acme::insert_account(tx, &directory, &sealed, now)).await.map_err(ours)?;
    Ok(stored_account(app).await?.unwrap_or(SecretText(made)))
}

async fn stored_account(app: &App) -> Result<Option<SecretText>, Declined> {
    let directory = app.config.acme.directory.clone();
    let context = account_context(&directory);
    let Some(sealed) = app.store.read_one(move |tx| acme::account(tx, &directory)).await.map_err(ours)? else {
        return Ok(None);
    };
    let opened = app.vault.key(app).and_then(|key| key.open(&sealed, &context)).map_err(ours)?;
    String::from_utf8(opened).map(|text| Some(SecretText(text))).map_err(ours)
}

/// What the sealed secret of an account is bound to.
pub(super) fn account_context(directory: &str) -> String {
    format!("acme account {directory}")
}

fn seal(app: &App, secret: &[u8], context: &str) -> Result<Vec<u8>, InstanceKeyError> {
    app.vault.key(app)?.seal(secret, context)
}

fn publish(app: &Arc<App>) -> Publish {
    let app = Arc::clone(app);
    Arc::new(move |challenge: Challenge| {
        let app = Arc::clone(&app);
        Box::pin(async move {
            let now = app.clock.now();
            let work = move |tx: &mut posthouse_store::Tx| {
                let old = now.plus_ms(-ANSWER_KEPT_MS);
                acme::insert_answer(tx, (&challenge.token, &challenge.answer), now, old)
            };
            app.store.write(work).await.map_err(|error| error.to_string())
        })
    })
}

/// Something of this side went wrong: the store, or the key of the instance.
fn ours(error: impl std::fmt::Display) -> Declined {
    Declined { why: DeclinedWhy::Unreachable, what: error.to_string(), retry_after_s: None }
}

/// Writes the failure down and says so, once an attempt.
async fn fail(app: &App, id: Uuid, failures: u32, declined: Declined) -> posthouse_store::Result<Next> {
    let (now, wait_ms) = (app.clock.now(), wait_ms(failures, &declined));
    let at = now.plus_ms(wait_ms + spread(app, wait_ms / 4));
    let trouble = tame(&declined.what, TROUBLE_CHARS_MAX);
    let what = tame(&trouble, LOGGED_CHARS_MAX);
    app.store.write(move |tx| acme::failed(tx, id, &trouble, now)).await?;
    let (names, next_at) = (app.config.acme.names.join(" "), at.to_string());
    if declined.why == DeclinedWhy::Unreachable {
        tracing::warn!(names, cause = what, attempt = failures, next_at, "acme.not_reached");
    } else {
        tracing::error!(names, cause = what, attempt = failures, next_at, "acme.refused");
    }
    Ok(Next { at, why: Waits::Retry })
}

/// How long to wait at least: what is due after so many failures, or what the authority asks for.
fn wait_ms(failures: u32, declined: &Declined) -> i64 {
    let asked_ms = declined.retry_after_s.unwrap_or(0).saturating_mul(1_000).min(SENT_AWAY_MS_MAX);
    let least_ms = if declined.why == DeclinedWhy::RateLimited { RATE_LIMITED_MS } else { 0 };
    gap_ms(failures).max(asked_ms).max(least_ms)
}

/// Words from outside, so many characters of them.
fn tame(text: &str, chars_max: usize) -> String {
    text.chars().take(chars_max).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_grow_and_stay_below_the_limits_of_authorities() {
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
    fn an_authority_that_names_a_time_is_heard_within_reason() {
        let of =
            |failures, why, retry_after_s| wait_ms(failures, &Declined { why, what: String::new(), retry_after_s });
        let table = [
            (1, DeclinedWhy::Refused, None, 2 * MINUTE_MS),
            (1, DeclinedWhy::RateLimited, None, HOUR_MS),
            (5, DeclinedWhy::RateLimited, None, 6 * HOUR_MS),
            (1, DeclinedWhy::Unreachable, Some(600), 10 * MINUTE_MS),
            (3, DeclinedWhy::Unreachable, Some(600), 30 * MINUTE_MS),
            (1, DeclinedWhy::RateLimited, Some(86_400), DAY_MS),
            (1, DeclinedWhy::RateLimited, Some(i64::MAX), 7 * DAY_MS),
        ];
        for (failures, why, retry_after_s, expected) in table {
            assert_eq!(of(failures, why, retry_after_s), expected, "{failures} {why:?} {retry_after_s:?}");
        }
    }

    #[test]
    fn words_from_outside_are_cut_and_hold_no_control_characters() {
        assert_eq!(tame("a\r\nb\u{1b}[31m", 5), "a  b ");
    }

    #[test]
    fn a_third_of_its_life_before_its_end_a_certificate_is_renewed() {
        let day = |n: i64| Time::from_millis(n * DAY_MS);
        let facts =
            CertificateFacts { begins_at: day(0), expires_at: day(90), names: Vec::new(), source: Source::Acme };
        assert_eq!(renew_at(&facts, day(0)), day(60));
        assert_eq!(renew_at(&facts, day(70)), day(71), "a day after it was issued at the earliest");
        let short = CertificateFacts { expires_at: day(6), ..facts };
        assert_eq!(renew_at(&short, day(0)), day(4));
    }

    #[test]
    fn the_place_depends_on_the_names_as_a_set_and_on_the_authority() {
        let of = |directory: &str, names: &[&str]| {
            let mut config = Config::loopback();
            config.acme.directory = directory.to_owned();
            config.acme.names = names.iter().map(|name| (*name).to_owned()).collect();
            id(&config)
        };
        assert_eq!(of("d", &["a.example", "b.example"]), of("d", &["b.example", "a.example"]));
        assert_ne!(of("d", &["a.example", "b.example"]), of("d", &["a.example"]));
        assert_ne!(of("d", &["a.example"]), of("e", &["a.example"]));
    }
}
