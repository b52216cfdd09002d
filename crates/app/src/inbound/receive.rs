//! Receives a mail: resolves its recipients, authenticates and parses it, and stores all copies in one transaction
//! (`docs/FLOWS.md`).
//!
//! The SMTP server replies 250 after [`receive`] returns, never before.

use std::{net::IpAddr, sync::Arc};

use posthouse_domain::{
    ContentId, Detail, ErrorCode, IdGenerator, Inbox, InboxId, MessageId, Plans, Refusal, RefusalReason, Time,
    WorkspaceId,
};
use posthouse_mail::auth::{AuthDigest, AuthResults, DmarcPolicy, DmarcResult};
use posthouse_mail::trace::{self, ReceivedField};
use posthouse_mail::{address::Address, author::AuthorError};
use posthouse_store::{Tx, contents, contents::StoredRaw, inboxes, storage};

use super::acquaintances::{Acquaintances, acquaintances};
use super::apply_report::{self, ReportContext, ReportedMessage};
use super::authenticate::{self, SmtpClientFacts, authenticate};
use super::{exchangers, recipient::made_for_role, report_source::MailExchangers, role_mail};
use crate::limits::storage_limit;
use crate::mailbox::parse::{ParsedMail, Provenance, parse_message};
use crate::mailbox::recipient::{is_role, resolve_recipient, served_domains};
use crate::mailbox::return_path::{self, ReturnPath};
use crate::mailbox::{self, ReceivedCopy, Visibility, judge::Imitation, judge::Judge, judge::KnownOf};
use crate::service::{ReadScope, Service};
use crate::{keyring::instance_key::AddressKey, messages::raw};

/// A mail and its SMTP envelope.
#[derive(Clone, Debug)]
pub struct InboundMail {
    /// The envelope sender; `None` for the null sender.
    pub mail_from: Option<Address>,
    /// The envelope recipients.
    pub recipients: Vec<Address>,
    /// The raw mail.
    pub raw: Vec<u8>,
    /// The address of the client.
    pub client_ip: IpAddr,
    /// The host name of the client's HELO or EHLO.
    pub helo: String,
    /// The protocol for the `Received` line, such as `ESMTPS` (RFC 3848).
    pub protocol: &'static str,
    /// TLS version and cipher, if the mail arrived over TLS.
    pub tls: Option<String>,
    /// The only workspace of the recipients, if it may have no room for the mail, because the client didn't state its
    /// size.
    pub may_not_fit_in: Option<WorkspaceId>,
    /// Whether agents get the mail at once.
    pub visibility: Visibility,
}

/// Stores a mail for all its recipients and returns the IDs of the copies. A report about mail of a deleted inbox is
/// applied and has no copy.
///
/// # Errors
/// Returns `message_too_large`; `invalid_request` for a mail without an author; `forbidden` for a DMARC failure if the
/// operator rejects these; `not_found` if no recipient exists any more; `unavailable` if some don't;
/// `plan_limit_storage` if a workspace would store more than its plan allows; or an error if a store call fails.
pub async fn receive(service: &Arc<Service>, mut arrival: InboundMail) -> Result<Vec<MessageId>, Refusal> {
    if arrival.raw.len() as u64 > service.config.message_bytes_max {
        let max = service.config.message_bytes_max;
        return Err(Refusal::new(ErrorCode::MessageTooLarge, format!("The message is larger than {max} bytes.")));
    }
    if let Some(workspace) = arrival.may_not_fit_in {
        // Refused before anything is computed, because it would be refused at the end.
        let (plans, bytes) = (service.config.plans, arrival.raw.len() as u64);
        service.read(ReadScope::Lookup, move |tx| storage_limit::need(tx, &plans, workspace, bytes)).await?.check()?;
    }
    let (raw, digest) = authenticate::digest(service, std::mem::take(&mut arrival.raw)).await?;
    arrival.raw = raw;
    refuse_without_author(&arrival, &digest)?;
    let author = digest.author().ok().map(|author| author.address().clone());
    let handover =
        SmtpClientFacts { client_ip: arrival.client_ip, helo: &arrival.helo, mail_from: arrival.mail_from.as_ref() };
    let mut results = authenticate(service, &arrival.raw, digest, handover).await;
    let Acquaintances { is_own, known } = match author {
        Some(author) => acquaintances(service, author, &arrival.recipients).await?,
        None => Acquaintances::default(),
    };
    if is_own {
        results.refuse_claim_of_own_inbox();
    }
    refuse_by_policy(service, &arrival, &results)?;
    let mut prepared = prepare(service, arrival, results, known).await?;
    prepared.mail.verify_disclosure(is_own);
    let (ids, now, served) = (service.clock.ids(), service.clock.now(), served_domains(service));
    let (hostname, key) = (service.config.hostname.clone(), service.address_key()?);
    let (feedback_sources, plans) = (service.config.inbound.feedback_sources.clone(), service.config.plans);
    let write = move |tx: &mut Tx| {
        let settings = StoreSettings {
            served: &served,
            hostname: &hostname,
            key: &key,
            feedback_sources: &feedback_sources,
            plans: &plans,
        };
        store(tx, &prepared, settings, &ids.clone(), now)
    };
    service.write(write).await
}

/// Checks that a mail has one author (RFC 5322 §3.6.2). Mail from the null sender is stored in any case, because a
/// rejected report would be lost (`docs/decisions/receiving.md#0016-mail-without-an-author`).
fn refuse_without_author(arrival: &InboundMail, digest: &AuthDigest) -> Result<(), Refusal> {
    match digest.author() {
        Err(problem) if arrival.mail_from.is_some() => {
            Err(Refusal::new(ErrorCode::InvalidRequest, format!("{problem}."))
                .detail(Detail::Reason(RefusalReason::MalformedHeader))
                .with_fix(match problem {
                    AuthorError::Header(_) => "Correct the header and send the mail again.",
                    _ => "Send the mail with one From header that names one address.",
                }))
        }
        _ => Ok(()),
    }
}

/// Rejects mail that fails a `p=reject` policy, if the operator enabled that
/// (`docs/decisions/receiving.md#0020-failing-mail-is-labeled`). Never rejects mail to role addresses, which has no
/// other recipients in its transaction.
fn refuse_by_policy(service: &Service, arrival: &InboundMail, results: &AuthResults) -> Result<(), Refusal> {
    if arrival.recipients.iter().any(is_role) {
        return Ok(());
    }
    let rejected = results.dmarc.result == DmarcResult::Fail && results.dmarc.policy == Some(DmarcPolicy::Reject);
    if service.config.inbound.reject_dmarc_fail && rejected {
        service.metrics.smtp_rejected_by_policy("dmarc");
        return Err(Refusal::new(
            ErrorCode::Forbidden,
            "The policy of the sender's domain rejects mail that fails DMARC.",
        )
        .detail(Detail::Reason(RefusalReason::Dmarc))
        .with_fix("Send from a server that the SPF or DKIM records of the sender's domain authorize."));
    }
    Ok(())
}

/// A mail with everything that is computed before the transaction.
struct PreparedMail {
    arrival: InboundMail,
    /// The return path that each recipient address encodes.
    paths: Vec<Option<ReturnPath>>,
    /// The mail exchangers of the recipients that it may report about.
    exchangers: Vec<MailExchangers>,
    mail: ParsedMail,
    /// What the checks say to the workspaces whose contacts the author imitates.
    imitations: Vec<Imitation>,
    raw: StoredRaw,
}

/// The configuration that the transaction needs.
#[derive(Clone, Copy)]
struct StoreSettings<'a> {
    /// The domains of the service.
    served: &'a [String],
    hostname: &'a str,
    /// Hashes the addresses of forgotten contacts.
    key: &'a AddressKey,
    feedback_sources: &'a [String],
    plans: &'a Plans,
}

async fn prepare(
    service: &Service,
    arrival: InboundMail,
    results: AuthResults,
    known: Vec<KnownOf>,
) -> Result<PreparedMail, Refusal> {
    let authserv_id = service.config.hostname.clone();
    let paths = arrival.recipients.iter().map(|address| return_path::open(service, address));
    let paths = paths.collect::<Result<Vec<_>, Refusal>>()?;
    let bytes = arrival.raw.len();
    let (blobs, judge) = (service.blobs.clone(), Judge::of(service));
    let work = move || {
        let provenance = Provenance {
            mail_from: arrival.mail_from.as_ref(),
            results: &results,
            authserv_id: &authserv_id,
            is_request: false,
        };
        let mut mail = parse_message(&arrival.raw, Some(provenance));
        judge.screen(&mut mail);
        mail.judged = judge.judge(&mail);
        let imitations = judge.imitations(&mail, &known);
        let compressed = blobs.compress(&arrival.raw)?;
        Ok::<_, posthouse_store::Error>((arrival, (mail, imitations), compressed))
    };
    let (mut arrival, (mail, imitations), compressed) = service.blocking_pool.run_receipt(bytes, work).await??;
    let raw = raw::store_raw(service, compressed, bytes).await?;
    let named_only = arrival.recipients.iter().zip(&paths).filter(|(_, path)| path.is_none());
    let named_only = named_only.map(|(address, _)| address.clone()).collect();
    let exchangers = exchangers::exchangers(service, &mail, named_only).await?;
    // The bytes are in `raw` now; a group commit of large mails must not hold them twice.
    arrival.raw = Vec::new();
    Ok(PreparedMail { arrival, paths, exchangers, mail, imitations, raw })
}

/// An inbox that receives a copy.
struct ReachedInbox<'p> {
    inbox: Inbox,
    /// The first recipient address that resolves to it.
    address: &'p Address,
    /// The return paths that resolve to it; one report may be about several recipients.
    paths: Vec<ReturnPath>,
}

/// The destinations of a mail.
#[derive(Default)]
struct Destinations<'p> {
    /// The inboxes, each once.
    inboxes: Vec<ReachedInbox<'p>>,
    /// The inboxes reached by a role address, with that address.
    to_roles: Vec<(InboxId, &'p Address)>,
    /// Sent messages of deleted inboxes that the mail reports about.
    reported: Vec<ReportedMessage>,
    /// The number of recipients that were accepted at RCPT and don't exist any more.
    missing: usize,
}

/// Resolves the recipients to inboxes.
fn resolve<'p>(
    tx: &mut Tx,
    prepared: &'p PreparedMail,
    served: &[String],
    ids: &IdGenerator,
    now: Time,
) -> posthouse_store::Result<Destinations<'p>> {
    let mut all = Destinations::default();
    for (address, path) in prepared.arrival.recipients.iter().zip(&prepared.paths) {
        let inbox = match resolve_recipient(tx, address, *path, served, now)? {
            None if is_role(address) => made_for_role(tx, address, served, ids, now)?,
            inbox => inbox,
        };
        let Some(inbox) = inbox else {
            let report = prepared.mail.report.as_ref().zip(path.as_ref());
            match report.map(|(report, path)| apply_report::at_return_path(tx, report, path)).transpose()?.flatten() {
                Some(reported) => all.reported.push(reported),
                None => all.missing += 1,
            }
            continue;
        };
        if is_role(address) {
            all.to_roles.push((inbox.id, address));
        }
        // An inbox that two recipients resolve to gets one copy.
        match all.inboxes.iter_mut().find(|other| other.inbox.id == inbox.id) {
            Some(known) => known.paths.extend(*path),
            None => all.inboxes.push(ReachedInbox { inbox, address, paths: path.iter().copied().collect() }),
        }
    }
    Ok(all)
}

fn store(
    tx: &mut Tx,
    prepared: &PreparedMail,
    settings: StoreSettings<'_>,
    ids: &IdGenerator,
    now: Time,
) -> Result<Vec<MessageId>, Refusal> {
    let Destinations { inboxes: found, to_roles, reported, missing } =
        resolve(tx, prepared, settings.served, ids, now)?;
    match (found.len() + reported.len(), missing) {
        (0, _) => return Err(Refusal::not_found("recipient")),
        (_, 0) => {}
        // A 250 would silently drop their copies. The client retries, and RCPT then rejects the missing recipients.
        _ => return Err(Refusal::new(ErrorCode::Unavailable, "A recipient was deleted after it was accepted.")),
    }
    // A message is refused as a whole. RCPT keeps recipients that may not fit apart from other workspaces.
    storage::limit(tx, settings.plans);
    if found.len() > 1 {
        inboxes::lock_all(tx, found.iter().map(|of| (of.inbox.workspace, of.inbox.id)).collect())?;
    }
    apply_report::apply(tx, &prepared.mail, &reported, ids, now)?;
    let mut contents: Vec<(WorkspaceId, ContentId)> = Vec::new();
    let mut stored = Vec::with_capacity(found.len());
    for ReachedInbox { inbox, address, paths } in &found {
        let content = match contents.iter().find(|(workspace, _)| *workspace == inbox.workspace) {
            Some((_, content)) => *content,
            None => {
                let content = ids.next();
                contents::insert(tx, inbox.workspace, content, &prepared.raw, &prepared.mail.bodies)?;
                contents.push((inbox.workspace, content));
                content
            }
        };
        let trace = trace_lines(&prepared.arrival, address, settings.hostname, &content.to_string(), now);
        let at = ReportContext { paths, exchangers: &prepared.exchangers, feedback_sources: settings.feedback_sources };
        let subjects = apply_report::subjects(tx, &prepared.mail, at, inbox)?;
        let reports_on: Vec<MessageId> = subjects.iter().map(|subject| subject.original.id).collect();
        let copy = ReceivedCopy {
            mail: &prepared.mail,
            content,
            trace: &trace,
            reports_on: &reports_on,
            key: settings.key,
            visibility: prepared.arrival.visibility,
            plans: settings.plans,
            imitation: prepared.imitations.iter().find(|imitation| imitation.workspace == inbox.workspace),
            agent: None,
        };
        let message = mailbox::receive(tx, copy, inbox, ids, now)?;
        apply_report::apply(tx, &prepared.mail, &subjects, ids, now)?;
        if let Some((_, role)) = to_roles.iter().find(|(id, _)| *id == inbox.id) {
            role_mail::enqueue_notice(tx, inbox.workspace, message, &prepared.mail, role, ids, now)?;
        }
        stored.push(message);
    }
    Ok(stored)
}

fn trace_lines(arrival: &InboundMail, recipient: &Address, hostname: &str, id: &str, now: Time) -> String {
    let mail_from = arrival.mail_from.as_ref().map(Address::smtp_form).unwrap_or_default();
    let mut lines = trace::return_path(&mail_from);
    lines.push_str(&trace::received(&ReceivedField {
        from_helo: &arrival.helo,
        client_ip: arrival.client_ip,
        client_name: None,
        by: hostname,
        protocol: arrival.protocol,
        id,
        for_recipient: Some(&recipient.smtp_form()),
        date_ms: now.millis(),
        tls: arrival.tls.as_deref(),
    }));
    lines
}
