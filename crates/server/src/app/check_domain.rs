//! What DNS holds of a domain now, and what follows (contract §13.4): asked by its owner, or by the clock.

use std::sync::Arc;

use futures_util::future::join_all;
use posthouse_domain::{
    auth::Caller,
    error::{Code, Refusal},
    event::{EventKind, NewEvent},
    id::{DomainId, Ids, WorkspaceId},
    mail_domain::{
        self, Changes, Check, Expected, Here, KeyRecord, MailDomain, ROUNDS_MAX, Selector, Status, Step, VERIFY_GAP_MS,
    },
    time::Time,
};
use posthouse_mail::auth::{Answer, DnsFacts, Question};
use posthouse_store::{
    Tx, events, jobs,
    mail_domains::{self, SecondKey},
};

use super::{
    App, add_domain,
    signing::{self, SigningError},
};
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
    let here = app.config.here();
    let found = app.store.read(move |tx| mail_domains::get(tx, workspace, id)).await?;
    let mut domain = found.ok_or_else(|| Refusal::not_found("domain"))?;
    if here.ed25519 {
        domain = with_second_keys(app, domain).await?;
    }
    let gathered = gather(app, &domain).await;
    let (ids, now) = (app.clock.ids(), app.clock.now());
    let work = move |tx: &mut Tx| {
        let mut domain = mail_domains::take(tx, workspace, id)?.ok_or_else(|| Refusal::not_found("domain"))?;
        let owner = mail_domains::owner(tx, &domain.name)?.filter(|owner| owner.workspace != workspace);
        let others = owner.as_ref().is_some_and(|owner| !owner.is_lost());
        let changes = domain.apply(&gathered, &here, !others, now);
        if let Some(mut before) = owner.filter(|_| changes.verified) {
            before.give_up();
            mail_domains::update(tx, &before)?;
        }
        mail_domains::update(tx, &domain)?;
        let ids = ids.clone();
        if domain.status != Status::Disabled {
            jobs::enqueue(tx, &add_domain::job(&domain, &ids, domain.next_check_at(now), "regular"))?;
        }
        tell(tx, (&domain, &here), changes, &ids, now)?;
        let taken = others && domain.is_complete(&here);
        Ok::<_, Refusal>(Outcome { domain, changes, taken })
    };
    app.store.write(work).await
}

/// The domain with an Ed25519 key beside each key that signs or will sign: those of before the setting have none.
async fn with_second_keys(app: &App, domain: MailDomain) -> Result<MailDomain, Refusal> {
    let bare: Vec<Selector> = [Some(&domain.active), domain.next.as_ref()]
        .into_iter()
        .flatten()
        .filter(|key| key.ed25519.is_none())
        .map(|key| key.selector)
        .collect();
    if bare.is_empty() {
        return Ok(domain);
    }
    let made = bare.into_iter().map(|selector| Ok((selector, signing::second_key(app, domain.id, selector)?)));
    let made: Vec<(Selector, SecondKey)> = made.collect::<Result<_, SigningError>>().map_err(|error| {
        tracing::error!(cause = %error, "dkim key not made");
        Refusal::new(Code::Internal, "The DKIM key could not be made.")
    })?;
    let (workspace, id, now) = (domain.workspace, domain.id, app.clock.now());
    let work = move |tx: &mut Tx| {
        let taken = mail_domains::take(tx, workspace, id)?.ok_or_else(|| Refusal::not_found("domain"))?;
        for (selector, key) in &made {
            let is_there = |record: &KeyRecord| record.selector == *selector;
            if is_there(&taken.active) || taken.next.as_ref().is_some_and(is_there) {
                mail_domains::insert_second_key(tx, (workspace, id), *selector, key, now)?;
            }
        }
        mail_domains::get(tx, workspace, id)?.ok_or_else(|| Refusal::not_found("domain"))
    };
    app.store.write(work).await
}

/// Asks DNS, without what it said before, until the check needs nothing more.
async fn gather(app: &App, domain: &MailDomain) -> Check {
    let expected = domain.expected(&app.config.here());
    gather_records(app, &domain.name, &expected).await
}

/// What DNS holds of those records of a domain, without what it said before.
pub async fn gather_records(app: &App, name: &str, expected: &[Expected]) -> Check {
    let host = &app.config.smtp.hostname;
    app.dns.forget();
    let mut facts = DnsFacts::new();
    let mut deadline = app.clock.sleep_until(app.clock.now().plus_ms(GATHERING_MS_MAX));
    let mut is_late = false;
    for round in 0..=ROUNDS_MAX {
        let questions = match mail_domain::check(name, expected, host, &facts) {
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
    (domain, here): (&MailDomain, &Here),
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
            detail_json: data::text(&DomainData { domain: DomainView::of(domain, here, now) }),
            at: now,
        };
        events::append(tx, &event)?;
    }
    Ok(())
}
