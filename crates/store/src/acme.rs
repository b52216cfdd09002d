//! What certificates by ACME need (RFC 8555): accounts, answers to challenges, and the certificates with their sealed keys.
//!
//! Private keys are sealed before they come here. Every process of the service reads the same rows, so any of them can answer a
//! challenge, and all use the certificate that one of them got.

use posthouse_domain::time::Time;
use uuid::Uuid;

use crate::{Result, Tx, p, statements};

statements! {
    ACCOUNT = "SELECT credentials FROM acme_accounts WHERE directory = $1";
    INSERT_ACCOUNT = "INSERT INTO acme_accounts (directory, credentials, created_at) VALUES ($1, $2, $3)
        ON CONFLICT (directory) DO NOTHING";
    DELETE_ACCOUNT = "DELETE FROM acme_accounts WHERE directory = $1";
    ANSWER = "SELECT answer FROM acme_challenges WHERE token = $1";
    INSERT_ANSWER = "INSERT INTO acme_challenges (token, answer, created_at) VALUES ($1, $2, $3)
        ON CONFLICT (token) DO UPDATE SET answer = excluded.answer, created_at = excluded.created_at";
    DELETE_ANSWERS = "DELETE FROM acme_challenges WHERE created_at < $1";
    CERTIFICATE = "SELECT chain, private_key, not_after, failures, trouble, tried_at FROM acme_certificates WHERE id = $1";
    ISSUED = "INSERT INTO acme_certificates (id, names, chain, private_key, not_after, obtained_at, failures, tried_at)
        VALUES ($1, $2, $3, $4, $5, $6, 0, $6)
        ON CONFLICT (id) DO UPDATE SET chain = excluded.chain, private_key = excluded.private_key, not_after = excluded.not_after,
        obtained_at = excluded.obtained_at, failures = 0, trouble = NULL, tried_at = excluded.tried_at";
    BEGAN = "INSERT INTO acme_certificates (id, names, failures, trouble, tried_at) VALUES ($1, $2, 1, $3, $4)
        ON CONFLICT (id) DO UPDATE SET failures = acme_certificates.failures + 1, trouble = excluded.trouble, tried_at = excluded.tried_at";
    FAILED = "UPDATE acme_certificates SET trouble = $2, tried_at = $3 WHERE id = $1";
}

/// A certificate, or the attempts at one.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct StoredCertificate {
    /// The chain in PEM; none before the first was issued.
    pub chain: Option<String>,
    /// The private key in PEM, sealed.
    pub private_key: Option<Vec<u8>>,
    /// The end of its validity.
    pub not_after: Option<Time>,
    /// Attempts since the last one that went well.
    pub failures: u32,
    /// Why the last one failed.
    pub trouble: Option<String>,
    /// When the last one was.
    pub tried_at: Option<Time>,
}

impl std::fmt::Debug for StoredCertificate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "StoredCertificate(until {:?}, {} failures)", self.not_after, self.failures)
    }
}

/// The sealed credentials of the account at that directory.
///
/// # Errors
/// The store's own.
pub fn account(tx: &mut Tx, directory: &str) -> Result<Option<Vec<u8>>> {
    Ok(tx.one::<(Vec<u8>,)>(&ACCOUNT, p![directory])?.map(|(sealed,)| sealed))
}

/// Stores an account, unless there is one at that directory.
///
/// # Errors
/// The store's own.
pub fn insert_account(tx: &mut Tx, directory: &str, sealed: &[u8], now: Time) -> Result<()> {
    tx.exec(&INSERT_ACCOUNT, p![directory, sealed, now])?;
    Ok(())
}

/// Forgets an account that its authority does not know any more.
///
/// # Errors
/// The store's own.
pub fn delete_account(tx: &mut Tx, directory: &str) -> Result<()> {
    tx.exec(&DELETE_ACCOUNT, p![directory])?;
    Ok(())
}

/// What to answer who asks for that token.
///
/// # Errors
/// The store's own.
pub fn answer(tx: &mut Tx, token: &str) -> Result<Option<String>> {
    Ok(tx.one::<(String,)>(&ANSWER, p![token])?.map(|(answer,)| answer))
}

/// Stores an answer, and forgets those from before `old`.
///
/// # Errors
/// The store's own.
pub fn insert_answer(tx: &mut Tx, (token, answer): (&str, &str), now: Time, old: Time) -> Result<()> {
    tx.exec(&DELETE_ANSWERS, p![old])?;
    tx.exec(&INSERT_ANSWER, p![token, answer, now])?;
    Ok(())
}

/// The certificate of that id, or the attempts at it.
///
/// # Errors
/// The store's own.
pub fn certificate(tx: &mut Tx, id: Uuid) -> Result<Option<StoredCertificate>> {
    tx.one(&CERTIFICATE, p![id])
}

/// A certificate that was issued.
pub struct Issued<'a> {
    /// Its place.
    pub id: Uuid,
    /// The names it is for, separated by a space.
    pub names: &'a str,
    /// The chain in PEM.
    pub chain: &'a str,
    /// The private key in PEM, sealed.
    pub private_key: &'a [u8],
    /// The end of its validity.
    pub not_after: Time,
}

/// Stores a certificate in place of the one before.
///
/// # Errors
/// The store's own.
pub fn issued(tx: &mut Tx, new: &Issued<'_>, now: Time) -> Result<()> {
    tx.exec(&ISSUED, p![new.id, new.names, new.chain, new.private_key, new.not_after, now])?;
    Ok(())
}

/// What an attempt says that has not ended.
const CUT_OFF: &str = "cut off";

/// Counts an attempt as one that failed, before it begins: whatever ends it, it is not followed by another at once.
///
/// # Errors
/// The store's own.
pub fn began(tx: &mut Tx, id: Uuid, names: &str, now: Time) -> Result<()> {
    tx.exec(&BEGAN, p![id, names, CUT_OFF, now])?;
    Ok(())
}

/// Writes down why an attempt failed.
///
/// # Errors
/// The store's own.
pub fn failed(tx: &mut Tx, id: Uuid, trouble: &str, now: Time) -> Result<()> {
    tx.exec(&FAILED, p![id, trouble, now])?;
    Ok(())
}

crate::from_row!(StoredCertificate { chain, private_key, not_after, failures, trouble, tried_at });
