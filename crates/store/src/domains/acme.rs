//! ACME storage (RFC 8555): accounts, challenge responses, and certificates with their sealed private keys.
//!
//! Callers seal private keys before storing them. All processes of the service read the same rows, so any of them can
//! respond to a challenge and all use the same certificate.

use posthouse_domain::time::Time;
use uuid::Uuid;

use crate::{Result, Tx, p, statements};

statements! {
    ACCOUNT = "SELECT credentials FROM acme_accounts WHERE directory = $1";
    /// Stores an account unless the directory already has one.
    pub fn insert_account(directory: &str, sealed: &[u8], now: Time) =
        "INSERT INTO acme_accounts (directory, credentials, created_at) VALUES (:directory, :sealed, :now)
        ON CONFLICT (directory) DO NOTHING";
    /// Deletes an account that its certificate authority no longer knows.
    pub fn delete_account(directory: &str) = "DELETE FROM acme_accounts WHERE directory = :directory";
    ANSWER = "SELECT answer FROM acme_challenges WHERE token = $1";
    INSERT_ANSWER = "INSERT INTO acme_challenges (token, answer, created_at) VALUES ($1, $2, $3)
        ON CONFLICT (token) DO UPDATE SET answer = excluded.answer, created_at = excluded.created_at";
    DELETE_ANSWERS = "DELETE FROM acme_challenges WHERE created_at < $1";
    /// Returns the certificate with that ID and the state of its attempts.
    pub fn certificate(id: Uuid) -> Option<StoredCertificate> =
        "SELECT chain, private_key, not_after, failures, last_error, tried_at FROM acme_certificates WHERE id = :id";
    ISSUED = "INSERT INTO acme_certificates (id, names, chain, private_key, not_after, obtained_at, failures, tried_at)
        VALUES ($1, $2, $3, $4, $5, $6, 0, $6)
        ON CONFLICT (id) DO UPDATE SET chain = excluded.chain, private_key = excluded.private_key, not_after = excluded.not_after,
        obtained_at = excluded.obtained_at, failures = 0, last_error = NULL, tried_at = excluded.tried_at";
    BEGAN = "INSERT INTO acme_certificates (id, names, failures, last_error, tried_at) VALUES ($1, $2, 1, $3, $4)
        ON CONFLICT (id) DO UPDATE SET failures = acme_certificates.failures + 1, last_error = excluded.last_error, tried_at = excluded.tried_at";
    /// Records why an attempt failed.
    pub fn failed(id: Uuid, error: &str, now: Time) =
        "UPDATE acme_certificates SET last_error = :error, tried_at = :now WHERE id = :id";
}

/// A certificate and the state of the attempts to obtain it.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct StoredCertificate {
    /// The chain in PEM; `None` until the first certificate is issued.
    pub chain: Option<String>,
    /// The sealed private key in PEM.
    pub private_key: Option<Vec<u8>>,
    /// End of the certificate's validity.
    pub not_after: Option<Time>,
    /// Attempts since the last success.
    pub failures: u32,
    /// Error text of the last failed attempt.
    pub last_error: Option<String>,
    /// Time of the last attempt.
    pub tried_at: Option<Time>,
}

impl std::fmt::Debug for StoredCertificate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "StoredCertificate(until {:?}, {} failures)", self.not_after, self.failures)
    }
}

/// Returns the sealed credentials of the account at a directory.
pub fn account(tx: &mut Tx, directory: &str) -> Result<Option<Vec<u8>>> {
    Ok(tx.one::<(Vec<u8>,)>(&ACCOUNT, p![directory])?.map(|(sealed,)| sealed))
}

/// Returns the response to a challenge token.
pub fn answer(tx: &mut Tx, token: &str) -> Result<Option<String>> {
    Ok(tx.one::<(String,)>(&ANSWER, p![token])?.map(|(answer,)| answer))
}

/// The answer to an HTTP challenge (RFC 8555 §8.3).
#[derive(Clone, Copy, Debug)]
pub struct ChallengeAnswer<'a> {
    /// The token in the path of the request.
    pub token: &'a str,
    /// The body of the response.
    pub answer: &'a str,
}

/// Stores the response to a challenge token and deletes responses older than `old`.
pub fn insert_answer(tx: &mut Tx, challenge: ChallengeAnswer<'_>, now: Time, old: Time) -> Result<()> {
    tx.exec(&DELETE_ANSWERS, p![old])?;
    tx.exec(&INSERT_ANSWER, p![challenge.token, challenge.answer, now])?;
    Ok(())
}

/// A newly issued certificate.
pub struct IssuedCertificate<'a> {
    /// The certificate's ID.
    pub id: Uuid,
    /// The names it is valid for, separated by spaces.
    pub names: &'a str,
    /// The chain in PEM.
    pub chain: &'a str,
    /// The private key in PEM, sealed.
    pub private_key: &'a [u8],
    /// End of the certificate's validity.
    pub not_after: Time,
}

/// Stores a certificate, replacing the previous one.
pub fn issued(tx: &mut Tx, new: &IssuedCertificate<'_>, now: Time) -> Result<()> {
    tx.exec(&ISSUED, p![new.id, new.names, new.chain, new.private_key, new.not_after, now])?;
    Ok(())
}

/// Error text of an attempt that was interrupted or hasn't finished.
const INTERRUPTED: &str = "interrupted";

/// Counts an attempt as failed before it starts, so that an interrupted attempt also delays the next one.
pub fn record_start(tx: &mut Tx, id: Uuid, names: &str, now: Time) -> Result<()> {
    tx.exec(&BEGAN, p![id, names, INTERRUPTED, now])?;
    Ok(())
}

crate::from_row!(StoredCertificate { chain, private_key, not_after, failures, last_error = last_error, tried_at });
