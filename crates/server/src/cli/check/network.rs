//! Ports of our own, names in DNS, and the way out on port 25.
//!
//! Nothing is sent but greetings: connections are opened, listened to and closed.

use std::{
    io,
    net::{IpAddr, SocketAddr},
    time::Duration,
};

use posthouse_mail::auth::{Answer, Question, QuestionKind, Records};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    time::timeout,
};

use super::Finding;
use crate::{
    app::signing::DkimRecord,
    boot,
    config::{Config, DeliveryMode},
    ports::Dns,
};

/// How long one connection or look-up may take, in milliseconds.
const PATIENCE_MS: u64 = 5_000;
/// How much of a greeting is read, in bytes.
const GREETING_BYTES_MAX: u64 = 512;
/// A domain whose mail exchangers are there for everybody, to see whether port 25 is open on the way out.
const WITNESS: &str = "gmail.com";
/// Ending of names that no DNS knows: they are this machine (RFC 6761 §6.3).
const OWN_ENDING: &str = ".localhost";
/// Endings of names that no public DNS knows, while name servers of one's own may (RFC 6761, RFC 6762, RFC 8375).
const PRIVATE_ENDINGS: &[&str] = &[".test", ".example", ".invalid", ".local", ".internal", ".home.arpa"];

/// Whether our ports are free, or taken by ourselves.
pub(super) async fn ports(config: &Config) -> Vec<Finding> {
    let mut found = vec![port("http.listen", config.http.listen, Some(b"GET /healthz HTTP/1.0\r\n\r\n")).await];
    for address in &config.smtp.listen {
        found.push(port("smtp.listen", *address, None).await);
    }
    for address in &config.submission.listen {
        found.push(port("submission.listen", *address, None).await);
    }
    for address in &config.submission.listen_tls {
        found.push(tls_port("submission.listen_tls", *address).await);
    }
    found
}

async fn port(key: &str, address: SocketAddr, question: Option<&[u8]>) -> Finding {
    let what = format!("port: {key} {address}");
    match TcpListener::bind(address).await {
        Ok(_) => Finding::ok(format!("{what} is free")),
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => match greeting(address, question).await {
            Ok(text) if text.starts_with("220 ") || text.contains("\"status\":\"ok\"") => {
                Finding::ok(format!("{what} is in use by a running service"))
            }
            _ => Finding::failed(format!("{what} is in use by another program"), "stop it, or choose another port"),
        },
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            let advice = "ports below 1024 need the capability CAP_NET_BIND_SERVICE";
            Finding::failed(format!("{what} may not be listened on"), advice)
        }
        Err(error) => Finding::failed(format!("{what}: {error}"), format!("correct {key}")),
    }
}

/// As [`port`], where whoever listens says nothing before a handshake.
async fn tls_port(key: &str, address: SocketAddr) -> Finding {
    match TcpListener::bind(address).await {
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
            Finding::ok(format!("port: {key} {address} is in use; by the running service, if there is one"))
        }
        _ => port(key, address, None).await,
    }
}

/// What the other side says first, or to that question.
async fn greeting(address: SocketAddr, question: Option<&[u8]>) -> io::Result<String> {
    let ask = async {
        let mut stream = TcpStream::connect(address).await?;
        if let Some(question) = question {
            stream.write_all(question).await?;
        }
        let mut text = Vec::new();
        let mut stream = stream.take(GREETING_BYTES_MAX);
        // An answer to a question ends with the connection; a greeting is the first piece.
        if question.is_some() {
            stream.read_to_end(&mut text).await?;
        } else {
            stream.read_buf(&mut text).await?;
        }
        Ok(String::from_utf8_lossy(&text).into_owned())
    };
    timeout(Duration::from_millis(PATIENCE_MS), ask).await.map_err(|_| io::Error::from(io::ErrorKind::TimedOut))?
}

/// Names in DNS, and the way out.
pub(super) async fn outside(config: &Config) -> Vec<Finding> {
    let dns = match boot::resolver(config) {
        Ok(dns) => dns,
        Err(error) => return vec![Finding::failed(format!("DNS: {error}"), "correct dns.nameservers")],
    };
    let mut found = Vec::new();
    let is_asked = |domain: &str| !is_private(domain, config.nameservers.is_empty());
    let temporary = &config.mail.temporary_domain;
    for domain in [&config.mail.default_domain, temporary] {
        if !is_asked(domain) {
            found.push(Finding::ok(format!("DNS: {domain} is not a public domain, nothing to look up")));
            continue;
        }
        let finding = mail_exchangers(dns.as_ref(), domain, &config.smtp.hostname).await;
        // Temporary inboxes are not for everybody.
        found.push(if domain == temporary { finding.at_most_a_warning() } else { finding });
    }
    if is_asked(&config.mail.default_domain) {
        found.extend(names(dns.as_ref(), config).await);
    }
    found.push(way_out(dns.as_ref(), config).await);
    found
}

/// Whether looking a name up could only fail; the system's name servers are taken to be public ones.
fn is_private(domain: &str, on_public_dns: bool) -> bool {
    let is_own = !domain.contains('.') || domain.ends_with(OWN_ENDING);
    is_own || on_public_dns && PRIVATE_ENDINGS.iter().any(|ending| domain.ends_with(ending))
}

async fn names(dns: &dyn Dns, config: &Config) -> Vec<Finding> {
    let (domain, host) = (config.mail.default_domain.as_str(), config.smtp.hostname.as_str());
    let mut found = Vec::new();
    let addresses = addresses(dns, host).await;
    if addresses.is_empty() {
        found.push(Finding::failed(format!("A: {host} has no address"), "publish an A or AAAA record of this machine"));
    }
    for address in addresses {
        found.push(reverse(dns, address, host).await);
    }
    let spf = texts(dns, domain).await.into_iter().find(|text| text.starts_with("v=spf1"));
    found.push(match spf {
        Some(text) => Finding::ok(format!("SPF: {domain} has {text}")),
        None => Finding::warning(format!("SPF: {domain} has no record"), "publish TXT \"v=spf1 mx -all\""),
    });
    let at = format!("_dmarc.{domain}");
    let dmarc = texts(dns, &at).await.into_iter().find(|text| text.starts_with("v=DMARC1"));
    found.push(match dmarc {
        Some(text) => Finding::ok(format!("DMARC: {at} has {text}")),
        None => Finding::warning(format!("DMARC: {at} has no record"), "publish TXT \"v=DMARC1; p=quarantine\""),
    });
    match boot::dkim_records(config).await {
        Ok(records) => {
            for record in records {
                found.push(signature_key(dns, &record).await);
            }
        }
        Err(error) => {
            found.push(Finding::failed(format!("DKIM: {error}"), "bring back the instance key of this store"))
        }
    }
    found
}

async fn signature_key(dns: &dyn Dns, record: &DkimRecord) -> Finding {
    let bare = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    let published = texts(dns, &record.name).await;
    if published.iter().any(|text| bare(text) == bare(&record.text)) {
        return Finding::ok(format!("DKIM: {} is published", record.name));
    }
    let what = if published.is_empty() { "has no record" } else { "has another record" };
    Finding::warning(format!("DKIM: {} {what}", record.name), format!("publish TXT \"{}\"", record.text))
}

async fn mail_exchangers(dns: &dyn Dns, domain: &str, host: &str) -> Finding {
    let advice = format!("publish MX 10 {host}.");
    match dns.lookup(Question::new(domain, QuestionKind::Mx)).await {
        Answer::Records(Records::Mx(hosts)) => {
            let ours = |(_, name): &(u16, String)| name.trim_end_matches('.').eq_ignore_ascii_case(host);
            if hosts.iter().any(ours) {
                Finding::ok(format!("MX: {domain} is served by {host}"))
            } else {
                let names: Vec<&str> = hosts.iter().map(|(_, name)| name.as_str()).collect();
                Finding::failed(format!("MX: {domain} is served by {}", names.join(", ")), advice)
            }
        }
        Answer::Failed => {
            Finding::warning(format!("MX: {domain} could not be looked up"), "try again; check dns.nameservers")
        }
        _ => Finding::failed(format!("MX: {domain} has no mail exchanger"), advice),
    }
}

async fn addresses(dns: &dyn Dns, host: &str) -> Vec<IpAddr> {
    let mut all = Vec::new();
    if let Answer::Records(Records::A(found)) = dns.lookup(Question::new(host, QuestionKind::A)).await {
        all.extend(found.into_iter().map(IpAddr::from));
    }
    if let Answer::Records(Records::Aaaa(found)) = dns.lookup(Question::new(host, QuestionKind::Aaaa)).await {
        all.extend(found.into_iter().map(IpAddr::from));
    }
    all
}

async fn reverse(dns: &dyn Dns, address: IpAddr, host: &str) -> Finding {
    let names = match dns.lookup(Question::new(&reverse_name(address), QuestionKind::Ptr)).await {
        Answer::Records(Records::Ptr(names)) => names,
        _ => Vec::new(),
    };
    if names.iter().any(|name| name.trim_end_matches('.').eq_ignore_ascii_case(host)) {
        return Finding::ok(format!("PTR: {address} is {host}"));
    }
    let found = if names.is_empty() { "nobody".to_owned() } else { names.join(", ") };
    let advice = format!("ask who provides the address to set its reverse name to {host}");
    Finding::warning(format!("PTR: {address} is {found}"), advice)
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

async fn texts(dns: &dyn Dns, name: &str) -> Vec<String> {
    match dns.lookup(Question::new(name, QuestionKind::Txt)).await {
        Answer::Records(Records::Txt(texts)) => {
            texts.iter().map(|text| String::from_utf8_lossy(text).into_owned()).collect()
        }
        _ => Vec::new(),
    }
}

async fn way_out(dns: &dyn Dns, config: &Config) -> Finding {
    match &config.delivery.mode {
        DeliveryMode::Capture => Finding::ok("outbound: nothing leaves this machine (delivery.mode is capture)"),
        DeliveryMode::Relay(relay) => {
            let place = (relay.host.as_str(), relay.port);
            let connected = timeout(Duration::from_millis(PATIENCE_MS), TcpStream::connect(place)).await;
            let what = format!("outbound: relay {}:{}", relay.host, relay.port);
            match connected {
                Ok(Ok(_)) => Finding::ok(format!("{what} takes connections")),
                _ => Finding::failed(format!("{what} cannot be reached"), "check delivery.relay_url and the firewall"),
            }
        }
        DeliveryMode::Direct => port_25(dns, config.delivery.port).await,
    }
}

async fn port_25(dns: &dyn Dns, port: u16) -> Finding {
    let hosts = match dns.lookup(Question::new(WITNESS, QuestionKind::Mx)).await {
        Answer::Records(Records::Mx(hosts)) => hosts,
        _ => Vec::new(),
    };
    let Some((_, host)) = hosts.into_iter().min() else {
        let what = format!("outbound: port {port} was not tried, {WITNESS} could not be looked up");
        return Finding::warning(what, "check dns.nameservers and the way to the internet");
    };
    for address in addresses(dns, &host).await {
        if greeting(SocketAddr::from((address, port)), None).await.is_ok_and(|text| text.starts_with("220")) {
            return Finding::ok(format!("outbound: port {port} is open ({host} answers)"));
        }
    }
    let advice = "many providers block port 25: ask yours to open it, or set delivery.mode to relay";
    Finding::failed(format!("outbound: port {port} of {host} does not answer"), advice)
}

#[cfg(test)]
mod tests {
    use super::*;

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
