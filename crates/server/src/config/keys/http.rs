//! Keys of `http` and `acme`.

use std::{net::SocketAddr, path::PathBuf};

use posthouse_app::settings::{SecretText, network::Network};

use crate::config::{
    key::{ConfigKey, DefaultValue, Key, keys, list, value},
    types::{
        AcmeDirectory, ContactAddress, Domain, FilePath, Flag, HostName, IpNetwork, Secret, SocketAddress, Text,
        ValueType, WebOrigin, list_of,
    },
};

keys! {
    LISTEN: SocketAddr = "http.listen" => {
        kind: SocketAddress,
        default: value("127.0.0.1:8080"),
        example: "0.0.0.0:80",
        flag: "--http-listen",
        help: "Address and port of the API.",
    }
    LISTEN_TLS: Vec<SocketAddr> = "http.listen_tls" => {
        kind: list_of(SocketAddress),
        default: value(list([])),
        example: list(["0.0.0.0:443", "[::]:443"]),
        help: "Addresses and ports of the API over HTTPS. They use the certificate of `smtp.tls_cert` or `smtp.acme`.",
    }
    REDIRECT_TO_HTTPS: bool = "http.redirect_to_https" => {
        kind: Flag,
        default: value(false),
        example: true,
        help: "Redirects requests at `http.listen` to `base_url`, which must be https. Health, metrics and ACME \
            challenges are still served.",
    }
    ALLOWED_HOSTS: Vec<String> = "http.allowed_hosts" => {
        kind: list_of(HostName),
        default: value(list([])),
        example: list(["posthouse.internal"]),
        help: "More host names of the service. The host of `base_url`, `localhost` and its subdomains, and IP \
            addresses are always allowed. A request for any other host gets 421.",
    }
    ALLOWED_ORIGINS: Vec<String> = "http.allowed_origins" => {
        kind: list_of(WebOrigin),
        default: value(list([])),
        example: list(["https://inspector.example.com"]),
        help: "Origins whose pages may use `/mcp`. The origin of `base_url` and pages on this machine always may. \
            Programs send no `Origin` and aren't affected.",
    }
    TRUSTED_PROXIES: Vec<Network> = "http.trusted_proxies" => {
        kind: list_of(IpNetwork),
        default: value(list([])),
        example: list(["10.0.0.0/8"]),
        help: "Networks of proxies whose `Forwarded` and `X-Forwarded-For` fields are trusted. A client's address is \
            the rightmost one outside these networks.",
    }
    #[secret]
    METRICS_TOKEN: SecretText = "http.metrics_token" => {
        kind: Secret,
        default: DefaultValue::Text("none"),
        example: "a-long-random-text",
        help: "Bearer token that may read `/metrics`. Without it, `/metrics` is available only if `http.listen`, \
            `base_url` and the client are on loopback.",
    }
    ACME_DIRECTORY: String = "acme.directory" => {
        kind: AcmeDirectory,
        default: value("letsencrypt"),
        example: "letsencrypt-staging",
        help: "The certificate authority: one of Let's Encrypt, or the URL of another authority's directory.",
    }
    ACME_NAMES: Vec<String> = "acme.names" => {
        kind: list_of(Domain),
        default: DefaultValue::Text("`smtp.hostname`, and with `http.listen_tls` the host of `base_url`"),
        example: list(["mx.example.com", "mail.example.com"]),
        help: "Names of the certificate, at most 100. Each must resolve to this service, reachable on port 80.",
    }
    ACME_EMAIL: String = "acme.email" => {
        kind: ContactAddress,
        default: DefaultValue::Text("none"),
        example: "ops@example.com",
        help: "Contact address for notices from the authority.",
    }
    ACME_LISTEN: Vec<SocketAddr> = "acme.listen" => {
        kind: list_of(SocketAddress),
        default: value(list([])),
        example: list(["0.0.0.0:80", "[::]:80"]),
        help: "Addresses that serve only ACME challenges. Use it if `http.listen` isn't reachable on port 80.",
    }
    ACME_ROOT: PathBuf = "acme.root" => {
        kind: FilePath,
        default: DefaultValue::Text("the system's trusted CAs"),
        example: "/etc/posthouse/ca.pem",
        help: "PEM file of the CAs that sign the directory's own certificate, for a private authority.",
    }
    ACME_EAB_KEY_ID: String = "acme.eab_key_id" => {
        kind: Text,
        default: DefaultValue::Text("none"),
        example: "account-1",
        help: "Key id for external account binding; requires `acme.eab_key`.",
    }
    #[secret]
    ACME_EAB_KEY: SecretText = "acme.eab_key" => {
        kind: Secret,
        default: DefaultValue::Text("none"),
        example: "c2VjcmV0LW9mLXRoZS1hY2NvdW50",
        help: "Key for external account binding, in base64url; requires `acme.eab_key_id`.",
    }
}
