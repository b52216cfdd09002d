//! The certificate of a running service: replaced files, SIGHUP, and unusable certificates.

use std::{net::TcpStream, sync::Arc};

use posthouse_store::tls::{CertificateTrust, client_config};
use rcgen::{CertificateParams, KeyPair, date_time_ymd};
use rustls::{ClientConnection, pki_types::ServerName};

use crate::harness::Sandbox;

/// Maximum number of handshakes until the service uses the new certificate.
const HANDSHAKES_MAX: usize = 2_000;

/// A self-signed certificate.
struct TestCertificate {
    chain_pem: String,
    key_pem: String,
    /// The certificate as the server sends it.
    der: Vec<u8>,
}

fn certificate() -> TestCertificate {
    let made = rcgen::generate_simple_self_signed(vec!["mx.example.com".to_owned()]).unwrap();
    TestCertificate {
        chain_pem: made.cert.pem(),
        key_pem: made.signing_key.serialize_pem(),
        der: made.cert.der().to_vec(),
    }
}

/// Returns the certificate that the API sends.
fn served_certificate(address: std::net::SocketAddr) -> Vec<u8> {
    let config = client_config(&CertificateTrust::AnyCertificate).unwrap();
    let name = ServerName::try_from("mx.example.com").unwrap();
    let mut session = ClientConnection::new(Arc::clone(&config), name).unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    while session.is_handshaking() {
        session.complete_io(&mut stream).unwrap();
    }
    session.peer_certificates().unwrap()[0].as_ref().to_vec()
}

#[test]
fn sighup_reloads_the_certificate_files() {
    let sandbox = Sandbox::new("certificate");
    let put = |certificate: &TestCertificate| {
        std::fs::write(sandbox.path("chain.pem"), &certificate.chain_pem).unwrap();
        std::fs::write(sandbox.path("key.pem"), &certificate.key_pem).unwrap();
    };
    let (old, new) = (certificate(), certificate());
    put(&old);
    let config = sandbox.configure(&format!(
        "delivery.mode = 'capture'\nhttp.listen_tls = ['127.0.0.1:0']\nsmtp.tls_cert = '{}'\nsmtp.tls_key = '{}'\n",
        sandbox.path("chain.pem").display(),
        sandbox.path("key.pem").display()
    ));
    let mut service = sandbox.serve(&config, &[]);
    let address = service.address("https");
    assert_eq!(served_certificate(address), old.der);
    put(&new);
    service.signal(rustix::process::Signal::HUP);
    service.read_log_until("tls.reload_requested");
    let seen = (0..HANDSHAKES_MAX).any(|_| served_certificate(address) == new.der);
    assert!(seen, "the new certificate is never shown");
    let (head, _) = service.get("/readyz", "");
    assert!(head.starts_with("http/1.1 200"), "{head}");
    let output = service.stop();
    assert_eq!(output.code, 0, "{}", output.stderr);
}

#[test]
fn unusable_certificate_files_are_configuration_errors() {
    let sandbox = Sandbox::new("no-certificate");
    let (one, other) = (certificate(), certificate());
    std::fs::write(sandbox.path("chain.pem"), &one.chain_pem).unwrap();
    std::fs::write(sandbox.path("key.pem"), &other.key_pem).unwrap();
    let config = sandbox.configure(&format!(
        "delivery.mode = 'capture'\nsmtp.tls_cert = '{}'\nsmtp.tls_key = '{}'\n",
        sandbox.path("chain.pem").display(),
        sandbox.path("key.pem").display()
    ));
    let arguments = ["serve", "--config", config.to_str().unwrap()];
    let output = sandbox.run(&arguments);
    assert_eq!(output.code, 2, "{}", output.stderr);
    assert!(
        output.stderr.contains("config: smtp.tls_cert = ") && output.stderr.contains("chain.pem"),
        "{}",
        output.stderr
    );
    let no_key = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n";
    for content in [Some(""), Some("garbage"), Some(one.chain_pem.as_str()), Some(no_key), None] {
        match content {
            Some(text) => std::fs::write(sandbox.path("key.pem"), text).unwrap(),
            None => std::fs::remove_file(sandbox.path("key.pem")).unwrap(),
        }
        let output = sandbox.run(&arguments);
        assert_eq!(output.code, 2, "{content:?}: {}", output.stderr);
        assert!(
            output.stderr.contains("config: smtp.tls_key = ") && output.stderr.contains("key.pem"),
            "{content:?}: {}",
            output.stderr
        );
    }

    let output = sandbox.run(&arguments);
    // The API key is shown by the first start that succeeds.
    assert!(!output.stdout.contains("ph_"), "{}", output.stdout);
    std::fs::write(sandbox.path("key.pem"), &one.key_pem).unwrap();
    let service = sandbox.serve(&config, &[]);
    assert!(service.ready["first_run"]["api_key"].is_string(), "{}", service.ready);
    assert_eq!(service.stop().code, 0);
}

/// Writes a certificate that is valid from January 1 of the first year until January 1 of the last, and a configuration
/// that names it. Returns the path of the configuration.
fn configure(sandbox: &Sandbox, name: &str, years: std::ops::Range<i32>) -> String {
    let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
    (params.not_before, params.not_after) = (date_time_ymd(years.start, 1, 1), date_time_ymd(years.end, 1, 1));
    let key = KeyPair::generate().unwrap();
    std::fs::write(sandbox.path("chain.pem"), params.self_signed(&key).unwrap().pem()).unwrap();
    std::fs::write(sandbox.path("key.pem"), key.serialize_pem()).unwrap();
    let config = sandbox.configure(&format!(
        "delivery.mode = 'capture'\nsmtp.hostname = 'mx.example.com'\nsmtp.tls_cert = '{}'\nsmtp.tls_key = '{}'\n",
        sandbox.path("chain.pem").display(),
        sandbox.path("key.pem").display()
    ));
    config.to_str().unwrap().to_owned()
}

#[test]
fn an_expired_certificate_is_a_configuration_error() {
    let sandbox = Sandbox::new("expired-certificate");
    let config = configure(&sandbox, "www.example.com", 2020..2021);
    let output = sandbox.run(&["serve", "--config", &config]);
    assert_eq!(output.code, 2, "{}", output.stderr);
    assert!(
        output.stderr.contains("config: smtp.tls_cert = ") && output.stderr.contains("it expired at 2021-01-01"),
        "{}",
        output.stderr
    );
    assert!(!output.stdout.contains("ph_"), "{}", output.stdout);
    let output = sandbox.run(&["check", "--config", &config]);
    assert_eq!(output.code, 1, "{}", output.stdout);
    let lines: Vec<&str> = output.stdout.lines().filter(|line| line.contains("TLS certificate")).collect();
    assert!(lines.len() == 2 && lines[0].starts_with("failed ") && lines[0].contains("expired at 2021"), "{lines:?}");
    assert!(lines[1].starts_with("warning ") && lines[1].contains("it should be for mx.example.com"), "{lines:?}");
}

#[test]
fn a_certificate_that_is_not_valid_yet_is_a_warning() {
    let sandbox = Sandbox::new("early-certificate");
    let config = configure(&sandbox, "mx.example.com", 2999..3000);
    let service = sandbox.serve(config.as_ref(), &[]);
    let output = service.stop();
    assert!(output.stderr.contains("tls.certificate_not_valid_yet"), "{}", output.stderr);
    let output = sandbox.run(&["check", "--config", &config]);
    let line = output.stdout.lines().find(|line| line.contains("TLS certificate")).unwrap();
    assert!(line.starts_with("warning ") && line.contains("not valid before 2999-01-01"), "{line}");
}
