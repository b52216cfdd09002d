//! The context that each sealed secret is bound to. A secret that was moved to another row doesn't open.

use posthouse_domain::{DomainId, WebhookId};
use posthouse_store::sealed::SealedLocation;
use uuid::Uuid;

/// Returns the context of the secret at a location.
#[must_use]
pub fn of(location: &SealedLocation) -> String {
    match location {
        SealedLocation::ServedDomainKey { domain, selector, algorithm } => {
            default_domain_dkim(domain, selector, algorithm)
        }
        SealedLocation::CustomDomainKey { id, selector } => domain_dkim(*id, selector),
        SealedLocation::AcmeAccount(directory) => acme_account(directory),
        SealedLocation::Certificate(id) => certificate(*id),
        SealedLocation::SigningKey(kid) => signing_key(kid),
        SealedLocation::WebhookHeaders(id) => webhook(*id, "headers"),
        SealedLocation::WebhookSecret(id) => webhook(*id, "secret"),
    }
}

/// Returns the context of a DKIM key of the default domain.
#[must_use]
pub fn default_domain_dkim(domain: &str, selector: &str, algorithm: &str) -> String {
    format!("dkim {domain} {selector} {algorithm}")
}

/// Returns the context of a DKIM key of a custom domain.
#[must_use]
pub fn domain_dkim(id: DomainId, label: &str) -> String {
    format!("domain {id} {label}")
}

/// Returns the context of the account with an ACME directory.
#[must_use]
pub fn acme_account(directory: &str) -> String {
    format!("acme account {directory}")
}

/// Returns the context of a certificate's private key.
#[must_use]
pub fn certificate(id: Uuid) -> String {
    format!("certificate {id}")
}

/// Returns the context of a signing key of the service.
#[must_use]
pub fn signing_key(kid: &str) -> String {
    format!("signing key {kid}")
}

/// Returns the context of a webhook's secret or header fields (`secret` or `headers`).
#[must_use]
pub fn webhook(id: WebhookId, what: &str) -> String {
    format!("webhook {id} {what}")
}
