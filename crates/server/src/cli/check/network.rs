//! Checks the ports of the listeners, and inbound and outbound connections on port 25.
//!
//! Connections are opened, the greeting is read, and they are closed. No mail is sent.

use std::{
    future::Future,
    io,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use futures_util::future::join_all;
use posthouse_mail::auth::{DnsAnswer, DnsQuestion, DnsRecordType, DnsRecords};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    time::timeout,
};

use super::Finding;
use crate::{boot, config::Configuration};
use posthouse_app::{
    domains::reputation::addresses,
    ports::Dns,
    service::Service,
    settings::{DeliveryMode, network::Network},
};

/// Time limit of one connection or lookup, in milliseconds.
const TIMEOUT_MS: u64 = 5_000;
/// Bytes of an answer that are read.
const ANSWER_BYTES_MAX: u64 = 4_096;
/// A domain whose mail exchangers accept connections from everywhere, for testing outbound port 25.
const TEST_DOMAIN: &str = "gmail.com";
/// Addresses of the test domain that are tried.
const TEST_ADDRESSES_MAX: usize = 2;

/// The loopback address.
const LOOPBACK: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// What uses the ports: [`ports`] takes a used port for this service's only if a process serves the store, and if the
/// listener names its instance.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Running {
    /// A process serves the store, whose instance has this name.
    Yes(String),
    /// None does, or the store can't be read.
    No,
}

impl Running {
    /// Returns whether a process serves the store of a configuration. Changes nothing.
    pub(super) fn of(config: &Configuration, service: Option<&Arc<Service>>) -> Self {
        let is_served = boot::inspect::is_served(config).unwrap_or(false);
        let name = service.filter(|_| is_served).and_then(|service| service.instance_name());
        name.map_or(Self::No, Self::Yes)
    }

    /// Returns whether a listener names the instance of the store.
    async fn is_at(&self, address: SocketAddr, answer: Answer) -> bool {
        let Self::Yes(name) = self else { return false };
        match answer {
            Answer::Nothing => true,
            Answer::Health => {
                let text = http_answer(address, b"GET /healthz HTTP/1.0\r\n\r\n").await.unwrap_or_default();
                text.contains(&format!("\"instance\":\"{name}\""))
            }
            Answer::Help => {
                let text = help(address).await.unwrap_or_default();
                text.lines().any(|line| line.ends_with(&format!("Instance {name}")))
            }
        }
    }
}

/// What a listener of this service sends to name its instance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Answer {
    /// The response of `/healthz`.
    Health,
    /// The reply to HELP.
    Help,
    /// Nothing before a TLS handshake or the header of a proxy.
    Nothing,
}

/// A port of the configuration, and who uses it.
struct CheckedPort {
    /// The key and the address, as the findings name it.
    what: String,
    key: &'static str,
    user: PortUser,
}

enum PortUser {
    /// The port is free.
    None,
    /// The running service.
    Service,
    /// Another program, or the service of another store.
    Other,
    /// The port can't be bound.
    Unknown(io::Error),
}

/// Checks that each port is free or used by this service.
pub(super) async fn ports(config: &Configuration, running: &Running) -> Vec<Finding> {
    let listen = &config.listen;
    let smtp = listen.smtp.iter().map(|at| ("smtp.listen", *at, mail_answer(*at, &config.smtp.proxy_protocol_from)));
    let submission = listen.submission.iter();
    let submission =
        submission.map(|at| ("submission.listen", *at, mail_answer(*at, &config.smtp.submission_proxy_protocol_from)));
    let unnamed = [
        ("http.listen_tls", &listen.http_tls),
        ("acme.listen", &listen.acme),
        ("submission.listen_tls", &listen.submission_tls),
    ];
    let unnamed = unnamed.into_iter().flat_map(|(key, all)| all.iter().map(move |at| (key, *at, Answer::Nothing)));
    let all = [("http.listen", listen.http, Answer::Health)].into_iter().chain(smtp).chain(submission).chain(unnamed);
    let (mut found, mut is_other_seen) = (Vec::new(), false);
    for (key, address, answer) in all {
        let mut port = port(key, address, running, answer).await;
        // A listener that names nothing belongs to the service that has the others.
        if is_other_seen && answer == Answer::Nothing && matches!(port.user, PortUser::Service) {
            port.user = PortUser::Other;
        }
        is_other_seen |= matches!(port.user, PortUser::Other);
        found.push(port.finding());
    }
    found
}

async fn port(key: &'static str, address: SocketAddr, running: &Running, answer: Answer) -> CheckedPort {
    // The listener ends with this statement: a second one on the address would find it in use.
    let bound = TcpListener::bind(address).await.map(drop);
    let user = match bound {
        Ok(()) => PortUser::None,
        Err(error) if error.kind() != io::ErrorKind::AddrInUse => PortUser::Unknown(error),
        Err(_) if running.is_at(address, answer).await => PortUser::Service,
        Err(_) => PortUser::Other,
    };
    CheckedPort { what: format!("port: {key} {address}"), key, user }
}

impl CheckedPort {
    fn finding(self) -> Finding {
        let Self { what, key, user } = self;
        match user {
            PortUser::None => Finding::ok(format!("{what} is free")),
            PortUser::Service => Finding::ok(format!("{what} is in use by the running service")),
            PortUser::Other => {
                let advice = "stop it, or choose another port";
                Finding::failed(format!("{what} is in use by another program or the service of another store"), advice)
            }
            PortUser::Unknown(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                let advice = "ports below 1024 need the capability CAP_NET_BIND_SERVICE";
                Finding::failed(format!("no permission to listen on {what}"), advice)
            }
            PortUser::Unknown(error) => Finding::failed(format!("{what}: {error}"), format!("correct {key}")),
        }
    }
}

/// Returns what an SMTP listener sends: behind a proxy, nothing until the proxy's header arrives.
fn mail_answer(address: SocketAddr, proxies: &[Network]) -> Answer {
    if is_proxied(address, proxies) { Answer::Nothing } else { Answer::Help }
}

/// Returns whether a connection from this machine must begin with a PROXY protocol header.
fn is_proxied(address: SocketAddr, proxies: &[Network]) -> bool {
    let from = if address.ip().is_unspecified() { LOOPBACK } else { address.ip() };
    proxies.iter().any(|network| network.contains(from))
}

/// Reads the greeting of a mail server.
async fn greeting(address: SocketAddr) -> io::Result<String> {
    in_time(async {
        let mut stream = TcpStream::connect(address).await?;
        read_some(&mut stream).await
    })
    .await
}

/// Reads the reply to HELP after the greeting of a mail server.
async fn help(address: SocketAddr) -> io::Result<String> {
    in_time(async {
        let mut stream = TcpStream::connect(address).await?;
        read_some(&mut stream).await?;
        stream.write_all(b"HELP\r\nQUIT\r\n").await?;
        read_to_end(stream).await
    })
    .await
}

/// Reads the response to an HTTP request, which ends with the connection.
async fn http_answer(address: SocketAddr, request: &[u8]) -> io::Result<String> {
    in_time(async {
        let mut stream = TcpStream::connect(address).await?;
        stream.write_all(request).await?;
        read_to_end(stream).await
    })
    .await
}

/// Reads the first data that arrives.
async fn read_some(stream: &mut (impl AsyncRead + Unpin)) -> io::Result<String> {
    let mut text = Vec::new();
    stream.take(ANSWER_BYTES_MAX).read_buf(&mut text).await?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

async fn read_to_end(stream: TcpStream) -> io::Result<String> {
    let mut text = Vec::new();
    stream.take(ANSWER_BYTES_MAX).read_to_end(&mut text).await?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

async fn in_time<T>(exchange: impl Future<Output = io::Result<T>>) -> io::Result<T> {
    timeout(Duration::from_millis(TIMEOUT_MS), exchange).await.map_err(|_| io::Error::from(io::ErrorKind::TimedOut))?
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
        match greeting(SocketAddr::from((*address, port))).await {
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
        if greeting(address).await.is_ok_and(|text| text.starts_with("220")) {
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
            let address = (relay.host.as_str(), relay.port);
            let connected = timeout(Duration::from_millis(TIMEOUT_MS), TcpStream::connect(address)).await;
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
        if greeting(SocketAddr::from((address, port))).await.is_ok_and(|text| text.starts_with("220")) {
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
