//! A certificate in files is replaced while the service runs: nobody who is connected notices, everybody new sees the new one,
//! and one that cannot be used changes nothing but what is told.

use posthouse_domain::{
    plan::Plan,
    time::{DAY_MS, Time},
};
use posthouse_server::{app::keep_certificate, config::TlsFiles};
use posthouse_tests::{
    Options, TestServer,
    certificate::{By, Made, certificate, shown},
    dir::ScratchDir,
    http::Api,
    smtp::SmtpClient,
};

/// A server with all listeners that have TLS, and the directory of its certificate.
struct House {
    server: TestServer,
    dir: ScratchDir,
}

impl House {
    async fn open(first: &Made) -> Self {
        let dir = ScratchDir::new();
        let files = TlsFiles { cert: dir.path().join("chain.pem"), key: dir.path().join("key.pem") };
        put(&dir, &first.chain, &first.key);
        let server = TestServer::start(Options::default().configure(move |config| {
            config.smtp.hostname = "mx.example.com".to_owned();
            config.smtp.tls = Some(files);
            config.http.listen_tls = vec![([127, 0, 0, 1], 0).into()];
            config.submission.listen_tls = vec![([127, 0, 0, 1], 0).into()];
        }));
        Self { server: server.await, dir }
    }

    async fn look(&self) {
        keep_certificate::look(self.server.app()).await;
    }

    /// What each listener shows who comes now.
    async fn shown(&self) -> Vec<Vec<u8>> {
        let config = self.server.config();
        let doors = [
            (self.server.smtp_address(), By::StartTls),
            (self.server.submission_address(), By::StartTls),
            (config.submission.listen_tls[0], By::Nothing),
            (config.http.listen_tls[0], By::Nothing),
        ];
        let mut found = Vec::new();
        for (address, by) in doors {
            found.push(shown(address, by).await.remove(0));
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

fn put(dir: &ScratchDir, chain: &str, key: &str) {
    std::fs::write(dir.path().join("chain.pem"), chain).unwrap();
    std::fs::write(dir.path().join("key.pem"), key).unwrap();
}

#[tokio::test]
async fn new_files_are_used_by_every_listener_and_nobody_is_cut_off() {
    let (old, new) = (certificate(&["mx.example.com"], 2031), certificate(&["mx.example.com"], 2032));
    let house = House::open(&old).await;
    assert_eq!(house.shown().await, vec![old.der.clone(); 4]);
    let key = house.server.workspace(Plan::Team).await;
    let api = Api::new(&format!("https://{}", house.server.config().http.listen_tls[0])).with_key(&key.secret);
    api.get("/v1/account").await.expect(200);
    let mut session = SmtpClient::greeted(house.server.smtp_address()).await.starttls().await;

    put(&house.dir, &new.chain, &new.key);
    assert_eq!(house.shown().await, vec![old.der; 4], "nobody has looked yet");
    house.look().await;
    assert_eq!(house.shown().await, vec![new.der; 4]);
    session.line("NOOP").await.expect(250);
    session.quit().await;
    api.get("/v1/account").await.expect(200);
    assert_eq!(house.warnings().await, "null");
    let end = Time::parse("2032-01-01T00:00:00.000Z").unwrap().seconds();
    let line = format!("posthouse_tls_certificate_expiry_timestamp_seconds{{source=\"files\"}} {end}");
    let metrics = house.metrics().await;
    assert!(metrics.contains(&line), "{metrics}");
    assert!(metrics.contains("posthouse_tls_certificates_total{outcome=\"taken\"} 2"), "{metrics}");
    house.server.finish().await;
}

#[tokio::test]
async fn files_that_cannot_be_used_leave_the_old_ones_in_use_and_are_told_of_once() {
    let (good, other) = (certificate(&["mx.example.com"], 2031), certificate(&["mx.example.com"], 2032));
    let expired = certificate(&["mx.example.com"], 2021);
    let mut house = House::open(&good).await;
    house.server.allow().log_error("tls.certificate_refused");
    let half = &other.chain[..other.chain.len() / 2];
    let broken = [
        (&*other.chain, &*good.key, "a key of another"),
        ("", "", "nothing"),
        (half, &*other.key, "half a chain"),
        (&*other.key, &*other.chain, "the one for the other"),
        (&*expired.chain, &*expired.key, "past its end"),
    ];
    for (count, (chain, key, what)) in broken.into_iter().enumerate() {
        put(&house.dir, chain, key);
        house.look().await;
        house.look().await;
        assert_eq!(house.shown().await, vec![good.der.clone(); 4], "{what}");
        assert_eq!(house.warnings().await, "[\"certificate_not_reloaded\"]", "{what}");
        let refused = house.server.log.errors().len();
        assert_eq!(refused, count + 1, "{what} is told of once");
    }
    std::fs::remove_file(house.dir.path().join("key.pem")).unwrap();
    house.look().await;
    assert_eq!(house.shown().await, vec![good.der.clone(); 4], "a file is gone");
    assert!(house.metrics().await.contains("posthouse_tls_certificates_total{outcome=\"refused\"} 6"));

    // The old one back again is as good as a new one.
    put(&house.dir, &good.chain, &good.key);
    house.look().await;
    assert_eq!(house.warnings().await, "null");
    put(&house.dir, &other.chain, &other.key);
    house.look().await;
    assert_eq!(house.shown().await, vec![other.der; 4]);
    house.server.finish().await;
}

#[tokio::test]
async fn the_end_of_a_certificate_is_told_of_once_a_day_from_a_week_before_on() {
    let soon = certificate(&["mx.example.com"], 2031);
    let mut house = House::open(&soon).await;
    house.server.allow().log_error("tls.certificate_ends_soon");
    let end = Time::parse("2031-01-01T00:00:00.000Z").unwrap();
    house.server.clock.set(end.plus_ms(-8 * DAY_MS));
    house.look().await;
    assert_eq!(house.server.log.errors().len(), 0);
    for days in 1..=3 {
        house.server.clock.set(end.plus_ms((days - 8) * DAY_MS + 1));
        house.look().await;
        house.look().await;
        assert_eq!(house.server.log.errors().len(), usize::try_from(days).unwrap());
    }
    assert_eq!(house.warnings().await, "null");
    house.server.clock.set(end.plus_ms(1));
    assert_eq!(house.warnings().await, "[\"certificate_expired\"]");
    house.server.finish().await;
}

#[tokio::test]
async fn one_for_other_names_is_used_and_told_of() {
    let house = House::open(&certificate(&["www.example.com"], 2031)).await;
    let told =
        house.server.log.lines().iter().filter(|line| line.text.contains("certificate_is_for_other_names")).count();
    assert_eq!(told, 1);
    house.server.finish().await;
}
