//! Authenticates a received mail: runs SPF, DKIM, DMARC and ARC, and looks up the DNS records they need.
//!
//! The evaluation is pure and returns the questions it needs. This module sends them as soon as they are known, within
//! a limit of time and of their number ([`posthouse_mail::auth::DNS_QUESTIONS_MAX`]). A missing answer is a temporary
//! failure.

use std::{collections::HashSet, net::IpAddr};

use futures_util::{FutureExt as _, StreamExt as _, stream::FuturesUnordered};
use posthouse_domain::Refusal;
use posthouse_mail::address::Address;
use posthouse_mail::auth::{AuthDigest, AuthInput, AuthOutcome, AuthResults, AuthVerification, DnsFacts, DnsQuestion};

use crate::service::Service;

/// Time limit for all DNS lookups of one mail, in milliseconds. A missing answer counts as a temporary failure, and the
/// mail is accepted.
pub const DNS_TIMEOUT_MS: i64 = 2_000;

/// The SMTP client's address and names.
#[derive(Clone, Copy, Debug)]
pub struct SmtpClientFacts<'a> {
    /// The address of the client.
    pub client_ip: IpAddr,
    /// The host name of the client's HELO or EHLO.
    pub helo: &'a str,
    /// The envelope sender; `None` for the null sender.
    pub mail_from: Option<&'a Address>,
}

/// Computes the digests of a mail, on the blocking pool if it is large, and returns them with the bytes.
///
/// # Errors
/// Returns `internal_error` if the blocking task panics.
pub async fn digest(service: &Service, raw: Vec<u8>) -> Result<(Vec<u8>, AuthDigest), Refusal> {
    let (now_s, bytes) = (service.clock.now().seconds(), raw.len());
    let work = move || {
        let digest = AuthDigest::of(&raw, now_s);
        (raw, digest)
    };
    service.blocking_pool.run_receipt(bytes, work).await
}

/// Authenticates a received mail.
///
/// In the loopback profile, DMARC is left out while the system's nameservers don't answer: without DNS, all mail on a
/// developer's machine would fail. Configured nameservers (`dns.nameservers`) must answer
/// (`docs/decisions/receiving.md#0019-dmarc-on-loopback`).
pub async fn authenticate(service: &Service, raw: &[u8], digest: AuthDigest, from: SmtpClientFacts<'_>) -> AuthResults {
    let mut results = evaluate(service, raw, digest, from).await;
    let may_lack_dns = service.config.is_loopback_profile() && service.config.nameservers.is_empty();
    if results.auth_unknown_label() && may_lack_dns && !service.dns.is_served().await {
        results.omit_dmarc("no nameserver answers; left out on loopback");
    }
    results
}

async fn evaluate(service: &Service, raw: &[u8], digest: AuthDigest, from: SmtpClientFacts<'_>) -> AuthResults {
    let mail_from = from.mail_from.map(Address::smtp_form).unwrap_or_default();
    let now = service.clock.now();
    let input = AuthInput {
        raw,
        client_ip: from.client_ip,
        helo: from.helo,
        mail_from: &mail_from,
        hostname: &service.config.hostname,
        now_s: now.seconds(),
    };
    let mut evaluation = AuthVerification::with(digest, input);
    let mut facts = DnsFacts::new();
    let mut asked: HashSet<DnsQuestion> = HashSet::new();
    let mut answers = FuturesUnordered::new();
    let mut deadline = service.clock.sleep_until(now.plus_ms(DNS_TIMEOUT_MS));
    loop {
        let missing = match evaluation.evaluate(&facts) {
            AuthOutcome::Verdicts(results) => return *results,
            AuthOutcome::NeedsDns(questions) => questions,
        };
        for question in missing {
            if asked.insert(question.clone()) {
                answers.push(async move { (question.clone(), service.dns.lookup(question).await) });
            }
        }
        if answers.is_empty() {
            break;
        }
        // Later questions depend on the first answers, so a slow name delays only its own result.
        tokio::select! {
            biased;
            Some((question, answer)) = answers.next() => facts.insert(question, answer),
            () = &mut deadline => break,
        }
        while let Some(Some((question, answer))) = answers.next().now_or_never() {
            facts.insert(question, answer);
        }
    }
    evaluation.conclude(&facts)
}
