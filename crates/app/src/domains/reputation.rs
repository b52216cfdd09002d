//! Asks DNS blocklists about this server's own addresses, at most once an hour (RFC 5782).

use std::{net::IpAddr, sync::Arc};

use futures_util::future::join_all;
use posthouse_domain::{
    BlocklistCheck, BlocklistResult, BlocklistStatus, Refusal, Time, delivery::is_special_purpose, reputation,
};
use posthouse_mail::auth::{DnsAnswer, DnsQuestion, DnsRecordType, DnsRecords};
use posthouse_store::instance;

use crate::{ports::Dns, service::ReadScope, service::Service};

/// The note in the store that holds the last finding.
const NOTE: &str = "ip_reputation";
/// Maximum own addresses to ask about.
const ADDRESSES_MAX: usize = 16;

/// Returns the last finding, or a new one if it is older than an hour. If no list answers, the last finding is kept.
pub async fn check(service: &Arc<Service>) -> Result<Option<BlocklistCheck>, Refusal> {
    let now = service.clock.now();
    let kept = service.read(ReadScope::Service, |tx| instance::get_value(tx, NOTE)).await?;
    let kept: Option<BlocklistCheck> = kept.and_then(|text| serde_json::from_str(&text).ok());
    if kept.as_ref().is_some_and(|kept| kept.is_fresh(now)) {
        return Ok(kept);
    }
    let found = query_all(service, now).await;
    if found.has_no_results() {
        return Ok(kept.or(Some(found)).filter(|finding| !finding.lists.is_empty()));
    }
    let text = serde_json::to_string(&found).unwrap_or_default();
    service.write(move |tx| instance::set_value(tx, NOTE, &text)).await?;
    Ok(Some(found))
}

async fn query_all(service: &Service, now: Time) -> BlocklistCheck {
    let addresses = own_addresses(service).await;
    BlocklistCheck { checked_at_ms: now.millis(), lists: query_lists(service, &addresses).await }
}

/// Returns the answer of each list about these addresses; empty without addresses.
pub async fn query_lists(service: &Service, addresses: &[IpAddr]) -> Vec<BlocklistResult> {
    let lists = if addresses.is_empty() { &[] } else { service.config.blocklists.as_slice() };
    join_all(lists.iter().map(|list| query_list(service, list, addresses))).await
}

/// Returns the public source addresses of outgoing mail: those configured, otherwise those of `smtp.hostname`.
pub async fn own_addresses(service: &Service) -> Vec<IpAddr> {
    let sources = service.config.delivery.sources.iter().map(|source| source.address);
    let sources: Vec<IpAddr> = sources.filter(|address| !is_special_purpose(*address)).take(ADDRESSES_MAX).collect();
    if !sources.is_empty() {
        return sources;
    }
    let mut addresses = addresses(service.dns.as_ref(), &service.config.hostname).await;
    addresses.retain(|address| !is_special_purpose(*address));
    addresses.truncate(ADDRESSES_MAX);
    addresses
}

/// Returns the addresses of a name, IPv4 first; empty if the lookup fails.
pub async fn addresses(dns: &dyn Dns, host: &str) -> Vec<IpAddr> {
    resolve_addresses(dns, host).await.unwrap_or_default()
}

/// Returns the addresses of a name, IPv4 first; `None` if the lookup fails.
pub async fn resolve_addresses(dns: &dyn Dns, host: &str) -> Option<Vec<IpAddr>> {
    let query = |kind| dns.lookup(DnsQuestion::new(host, kind));
    let (v4, v6) = tokio::join!(query(DnsRecordType::A), query(DnsRecordType::Aaaa));
    let mut addresses: Vec<IpAddr> = Vec::new();
    let mut has_failed = false;
    for answer in [v4, v6] {
        match answer {
            DnsAnswer::Records(DnsRecords::A(found)) => addresses.extend(found.into_iter().map(IpAddr::V4)),
            DnsAnswer::Records(DnsRecords::Aaaa(found)) => addresses.extend(found.into_iter().map(IpAddr::V6)),
            DnsAnswer::Failed => has_failed = true,
            _ => {}
        }
    }
    (!addresses.is_empty() || !has_failed).then_some(addresses)
}

async fn query_list(service: &Service, list: &str, addresses: &[IpAddr]) -> BlocklistResult {
    let query = |address: &IpAddr| {
        service.dns.lookup(DnsQuestion::new(&reputation::question(*address, list), DnsRecordType::A))
    };
    let (mut status, mut codes) = (BlocklistStatus::Clean, Vec::new());
    for answer in join_all(addresses.iter().map(query)).await {
        let said = match answer {
            DnsAnswer::NoSuchName | DnsAnswer::NoData => continue,
            DnsAnswer::Records(DnsRecords::A(found)) => {
                let said = reputation::interpret(&found);
                codes.extend(found);
                said
            }
            _ => BlocklistStatus::Unknown,
        };
        // One listed address makes the finding `listed`.
        if status != BlocklistStatus::Listed {
            status = said;
        }
    }
    if status != BlocklistStatus::Listed {
        codes.clear();
    }
    BlocklistResult { name: list.to_owned(), status, codes }
}
