//! Sender authentication: SPF (RFC 7208), DKIM (RFC 6376), DMARC (RFC 9989) and ARC (RFC 8617) of one message.
//!
//! Verification is pure: it is a function of the message, its envelope, a time, and the DNS facts gathered so far. It
//! returns verdicts, or the DNS questions that must be answered first. It never does I/O and never rejects mail: the
//! caller decides what follows from a verdict.
//!
//! ```
//! use posthouse_mail::auth::{AuthInput, AuthOutcome, AuthVerification, DnsAnswer, DnsFacts};
//! let input = AuthInput {
//!     raw: b"From: a@example.org\r\n\r\nHi\r\n",
//!     client_ip: [192, 0, 2, 1].into(),
//!     helo: "mx.example.org",
//!     mail_from: "a@example.org",
//!     hostname: "mail.example.net",
//!     now_s: 1_700_000_000,
//! };
//! let mut verification = AuthVerification::begin(input);
//! let mut facts = DnsFacts::new();
//! while let AuthOutcome::NeedsDns(questions) = verification.evaluate(&facts) {
//!     for question in questions {
//!         facts.insert(question, DnsAnswer::NoSuchName); // a server looks it up here, within its own time limit
//!     }
//! }
//! assert!(!verification.conclude(&facts).auth_failed());
//! ```

mod arc;
mod dkim;
mod dmarc;
mod dns;
mod result;
mod spf;

pub use arc::{ARC_SETS_MAX, ArcResult, ArcVerdict};
pub use dkim::{DKIM_SIGNATURES_MAX, DkimResult, DkimVerdict};
pub use dmarc::{DmarcAlignment, DmarcPolicy, DmarcResult, DmarcVerdict, is_dmarc_record, stated_dmarc_policy};
pub use dns::{DNS_QUESTIONS_MAX, DNS_ROUNDS_MAX, DnsAnswer, DnsFacts, DnsQuestion, DnsRecordType, DnsRecords};
pub use result::AuthResults;
pub use spf::{SpfIdentity, SpfResult, SpfVerdict, check_spf};

use crate::author::{self, Author, AuthorError};
use crate::dkim::message::SignedMessage;
use crate::header::HeaderBlock;
use arc::ArcChain;
use dkim::{BodyHashes, DkimCheck};
use dmarc::DmarcIdentifier;
use dns::{DnsLookup, DnsPending};
use spf::SpfInput;
use std::net::IpAddr;

/// A message and the SMTP session that delivered it.
#[derive(Debug, Clone, Copy)]
pub struct AuthInput<'i> {
    /// The message as received, before this server adds its own header fields.
    pub raw: &'i [u8],
    /// Address of the SMTP client.
    pub client_ip: IpAddr,
    /// The name that the client gave in HELO or EHLO.
    pub helo: &'i str,
    /// The envelope sender without angle brackets; empty for the null sender.
    pub mail_from: &'i str,
    /// The name of this host, for SPF explanations.
    pub hostname: &'i str,
    /// Time of receipt, in seconds since 1970.
    pub now_s: i64,
}

/// The outcome of one evaluation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AuthOutcome {
    /// All verdicts are known.
    Verdicts(Box<AuthResults>),
    /// Questions to answer first: never empty, without duplicates, and none that the facts already answer.
    NeedsDns(Vec<DnsQuestion>),
}

/// A verification in progress. The message is parsed and hashed once, and final verdicts are kept between evaluations.
///
/// The facts of a later evaluation must include those of the earlier ones.
#[derive(Debug)]
pub struct AuthVerification<'i> {
    input: AuthInput<'i>,
    digest: AuthDigest,
}

/// What the message alone determines: author, signatures and ARC chain, with the hashes of its body. For a large
/// message this is the expensive part; it owns its data so that a blocking thread can compute it.
#[derive(Debug)]
pub struct AuthDigest {
    author: Result<Author, AuthorError>,
    signatures: Vec<DkimCheck>,
    chain: ArcChain,
}

impl AuthDigest {
    /// Does everything that needs no DNS: one pass over the header, and one over the body for each canonicalization.
    #[must_use]
    pub fn of(raw: &[u8], now_s: i64) -> Self {
        let block = HeaderBlock::cut(raw);
        let message = SignedMessage::of(raw, &block);
        let mut hashes = BodyHashes::default();
        let signatures = message
            .named("DKIM-Signature")
            .take(DKIM_SIGNATURES_MAX)
            .map(|field| DkimCheck::begin(&message, field, &mut hashes, now_s))
            .collect();
        let chain = ArcChain::begin(&message, &mut hashes, now_s);
        Self { author: author::of_block(&block), signatures, chain }
    }

    /// Returns the author of the message.
    ///
    /// # Errors
    /// Returns the [`AuthorError`] rule that the message breaks.
    pub fn author(&self) -> Result<&Author, &AuthorError> {
        self.author.as_ref()
    }
}

/// Evaluates once. If you need several rounds, use [`AuthVerification`], which parses and hashes the message only once.
#[must_use]
pub fn verify(input: &AuthInput<'_>, facts: &DnsFacts) -> AuthOutcome {
    AuthVerification::begin(*input).evaluate(facts)
}

impl<'i> AuthVerification<'i> {
    /// Digests the message and starts a verification.
    #[must_use]
    pub fn begin(input: AuthInput<'i>) -> Self {
        Self::with(AuthDigest::of(input.raw, input.now_s), input)
    }

    /// Starts a verification with a digest of the same message.
    #[must_use]
    pub fn with(digest: AuthDigest, input: AuthInput<'i>) -> Self {
        Self { input, digest }
    }

    /// Evaluates the message with the facts gathered so far.
    #[must_use]
    pub fn evaluate(&mut self, facts: &DnsFacts) -> AuthOutcome {
        let mut lookup = DnsLookup::new(facts, false);
        match self.evaluate_with(&mut lookup) {
            Ok(results) => AuthOutcome::Verdicts(Box::new(results)),
            Err(DnsPending) => {
                let missing = lookup.into_missing();
                if missing.is_empty() {
                    return AuthOutcome::Verdicts(Box::new(self.conclude(facts)));
                }
                AuthOutcome::NeedsDns(missing)
            }
        }
    }

    /// Returns verdicts without asking further questions; a missing answer counts as a temporary failure. For use when
    /// the time or the rounds for DNS lookups are exhausted.
    #[must_use]
    pub fn conclude(&mut self, facts: &DnsFacts) -> AuthResults {
        let mut lookup = DnsLookup::new(facts, true);
        self.evaluate_with(&mut lookup).unwrap_or_else(|DnsPending| AuthResults {
            spf: SpfVerdict::none(SpfIdentity::MailFrom, "", "not evaluated"),
            helo_spf: SpfVerdict::none(SpfIdentity::Helo, "", "not evaluated"),
            dkim: Vec::new(),
            dmarc: DmarcVerdict::without_policy(DmarcResult::TempError, "", "not evaluated"),
            arc: ArcVerdict { result: ArcResult::None, sets: 0, domain: String::new(), reason: String::new() },
        })
    }

    /// Evaluates every check before it returns `DnsPending`, so that all their questions go out in one round.
    fn evaluate_with(&mut self, lookup: &mut DnsLookup<'_>) -> Result<AuthResults, DnsPending> {
        let spf = self.mail_from_spf(lookup);
        let helo_spf = self.helo_spf(lookup);
        let mut dkim = Vec::with_capacity(self.digest.signatures.len());
        let mut pending = false;
        for candidate in &mut self.digest.signatures {
            match candidate.evaluate(lookup) {
                Ok(verdict) => dkim.push(verdict.clone()),
                Err(DnsPending) => pending = true,
            }
        }
        let arc = self.digest.chain.evaluate(lookup).cloned();
        let spf_if_ready = match (&spf, pending) {
            (Ok(spf), false) => Some(spf),
            _ => None,
        };
        let dmarc = self.dmarc(spf_if_ready, &mut dkim, lookup);
        if pending {
            return Err(DnsPending);
        }
        Ok(AuthResults { spf: spf?, helo_spf: helo_spf?, dkim, dmarc: dmarc?, arc: arc? })
    }

    fn mail_from_spf(&self, lookup: &mut DnsLookup<'_>) -> Result<SpfVerdict, DnsPending> {
        match self.input.mail_from.rsplit_once('@') {
            Some((local_part, domain)) => self.spf(SpfIdentity::MailFrom, local_part, domain, lookup),
            None => self.helo_spf(lookup),
        }
    }

    fn helo_spf(&self, lookup: &mut DnsLookup<'_>) -> Result<SpfVerdict, DnsPending> {
        self.spf(SpfIdentity::Helo, "postmaster", self.input.helo, lookup)
    }

    fn spf(
        &self,
        identity: SpfIdentity,
        local_part: &str,
        domain: &str,
        lookup: &mut DnsLookup<'_>,
    ) -> Result<SpfVerdict, DnsPending> {
        let input = SpfInput {
            identity,
            client_ip: self.input.client_ip,
            helo: self.input.helo,
            local_part,
            domain: &ascii(domain),
            receiver: self.input.hostname,
            now_s: self.input.now_s,
        };
        spf::check(input, lookup)
    }

    /// Evaluates DMARC for the author's domain and sets `aligned` in the DKIM verdicts. `spf` is `None` while other
    /// checks are pending; the call then only collects questions.
    fn dmarc(
        &self,
        spf: Option<&SpfVerdict>,
        dkim: &mut [DkimVerdict],
        lookup: &mut DnsLookup<'_>,
    ) -> Result<DmarcVerdict, DnsPending> {
        let author = match &self.digest.author {
            Ok(author) => author.address().domain(),
            // A message without a valid author can't be authenticated.
            Err(problem) => return Ok(DmarcVerdict::without_policy(DmarcResult::Fail, "", &problem.to_string())),
        };
        let identifiers: Vec<_> = dkim.iter().map(dkim_identifier).collect();
        let spf_identifier =
            spf.map_or(DmarcIdentifier { domain: "", passed: false, temporary: false }, spf_identifier);
        let evaluation = dmarc::evaluate(author, spf_identifier, &identifiers, lookup)?;
        if spf.is_none() {
            return Err(DnsPending);
        }
        for (verdict, aligned) in dkim.iter_mut().zip(evaluation.dkim_aligned) {
            verdict.aligned = aligned;
        }
        Ok(evaluation.verdict)
    }
}

fn dkim_identifier(verdict: &DkimVerdict) -> DmarcIdentifier<'_> {
    DmarcIdentifier {
        domain: &verdict.domain,
        passed: verdict.result == DkimResult::Pass,
        temporary: verdict.result == DkimResult::TempError,
    }
}

fn spf_identifier(verdict: &SpfVerdict) -> DmarcIdentifier<'_> {
    DmarcIdentifier {
        domain: &verdict.domain,
        passed: verdict.result == SpfResult::Pass,
        temporary: verdict.result == SpfResult::TempError,
    }
}

/// Returns the domain in A-labels (RFC 8616 §3). One that can't be converted stays unchanged and fails the check.
fn ascii(domain: &str) -> String {
    if domain.is_ascii() {
        domain.to_owned()
    } else {
        idna::domain_to_ascii(domain).unwrap_or_else(|_| domain.to_owned())
    }
}

#[cfg(test)]
mod tests;
