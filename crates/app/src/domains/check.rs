//! Checks a domain's DNS records and updates its status, on request of its owner or periodically.

use std::sync::Arc;

use futures_util::future::join_all;
use posthouse_api::{views::domain::DomainView, views::event::data, views::event::data::DomainData};
use posthouse_domain::mail_domain::{self, CHECK_ROUNDS_MAX, VERIFY_INTERVAL_MS};
use posthouse_domain::{
    Caller, Detail, DkimKeyRecord, DkimSelector, DomainChanges, DomainCheck, DomainCheckStep, DomainId, DomainStatus,
    ErrorCode, EventKind, ExpectedRecord, IdGenerator, JobReason, LimitName, MailDomain, NewEvent, Refusal,
    ServerDnsSettings, Time, WorkspaceId,
};
use posthouse_mail::auth::{DnsAnswer, DnsFacts, DnsQuestion};
use posthouse_store::{Tx, events, jobs, mail_domains, mail_domains::SealedEd25519Key};

use crate::{domains::add, domains::dkim, keyring::signer::SigningError, service::ReadScope, service::Service};

/// Maximum DNS questions per check.
const QUESTIONS_MAX: usize = 120;
/// Time limit for the DNS queries of one check, in milliseconds. Later answers count as failed lookups.
const GATHERING_MS_MAX: i64 = 12_000;

/// The result of a check.
pub struct DomainCheckResult {
    /// The domain after the check.
    pub domain: MailDomain,
    pub changes: DomainChanges,
    /// Whether another workspace has verified the name.
    pub taken: bool,
}

/// Checks a domain on request of its owner.
///
/// # Errors
/// Returns `not_found` if the domain is not in the workspace, or `rate_limited` within 10 seconds of the last check,
/// `domain_taken` if another workspace has verified it.
pub async fn verify(service: &Arc<Service>, caller: &Caller, id: DomainId) -> Result<MailDomain, Refusal> {
    let (workspace, now) = (caller.workspace, service.clock.now());
    service.write(move |tx| record_request(tx, workspace, id, now)).await?;
    let outcome = check(service, workspace, id).await?;
    if outcome.taken {
        let message = format!("Another workspace has verified {}.", outcome.domain.name);
        return Err(Refusal::new(ErrorCode::DomainTaken, message));
    }
    Ok(outcome.domain)
}

fn record_request(tx: &mut Tx, workspace: WorkspaceId, id: DomainId, now: Time) -> Result<(), Refusal> {
    let mut domain = mail_domains::lock(tx, workspace, id)?.ok_or_else(|| Refusal::not_found("domain"))?;
    let wait_ms = domain.asked_at.map_or(0, |at| VERIFY_INTERVAL_MS - now.since_ms(at));
    if wait_ms > 0 {
        let wait_s = u64::try_from(wait_ms.div_euclid(1_000) + i64::from(wait_ms % 1_000 > 0)).unwrap_or(1);
        return Err(Refusal::new(ErrorCode::RateLimited, "A domain can be checked once every 10 seconds.")
            .detail(Detail::Limit(LimitName::DomainVerify))
            .detail(Detail::WindowSeconds(VERIFY_INTERVAL_MS.unsigned_abs() / 1_000))
            .retry_after(wait_s));
    }
    domain.asked_at = Some(now);
    Ok(mail_domains::update(tx, &domain)?)
}

/// Checks a domain: queries DNS, then stores the new status, events and the time of the next check.
///
/// # Errors
/// Returns `not_found` if the domain is not in the workspace.
pub async fn check(service: &Arc<Service>, workspace: WorkspaceId, id: DomainId) -> Result<DomainCheckResult, Refusal> {
    let here = service.config.server_dns();
    let found = service.read(ReadScope::Service, move |tx| mail_domains::get(tx, workspace, id)).await?;
    let mut domain = found.ok_or_else(|| Refusal::not_found("domain"))?;
    if here.ed25519 {
        domain = with_second_keys(service, domain).await?;
    }
    let gathered = query_records(service, &domain).await;
    let (ids, now) = (service.clock.ids(), service.clock.now());
    let work = move |tx: &mut Tx| {
        let mut domain = mail_domains::lock(tx, workspace, id)?.ok_or_else(|| Refusal::not_found("domain"))?;
        let owner = mail_domains::owner(tx, &domain.name)?.filter(|owner| owner.workspace != workspace);
        let others = owner.as_ref().is_some_and(|owner| !owner.is_expired_claim());
        let changes = domain.apply(&gathered, &here, !others, now);
        if let Some(mut before) = owner.filter(|_| changes.verified) {
            before.reset_to_pending();
            mail_domains::update(tx, &before)?;
        }
        mail_domains::update(tx, &domain)?;
        let ids = ids.clone();
        if domain.status != DomainStatus::Disabled {
            jobs::enqueue(tx, &add::job(&domain, &ids, domain.next_check_at(now), JobReason::Regular))?;
        }
        append_events(tx, &domain, &here, changes, &ids, now)?;
        let taken = others && domain.is_complete(&here);
        Ok::<_, Refusal>(DomainCheckResult { domain, changes, taken })
    };
    service.write(work).await
}

/// Adds an Ed25519 key to each active or pending key that has none because it is older than the setting.
async fn with_second_keys(service: &Service, domain: MailDomain) -> Result<MailDomain, Refusal> {
    let bare: Vec<DkimSelector> = [Some(&domain.active), domain.next.as_ref()]
        .into_iter()
        .flatten()
        .filter(|key| key.ed25519.is_none())
        .map(|key| key.selector)
        .collect();
    if bare.is_empty() {
        return Ok(domain);
    }
    let made =
        bare.into_iter().map(|selector| Ok((selector, dkim::generate_ed25519_key(service, domain.id, selector)?)));
    let made: Vec<(DkimSelector, SealedEd25519Key)> = made.collect::<Result<_, SigningError>>().map_err(|error| {
        tracing::error!(cause = %error, "DKIM key not generated");
        Refusal::new(ErrorCode::Internal, "The DKIM key couldn't be generated.")
    })?;
    let (workspace, id, now) = (domain.workspace, domain.id, service.clock.now());
    let work = move |tx: &mut Tx| {
        let taken = mail_domains::lock(tx, workspace, id)?.ok_or_else(|| Refusal::not_found("domain"))?;
        for (selector, key) in &made {
            let is_there = |record: &DkimKeyRecord| record.selector == *selector;
            if is_there(&taken.active) || taken.next.as_ref().is_some_and(is_there) {
                mail_domains::insert_second_key(tx, workspace, id, *selector, key, now)?;
            }
        }
        mail_domains::get(tx, workspace, id)?.ok_or_else(|| Refusal::not_found("domain"))
    };
    service.write(work).await
}

/// Queries the domain's records in DNS, without cached answers.
async fn query_records(service: &Service, domain: &MailDomain) -> DomainCheck {
    let expected = domain.expected(&service.config.server_dns());
    gather_records(service, &domain.name, &expected).await
}

/// Queries the expected records of a domain in DNS, without cached answers.
pub async fn gather_records(service: &Service, name: &str, expected: &[ExpectedRecord]) -> DomainCheck {
    let host = &service.config.hostname;
    service.dns.clear_cache();
    let mut facts = DnsFacts::new();
    let mut deadline = service.clock.sleep_until(service.clock.now().plus_ms(GATHERING_MS_MAX));
    let mut is_late = false;
    for round in 0..=CHECK_ROUNDS_MAX {
        let questions = match mail_domain::check(name, expected, host, &facts) {
            DomainCheckStep::Done(done) => return done,
            DomainCheckStep::NeedsAnswers(questions) => questions,
        };
        is_late |= round == CHECK_ROUNDS_MAX || facts.len() + questions.len() > QUESTIONS_MAX;
        let answers = if is_late {
            None
        } else {
            tokio::select! {
                answers = query(service, &questions) => Some(answers),
                () = &mut deadline => None,
            }
        };
        is_late |= answers.is_none();
        let answers = answers.unwrap_or_else(|| vec![DnsAnswer::Failed; questions.len()]);
        questions.into_iter().zip(answers).for_each(|(question, answer)| facts.insert(question, answer));
    }
    DomainCheck::default()
}

async fn query(service: &Service, questions: &[DnsQuestion]) -> Vec<DnsAnswer> {
    join_all(questions.iter().map(|question| service.dns.lookup(question.clone()))).await
}

/// Appends an event for each change.
pub(super) fn append_events(
    tx: &mut Tx,
    domain: &MailDomain,
    here: &ServerDnsSettings,
    changes: DomainChanges,
    ids: &IdGenerator,
    now: Time,
) -> posthouse_store::Result<()> {
    let kinds = [
        (changes.verified, EventKind::DomainVerified),
        (changes.failed, EventKind::DomainFailed),
        (changes.rotated, EventKind::DomainDkimRotated),
        (changes.rotation_due, EventKind::DomainDkimRotationDue),
    ];
    for (_, kind) in kinds.into_iter().filter(|(happened, _)| *happened) {
        let event = NewEvent::new(kind, domain.workspace, ids.next(), now)
            .with_detail(data::text(&DomainData { domain: DomainView::of(domain, here, now) }));
        events::append(tx, &event)?;
    }
    Ok(())
}
