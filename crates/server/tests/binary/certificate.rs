//! The certificate of a running service: files that are replaced under it, and SIGHUP.

use std::{net::TcpStream, sync::Arc};

use posthouse_store::tls::{Trust, client_config};
use rcgen::{CertificateParams, KeyPair, date_time_ymd};
use rustls::{ClientConnection, pki_types::ServerName};

use crate::house::House;

/// Handshakes until the new certificate must be there: the service reads it while they go on.
const LOOKS_MAX: usize = 2_000;

/// A self-signed certificate and its key, in PEM, and the certificate as it is shown.
fn certificate() -> (String, String, Vec<u8>) {
    let made = rcgen::generate_simple_self_signed(vec!["mx.example.com".to_owned()]).unwrap();
    (made.cert.pem(), made.signing_key.serialize_pem(), made.cert.der().to_vec())
}

/// The certificate that the API shows.
fn shown(address: std::net::SocketAddr) -> Vec<u8> {
    let config = client_config(&Trust::Anybody).unwrap();
    let name = ServerName::try_from("mx.example.com").unwrap();
    let mut session = ClientConnection::new(Arc::clone(&config), name).unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    while session.is_handshaking() {
        session.complete_io(&mut stream).unwrap();
    }
    session.peer_certificates().unwrap()[0].as_ref().to_vec()
}

#[test]
fn a_hangup_has_the_files_read_again_and_ends_nothing() {
    let house = House::new("certificate");
    let put = |(chain, key, _): &(String, String, Vec<u8>)| {
        std::fs::write(house.path("chain.pem"), chain).unwrap();
        std::fs::write(house.path("key.pem"), key).unwrap();
    };
    let (old, new) = (certificate(), certificate());
    put(&old);
    let config = house.configure(&format!(
        "delivery.mode = 'capture'\nhttp.listen_tls = ['127.0.0.1:0']\nsmtp.tls_cert = '{}'\nsmtp.tls_key = '{}'\n",
        house.path("chain.pem").display(),
        house.path("key.pem").display()
    ));
    let mut service = house.serve(&config, &[]);
    let address = service.address("https");
    assert_eq!(shown(address), old.2);
    put(&new);
    service.signal(rustix::process::Signal::HUP);
    service.read_log_until("tls.look_asked_for");
    let seen = (0..LOOKS_MAX).any(|_| shown(address) == new.2);
    assert!(seen, "the new certificate is never shown");
    let (head, _) = service.get("/readyz", "");
    assert!(head.starts_with("http/1.1 200"), "{head}");
    let ran = service.stop();
    assert_eq!(ran.code, 0, "{}", ran.err);
}

#[test]
fn files_that_cannot_be_used_end_the_start_and_are_named() {
    let house = House::new("no-certificate");
    let (one, other) = (certificate(), certificate());
    std::fs::write(house.path("chain.pem"), &one.0).unwrap();
    std::fs::write(house.path("key.pem"), &other.1).unwrap();
    let config = house.configure(&format!(
        "delivery.mode = 'capture'\nsmtp.tls_cert = '{}'\nsmtp.tls_key = '{}'\n",
        house.path("chain.pem").display(),
        house.path("key.pem").display()
    ));
    let arguments = ["serve", "--config", config.to_str().unwrap()];
    let ran = house.run(&arguments);
    assert_eq!(ran.code, 2, "{}", ran.err);
    assert!(ran.err.contains("config: smtp.tls_cert = ") && ran.err.contains("chain.pem"), "{}", ran.err);
    let no_key = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n";
    for content in [Some(""), Some("garbage"), Some(one.0.as_str()), Some(no_key), None] {
        match content {
            Some(text) => std::fs::write(house.path("key.pem"), text).unwrap(),
            None => std::fs::remove_file(house.path("key.pem")).unwrap(),
        }
        let ran = house.run(&arguments);
        assert_eq!(ran.code, 2, "{content:?}: {}", ran.err);
        assert!(ran.err.contains("config: smtp.tls_key = ") && ran.err.contains("key.pem"), "{content:?}: {}", ran.err);
    }

    let ran = house.run(&arguments);
    // The API key is shown by the first start that comes up, and by no other.
    assert!(!ran.out.contains("ph_"), "{}", ran.out);
    std::fs::write(house.path("key.pem"), &one.1).unwrap();
    let service = house.serve(&config, &[]);
    assert!(service.ready["first_run"]["api_key"].is_string(), "{}", service.ready);
    assert_eq!(service.stop().code, 0);
}

/// The configuration with a certificate for those years, from their first day on.
fn configured(house: &House, name: &str, (from, to): (i32, i32)) -> String {
    let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
    (params.not_before, params.not_after) = (date_time_ymd(from, 1, 1), date_time_ymd(to, 1, 1));
    let key = KeyPair::generate().unwrap();
    std::fs::write(house.path("chain.pem"), params.self_signed(&key).unwrap().pem()).unwrap();
    std::fs::write(house.path("key.pem"), key.serialize_pem()).unwrap();
    let config = house.configure(&format!(
        "delivery.mode = 'capture'\nsmtp.hostname = 'mx.example.com'\nsmtp.tls_cert = '{}'\nsmtp.tls_key = '{}'\n",
        house.path("chain.pem").display(),
        house.path("key.pem").display()
    ));
    config.to_str().unwrap().to_owned()
}

#[test]
fn an_expired_certificate_did_not_end_the_start() {
    let house = House::new("expired-certificate");
    let config = configured(&house, "www.example.com", (2020, 2021));
    let ran = house.run(&["serve", "--config", &config]);
    assert_eq!(ran.code, 2, "{}", ran.err);
    assert!(
        ran.err.contains("config: smtp.tls_cert = ") && ran.err.contains("it expired at 2021-01-01"),
        "{}",
        ran.err
    );
    assert!(!ran.out.contains("ph_"), "{}", ran.out);
    let ran = house.run(&["check", "--config", &config]);
    assert_eq!(ran.code, 1, "{}", ran.out);
    let lines: Vec<&str> = ran.out.lines().filter(|line| line.contains("TLS certificate")).collect();
    assert!(lines.len() == 2 && lines[0].starts_with("failed ") && lines[0].contains("expired at 2021"), "{lines:?}");
    assert!(lines[1].starts_with("warning ") && lines[1].contains("it should be for mx.example.com"), "{lines:?}");
}

#[test]
fn a_certificate_that_is_not_valid_yet_was_called_well() {
    let house = House::new("early-certificate");
    let config = configured(&house, "mx.example.com", (2999, 3000));
    let service = house.serve(config.as_ref(), &[]);
    let told = service.stop();
    assert!(told.err.contains("tls.certificate_not_valid_yet"), "{}", told.err);
    let ran = house.run(&["check", "--config", &config]);
    let line = ran.out.lines().find(|line| line.contains("TLS certificate")).unwrap();
    assert!(line.starts_with("warning ") && line.contains("not valid before 2999-01-01"), "{line}");
}
