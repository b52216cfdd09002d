//! What DNS says of the domains that mail is sent for, and of this server: the records of the default and the temporary
//! domain, those of workspaces' own domains, and the name in our greeting.

use std::{net::IpAddr, sync::Arc};

use futures_util::future::join_all;
use posthouse_domain::{
    delivery::is_special_purpose,
    id::WorkspaceId,
    mail_domain::{Checked, Expected, Found, MailDomain, RecordKey, Status},
    page::Page,
};
use posthouse_mail::auth::{Answer, Question, QuestionKind, Records};
use posthouse_store::{mail_domains, workspaces};
use uuid::Uuid;

use super::Finding;
use crate::{
    app::{App, check_domain, check_reputation::addresses, signing},
    config::{Config, DeliveryMode},
    ports::Dns,
};

/// Own domains that are looked at.
const DOMAINS_MAX: u32 = 50;
/// Workspaces of one query.
const WORKSPACES_PAGE: u32 = 500;
/// Ending of names that no DNS knows: they are this machine (RFC 6761 §6.3).
const OWN_ENDING: &str = ".localhost";
/// Endings of names that no public DNS knows, while name servers of one's own may (RFC 6761, RFC 6762, RFC 8375).
const PRIVATE_ENDINGS: &[&str] = &[".test", ".example", ".invalid", ".local", ".internal", ".home.arpa"];

/// The records of the default and the temporary domain.
pub(super) async fn served(app: &App) -> Vec<Finding> {
    let config = &app.config;
    let (default, temporary) = (&config.mail.default_domain, &config.mail.temporary_domain);
    let (of_default, of_temporary) = tokio::join!(
        async {
            if !is_asked(config, default) {
                return vec![private(default)];
            }
            let mut expected = vec![exchanger(config, default), senders(config, default)];
            let mut found = Vec::new();
            match signing::existing(app).await {
                Ok(records) if records.is_empty() => {
                    let what = format!("DKIM: {default} has no keys yet");
                    found.push(Finding::warning(what, "start the service, which makes them; then check again"));
                }
                Ok(records) => expected.extend(records.into_iter().map(signing_key)),
                // The line about the instance key says so.
                Err(_) => {}
            }
            expected.push(policy(default));
            found.extend(zone(app, default, &expected).await);
            found
        },
        async {
            if !is_asked(config, temporary) {
                return vec![private(temporary)];
            }
            // Temporary inboxes are not for everybody.
            let found = zone(app, temporary, &[exchanger(config, temporary)]).await;
            found.into_iter().map(Finding::at_most_a_warning).collect()
        }
    );
    of_default.into_iter().chain(of_temporary).collect()
}

fn private(domain: &str) -> Finding {
    Finding::ok(format!("DNS: {domain} is not a public domain, nothing to look up"))
}

/// Whether DNS can know a name: that of the internet, or of name servers of one's own.
pub(super) fn is_asked(config: &Config, domain: &str) -> bool {
    !is_private(domain, config.nameservers.is_empty())
}

/// Whether looking a name up could only fail; the system's name servers are taken to be public ones.
fn is_private(domain: &str, on_public_dns: bool) -> bool {
    let is_own = !domain.contains('.') || domain.ends_with(OWN_ENDING);
    is_own || on_public_dns && PRIVATE_ENDINGS.iter().any(|ending| domain.ends_with(ending))
}

fn expected(key: RecordKey, name: String, value: String) -> Expected {
    Expected { key, name, value, required: true }
}

fn exchanger(config: &Config, domain: &str) -> Expected {
    expected(RecordKey::Mx, domain.to_owned(), format!("10 {}", config.smtp.hostname))
}

fn senders(config: &Config, domain: &str) -> Expected {
    expected(RecordKey::Spf, domain.to_owned(), format!("v=spf1 a:{} ~all", config.smtp.hostname))
}

fn policy(domain: &str) -> Expected {
    expected(RecordKey::Dmarc, format!("_dmarc.{domain}"), "v=DMARC1; p=quarantine".to_owned())
}

fn signing_key(record: signing::DkimRecord) -> Expected {
    let is_second = record.text.contains("k=ed25519");
    let key = if is_second { RecordKey::DkimEd25519 } else { RecordKey::Dkim };
    expected(key, record.name, record.text)
}

/// One line a record.
async fn zone(app: &App, domain: &str, expected: &[Expected]) -> Vec<Finding> {
    let found = check_domain::gather_records(app, domain, expected).await;
    let of = |record: &Expected| found.records.iter().find(|checked| checked.key == record.key);
    expected.iter().map(|record| line(record, of(record))).collect()
}

fn line(record: &Expected, checked: Option<&Checked>) -> Finding {
    let what = format!("{}: {}", label(record.key), record.name);
    let advice = match record.key {
        RecordKey::Mx => format!("publish MX {}.", record.value),
        _ => format!("publish TXT \"{}\"", record.value),
    };
    match checked.map(|checked| (checked.found, checked)) {
        None => Finding::warning(format!("{what} could not be looked up"), "try again; check dns.nameservers"),
        Some((Found::Ok, _)) => Finding::ok(format!("{what} is as it should be")),
        Some((_, checked)) => {
            let what = format!("{what} {}", problem(record.key, checked));
            // Without it no mail comes; without the others it is believed less.
            if record.key == RecordKey::Mx { Finding::failed(what, advice) } else { Finding::warning(what, advice) }
        }
    }
}

fn label(key: RecordKey) -> &'static str {
    match key {
        RecordKey::Mx => "MX",
        RecordKey::Spf => "SPF",
        RecordKey::Dmarc => "DMARC",
        RecordKey::Verification => "verification",
        _ => "DKIM",
    }
}

fn problem(key: RecordKey, checked: &Checked) -> String {
    if checked.doubled {
        return "has no record, but one with the zone twice in its name".to_owned();
    }
    let values = checked.values.join(" and ");
    match (key, checked.found, checked.values.len()) {
        (_, Found::Missing, _) => "has no record".to_owned(),
        (RecordKey::Spf, _, 1) => format!("does not name this server ({values})"),
        (RecordKey::Spf | RecordKey::Dmarc, _, count) if count > 1 => format!("has {count} records, one is allowed"),
        (RecordKey::Mx, ..) => format!("leads elsewhere ({values})"),
        (RecordKey::Dmarc, ..) => format!("has no policy that is known ({values})"),
        _ => "has another record".to_owned(),
    }
}

/// Workspaces' own domains: a line for each, and one for each record that is not as it should be.
pub(super) async fn own(app: &Arc<App>) -> Vec<Finding> {
    let domains = match app.store.read(all_domains).await {
        Ok(domains) => domains,
        Err(error) => return vec![Finding::failed(format!("domains: {error}"), "check the database")],
    };
    let here = app.config.here();
    let looks = domains.iter().map(|domain| async {
        let expected = domain.expected(&here);
        let found = check_domain::gather_records(app, &domain.name, &expected).await;
        let advice = format!("posthouse domain show {} prints the record", domain.name);
        let wrong: Vec<Finding> = expected
            .iter()
            .filter_map(|record| Some((record, found.records.iter().find(|checked| checked.key == record.key)?)))
            .filter(|(_, checked)| checked.found != Found::Ok)
            .map(|(record, checked)| {
                let what = format!("domain: {} of {}", label(record.key), record.name);
                Finding::warning(format!("{what} {}", problem(record.key, checked)), advice.clone())
            })
            .collect();
        if found.records.is_empty() {
            let what = format!("domain: {} could not be looked up", domain.name);
            return vec![Finding::warning(what, "try again; check dns.nameservers")];
        }
        if wrong.is_empty() { vec![Finding::ok(format!("domain: {} has its records", domain.name))] } else { wrong }
    });
    join_all(looks).await.into_iter().flatten().collect()
}

/// The domains of all workspaces, without those that are switched off.
fn all_domains(tx: &mut posthouse_store::Tx) -> posthouse_store::Result<Vec<MailDomain>> {
    let (mut all, mut after) = (Vec::new(), WorkspaceId(Uuid::nil()));
    loop {
        let page = workspaces::list(tx, after, WORKSPACES_PAGE)?;
        for workspace in &page {
            after = workspace.id;
            let found = mail_domains::page(tx, workspace.id, &Page { after: None, limit: DOMAINS_MAX })?;
            all.extend(found.into_iter().filter(|domain| domain.status != Status::Disabled));
        }
        if page.len() < WORKSPACES_PAGE as usize || all.len() >= DOMAINS_MAX as usize {
            all.truncate(DOMAINS_MAX as usize);
            return Ok(all);
        }
    }
}

/// The name in our greeting and its addresses, where they are known; where mail leaves from, and the names of those addresses.
pub(super) async fn host(dns: &dyn Dns, config: &Config, known: Option<&[IpAddr]>) -> Vec<Finding> {
    let addresses = known.unwrap_or_default();
    let doors = doors(config, addresses);
    let mut found = vec![match known {
        Some(addresses) => greeting(config, addresses),
        None => {
            let what = format!("A: {}, the name in our greeting, could not be looked up", config.smtp.hostname);
            Finding::warning(what, "try again; check dns.nameservers")
        }
    }];
    found.extend(join_all(doors.iter().map(|door| reverse(dns, door))).await);
    if !addresses.is_empty() {
        let others = doors.iter().filter(|door| !addresses.contains(&door.address));
        found.extend(others.map(|door| outside_spf(door.address, &config.smtp.hostname)));
    }
    found
}

/// An address that mail leaves from, and the name that is said there.
struct Door {
    address: IpAddr,
    name: String,
    /// The setting that the name is from.
    setting: &'static str,
}

/// Where mail leaves from: what is configured, else the addresses of our name.
fn doors(config: &Config, addresses: &[IpAddr]) -> Vec<Door> {
    let delivery = &config.delivery;
    let (name, setting) = match &delivery.helo_name {
        Some(name) => (name, "delivery.helo_name"),
        None => (&config.smtp.hostname, "smtp.hostname"),
    };
    let is_seen = |address: &IpAddr| delivery.allow_private_networks || !is_special_purpose(*address);
    let chosen = delivery.sources.iter().filter(|source| is_seen(&source.address)).map(|source| match &source.helo {
        Some(own) => Door { address: source.address, name: own.clone(), setting: "delivery.source_addresses" },
        None => Door { address: source.address, name: name.clone(), setting },
    });
    let chosen: Vec<Door> = if delivery.mode == DeliveryMode::Direct { chosen.collect() } else { Vec::new() };
    if !chosen.is_empty() {
        return chosen;
    }
    addresses.iter().map(|address| Door { address: *address, name: name.clone(), setting }).collect()
}

/// The records that we have others publish name the addresses of our name.
fn outside_spf(address: IpAddr, host: &str) -> Finding {
    let what = format!("SPF: mail leaves from {address}, which is no address of {host}, so SPF records do not name it");
    Finding::warning(what, format!("publish it as one more A or AAAA record of {host}"))
}

fn greeting(config: &Config, addresses: &[IpAddr]) -> Finding {
    let host = &config.smtp.hostname;
    if addresses.is_empty() {
        let advice = "publish an A or AAAA record of this machine's public address";
        return Finding::failed(format!("A: {host}, the name in our greeting, has no address"), advice);
    }
    let shown: Vec<String> = addresses.iter().map(IpAddr::to_string).collect();
    let what = format!("A: {host} is {}", shown.join(", "));
    let is_hidden = !config.delivery.allow_private_networks && addresses.iter().all(|a| is_special_purpose(*a));
    if is_hidden {
        return Finding::warning(
            format!("{what}, which nobody reaches from the internet"),
            "publish its public address",
        );
    }
    Finding::ok(what)
}

/// Large receivers refuse mail from an address without a name, or with one that does not lead back to it (RFC 8601 §3).
async fn reverse(dns: &dyn Dns, door: &Door) -> Finding {
    let Door { address, name: host, setting } = door;
    let address = *address;
    let is_ours = |name: &String| name.trim_end_matches('.').eq_ignore_ascii_case(host);
    let names = match dns.lookup(Question::new(&reverse_name(address), QuestionKind::Ptr)).await {
        Answer::Records(Records::Ptr(names)) => names,
        Answer::Failed => {
            let what = format!("PTR: the name of {address} could not be looked up");
            return Finding::warning(what, "try again; check dns.nameservers");
        }
        _ => Vec::new(),
    };
    if names.iter().any(is_ours) {
        if addresses(dns, host).await.contains(&address) {
            return Finding::ok(format!("PTR: {address} is {host}, which leads back to it"));
        }
        let what = format!("PTR: {address} is {host}, which does not lead back to it");
        return Finding::warning(what, format!("publish {address} as an A or AAAA record of {host}"));
    }
    let advice = format!("ask who provides the address to set its reverse name to {host}");
    let Some(name) = names.first().map(|name| name.trim_end_matches('.')) else {
        return Finding::warning(format!("PTR: {address} has no name, so large receivers refuse its mail"), advice);
    };
    if addresses(dns, name).await.contains(&address) {
        let what = format!("PTR: {address} is {name}, while our greeting says {host}");
        return Finding::warning(what, format!("{advice}, or say {name} in {setting}"));
    }
    Finding::warning(format!("PTR: {address} is {name}, which does not lead back to it"), advice)
}

/// RFC 1035 §3.5, RFC 3596 §2.5.
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
mod tests {
    use std::net::Ipv4Addr;

    use super::*;
    use crate::ports::Pending;

    #[test]
    fn reverse_names() {
        let table = [
            ("192.0.2.1", "1.2.0.192.in-addr.arpa"),
            ("2001:db8::1", "1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa"),
        ];
        for (address, expected) in table {
            assert_eq!(reverse_name(address.parse().expect("an address")), expected);
        }
    }

    /// One address and its names.
    struct Reverse(Answer, &'static [&'static str]);

    impl Dns for Reverse {
        fn lookup(&self, question: Question) -> Pending<'_, Answer> {
            let answer = match question.kind {
                QuestionKind::Ptr => self.0.clone(),
                QuestionKind::A if self.1.contains(&question.name.as_str()) => {
                    Answer::Records(Records::A(vec![Ipv4Addr::new(192, 0, 2, 1)]))
                }
                _ => Answer::NoSuchName,
            };
            Box::pin(async move { answer })
        }

        fn is_served(&self) -> Pending<'_, bool> {
            Box::pin(async { true })
        }
    }

    #[tokio::test]
    async fn the_name_of_our_address_has_to_be_ours_and_to_lead_back() {
        let named = |name: &str| Answer::Records(Records::Ptr(vec![name.to_owned()]));
        let table = [
            (named("MX.post.test."), "is mx.post.test, which leads back to it"),
            (Answer::NoSuchName, "has no name, so large receivers refuse its mail"),
            (Answer::Failed, "could not be looked up"),
            (named("host-1.provider.test."), "while our greeting says mx.post.test"),
            (named("host-2.provider.test."), "is host-2.provider.test, which does not lead back to it"),
        ];
        let lost = Reverse(named("mx.post.test"), &[]);
        let table =
            table.map(|(answer, expected)| (Reverse(answer, &["mx.post.test", "host-1.provider.test"]), expected));
        for (dns, expected) in table.into_iter().chain([(lost, "is mx.post.test, which does not lead back to it")]) {
            let door = Door {
                address: Ipv4Addr::new(192, 0, 2, 1).into(),
                name: "mx.post.test".into(),
                setting: "smtp.hostname",
            };
            let said = format!("{:?}", reverse(&dns, &door).await);
            assert!(said.contains(expected), "{said}");
        }
    }

    #[test]
    fn private_domains_are_not_looked_up() {
        let table = [
            ("agents.localhost", true, true),
            ("localhost", true, true),
            ("mail.example.com", false, false),
            ("agents.test", true, false),
            ("mail.corp.internal", true, false),
        ];
        for (domain, on_public_dns, on_own_name_servers) in table {
            assert_eq!(is_private(domain, true), on_public_dns, "{domain}");
            assert_eq!(is_private(domain, false), on_own_name_servers, "{domain}");
        }
    }
}
