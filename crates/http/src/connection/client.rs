//! The client of a request behind trusted proxies, from `Forwarded` (RFC 7239) and `X-Forwarded-For`.
//!
//! Every proxy appends the address of its own client, so the fields are read from the right. A hop counts if a trusted
//! proxy reported it. The first address that is not a trusted proxy is the client. A hop that is not an address
//! (`unknown`, `_hidden`, a mistyped one) ends the search, and the last address before it counts: anyone could have
//! written what is left of it.
//!
//! Most proxies set one of the two fields and pass the other on unchanged. If a request has both, a hop counts only
//! where they agree.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use axum::http::{Extensions, HeaderMap};

use posthouse_app::settings::network::Network;

const FORWARDED: &str = "forwarded";
const X_FORWARDED_FOR: &str = "x-forwarded-for";
/// Fields that reveal a proxy but whose addresses are not trusted.
const OTHER_TRACES: [&str; 2] = ["x-real-ip", "via"];
/// Most hops of a request that are read.
const HOPS_MAX: usize = 32;

/// Facts about a connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HttpConnectionInfo {
    /// The peer address, as the operating system reports it.
    pub(crate) peer: IpAddr,
    /// Whether the connection uses TLS.
    pub(crate) over_tls: bool,
}

/// The client of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct RequestClient {
    /// The address; if the client itself is unknown, that of the last known hop.
    pub(crate) address: IpAddr,
    /// Whether the client is known to be on this machine.
    pub(crate) on_loopback: bool,
}

/// Returns whether a peer is a trusted proxy.
pub(crate) fn is_trusted(peer: IpAddr, trusted: &[Network]) -> bool {
    trusted.iter().any(|network| network.contains(peer.to_canonical()))
}

/// Returns the client of a request.
pub(crate) fn of_request(trusted: &[Network], extensions: &Extensions, headers: &HeaderMap) -> RequestClient {
    // A peer that isn't known has no rights of this machine.
    let unknown = IpAddr::V4(Ipv4Addr::UNSPECIFIED);
    let peer = extensions.get::<HttpConnectionInfo>().map_or(unknown, |connection| connection.peer);
    of(peer, trusted, headers)
}

/// Returns the client of a request from a peer.
pub(crate) fn of(peer: IpAddr, trusted: &[Network], headers: &HeaderMap) -> RequestClient {
    let peer = peer.to_canonical();
    let is_trusted = |address: IpAddr| is_trusted(address, trusted);
    let is_forwarded = headers.contains_key(FORWARDED) || headers.contains_key(X_FORWARDED_FOR);
    let has_traces = OTHER_TRACES.iter().any(|name| headers.contains_key(*name));
    if !is_trusted(peer) {
        // An untrusted proxy on this machine is on loopback too, but the fields it adds reveal it.
        return RequestClient { address: peer, on_loopback: peer.is_loopback() && !is_forwarded && !has_traces };
    }
    let (address, is_known) = walk(peer, is_trusted, headers);
    let is_known = is_known && (is_forwarded || !has_traces);
    RequestClient { address, on_loopback: peer.is_loopback() && address.is_loopback() && is_known }
}

/// Returns the last address that counts, and whether it is that of the client itself.
fn walk(peer: IpAddr, is_trusted: impl Fn(IpAddr) -> bool, headers: &HeaderMap) -> (IpAddr, bool) {
    let mut last = peer;
    for hop in hops(headers).into_iter().take(HOPS_MAX + 1).enumerate() {
        match hop {
            (..HOPS_MAX, Some(address)) => last = address,
            _ => return (last, false),
        }
        if !is_trusted(last) {
            break;
        }
    }
    (last, true)
}

/// Returns the hops, nearest first; `None` for a hop that is not an address.
fn hops(headers: &HeaderMap) -> Vec<Option<IpAddr>> {
    let x_forwarded_for = in_fields(headers, X_FORWARDED_FOR, |line| line.split(',').map(x_forwarded_hop).collect());
    let forwarded = in_fields(headers, FORWARDED, forwarded_hops);
    match (headers.contains_key(X_FORWARDED_FOR), headers.contains_key(FORWARDED)) {
        (true, true) => {
            let length = x_forwarded_for.len().max(forwarded.len());
            let at = |hops: &[Option<IpAddr>], index: usize| hops.get(index).copied().flatten();
            let agreed = |index| at(&x_forwarded_for, index).filter(|hop| at(&forwarded, index) == Some(*hop));
            (0..length).map(agreed).collect()
        }
        (true, false) => x_forwarded_for,
        _ => forwarded,
    }
}

/// Returns the hops of all fields with this name, nearest first.
fn in_fields(headers: &HeaderMap, name: &str, read: impl Fn(&str) -> Vec<Option<IpAddr>>) -> Vec<Option<IpAddr>> {
    let lines = headers.get_all(name).iter();
    let mut hops: Vec<_> = lines.flat_map(|line| read(&String::from_utf8_lossy(line.as_bytes()))).collect();
    hops.reverse();
    hops
}

/// Parses a hop of `X-Forwarded-For`: an address; some proxies add a port.
fn x_forwarded_hop(text: &str) -> Option<IpAddr> {
    let text = text.trim_matches([' ', '\t']);
    let address = text.parse().ok().or_else(|| node(text));
    address.map(|address| address.to_canonical())
}

/// Parses a node of RFC 7239 §6: an address, IPv6 in brackets, with an optional port.
fn node(text: &str) -> Option<IpAddr> {
    let (address, rest) = match text.strip_prefix('[') {
        Some(inner) => {
            let (address, rest) = inner.split_once(']')?;
            (IpAddr::V6(address.parse::<Ipv6Addr>().ok()?), rest)
        }
        None => {
            let end = text.find(':').unwrap_or(text.len());
            (IpAddr::V4(text[..end].parse::<Ipv4Addr>().ok()?), &text[end..])
        }
    };
    let is_port = |port: &str| match port.strip_prefix('_') {
        Some(hidden) => !hidden.is_empty() && hidden.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b)),
        None => port.bytes().all(|b| b.is_ascii_digit()) && port.parse::<u16>().is_ok(),
    };
    (rest.is_empty() || rest.strip_prefix(':').is_some_and(is_port)).then(|| address.to_canonical())
}

/// Returns the hops of one `Forwarded` field. In a malformed field the boundaries of hops are unknown, so it counts as
/// one hop that is not an address.
fn forwarded_hops(line: &str) -> Vec<Option<IpAddr>> {
    let mut reader = ForwardedParser(line);
    let mut hops = Vec::new();
    loop {
        let Some(hop) = reader.element() else { return vec![None] };
        hops.push(hop);
        if !reader.skip(',') {
            return if reader.0.is_empty() { hops } else { vec![None] };
        }
    }
}

/// A parser for the rest of a `Forwarded` field.
struct ForwardedParser<'a>(&'a str);

impl ForwardedParser<'_> {
    /// Parses one element and returns the address of its `for`. Returns `None` if the element is malformed.
    fn element(&mut self) -> Option<Option<IpAddr>> {
        let mut hop = None;
        let mut named = 0;
        loop {
            self.skip_blanks();
            let name = self.token();
            if !name.is_empty() {
                let value = if self.skip('=') { self.value()? } else { return None };
                if name.eq_ignore_ascii_case("for") {
                    named += 1;
                    hop = node(&value);
                }
            }
            self.skip_blanks();
            if !self.skip(';') {
                return Some(hop.filter(|_| named == 1));
            }
        }
    }

    fn value(&mut self) -> Option<String> {
        if !self.skip('"') {
            return Some(self.token()).filter(|token| !token.is_empty());
        }
        let mut value = String::new();
        let mut letters = self.0.char_indices();
        while let Some((at, letter)) = letters.next() {
            match letter {
                '"' => {
                    self.0 = &self.0[at + 1..];
                    return Some(value);
                }
                '\\' => value.push(letters.next()?.1),
                letter => value.push(letter),
            }
        }
        None
    }

    /// Parses a token (RFC 9110 §5.6.2), which may be empty.
    fn token(&mut self) -> String {
        let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        let length = self.0.bytes().take_while(|byte| is_token(*byte)).count();
        let (token, rest) = self.0.split_at(length);
        self.0 = rest;
        token.to_owned()
    }

    fn skip(&mut self, letter: char) -> bool {
        let rest = self.0.strip_prefix(letter);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    fn skip_blanks(&mut self) {
        self.0 = self.0.trim_start_matches([' ', '\t']);
    }
}

#[cfg(test)]
mod tests;
