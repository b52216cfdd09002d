//! Client addresses: tables of cases, and properties of arbitrary fields.

use axum::http::{HeaderName, HeaderValue};
use proptest::prelude::*;

use super::*;

const XFF: &str = X_FORWARDED_FOR;
const FWD: &str = FORWARDED;
/// `http.trusted_proxies` of the tests.
const TRUSTED: [&str; 3] = ["127.0.0.1", "10.0.0.0/8", "2001:db8:1::/48"];

/// A peer, the fields of its request, and the expected result.
type Row<T> = (&'static str, &'static [(&'static str, &'static str)], T);

fn client(peer: &str, fields: &[(&str, &str)]) -> RequestClient {
    let trusted: Vec<Network> = TRUSTED.iter().map(|text| text.parse().unwrap()).collect();
    let mut headers = HeaderMap::new();
    for (name, value) in fields {
        let name: HeaderName = name.parse().unwrap();
        headers.append(name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
    }
    of(peer.parse().unwrap(), &trusted, &headers)
}

fn address(peer: &str, fields: &[(&str, &str)]) -> String {
    client(peer, fields).address.to_string()
}

#[test]
fn the_rightmost_untrusted_hop_is_the_client() {
    let table: [Row<&str>; 18] = [
        ("192.0.2.9", &[], "192.0.2.9"),
        ("::ffff:192.0.2.9", &[], "192.0.2.9"),
        ("192.0.2.9", &[(XFF, "198.51.100.1")], "192.0.2.9"),
        ("192.0.2.9", &[(FWD, "for=198.51.100.1")], "192.0.2.9"),
        ("127.0.0.1", &[], "127.0.0.1"),
        ("127.0.0.1", &[(XFF, "198.51.100.1")], "198.51.100.1"),
        ("::ffff:127.0.0.1", &[(XFF, "::ffff:198.51.100.1")], "198.51.100.1"),
        ("127.0.0.1", &[(XFF, "203.0.113.5, 198.51.100.1")], "198.51.100.1"),
        ("127.0.0.1", &[(XFF, "203.0.113.5 ,\t198.51.100.1 , 10.1.2.3")], "198.51.100.1"),
        ("127.0.0.1", &[(XFF, "203.0.113.5"), (XFF, "198.51.100.1, 10.1.2.3")], "198.51.100.1"),
        ("127.0.0.1", &[(XFF, "10.0.0.7, 10.1.2.3")], "10.0.0.7"),
        ("127.0.0.1", &[(XFF, "2001:db8::5, 2001:db8:1::1")], "2001:db8::5"),
        ("127.0.0.1", &[(XFF, "198.51.100.1:4711")], "198.51.100.1"),
        ("127.0.0.1", &[(XFF, "[2001:db8::5]:4711")], "2001:db8::5"),
        ("127.0.0.1", &[(FWD, "for=203.0.113.5, for=198.51.100.1;proto=https, For=\"10.1.2.3\"")], "198.51.100.1"),
        ("127.0.0.1", &[(FWD, "for=203.0.113.5"), (FWD, "by=_x;FOR=\"[2001:db8::5]:80\"")], "2001:db8::5"),
        ("127.0.0.1", &[(FWD, "for=\"198.51.100.1:_port\";host=\"a,b;for=1.2.3.4\\\"\"")], "198.51.100.1"),
        ("127.0.0.1", &[(FWD, "for=\"198.51.100\\.1\" ; proto=http")], "198.51.100.1"),
    ];
    for (peer, fields, expected) in table {
        assert_eq!(address(peer, fields), expected, "{peer} {fields:?}");
    }
}

#[test]
fn a_hop_without_address_ends_the_search() {
    for hop in [
        "",
        "unknown",
        "_hidden",
        "localhost",
        "198.51.100",
        "198.51.100.1.",
        "198.51.100.01",
        "198.51.100.1:",
        "198.51.100.1:x",
        "198.51.100.1:99999",
        "198.51.100.1:+5",
        "[2001:db8::5",
        "[198.51.100.1]",
        "2001:db8::5%eth0",
        "[2001:db8::5]x",
        "\"198.51.100.1\"",
        "for=198.51.100.1",
        "198.51.100.1 198.51.100.2",
        "é",
    ] {
        let line = format!("203.0.113.5, {hop}, 10.1.2.3");
        assert_eq!(address("127.0.0.1", &[(XFF, &line)]), "10.1.2.3", "{hop}");
        assert_eq!(address("127.0.0.1", &[(XFF, "203.0.113.5"), (XFF, hop), (XFF, "10.1.2.3")]), "10.1.2.3", "{hop}");
    }
    for element in [
        "",
        "proto=https",
        "for=unknown",
        "for=_hidden",
        "for=\"_hidden:80\"",
        "for=\"2001:db8::5\"",
        "for=198.51.100.1;for=198.51.100.2",
    ] {
        let line = format!("for=203.0.113.5, {element}, for=10.1.2.3");
        assert_eq!(address("127.0.0.1", &[(FWD, &line)]), "10.1.2.3", "{element}");
    }
    // Malformed fields: a quote that a client left open must not hide what the proxy appended.
    for line in [
        "for=\"203.0.113.5, for=198.51.100.1",
        "for=203.0.113.5;a=\", for=\"[2001:db8::5]\"",
        "for=203.0.113.5;a=\", for=\"198.51.100.1\"",
        "for=[2001:db8::5]",
        "for=198.51.100.1:80",
        "for = 198.51.100.1",
        "for=",
        "for",
        "for=\"198.51.100.1\\",
        "198.51.100.1",
    ] {
        assert_eq!(address("127.0.0.1", &[(FWD, line)]), "127.0.0.1", "{line}");
        assert_eq!(address("127.0.0.1", &[(FWD, line), (FWD, "for=10.1.2.3")]), "10.1.2.3", "{line}");
    }
    let many = vec!["10.1.2.3"; HOPS_MAX].join(", ");
    assert_eq!(address("127.0.0.1", &[(XFF, &format!("10.9.9.9, {many}"))]), "10.1.2.3", "further hops are not read");
}

#[test]
fn with_both_fields_only_hops_that_agree_count() {
    let table = [
        ("198.51.100.1", "for=198.51.100.1", "198.51.100.1"),
        ("203.0.113.5, 198.51.100.1", "for=198.51.100.1", "198.51.100.1"),
        ("198.51.100.1, 10.1.2.3", "for=\"198.51.100.1:80\", for=10.1.2.3", "198.51.100.1"),
        ("198.51.100.1", "for=203.0.113.5", "127.0.0.1"),
        ("198.51.100.1, 10.1.2.3", "for=203.0.113.5, for=10.1.2.3", "10.1.2.3"),
        ("198.51.100.1, 10.1.2.3", "for=10.1.2.3", "10.1.2.3"),
        ("198.51.100.1", "for=unknown", "127.0.0.1"),
        ("198.51.100.1", "", "127.0.0.1"),
    ];
    for (x_forwarded_for, forwarded, expected) in table {
        let found = address("127.0.0.1", &[(XFF, x_forwarded_for), (FWD, forwarded)]);
        assert_eq!(found, expected, "{x_forwarded_for} | {forwarded}");
    }
}

#[test]
fn only_known_clients_count_as_local() {
    let table: [Row<bool>; 17] = [
        ("127.0.0.1", &[], true),
        ("127.0.0.2", &[], true),
        ("::1", &[], true),
        ("::ffff:127.0.0.1", &[], true),
        ("192.0.2.9", &[], false),
        ("192.0.2.9", &[(XFF, "127.0.0.1")], false),
        ("10.1.2.3", &[(XFF, "127.0.0.1")], false),
        ("127.0.0.2", &[(XFF, "127.0.0.1")], false),
        ("127.0.0.2", &[("via", "1.1 x")], false),
        ("127.0.0.2", &[("x-real-ip", "127.0.0.1")], false),
        ("127.0.0.1", &[(XFF, "127.0.0.1")], true),
        ("127.0.0.1", &[(XFF, "127.0.0.1"), ("via", "1.1 x")], true),
        ("127.0.0.1", &[("x-real-ip", "127.0.0.1")], false),
        ("127.0.0.1", &[(XFF, "198.51.100.1")], false),
        ("127.0.0.1", &[(XFF, "unknown")], false),
        ("127.0.0.1", &[(XFF, "")], false),
        ("127.0.0.1", &[(XFF, "127.0.0.1"), (FWD, "for=198.51.100.1")], false),
    ];
    for (peer, fields, expected) in table {
        assert_eq!(client(peer, fields).on_loopback, expected, "{peer} {fields:?}");
    }
}

/// Text that a client may have sent.
fn sent() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("for=".to_owned()),
        Just("127.0.0.1".to_owned()),
        Just("10.1.2.3".to_owned()),
        Just(", ".to_owned()),
        Just(";".to_owned()),
        Just("\"".to_owned()),
        Just("[2001:db8:1::1]".to_owned()),
        "[ -~]{0,6}",
    ];
    proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn text_from_a_client_cannot_name_another_client(sent in sent(), quoted in any::<bool>()) {
        // The proxy adds the true client, in the same field or in a separate one.
        let x_forwarded_for = format!("{sent}, 198.51.100.1");
        prop_assert_eq!(address("127.0.0.1", &[(XFF, &x_forwarded_for)]), "198.51.100.1");
        prop_assert_eq!(address("127.0.0.1", &[(XFF, &sent), (XFF, "198.51.100.1")]), "198.51.100.1");
        let own = if quoted { "for=\"198.51.100.1\"" } else { "for=198.51.100.1" };
        prop_assert_eq!(address("127.0.0.1", &[(FWD, &sent), (FWD, own)]), "198.51.100.1");
        let appended = client("127.0.0.1", &[(FWD, &format!("{sent}, {own}"))]);
        prop_assert!(["198.51.100.1", "127.0.0.1"].contains(&appended.address.to_string().as_str()), "{:?}", appended);
        prop_assert!(!appended.on_loopback);
        let both = client("127.0.0.1", &[(XFF, "198.51.100.1"), (FWD, &sent)]);
        prop_assert!(["198.51.100.1", "127.0.0.1"].contains(&both.address.to_string().as_str()), "{:?}", both);
        prop_assert!(!both.on_loopback);
    }

    #[test]
    fn an_untrusted_peer_is_the_client(sent in sent(), more in sent()) {
        prop_assert_eq!(address("192.0.2.9", &[(XFF, &sent), (FWD, &more)]), "192.0.2.9");
    }
}
