//! Sender authentication: SPF (RFC 7208), DKIM (RFC 6376), DMARC (RFC 9989) and ARC (RFC 8617) of one message.
//!
//! Pure: a verification is a function of the message, its envelope, a time, and the DNS facts gathered so far. It gives
//! verdicts, or the questions still to be answered. Never does I/O and never refuses mail: what follows from a verdict
//! is decided elsewhere (decision 26).
//!
//! ```
//! use posthouse_mail::auth::{Answer, DnsFacts, Input, Outcome, Verification};
//! let input = Input {
//!     raw: b"From: a@example.org\r\n\r\nHi\r\n",
//!     client_ip: [192, 0, 2, 1].into(),
//!     helo: "mx.example.org",
//!     mail_from: "a@example.org",
//!     hostname: "mail.example.net",
//!     now_s: 1_700_000_000,
//! };
//! let mut verification = Verification::begin(input);
//! let mut facts = DnsFacts::new();
//! while let Outcome::Missing(questions) = verification.evaluate(&facts) {
//!     for question in questions {
//!         facts.insert(question, Answer::NoSuchName); // a server looks it up here, within its own time limit
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
pub use dmarc::{Alignment, DmarcPolicy, DmarcResult, DmarcVerdict};
pub use dns::{Answer, DnsFacts, QUESTIONS_MAX, Question, QuestionKind, ROUNDS_MAX, Records};
pub use result::AuthResults;
pub use spf::{SpfIdentity, SpfResult, SpfVerdict};

use crate::author::{self, Author, NoAuthor};
use crate::dkim::message::Message;
use crate::header::Block;
use arc::Chain;
use dkim::{BodyHashes, Candidate};
use dmarc::Identifier;
use dns::{Lookup, Pending};
use spf::SpfInput;
use std::net::IpAddr;

/// A message and the circumstances of its arrival.
#[derive(Debug, Clone, Copy)]
pub struct Input<'i> {
    /// The message as received, before any header of our own was put on top.
    pub raw: &'i [u8],
    /// Address of the SMTP client.
    pub client_ip: IpAddr,
    /// Name the client gave in HELO or EHLO.
    pub helo: &'i str,
    /// The envelope sender without angle brackets; empty for the null sender.
    pub mail_from: &'i str,
    /// Name of this host, for SPF explanations.
    pub hostname: &'i str,
    /// Time of receipt, in seconds since 1970.
    pub now_s: i64,
}

/// What one evaluation gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// Everything is known.
    Verdicts(Box<AuthResults>),
    /// These questions must be answered first. Never empty, each question once, none that the facts answer.
    Missing(Vec<Question>),
}

/// A verification under way: the message is parsed and hashed, and finished verdicts are kept between evaluations.
///
/// The facts of a later evaluation must include those of the earlier ones.
#[derive(Debug)]
pub struct Verification<'i> {
    input: Input<'i>,
    digest: Digest,
}

/// What a message says by itself: author, signatures and chain, with the hashes of its body. The long part of the work
/// on a large message; owned, so that it can be made on a thread apart.
#[derive(Debug)]
pub struct Digest {
    author: Result<Author, NoAuthor>,
    signatures: Vec<Candidate>,
    chain: Chain,
}

impl Digest {
    /// Does everything that needs no DNS: one pass over the header, and over the body once for each canonical form.
    #[must_use]
    pub fn of(raw: &[u8], now_s: i64) -> Self {
        let block = Block::cut(raw);
        let message = Message::of(raw, &block);
        let mut hashes = BodyHashes::default();
        let signatures = message
            .named("DKIM-Signature")
            .take(DKIM_SIGNATURES_MAX)
            .map(|field| Candidate::begin(&message, field, &mut hashes, now_s))
            .collect();
        let chain = Chain::begin(&message, &mut hashes, now_s);
        Self { author: author::of_block(&block), signatures, chain }
    }

    /// The author, or why there is none.
    ///
    /// # Errors
    /// [`NoAuthor`] says which rule the message breaks.
    pub fn author(&self) -> Result<&Author, &NoAuthor> {
        self.author.as_ref()
    }
}

/// Evaluates once. For more than one round, [`Verification`] saves the repeated parsing and hashing.
#[must_use]
pub fn verify(input: &Input<'_>, facts: &DnsFacts) -> Outcome {
    Verification::begin(*input).evaluate(facts)
}

impl<'i> Verification<'i> {
    /// Digests the message and begins.
    #[must_use]
    pub fn begin(input: Input<'i>) -> Self {
        Self::with(Digest::of(input.raw, input.now_s), input)
    }

    /// Begins with the digest of the same message.
    #[must_use]
    pub fn with(digest: Digest, input: Input<'i>) -> Self {
        Self { input, digest }
    }

    /// Judges by the facts gathered so far.
    #[must_use]
    pub fn evaluate(&mut self, facts: &DnsFacts) -> Outcome {
        let mut lookup = Lookup::new(facts, false);
        match self.judge(&mut lookup) {
            Ok(results) => Outcome::Verdicts(Box::new(results)),
            Err(Pending) => {
                let missing = lookup.into_missing();
                if missing.is_empty() {
                    return Outcome::Verdicts(Box::new(self.conclude(facts)));
                }
                Outcome::Missing(missing)
            }
        }
    }

    /// Judges without asking further: what is not known counts as a temporary failure. For when the time or the rounds
    /// for look-ups are used up.
    #[must_use]
    pub fn conclude(&mut self, facts: &DnsFacts) -> AuthResults {
        let mut lookup = Lookup::new(facts, true);
        self.judge(&mut lookup).unwrap_or_else(|Pending| AuthResults {
            spf: SpfVerdict::none(SpfIdentity::MailFrom, "", "not evaluated"),
            helo_spf: SpfVerdict::none(SpfIdentity::Helo, "", "not evaluated"),
            dkim: Vec::new(),
            dmarc: DmarcVerdict::without_policy(DmarcResult::TempError, "", "not evaluated"),
            arc: ArcVerdict { result: ArcResult::None, sets: 0, domain: String::new(), reason: String::new() },
        })
    }

    /// Asks every part before it gives up, so that all their questions go out in one round.
    fn judge(&mut self, lookup: &mut Lookup<'_>) -> Result<AuthResults, Pending> {
        let spf = self.mail_from_spf(lookup);
        let helo_spf = self.helo_spf(lookup);
        let mut dkim = Vec::with_capacity(self.digest.signatures.len());
        let mut pending = false;
        for candidate in &mut self.digest.signatures {
            match candidate.evaluate(lookup) {
                Ok(verdict) => dkim.push(verdict.clone()),
                Err(Pending) => pending = true,
            }
        }
        let arc = self.digest.chain.evaluate(lookup).cloned();
        let ready = match (&spf, pending) {
            (Ok(spf), false) => Some(spf),
            _ => None,
        };
        let dmarc = self.dmarc(ready, &mut dkim, lookup);
        if pending {
            return Err(Pending);
        }
        Ok(AuthResults { spf: spf?, helo_spf: helo_spf?, dkim, dmarc: dmarc?, arc: arc? })
    }

    fn mail_from_spf(&self, lookup: &mut Lookup<'_>) -> Result<SpfVerdict, Pending> {
        match self.input.mail_from.rsplit_once('@') {
            Some((local_part, domain)) => self.spf(SpfIdentity::MailFrom, local_part, domain, lookup),
            None => self.helo_spf(lookup),
        }
    }

    fn helo_spf(&self, lookup: &mut Lookup<'_>) -> Result<SpfVerdict, Pending> {
        self.spf(SpfIdentity::Helo, "postmaster", self.input.helo, lookup)
    }

    fn spf(
        &self,
        identity: SpfIdentity,
        local_part: &str,
        domain: &str,
        lookup: &mut Lookup<'_>,
    ) -> Result<SpfVerdict, Pending> {
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

    /// DMARC of the author's domain; sets `aligned` in the DKIM verdicts. Without `spf` the other parts still wait: then only
    /// questions are asked.
    fn dmarc(
        &self,
        spf: Option<&SpfVerdict>,
        dkim: &mut [DkimVerdict],
        lookup: &mut Lookup<'_>,
    ) -> Result<DmarcVerdict, Pending> {
        let author = match &self.digest.author {
            Ok(author) => author.address().domain(),
            // What names nobody is vouched for by nobody.
            Err(problem) => return Ok(DmarcVerdict::without_policy(DmarcResult::Fail, "", &problem.to_string())),
        };
        let identifiers: Vec<_> = dkim.iter().map(dkim_identifier).collect();
        let spf_identifier = spf.map_or(Identifier { domain: "", passed: false, temporary: false }, spf_identifier);
        let judgement = dmarc::judge(author, spf_identifier, &identifiers, lookup)?;
        if spf.is_none() {
            return Err(Pending);
        }
        for (verdict, aligned) in dkim.iter_mut().zip(judgement.dkim_aligned) {
            verdict.aligned = aligned;
        }
        Ok(judgement.verdict)
    }
}

fn dkim_identifier(verdict: &DkimVerdict) -> Identifier<'_> {
    Identifier {
        domain: &verdict.domain,
        passed: verdict.result == DkimResult::Pass,
        temporary: verdict.result == DkimResult::TempError,
    }
}

fn spf_identifier(verdict: &SpfVerdict) -> Identifier<'_> {
    Identifier {
        domain: &verdict.domain,
        passed: verdict.result == SpfResult::Pass,
        temporary: verdict.result == SpfResult::TempError,
    }
}

/// A domain in A-labels where that is possible (RFC 8616 §3); as it is otherwise, and then not checkable.
fn ascii(domain: &str) -> String {
    if domain.is_ascii() {
        domain.to_owned()
    } else {
        idna::domain_to_ascii(domain).unwrap_or_else(|_| domain.to_owned())
    }
}

#[cfg(test)]
mod tests;
