//! ACME storage (RFC 8555): accounts, challenge responses, and certificates with their sealed private keys.
//!
//! Callers seal private keys before storing them. All processes of the service read the same rows, so any of them can
//! respond to a challenge and all use the same certificate.

pub use posthouse_domain::StoredCertificate;
use posthouse_domain::Time;
use uuid::Uuid;

use crate::{Result, Tx, statements};

statements! {
    /// Returns the sealed credentials of the account at a directory.
    pub fn account(directory: &str) -> Option<Vec<u8>> =
        "SELECT credentials FROM acme_accounts WHERE directory = :directory";
    /// Stores an account unless the directory already has one.
    pub fn insert_account(directory: &str, sealed: &[u8], now: Time) =
        "INSERT INTO acme_accounts (directory, credentials, created_at) VALUES (:directory, :sealed, :now)
        ON CONFLICT (directory) DO NOTHING";
    /// Deletes an account that its certificate authority no longer knows.
    pub fn delete_account(directory: &str) = "DELETE FROM acme_accounts WHERE directory = :directory";
    /// Returns the response to a challenge token.
    pub fn answer(token: &str) -> Option<String> = "SELECT answer FROM acme_challenges WHERE token = :token";
    fn write_answer(challenge: ChallengeAnswer<'_> { token, answer }, now: Time) =
        "INSERT INTO acme_challenges (token, answer, created_at) VALUES (:token, :answer, :now)
        ON CONFLICT (token) DO UPDATE SET answer = excluded.answer, created_at = excluded.created_at";
    fn delete_answers(before: Time) = "DELETE FROM acme_challenges WHERE created_at < :before";
    /// Returns the certificate with that ID and the state of its attempts.
    pub fn certificate(id: Uuid) -> Option<StoredCertificate> =
        "SELECT {acme_certificates} FROM acme_certificates WHERE id = :id";
    /// Stores a certificate, replacing the previous one.
    pub fn issued(certificate: &IssuedCertificate<'_> { id, names, chain, private_key, not_after }, now: Time) =
        "INSERT INTO acme_certificates (id, names, chain, private_key, not_after, obtained_at, failures, tried_at)
        VALUES (:id, :names, :chain, :private_key, :not_after, :now, 0, :now)
        ON CONFLICT (id) DO UPDATE SET chain = excluded.chain, private_key = excluded.private_key, not_after = excluded.not_after,
        obtained_at = excluded.obtained_at, failures = 0, last_error = NULL, tried_at = excluded.tried_at";
    /// Counts an attempt as failed before it starts, so that an interrupted attempt also delays the next one.
    pub fn record_start(id: Uuid, names: &str, now: Time; error = INTERRUPTED) =
        "INSERT INTO acme_certificates (id, names, failures, last_error, tried_at) VALUES (:id, :names, 1, :error, :now)
        ON CONFLICT (id) DO UPDATE SET failures = acme_certificates.failures + 1, last_error = excluded.last_error, tried_at = excluded.tried_at";
    /// Records why an attempt failed.
    pub fn failed(id: Uuid, error: &str, now: Time) =
        "UPDATE acme_certificates SET last_error = :error, tried_at = :now WHERE id = :id";
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
    delete_answers(tx, old)?;
    write_answer(tx, challenge, now)
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

/// Error text of an attempt that was interrupted or hasn't finished.
const INTERRUPTED: &str = "interrupted";
