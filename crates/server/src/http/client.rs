//! The client of a request behind trusted proxies, from `Forwarded` (RFC 7239) and `X-Forwarded-For`.
//!
//! Every proxy adds the address of its own client on the right, so the fields are read from the right: a hop counts as long as
//! the one that named it is a trusted proxy. The first address that is no trusted proxy is the client. A hop that is not an
//! address (`unknown`, `_hidden`, a typing error) ends the walk, and the last address before it counts: everything left of it
//! could have been written by anybody.
//!
//! Most proxies set one of the two fields and pass on the other as it came, so with both of them a hop counts only where they
//! agree.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use axum::http::HeaderMap;

use crate::config::Network;

const FORWARDED: &str = "forwarded";
const X_FORWARDED_FOR: &str = "x-forwarded-for";
/// Fields that show that a proxy stands between, without an address that is believed.
const OTHER_TRACES: [&str; 2] = ["x-real-ip", "via"];
/// Most hops of a request that are looked at.
const HOPS_MAX: usize = 32;

/// What the listener knows of a connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Connection {
    /// The peer, as the operating system knows it.
    pub(super) peer: IpAddr,
    /// Whether it speaks TLS with us.
    pub(super) over_tls: bool,
}

/// Who sent a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Client {
    /// The address; of the last known hop where the client itself is unknown.
    pub(super) address: IpAddr,
    /// Whether the client is on this machine, for certain.
    pub(super) on_loopback: bool,
}

/// Finds the client of a request.
pub(super) fn of(peer: IpAddr, trusted: &[Network], headers: &HeaderMap) -> Client {
    let peer = peer.to_canonical();
    let is_trusted = |address: IpAddr| trusted.iter().any(|network| network.contains(address));
    let is_forwarded = headers.contains_key(FORWARDED) || headers.contains_key(X_FORWARDED_FOR);
    let has_traces = OTHER_TRACES.iter().any(|name| headers.contains_key(*name));
    if !is_trusted(peer) {
        // A proxy beside us that is not trusted is on loopback too, but the fields it adds give it away.
        return Client { address: peer, on_loopback: peer.is_loopback() && !is_forwarded && !has_traces };
    }
    let (address, is_known) = walk(peer, is_trusted, headers);
    let is_known = is_known && (is_forwarded || !has_traces);
    Client { address, on_loopback: peer.is_loopback() && address.is_loopback() && is_known }
}

/// The last address that counts, and whether the walk ended there because nobody stands behind it.
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

/// The hops, nearest first; none where a hop is not an address.
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

/// The hops of all fields of that name, nearest first.
fn in_fields(headers: &HeaderMap, name: &str, read: impl Fn(&str) -> Vec<Option<IpAddr>>) -> Vec<Option<IpAddr>> {
    let lines = headers.get_all(name).iter();
    let mut hops: Vec<_> = lines.flat_map(|line| read(&String::from_utf8_lossy(line.as_bytes()))).collect();
    hops.reverse();
    hops
}

/// A hop of `X-Forwarded-For`: an address, and a port behind it from some proxies.
fn x_forwarded_hop(text: &str) -> Option<IpAddr> {
    let text = text.trim_matches([' ', '\t']);
    let address = text.parse().ok().or_else(|| node(text));
    address.map(|address| address.to_canonical())
}

/// An address as a node of RFC 7239 §6: IPv6 in brackets, and behind it perhaps a port.
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

/// The hops of one `Forwarded` field. Where it is not well formed, nobody can tell where its hops begin: it is one hop that is
/// no address.
fn forwarded_hops(line: &str) -> Vec<Option<IpAddr>> {
    let mut reader = Reader(line);
    let mut hops = Vec::new();
    loop {
        let Some(hop) = reader.element() else { return vec![None] };
        hops.push(hop);
        if !reader.takes(',') {
            return if reader.0.is_empty() { hops } else { vec![None] };
        }
    }
}

/// What is left of a `Forwarded` field.
struct Reader<'a>(&'a str);

impl Reader<'_> {
    /// One element, as the address of its `for`; none when it is not well formed.
    fn element(&mut self) -> Option<Option<IpAddr>> {
        let mut hop = None;
        let mut named = 0;
        loop {
            self.skip_blanks();
            let name = self.token();
            if !name.is_empty() {
                let value = if self.takes('=') { self.value()? } else { return None };
                if name.eq_ignore_ascii_case("for") {
                    named += 1;
                    hop = node(&value);
                }
            }
            self.skip_blanks();
            if !self.takes(';') {
                return Some(hop.filter(|_| named == 1));
            }
        }
    }

    fn value(&mut self) -> Option<String> {
        if !self.takes('"') {
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

    /// A token (RFC 9110 §5.6.2), perhaps empty.
    fn token(&mut self) -> String {
        let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        let length = self.0.bytes().take_while(|byte| is_token(*byte)).count();
        let (token, rest) = self.0.split_at(length);
        self.0 = rest;
        token.to_owned()
    }

    fn takes(&mut self, letter: char) -> bool {
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
