//! Ports of our own, and the ways in and out on port 25.
//!
//! Nothing is sent but greetings: connections are opened, listened to and closed.

use std::{
    io,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    time::Duration,
};

use futures_util::future::join_all;
use posthouse_mail::auth::{Answer, Question, QuestionKind, Records};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    time::timeout,
};

use super::Finding;
use crate::{
    app::check_reputation::addresses,
    config::{Config, DeliveryMode, Network},
    ports::Dns,
};

/// How long one connection or look-up may take, in milliseconds.
const PATIENCE_MS: u64 = 5_000;
/// How much of a greeting is read, in bytes.
const GREETING_BYTES_MAX: u64 = 512;
/// A domain whose mail exchangers are there for everybody, to see whether port 25 is open on the way out.
const WITNESS: &str = "gmail.com";
/// Addresses of it that are tried.
const WITNESS_ADDRESSES_MAX: usize = 2;

/// This machine.
const LOOPBACK: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// Whether our ports are free, or taken by ourselves.
pub(super) async fn ports(config: &Config) -> Vec<Finding> {
    let mut found = vec![port("http.listen", config.http.listen, Some(b"GET /healthz HTTP/1.0\r\n\r\n")).await];
    for address in &config.smtp.listen {
        found.push(mail_port("smtp.listen", *address, &config.smtp.proxy_protocol_from).await);
    }
    for address in &config.submission.listen {
        found.push(mail_port("submission.listen", *address, &config.submission.proxy_protocol_from).await);
    }
    for address in &config.http.listen_tls {
        found.push(tls_port("http.listen_tls", *address).await);
    }
    for address in &config.acme.listen {
        found.push(tls_port("acme.listen", *address).await);
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

/// As [`port`], of a listener that greets, unless it waits for a proxy to speak first.
async fn mail_port(key: &str, address: SocketAddr, proxies: &[Network]) -> Finding {
    if is_proxied(address, proxies) { tls_port(key, address).await } else { port(key, address, None).await }
}

/// Whether who connects from this machine is taken for a proxy (PROXY protocol).
fn is_proxied(address: SocketAddr, proxies: &[Network]) -> bool {
    let from = if address.ip().is_unspecified() { LOOPBACK } else { address.ip() };
    proxies.iter().any(|network| network.contains(from))
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

/// The way in and the way out.
pub(super) async fn ways(dns: &dyn Dns, config: &Config, addresses: &[IpAddr]) -> Vec<Finding> {
    let (way_in, way_out) = tokio::join!(way_in(config, addresses), way_out(dns, config));
    way_in.into_iter().chain(sources(config).await).chain([way_out]).collect()
}

/// Whether this machine has the addresses that mail is to leave from.
async fn sources(config: &Config) -> Vec<Finding> {
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

/// Whether other servers reach this one: its own public address is tried, at the port that mail servers use.
async fn way_in(config: &Config, addresses: &[IpAddr]) -> Vec<Finding> {
    let port = config.delivery.port;
    let what = |address: &IpAddr| format!("inbound: port {port} of {address}");
    if config.delivery.mode == DeliveryMode::Capture || addresses.is_empty() {
        return Vec::new();
    }
    if !is_serving(config).await {
        let advice = "start the service, then check again";
        return vec![Finding::warning(format!("inbound: port {port} was not tried, nobody listens"), advice)];
    }
    let tries = addresses.iter().map(|address| async move {
        match greeting(SocketAddr::from((*address, port)), None).await {
            Ok(text) if greets_as(&text, &config.smtp.hostname) => {
                Finding::ok(format!("{} answers as {}", what(address), config.smtp.hostname))
            }
            Ok(text) if text.starts_with("220") => {
                let (said, host) = (text.lines().next().unwrap_or_default(), &config.smtp.hostname);
                let advice =
                    format!("lead the port to this service, or set smtp.hostname to its name instead of {host}");
                Finding::failed(format!("{} answers \"{said}\"", what(address)), advice)
            }
            _ => {
                let advice = "open the port in every firewall and lead it to smtp.listen; if a network lets no machine \
                              reach its own public address, try from elsewhere";
                Finding::warning(format!("{} does not answer from here", what(address)), advice)
            }
        }
    });
    join_all(tries).await
}

async fn is_serving(config: &Config) -> bool {
    for address in &config.smtp.listen {
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
    for address in addresses(dns, &host).await.into_iter().take(WITNESS_ADDRESSES_MAX) {
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
    fn a_greeting_names_the_server() {
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
