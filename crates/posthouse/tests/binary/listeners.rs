//! The loopback profile depends on the addresses of all listeners, wherever they are set.

use posthouse_app::settings::problem::ConfigError;
use posthouse_server::config::{Configuration, Listeners, Sources, load};

/// The variables of all listeners.
const LISTENERS: [&str; 6] = [
    "POSTHOUSE__HTTP__LISTEN",
    "POSTHOUSE__HTTP__LISTEN_TLS",
    "POSTHOUSE__ACME__LISTEN",
    "POSTHOUSE__SMTP__LISTEN",
    "POSTHOUSE__SUBMISSION__LISTEN",
    "POSTHOUSE__SUBMISSION__LISTEN_TLS",
];
/// Addresses that only this machine reaches.
const LOOPBACK: [&str; 4] = ["127.0.0.1:8090", "127.8.9.1:0", "[::1]:8090", "[::ffff:127.0.0.1]:8090"];
/// Addresses that other machines may reach.
const PUBLIC: [&str; 5] = ["0.0.0.0:8090", "[::]:8090", "192.0.2.1:25", "[2001:db8::1]:25", "[::ffff:192.0.2.1]:25"];

fn with_variables(variables: &[(&str, &str)]) -> Result<Configuration, ConfigError> {
    let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    load(&Sources { variables, ..Sources::default() })
}

/// Returns what a configuration with each flag and this address is.
fn with_flags(address: &str) -> [Result<Configuration, ConfigError>; 3] {
    let address = address.parse().unwrap();
    let flags = [
        Listeners { http: Some(address), ..Listeners::default() },
        Listeners { smtp: vec![address], ..Listeners::default() },
        Listeners { submission: vec![address], ..Listeners::default() },
    ];
    flags.map(|listeners| load(&Sources { listeners, ..Sources::default() }))
}

fn assert_loopback(loaded: Result<Configuration, ConfigError>, what: &str) {
    let config = loaded.unwrap_or_else(|error| panic!("{what}: {error}"));
    assert!(config.is_loopback_profile(), "{what}");
    assert!(config.delivery.allow_private_networks && config.webhooks.allow_http, "{what}");
}

fn assert_needs_mode(loaded: Result<Configuration, ConfigError>, what: &str) {
    let ConfigError(problems) = loaded.expect_err(what);
    assert_eq!(problems.iter().map(|problem| problem.key.as_str()).collect::<Vec<_>>(), ["delivery.mode"], "{what}");
}

#[test]
fn one_listener_at_another_loopback_address_keeps_the_loopback_profile() {
    assert_loopback(with_variables(&[]), "the defaults");
    for address in LOOPBACK {
        for variable in LISTENERS {
            assert_loopback(with_variables(&[(variable, address)]), &format!("{variable}={address}"));
        }
        for loaded in with_flags(address) {
            assert_loopback(loaded, address);
        }
    }
}

#[test]
fn one_listener_at_a_public_address_ends_the_loopback_profile() {
    for address in PUBLIC {
        for variable in LISTENERS {
            let what = format!("{variable}={address}");
            assert_needs_mode(with_variables(&[(variable, address)]), &what);
            let captured = with_variables(&[(variable, address), ("POSTHOUSE__DELIVERY__MODE", "capture")]);
            assert!(!captured.unwrap().is_loopback_profile(), "{what}");
        }
        for loaded in with_flags(address) {
            assert_needs_mode(loaded, address);
        }
    }
}
