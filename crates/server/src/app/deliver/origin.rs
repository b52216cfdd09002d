//! From where mail leaves: our address, and the name we say with it (`delivery.source_addresses`, `delivery.helo_name`).
//!
//! Mail for one destination always leaves from the same address, so that who greylists knows us again.

use std::net::IpAddr;

use posthouse_domain::delivery::IpChoice;

use crate::{app::App, config::Delivery};

/// The addresses for one destination.
pub(super) struct Origin<'a> {
    delivery: &'a Delivery,
    /// The name where an address has none of its own.
    helo: &'a str,
    /// Which of several addresses it is.
    turn: usize,
}

impl<'a> Origin<'a> {
    pub(super) fn of(app: &'a App, destination: &str) -> Self {
        let delivery = &app.config.delivery;
        let helo = delivery.helo_name.as_deref().unwrap_or(&app.config.smtp.hostname);
        let sum = destination.bytes().fold(0_u32, |sum, byte| sum.wrapping_mul(31).wrapping_add(u32::from(byte)));
        Self { delivery, helo, turn: usize::try_from(sum).unwrap_or(0) }
    }

    /// Which addresses of a server will do.
    pub(super) fn choice(&self) -> IpChoice {
        let sources = &self.delivery.sources;
        let has = |v4: bool| sources.iter().any(|source| source.address.is_ipv4() == v4);
        self.delivery.ip_choice.of_ours(has(true), has(false))
    }

    /// The address to connect from, if it is not the system's to pick, and the name for EHLO.
    pub(super) fn for_peer(&self, peer: IpAddr) -> (Option<IpAddr>, String) {
        let fitting = || self.delivery.sources.iter().filter(|source| source.address.is_ipv4() == peer.is_ipv4());
        let count = fitting().count();
        let source = if count == 0 { None } else { fitting().nth(self.turn % count) };
        let name = source.and_then(|source| source.helo.as_deref()).unwrap_or(self.helo);
        (source.map(|source| source.address), name.to_owned())
    }
}
