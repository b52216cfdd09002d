//! Certificates from an ACME authority on this machine that validates the challenges: the first certificate, its
//! renewal, and failures (RFC 8555).

use posthouse_store::ReadScope;
use std::net::SocketAddr;

use posthouse_app::{
    domains::certificate,
    jobs::reconcile,
    settings::{ExternalAccount, SecretText},
    tls::{CertificateTrust, CertificateVerifier},
};
use posthouse_domain::time::{DAY_MS, HOUR_MS, MINUTE_MS, Time};
use posthouse_server::config::Configuration;
use posthouse_store::{Engine, Error, Sql, acme as stored, p};
use posthouse_tests::{
    ServerOptions, TestServer, WebhookSink,
    authority::{EXTERNAL_ACCOUNT, Pebble, reserve},
    certificate::{TlsMode, peer_certificates},
    dir::ScratchDir,
    postgres::Cluster,
    server::engine_of_run,
    smtp::TestSmtpClient,
};
use rustls::pki_types::{CertificateDer, ServerName};

/// A server that obtains its certificate from a local authority.
struct AcmeFixture {
    server: TestServer,
    authority: Pebble,
}

/// The options of such a server.
#[derive(Default)]
struct AcmeOptions {
    /// The certificate's names instead of `mx.example.com` and `api.example.com`.
    names: Option<Vec<&'static str>>,
    /// Whether challenges go to `acme.listen` instead of the API's listener.
    own_listener: bool,
    /// A port to which the challenges go instead.
    elsewhere: Option<u16>,
    /// Whether the authority requires an external account, and whether the server has one.
    strict: Option<bool>,
}

/// Starts both, or returns `None` if no authority is installed.
async fn start_acme(options: AcmeOptions) -> Option<AcmeFixture> {
    let reserved = reserve()?;
    let (directory, root) = (reserved.directory(), reserved.root());
    let names = options.names.unwrap_or_else(|| vec!["mx.example.com", "api.example.com"]);
    let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
    let own_listener = options.own_listener;
    let customer = options.strict == Some(true);
    let server = TestServer::start(ServerOptions::default().configure(move |config: &mut Configuration| {
        config.hostname.clone_from(&names[0]);
        config.acme.enabled = true;
        config.acme.names = names;
        config.acme.directory = directory;
        config.acme.root = Some(root);
        config.acme.email = Some("ops@example.com".to_owned());
        config.listen.submission_tls = vec![([127, 0, 0, 1], 0).into()];
        config.listen.http_tls = vec![([127, 0, 0, 1], 0).into()];
        if own_listener {
            config.listen.acme = vec![([127, 0, 0, 1], 0).into()];
        }
        if customer {
            let (key_id, key) = (EXTERNAL_ACCOUNT.0.to_owned(), SecretText(EXTERNAL_ACCOUNT.1.to_owned()));
            config.acme.external_account = Some(ExternalAccount { key_id, key });
        }
    }))
    .await;
    let listener = server.config().listen.acme.first().copied().unwrap_or(server.http_address());
    let port = options.elsewhere.unwrap_or(listener.port());
    let authority = reserved.start(port, options.strict.is_some()).await;
    Some(AcmeFixture { server, authority })
}

/// Returns from the test if no authority is installed.
macro_rules! acme_fixture {
    ($options:expr) => {
        match start_acme($options).await {
            Some(fixture) => fixture,
            None => return,
        }
    };
}

impl AcmeFixture {
    /// Runs the reconciliation sweep and the due jobs.
    async fn run_jobs(&self) {
        run_jobs(&self.server).await;
    }

    /// Returns the certificate chain that every listener presents to new clients.
    async fn presented(&self) -> Vec<Vec<u8>> {
        let config = self.server.config();
        let listeners: [(SocketAddr, TlsMode); 3] = [
            (self.server.smtp_address(), TlsMode::StartTls),
            (config.listen.submission_tls[0], TlsMode::Implicit),
            (config.listen.http_tls[0], TlsMode::Implicit),
        ];
        let mut chains = Vec::new();
        for (address, mode) in listeners {
            chains.push(peer_certificates(address, mode).await);
        }
        assert!(chains.iter().all(|chain| *chain == chains[0]), "the listeners differ");
        chains.remove(0)
    }

    /// Returns whether the listeners have a certificate of this authority for the name.
    async fn is_certified(&self, name: &str) -> bool {
        let dir = ScratchDir::new();
        let file = dir.path().join("issuer.pem");
        std::fs::write(&file, self.authority.issuer().await).unwrap();
        let verifier = CertificateVerifier::new(&CertificateTrust::RootsFile(file)).expect("the authority has a root");
        let chain: Vec<CertificateDer<'static>> =
            self.presented().await.into_iter().map(CertificateDer::from).collect();
        let facts = self.server.service().tls.facts().expect("there is a certificate");
        let name = ServerName::try_from(name.to_owned()).unwrap();
        verifier.is_valid(&chain, &name, facts.begins_at.seconds() + 60)
    }

    fn log_count(&self, message: &str) -> usize {
        self.server.log.lines().iter().filter(|line| line.text.starts_with(message)).count()
    }

    async fn warnings(&self) -> String {
        self.server.anonymous().get("/readyz").await.expect(200).json["warnings"].to_string()
    }

    /// Returns the number of failed attempts since the last success, and the last error.
    async fn attempts_failed(&self) -> (u32, String) {
        let id = certificate::certificate_id(&self.server.config().acme);
        let row = self
            .server
            .store()
            .read_in(ReadScope::Statement, move |tx| stored::certificate(tx, id))
            .await
            .unwrap()
            .unwrap_or_default();
        (row.failures, row.last_error.unwrap_or_default())
    }

    /// Returns when the job is due.
    async fn due(&self) -> Time {
        let due = Sql::from_fragments("DUE", "SELECT run_at FROM jobs WHERE kind = 'certificate'".to_owned());
        let found = self.server.store().read(move |tx| -> Result<_, Error> { tx.one::<(Time,)>(&due, p![]) }).await;
        found.unwrap().expect("there is a job").0
    }
}

async fn run_jobs(server: &TestServer) {
    reconcile::run(server.service()).await.unwrap();
    server.settle().await;
}

#[tokio::test]
async fn the_first_certificate_is_obtained_and_survives_a_restart() {
    let mut fixture = acme_fixture!(AcmeOptions::default());
    assert_eq!(fixture.warnings().await, "[\"certificate_not_issued\"]");
    assert!(!fixture.is_certified("mx.example.com").await, "self-signed before the first certificate");
    fixture.run_jobs().await;
    assert!(fixture.is_certified("mx.example.com").await, "{:?}", fixture.attempts_failed().await);
    assert!(fixture.is_certified("api.example.com").await);
    assert!(!fixture.is_certified("www.example.com").await);
    assert_eq!(fixture.warnings().await, "null");
    let metrics = String::from_utf8(fixture.server.anonymous().get("/metrics").await.expect(200).bytes).unwrap();
    assert!(metrics.contains("tls_certificate_expiry_timestamp_seconds{source=\"acme\"}"), "{metrics}");
    assert!(metrics.contains("posthouse_jobs_total{kind=\"certificate\",outcome=\"done\"} 1"), "{metrics}");
    let (first, chain) = (fixture.presented().await, fixture.presented().await.len());
    assert!(chain >= 2, "the chain includes the intermediate");

    fixture.run_jobs().await;
    assert_eq!(fixture.log_count("acme.certificate_issued"), 1, "only one is ordered");
    fixture.server.restart().await;
    assert_eq!(fixture.presented().await, first, "a restart loads it");
    fixture.run_jobs().await;
    assert_eq!((fixture.log_count("acme.certificate_issued"), fixture.log_count("acme.account_created")), (1, 1));
    fixture.server.crash().await;
    assert_eq!(fixture.presented().await, first);
    fixture.server.finish().await;
}

#[tokio::test]
async fn private_keys_and_the_account_are_encrypted_in_the_database() {
    let fixture = acme_fixture!(AcmeOptions::default());
    fixture.run_jobs().await;
    let id = certificate::certificate_id(&fixture.server.config().acme);
    let directory = fixture.server.config().acme.directory.clone();
    let read = move |tx: &mut posthouse_store::Tx| -> Result<_, Error> {
        Ok((stored::certificate(tx, id)?, stored::account(tx, &directory)?))
    };
    let (certificate, account) = fixture.server.store().read(read).await.unwrap();
    let certificate = certificate.expect("a certificate");
    assert!(certificate.chain.unwrap().starts_with("-----BEGIN CERTIFICATE-----"));
    for secret in [certificate.private_key.unwrap(), account.expect("an account")] {
        let text = String::from_utf8_lossy(&secret).into_owned();
        assert!(!text.contains("PRIVATE KEY") && !text.contains("key_pkcs8"), "{text}");
        assert!(secret.len() > 100);
    }
    let presented = format!("{:?}", fixture.server.log.lines());
    assert!(!presented.contains("PRIVATE KEY") && !presented.contains("key_pkcs8"));
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_certificate_is_renewed_at_a_third_of_its_life_without_ending_sessions() {
    let fixture = acme_fixture!(AcmeOptions::default());
    fixture.run_jobs().await;
    let (first, facts) = (fixture.presented().await, fixture.server.service().tls.facts().unwrap());
    let life_ms = facts.expires_at.since_ms(facts.begins_at);
    let (earliest, due) = (facts.expires_at.plus_ms(-life_ms / 3), fixture.due().await);
    assert!(due >= earliest && due <= earliest.plus_ms(life_ms / 20), "{due} is not near {earliest}");

    fixture.server.clock.set(earliest.plus_ms(-DAY_MS));
    fixture.server.settle().await;
    assert_eq!(fixture.presented().await, first, "not renewed early");
    let mut session = TestSmtpClient::connect_with_ehlo(fixture.server.smtp_address()).await.starttls().await;
    fixture.server.clock.set(due);
    fixture.server.settle().await;
    assert_eq!((fixture.log_count("acme.certificate_issued"), fixture.log_count("acme.account_created")), (2, 1));
    assert_ne!(fixture.presented().await, first);
    assert!(fixture.is_certified("mx.example.com").await);
    // The session ends with 421 because it was idle, not because of the certificate. The reply still uses the old TLS
    // connection.
    session.reply().await.expect(421);
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_name_that_points_elsewhere_is_rejected_logged_and_retried_with_backoff() {
    let mut fixture = acme_fixture!(AcmeOptions { names: Some(vec!["mx.wrong.example"]), ..AcmeOptions::default() });
    fixture.server.allow().log_error("acme.refused");
    fixture.run_jobs().await;
    let (attempts_failed, trouble) = fixture.attempts_failed().await;
    assert_eq!(attempts_failed, 1);
    assert!(trouble.contains("mx.wrong.example") && trouble.contains("connection"), "{trouble}");
    assert_eq!(fixture.server.log.errors().len(), 1);
    assert!(fixture.server.log.errors()[0].text.contains("mx.wrong.example"));
    assert_eq!(fixture.warnings().await, "[\"certificate_not_issued\"]");

    // Neither sweeps nor restarts cause an attempt before it is due.
    fixture.run_jobs().await;
    fixture.server.restart().await;
    fixture.run_jobs().await;
    assert_eq!(fixture.attempts_failed().await.0, 1);
    let mut gaps = Vec::new();
    for attempt in 2..=5 {
        let due = fixture.due().await;
        gaps.push(due.since_ms(fixture.server.service().clock.now()));
        fixture.server.clock.set(due.plus_ms(-1));
        fixture.server.settle().await;
        assert_eq!(fixture.attempts_failed().await.0, attempt - 1);
        fixture.server.clock.set(due);
        fixture.server.settle().await;
        assert_eq!(fixture.attempts_failed().await.0, attempt);
    }
    let least = [2 * MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS];
    for (gap, least) in gaps.iter().zip(least) {
        assert!(*gap >= least && *gap <= least + least / 4, "{gaps:?}");
    }
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_challenge_response_of_another_server_is_rejected() {
    let sink = WebhookSink::start().await;
    let mut fixture = acme_fixture!(AcmeOptions { elsewhere: Some(sink.address.port()), ..AcmeOptions::default() });
    fixture.server.allow().log_error("acme.refused");
    fixture.run_jobs().await;
    let (attempts_failed, trouble) = fixture.attempts_failed().await;
    assert_eq!(attempts_failed, 1);
    assert!(trouble.contains("unauthorized") || trouble.contains("connection"), "{trouble}");
    assert!(!fixture.is_certified("mx.example.com").await);
    fixture.server.finish().await;
}

#[tokio::test]
async fn an_unreachable_authority_is_retried_and_the_certificate_stays_in_use() {
    let mut fixture = acme_fixture!(AcmeOptions::default());
    fixture.run_jobs().await;
    let first = fixture.presented().await;
    fixture.authority.stop();
    fixture.server.clock.set(fixture.due().await);
    fixture.server.settle().await;
    assert_eq!(fixture.log_count("acme.unreachable"), 1, "a warning, not an error");
    assert_eq!(fixture.presented().await, first);

    // The authority is back without its accounts, so the service creates a new one.
    fixture.server.allow().log_error("acme.refused");
    fixture.authority.reset().await;
    for _ in 0..2 {
        fixture.server.clock.set(fixture.due().await);
        fixture.server.settle().await;
    }
    assert_eq!((fixture.log_count("acme.account_created"), fixture.attempts_failed().await.0), (2, 0));
    assert_ne!(fixture.presented().await, first);
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_separate_challenge_listener_is_enough() {
    let fixture = acme_fixture!(AcmeOptions { own_listener: true, ..AcmeOptions::default() });
    fixture.run_jobs().await;
    assert!(fixture.is_certified("mx.example.com").await, "{:?}", fixture.attempts_failed().await);
    fixture.server.finish().await;
}

#[tokio::test]
async fn an_authority_with_external_accounts_requires_the_account_key() {
    let fixture = acme_fixture!(AcmeOptions { strict: Some(true), ..AcmeOptions::default() });
    fixture.run_jobs().await;
    assert!(fixture.is_certified("mx.example.com").await, "{:?}", fixture.attempts_failed().await);
    fixture.server.finish().await;
    let mut fixture = acme_fixture!(AcmeOptions { strict: Some(false), ..AcmeOptions::default() });
    fixture.server.allow().log_error("acme.refused");
    fixture.run_jobs().await;
    assert!(
        fixture.attempts_failed().await.1.contains("externalAccountRequired"),
        "{:?}",
        fixture.attempts_failed().await
    );
    fixture.server.finish().await;
}

/// Two processes share one database. One of them orders the certificate, the challenge reaches the other, and both use
/// the certificate.
#[tokio::test]
async fn one_of_two_processes_orders_the_certificate_and_both_use_it() {
    if engine_of_run() != Engine::Postgres {
        return;
    }
    let Some(reserved) = reserve() else { return };
    let (directory, root) = (reserved.directory(), reserved.root());
    let database = posthouse_store::DatabaseUrl::Postgres(Cluster::shared().create_database());
    let start = |seed| {
        let (directory, root) = (directory.clone(), root.clone());
        let options = ServerOptions::default().seed(seed).database(database.clone()).configure(
            move |config: &mut Configuration| {
                config.hostname = "mx.example.com".to_owned();
                config.acme.enabled = true;
                config.acme.names = vec!["mx.example.com".to_owned()];
                config.acme.directory = directory;
                config.acme.root = Some(root);
                config.instance_key = Some(SecretText("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=".to_owned()));
            },
        );
        TestServer::start(options)
    };
    let (one, other) = (start(1).await, start(2).await);
    let _authority = reserved.start(other.http_address().port(), false).await;
    tokio::join!(run_jobs(&one), run_jobs(&other));
    let done = "posthouse_jobs_total{kind=\"certificate\",outcome=\"done\"} 1";
    let ordered = [&one, &other].map(|server| server.service().metrics.text().contains(done));
    assert_eq!(ordered.iter().filter(|ordered| **ordered).count(), 1, "only one process orders");
    for server in [&one, &other] {
        certificate::reload(server.service()).await;
    }
    let (first, second) = (
        peer_certificates(one.smtp_address(), TlsMode::StartTls).await,
        peer_certificates(other.smtp_address(), TlsMode::StartTls).await,
    );
    assert_eq!(first, second);
    assert!(first.len() >= 2, "the certificate is not self-signed");
    one.finish().await;
    other.finish().await;
}
