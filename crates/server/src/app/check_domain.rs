//! What DNS holds of a domain now, and what follows (contract §13.4): asked by its owner, or by the clock.

use std::sync::Arc;

use futures_util::future::join_all;
use posthouse_domain::{
    auth::Caller,
    error::{Code, Refusal},
    event::{EventKind, NewEvent},
    id::{DomainId, Ids, WorkspaceId},
    mail_domain::{self, Changes, Check, MailDomain, ROUNDS_MAX, Status, Step, VERIFY_GAP_MS},
    time::Time,
};
use posthouse_mail::auth::{Answer, DnsFacts, Question};
use posthouse_store::{Tx, events, jobs, mail_domains};

use super::{App, add_domain};
use crate::views::{
    domain::DomainView,
    event::data::{self, DomainData},
};

/// DNS questions of one check at most.
const QUESTIONS_MAX: usize = 120;
/// How long one check waits for DNS, in milliseconds. What is not answered then counts as not answered.
const GATHERING_MS_MAX: i64 = 12_000;

/// What a check came to.
pub struct Outcome {
    /// The domain as it is now.
    pub domain: MailDomain,
    /// What changed.
    pub changes: Changes,
    /// Another workspace has verified the name.
    pub taken: bool,
}

/// Checks a domain for its owner.
///
/// # Errors
/// `not_found`; `rate_limited` within 10 seconds of the last time; `domain_taken`; the store's own.
pub async fn verify(app: &Arc<App>, caller: &Caller, id: DomainId) -> Result<MailDomain, Refusal> {
    let (workspace, now) = (caller.workspace, app.clock.now());
    app.store.write(move |tx| note_asked(tx, workspace, id, now)).await?;
    let outcome = check(app, workspace, id).await?;
    if outcome.taken {
        let message = format!("Another workspace has verified {}.", outcome.domain.name);
        return Err(Refusal::new(Code::DomainTaken, message));
    }
    Ok(outcome.domain)
}

fn note_asked(tx: &mut Tx, workspace: WorkspaceId, id: DomainId, now: Time) -> Result<(), Refusal> {
    let mut domain = mail_domains::take(tx, workspace, id)?.ok_or_else(|| Refusal::not_found("domain"))?;
    let wait_ms = domain.asked_at.map_or(0, |at| VERIFY_GAP_MS - now.since_ms(at));
    if wait_ms > 0 {
        let wait_s = u64::try_from(wait_ms.div_euclid(1_000) + i64::from(wait_ms % 1_000 > 0)).unwrap_or(1);
        return Err(Refusal::new(Code::RateLimited, "A domain is checked at most once in 10 seconds.")
            .detail("limit", "domain_verify")
            .detail("window_seconds", VERIFY_GAP_MS / 1_000)
            .retry_after(wait_s));
    }
    domain.asked_at = Some(now);
    Ok(mail_domains::update(tx, &domain)?)
}

/// Checks a domain: gathers what DNS says, then writes what follows, with events and the time of the next check.
///
/// # Errors
/// `not_found`, or the store's own.
pub async fn check(app: &Arc<App>, workspace: WorkspaceId, id: DomainId) -> Result<Outcome, Refusal> {
    let host = app.config.smtp.hostname.clone();
    let found = app.store.read(move |tx| mail_domains::get(tx, workspace, id)).await?;
    let domain = found.ok_or_else(|| Refusal::not_found("domain"))?;
    let gathered = gather(app, &domain).await;
    let (ids, now) = (app.clock.ids(), app.clock.now());
    let work = move |tx: &mut Tx| {
        let mut domain = mail_domains::take(tx, workspace, id)?.ok_or_else(|| Refusal::not_found("domain"))?;
        let others = mail_domains::owner(tx, &domain.name)?.is_some_and(|owner| owner.workspace != workspace);
        let changes = domain.apply(&gathered, &host, !others, now);
        mail_domains::update(tx, &domain)?;
        let ids = ids.clone();
        if domain.status != Status::Disabled {
            jobs::enqueue(tx, &add_domain::job(&domain, &ids, domain.next_check_at(now), "regular"))?;
        }
        tell(tx, (&domain, &host), changes, &ids, now)?;
        let taken = others && domain.is_complete(&host);
        Ok::<_, Refusal>(Outcome { domain, changes, taken })
    };
    app.store.write(work).await
}

/// Asks DNS, without what it said before, until the check needs nothing more.
async fn gather(app: &App, domain: &MailDomain) -> Check {
    let (host, expected) = (&app.config.smtp.hostname, domain.expected(&app.config.smtp.hostname));
    app.dns.forget();
    let mut facts = DnsFacts::new();
    let mut deadline = app.clock.sleep_until(app.clock.now().plus_ms(GATHERING_MS_MAX));
    let mut is_late = false;
    for round in 0..=ROUNDS_MAX {
        let questions = match mail_domain::check(&domain.name, &expected, host, &facts) {
            Step::Done(done) => return done,
            Step::Ask(questions) => questions,
        };
        is_late |= round == ROUNDS_MAX || facts.len() + questions.len() > QUESTIONS_MAX;
        let answers = if is_late {
            None
        } else {
            tokio::select! {
                answers = ask(app, &questions) => Some(answers),
                () = &mut deadline => None,
            }
        };
        is_late |= answers.is_none();
        let answers = answers.unwrap_or_else(|| vec![Answer::Failed; questions.len()]);
        questions.into_iter().zip(answers).for_each(|(question, answer)| facts.insert(question, answer));
    }
    Check::default()
}

async fn ask(app: &App, questions: &[Question]) -> Vec<Answer> {
    join_all(questions.iter().map(|question| app.dns.lookup(question.clone()))).await
}

/// Appends the events of what changed.
pub(super) fn tell(
    tx: &mut Tx,
    (domain, host): (&MailDomain, &str),
    changes: Changes,
    ids: &Ids,
    now: Time,
) -> posthouse_store::Result<()> {
    let kinds = [
        (changes.verified, EventKind::DomainVerified),
        (changes.failed, EventKind::DomainFailed),
        (changes.rotated, EventKind::DomainDkimRotated),
        (changes.rotation_due, EventKind::DomainDkimRotationDue),
    ];
    for (_, kind) in kinds.into_iter().filter(|(happened, _)| *happened) {
        let event = NewEvent {
            workspace: domain.workspace,
            id: ids.next(),
            kind,
            inbox: None,
            thread: None,
            message: None,
            detail_json: data::text(&DomainData { domain: DomainView::of(domain, host, now) }),
            at: now,
        };
        events::append(tx, &event)?;
    }
    Ok(())
}
