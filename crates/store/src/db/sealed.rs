//! All columns sealed with the instance key, for rotating that key.
//!
//! A test below fails for any bytes column that is listed neither as sealed nor as unsealed.

use posthouse_domain::{DomainId, WebhookId, WorkspaceId};
use uuid::Uuid;

use crate::{Error, Result, Tx, p, statements};

statements! {
    DKIM = "SELECT domain, selector, algorithm, private_key FROM dkim_keys WHERE (domain, selector, algorithm) > ($1, $2, $3)
        ORDER BY domain, selector, algorithm LIMIT $4";
    PUT_DKIM = "UPDATE dkim_keys SET private_key = $4 WHERE domain = $1 AND selector = $2 AND algorithm = $3";
    DOMAINS = "SELECT workspace_id, domain_id, selector, private_key FROM domain_keys
        WHERE (workspace_id, domain_id, selector) > ($1, $2, $3) ORDER BY workspace_id, domain_id, selector LIMIT $4";
    PUT_DOMAIN = "UPDATE domain_keys SET private_key = $4 WHERE workspace_id = $1 AND domain_id = $2 AND selector = $3";
    WEBHOOKS = "SELECT workspace_id, id, headers, secret, old_secret FROM webhooks WHERE (workspace_id, id) > ($1, $2)
        ORDER BY workspace_id, id LIMIT $3";
    ACCOUNTS = "SELECT directory, credentials FROM acme_accounts WHERE directory > $1 ORDER BY directory LIMIT $2";
    PUT_ACCOUNT = "UPDATE acme_accounts SET credentials = $2 WHERE directory = $1";
    CERTIFICATES = "SELECT id, private_key FROM acme_certificates WHERE id > $1 ORDER BY id LIMIT $2";
    PUT_CERTIFICATE = "UPDATE acme_certificates SET private_key = $2 WHERE id = $1";
    SIGNING = "SELECT kid, private_key FROM signing_keys WHERE kid > $1 ORDER BY kid LIMIT $2";
    PUT_SIGNING = "UPDATE signing_keys SET private_key = $2 WHERE kid = $1";
    PUT_WEBHOOK = "UPDATE webhooks SET headers = $3, secret = $4, old_secret = $5 WHERE workspace_id = $1 AND id = $2";
}

/// Rows read per statement.
const PAGE: u32 = 200;

/// Row limit for an existence check.
const ONE: u32 = 1;

/// The location of a sealed value. Its encryption context is derived from it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SealedLocation {
    /// A DKIM key of a served domain.
    ServedDomainKey {
        /// The signing domain.
        domain: String,
        /// The selector.
        selector: String,
        /// The algorithm.
        algorithm: String,
    },
    /// A DKIM key of a workspace's custom domain.
    CustomDomainKey {
        /// The domain.
        id: DomainId,
        /// The selector.
        selector: String,
    },
    /// The ACME account at that directory.
    AcmeAccount(String),
    /// The private key of an ACME certificate.
    Certificate(Uuid),
    /// A signing key of the service.
    SigningKey(String),
    /// The custom header fields of a webhook.
    WebhookHeaders(WebhookId),
    /// The current or previous secret of a webhook.
    WebhookSecret(WebhookId),
}

/// A function that converts a sealed value to its replacement.
pub type ResealFn<'c, E> = &'c dyn Fn(&SealedLocation, &[u8]) -> Result<Vec<u8>, E>;

/// Replaces every sealed value with the result of `change`; returns how many there were. Runs in the caller's
/// transaction, so it takes effect completely or not at all.
///
/// # Errors
/// Returns an error if the database call or `change` fails.
pub fn replace<E: From<Error>>(tx: &mut Tx, change: ResealFn<'_, E>) -> Result<u64, E> {
    let keys = served(tx, change)? + domains(tx, change)?;
    let keys = keys + signing(tx, change)?;
    Ok(keys + webhooks(tx, change)? + accounts(tx, change)? + certificates(tx, change)?)
}

/// Returns any one sealed value with its location; `None` if the store has none.
pub fn any(tx: &mut Tx) -> Result<Option<(SealedLocation, Vec<u8>)>> {
    let key: Option<ServedKeyRow> = tx.one(&DKIM, p!["", "", "", ONE])?;
    if let Some(ServedKeyRow { domain, selector, algorithm, private_key }) = key {
        return Ok(Some((SealedLocation::ServedDomainKey { domain, selector, algorithm }, private_key)));
    }
    let nil = Uuid::nil();
    let key: Option<DomainKeyRow> = tx.one(&DOMAINS, p![nil, nil, "", ONE])?;
    if let Some(DomainKeyRow { domain_id: id, selector, private_key, .. }) = key {
        return Ok(Some((SealedLocation::CustomDomainKey { id, selector }, private_key)));
    }
    let hook: Option<WebhookRow> = tx.one(&WEBHOOKS, p![nil, nil, ONE])?;
    if let Some(WebhookRow { id, secret, .. }) = hook {
        return Ok(Some((SealedLocation::WebhookSecret(id), secret)));
    }
    let account: Option<AccountRow> = tx.one(&ACCOUNTS, p!["", ONE])?;
    if let Some(AccountRow { directory, credentials }) = account {
        return Ok(Some((SealedLocation::AcmeAccount(directory), credentials)));
    }
    let keys: Vec<SigningKeyRow> = tx.rows(&SIGNING, p!["", PAGE])?;
    let key = keys.into_iter().find_map(|row| Some((SealedLocation::SigningKey(row.kid), row.private_key?)));
    if key.is_some() {
        return Ok(key);
    }
    // A certificate that is ordered but not issued yet has no key.
    let certificates: Vec<CertificateRow> = tx.rows(&CERTIFICATES, p![nil, PAGE])?;
    Ok(certificates.into_iter().find_map(|row| Some((SealedLocation::Certificate(row.id), row.private_key?))))
}

fn served<E: From<Error>>(tx: &mut Tx, change: ResealFn<'_, E>) -> Result<u64, E> {
    let (mut count, mut after) = (0, (String::new(), String::new(), String::new()));
    loop {
        let found: Vec<ServedKeyRow> = tx.rows(&DKIM, p![after.0, after.1, after.2, PAGE])?;
        let is_last = found.len() < PAGE as usize;
        for ServedKeyRow { domain, selector, algorithm, private_key } in found {
            after = (domain.clone(), selector.clone(), algorithm.clone());
            let location = SealedLocation::ServedDomainKey { domain, selector, algorithm };
            tx.exec(&PUT_DKIM, p![after.0, after.1, after.2, change(&location, &private_key)?])?;
            count += 1;
        }
        if is_last {
            return Ok(count);
        }
    }
}

fn domains<E: From<Error>>(tx: &mut Tx, change: ResealFn<'_, E>) -> Result<u64, E> {
    let (mut count, mut after) = (0, (WorkspaceId(Uuid::nil()), DomainId(Uuid::nil()), String::new()));
    loop {
        let found: Vec<DomainKeyRow> = tx.rows(&DOMAINS, p![after.0, after.1, after.2, PAGE])?;
        let is_last = found.len() < PAGE as usize;
        for DomainKeyRow { workspace_id, domain_id: id, selector, private_key } in found {
            let changed = change(&SealedLocation::CustomDomainKey { id, selector: selector.clone() }, &private_key)?;
            tx.exec(&PUT_DOMAIN, p![workspace_id, id, selector, changed])?;
            after = (workspace_id, id, selector);
            count += 1;
        }
        if is_last {
            return Ok(count);
        }
    }
}

fn webhooks<E: From<Error>>(tx: &mut Tx, change: ResealFn<'_, E>) -> Result<u64, E> {
    let (mut count, mut after) = (0, (WorkspaceId(Uuid::nil()), WebhookId(Uuid::nil())));
    loop {
        let found: Vec<WebhookRow> = tx.rows(&WEBHOOKS, p![after.0, after.1, PAGE])?;
        let is_last = found.len() < PAGE as usize;
        for WebhookRow { workspace_id, id, headers, secret, old_secret } in found {
            let headers = change(&SealedLocation::WebhookHeaders(id), &headers)?;
            let secret = change(&SealedLocation::WebhookSecret(id), &secret)?;
            let old_secret = old_secret.map(|old| change(&SealedLocation::WebhookSecret(id), &old)).transpose()?;
            count += 2 + u64::from(old_secret.is_some());
            tx.exec(&PUT_WEBHOOK, p![workspace_id, id, headers, secret, old_secret])?;
            after = (workspace_id, id);
        }
        if is_last {
            return Ok(count);
        }
    }
}

fn accounts<E: From<Error>>(tx: &mut Tx, change: ResealFn<'_, E>) -> Result<u64, E> {
    let (mut count, mut after) = (0, String::new());
    loop {
        let found: Vec<AccountRow> = tx.rows(&ACCOUNTS, p![after, PAGE])?;
        let is_last = found.len() < PAGE as usize;
        for AccountRow { directory, credentials } in found {
            let changed = change(&SealedLocation::AcmeAccount(directory.clone()), &credentials)?;
            tx.exec(&PUT_ACCOUNT, p![directory, changed])?;
            after = directory;
            count += 1;
        }
        if is_last {
            return Ok(count);
        }
    }
}

fn certificates<E: From<Error>>(tx: &mut Tx, change: ResealFn<'_, E>) -> Result<u64, E> {
    let (mut count, mut after) = (0, Uuid::nil());
    loop {
        let found: Vec<CertificateRow> = tx.rows(&CERTIFICATES, p![after, PAGE])?;
        let is_last = found.len() < PAGE as usize;
        for CertificateRow { id, private_key } in found {
            after = id;
            // There is no key before the first certificate is issued.
            let Some(sealed) = private_key else { continue };
            tx.exec(&PUT_CERTIFICATE, p![id, change(&SealedLocation::Certificate(id), &sealed)?])?;
            count += 1;
        }
        if is_last {
            return Ok(count);
        }
    }
}

fn signing<E: From<Error>>(tx: &mut Tx, change: ResealFn<'_, E>) -> Result<u64, E> {
    let (mut count, mut after) = (0, String::new());
    loop {
        let found: Vec<SigningKeyRow> = tx.rows(&SIGNING, p![after, PAGE])?;
        let is_last = found.len() < PAGE as usize;
        for SigningKeyRow { kid, private_key } in found {
            after = kid.clone();
            // An old key has no private part.
            let Some(sealed) = private_key else { continue };
            tx.exec(&PUT_SIGNING, p![after, change(&SealedLocation::SigningKey(kid), &sealed)?])?;
            count += 1;
        }
        if is_last {
            return Ok(count);
        }
    }
}

crate::row_struct!(ServedKeyRow { domain: String, selector: String, algorithm: String, private_key: Vec<u8> });
crate::row_struct!(DomainKeyRow { workspace_id: WorkspaceId, domain_id: DomainId, selector: String, private_key: Vec<u8> });
crate::row_struct!(WebhookRow {
    workspace_id: WorkspaceId, id: WebhookId, headers: Vec<u8>, secret: Vec<u8>, old_secret: Option<Vec<u8>>,
});
crate::row_struct!(SigningKeyRow { kid: String, private_key: Option<Vec<u8>> });
crate::row_struct!(AccountRow { directory: String, credentials: Vec<u8> });
crate::row_struct!(CertificateRow { id: Uuid, private_key: Option<Vec<u8>> });

#[cfg(test)]
mod tests {
    use crate::migrate::MIGRATIONS;

    /// Columns that [`super::replace`] handles.
    const SEALED: &[&str] = &[
        "dkim_keys.private_key",
        "domain_keys.private_key",
        "webhooks.headers",
        "webhooks.secret",
        "webhooks.old_secret",
        "acme_accounts.credentials",
        "acme_certificates.private_key",
        "signing_keys.private_key",
    ];
    /// Columns of bytes that aren't sealed: digests and content.
    const UNSEALED: &[&str] = &[
        "api_keys.digest",
        "contents.raw",
        "attachments.sha256",
        "envelopes.signed_with",
        "idempotency.fingerprint",
        "drafts.approved_content_sha256",
        "draft_files.sha256",
        "draft_files.content",
        "message_approvals.content_sha256",
        "forgotten_contacts.digest",
        "stream_tokens.digest",
        "sign_ins.digest",
        "sign_ins.network",
        "sessions.digest",
        "forwarding_addresses.token_sha256",
        "on_call_contacts.token_sha256",
        "confirmation_requests.address",
        "greylist.id",
        "seen_filters.filter",
        "sending_incidents.recipient",
        "signups.claim_token_sha256",
        "identity_clients.subject_salt",
        "identity_clients.secret_sha256",
        "identity_requests.secret_sha256",
        "identity_requests.code_sha256",
        "identity_access_tokens.digest",
        "used_challenges.nonce",
        "agent_reports.network",
        "signup_usage.subject",
        "connectors.code_sha256",
        "connectors.family_sha256",
        "connectors.refresh_sha256",
        "connector_tokens.digest",
        "file_links.digest",
        "cancelled_waits.digest",
        "knowledge_passages.passages",
    ];

    #[test]
    fn every_bytes_column_is_listed_as_sealed_or_unsealed() {
        let mut unknown = Vec::new();
        let mut table = "";
        for line in MIGRATIONS.iter().flat_map(|migration| migration.text.lines()) {
            let mut words = line.split_whitespace();
            match (words.next(), words.next(), words.next()) {
                (Some("CREATE" | "ALTER"), Some("TABLE"), Some(name)) => table = name,
                (Some(column), Some("{BLOB}" | "{BLOB},"), _) => unknown.push(format!("{table}.{column}")),
                _ => {}
            }
        }
        assert!(SEALED.iter().all(|column| unknown.iter().any(|name| name == column)), "{unknown:?}");
        unknown.retain(|name| !SEALED.contains(&name.as_str()) && !UNSEALED.contains(&name.as_str()));
        assert!(
            unknown.is_empty(),
            "{unknown:?}: list each column as sealed or unsealed; `replace` must handle sealed ones"
        );
    }
}
