//! Mail in: who may get it, what it is, and the one transaction that stores it for all of them (architecture, «Mail in»).
//!
//! The caller says 250 when [`receive`] gives its message ids, and never before.

use std::{net::IpAddr, sync::Arc};

use bytes::Bytes;
use posthouse_domain::{
    error::{Code, Refusal},
    id::{ContentId, Ids, InboxId, MessageId, WorkspaceId},
    inbox::Inbox,
    mail_domain::MailDomain,
    time::Time,
};
use posthouse_mail::{
    address::Address,
    auth::{AuthResults, Digest, DmarcPolicy, DmarcResult},
    author::NoAuthor,
    trace::{self, ReceivedLine},
};
use posthouse_store::{
    Tx, blobs,
    contents::{self, INLINE_BYTES_MAX, Raw, RawPlace},
    deliveries, inboxes, mail_domains, workspaces,
};

use super::{
    App, REASON_MALFORMED,
    authenticate::{self, Handover, authenticate},
    bounce_address::{self, ReturnPath},
    file_mail::{self, Copy},
    report_source::{self, Coverage, Exchangers},
    signing::AddressKey,
    take_report::{self, Circumstances, Subject},
    tell_postmaster,
    understand::{Mail, Provenance, understand},
};

/// Local parts that reach a person at every served domain (RFC 2142, RFC 5321 §4.5.1).
const ROLE_LOCAL_PARTS: [&str; 2] = ["postmaster", "abuse"];

/// A mail as a client handed it over.
#[derive(Clone, Debug)]
pub struct Arrival {
    /// The envelope sender; none is the null sender.
    pub mail_from: Option<Address>,
    /// The envelope recipients.
    pub recipients: Vec<Address>,
    /// The bytes.
    pub raw: Vec<u8>,
    /// The client.
    pub client_ip: IpAddr,
    /// What the client called itself.
    pub helo: String,
    /// `ESMTP`, `ESMTPS`, … for the `Received` line (RFC 3848).
    pub protocol: &'static str,
    /// Version and cipher, if it came over TLS.
    pub tls: Option<String>,
}

/// What is to become of a recipient.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RecipientVerdict {
    /// Mail to it is taken.
    Accept,
    /// No such inbox here, or not any more.
    Unknown,
}

/// Whether an address is one of those that reach a person, with a tag or without: never refused by policy.
#[must_use]
pub fn is_role(address: &Address) -> bool {
    let name = address.without_tag();
    ROLE_LOCAL_PARTS.iter().any(|role| name.local().eq_ignore_ascii_case(role))
}

/// Decides about a recipient (decision 17). A role address is taken even where nobody has made an inbox yet: the mail makes one.
///
/// # Errors
/// The store's own.
pub async fn recipient(app: &App, address: &Address) -> Result<RecipientVerdict, Refusal> {
    let (address, now) = (address.clone(), app.clock.now());
    let domains = served_domains(app);
    let path = bounce_address::open(app, &address)?;
    let found = app.store.glance(move |tx| {
        Ok::<_, posthouse_store::Error>(match (reached(tx, (&address, path), &domains, now)?, path) {
            (None, _) if is_role(&address) => home_of_roles(tx, &address, &domains)?.is_some(),
            // Of mail whose inbox was deleted a report still says which addresses are dead.
            (None, Some(path)) => deliveries::anywhere(tx, path.message)?.is_some(),
            (found, _) => found.is_some(),
        })
    });
    Ok(if found.await? { RecipientVerdict::Accept } else { RecipientVerdict::Unknown })
}

pub(super) fn served_domains(app: &App) -> [String; 2] {
    [app.config.mail.default_domain.clone(), app.config.mail.temporary_domain.clone()]
}

/// The live inbox that mail to an address reaches: its own, that of the name before the plus, or for the role addresses
/// the first inbox of the server's first workspace, at a workspace's own domain of that workspace.
///
/// # Errors
/// The store's own.
pub fn resolve(tx: &mut Tx, address: &Address, served: &[String], now: Time) -> posthouse_store::Result<Option<Inbox>> {
    let exact = inboxes::by_address(tx, address.canonical_str())?;
    let found = match exact {
        None if address.tag().is_some() => inboxes::by_address(tx, address.without_tag().canonical_str())?,
        found => found,
    };
    let is_served = served.iter().any(|domain| domain == address.domain());
    if let Some(inbox) = found {
        let is_open =
            is_served || taking(tx, address.domain())?.is_some_and(|domain| domain.workspace == inbox.workspace);
        let reached = Some(inbox).filter(|inbox| is_open && inbox.receives(now));
        // A role address outlives the inbox that somebody made for it.
        if reached.is_some() || !is_role(address) {
            return Ok(reached);
        }
    }
    match home_of_roles(tx, address, served)?.filter(|_| is_role(address)) {
        Some(workspace) => inboxes::first_of(tx, workspace),
        None => Ok(None),
    }
}

/// The workspace that the role addresses of a domain belong to: the server's first for its own, the owner of any other.
fn home_of_roles(tx: &mut Tx, address: &Address, served: &[String]) -> posthouse_store::Result<Option<WorkspaceId>> {
    if served.iter().any(|domain| domain == address.domain()) {
        return workspaces::first(tx);
    }
    Ok(taking(tx, address.domain())?.map(|domain| domain.workspace))
}

/// The inbox of a role address whose workspace has none yet: made with the first mail, for that must be taken.
fn made_for_role(
    tx: &mut Tx,
    address: &Address,
    served: &[String],
    (ids, now): (&Ids, Time),
) -> posthouse_store::Result<Option<Inbox>> {
    let Some(workspace) = home_of_roles(tx, address, served)? else { return Ok(None) };
    let id: InboxId = ids.next();
    let inbox = |username: String| Inbox {
        workspace,
        id,
        address: format!("{username}@{}", address.domain()),
        username,
        domain: address.domain().to_owned(),
        display_name: None,
        client_id: None,
        metadata_json: "{}".to_owned(),
        temporary: false,
        expires_at: None,
        paused_at: None,
        paused_reason: None,
        promotions_filter: None,
        last_message_at: now,
        created_at: now,
        deleted_at: None,
    };
    // An address that was somebody's before is never used again.
    let role = address.without_tag().local().to_ascii_lowercase();
    for inbox in [inbox(role.clone()), inbox(format!("{role}-{}", id.as_uuid().as_simple()))] {
        if inboxes::insert(tx, &inbox)? {
            return Ok(Some(inbox));
        }
    }
    Ok(None)
}

/// A workspace's own domain of that name, if mail for it is taken.
fn taking(tx: &mut Tx, name: &str) -> posthouse_store::Result<Option<MailDomain>> {
    Ok(mail_domains::owner(tx, name)?.filter(MailDomain::takes_mail))
}

/// The domains of these recipients that this server serves: its own, and those of workspaces that take mail here.
///
/// # Errors
/// The store's own.
pub(super) async fn served_among(app: &App, recipients: &[&Address]) -> Result<Vec<String>, Refusal> {
    let mut served: Vec<String> = served_domains(app).into();
    let mut others: Vec<String> = recipients.iter().map(|address| address.domain().to_owned()).collect();
    others.sort_unstable();
    others.dedup();
    others.retain(|domain| !served.contains(domain));
    if !others.is_empty() {
        let find = move |tx: &mut Tx| -> posthouse_store::Result<Vec<String>> {
            let mut taken = Vec::new();
            for name in &others {
                taken.extend(taking(tx, name)?.map(|domain| domain.name));
            }
            Ok(taken)
        };
        served.extend(app.store.read(find).await?);
    }
    Ok(served)
}

/// The live inbox that mail to an address reaches; that of the message for the return path of one.
fn reached(
    tx: &mut Tx,
    (address, path): (&Address, Option<ReturnPath>),
    served: &[String],
    now: Time,
) -> posthouse_store::Result<Option<Inbox>> {
    match path {
        Some(path) => bounce_address::inbox(tx, path.message, now),
        None => resolve(tx, address, served, now),
    }
}

/// Stores a mail for all its recipients and gives the ids of their copies; a report about mail of a deleted inbox is heard and
/// has none.
///
/// # Errors
/// `message_too_large`; `invalid_request` for a mail without an author; a DMARC refusal where the operator wants it; `not_found` when no recipient is left; `unavailable` when
/// some are; the store's own.
pub async fn receive(app: &Arc<App>, mut arrival: Arrival) -> Result<Vec<MessageId>, Refusal> {
    if arrival.raw.len() as u64 > app.config.smtp.message_bytes_max {
        let max = app.config.smtp.message_bytes_max;
        return Err(Refusal::new(Code::MessageTooLarge, format!("The message is larger than {max} bytes.")));
    }
    let (raw, digest) = authenticate::digest(app, std::mem::take(&mut arrival.raw)).await?;
    arrival.raw = raw;
    refuse_without_author(&arrival, &digest)?;
    let author = digest.author().ok().map(|author| author.address().clone());
    let handover =
        Handover { client_ip: arrival.client_ip, helo: &arrival.helo, mail_from: arrival.mail_from.as_ref() };
    let mut results = authenticate(app, (&arrival.raw, digest), handover).await;
    if let Some(author) = author
        && is_own_inbox(app, author).await?
    {
        results.refuse_claim_of_own_inbox();
    }
    refuse_by_policy(app, &arrival, &results)?;
    let prepared = prepare(app, arrival, results).await?;
    let (ids, now, served) = (app.clock.ids(), app.clock.now(), served_domains(app));
    let (hostname, key) = (app.config.smtp.hostname.clone(), app.address_key()?);
    let feedback_sources = app.config.feedback_sources.clone();
    let write = move |tx: &mut Tx| {
        let host = Host { served: &served, hostname: &hostname, key: &key, feedback_sources: &feedback_sources };
        store(tx, &prepared, host, &ids.clone(), now)
    };
    app.store.write(write).await
}

/// A mail must have one author (RFC 5322 §3.6.2). From the null sender it is stored all the same: a report that is lost
/// tells nobody.
fn refuse_without_author(arrival: &Arrival, digest: &Digest) -> Result<(), Refusal> {
    match digest.author() {
        Err(problem) if arrival.mail_from.is_some() => Err(Refusal::new(Code::InvalidRequest, format!("{problem}."))
            .detail("reason", REASON_MALFORMED)
            .with_fix(match problem {
                NoAuthor::Header(_) => "Correct the header and send the mail again.",
                _ => "Send the mail with one From header that names one address.",
            })),
        _ => Ok(()),
    }
}

/// Whether an address is, or was, an inbox of this service. What comes from outside in its name must bear our signature.
async fn is_own_inbox(app: &App, author: Address) -> Result<bool, Refusal> {
    let find = move |tx: &mut Tx| inboxes::by_address(tx, author.without_tag().canonical_str());
    Ok(app.store.glance(find).await?.is_some())
}

/// A domain owner's `p=reject` is followed in the dialogue only if the operator turned that on (decision 26), and never for mail
/// to role addresses, which travels alone then.
fn refuse_by_policy(app: &App, arrival: &Arrival, results: &AuthResults) -> Result<(), Refusal> {
    if arrival.recipients.iter().any(is_role) {
        return Ok(());
    }
    let rejected = results.dmarc.result == DmarcResult::Fail && results.dmarc.policy == Some(DmarcPolicy::Reject);
    if app.config.smtp.reject_dmarc_fail && rejected {
        app.metrics.smtp_screened("dmarc");
        return Err(Refusal::new(Code::Forbidden, "The sender's domain asks to reject mail that fails DMARC.")
            .detail("reason", "dmarc"));
    }
    Ok(())
}

/// A mail with all that can be done before the transaction.
struct Prepared {
    arrival: Arrival,
    /// What each recipient is the return path of.
    paths: Vec<Option<ReturnPath>>,
    /// The mail exchangers of the recipients that it may report about.
    exchangers: Vec<Exchangers>,
    mail: Mail,
    raw: Raw,
}

/// What the transaction needs to know of the configuration.
#[derive(Clone, Copy)]
struct Host<'a> {
    /// The domains of the service itself.
    served: &'a [String],
    hostname: &'a str,
    /// Hashes the addresses of forgotten contacts.
    key: &'a AddressKey,
    feedback_sources: &'a [String],
}

async fn prepare(app: &App, arrival: Arrival, results: AuthResults) -> Result<Prepared, Refusal> {
    let authserv_id = app.config.smtp.hostname.clone();
    let paths = arrival.recipients.iter().map(|address| bounce_address::open(app, address));
    let paths = paths.collect::<Result<Vec<_>, Refusal>>()?;
    let bytes = arrival.raw.len();
    let blobs = app.blobs.clone();
    let work = move || -> posthouse_store::Result<(Arrival, Mail, Vec<u8>)> {
        let provenance =
            Provenance { mail_from: arrival.mail_from.as_ref(), results: &results, authserv_id: &authserv_id };
        let mail = understand(&arrival.raw, Some(provenance));
        let compressed = blobs.compress(&arrival.raw)?;
        Ok((arrival, mail, compressed))
    };
    let (mut arrival, mail, compressed) = app.apart.run_sized(bytes, work).await??;
    let raw = place(app, compressed, bytes).await?;
    let named_only = arrival.recipients.iter().zip(&paths).filter(|(_, path)| path.is_none());
    let named_only = named_only.map(|(address, _)| address.clone()).collect();
    let exchangers = report_source::exchangers(app, &mail, named_only).await?;
    // The bytes are in `raw` now; a group of large mails must not be held twice.
    arrival.raw = Vec::new();
    Ok(Prepared { arrival, paths, exchangers, mail, raw })
}

/// Where compressed raw bytes are kept: large ones go to the blob store, flushed before any row names them.
///
/// # Errors
/// The blob store's own.
pub async fn place(app: &App, compressed: Vec<u8>, raw_bytes: usize) -> Result<Raw, Refusal> {
    let place = if compressed.len() <= INLINE_BYTES_MAX {
        RawPlace::Inline(compressed)
    } else {
        let digest: blobs::Digest = app.blobs.put(Bytes::from(compressed)).await?;
        RawPlace::Blob(digest.to_string())
    };
    Ok(Raw { place, bytes: raw_bytes as u64 })
}

/// An inbox that gets a copy.
struct ReachedInbox<'p> {
    inbox: Inbox,
    /// The first address that leads to it.
    address: &'p Address,
    /// The return paths that lead to it: one report may be about several recipients.
    paths: Vec<ReturnPath>,
}

/// Where the copies of a mail go.
#[derive(Default)]
struct Reached<'p> {
    /// The inboxes, each once.
    inboxes: Vec<ReachedInbox<'p>>,
    /// Those of them that a role address leads to.
    to_roles: Vec<(InboxId, &'p Address)>,
    /// Sent messages whose inbox was deleted, and whose return path it came to with a report.
    told: Vec<Subject>,
    /// Recipients that were there at RCPT and are not any more.
    gone: usize,
}

/// Finds the inboxes of the recipients.
fn reach<'p>(
    tx: &mut Tx,
    prepared: &'p Prepared,
    served: &[String],
    (ids, now): (&Ids, Time),
) -> posthouse_store::Result<Reached<'p>> {
    let mut all = Reached::default();
    for (address, path) in prepared.arrival.recipients.iter().zip(&prepared.paths) {
        let inbox = match reached(tx, (address, *path), served, now)? {
            None if is_role(address) => made_for_role(tx, address, served, (ids, now))?,
            inbox => inbox,
        };
        let Some(inbox) = inbox else {
            let path = path.filter(|_| prepared.mail.report.is_some());
            let sent = path.map(|path| deliveries::anywhere(tx, path.message)).transpose()?.flatten();
            match sent.zip(path) {
                Some((sent, path)) => all.told.push((sent, Coverage::Position(path.position))),
                None => all.gone += 1,
            }
            continue;
        };
        if is_role(address) {
            all.to_roles.push((inbox.id, address));
        }
        // An inbox that is reached by two addresses gets one copy.
        match all.inboxes.iter_mut().find(|other| other.inbox.id == inbox.id) {
            Some(known) => known.paths.extend(*path),
            None => all.inboxes.push(ReachedInbox { inbox, address, paths: path.iter().copied().collect() }),
        }
    }
    Ok(all)
}

fn store(tx: &mut Tx, prepared: &Prepared, host: Host<'_>, ids: &Ids, now: Time) -> Result<Vec<MessageId>, Refusal> {
    let Reached { inboxes: found, to_roles, told, gone } = reach(tx, prepared, host.served, (ids, now))?;
    match (found.len() + told.len(), gone) {
        (0, _) => return Err(Refusal::not_found("recipient")),
        (_, 0) => {}
        // A 250 would lose their copies in silence. The client comes again, and hears at RCPT who is not here any more.
        _ => return Err(Refusal::new(Code::Unavailable, "A recipient has gone since it was accepted.")),
    }
    if found.len() > 1 {
        inboxes::lock_all(tx, found.iter().map(|of| (of.inbox.workspace, of.inbox.id)).collect())?;
    }
    if let Some(report) = &prepared.mail.report {
        told.iter().try_for_each(|subject| take_report::take(tx, report, subject, ids, now))?;
    }
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
        let trace = trace_lines(&prepared.arrival, address, (host.hostname, &content.to_string()), now);
        let at = Circumstances { paths, exchangers: &prepared.exchangers, feedback_sources: host.feedback_sources };
        let copy = Copy { mail: &prepared.mail, content, trace: &trace, at, key: host.key };
        let message = file_mail::file(tx, copy, inbox, ids, now)?;
        if let Some((_, role)) = to_roles.iter().find(|(id, _)| *id == inbox.id) {
            tell_postmaster::note(tx, (inbox.workspace, message), (&prepared.mail, role), ids, now)?;
        }
        stored.push(message);
    }
    Ok(stored)
}

fn trace_lines(arrival: &Arrival, recipient: &Address, (hostname, id): (&str, &str), now: Time) -> String {
    let mail_from = arrival.mail_from.as_ref().map(Address::smtp_form).unwrap_or_default();
    let mut lines = trace::return_path(&mail_from);
    lines.push_str(&trace::received(&ReceivedLine {
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
