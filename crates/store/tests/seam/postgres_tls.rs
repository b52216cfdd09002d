//! TLS to PostgreSQL, against a server with a self-signed certificate and one without TLS.

use crate::support::*;
use crate::{ports::ReservedPort, postgres::Cluster};
use posthouse_store::{Error, Sql, Store, p};
use std::net::SocketAddr;

/// Returns whether the connection is encrypted; fails if there is no connection.
fn is_encrypted(url: &str) -> Result<bool, Error> {
    let query = Sql::from_fragments(
        "IS_ENCRYPTED",
        "SELECT CAST(ssl AS TEXT) FROM pg_stat_ssl WHERE pid = pg_backend_pid()".to_owned(),
    );
    let store = Store::open(config(url.parse()?))?;
    let row = store.read_blocking(move |tx| tx.one::<(String,)>(&query, p![]))?;
    store.close();
    Ok(row == Some(("true".to_owned(),)))
}

fn url(host: &str, address: SocketAddr, query: &str) -> String {
    format!("postgres://postgres@{host}:{}/postgres?hostaddr=127.0.0.1{query}", address.port())
}

#[test]
fn every_sslmode_works_as_documented() {
    let dir = Dir::new();
    let certificate = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    std::fs::write(dir.path().join("server.crt"), certificate.cert.pem()).unwrap();
    std::fs::write(dir.path().join("server.key"), certificate.signing_key.serialize_pem()).unwrap();
    let port = ReservedPort::new();
    let (_cluster, address) = (Cluster::start_on_port(&port, Some(dir.path())), port.address());
    let roots = format!("&sslrootcert={}", dir.path().join("server.crt").display());

    for (query, encrypted) in
        [("", true), ("&sslmode=disable", false), ("&sslmode=prefer", true), ("&sslmode=require", true)]
    {
        assert_eq!(is_encrypted(&url("localhost", address, query)).unwrap(), encrypted, "{query}");
    }
    let verified = format!("&sslmode=verify-full{roots}");
    assert!(is_encrypted(&url("localhost", address, &verified)).unwrap());

    let untrusted = is_encrypted(&url("localhost", address, "&sslmode=verify-full")).unwrap_err();
    assert!(matches!(&untrusted, Error::Unavailable(text) if text.contains("ertificate")), "{untrusted:?}");
    let other_host = is_encrypted(&url("db.example", address, &verified)).unwrap_err();
    assert!(matches!(&other_host, Error::Unavailable(text) if text.contains("not valid for name")), "{other_host:?}");
    let no_file = is_encrypted(&url("localhost", address, "&sslmode=verify-full&sslrootcert=/no/such.pem"));
    assert!(matches!(no_file, Err(Error::Schema(text)) if text.contains("/no/such.pem")));
}

#[test]
fn without_server_tls_prefer_is_unencrypted_and_require_fails() {
    let port = ReservedPort::new();
    let (_cluster, address) = (Cluster::start_on_port(&port, None), port.address());
    for query in ["", "&sslmode=disable", "&sslmode=prefer"] {
        assert!(!is_encrypted(&url("localhost", address, query)).unwrap(), "{query}");
    }
    for query in ["&sslmode=require", "&sslmode=verify-full"] {
        let refused = is_encrypted(&url("localhost", address, query)).unwrap_err();
        assert!(matches!(&refused, Error::Unavailable(text) if text.contains("TLS")), "{query}: {refused:?}");
    }
}
