//! Changes of a domain by its owner: receiving, DKIM rotation, deletion (API document, Domains; contract §13.4).

use std::sync::Arc;

use posthouse_domain::{
    auth::Caller,
    error::{Code, Refusal},
    id::DomainId,
    mail_domain::{KeyRecord, MailDomain},
};
use posthouse_store::{Tx, jobs, mail_domains};

use super::{App, add_domain, check_domain, delete_inbox};

/// Inboxes that are deleted in one step of the loop.
const STEP: u32 = 100;

/// Turns receiving on or off.
///
/// # Errors
/// `not_found`, or the store's own.
pub async fn set_receiving(app: &App, caller: Caller, id: DomainId, receiving: bool) -> Result<MailDomain, Refusal> {
    let work = move |tx: &mut Tx| {
        let mut domain = take(tx, &caller, id)?;
        domain.receiving = receiving;
        mail_domains::update(tx, &domain)?;
        Ok::<_, Refusal>(domain)
    };
    app.store.write(work).await
}

/// Switches a domain off, or on again, for the operator: while it is off nothing is sent from it or taken for it, and it is
/// not checked. On again it stands as the next check says, which is at once.
///
/// # Errors
/// `not_found`, or the store's own.
pub async fn set_enabled(app: &App, caller: Caller, id: DomainId, enabled: bool) -> Result<MailDomain, Refusal> {
    let (ids, now, here) = (app.clock.ids(), app.clock.now(), app.config.here());
    let work = move |tx: &mut Tx| {
        let (mut domain, ids) = (take(tx, &caller, id)?, ids.clone());
        let changes = domain.switch(enabled);
        mail_domains::update(tx, &domain)?;
        if enabled {
            jobs::enqueue(tx, &add_domain::job(&domain, &ids, now, "enabled"))?;
        } else {
            jobs::cancel(tx, jobs::DOMAIN_CHECK, id.0)?;
        }
        check_domain::tell(tx, (&domain, &here), changes, &ids, now)?;
        Ok::<_, Refusal>(domain)
    };
    app.store.write(work).await
}

/// Makes the next DKIM key; one that waits already stays. It signs once its record is seen.
///
/// # Errors
/// `not_found`; `dkim_rotation_too_soon` while the record of the key before must stay; the store's own.
pub async fn rotate(app: &Arc<App>, caller: Caller, id: DomainId) -> Result<MailDomain, Refusal> {
    let workspace = caller.workspace;
    let found = app.store.read(move |tx| mail_domains::get(tx, workspace, id)).await?;
    let domain = found.ok_or_else(|| Refusal::not_found("domain"))?;
    let key = add_domain::new_key(app, id, domain.active.selector.other()).await?;
    let (ids, now) = (app.clock.ids(), app.clock.now());
    let work = move |tx: &mut Tx| {
        let mut domain = take(tx, &caller, id)?;
        if domain.next.is_some() || domain.active.selector == key.selector {
            return Ok::<_, Refusal>(domain);
        }
        if let Some((_, retire_at)) = domain.previous.take_if(|(_, retire_at)| now < *retire_at) {
            let message =
                format!("Mail under way is still signed with the key before; its record must stay until {retire_at}.");
            return Err(Refusal::new(Code::DkimRotationTooSoon, message).detail("retire_at", retire_at.to_string()));
        }
        domain.previous = None;
        mail_domains::insert_key(tx, (domain.workspace, domain.id), &key, now)?;
        let ed25519 = key.ed25519.as_ref().map(|second| second.record.clone());
        domain.next = Some(KeyRecord { selector: key.selector, record: key.record.clone(), ed25519, since: now });
        mail_domains::update(tx, &domain)?;
        jobs::enqueue(tx, &add_domain::job(&domain, &ids.clone(), domain.next_check_at(now), "rotation"))?;
        Ok(domain)
    };
    app.store.write(work).await
}

/// Looks for the next key's record now and lets it sign.
///
/// # Errors
/// `not_found`; `dkim_record_not_found` where no key waits or its record cannot be seen; the store's own.
pub async fn activate(app: &Arc<App>, caller: &Caller, id: DomainId) -> Result<MailDomain, Refusal> {
    let workspace = caller.workspace;
    let found = app.store.read(move |tx| mail_domains::get(tx, workspace, id)).await?;
    let before = found.ok_or_else(|| Refusal::not_found("domain"))?;
    let Some(next) = &before.next else {
        return Err(Refusal::new(Code::DkimRecordNotFound, "No new key waits for this domain.")
            .with_fix("Start a rotation first: POST /v1/domains/{id}/dkim/rotate."));
    };
    let name = format!("{}._domainkey.{}", next.selector.text(), before.name);
    let outcome = check_domain::check(app, workspace, id).await?;
    if outcome.changes.rotated || outcome.domain.active.selector == next.selector {
        return Ok(outcome.domain);
    }
    Err(Refusal::new(Code::DkimRecordNotFound, format!("The record of the new key at {name} cannot be seen."))
        .detail("name", name))
}

/// Deletes a domain; with `force` the inboxes on it too, as if one by one.
///
/// # Errors
/// `not_found`; `domain_in_use` without `force`; the store's own.
pub async fn delete(app: &App, caller: Caller, id: DomainId, force: bool) -> Result<(), Refusal> {
    loop {
        let work = move |tx: &mut Tx| {
            let domain = take(tx, &caller, id)?;
            let inboxes = mail_domains::inboxes(tx, caller.workspace, &domain.name, STEP)?;
            if inboxes.is_empty() {
                mail_domains::delete(tx, caller.workspace, id)?;
                jobs::cancel(tx, jobs::DOMAIN_CHECK, id.0)?;
            } else if !force {
                let message = format!("{} inboxes or more use {}.", inboxes.len(), domain.name);
                return Err(Refusal::new(Code::DomainInUse, message));
            }
            Ok(inboxes)
        };
        let inboxes = app.store.write(work).await?;
        if inboxes.is_empty() {
            return Ok(());
        }
        for inbox in inboxes {
            match delete_inbox::delete(app, caller, inbox).await {
                Err(refusal) if refusal.code != Code::NotFound => return Err(refusal),
                _ => {}
            }
        }
    }
}

fn take(tx: &mut Tx, caller: &Caller, id: DomainId) -> Result<MailDomain, Refusal> {
    mail_domains::take(tx, caller.workspace, id)?.ok_or_else(|| Refusal::not_found("domain"))
}
