//! DKIM signatures of sent messages, verified by two independent implementations: dkimpy and Mail::DKIM (RFC 6376, RFC
//! 8463). Covers keys of the default domain and of customer domains, before and after a rotation.

use std::{
    collections::BTreeMap,
    io::Write,
    process::{Command, Stdio},
};

use posthouse_app::{
    domains::dkim,
    settings::{DeliveryMode, Ed25519},
};
use posthouse_domain::plan::Plan;
use posthouse_server::config::Configuration;
use posthouse_tests::{
    dir::ScratchDir,
    fixtures::TestKey,
    http::Api,
    server::{ServerOptions, TestServer},
    smtp_sink::SmtpSink,
};
use serde_json::{Value, json};

const DOMAIN: &str = "mail.acme.example";
/// The verifiers: program, arguments that probe for the library, and script.
const VERIFIERS: [(&str, &[&str], &str); 2] = [
    ("/usr/bin/python3", &["-c", "import dkim, nacl"], include_str!("dkim/verify.py")),
    ("/usr/bin/perl", &["-MMail::DKIM", "-e", "1"], include_str!("dkim/verify.pl")),
];

/// A server that sends to a sink, and a workspace.
struct Fixture {
    server: TestServer,
    key: TestKey,
    sink: SmtpSink,
    /// The published key records by name.
    records: BTreeMap<String, String>,
    dir: ScratchDir,
}

impl Fixture {
    async fn new(ed25519: Ed25519) -> Self {
        let sink = SmtpSink::start().await;
        let address = sink.address;
        let change = move |config: &mut Configuration| {
            config.hostname = "mx.post.example".to_owned();
            config.delivery.mode = DeliveryMode::Direct;
            config.delivery.port = address.port();
            config.dkim.ed25519 = ed25519;
        };
        let server = TestServer::start(ServerOptions::default().configure(change)).await;
        server.dns.mx("far.example", 10, "mx.far.example");
        server.dns.address("mx.far.example", address.ip());
        let key = server.workspace(Plan::Team).await;
        Self { server, key, sink, records: BTreeMap::new(), dir: ScratchDir::new() }
    }

    fn api(&self) -> Api {
        self.server.api(&self.key)
    }

    /// Publishes the records of a domain that are not verified yet.
    fn publish(&mut self, domain: &Value) {
        for record in domain["records"].as_array().unwrap() {
            let (name, value) = (record["name"].as_str().unwrap(), record["value"].as_str().unwrap());
            if record["status"] == "ok" {
                continue;
            }
            match value.split_once(' ').filter(|_| record["type"] == "MX") {
                Some((preference, host)) => self.server.dns.mx(name, preference.parse().unwrap(), host),
                None => self.server.dns.txt(name, value),
            }
            if record["key"].as_str().unwrap().starts_with("dkim") {
                self.records.insert(name.to_owned(), value.to_owned());
            }
        }
    }

    /// Adds a verified domain and returns its path.
    async fn domain(&mut self) -> String {
        let made = self.api().post("/v1/domains", json!({ "domain": DOMAIN })).await.expect(201).json.clone();
        self.publish(&made);
        let path = format!("/v1/domains/{}", made["id"].as_str().unwrap());
        let verified = self.api().post_empty(&format!("{path}/verify")).await.expect(200);
        assert_eq!(verified["status"], "verified", "{}", verified.json);
        path
    }

    async fn inbox(&self, domain: Option<&str>) -> String {
        let made = self.api().post("/v1/inboxes", json!({ "username": "desk", "domain": domain })).await;
        made.expect(201).text("id").to_owned()
    }

    /// Sends a message with everything that could break a signature, and returns what the sink received.
    async fn send(&self, inbox: &str) -> String {
        let before = self.sink.received().len();
        self.accept(inbox).await;
        self.server.settle().await;
        self.sink.received()[before].data.clone()
    }

    /// Queues such a message without sending it.
    async fn accept(&self, inbox: &str) {
        let body = json!({
            "to": "Dana <dana@far.example>", "cc": ["eve@far.example"],
            "subject": "A   plan — with dashes, longer than a line of mail should be, so that it is folded somewhere",
            "text": "Here it is.  \n\n.\n..dots\nÄ trailing space \n\n\n\n", "html": "<p>Here it is.</p>",
        });
        self.api().post(&format!("/v1/inboxes/{inbox}/messages"), body).await.expect(202);
    }

    /// Returns the result of each verifier for each signature: `selector algorithm pass`.
    fn verdicts(&self, mail: &str) -> Vec<Vec<String>> {
        let keys = self.dir.path().join("keys.json");
        std::fs::write(&keys, serde_json::to_vec(&self.records).unwrap()).unwrap();
        VERIFIERS
            .iter()
            .filter(|(program, probe, _)| is_installed(program, probe))
            .map(|(program, _, script)| {
                let file = self.dir.path().join("verifier");
                std::fs::write(&file, script).unwrap();
                let mut child = Command::new(program)
                    .args([&file, &keys])
                    .stdin(Stdio::piped())
                    .stdout(Stdio::piped())
                    .spawn()
                    .unwrap();
                child.stdin.take().unwrap().write_all(mail.as_bytes()).unwrap();
                let lines_of = child.wait_with_output().unwrap();
                assert!(lines_of.status.success(), "{program} failed");
                let mut lines: Vec<String> =
                    String::from_utf8(lines_of.stdout).unwrap().lines().map(str::to_owned).collect();
                lines.sort();
                lines
            })
            .collect()
    }

    /// Asserts the result of every verifier for every signature whose algorithm it supports. dkimpy supports both.
    fn expect(&self, mail: &str, expected: &[&str]) {
        for lines_of in self.verdicts(mail) {
            let unknown: Vec<&str> = lines_of.iter().filter_map(|line| line.strip_suffix(" unknown")).collect();
            assert!(
                unknown.iter().all(|line| line.ends_with("ed25519-sha256")),
                "every verifier supports RSA: {lines_of:?}"
            );
            let is_known = |line: &&str| !unknown.iter().any(|unknown| line.starts_with(unknown));
            let known: Vec<&str> = expected.iter().copied().filter(is_known).collect();
            let checked: Vec<&String> = lines_of.iter().filter(|line| !line.ends_with(" unknown")).collect();
            assert_eq!(checked, known, "for this message:\n{mail}");
            assert_eq!(lines_of.len(), expected.len(), "for this message:\n{mail}");
        }
    }

    /// Publishes the next key of the domain at that path and activates it.
    async fn rotate(&mut self, path: &str) {
        let rotating = self.api().post_empty(&format!("{path}/dkim/rotate")).await.expect(200).json.clone();
        self.publish(&rotating);
        let switched = self.api().post_empty(&format!("{path}/dkim/activate")).await.expect(200);
        assert_eq!(switched["dkim"]["selector"], "s2");
    }

    async fn default_keys(&mut self) {
        for record in dkim::prepare(self.server.service()).await.unwrap() {
            self.server.dns.txt(&record.name, &record.text);
            self.records.insert(record.name, record.text);
        }
    }
}

fn is_installed(program: &str, probe: &[&str]) -> bool {
    let installed =
        Command::new(program).args(probe).stderr(Stdio::null()).status().is_ok_and(|status| status.success());
    assert!(
        installed || std::env::var("CI").as_deref() != Ok("true"),
        "{program} lacks a library: scripts/need.sh test"
    );
    if !installed {
        println!("{program} lacks a library: skipped");
    }
    installed
}

#[tokio::test]
async fn signatures_of_a_customer_domain_verify_before_and_after_a_rotation() {
    let mut fixture = Fixture::new(Ed25519::All).await;
    let path = fixture.domain().await;
    let inbox = fixture.inbox(Some(DOMAIN)).await;
    let first = fixture.send(&inbox).await;
    fixture.expect(&first, &["s1 rsa-sha256 pass", "s1e ed25519-sha256 pass"]);

    let changed = format!("{first}One more line.\r\n");
    fixture.expect(&changed, &["s1 rsa-sha256 fail", "s1e ed25519-sha256 fail"]);
    let added = format!("Subject: Another\r\n{first}");
    fixture.expect(&added, &["s1 rsa-sha256 fail", "s1e ed25519-sha256 fail"]);

    fixture.rotate(&path).await;
    let second = fixture.send(&inbox).await;
    fixture.expect(&second, &["s2 rsa-sha256 pass", "s2e ed25519-sha256 pass"]);
    fixture.expect(&first, &["s1 rsa-sha256 pass", "s1e ed25519-sha256 pass"]);
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_queued_message_is_signed_with_the_key_after_a_rotation() {
    let mut fixture = Fixture::new(Ed25519::All).await;
    let path = fixture.domain().await;
    let inbox = fixture.inbox(Some(DOMAIN)).await;
    fixture.accept(&inbox).await;
    fixture.rotate(&path).await;
    fixture.server.settle().await;
    let mail = fixture.sink.received()[0].data.clone();
    fixture.expect(&mail, &["s2 rsa-sha256 pass", "s2e ed25519-sha256 pass"]);
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_retry_keeps_the_signatures_from_acceptance() {
    let mut fixture = Fixture::new(Ed25519::DefaultDomain).await;
    fixture.default_keys().await;
    let inbox = fixture.inbox(None).await;
    let accepted_s = fixture.server.service().clock.now().seconds();
    fixture.sink.script("RCPT TO", "450 4.2.0 greylisted, come back", 2);
    fixture.accept(&inbox).await;
    fixture.server.settle().await;
    assert_eq!(fixture.sink.received().len(), 0);
    fixture.server.advance(60_000).await;
    let mail = fixture.sink.received()[0].data.clone();
    assert_eq!(mail.matches(&format!("\r\n t={accepted_s}; h=")).count(), 2, "{mail}");
    fixture.expect(&mail, &["ph1e ed25519-sha256 pass", "ph1r rsa-sha256 pass"]);
    fixture.server.finish().await;
}

#[tokio::test]
async fn an_ed25519_key_signs_only_after_its_record_is_found() {
    let mut fixture = Fixture::new(Ed25519::All).await;
    let made = fixture.api().post("/v1/domains", json!({ "domain": DOMAIN })).await.expect(201).json.clone();
    let records = made["records"].as_array().unwrap();
    assert_eq!(records.len(), 6);
    assert_eq!(records[5]["name"], "s1e._domainkey.mail.acme.example");
    assert_eq!((&records[5]["key"], &records[5]["required"]), (&json!("dkim"), &json!(false)));
    assert!(records[5]["value"].as_str().unwrap().starts_with("v=DKIM1; k=ed25519; p="));
    fixture.publish(&json!({ "records": records[..5] }));
    let path = format!("/v1/domains/{}", made["id"].as_str().unwrap());
    let verified = fixture.api().post_empty(&format!("{path}/verify")).await.expect(200);
    assert_eq!(verified["status"], "verified", "it is not required");
    let inbox = fixture.inbox(Some(DOMAIN)).await;
    let mail = fixture.send(&inbox).await;
    fixture.expect(&mail, &["s1 rsa-sha256 pass"]);
    fixture.publish(&json!({ "records": [records[5]] }));
    fixture.server.clock.advance(10_000);
    let seen = fixture.api().post_empty(&format!("{path}/verify")).await.expect(200);
    assert_eq!(seen["records"][5]["status"], "ok");
    let mail = fixture.send(&inbox).await;
    fixture.expect(&mail, &["s1 rsa-sha256 pass", "s1e ed25519-sha256 pass"]);
    fixture.server.finish().await;
}

#[tokio::test]
async fn the_default_domain_signs_with_both_algorithms_and_customer_domains_with_rsa() {
    let mut fixture = Fixture::new(Ed25519::DefaultDomain).await;
    fixture.default_keys().await;
    fixture.domain().await;
    let (default, own) = (fixture.inbox(None).await, fixture.inbox(Some(DOMAIN)).await);
    let mail = fixture.send(&default).await;
    fixture.expect(&mail, &["ph1e ed25519-sha256 pass", "ph1r rsa-sha256 pass"]);
    let mail = fixture.send(&own).await;
    fixture.expect(&mail, &["s1 rsa-sha256 pass"]);
    fixture.server.finish().await;
}

#[tokio::test]
async fn an_operator_can_sign_with_rsa_only() {
    let mut fixture = Fixture::new(Ed25519::Off).await;
    fixture.default_keys().await;
    let inbox = fixture.inbox(None).await;
    let mail = fixture.send(&inbox).await;
    fixture.expect(&mail, &["ph1r rsa-sha256 pass"]);
    assert_eq!(fixture.records.len(), 1, "no record for a key that is not used");
    fixture.server.finish().await;
}
