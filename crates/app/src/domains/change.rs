//! Changes a domain: receiving, DKIM rotation, deletion.

use std::sync::Arc;

use posthouse_domain::{
    Caller, Detail, DkimKeyRecord, DomainId, ErrorCode, JobKind, JobReason, MailDomain, Refusal, RetiringKey,
};
use posthouse_store::{Tx, jobs, mail_domains};

use crate::{domains::add, domains::check, inboxes::delete, service::Service};

/// Inboxes deleted in one step.
const STEP: u32 = 100;

/// Turns receiving on or off.
///
/// # Errors
/// Returns `not_found` if the domain is not in the workspace.
pub async fn set_receiving(
    service: &Service,
    caller: Caller,
    id: DomainId,
    receiving: bool,
) -> Result<MailDomain, Refusal> {
    let work = move |tx: &mut Tx| {
        let mut domain = lock(tx, &caller, id)?;
        domain.receiving = receiving;
        mail_domains::update(tx, &domain)?;
        Ok::<_, Refusal>(domain)
    };
    service.write(work).await
}

/// Enables or disables a domain, for the operator. A disabled domain neither sends nor receives, and is not checked.
/// Enabling it runs a check at once, which decides its status.
///
/// # Errors
/// Returns `not_found` if the domain is not in the workspace.
pub async fn set_enabled(
    service: &Service,
    caller: Caller,
    id: DomainId,
    enabled: bool,
) -> Result<MailDomain, Refusal> {
    let (ids, now, here) = (service.clock.ids(), service.clock.now(), service.config.server_dns());
    let work = move |tx: &mut Tx| {
        let (mut domain, ids) = (lock(tx, &caller, id)?, ids.clone());
        let changes = domain.set_enabled(enabled);
        mail_domains::update(tx, &domain)?;
        if enabled {
            jobs::enqueue(tx, &add::job(&domain, &ids, now, JobReason::Enabled))?;
        } else {
            jobs::cancel(tx, JobKind::DomainCheck, id.0)?;
        }
        check::append_events(tx, &domain, &here, changes, &ids, now)?;
        Ok::<_, Refusal>(domain)
    };
    service.write(work).await
}

/// Creates the next DKIM key, or keeps the pending one. It signs once its record is visible in DNS.
///
/// # Errors
/// Returns `not_found` if the domain is not in the workspace or `dkim_rotation_too_soon` while the previous key's record
/// must stay.
pub async fn rotate(service: &Arc<Service>, caller: Caller, id: DomainId) -> Result<MailDomain, Refusal> {
    let workspace = caller.workspace;
    let found = service.read(workspace, move |tx| mail_domains::get(tx, workspace, id)).await?;
    let domain = found.ok_or_else(|| Refusal::not_found("domain"))?;
    let key = add::new_key(service, domain.workspace, id, domain.active.selector.other()).await?;
    let (ids, now) = (service.clock.ids(), service.clock.now());
    let work = move |tx: &mut Tx| {
        let mut domain = lock(tx, &caller, id)?;
        if domain.next.is_some() || domain.active.selector == key.selector {
            return Ok::<_, Refusal>(domain);
        }
        if let Some(RetiringKey { retire_at, .. }) = domain.previous.take_if(|key| now < key.retire_at) {
            let message = format!(
                "Mail in transit is still signed with the previous key; its record must stay until {retire_at}."
            );
            return Err(Refusal::new(ErrorCode::DkimRotationTooSoon, message).detail(Detail::RetireAt(retire_at)));
        }
        domain.previous = None;
        mail_domains::insert_key(tx, domain.workspace, domain.id, &key, now)?;
        let ed25519 = key.ed25519.as_ref().map(|second| second.record.clone());
        domain.next = Some(DkimKeyRecord { selector: key.selector, record: key.record.clone(), ed25519, since: now });
        mail_domains::update(tx, &domain)?;
        jobs::enqueue(tx, &add::job(&domain, &ids.clone(), domain.next_check_at(now), JobReason::Rotation))?;
        Ok(domain)
    };
    service.write(work).await
}

/// Checks for the next key's record now and activates the key.
///
/// # Errors
/// Returns `not_found` if the domain is not in the workspace or `dkim_record_not_found` if no key is pending or its
/// record is not visible.
pub async fn activate(service: &Arc<Service>, caller: &Caller, id: DomainId) -> Result<MailDomain, Refusal> {
    let workspace = caller.workspace;
    let found = service.read(workspace, move |tx| mail_domains::get(tx, workspace, id)).await?;
    let before = found.ok_or_else(|| Refusal::not_found("domain"))?;
    let Some(next) = &before.next else {
        return Err(Refusal::new(ErrorCode::DkimRecordNotFound, "The domain has no pending DKIM key.")
            .with_fix("Start a rotation first: `POST /v1/domains/{id}/dkim/rotate`."));
    };
    let name = format!("{}._domainkey.{}", next.selector.text(), before.name);
    let outcome = check::check(service, workspace, id).await?;
    if outcome.changes.rotated || outcome.domain.active.selector == next.selector {
        return Ok(outcome.domain);
    }
    Err(Refusal::new(
        ErrorCode::DkimRecordNotFound,
        format!("DNS doesn't return the record of the new key at `{name}`."),
    )
    .detail(Detail::RecordName(name)))
}

/// Deletes a domain; with `force`, also its inboxes, each as in a single deletion.
///
/// # Errors
/// Returns `not_found` if the domain is not in the workspace or `domain_in_use` if it has inboxes and `force` is not set.
pub async fn delete(service: &Service, caller: Caller, id: DomainId, force: bool) -> Result<(), Refusal> {
    loop {
        let work = move |tx: &mut Tx| {
            let domain = lock(tx, &caller, id)?;
            let inboxes = mail_domains::inboxes(tx, caller.workspace, &domain.name, STEP)?;
            if inboxes.is_empty() {
                mail_domains::delete(tx, caller.workspace, id)?;
                jobs::cancel(tx, JobKind::DomainCheck, id.0)?;
            } else if !force {
                let message = format!("At least {} inboxes use {}.", inboxes.len(), domain.name);
                return Err(Refusal::new(ErrorCode::DomainInUse, message));
            }
            Ok(inboxes)
        };
        let inboxes = service.write(work).await?;
        if inboxes.is_empty() {
            return Ok(());
        }
        for inbox in inboxes {
            match delete::delete(service, caller, inbox).await {
                Err(refusal) if refusal.code != ErrorCode::NotFound => return Err(refusal),
                _ => {}
            }
        }
    }
}

fn lock(tx: &mut Tx, caller: &Caller, id: DomainId) -> Result<MailDomain, Refusal> {
    mail_domains::lock(tx, caller.workspace, id)?.ok_or_else(|| Refusal::not_found("domain"))
}
