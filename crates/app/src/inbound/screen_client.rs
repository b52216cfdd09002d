//! Decides whether a client may send mail to a recipient now: DNS blocklists (RFC 5782) and greylisting (RFC 6647),
//! each optional.
//!
//! A missing answer counts in the client's favor. Exempt are mail to postmaster and abuse, so that a person who can fix
//! a mistake stays reachable, and mail from this machine, from trusted networks and by submission.

use std::net::IpAddr;

use futures_util::{StreamExt as _, stream::FuturesUnordered};
use posthouse_domain::{
    BlocklistStatus, GreylistDecision, GreylistRecord, Refusal, Time, greylist as rules, reputation,
};
use posthouse_mail::address::Address;
use posthouse_mail::auth::{DnsAnswer, DnsQuestion, DnsRecordType, DnsRecords};
use posthouse_store::{Tx, contacts, greylist};

use crate::{mailbox::recipient, service::ReadScope, service::Service};

/// A client, envelope sender and recipient to screen.
#[derive(Clone, Copy, Debug)]
pub struct ScreeningRequest<'a> {
    /// The address of the client.
    pub client_ip: IpAddr,
    /// The envelope sender; `None` for the null sender.
    pub mail_from: Option<&'a Address>,
    /// The recipient, an inbox of this service.
    pub recipient: &'a Address,
}

/// The result of screening an offer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ClientScreening {
    /// The mail is accepted.
    Accept,
    /// The client is on this list.
    Listed(String),
    /// The client is unknown and must retry later.
    RetryLater,
}

/// Returns true if the client is never screened: this machine and trusted networks.
#[must_use]
pub fn is_trusted(service: &Service, client_ip: IpAddr) -> bool {
    client_ip.is_loopback() || service.config.inbound.trusted_clients.iter().any(|network| network.contains(client_ip))
}

/// Screens a client for an existing recipient.
///
/// # Errors
/// Returns an error if a database call fails.
pub async fn screen(service: &Service, offer: ScreeningRequest<'_>) -> Result<ClientScreening, Refusal> {
    if recipient::is_role(offer.recipient) || is_trusted(service, offer.client_ip) {
        return Ok(ClientScreening::Accept);
    }
    if let Some(list) = listed(service, offer.client_ip).await {
        return Ok(ClientScreening::Listed(list));
    }
    if service.config.inbound.greylisting && !is_known(service, offer).await? {
        return Ok(ClientScreening::RetryLater);
    }
    Ok(ClientScreening::Accept)
}

/// Returns the first list that contains the client, among the lists that answer in time.
async fn listed(service: &Service, client: IpAddr) -> Option<String> {
    let policy = &service.config.inbound;
    if policy.dnsbl.is_empty() {
        return None;
    }
    let now = service.clock.now();
    if let Some(known) = service.blocklists.get(client, now) {
        return known;
    }
    let query = |list: &String| {
        let question = DnsQuestion::new(&reputation::question(client, list), DnsRecordType::A);
        let list = list.clone();
        async move { (list, service.dns.lookup(question).await) }
    };
    let mut answers: FuturesUnordered<_> = policy.dnsbl.iter().map(query).collect();
    let mut deadline = service.clock.sleep_until(now.plus_ms(policy.dnsbl_timeout_ms));
    let (mut found, mut all_answered) = (None, true);
    while found.is_none() {
        tokio::select! {
            biased;
            answer = answers.next() => match answer {
                Some((list, answer)) => match listing(&answer) {
                    BlocklistStatus::Listed => found = Some(list),
                    BlocklistStatus::Clean => {}
                    BlocklistStatus::Unknown | BlocklistStatus::Skipped => {
                        tracing::debug!(list, "smtp.blocklist_no_answer");
                        all_answered = false;
                    }
                },
                None => break,
            },
            () = &mut deadline => {
                tracing::debug!("smtp.blocklists_timed_out");
                all_answered = false;
                break;
            }
        }
    }
    if all_answered || found.is_some() {
        service.blocklists.cache(client, found.clone(), now);
    }
    found
}

fn listing(answer: &DnsAnswer) -> BlocklistStatus {
    match answer {
        DnsAnswer::NoSuchName | DnsAnswer::NoData => BlocklistStatus::Clean,
        DnsAnswer::Records(DnsRecords::A(found)) => reputation::interpret(found),
        _ => BlocklistStatus::Unknown,
    }
}

/// The keys of the greylist entries of a client.
struct GreylistKeys {
    /// The key of its network, once it has passed.
    network: [u8; 32],
    /// The key of network, sender and recipient, until then.
    triplet: [u8; 32],
}

/// Returns true if the sender is known or retried in time. Bounces of other mail servers are never delayed, nor is mail
/// from contacts of the recipient's workspace.
async fn is_known(service: &Service, offer: ScreeningRequest<'_>) -> Result<bool, Refusal> {
    let Some(sender) = offer.mail_from else { return Ok(true) };
    let keys = GreylistKeys {
        network: rules::network_key(offer.client_ip),
        triplet: rules::triplet_key(offer.client_ip, sender, offer.recipient),
    };
    let (now, delay_ms) = (service.clock.now(), service.config.inbound.greylisting_delay_ms);
    let (sender, recipient, served) = (sender.clone(), offer.recipient.clone(), recipient::served_domains(service));
    let found = service.read(ReadScope::Lookup, move |tx| {
        if let Some(inbox) = recipient::resolve(tx, &recipient, &served, now)?
            && contacts::by_address(tx, inbox.workspace, sender.canonical_str())?.is_some()
        {
            return Ok(GreylistDecision::Accept);
        }
        Ok::<_, Refusal>(rules::step(
            greylist::get(tx, &keys.network)?,
            greylist::get(tx, &keys.triplet)?,
            delay_ms,
            now,
        ))
    });
    let step = found.await?;
    if !matches!(step, GreylistDecision::Accept | GreylistDecision::DeferEarly) {
        service.write(move |tx| record_step(tx, step, &keys, now)).await?;
    }
    Ok(!matches!(step, GreylistDecision::Defer | GreylistDecision::DeferEarly))
}

fn record_step(tx: &mut Tx, step: GreylistDecision, keys: &GreylistKeys, now: Time) -> Result<(), Refusal> {
    let GreylistKeys { network, triplet } = keys;
    if step == GreylistDecision::Defer {
        let seen = GreylistRecord { seen_at: now, passed_at: None, expires_at: now.plus_ms(rules::RETRY_WINDOW_MS) };
        return Ok(greylist::put(tx, triplet, seen)?);
    }
    if step == GreylistDecision::AcceptAndRemember {
        greylist::delete(tx, triplet)?;
    }
    let known = GreylistRecord { seen_at: now, passed_at: Some(now), expires_at: now.plus_ms(rules::KNOWN_MS) };
    Ok(greylist::put(tx, network, known)?)
}
