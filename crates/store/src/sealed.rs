//! Everything that is sealed with the key of the instance, wherever it stands: for putting it under another key.
//!
//! A column of bytes that is not named here or in the test below does not get past that test.

use posthouse_domain::id::{DomainId, WebhookId, WorkspaceId};
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
    PUT_WEBHOOK = "UPDATE webhooks SET headers = $3, secret = $4, old_secret = $5 WHERE workspace_id = $1 AND id = $2";
}

/// Rows that are read at once.
const PAGE: u32 = 200;

/// Rows that are enough to know that there are some.
const ONE: u32 = 1;

/// Where something sealed stands: what it is bound to follows from that.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Place {
    /// A DKIM key of a served domain.
    Dkim {
        /// The signing domain.
        domain: String,
        /// The selector.
        selector: String,
        /// The algorithm.
        algorithm: String,
    },
    /// A DKIM key of a workspace's own domain.
    Domain {
        /// The domain.
        id: DomainId,
        /// The selector.
        selector: String,
    },
    /// The account at that directory of a certificate authority.
    AcmeAccount(String),
    /// The private key of a certificate by ACME.
    Certificate(Uuid),
    /// The owner's header fields of a webhook.
    WebhookHeaders(WebhookId),
    /// The secret of a webhook, or the one before it.
    WebhookSecret(WebhookId),
}

/// What becomes of a sealed value.
pub type Change<'c, E> = &'c dyn Fn(&Place, &[u8]) -> Result<Vec<u8>, E>;

/// Replaces everything that is sealed by what `change` makes of it; gives how many there were. All in the transaction of
/// the caller: it happens whole or not at all.
///
/// # Errors
/// The store's own, and that of `change`.
pub fn replace<E: From<Error>>(tx: &mut Tx, change: Change<'_, E>) -> Result<u64, E> {
    let keys = served(tx, change)? + domains(tx, change)?;
    Ok(keys + webhooks(tx, change)? + accounts(tx, change)? + certificates(tx, change)?)
}

/// One of the things that are sealed, with its place; none in a store where nothing is.
///
/// # Errors
/// The store's own.
pub fn any(tx: &mut Tx) -> Result<Option<(Place, Vec<u8>)>> {
    let key: Option<(String, String, String, Vec<u8>)> = tx.one(&DKIM, p!["", "", "", ONE])?;
    if let Some((domain, selector, algorithm, sealed)) = key {
        return Ok(Some((Place::Dkim { domain, selector, algorithm }, sealed)));
    }
    let nil = Uuid::nil();
    let key: Option<(WorkspaceId, DomainId, String, Vec<u8>)> = tx.one(&DOMAINS, p![nil, nil, "", ONE])?;
    if let Some((_, id, selector, sealed)) = key {
        return Ok(Some((Place::Domain { id, selector }, sealed)));
    }
    type Hook = (WorkspaceId, WebhookId, Vec<u8>, Vec<u8>, Option<Vec<u8>>);
    let hook: Option<Hook> = tx.one(&WEBHOOKS, p![nil, nil, ONE])?;
    if let Some((_, id, _, secret, _)) = hook {
        return Ok(Some((Place::WebhookSecret(id), secret)));
    }
    let account: Option<(String, Vec<u8>)> = tx.one(&ACCOUNTS, p!["", ONE])?;
    if let Some((directory, sealed)) = account {
        return Ok(Some((Place::AcmeAccount(directory), sealed)));
    }
    // A certificate that was ordered and not issued yet has no key.
    let certificates: Vec<(Uuid, Option<Vec<u8>>)> = tx.rows(&CERTIFICATES, p![nil, PAGE])?;
    Ok(certificates.into_iter().find_map(|(id, sealed)| Some((Place::Certificate(id), sealed?))))
}

fn served<E: From<Error>>(tx: &mut Tx, change: Change<'_, E>) -> Result<u64, E> {
    type Found = (String, String, String, Vec<u8>);
    let (mut count, mut after) = (0, (String::new(), String::new(), String::new()));
    loop {
        let found: Vec<Found> = tx.rows(&DKIM, p![after.0, after.1, after.2, PAGE])?;
        let is_last = found.len() < PAGE as usize;
        for (domain, selector, algorithm, sealed) in found {
            after = (domain.clone(), selector.clone(), algorithm.clone());
            let place = Place::Dkim { domain, selector, algorithm };
            tx.exec(&PUT_DKIM, p![after.0, after.1, after.2, change(&place, &sealed)?])?;
            count += 1;
        }
        if is_last {
            return Ok(count);
        }
    }
}

fn domains<E: From<Error>>(tx: &mut Tx, change: Change<'_, E>) -> Result<u64, E> {
    type Found = (WorkspaceId, DomainId, String, Vec<u8>);
    let (mut count, mut after) = (0, (WorkspaceId(Uuid::nil()), DomainId(Uuid::nil()), String::new()));
    loop {
        let found: Vec<Found> = tx.rows(&DOMAINS, p![after.0, after.1, after.2, PAGE])?;
        let is_last = found.len() < PAGE as usize;
        for (workspace, id, selector, sealed) in found {
            let changed = change(&Place::Domain { id, selector: selector.clone() }, &sealed)?;
            tx.exec(&PUT_DOMAIN, p![workspace, id, selector, changed])?;
            after = (workspace, id, selector);
            count += 1;
        }
        if is_last {
            return Ok(count);
        }
    }
}

fn webhooks<E: From<Error>>(tx: &mut Tx, change: Change<'_, E>) -> Result<u64, E> {
    type Found = (WorkspaceId, WebhookId, Vec<u8>, Vec<u8>, Option<Vec<u8>>);
    let (mut count, mut after) = (0, (WorkspaceId(Uuid::nil()), WebhookId(Uuid::nil())));
    loop {
        let found: Vec<Found> = tx.rows(&WEBHOOKS, p![after.0, after.1, PAGE])?;
        let is_last = found.len() < PAGE as usize;
        for (workspace, id, headers, secret, old_secret) in found {
            let headers = change(&Place::WebhookHeaders(id), &headers)?;
            let secret = change(&Place::WebhookSecret(id), &secret)?;
            let old_secret = old_secret.map(|old| change(&Place::WebhookSecret(id), &old)).transpose()?;
            count += 2 + u64::from(old_secret.is_some());
            tx.exec(&PUT_WEBHOOK, p![workspace, id, headers, secret, old_secret])?;
            after = (workspace, id);
        }
        if is_last {
            return Ok(count);
        }
    }
}

fn accounts<E: From<Error>>(tx: &mut Tx, change: Change<'_, E>) -> Result<u64, E> {
    let (mut count, mut after) = (0, String::new());
    loop {
        let found: Vec<(String, Vec<u8>)> = tx.rows(&ACCOUNTS, p![after, PAGE])?;
        let is_last = found.len() < PAGE as usize;
        for (directory, sealed) in found {
            let changed = change(&Place::AcmeAccount(directory.clone()), &sealed)?;
            tx.exec(&PUT_ACCOUNT, p![directory, changed])?;
            after = directory;
            count += 1;
        }
        if is_last {
            return Ok(count);
        }
    }
}

fn certificates<E: From<Error>>(tx: &mut Tx, change: Change<'_, E>) -> Result<u64, E> {
    let (mut count, mut after) = (0, Uuid::nil());
    loop {
        let found: Vec<(Uuid, Option<Vec<u8>>)> = tx.rows(&CERTIFICATES, p![after, PAGE])?;
        let is_last = found.len() < PAGE as usize;
        for (id, sealed) in found {
            after = id;
            // There is none before the first was issued.
            let Some(sealed) = sealed else { continue };
            tx.exec(&PUT_CERTIFICATE, p![id, change(&Place::Certificate(id), &sealed)?])?;
            count += 1;
        }
        if is_last {
            return Ok(count);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::migrate::MIGRATIONS;

    /// Columns that [`super::replace`] knows.
    const SEALED: &[&str] = &[
        "dkim_keys.private_key",
        "domain_keys.private_key",
        "webhooks.headers",
        "webhooks.secret",
        "webhooks.old_secret",
        "acme_accounts.credentials",
        "acme_certificates.private_key",
    ];
    /// Columns of bytes that are not sealed: digests, and content.
    const OTHERS: &[&str] = &[
        "api_keys.digest",
        "contents.raw",
        "attachments.sha256",
        "idempotency.fingerprint",
        "drafts.approved_content_sha256",
        "draft_files.sha256",
        "draft_files.content",
        "message_approvals.content_sha256",
        "forgotten_contacts.digest",
        "stream_tokens.digest",
        "forwarding_addresses.token_sha256",
        "greylist.id",
        "sending_incidents.recipient",
    ];

    #[test]
    fn every_column_of_bytes_is_known_to_be_sealed_or_not() {
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
        unknown.retain(|name| !SEALED.contains(&name.as_str()) && !OTHERS.contains(&name.as_str()));
        assert!(
            unknown.is_empty(),
            "{unknown:?}: what is sealed with the key of the instance must be put under another key here too"
        );
    }
}
