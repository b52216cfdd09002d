//! The current certificate of all listeners. Each handshake reads it, so a new certificate doesn't affect open
//! connections.
//!
//! A new certificate that cannot be used is only recorded as refused.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use posthouse_domain::{DAY_MS, Time};
use rustls::{ServerConfig, server::ClientHello, server::ResolvesServerCert, sign::CertifiedKey};

use super::pair::{CertificateFacts, CertificatePair, CertificatePem, Fingerprint};

/// Holds the process's current certificate.
#[derive(Default)]
pub struct CertificateHolder {
    slot: Arc<CertificateSlot>,
    known: Mutex<CertificateStatus>,
}

/// The certificate for handshakes.
#[derive(Default, Debug)]
struct CertificateSlot(RwLock<Option<Arc<CertifiedKey>>>);

impl ResolvesServerCert for CertificateSlot {
    fn resolve(&self, _client_hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Status of the certificate.
#[derive(Default)]
struct CertificateStatus {
    facts: Option<CertificateFacts>,
    in_use: Option<Fingerprint>,
    refused: Option<String>,
    warned_day: Option<i64>,
}

impl CertificateHolder {
    /// Returns the TLS configuration for a listener; each handshake uses the certificate that is current then.
    ///
    /// # Errors
    /// Returns an error if rustls rejects the settings.
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

    /// Replaces the current certificate.
    pub fn replace(&self, pair: CertificatePair, text: &CertificatePem) {
        let mut known = self.known();
        known.facts = Some(pair.facts().clone());
        known.in_use = Some(text.fingerprint());
        known.refused = None;
        known.warned_day = None;
        *self.slot.0.write().unwrap_or_else(PoisonError::into_inner) = Some(pair.certified);
    }

    /// Returns whether this certificate is already in use. If it is, clears the record of a refused one.
    pub fn has(&self, text: &CertificatePem) -> bool {
        let mut known = self.known();
        let has = known.in_use == Some(text.fingerprint());
        if has {
            known.refused = None;
        }
        has
    }

    /// Records that a new certificate cannot be used, and returns whether the reason is new.
    pub fn refuse(&self, why: &str) -> bool {
        let mut known = self.known();
        let is_new = known.refused.as_deref() != Some(why);
        known.refused = Some(why.to_owned());
        is_new
    }

    /// Returns the facts of the current certificate; `None` before the first one.
    #[must_use]
    pub fn facts(&self) -> Option<CertificateFacts> {
        self.known().facts.clone()
    }

    /// Returns why a newer certificate is not in use, if one was refused.
    #[must_use]
    pub fn refused(&self) -> Option<String> {
        self.known().refused.clone()
    }

    /// Returns whether to warn about the expiry now: once a day, starting `days` before it.
    pub fn should_warn(&self, now: Time, days: i64) -> bool {
        let mut known = self.known();
        let today = now.millis().div_euclid(DAY_MS);
        let soon = known.facts.as_ref().is_some_and(|facts| facts.remaining_ms(now) < days * DAY_MS);
        let is_warned = known.warned_day.replace(today) == Some(today);
        soon && !is_warned
    }

    fn known(&self) -> MutexGuard<'_, CertificateStatus> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
