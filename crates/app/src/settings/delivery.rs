//! Settings of outgoing mail: `delivery.*` and `dkim.*`.

use std::net::IpAddr;

use posthouse_domain::IpPreference;

/// `delivery.*`
#[derive(Clone, Debug)]
pub struct DeliveryConfig {
    /// `delivery.mode`, with its settings.
    pub mode: DeliveryMode,
    /// `delivery.port`
    pub port: u16,
    /// `delivery.retry_schedule`, in milliseconds: the delay before each retry.
    pub retry_schedule_ms: Vec<i64>,
    /// `delivery.allow_private_networks`
    pub allow_private_networks: bool,
    /// `delivery.max_connections`, to all destinations together.
    pub connections_max: usize,
    /// `delivery.max_connections_per_destination`; `None` means 10, 20 to a relay, and the table's value for providers.
    pub connections_per_destination_max: Option<usize>,
    /// `delivery.sign`: sign outgoing mail with DKIM.
    pub sign: bool,
    /// `delivery.greylist_schedule`, in milliseconds: the delays while a server greylists.
    pub greylist_schedule_ms: Vec<i64>,
    /// `delivery.ip_preference`
    pub ip_choice: IpPreference,
    /// `delivery.source_addresses`; empty means that the system chooses.
    pub sources: Vec<SourceAddress>,
    /// `delivery.helo_name`; `None` means `smtp.hostname`.
    pub helo_name: Option<String>,
}

/// A source address of outgoing mail.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceAddress {
    /// The address; this machine must have it.
    pub address: IpAddr,
    /// The EHLO name for this address, if it has one.
    pub helo: Option<String>,
}

/// `delivery.mode`
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DeliveryMode {
    /// Deliver to the mail exchangers of each destination.
    Direct,
    /// Deliver to one relay.
    Relay(Relay),
    /// Keep mail to other domains on this machine.
    Capture,
}

/// `delivery.relay_url`
#[derive(Clone, PartialEq, Eq)]
pub struct Relay {
    /// Host name or address.
    pub host: String,
    pub port: u16,
    /// User and password for AUTH.
    pub credentials: Option<(String, String)>,
    /// `smtps://`: TLS from the first byte.
    pub implicit_tls: bool,
}

impl std::fmt::Debug for Relay {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Relay({}:{})", self.host, self.port)
    }
}

/// `dkim.*`
#[derive(Clone, Copy, Debug)]
pub struct DkimConfig {
    /// `dkim.ed25519`: which mail is signed with Ed25519 beside RSA.
    pub ed25519: Ed25519,
}

/// `dkim.ed25519`
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ed25519 {
    /// Sign with RSA only.
    Off,
    /// Sign mail of the default domain.
    DefaultDomain,
    /// Also sign mail of custom domains, each with one more DNS record.
    All,
}
