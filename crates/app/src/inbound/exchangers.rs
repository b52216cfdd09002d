//! Looks up the mail exchangers that may report about a sent message.

use posthouse_domain::{Inbox, Time};
use posthouse_mail::auth::{DnsAnswer, DnsQuestion, DnsRecordType, DnsRecords};
use posthouse_mail::{address::Address, report::ReportContent};
use posthouse_store::{Result as StoreResult, Tx};

use crate::inbound::{
    apply_report, report_source::MailExchangers, report_source::domain_of, report_source::mail_system,
};
use crate::mailbox::{parse::ParsedMail, recipient};
use crate::service::{ReadScope, Service};

/// Time limit for looking up the mail exchangers of one report, in milliseconds. A report from one that is not known by
/// then doesn't count.
const LOOK_UP_MS_MAX: i64 = 2_000;
/// Domains looked up per report.
const DOMAINS_MAX: usize = 10;

/// Returns the mail exchangers of the domains that a delivery report may be about. Looks them up only if the result
/// matters: for a report of a proven mail system that names a sent message and didn't arrive at its return path.
pub(super) async fn exchangers(
    service: &Service,
    mail: &ParsedMail,
    named_only: Vec<Address>,
) -> StoreResult<Vec<MailExchangers>> {
    let is_delivery = mail.report.as_ref().is_some_and(|report| matches!(report.content, ReportContent::Delivery(_)));
    let Some(author) = mail_system(mail).filter(|_| is_delivery && !named_only.is_empty()) else {
        return Ok(Vec::new());
    };
    let (served, now) = (recipient::served_domains(service), service.clock.now());
    let original_ids = mail.report.as_ref().map(|report| report.original_ids.clone()).unwrap_or_default();
    let find = move |tx: &mut Tx| -> StoreResult<Vec<String>> {
        let mut domains = Vec::new();
        for address in &named_only {
            let Some(inbox) = recipient::resolve(tx, address, &served, now)? else { continue };
            domains.extend(named_domains(tx, &original_ids, &inbox)?);
        }
        Ok(domains)
    };
    let mut domains = service.read(ReadScope::Lookup, find).await?;
    domains.sort_unstable();
    domains.dedup();
    domains.retain(|domain| domain != author.address.domain());
    domains.truncate(DOMAINS_MAX);
    Ok(query(service, domains, now).await)
}

/// Returns the domains of the recipients of the message that a report names.
fn named_domains(tx: &mut Tx, original_ids: &[String], inbox: &Inbox) -> StoreResult<Vec<String>> {
    let Some(original) = apply_report::find_by_message_ids(tx, original_ids, inbox)? else { return Ok(Vec::new()) };
    let entries = apply_report::entries(tx, &original)?;
    Ok(entries.iter().filter_map(domain_of).collect())
}

async fn query(service: &Service, domains: Vec<String>, now: Time) -> Vec<MailExchangers> {
    let query = async |domain: String| match service.dns.lookup(DnsQuestion::new(&domain, DnsRecordType::Mx)).await {
        DnsAnswer::Records(DnsRecords::Mx(records)) => {
            let host = |(_, host): (u16, String)| host.trim_end_matches('.').to_ascii_lowercase();
            Some(MailExchangers { domain, hosts: records.into_iter().map(host).collect() })
        }
        _ => None,
    };
    if domains.is_empty() {
        return Vec::new();
    }
    let deadline = service.clock.sleep_until(now.plus_ms(LOOK_UP_MS_MAX));
    tokio::select! {
        biased;
        found = futures_util::future::join_all(domains.into_iter().map(query)) => found.into_iter().flatten().collect(),
        () = deadline => Vec::new(),
    }
}
