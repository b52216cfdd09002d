//! Checks DNS: the records of the default, the temporary and custom domains, and the host name of this server.

use std::{net::IpAddr, sync::Arc};

use futures_util::future::join_all;
use posthouse_domain::{
    delivery::is_special_purpose,
    error::Refusal,
    id::WorkspaceId,
    mail_domain::{CheckedRecord, DnsRecordKey, DomainStatus, ExpectedRecord, MailDomain, RecordStatus},
    page::PageRange,
};
use posthouse_mail::auth::{DnsAnswer, DnsQuestion, DnsRecordType, DnsRecords};
use posthouse_store::{mail_domains, workspaces};
use uuid::Uuid;

use super::Finding;
use posthouse_app::{
    domains::{check, dkim, reputation::addresses},
    inboxes::names::NameRules,
    ports::Dns,
    service::ReadScope,
    service::Service,
    settings::{AppConfig, DeliveryMode},
};

/// Maximum number of custom domains of the operator that are checked, and of tenants.
const DOMAINS_MAX: u32 = 50;
/// Workspaces per query.
const WORKSPACES_PAGE: u32 = 500;
/// Suffix of names that are always this machine (RFC 6761 §6.3).
const OWN_ENDING: &str = ".localhost";
/// Suffixes of names that only private nameservers may resolve (RFC 6761, RFC 6762, RFC 8375).
const PRIVATE_ENDINGS: &[&str] = &[".test", ".example", ".invalid", ".local", ".internal", ".home.arpa"];

/// Checks the records of the default and the temporary domain.
pub(super) async fn served(service: &Service) -> Vec<Finding> {
    let config = &service.config;
    let (default, temporary) = (&config.mail.default_domain, &config.mail.temporary_domain);
    let (of_default, of_temporary) = tokio::join!(
        async {
            if !is_looked_up(config, default) {
                return vec![private(default)];
            }
            let mut expected = vec![expected_mx(config, default), senders(config, default)];
            let mut found = Vec::new();
            match dkim::existing_records(service).await {
                Ok(records) if records.is_empty() => {
                    let what = format!("DKIM: {default} has no keys yet");
                    found.push(Finding::warning(what, "start the service, which creates them, then check again"));
                }
                Ok(records) => expected.extend(records.into_iter().map(signing_key)),
                // The line about the instance key has the error.
                Err(_) => {}
            }
            expected.push(policy(default));
            found.extend(zone(service, default, &expected).await);
            found
        },
        async {
            if !is_looked_up(config, temporary) {
                return vec![private(temporary)];
            }
            // Temporary inboxes are optional.
            let found = zone(service, temporary, &[expected_mx(config, temporary)]).await;
            found.into_iter().map(Finding::at_most_a_warning).collect()
        }
    );
    of_default.into_iter().chain(of_temporary).collect()
}

fn private(domain: &str) -> Finding {
    Finding::ok(format!("DNS: {domain} is not a public domain, so it has no records to check"))
}

/// Returns whether the configured nameservers may resolve a name.
pub(super) fn is_looked_up(config: &AppConfig, domain: &str) -> bool {
    !is_private(domain, config.nameservers.is_empty())
}

/// Returns whether a lookup of a name would always fail. The system's nameservers count as public.
fn is_private(domain: &str, on_public_dns: bool) -> bool {
    let is_own = !domain.contains('.') || domain.ends_with(OWN_ENDING);
    is_own || on_public_dns && PRIVATE_ENDINGS.iter().any(|ending| domain.ends_with(ending))
}

fn expected(key: DnsRecordKey, name: String, value: String) -> ExpectedRecord {
    ExpectedRecord { key, name, value, required: true }
}

fn expected_mx(config: &AppConfig, domain: &str) -> ExpectedRecord {
    expected(DnsRecordKey::Mx, domain.to_owned(), format!("10 {}", config.hostname))
}

fn senders(config: &AppConfig, domain: &str) -> ExpectedRecord {
    expected(DnsRecordKey::Spf, domain.to_owned(), format!("v=spf1 a:{} ~all", config.hostname))
}

fn policy(domain: &str) -> ExpectedRecord {
    expected(DnsRecordKey::Dmarc, format!("_dmarc.{domain}"), "v=DMARC1; p=quarantine".to_owned())
}

fn signing_key(record: posthouse_app::keyring::signer::DkimRecord) -> ExpectedRecord {
    let is_second = record.text.contains("k=ed25519");
    let key = if is_second { DnsRecordKey::DkimEd25519 } else { DnsRecordKey::Dkim };
    expected(key, record.name, record.text)
}

/// Returns one finding per record.
async fn zone(service: &Service, domain: &str, expected: &[ExpectedRecord]) -> Vec<Finding> {
    let found = check::gather_records(service, domain, expected).await;
    let of = |record: &ExpectedRecord| found.records.iter().find(|checked| checked.key == record.key);
    expected.iter().map(|record| line(record, of(record))).collect()
}

fn line(record: &ExpectedRecord, checked: Option<&CheckedRecord>) -> Finding {
    let what = format!("{}: {}", label(record.key), record.name);
    let advice = match record.key {
        DnsRecordKey::Mx => format!("publish MX {}.", record.value),
        _ => format!("publish TXT \"{}\"", record.value),
    };
    match checked.map(|checked| (checked.found, checked)) {
        None => Finding::warning(format!("{what} could not be looked up"), "try again; check dns.nameservers"),
        Some((RecordStatus::Ok, _)) => Finding::ok(format!("{what} is correct")),
        Some((_, checked)) => {
            let advice = checked.problem.as_ref().map_or(advice, |problem| problem.fix.clone());
            Finding::failed(format!("{what} {}", problem(checked)), advice)
        }
    }
}

fn label(key: DnsRecordKey) -> &'static str {
    match key {
        DnsRecordKey::Mx => "MX",
        DnsRecordKey::Spf => "SPF",
        DnsRecordKey::Dmarc => "DMARC",
        DnsRecordKey::Verification => "verification",
        _ => "DKIM",
    }
}

fn problem(checked: &CheckedRecord) -> String {
    let Some(problem) = &checked.problem else { return "has no record".to_owned() };
    let found = checked.values.join(" and ");
    let found = if found.is_empty() { found } else { format!(" ({found})") };
    format!("is not accepted{found}. {}", problem.message)
}

/// Whose custom domains are checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum DomainOwner {
    /// The operator: a missing required record is a failure.
    Operator,
    /// Tenants: nothing about their domains is a failure, because the operator can't repair what a tenant publishes, and a
    /// tenant would decide whether the operator's check succeeds.
    Tenant,
}

/// The custom domains that are checked.
#[derive(Default)]
pub(super) struct CustomDomains {
    operator: DomainList,
    tenants: DomainList,
    /// Why they couldn't be read.
    failure: Option<Finding>,
}

/// Domains of one kind of owners, except disabled ones, each list up to [`DOMAINS_MAX`].
#[derive(Default)]
struct DomainList {
    /// Those that worked before.
    worked: Vec<MailDomain>,
    others: Vec<MailDomain>,
}

impl DomainList {
    fn add(&mut self, domain: MailDomain) {
        let list = if domain.verified_at.is_some() { &mut self.worked } else { &mut self.others };
        if list.len() < DOMAINS_MAX as usize {
            list.push(domain);
        }
    }

    fn is_full(&self) -> bool {
        self.worked.len() >= DOMAINS_MAX as usize
    }

    /// Returns up to [`DOMAINS_MAX`] of them, first those that worked before.
    fn first(&self) -> impl Iterator<Item = &MailDomain> {
        self.worked.iter().chain(&self.others).take(DOMAINS_MAX as usize)
    }
}

impl CustomDomains {
    /// Checks the domains of these owners: one finding per domain, or one per missing or wrong record. Only required records
    /// of the operator's domains can fail.
    pub(super) async fn check(&self, service: &Arc<Service>, owner: DomainOwner) -> Vec<Finding> {
        let domains = match owner {
            DomainOwner::Operator => &self.operator,
            DomainOwner::Tenant => &self.tenants,
        };
        let failure = self.failure.clone().filter(|_| owner == DomainOwner::Operator);
        let found = join_all(domains.first().map(|domain| custom_domain(service, domain, owner))).await;
        failure.into_iter().chain(found.into_iter().flatten()).collect()
    }
}

/// Reads the custom domains of all workspaces.
pub(super) async fn custom_domains(service: &Arc<Service>) -> CustomDomains {
    let rules = NameRules::of(&service.config);
    let read = service.read(ReadScope::Service, move |tx| domains_of(tx, &rules)).await;
    read.unwrap_or_else(|error| {
        let failure = Finding::failed(format!("domains: {}", error.message), "check the database");
        CustomDomains { failure: Some(failure), ..CustomDomains::default() }
    })
}

async fn custom_domain(service: &Service, domain: &MailDomain, owner: DomainOwner) -> Vec<Finding> {
    let expected = domain.expected(&service.config.server_dns());
    let found = check::gather_records(service, &domain.name, &expected).await;
    if found.records.is_empty() {
        let what = format!("domain: {} could not be looked up", domain.name);
        return vec![Finding::warning(what, "try again; check dns.nameservers")];
    }
    let show = service.config.command(&format!("domain show {}", domain.name));
    let wrong: Vec<Finding> = expected
        .iter()
        .filter_map(|record| Some((record, found.records.iter().find(|checked| checked.key == record.key)?)))
        .filter(|(_, checked)| checked.found != RecordStatus::Ok)
        .map(|(record, checked)| {
            let what = format!("domain: {} of {} {}", label(record.key), record.name, problem(checked));
            let advice = format!("{show} prints the record");
            match owner {
                DomainOwner::Operator if record.required => Finding::failed(what, advice),
                DomainOwner::Operator => Finding::warning(what, format!("{advice}, which is optional")),
                DomainOwner::Tenant => Finding::warning(what, format!("{advice}, which its owner has to publish")),
            }
        })
        .collect();
    if wrong.is_empty() { vec![Finding::ok(format!("domain: {} has its records", domain.name))] } else { wrong }
}

fn domains_of(tx: &mut posthouse_store::Tx, rules: &NameRules) -> Result<CustomDomains, Refusal> {
    let (mut all, mut after) = (CustomDomains::default(), WorkspaceId(Uuid::nil()));
    loop {
        let page = workspaces::list(tx, after, WORKSPACES_PAGE)?;
        for workspace in &page {
            after = workspace.id;
            let is_operator = rules.is_operator(tx, workspace)?;
            let list = if is_operator { &mut all.operator } else { &mut all.tenants };
            if list.is_full() {
                continue;
            }
            let found = mail_domains::page(tx, workspace.id, &PageRange { after: None, limit: DOMAINS_MAX })?;
            found.into_iter().filter(|domain| domain.status != DomainStatus::Disabled).for_each(|one| list.add(one));
        }
        let is_full = all.operator.is_full() && all.tenants.is_full();
        if page.len() < WORKSPACES_PAGE as usize || is_full {
            return Ok(all);
        }
    }
}

/// Checks the host name and its addresses (`known`, if they could be looked up), and the PTR records of source
/// addresses.
pub(super) async fn host(dns: &dyn Dns, config: &AppConfig, known: Option<&[IpAddr]>) -> Vec<Finding> {
    let addresses = known.unwrap_or_default();
    let sources = source_addresses(config, addresses);
    let mut found = vec![match known {
        Some(addresses) => greeting(config, addresses),
        None => {
            let what = format!("A: {}, the name in the SMTP greeting, could not be looked up", config.hostname);
            Finding::warning(what, "try again; check dns.nameservers")
        }
    }];
    found.extend(join_all(sources.iter().map(|source| reverse(dns, source))).await);
    if !addresses.is_empty() {
        let others = sources.iter().filter(|source| !addresses.contains(&source.address));
        found.extend(others.map(|source| outside_spf(source.address, &config.hostname)));
    }
    found
}

/// A source address of outgoing mail and its EHLO name.
struct SourceAddress {
    address: IpAddr,
    name: String,
    /// The setting that the name comes from.
    setting: &'static str,
}

/// Returns the configured source addresses, otherwise the addresses of the host name.
fn source_addresses(config: &AppConfig, addresses: &[IpAddr]) -> Vec<SourceAddress> {
    let delivery = &config.delivery;
    let (name, setting) = match &delivery.helo_name {
        Some(name) => (name, "delivery.helo_name"),
        None => (&config.hostname, "smtp.hostname"),
    };
    let is_seen = |address: &IpAddr| delivery.allow_private_networks || !is_special_purpose(*address);
    let chosen = delivery.sources.iter().filter(|source| is_seen(&source.address)).map(|source| match &source.helo {
        Some(own) => SourceAddress { address: source.address, name: own.clone(), setting: "delivery.source_addresses" },
        None => SourceAddress { address: source.address, name: name.clone(), setting },
    });
    let chosen: Vec<SourceAddress> = if delivery.mode == DeliveryMode::Direct { chosen.collect() } else { Vec::new() };
    if !chosen.is_empty() {
        return chosen;
    }
    addresses.iter().map(|address| SourceAddress { address: *address, name: name.clone(), setting }).collect()
}

/// Warns about a source address that the published SPF records don't cover, because they include the host name's
/// addresses.
fn outside_spf(address: IpAddr, host: &str) -> Finding {
    let what = format!("SPF: source address {address} is not an address of {host}, so SPF records do not include it");
    Finding::warning(what, format!("add it as an A or AAAA record of {host}"))
}

fn greeting(config: &AppConfig, addresses: &[IpAddr]) -> Finding {
    let host = &config.hostname;
    if addresses.is_empty() {
        let advice = "publish an A or AAAA record of this machine's public address";
        return Finding::failed(format!("A: {host}, the name in the SMTP greeting, has no address"), advice);
    }
    let shown: Vec<String> = addresses.iter().map(IpAddr::to_string).collect();
    let what = format!("A: {host} is {}", shown.join(", "));
    let is_hidden = !config.delivery.allow_private_networks && addresses.iter().all(|a| is_special_purpose(*a));
    if is_hidden {
        return Finding::warning(
            format!("{what}, which is not reachable from the internet"),
            "publish its public address",
        );
    }
    Finding::ok(what)
}

/// Checks the PTR record of an address. Large receivers refuse mail from an address whose name is missing or doesn't
/// resolve back to it (RFC 8601 §3).
async fn reverse(dns: &dyn Dns, source: &SourceAddress) -> Finding {
    let SourceAddress { address, name: host, setting } = source;
    let address = *address;
    let is_ours = |name: &String| name.trim_end_matches('.').eq_ignore_ascii_case(host);
    let names = match dns.lookup(DnsQuestion::new(&reverse_name(address), DnsRecordType::Ptr)).await {
        DnsAnswer::Records(DnsRecords::Ptr(names)) => names,
        DnsAnswer::Failed => {
            let what = format!("PTR: the name of {address} could not be looked up");
            return Finding::warning(what, "try again; check dns.nameservers");
        }
        _ => Vec::new(),
    };
    if names.iter().any(is_ours) {
        if addresses(dns, host).await.contains(&address) {
            return Finding::ok(format!("PTR: {address} is {host}, which resolves back to it"));
        }
        let what = format!("PTR: {address} is {host}, which does not resolve back to it");
        return Finding::warning(what, format!("publish {address} as an A or AAAA record of {host}"));
    }
    let advice = format!("ask the provider of the address to set its PTR record to {host}");
    let Some(name) = names.first().map(|name| name.trim_end_matches('.')) else {
        return Finding::warning(format!("PTR: {address} has no name, so large receivers refuse its mail"), advice);
    };
    if addresses(dns, name).await.contains(&address) {
        let what = format!("PTR: {address} is {name}, but the EHLO name is {host}");
        return Finding::warning(what, format!("{advice}, or set {setting} to {name}"));
    }
    Finding::warning(format!("PTR: {address} is {name}, which does not resolve back to it"), advice)
}

/// Returns the name of an address's PTR record (RFC 1035 §3.5, RFC 3596 §2.5).
fn reverse_name(address: IpAddr) -> String {
    match address {
        IpAddr::V4(v4) => {
            let [a, b, c, d] = v4.octets();
            format!("{d}.{c}.{b}.{a}.in-addr.arpa")
        }
        IpAddr::V6(v6) => {
            let nibbles = v6.octets().into_iter().rev().flat_map(|byte| [byte & 15, byte >> 4]);
            nibbles.map(|nibble| format!("{nibble:x}.")).collect::<String>() + "ip6.arpa"
        }
    }
}

#[cfg(test)]
mod tests;
