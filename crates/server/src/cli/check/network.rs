//! Checks the ports of the listeners, and inbound and outbound connections on port 25.
//!
//! Connections are opened, the greeting is read, and they are closed. No mail is sent.

use std::{
    io,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    time::Duration,
};

use futures_util::future::join_all;
use posthouse_mail::auth::{DnsAnswer, DnsQuestion, DnsRecordType, DnsRecords};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    time::timeout,
};

use super::Finding;
use crate::config::Configuration;
use posthouse_app::{
    domains::reputation::addresses,
    ports::Dns,
    settings::{DeliveryMode, network::Network},
};

/// Time limit of one connection or lookup, in milliseconds.
const TIMEOUT_MS: u64 = 5_000;
/// Maximum length of a greeting, in bytes.
const GREETING_BYTES_MAX: u64 = 512;
/// A domain whose mail exchangers accept connections from everywhere, for testing outbound port 25.
const TEST_DOMAIN: &str = "gmail.com";
/// Addresses of the test domain that are tried.
const TEST_ADDRESSES_MAX: usize = 2;

/// The loopback address.
const LOOPBACK: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// Checks that each port is free or used by this service.
pub(super) async fn ports(config: &Configuration) -> Vec<Finding> {
    let mut found = vec![port("http.listen", config.listen.http, Some(b"GET /healthz HTTP/1.0\r\n\r\n")).await];
    for address in &config.listen.smtp {
        found.push(mail_port("smtp.listen", *address, &config.smtp.proxy_protocol_from).await);
    }
    for address in &config.listen.submission {
        found.push(mail_port("submission.listen", *address, &config.smtp.submission_proxy_protocol_from).await);
    }
    for address in &config.listen.http_tls {
        found.push(tls_port("http.listen_tls", *address).await);
    }
    for address in &config.listen.acme {
        found.push(tls_port("acme.listen", *address).await);
    }
    for address in &config.listen.submission_tls {
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
            Finding::failed(format!("no permission to listen on {what}"), advice)
        }
        Err(error) => Finding::failed(format!("{what}: {error}"), format!("correct {key}")),
    }
}

/// Like [`port`], for an SMTP listener. Behind a proxy it sends no greeting until the proxy's header arrives.
async fn mail_port(key: &str, address: SocketAddr, proxies: &[Network]) -> Finding {
    if is_proxied(address, proxies) { tls_port(key, address).await } else { port(key, address, None).await }
}

/// Returns whether a connection from this machine must begin with a PROXY protocol header.
fn is_proxied(address: SocketAddr, proxies: &[Network]) -> bool {
    let from = if address.ip().is_unspecified() { LOOPBACK } else { address.ip() };
    proxies.iter().any(|network| network.contains(from))
}

/// Like [`port`], for a listener that sends nothing before a TLS handshake.
async fn tls_port(key: &str, address: SocketAddr) -> Finding {
    match TcpListener::bind(address).await {
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
            Finding::ok(format!("port: {key} {address} is in use, by the running service if there is one"))
        }
        _ => port(key, address, None).await,
    }
}

/// Reads a greeting, or the response to `question`.
async fn greeting(address: SocketAddr, question: Option<&[u8]>) -> io::Result<String> {
    let ask = async {
        let mut stream = TcpStream::connect(address).await?;
        if let Some(question) = question {
            stream.write_all(question).await?;
        }
        let mut text = Vec::new();
        let mut stream = stream.take(GREETING_BYTES_MAX);
        // A response ends with the connection; a greeting is the first data that arrives.
        if question.is_some() {
            stream.read_to_end(&mut text).await?;
        } else {
            stream.read_buf(&mut text).await?;
        }
        Ok(String::from_utf8_lossy(&text).into_owned())
    };
    timeout(Duration::from_millis(TIMEOUT_MS), ask).await.map_err(|_| io::Error::from(io::ErrorKind::TimedOut))?
}

/// Checks inbound and outbound connections.
pub(super) async fn connections(dns: &dyn Dns, config: &Configuration, addresses: &[IpAddr]) -> Vec<Finding> {
    let (inbound, outbound) = tokio::join!(inbound(config, addresses), outbound(dns, config));
    inbound.into_iter().chain(sources(config).await).chain([outbound]).collect()
}

/// Checks that this machine has the configured source addresses.
async fn sources(config: &Configuration) -> Vec<Finding> {
    let mut found = Vec::new();
    for source in &config.delivery.sources {
        let what = format!("source: {}", source.address);
        found.push(match TcpListener::bind((source.address, 0)).await {
            Ok(_) => Finding::ok(format!("{what} is an address of this machine")),
            Err(error) => Finding::failed(
                format!("{what} cannot be used on this machine ({error})"),
                "correct delivery.source_addresses",
            ),
        });
    }
    found
}

/// Checks that this server is reachable at its public addresses, on the port that mail servers use.
async fn inbound(config: &Configuration, addresses: &[IpAddr]) -> Vec<Finding> {
    let port = config.delivery.port;
    let what = |address: &IpAddr| format!("inbound: port {port} of {address}");
    if config.delivery.mode == DeliveryMode::Capture || addresses.is_empty() {
        return Vec::new();
    }
    if !is_serving(config).await {
        let advice = "start the service, then check again";
        return vec![Finding::warning(
            format!("inbound: port {port} was not tested, the service is not running"),
            advice,
        )];
    }
    let tries = addresses.iter().map(|address| async move {
        match greeting(SocketAddr::from((*address, port)), None).await {
            Ok(text) if greets_as(&text, &config.hostname) => {
                Finding::ok(format!("{} answers as {}", what(address), config.hostname))
            }
            Ok(text) if text.starts_with("220") => {
                let (greeting, host) = (text.lines().next().unwrap_or_default(), &config.hostname);
                let advice =
                    format!("forward the port to this service, or set smtp.hostname to its name instead of {host}");
                Finding::failed(format!("{} answers \"{greeting}\"", what(address)), advice)
            }
            _ => {
                let advice = "open the port in every firewall and forward it to smtp.listen; if machines in your \
                network can't reach their own public address, test from elsewhere";
                Finding::warning(format!("{} does not answer from here", what(address)), advice)
            }
        }
    });
    join_all(tries).await
}

async fn is_serving(config: &Configuration) -> bool {
    for address in &config.listen.smtp {
        let mut address = *address;
        if address.ip().is_unspecified() {
            address.set_ip(LOOPBACK);
        }
        if is_proxied(address, &config.smtp.proxy_protocol_from) && TcpStream::connect(address).await.is_ok() {
            return true;
        }
        if greeting(address, None).await.is_ok_and(|text| text.starts_with("220")) {
            return true;
        }
    }
    false
}

fn greets_as(text: &str, host: &str) -> bool {
    text.strip_prefix("220")
        .is_some_and(|rest| rest.trim_start_matches([' ', '-']).split_whitespace().next() == Some(host))
}

async fn outbound(dns: &dyn Dns, config: &Configuration) -> Finding {
    match &config.delivery.mode {
        DeliveryMode::Capture => Finding::ok("outbound: nothing leaves this machine (delivery.mode is capture)"),
        DeliveryMode::Relay(relay) => {
            let place = (relay.host.as_str(), relay.port);
            let connected = timeout(Duration::from_millis(TIMEOUT_MS), TcpStream::connect(place)).await;
            let what = format!("outbound: relay {}:{}", relay.host, relay.port);
            match connected {
                Ok(Ok(_)) => Finding::ok(format!("{what} accepts connections")),
                _ => Finding::failed(format!("{what} cannot be reached"), "check delivery.relay_url and the firewall"),
            }
        }
        DeliveryMode::Direct => port_25(dns, config.delivery.port).await,
    }
}

async fn port_25(dns: &dyn Dns, port: u16) -> Finding {
    let hosts = match dns.lookup(DnsQuestion::new(TEST_DOMAIN, DnsRecordType::Mx)).await {
        DnsAnswer::Records(DnsRecords::Mx(hosts)) => hosts,
        _ => Vec::new(),
    };
    let Some((_, host)) = hosts.into_iter().min() else {
        let what = format!("outbound: port {port} was not tested, {TEST_DOMAIN} could not be looked up");
        return Finding::warning(what, "check dns.nameservers and the internet connection");
    };
    for address in addresses(dns, &host).await.into_iter().take(TEST_ADDRESSES_MAX) {
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
    fn greetings_are_compared_with_the_host_name() {
        for (text, expected) in [
            ("220 mx.example.com ESMTP Posthouse\r\n", true),
            ("220-mx.example.com\r\n", true),
            ("220 mx.example.com.other ESMTP", false),
            ("220", false),
            ("554 mx.example.com", false),
        ] {
            assert_eq!(greets_as(text, "mx.example.com"), expected, "{text}");
        }
    }
}
