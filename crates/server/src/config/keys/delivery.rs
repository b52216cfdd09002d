//! Keys of `delivery` and `dkim`.

use posthouse_app::settings::{Ed25519, Relay, SourceAddress};
use posthouse_domain::delivery::IpPreference;

use crate::config::{
    key::{ConfigKey, DefaultValue, Key, keys, list, value},
    types::{Count, Domain, DurationMs, Flag, List, LocalAddress, OneOf, Port, RelayUrl, ValueType, list_of},
};

/// The range of limits on connections.
const CONNECTIONS: Count = Count { min: 1, max: 1_000_000 };

/// A list of durations with at least one item.
const SCHEDULE: List<DurationMs> = List { of: DurationMs, items_min: 1 };

/// The values of `delivery.mode`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::config) enum DeliveryModeName {
    /// `direct`
    Direct,
    /// `relay`
    Relay,
    /// `capture`
    Capture,
}

keys! {
    MODE: DeliveryModeName = "delivery.mode" => {
        kind: OneOf(&[
            ("direct", DeliveryModeName::Direct), ("relay", DeliveryModeName::Relay),
            ("capture", DeliveryModeName::Capture),
        ]),
        default: DefaultValue::Text("`capture` if every listener is on loopback; otherwise required"),
        example: "direct",
        help: "`direct` delivers to mail exchangers, `relay` through `delivery.relay_url`; with `capture` nothing \
            leaves this machine.",
    }
    #[secret]
    RELAY_URL: Relay = "delivery.relay_url" => {
        kind: RelayUrl,
        default: DefaultValue::Text("none; required with `delivery.mode = \"relay\"`"),
        example: "smtp://user:password@relay.example.com:587",
        help: "The relay for outgoing mail.",
    }
    SIGN: bool = "delivery.sign" => {
        kind: Flag,
        default: value(true),
        example: false,
        help: "Signs outgoing mail with DKIM. Set it to `false` if the relay signs.",
    }
    PORT: u16 = "delivery.port" => {
        kind: Port,
        default: value(25),
        example: 2525,
        help: "Port of remote mail exchangers.",
    }
    RETRY_SCHEDULE: Vec<i64> = "delivery.retry_schedule" => {
        kind: SCHEDULE,
        default: value(list([
            "1m", "4m", "10m", "15m", "30m", "1h", "2h", "4h", "8h", "12h", "12h", "12h", "12h", "12h", "12h", "12h",
            "12h",
        ])),
        example: list(["1m", "15m", "4h"]),
        help: "Wait before each attempt after the first. A message that is still not delivered after the last attempt \
            bounces.",
    }
    ALLOW_PRIVATE_NETWORKS: bool = "delivery.allow_private_networks" => {
        kind: Flag,
        default: DefaultValue::Text("`false`; `true` in the loopback profile"),
        example: true,
        help: "Allows delivery of mail to loopback, private, link-local and other special addresses.",
    }
    MAX_CONNECTIONS: usize = "delivery.max_connections" => {
        kind: CONNECTIONS,
        default: value(500),
        example: 100,
        help: "Maximum connections to all destinations together.",
    }
    MAX_CONNECTIONS_PER_DESTINATION: usize = "delivery.max_connections_per_destination" => {
        kind: CONNECTIONS,
        default: DefaultValue::Text("`10`, other values for large providers, `20` to a relay"),
        example: 4,
        help: "Maximum connections to one destination. If set, it applies to large providers too.",
    }
    GREYLIST_SCHEDULE: Vec<i64> = "delivery.greylist_schedule" => {
        kind: SCHEDULE,
        default: value(list(["1m", "2m", "3m", "5m", "10m", "15m"])),
        example: list(["1m", "5m"]),
        help: "Waits between attempts while a server greylists, each at most as long as in `delivery.retry_schedule`. \
            Then `delivery.retry_schedule` applies.",
    }
    IP_PREFERENCE: IpPreference = "delivery.ip_preference" => {
        kind: OneOf(&[
            ("ipv4", IpPreference::PreferV4), ("ipv6", IpPreference::PreferV6),
            ("ipv4_only", IpPreference::OnlyV4), ("ipv6_only", IpPreference::OnlyV6),
        ]),
        default: value("ipv4"),
        example: "ipv6",
        help: "The IP version of connections to other servers. `ipv4` and `ipv6` are tried first, then the other \
            version; `ipv4_only` and `ipv6_only` never use the other version.",
    }
    SOURCE_ADDRESSES: Vec<SourceAddress> = "delivery.source_addresses" => {
        kind: list_of(LocalAddress),
        default: value(list([])),
        example: list(["192.0.2.7", "192.0.2.8 out8.example.com"]),
        help: "Source addresses of outgoing mail. An empty list means that the system chooses; otherwise an IP version \
            without a source address isn't used.",
    }
    HELO_NAME: String = "delivery.helo_name" => {
        kind: Domain,
        default: DefaultValue::Text("`smtp.hostname`"),
        example: "out.example.com",
        help: "EHLO name for outgoing mail. It should match the PTR record of the source address.",
    }
    DKIM_ED25519: Ed25519 = "dkim.ed25519" => {
        kind: OneOf(&[
            ("default_domain", Ed25519::DefaultDomain), ("all", Ed25519::All), ("off", Ed25519::Off),
        ]),
        default: value("default_domain"),
        example: "off",
        help: "Mail that is signed with Ed25519 as well as RSA: mail of the default domain, all mail, or none. \
            `all` includes custom domains and needs one more record for each.",
    }
}
