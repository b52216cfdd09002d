//! Certificate files are replaced while the service runs: open connections continue, new ones get the new certificate,
//! and an unusable file only causes a warning.

use posthouse_app::{domains::certificate, settings::TlsFiles};
use posthouse_domain::{
    plan::Plan,
    time::{DAY_MS, Time},
};
use posthouse_tests::{
    ServerOptions, TestServer,
    certificate::{TestCertificate, TlsMode, certificate, peer_certificates},
    dir::ScratchDir,
    http::Api,
    smtp::TestSmtpClient,
};

/// A server whose listeners all use TLS, and the directory of its certificate.
struct ReloadFixture {
    server: TestServer,
    dir: ScratchDir,
}

impl ReloadFixture {
    async fn open(first: &TestCertificate) -> Self {
        let dir = ScratchDir::new();
        let files = TlsFiles { cert: dir.path().join("chain.pem"), key: dir.path().join("key.pem") };
        write_files(&dir, &first.chain, &first.key);
        let server = TestServer::start(ServerOptions::default().configure(move |config| {
            config.hostname = "mx.example.com".to_owned();
            config.tls = Some(files);
            config.listen.http_tls = vec![([127, 0, 0, 1], 0).into()];
            config.listen.submission_tls = vec![([127, 0, 0, 1], 0).into()];
        }));
        Self { server: server.await, dir }
    }

    async fn reload(&self) {
        certificate::reload(self.server.service()).await;
    }

    /// Returns the certificate that each listener presents to new clients.
    async fn presented(&self) -> Vec<Vec<u8>> {
        let config = self.server.config();
        let listeners = [
            (self.server.smtp_address(), TlsMode::StartTls),
            (self.server.submission_address(), TlsMode::StartTls),
            (config.listen.submission_tls[0], TlsMode::Implicit),
            (config.listen.http_tls[0], TlsMode::Implicit),
        ];
        let mut found = Vec::new();
        for (address, mode) in listeners {
            found.push(peer_certificates(address, mode).await.remove(0));
        }
        found
    }

    async fn warnings(&self) -> String {
        self.server.anonymous().get("/readyz").await.expect(200).json["warnings"].to_string()
    }

    async fn metrics(&self) -> String {
        String::from_utf8(self.server.anonymous().get("/metrics").await.expect(200).bytes).unwrap()
    }
}

fn write_files(dir: &ScratchDir, chain: &str, key: &str) {
    std::fs::write(dir.path().join("chain.pem"), chain).unwrap();
    std::fs::write(dir.path().join("key.pem"), key).unwrap();
}

#[tokio::test]
async fn every_listener_uses_new_files_without_ending_sessions() {
    let (old, new) = (certificate(&["mx.example.com"], 2031), certificate(&["mx.example.com"], 2032));
    let fixture = ReloadFixture::open(&old).await;
    assert_eq!(fixture.presented().await, vec![old.der.clone(); 4]);
    let key = fixture.server.workspace(Plan::Team).await;
    let api = Api::new(&format!("https://{}", fixture.server.config().listen.http_tls[0])).with_key(&key.secret);
    api.get("/v1/account").await.expect(200);
    let mut session = TestSmtpClient::connect_with_ehlo(fixture.server.smtp_address()).await.starttls().await;

    write_files(&fixture.dir, &new.chain, &new.key);
    assert_eq!(fixture.presented().await, vec![old.der; 4], "not reloaded yet");
    fixture.reload().await;
    assert_eq!(fixture.presented().await, vec![new.der; 4]);
    session.line("NOOP").await.expect(250);
    session.quit().await;
    api.get("/v1/account").await.expect(200);
    assert_eq!(fixture.warnings().await, "null");
    let end = Time::parse("2032-01-01T00:00:00.000Z").unwrap().seconds();
    let line = format!("posthouse_tls_certificate_expiry_timestamp_seconds{{source=\"files\"}} {end}");
    let metrics = fixture.metrics().await;
    assert!(metrics.contains(&line), "{metrics}");
    assert!(metrics.contains("posthouse_tls_certificates_total{outcome=\"loaded\"} 2"), "{metrics}");
    fixture.server.finish().await;
}

#[tokio::test]
async fn unusable_files_keep_the_old_certificate_and_are_logged_once() {
    let (good, other) = (certificate(&["mx.example.com"], 2031), certificate(&["mx.example.com"], 2032));
    let expired = certificate(&["mx.example.com"], 2021);
    let mut fixture = ReloadFixture::open(&good).await;
    fixture.server.allow().log_error("tls.certificate_refused");
    let half = &other.chain[..other.chain.len() / 2];
    let broken = [
        (&*other.chain, &*good.key, "a key of another certificate"),
        ("", "", "nothing"),
        (half, &*other.key, "half a chain"),
        (&*other.key, &*other.chain, "key and chain swapped"),
        (&*expired.chain, &*expired.key, "expired"),
    ];
    for (count, (chain, key, what)) in broken.into_iter().enumerate() {
        write_files(&fixture.dir, chain, key);
        fixture.reload().await;
        fixture.reload().await;
        assert_eq!(fixture.presented().await, vec![good.der.clone(); 4], "{what}");
        assert_eq!(fixture.warnings().await, "[\"certificate_not_reloaded\"]", "{what}");
        let refused = fixture.server.log.errors().len();
        assert_eq!(refused, count + 1, "{what} is logged once");
    }
    std::fs::remove_file(fixture.dir.path().join("key.pem")).unwrap();
    fixture.reload().await;
    assert_eq!(fixture.presented().await, vec![good.der.clone(); 4], "a missing file");
    assert!(fixture.metrics().await.contains("posthouse_tls_certificates_total{outcome=\"refused\"} 6"));

    // The old certificate works again.
    write_files(&fixture.dir, &good.chain, &good.key);
    fixture.reload().await;
    assert_eq!(fixture.warnings().await, "null");
    write_files(&fixture.dir, &other.chain, &other.key);
    fixture.reload().await;
    assert_eq!(fixture.presented().await, vec![other.der; 4]);
    fixture.server.finish().await;
}

#[tokio::test]
async fn certificate_expiry_is_logged_daily_in_the_last_week() {
    let soon = certificate(&["mx.example.com"], 2031);
    let mut fixture = ReloadFixture::open(&soon).await;
    fixture.server.allow().log_error("tls.certificate_expires_soon");
    let end = Time::parse("2031-01-01T00:00:00.000Z").unwrap();
    fixture.server.clock.set(end.plus_ms(-8 * DAY_MS));
    fixture.reload().await;
    assert_eq!(fixture.server.log.errors().len(), 0);
    for days in 1..=3 {
        fixture.server.clock.set(end.plus_ms((days - 8) * DAY_MS + 1));
        fixture.reload().await;
        fixture.reload().await;
        assert_eq!(fixture.server.log.errors().len(), usize::try_from(days).unwrap());
    }
    assert_eq!(fixture.warnings().await, "null");
    fixture.server.clock.set(end.plus_ms(1));
    assert_eq!(fixture.warnings().await, "[\"certificate_expired\"]");
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_certificate_for_other_names_is_used_and_logged() {
    let fixture = ReloadFixture::open(&certificate(&["www.example.com"], 2031)).await;
    let logged =
        fixture.server.log.lines().iter().filter(|line| line.text.contains("certificate_name_mismatch")).count();
    assert_eq!(logged, 1);
    fixture.server.finish().await;
}
