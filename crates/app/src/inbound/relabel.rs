//! Updates authors and labels of stored mail after the rules about authors changed. Messages keep their position.
//!
//! Reads the raw bytes again. SPF and DKIM cannot be checked again, because records and keys change: the results at
//! receipt count if they are about the author that is found now.

use std::sync::Arc;

use posthouse_domain::label::{self, AUTH_UNKNOWN, DMARC_FAIL};
use posthouse_domain::{ErrorCode, Message, MessageId, Refusal, WorkspaceId, quoted_links::masked_author};
use posthouse_mail::author::{self, Author, AuthorError};
use posthouse_mail::trace::{self, StoredDmarcResult};
use posthouse_store::{Tx, contents, inboxes, messages, relabel as store, relabel::MessageRef};
use serde_json::Value;

use crate::{messages::raw, service::ReadScope, service::Service};

/// Messages listed per query.
const PAGE: u32 = 200;

/// The totals of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RelabelTotals {
    /// Received messages read.
    pub read: u64,
    /// Messages whose author or labels changed.
    pub changed: u64,
    /// Messages whose raw bytes could not be read; they are unchanged.
    pub unreadable: u64,
}

/// Processes every received message. With `dry_run`, writes nothing.
///
/// # Errors
/// Returns an error if a store call fails.
pub async fn run(service: &Arc<Service>, dry_run: bool) -> Result<RelabelTotals, Refusal> {
    let mut sum = RelabelTotals::default();
    let mut after = None;
    loop {
        let page = service.read(ReadScope::Service, move |tx| store::page(tx, after, PAGE)).await?;
        let Some(last) = page.last() else { return Ok(sum) };
        after = Some(*last);
        for MessageRef { workspace, message: id } in page {
            sum.read += 1;
            match relabel_one(service, workspace, id, dry_run).await {
                Ok(changed) => sum.changed += u64::from(changed),
                Err(refusal) if refusal.code != ErrorCode::ContentDamaged => return Err(refusal),
                Err(refusal) => {
                    sum.unreadable += 1;
                    tracing::warn!(message_id = %id, cause = refusal.message, "message not relabeled");
                }
            }
        }
    }
}

async fn relabel_one(
    service: &Arc<Service>,
    workspace: WorkspaceId,
    id: MessageId,
    dry_run: bool,
) -> Result<bool, Refusal> {
    let hostname = service.config.hostname.clone();
    let found = service.read(ReadScope::Service, move |tx| read(tx, workspace, id, &hostname)).await?;
    let Some((content, found)) = found else { return Ok(false) };
    let author = raw::content(service, content, |raw, _| Ok(author::author(&raw).and_then(masked_author))).await?;
    let work = move |tx: &mut Tx| {
        if !dry_run {
            messages::lock(tx, workspace, &[id])?;
        }
        let Some(before) = messages::get(tx, workspace, id)? else { return Ok(false) };
        let is_claim = claims_own_inbox(tx, author.as_ref().ok(), found.as_ref())?;
        let after = relabeled(&before, &author, found.as_ref(), is_claim);
        if after == before {
            return Ok(false);
        }
        if !dry_run {
            store::set(tx, &before, &after)?;
        }
        Ok::<_, Refusal>(true)
    };
    if dry_run { service.read(ReadScope::Service, work).await } else { service.write(work).await }
}

/// Returns the raw bytes of a message, and the DMARC result at receipt.
fn read(
    tx: &mut Tx,
    workspace: WorkspaceId,
    id: MessageId,
    hostname: &str,
) -> Result<Option<(raw::StoredContent, Option<StoredDmarcResult>)>, Refusal> {
    let Some(message) = messages::get(tx, workspace, id)? else { return Ok(None) };
    let bodies = contents::bodies(tx, workspace, &[message.content])?.pop();
    let headers: Value = bodies.and_then(|of| serde_json::from_str(&of.bodies.headers_json).ok()).unwrap_or_default();
    let results = &headers["authentication-results"];
    let first = results.as_str().or_else(|| results[0].as_str());
    // The first field is a stranger's if the mail was stored without ours.
    let ours = first.filter(|value| trace::is_foreign_claim(value, hostname));
    let raw = contents::raw(tx, workspace, message.content)?;
    let stored = raw.map(|raw| raw::StoredContent { workspace, id: message.content, raw });
    Ok(stored.map(|stored| (stored, ours.and_then(trace::stored_dmarc))))
}

/// Returns true if the mail came from outside in the name of an inbox of this service, without an aligned signature.
fn claims_own_inbox(tx: &mut Tx, author: Option<&Author>, found: Option<&StoredDmarcResult>) -> Result<bool, Refusal> {
    let Some(author) = author.filter(|_| !found.is_some_and(|dmarc| dmarc.is_signed)) else { return Ok(false) };
    Ok(inboxes::by_address(tx, author.address().without_tag().canonical_str())?.is_some())
}

/// Returns the message with the author and labels that it would get now.
fn relabeled(
    before: &Message,
    author: &Result<Author, AuthorError>,
    found: Option<&StoredDmarcResult>,
    claims_own_inbox: bool,
) -> Message {
    let mut after = before.clone();
    let label = match author {
        _ if claims_own_inbox || found.is_some_and(|dmarc| dmarc.result == "fail") => Some(DMARC_FAIL),
        Err(_) => Some(DMARC_FAIL),
        Ok(author) => {
            let is_about_author = found.is_some_and(|dmarc| dmarc.domain == author.address().domain());
            let is_unknown = found.is_some_and(|dmarc| ["temperror", "permerror"].contains(&&*dmarc.result));
            (!is_about_author || is_unknown).then_some(AUTH_UNKNOWN)
        }
    };
    if let Some(label) = label.filter(|label| !after.labels.iter().any(|have| have == label)) {
        after.labels.push(label.to_owned());
    }
    let failed = label::has_failed_authentication(&after.labels);
    if let Some(verification) = &mut after.verification {
        verification.auth_failed = failed;
    }
    after.from = author.as_ref().map(ToString::to_string).unwrap_or_default();
    let address = author.as_ref().ok().map(|author| author.address().canonical());
    // Mail from the null sender has no contact.
    if before.contact_address.is_some() {
        after.contact_address = address;
    }
    after
}
