//! Gathers what DNS says about a mail and judges it: SPF, DKIM, DMARC, ARC.
//!
//! The judging is pure and asks for what it misses; here the questions are put, all of a round at once, within a bound of
//! rounds and of time. What is not known by then counts as a temporary failure.

use std::net::IpAddr;

use futures_util::{StreamExt as _, stream::FuturesUnordered};
use posthouse_mail::{
    address::Address,
    auth::{AuthResults, Digest, DnsFacts, Input, Outcome, Question, ROUNDS_MAX, Verification},
};

use posthouse_domain::error::Refusal;

use super::App;
use crate::ports::Pending;

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
pub async fn authenticate(app: &App, (raw, digest): (&[u8], Digest), from: Handover<'_>) -> AuthResults {
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
    let mut deadline = app.clock.sleep_until(now.plus_ms(GATHERING_MS_MAX));
    for _ in 0..ROUNDS_MAX {
        let missing = match judge.evaluate(&facts) {
            Outcome::Verdicts(results) => return *results,
            Outcome::Missing(questions) => questions,
        };
        if !ask(app, missing, &mut facts, &mut deadline).await {
            break;
        }
    }
    judge.conclude(&facts)
}

/// Asks all questions at once and keeps what is answered in time; whether everything was.
async fn ask(app: &App, questions: Vec<Question>, facts: &mut DnsFacts, deadline: &mut Pending<'_, ()>) -> bool {
    let asked = questions.into_iter().map(async |question| (question.clone(), app.dns.lookup(question).await));
    let mut answers: FuturesUnordered<_> = asked.collect();
    loop {
        tokio::select! {
            biased;
            answer = answers.next() => match answer {
                Some((question, answer)) => facts.insert(question, answer),
                None => return true,
            },
            () = &mut *deadline => return false,
        }
    }
}
