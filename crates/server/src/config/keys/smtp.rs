//! Keys of `smtp` and `submission`.

use std::{net::SocketAddr, path::PathBuf};

use posthouse_app::settings::network::Network;
use posthouse_domain::plan::Limit;
use posthouse_mail::limits::MESSAGE_BYTES_MAX_DEFAULT;

use crate::config::{
    key::{ConfigKey, DefaultValue, Key, keys, list, number, value},
    types::{Count, Domain, DurationMs, FilePath, Flag, IpNetwork, Quota, Size, SocketAddress, ValueType, list_of},
};

/// Largest message that can be configured, in bytes.
const MESSAGE_BYTES_MAX: u64 = 1 << 30;

/// The range of limits on connections.
const CONNECTIONS: Count = Count { min: 1, max: 1_000_000 };

keys! {
    LISTEN: Vec<SocketAddr> = "smtp.listen" => {
        kind: list_of(SocketAddress),
        default: value(list(["127.0.0.1:2525"])),
        example: list(["0.0.0.0:25", "[::]:25"]),
        flag: "--smtp-listen",
        help: "Addresses and ports of the mail exchanger.",
    }
    HOSTNAME: String = "smtp.hostname" => {
        kind: Domain,
        default: DefaultValue::Text("the host of `base_url`, or `localhost`"),
        example: "mx.example.com",
        help: "Name of this server in greetings, trace lines and authentication results.",
    }
    MAX_MESSAGE_BYTES: u64 = "smtp.max_message_bytes" => {
        kind: Size { bytes_min: 1_024, bytes_max: MESSAGE_BYTES_MAX },
        default: number(MESSAGE_BYTES_MAX_DEFAULT),
        example: "50MiB",
        help: "Maximum size of a message, received or sent.",
    }
    TLS_CERT: PathBuf = "smtp.tls_cert" => {
        kind: FilePath,
        default: DefaultValue::Text("a self-signed certificate in `data_dir`"),
        example: "/etc/posthouse/chain.pem",
        help: "Certificate chain of all listeners, in PEM; requires `smtp.tls_key`.",
    }
    TLS_KEY: PathBuf = "smtp.tls_key" => {
        kind: FilePath,
        default: DefaultValue::Text("the key of the self-signed certificate"),
        example: "/etc/posthouse/key.pem",
        help: "Private key in PEM; requires `smtp.tls_cert`.",
    }
    ACME: bool = "smtp.acme" => {
        kind: Flag,
        default: value(false),
        example: true,
        help: "Requests and renews the certificate with ACME. By enabling it you agree to the terms of the \
            certificate authority.",
    }
    PROXY_PROTOCOL_FROM: Vec<Network> = "smtp.proxy_protocol_from" => {
        kind: list_of(IpNetwork),
        default: value(list([])),
        example: list(["192.0.2.1"]),
        help: "Networks whose connections begin with a PROXY protocol header (v1 or v2).",
    }
    MAX_CONNECTIONS: usize = "smtp.max_connections" => {
        kind: CONNECTIONS,
        default: value(1_000),
        example: 2_000,
        help: "Maximum connections of all SMTP clients together. Above it, the client with the most connections loses \
            the one that was idle the longest to a client with fewer.",
    }
    MAX_CONNECTIONS_PER_CLIENT: usize = "smtp.max_connections_per_client" => {
        kind: CONNECTIONS,
        default: value(200),
        example: 20,
        help: "Maximum connections of one SMTP client.",
    }
    FIRST_COMMAND_TIMEOUT: i64 = "smtp.first_command_timeout" => {
        kind: DurationMs,
        default: value("30s"),
        example: "10s",
        help: "An SMTP client that hasn't sent `EHLO` or `HELO` after this time gets 421.",
    }
    IDLE_TIMEOUT: i64 = "smtp.idle_timeout" => {
        kind: DurationMs,
        default: value("5m"),
        example: "10m",
        help: "An SMTP client that is idle for this long gets 421.",
    }
    REJECT_DMARC_FAIL: bool = "smtp.reject_dmarc_fail" => {
        kind: Flag,
        default: value(false),
        example: true,
        help: "Refuses mail that fails DMARC during the SMTP session if the domain's policy is `p=reject`.",
    }
    DNSBL: Vec<String> = "smtp.dnsbl" => {
        kind: list_of(Domain),
        default: value(list([])),
        example: list(["zen.spamhaus.org"]),
        help: "DNS blocklists. Mail from listed clients is refused at `RCPT TO`.",
    }
    DNSBL_TIMEOUT: i64 = "smtp.dnsbl_timeout" => {
        kind: DurationMs,
        default: value("2s"),
        example: "500ms",
        help: "Time limit for all blocklists together. A list that hasn't answered by then is ignored.",
    }
    GREYLISTING: bool = "smtp.greylisting" => {
        kind: Flag,
        default: value(false),
        example: true,
        help: "Asks unknown clients to retry later (RFC 6647).",
    }
    GREYLISTING_DELAY: i64 = "smtp.greylisting_delay" => {
        kind: DurationMs,
        default: value("1m"),
        example: "5m",
        help: "How long an unknown client must wait before its retry is accepted.",
    }
    MAX_CONNECTIONS_PER_CLIENT_PER_MINUTE: Limit = "smtp.max_connections_per_client_per_minute" => {
        kind: Quota,
        default: value("unlimited"),
        example: 30,
        help: "Maximum new connections of one SMTP client per minute.",
    }
    MAX_MESSAGES_PER_CLIENT_PER_MINUTE: Limit = "smtp.max_messages_per_client_per_minute" => {
        kind: Quota,
        default: value("unlimited"),
        example: 60,
        help: "Maximum messages that one SMTP client starts per minute.",
    }
    MAX_RECIPIENTS_PER_CLIENT_PER_MINUTE: Limit = "smtp.max_recipients_per_client_per_minute" => {
        kind: Quota,
        default: value("unlimited"),
        example: 100,
        help: "Maximum recipients that one SMTP client names per minute.",
    }
    TRUSTED_CLIENTS: Vec<Network> = "smtp.trusted_clients" => {
        kind: list_of(IpNetwork),
        default: value(list([])),
        example: list(["192.0.2.0/24"]),
        help: "Networks that are exempt from blocklists, greylisting and per-minute limits. Loopback is always exempt.",
    }
    SUBMISSION_LISTEN: Vec<SocketAddr> = "submission.listen" => {
        kind: list_of(SocketAddress),
        default: value(list(["127.0.0.1:2587"])),
        example: list(["0.0.0.0:587", "[::]:587"]),
        flag: "--submission-listen",
        help: "Addresses and ports for submission with STARTTLS and AUTH.",
    }
    SUBMISSION_LISTEN_TLS: Vec<SocketAddr> = "submission.listen_tls" => {
        kind: list_of(SocketAddress),
        default: value(list([])),
        example: list(["0.0.0.0:465", "[::]:465"]),
        help: "Addresses and ports for submission with implicit TLS.",
    }
    SUBMISSION_PROXY_PROTOCOL_FROM: Vec<Network> = "submission.proxy_protocol_from" => {
        kind: list_of(IpNetwork),
        default: value(list([])),
        example: list(["192.0.2.1"]),
        help: "Networks whose submission connections begin with a PROXY protocol header (v1 or v2).",
    }
}
