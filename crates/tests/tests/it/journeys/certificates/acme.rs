//! Certificates by ACME from an authority on this machine that looks at the challenges: the first one, its renewal, and what
//! happens while there is none (RFC 8555).

use std::net::SocketAddr;

use posthouse_domain::time::{DAY_MS, HOUR_MS, MINUTE_MS, Time};
use posthouse_server::{
    app::{keep_certificate, obtain_certificate},
    config::{Config, ExternalAccount, SecretText},
    jobs::sweep,
    tls::{Judge, Trust},
};
use posthouse_store::{Engine, Error, Sql, acme, p};
use posthouse_tests::{
    Options, TestServer, WebhookSink,
    authority::{Authority, CUSTOMER, place},
    certificate::{By, shown},
    dir::ScratchDir,
    postgres::Cluster,
    server::engine_of_run,
    smtp::SmtpClient,
};
use rustls::pki_types::{CertificateDer, ServerName};

/// A server that gets its certificate from an authority.
struct Ordering {
    server: TestServer,
    authority: Authority,
}

/// What is special about one of them.
#[derive(Default)]
struct Special {
    /// The names, where they are not `mx.example.com` and `api.example.com`.
    names: Option<Vec<&'static str>>,
    /// Challenges come to `acme.listen` instead of the API's listener.
    own_listener: bool,
    /// Challenges come to somebody else.
    elsewhere: Option<u16>,
    /// Only known customers, of which this is one or not.
    strict: Option<bool>,
}

/// None where there is no authority to be had.
async fn ordering(special: Special) -> Option<Ordering> {
    let place = place()?;
    let (directory, root) = (place.directory(), place.root());
    let names = special.names.unwrap_or_else(|| vec!["mx.example.com", "api.example.com"]);
    let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
    let own_listener = special.own_listener;
    let customer = special.strict == Some(true);
    let server = TestServer::start(Options::default().configure(move |config: &mut Config| {
        config.smtp.hostname.clone_from(&names[0]);
        config.smtp.acme = true;
        config.acme.names = names;
        config.acme.directory = directory;
        config.acme.root = Some(root);
        config.acme.email = Some("ops@example.com".to_owned());
        config.submission.listen_tls = vec![([127, 0, 0, 1], 0).into()];
        config.http.listen_tls = vec![([127, 0, 0, 1], 0).into()];
        if own_listener {
            config.acme.listen = vec![([127, 0, 0, 1], 0).into()];
        }
        if customer {
            let (key_id, key) = (CUSTOMER.0.to_owned(), SecretText(CUSTOMER.1.to_owned()));
            config.acme.external_account = Some(ExternalAccount { key_id, key });
        }
    }))
    .await;
    let listener = server.config().acme.listen.first().copied().unwrap_or(server.http_address());
    let port = special.elsewhere.unwrap_or(listener.port());
    let authority = place.start(port, special.strict.is_some()).await;
    Some(Ordering { server, authority })
}

/// Skips the test where there is no authority to be had.
macro_rules! ordering {
    ($special:expr) => {
        match ordering($special).await {
            Some(ordering) => ordering,
            None => return,
        }
    };
}

impl Ordering {
    /// What the sweep and the job runner do now.
    async fn work(&self) {
        work(&self.server).await;
    }

    /// What each listener shows who comes now: the same everywhere.
    async fn shown(&self) -> Vec<Vec<u8>> {
        let config = self.server.config();
        let doors: [(SocketAddr, By); 3] = [
            (self.server.smtp_address(), By::StartTls),
            (config.submission.listen_tls[0], By::Nothing),
            (config.http.listen_tls[0], By::Nothing),
        ];
        let mut chains = Vec::new();
        for (address, by) in doors {
            chains.push(shown(address, by).await);
        }
        assert!(chains.iter().all(|chain| *chain == chains[0]), "the listeners differ");
        chains.remove(0)
    }

    /// Whether the listeners have a certificate of this authority for the name.
    async fn is_certified(&self, name: &str) -> bool {
        let dir = ScratchDir::new();
        let file = dir.path().join("issuer.pem");
        std::fs::write(&file, self.authority.issuer().await).unwrap();
        let judge = Judge::new(&Trust::File(file)).expect("the authority has a root");
        let chain: Vec<CertificateDer<'static>> = self.shown().await.into_iter().map(CertificateDer::from).collect();
        let facts = self.server.app().tls.facts().expect("there is a certificate");
        let name = ServerName::try_from(name.to_owned()).unwrap();
        judge.is_valid(&chain, &name, facts.begins_at.seconds() + 60)
    }

    fn said(&self, message: &str) -> usize {
        self.server.log.lines().iter().filter(|line| line.text.starts_with(message)).count()
    }

    async fn warnings(&self) -> String {
        self.server.anonymous().get("/readyz").await.expect(200).json["warnings"].to_string()
    }

    /// The attempts at the certificate since the last that went well, and why the last one failed.
    async fn failures(&self) -> (u32, String) {
        let id = obtain_certificate::id(self.server.config());
        let row = self.server.store().read_one(move |tx| acme::certificate(tx, id)).await.unwrap().unwrap_or_default();
        (row.failures, row.trouble.unwrap_or_default())
    }

    /// When the job is due.
    async fn due(&self) -> Time {
        let due = Sql::built("DUE", "SELECT run_at FROM jobs WHERE kind = 'certificate'".to_owned());
        let found = self.server.store().read(move |tx| -> Result<_, Error> { tx.one::<(Time,)>(&due, p![]) }).await;
        found.unwrap().expect("there is a job").0
    }
}

async fn work(server: &TestServer) {
    sweep::run(server.app()).await.unwrap();
    server.settle().await;
}

#[tokio::test]
async fn the_first_certificate_is_got_kept_and_there_after_a_restart() {
    let mut ordering = ordering!(Special::default());
    assert_eq!(ordering.warnings().await, "[\"certificate_not_issued\"]");
    assert!(!ordering.is_certified("mx.example.com").await, "self-signed until there is one");
    ordering.work().await;
    assert!(ordering.is_certified("mx.example.com").await, "{:?}", ordering.failures().await);
    assert!(ordering.is_certified("api.example.com").await);
    assert!(!ordering.is_certified("www.example.com").await);
    assert_eq!(ordering.warnings().await, "null");
    let metrics = String::from_utf8(ordering.server.anonymous().get("/metrics").await.expect(200).bytes).unwrap();
    assert!(metrics.contains("tls_certificate_expiry_timestamp_seconds{source=\"acme\"}"), "{metrics}");
    assert!(metrics.contains("posthouse_jobs_total{kind=\"certificate\",outcome=\"done\"} 1"), "{metrics}");
    let (first, chain) = (ordering.shown().await, ordering.shown().await.len());
    assert!(chain >= 2, "the intermediate comes along");

    ordering.work().await;
    assert_eq!(ordering.said("acme.certificate_issued"), 1, "one is enough");
    ordering.server.restart().await;
    assert_eq!(ordering.shown().await, first, "a restart begins with it");
    ordering.work().await;
    assert_eq!((ordering.said("acme.certificate_issued"), ordering.said("acme.account_made")), (1, 1));
    ordering.server.crash().await;
    assert_eq!(ordering.shown().await, first);
    ordering.server.finish().await;
}

#[tokio::test]
async fn private_keys_and_the_account_are_sealed_in_the_database() {
    let ordering = ordering!(Special::default());
    ordering.work().await;
    let id = obtain_certificate::id(ordering.server.config());
    let directory = ordering.server.config().acme.directory.clone();
    let read = move |tx: &mut posthouse_store::Tx| -> Result<_, Error> {
        Ok((acme::certificate(tx, id)?, acme::account(tx, &directory)?))
    };
    let (certificate, account) = ordering.server.store().read(read).await.unwrap();
    let certificate = certificate.expect("a certificate");
    assert!(certificate.chain.unwrap().starts_with("-----BEGIN CERTIFICATE-----"));
    for secret in [certificate.private_key.unwrap(), account.expect("an account")] {
        let text = String::from_utf8_lossy(&secret).into_owned();
        assert!(!text.contains("PRIVATE KEY") && !text.contains("key_pkcs8"), "{text}");
        assert!(secret.len() > 100);
    }
    let shown = format!("{:?}", ordering.server.log.lines());
    assert!(!shown.contains("PRIVATE KEY") && !shown.contains("key_pkcs8"));
    ordering.server.finish().await;
}

#[tokio::test]
async fn it_is_renewed_when_a_third_of_its_life_is_left_and_nobody_is_cut_off() {
    let ordering = ordering!(Special::default());
    ordering.work().await;
    let (first, facts) = (ordering.shown().await, ordering.server.app().tls.facts().unwrap());
    let life_ms = facts.expires_at.since_ms(facts.begins_at);
    let (earliest, due) = (facts.expires_at.plus_ms(-life_ms / 3), ordering.due().await);
    assert!(due >= earliest && due <= earliest.plus_ms(life_ms / 20), "{due} is not near {earliest}");

    ordering.server.clock.set(earliest.plus_ms(-DAY_MS));
    ordering.server.settle().await;
    assert_eq!(ordering.shown().await, first, "not before its time");
    let mut session = SmtpClient::greeted(ordering.server.smtp_address()).await.starttls().await;
    ordering.server.clock.set(due);
    ordering.server.settle().await;
    assert_eq!((ordering.said("acme.certificate_issued"), ordering.said("acme.account_made")), (2, 1));
    assert_ne!(ordering.shown().await, first);
    assert!(ordering.is_certified("mx.example.com").await);
    // The session is over for having been silent for years, not for the certificate: it is told so over the old TLS.
    session.reply().await.expect(421);
    ordering.server.finish().await;
}

#[tokio::test]
async fn a_name_that_leads_elsewhere_is_refused_told_of_and_tried_again_later_and_later() {
    let mut ordering = ordering!(Special { names: Some(vec!["mx.wrong.example"]), ..Special::default() });
    ordering.server.allow().log_error("acme.refused");
    ordering.work().await;
    let (failures, trouble) = ordering.failures().await;
    assert_eq!(failures, 1);
    assert!(trouble.contains("mx.wrong.example") && trouble.contains("connection"), "{trouble}");
    assert_eq!(ordering.server.log.errors().len(), 1);
    assert!(ordering.server.log.errors()[0].text.contains("mx.wrong.example"));
    assert_eq!(ordering.warnings().await, "[\"certificate_not_issued\"]");

    // However often somebody looks or restarts, nothing is asked before its time.
    ordering.work().await;
    ordering.server.restart().await;
    ordering.work().await;
    assert_eq!(ordering.failures().await.0, 1);
    let mut gaps = Vec::new();
    for attempt in 2..=5 {
        let due = ordering.due().await;
        gaps.push(due.since_ms(ordering.server.app().clock.now()));
        ordering.server.clock.set(due.plus_ms(-1));
        ordering.server.settle().await;
        assert_eq!(ordering.failures().await.0, attempt - 1);
        ordering.server.clock.set(due);
        ordering.server.settle().await;
        assert_eq!(ordering.failures().await.0, attempt);
    }
    let least = [2 * MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS];
    for (gap, least) in gaps.iter().zip(least) {
        assert!(*gap >= least && *gap <= least + least / 4, "{gaps:?}");
    }
    ordering.server.finish().await;
}

#[tokio::test]
async fn somebody_elses_answer_is_no_proof() {
    let sink = WebhookSink::start().await;
    let mut ordering = ordering!(Special { elsewhere: Some(sink.address.port()), ..Special::default() });
    ordering.server.allow().log_error("acme.refused");
    ordering.work().await;
    let (failures, trouble) = ordering.failures().await;
    assert_eq!(failures, 1);
    assert!(trouble.contains("unauthorized") || trouble.contains("connection"), "{trouble}");
    assert!(!ordering.is_certified("mx.example.com").await);
    ordering.server.finish().await;
}

#[tokio::test]
async fn an_authority_that_is_away_is_waited_for_and_the_certificate_stays_in_use() {
    let mut ordering = ordering!(Special::default());
    ordering.work().await;
    let first = ordering.shown().await;
    ordering.authority.end();
    ordering.server.clock.set(ordering.due().await);
    ordering.server.settle().await;
    assert_eq!(ordering.said("acme.not_reached"), 1, "a warning and no error");
    assert_eq!(ordering.shown().await, first);

    // It is back and knows nobody any more, so an account is made anew.
    ordering.server.allow().log_error("acme.refused");
    ordering.authority.forget().await;
    for _ in 0..2 {
        ordering.server.clock.set(ordering.due().await);
        ordering.server.settle().await;
    }
    assert_eq!((ordering.said("acme.account_made"), ordering.failures().await.0), (2, 0));
    assert_ne!(ordering.shown().await, first);
    ordering.server.finish().await;
}

#[tokio::test]
async fn a_listener_for_challenges_is_enough() {
    let ordering = ordering!(Special { own_listener: true, ..Special::default() });
    ordering.work().await;
    assert!(ordering.is_certified("mx.example.com").await, "{:?}", ordering.failures().await);
    ordering.server.finish().await;
}

#[tokio::test]
async fn an_authority_for_known_customers_takes_who_has_a_key_and_nobody_else() {
    let ordering = ordering!(Special { strict: Some(true), ..Special::default() });
    ordering.work().await;
    assert!(ordering.is_certified("mx.example.com").await, "{:?}", ordering.failures().await);
    ordering.server.finish().await;
    let mut ordering = ordering!(Special { strict: Some(false), ..Special::default() });
    ordering.server.allow().log_error("acme.refused");
    ordering.work().await;
    assert!(ordering.failures().await.1.contains("externalAccountRequired"), "{:?}", ordering.failures().await);
    ordering.server.finish().await;
}

/// One database, two processes: one of them orders, the challenge comes to the other, both use the certificate.
#[tokio::test]
async fn of_two_processes_one_orders_and_both_use_it() {
    if engine_of_run() != Engine::Postgres {
        return;
    }
    let Some(place) = place() else { return };
    let (directory, root) = (place.directory(), place.root());
    let database = posthouse_store::DatabaseUrl::Postgres(Cluster::shared().create_database());
    let start = |seed| {
        let (directory, root) = (directory.clone(), root.clone());
        let options = Options::default().seed(seed).database(database.clone()).configure(move |config: &mut Config| {
            config.smtp.hostname = "mx.example.com".to_owned();
            config.smtp.acme = true;
            config.acme.names = vec!["mx.example.com".to_owned()];
            config.acme.directory = directory;
            config.acme.root = Some(root);
            config.instance_key = Some(SecretText("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=".to_owned()));
        });
        TestServer::start(options)
    };
    let (one, other) = (start(1).await, start(2).await);
    let _authority = place.start(other.http_address().port(), false).await;
    tokio::join!(work(&one), work(&other));
    let done = "posthouse_jobs_total{kind=\"certificate\",outcome=\"done\"} 1";
    let ordered = [&one, &other].map(|server| server.app().metrics.text().contains(done));
    assert_eq!(ordered.iter().filter(|ordered| **ordered).count(), 1, "one order is enough");
    for server in [&one, &other] {
        keep_certificate::look(server.app()).await;
    }
    let (first, second) =
        (shown(one.smtp_address(), By::StartTls).await, shown(other.smtp_address(), By::StartTls).await);
    assert_eq!(first, second);
    assert!(first.len() >= 2, "and it is not self-signed");
    one.finish().await;
    other.finish().await;
}
