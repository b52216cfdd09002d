//! `posthouse check`: what is missing in the world outside, and that doing what it says is enough.

use std::net::{Ipv4Addr, UdpSocket};

use posthouse_store::Engine;
use posthouse_tests::{
    command, dir::ScratchDir, dns::FakeDns, name_server, postgres::Cluster, process::Process, server::engine_of_run,
    smtp_sink::SmtpSink,
};
use serde_json::{Value, json};

/// A port that is free at several addresses of loopback.
fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("loopback can be listened on");
    listener.local_addr().expect("a bound listener has an address").port()
}

fn config(name_server: &str, port: u16) -> String {
    let database = match engine_of_run() {
        Engine::Sqlite => String::new(),
        Engine::Postgres => format!("database_url = {:?}\n", Cluster::shared().create_database()),
    };
    format!(
        "{database}data_dir = \"data\"\nhttp.listen = \"127.0.0.1:0\"\nsmtp.listen = [\"127.0.0.1:{port}\"]\n\
         submission.listen = [\"127.0.0.1:0\"]\nsmtp.hostname = \"mx.post.test\"\nbase_url = \"https://mx.post.test\"\n\
         mail.default_domain = \"agents.post.test\"\ndelivery.mode = \"direct\"\ndelivery.port = {port}\n\
         delivery.allow_private_networks = true\ndns.nameservers = [\"{name_server}\"]\n"
    )
}

fn check(dir: &ScratchDir) -> (i32, Vec<Value>) {
    let ran = command::run(dir.path(), &["check", "--json"]);
    let report: Value = serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{}{}", ran.out, ran.err));
    assert_eq!(report["ok"], json!(ran.code == 0), "{report}");
    (ran.code, report["checks"].as_array().unwrap().clone())
}

/// The checks that begin so: how they came out, and what they say.
fn of(checks: &[Value], begin: &str) -> Vec<(String, String)> {
    let text = |check: &Value, member: &str| check[member].as_str().unwrap_or_default().to_owned();
    let chosen = checks.iter().filter(|check| text(check, "check").starts_with(begin));
    chosen
        .map(|check| (text(check, "status"), format!("{}: {}", text(check, "check"), text(check, "advice"))))
        .collect()
}

/// Each check, by how it begins, came out once and so and says that.
fn expect(checks: &[Value], expected: &[(&str, &str, &str)]) {
    for (begin, status, text) in expected {
        let found = of(checks, begin);
        assert!(found.len() == 1 && found[0].0 == *status && found[0].1.contains(text), "{begin}: {found:?}");
    }
}

/// Publishes what the advice says, as somebody does who reads it.
fn obey(dns: &FakeDns, checks: &[Value]) {
    for check in checks.iter().filter(|check| check["status"] != "ok") {
        let (what, advice) = (check["check"].as_str().unwrap(), check["advice"].as_str().unwrap());
        let name = what.split_whitespace().nth(1).unwrap();
        if let Some(text) = advice.strip_prefix("publish TXT \"") {
            dns.txt(name, text.trim_end_matches('"'));
        } else if let Some(host) = advice.strip_prefix("publish MX 10 ") {
            dns.mx(name, 10, host.trim_end_matches('.'));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn doing_what_the_doctor_says_is_enough() {
    let (dir, dns, port) = (ScratchDir::new(), FakeDns::default(), free_port());
    let far = SmtpSink::at(Ipv4Addr::new(127, 0, 0, 2), port).await;
    dns.mx("gmail.com", 5, "mx.gmail.test");
    dns.address("mx.gmail.test", far.address.ip());
    let service = Process::start(dir.path(), &config(&name_server::serve_records(&dns).to_string(), port));
    let _ = command::run(dir.path(), &["domain", "add", "mail.acme.test"]).well();

    let (code, checks) = check(&dir);
    assert_eq!(code, 1);
    let expected = [
        ("MX: agents.post.test", "failed", "has no record: publish MX 10 mx.post.test."),
        ("MX: tmp.agents.post.test", "warning", "publish MX 10 mx.post.test."),
        ("SPF: agents.post.test", "warning", "publish TXT \"v=spf1 a:mx.post.test ~all\""),
        ("DKIM: ph1r._domainkey.agents.post.test", "warning", "publish TXT \"v=DKIM1; k=rsa; p="),
        ("DKIM: ph1e._domainkey.agents.post.test", "warning", "publish TXT \"v=DKIM1; k=ed25519; p="),
        ("DMARC: _dmarc.agents.post.test", "warning", "publish TXT \"v=DMARC1; p=quarantine\""),
        ("domain: SPF of mail.acme.test", "warning", "posthouse domain show mail.acme.test prints the record"),
        ("A: mx.post.test", "failed", "has no address: publish an A or AAAA record"),
        ("outbound: port", "ok", "is open"),
    ];
    expect(&checks, &expected);

    obey(&dns, &checks);
    dns.address("mx.post.test", [127, 0, 0, 1].into());
    dns.import(&command::run(dir.path(), &["domain", "show", "mail.acme.test", "--zone-file"]).well());
    let (code, checks) = check(&dir);
    assert_eq!(code, 0, "{checks:?}");
    // Resolvers know the name of loopback themselves (RFC 6761 §6.3).
    expect(&checks, &[("PTR: 127.0.0.1 is localhost", "warning", "or say localhost in smtp.hostname")]);
    for begin in ["MX:", "SPF:", "DKIM:", "DMARC:", "domain:", "A:", "inbound:", "outbound:", "blocklists:"] {
        let found = of(&checks, begin);
        assert!(!found.is_empty() && found.iter().all(|(status, _)| status == "ok"), "{begin} {found:?}");
    }
    assert!(of(&checks, "inbound:")[0].1.contains("answers as mx.post.test"));
    let text = command::run(dir.path(), &["check"]).well();
    assert!(text.lines().all(|line| line.starts_with("ok ") || line.starts_with("warning ")), "{text}");

    // Broken again, one by one.
    dns.remove("agents.post.test");
    dns.txt("agents.post.test", "v=spf1 ip4:192.0.2.1 -all");
    dns.mx("agents.post.test", 5, "mx.elsewhere.test");
    dns.fail("_dmarc.agents.post.test", true);
    dns.remove("mx.post.test");
    dns.address("mx.post.test", far.address.ip());
    let (code, checks) = check(&dir);
    assert_eq!(code, 1);
    let expected = [
        ("MX: agents.post.test", "failed", "leads elsewhere (5 mx.elsewhere.test)"),
        ("SPF: agents.post.test", "warning", "does not name this server (v=spf1 ip4:192.0.2.1 -all)"),
        ("DMARC:", "warning", "could not be looked up"),
        ("inbound:", "failed", "lead the port to this service"),
    ];
    expect(&checks, &expected);
    assert!(service.stop().success());
    assert!(of(&check(&dir).1, "inbound:")[0].1.contains("nobody listens"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_silent_name_server_does_not_keep_the_doctor() {
    let dir = ScratchDir::new();
    let silent = UdpSocket::bind("127.0.0.1:0").unwrap();
    let config = config(&silent.local_addr().unwrap().to_string(), free_port());
    std::fs::write(dir.path().join("posthouse.toml"), config).unwrap();
    let (_, checks) = check(&dir);
    assert!(of(&checks, "MX: agents.post.test")[0].1.contains("could not be looked up"), "{checks:?}");
    assert!(of(&checks, "outbound:")[0].1.contains("was not tried"), "{checks:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_doctor_looks_at_the_addresses_that_mail_leaves_from() {
    let (dir, dns, port) = (ScratchDir::new(), FakeDns::default(), free_port());
    let sources = "delivery.source_addresses = [\"127.0.0.7\", \"127.0.0.8 out8.post.test\", \"192.0.2.9\"]\n";
    let config = format!("{}{sources}", config(&name_server::serve_records(&dns).to_string(), port));
    std::fs::write(dir.path().join("posthouse.toml"), config).unwrap();
    dns.address("mx.post.test", [127, 0, 0, 7].into());
    dns.ptr("7.0.0.127.in-addr.arpa", "mx.post.test");
    dns.ptr("8.0.0.127.in-addr.arpa", "out8.post.test");
    dns.ptr("9.2.0.192.in-addr.arpa", "mx.post.test");
    let (_, checks) = check(&dir);
    let expected = [
        ("source: 127.0.0.7 is an address", "ok", ""),
        ("source: 127.0.0.8 is an address", "ok", ""),
        ("source: 192.0.2.9 cannot be used", "failed", "correct delivery.source_addresses"),
        (
            "PTR: 192.0.2.9",
            "warning",
            "does not lead back to it: publish 192.0.2.9 as an A or AAAA record of mx.post.test",
        ),
        ("SPF: mail leaves from 127.0.0.8", "warning", "publish it as one more A or AAAA record of mx.post.test"),
        ("SPF: mail leaves from 192.0.2.9", "warning", "is no address of mx.post.test"),
    ];
    expect(&checks, &expected);
    assert!(of(&checks, "SPF: mail leaves from 127.0.0.7").is_empty(), "{checks:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_listener_behind_a_proxy_on_this_machine_is_not_called_another_program() {
    let (dir, dns, port) = (ScratchDir::new(), FakeDns::default(), free_port());
    let proxied = "smtp.proxy_protocol_from = [\"127.0.0.0/8\"]\n";
    let config = format!("{}{proxied}", config(&name_server::serve_records(&dns).to_string(), port));
    let service = Process::start(dir.path(), &config);
    let (_, checks) = check(&dir);
    expect(&checks, &[("port: smtp.listen", "ok", "is in use; by the running service")]);
    assert!(service.stop().success());
}
