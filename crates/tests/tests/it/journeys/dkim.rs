//! Signatures of mail as it leaves, judged by two implementations that are not ours: dkimpy and Mail::DKIM (RFC 6376,
//! RFC 8463). Keys of the default domain, of own domains, before and after a rotation.

use std::{
    collections::BTreeMap,
    io::Write,
    process::{Command, Stdio},
};

use posthouse_domain::plan::Plan;
use posthouse_server::{
    app::signing,
    config::{Config, DeliveryMode, Ed25519},
};
use posthouse_tests::{
    dir::ScratchDir,
    fixtures::TestKey,
    http::Api,
    server::{Options, TestServer},
    smtp_sink::SmtpSink,
};
use serde_json::{Value, json};

const DOMAIN: &str = "mail.acme.example";
/// The two, with what they run.
const VERIFIERS: [(&str, &[&str], &str); 2] = [
    ("/usr/bin/python3", &["-c", "import dkim, nacl"], include_str!("dkim/verify.py")),
    ("/usr/bin/perl", &["-MMail::DKIM", "-e", "1"], include_str!("dkim/verify.pl")),
];

/// A server that sends to a sink, and a workspace.
struct World {
    server: TestServer,
    key: TestKey,
    sink: SmtpSink,
    /// Key records as they are published.
    records: BTreeMap<String, String>,
    dir: ScratchDir,
}

impl World {
    async fn new(ed25519: Ed25519) -> Self {
        let sink = SmtpSink::start().await;
        let address = sink.address;
        let change = move |config: &mut Config| {
            config.smtp.hostname = "mx.post.example".to_owned();
            config.delivery.mode = DeliveryMode::Direct;
            config.delivery.port = address.port();
            config.dkim.ed25519 = ed25519;
        };
        let server = TestServer::start(Options::default().configure(change)).await;
        server.dns.mx("far.example", 10, "mx.far.example");
        server.dns.address("mx.far.example", address.ip());
        let key = server.workspace(Plan::Team).await;
        Self { server, key, sink, records: BTreeMap::new(), dir: ScratchDir::new() }
    }

    fn api(&self) -> Api {
        self.server.api(&self.key)
    }

    /// Publishes what of a domain's records is not there yet.
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

    /// A verified domain; its path.
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

    /// Sends a mail with everything that signing must not stumble over; what the sink got.
    async fn send(&self, inbox: &str) -> String {
        let before = self.sink.received().len();
        self.accept(inbox).await;
        self.server.settle().await;
        self.sink.received()[before].data.clone()
    }

    /// Has such a mail accepted; nothing leaves yet.
    async fn accept(&self, inbox: &str) {
        let body = json!({
            "to": "Dana <dana@far.example>", "cc": ["eve@far.example"],
            "subject": "A   plan — with dashes, longer than a line of mail should be, so that it is folded somewhere",
            "text": "Here it is.  \n\n.\n..dots\nÄ trailing space \n\n\n\n", "html": "<p>Here it is.</p>",
        });
        self.api().post(&format!("/v1/inboxes/{inbox}/messages"), body).await.expect(202);
    }

    /// What each verifier says of each signature: `selector algorithm pass`.
    fn verdicts(&self, mail: &str) -> Vec<Vec<String>> {
        let keys = self.dir.path().join("keys.json");
        std::fs::write(&keys, serde_json::to_vec(&self.records).unwrap()).unwrap();
        VERIFIERS
            .iter()
            .filter(|(program, probe, _)| is_there(program, probe))
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
                let said = child.wait_with_output().unwrap();
                assert!(said.status.success(), "{program} broke");
                let mut lines: Vec<String> =
                    String::from_utf8(said.stdout).unwrap().lines().map(str::to_owned).collect();
                lines.sort();
                lines
            })
            .collect()
    }

    /// Every verifier must say this of every signature whose algorithm it knows; dkimpy knows both.
    fn expect(&self, mail: &str, expected: &[&str]) {
        for said in self.verdicts(mail) {
            let unknown: Vec<&str> = said.iter().filter_map(|line| line.strip_suffix(" unknown")).collect();
            assert!(unknown.iter().all(|line| line.ends_with("ed25519-sha256")), "RSA is known to all: {said:?}");
            let is_known = |line: &&str| !unknown.iter().any(|unknown| line.starts_with(unknown));
            let known: Vec<&str> = expected.iter().copied().filter(is_known).collect();
            let judged: Vec<&String> = said.iter().filter(|line| !line.ends_with(" unknown")).collect();
            assert_eq!(judged, known, "of this mail:\n{mail}");
            assert_eq!(said.len(), expected.len(), "of this mail:\n{mail}");
        }
    }

    /// Publishes a next key for the domain at that path, and switches to it.
    async fn rotate(&mut self, path: &str) {
        let rotating = self.api().post_empty(&format!("{path}/dkim/rotate")).await.expect(200).json.clone();
        self.publish(&rotating);
        let switched = self.api().post_empty(&format!("{path}/dkim/activate")).await.expect(200);
        assert_eq!(switched["dkim"]["selector"], "s2");
    }

    async fn default_keys(&mut self) {
        for record in signing::prepare(self.server.app()).await.unwrap() {
            self.server.dns.txt(&record.name, &record.text);
            self.records.insert(record.name, record.text);
        }
    }
}

fn is_there(program: &str, probe: &[&str]) -> bool {
    let found = Command::new(program).args(probe).stderr(Stdio::null()).status().is_ok_and(|status| status.success());
    assert!(found || std::env::var("CI").as_deref() != Ok("true"), "{program} lacks a library: scripts/need.sh test");
    if !found {
        println!("{program} lacks a library: it was not asked");
    }
    found
}

#[tokio::test]
async fn mail_of_an_own_domain_verifies_elsewhere_before_and_after_a_rotation() {
    let mut world = World::new(Ed25519::All).await;
    let path = world.domain().await;
    let inbox = world.inbox(Some(DOMAIN)).await;
    let first = world.send(&inbox).await;
    world.expect(&first, &["s1 rsa-sha256 pass", "s1e ed25519-sha256 pass"]);

    let changed = format!("{first}One line more.\r\n");
    world.expect(&changed, &["s1 rsa-sha256 fail", "s1e ed25519-sha256 fail"]);
    let added = format!("Subject: Another\r\n{first}");
    world.expect(&added, &["s1 rsa-sha256 fail", "s1e ed25519-sha256 fail"]);

    world.rotate(&path).await;
    let second = world.send(&inbox).await;
    world.expect(&second, &["s2 rsa-sha256 pass", "s2e ed25519-sha256 pass"]);
    world.expect(&first, &["s1 rsa-sha256 pass", "s1e ed25519-sha256 pass"]);
    world.server.finish().await;
}

#[tokio::test]
async fn mail_that_waits_is_signed_anew_once_its_domain_has_another_key() {
    let mut world = World::new(Ed25519::All).await;
    let path = world.domain().await;
    let inbox = world.inbox(Some(DOMAIN)).await;
    world.accept(&inbox).await;
    world.rotate(&path).await;
    world.server.settle().await;
    let mail = world.sink.received()[0].data.clone();
    world.expect(&mail, &["s2 rsa-sha256 pass", "s2e ed25519-sha256 pass"]);
    world.server.finish().await;
}

#[tokio::test]
async fn a_later_attempt_carries_the_signatures_of_the_acceptance() {
    let mut world = World::new(Ed25519::DefaultDomain).await;
    world.default_keys().await;
    let inbox = world.inbox(None).await;
    let accepted_s = world.server.app().clock.now().seconds();
    world.sink.script("RCPT TO", "450 4.2.0 greylisted, come back", 2);
    world.accept(&inbox).await;
    world.server.settle().await;
    assert_eq!(world.sink.received().len(), 0);
    world.server.advance(60_000).await;
    let mail = world.sink.received()[0].data.clone();
    assert_eq!(mail.matches(&format!("\r\n t={accepted_s}; h=")).count(), 2, "{mail}");
    world.expect(&mail, &["ph1e ed25519-sha256 pass", "ph1r rsa-sha256 pass"]);
    world.server.finish().await;
}

#[tokio::test]
async fn an_ed25519_key_signs_once_its_record_is_seen() {
    let mut world = World::new(Ed25519::All).await;
    let made = world.api().post("/v1/domains", json!({ "domain": DOMAIN })).await.expect(201).json.clone();
    let records = made["records"].as_array().unwrap();
    assert_eq!(records.len(), 6);
    assert_eq!(records[5]["name"], "s1e._domainkey.mail.acme.example");
    assert_eq!((&records[5]["key"], &records[5]["required"]), (&json!("dkim"), &json!(false)));
    assert!(records[5]["value"].as_str().unwrap().starts_with("v=DKIM1; k=ed25519; p="));
    world.publish(&json!({ "records": records[..5] }));
    let path = format!("/v1/domains/{}", made["id"].as_str().unwrap());
    let verified = world.api().post_empty(&format!("{path}/verify")).await.expect(200);
    assert_eq!(verified["status"], "verified", "it is not required");
    let inbox = world.inbox(Some(DOMAIN)).await;
    let mail = world.send(&inbox).await;
    world.expect(&mail, &["s1 rsa-sha256 pass"]);
    world.publish(&json!({ "records": [records[5]] }));
    world.server.clock.advance(10_000);
    let seen = world.api().post_empty(&format!("{path}/verify")).await.expect(200);
    assert_eq!(seen["records"][5]["status"], "ok");
    let mail = world.send(&inbox).await;
    world.expect(&mail, &["s1 rsa-sha256 pass", "s1e ed25519-sha256 pass"]);
    world.server.finish().await;
}

#[tokio::test]
async fn the_default_domain_signs_with_both_and_own_ones_with_rsa_alone() {
    let mut world = World::new(Ed25519::DefaultDomain).await;
    world.default_keys().await;
    world.domain().await;
    let (default, own) = (world.inbox(None).await, world.inbox(Some(DOMAIN)).await);
    let mail = world.send(&default).await;
    world.expect(&mail, &["ph1e ed25519-sha256 pass", "ph1r rsa-sha256 pass"]);
    let mail = world.send(&own).await;
    world.expect(&mail, &["s1 rsa-sha256 pass"]);
    world.server.finish().await;
}

#[tokio::test]
async fn an_operator_can_sign_with_rsa_alone() {
    let mut world = World::new(Ed25519::Off).await;
    world.default_keys().await;
    let inbox = world.inbox(None).await;
    let mail = world.send(&inbox).await;
    world.expect(&mail, &["ph1r rsa-sha256 pass"]);
    assert_eq!(world.records.len(), 1, "no record is asked for that nothing is signed with");
    world.server.finish().await;
}
