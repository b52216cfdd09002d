//! The certificate that every listener uses now, and may be another in a minute: handshakes ask for it one by one, so those
//! who are connected notice nothing of a change.
//!
//! A new one that cannot be used changes nothing but what is told of it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use posthouse_domain::time::{DAY_MS, Time};
use rustls::{
    ServerConfig,
    server::{ClientHello, ResolvesServerCert},
    sign::CertifiedKey,
};

use super::pair::{CertificateFacts, Fingerprint, Pair, PairText};

/// The current certificate of the process.
#[derive(Default)]
pub struct Keeper {
    slot: Arc<Slot>,
    known: Mutex<Known>,
}

/// What the handshakes see.
#[derive(Default, Debug)]
struct Slot(RwLock<Option<Arc<CertifiedKey>>>);

impl ResolvesServerCert for Slot {
    fn resolve(&self, _client_hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// What is told of it.
#[derive(Default)]
struct Known {
    facts: Option<CertificateFacts>,
    in_use: Option<Fingerprint>,
    refused: Option<String>,
    warned_day: Option<i64>,
}

impl Keeper {
    /// TLS for a listener, with whatever certificate is kept at the time of each handshake.
    ///
    /// # Errors
    /// When the library refuses the settings.
    pub fn server_config(&self, protocols: &[&str]) -> Result<Arc<ServerConfig>, rustls::Error> {
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let resolver: Arc<dyn ResolvesServerCert> = self.slot.clone();
        let mut built = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_cert_resolver(resolver);
        built.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
        Ok(Arc::new(built))
    }

    /// Keeps that one from now on.
    pub fn take(&self, pair: Pair, text: &PairText) {
        let mut known = self.known();
        known.facts = Some(pair.facts().clone());
        known.in_use = Some(text.fingerprint());
        known.refused = None;
        known.warned_day = None;
        *self.slot.0.write().unwrap_or_else(PoisonError::into_inner) = Some(pair.certified);
    }

    /// Whether that one is in use already. If it is, there is nothing left to be told of another that was refused.
    pub fn has(&self, text: &PairText) -> bool {
        let mut known = self.known();
        let has = known.in_use == Some(text.fingerprint());
        if has {
            known.refused = None;
        }
        has
    }

    /// Notes that a new one cannot be used; whether that is news.
    pub fn refuse(&self, why: &str) -> bool {
        let mut known = self.known();
        let is_news = known.refused.as_deref() != Some(why);
        known.refused = Some(why.to_owned());
        is_news
    }

    /// What is known of the one in use; none before the first.
    #[must_use]
    pub fn facts(&self) -> Option<CertificateFacts> {
        self.known().facts.clone()
    }

    /// Why a newer one is not in use, where there is such.
    #[must_use]
    pub fn refused(&self) -> Option<String> {
        self.known().refused.clone()
    }

    /// Whether its end has to be spoken of now: from `days` before it on, once a day.
    pub fn is_worth_a_warning(&self, now: Time, days: i64) -> bool {
        let mut known = self.known();
        let today = now.millis().div_euclid(DAY_MS);
        let soon = known.facts.as_ref().is_some_and(|facts| facts.left_ms(now) < days * DAY_MS);
        let told = known.warned_day.replace(today) == Some(today);
        soon && !told
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
