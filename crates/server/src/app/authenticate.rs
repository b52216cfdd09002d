//! Gathers what DNS says about a mail and judges it: SPF, DKIM, DMARC, ARC.
//!
//! The judging is pure and asks for what it misses; here the questions are put as soon as they come up, within a bound of
//! time and of their number ([`posthouse_mail::auth::QUESTIONS_MAX`]). What is not known by then counts as a temporary failure.

use std::{collections::HashSet, net::IpAddr};

use futures_util::{FutureExt as _, StreamExt as _, stream::FuturesUnordered};
use posthouse_mail::{
    address::Address,
    auth::{AuthResults, Digest, DnsFacts, Input, Outcome, Question, Verification},
};

use posthouse_domain::error::Refusal;

use super::App;

/// How long one mail may wait for DNS, all its questions together, in milliseconds. What is not answered by then counts as a
/// temporary failure, and the mail is accepted.
pub const GATHERING_MS_MAX: i64 = 2_000;

/// Who handed a mail over.
#[derive(Clone, Copy, Debug)]
pub struct Handover<'a> {
    /// The client.
    pub client_ip: IpAddr,
    /// What the client called itself.
    pub helo: &'a str,
    /// The envelope sender; none is the null sender.
    pub mail_from: Option<&'a Address>,
}

/// Hashes a mail, a large one on a thread apart, and gives its bytes back.
///
/// # Errors
/// `internal_error` when that thread panicked.
pub async fn digest(app: &App, raw: Vec<u8>) -> Result<(Vec<u8>, Digest), Refusal> {
    let (now_s, bytes) = (app.clock.now().seconds(), raw.len());
    let work = move || {
        let digest = Digest::of(&raw, now_s);
        (raw, digest)
    };
    app.apart.run_sized(bytes, work).await
}

/// The results for a mail as it was received.
///
/// On a developer's machine without DNS all mail would have failed, though only that machine can hand any in. So the loopback
/// profile leaves DMARC out while the system's nameservers do not answer; configured ones (`dns.nameservers`) are relied on.
pub async fn authenticate(app: &App, (raw, digest): (&[u8], Digest), from: Handover<'_>) -> AuthResults {
    let mut results = judged(app, (raw, digest), from).await;
    let may_lack_dns = app.config.is_loopback_profile() && app.config.nameservers.is_empty();
    if results.auth_unknown_label() && may_lack_dns && !app.dns.is_served().await {
        results.leave_out_dmarc("no nameserver answers; left out on loopback");
    }
    results
}

async fn judged(app: &App, (raw, digest): (&[u8], Digest), from: Handover<'_>) -> AuthResults {
    let mail_from = from.mail_from.map(Address::smtp_form).unwrap_or_default();
    let now = app.clock.now();
    let input = Input {
        raw,
        client_ip: from.client_ip,
        helo: from.helo,
        mail_from: &mail_from,
        hostname: &app.config.smtp.hostname,
        now_s: now.seconds(),
    };
    let mut judge = Verification::with(digest, input);
    let mut facts = DnsFacts::new();
    let mut asked: HashSet<Question> = HashSet::new();
    let mut answers = FuturesUnordered::new();
    let mut deadline = app.clock.sleep_until(now.plus_ms(GATHERING_MS_MAX));
    loop {
        let missing = match judge.evaluate(&facts) {
            Outcome::Verdicts(results) => return *results,
            Outcome::Missing(questions) => questions,
        };
        for question in missing {
            if asked.insert(question.clone()) {
                answers.push(async move { (question.clone(), app.dns.lookup(question).await) });
            }
        }
        if answers.is_empty() {
            break;
        }
        // The next questions follow from the first answers: a name that nobody answers for delays its own result alone.
        tokio::select! {
            biased;
            Some((question, answer)) = answers.next() => facts.insert(question, answer),
            () = &mut deadline => break,
        }
        while let Some(Some((question, answer))) = answers.next().now_or_never() {
            facts.insert(question, answer);
        }
    }
    judge.conclude(&facts)
}
