//! Gathers what DNS says about a mail and judges it: SPF, DKIM, DMARC, ARC.
//!
//! The judging is pure and asks for what it misses; here the questions are put, all of a round at once, within a bound of
//! rounds and of time. What is not known by then counts as a temporary failure.

use std::net::IpAddr;

use futures_util::future::join_all;
use posthouse_mail::{
    address::Address,
    auth::{AuthResults, DnsFacts, Input, Outcome, Question, ROUNDS_MAX, Verification},
};

use super::App;

/// How long one mail may wait for DNS, in milliseconds.
const GATHERING_MS_MAX: i64 = 5_000;

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

/// The results for a mail as it was received.
pub async fn authenticate(app: &App, raw: &[u8], from: Handover<'_>) -> AuthResults {
    let mail_from = from.mail_from.map(Address::smtp_form).unwrap_or_default();
    let mut judge = Verification::begin(Input {
        raw,
        client_ip: from.client_ip,
        helo: from.helo,
        mail_from: &mail_from,
        hostname: &app.config.smtp.hostname,
        now_s: app.clock.now().seconds(),
    });
    let mut facts = DnsFacts::new();
    let mut deadline = app.clock.sleep_until(app.clock.now().plus_ms(GATHERING_MS_MAX));
    for _ in 0..ROUNDS_MAX {
        let missing = match judge.evaluate(&facts) {
            Outcome::Verdicts(results) => return *results,
            Outcome::Missing(questions) => questions,
        };
        tokio::select! {
            answers = ask(app, missing) => answers.into_iter().for_each(|(question, answer)| facts.insert(question, answer)),
            () = &mut deadline => break,
        }
    }
    judge.conclude(&facts)
}

async fn ask(app: &App, questions: Vec<Question>) -> Vec<(Question, posthouse_mail::auth::Answer)> {
    join_all(questions.into_iter().map(async |question| (question.clone(), app.dns.lookup(question).await))).await
}
