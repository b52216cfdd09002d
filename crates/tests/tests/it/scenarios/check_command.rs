//! `posthouse check`: it reports missing DNS records and other problems, and following its advice fixes them.

use std::net::{Ipv4Addr, UdpSocket};

use posthouse_store::Engine;
use posthouse_tests::{
    command,
    dir::ScratchDir,
    dns::FakeDns,
    name_server,
    ports::{ReservedPort, reserve_at_all},
    postgres::Cluster,
    process::ServiceProcess,
    server::engine_of_run,
    smtp_sink::SmtpSink,
};
use serde_json::{Value, json};

fn config(name_server: &str, port: &ReservedPort) -> String {
    let port = port.address().port();
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
    let result = command::run(dir.path(), &["check", "--json"]);
    let report: Value = serde_json::from_str(&result.out).unwrap_or_else(|_| panic!("{}{}", result.out, result.err));
    assert_eq!(report["ok"], json!(result.code == 0), "{report}");
    (result.code, report["checks"].as_array().unwrap().clone())
}

/// Returns the status and the text of each check whose name begins with `begin`.
fn checks_named(checks: &[Value], begin: &str) -> Vec<(String, String)> {
    let text = |check: &Value, member: &str| check[member].as_str().unwrap_or_default().to_owned();
    let chosen = checks.iter().filter(|check| text(check, "check").starts_with(begin));
    chosen
        .map(|check| (text(check, "status"), format!("{}: {}", text(check, "check"), text(check, "advice"))))
        .collect()
}

/// Asserts that each of these checks ran once, with this status and this text.
fn expect(checks: &[Value], expected: &[(&str, &str, &str)]) {
    for (begin, status, text) in expected {
        let found = checks_named(checks, begin);
        assert!(found.len() == 1 && found[0].0 == *status && found[0].1.contains(text), "{begin}: {found:?}");
    }
}

/// Publishes the records that the advice asks for.
fn follow_advice(dns: &FakeDns, checks: &[Value]) {
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
async fn following_the_advice_fixes_every_problem() {
    let (dir, dns) = (ScratchDir::new(), FakeDns::default());
    let [port, _remote_port] = reserve_at_all([Ipv4Addr::LOCALHOST, SmtpSink::SECOND]);
    let remote = SmtpSink::at(SmtpSink::SECOND, port.address().port()).await;
    dns.mx("gmail.com", 5, "mx.gmail.test");
    dns.address("mx.gmail.test", remote.address.ip());
    let service = ServiceProcess::start(dir.path(), &config(&name_server::serve_records(&dns).to_string(), &port));
    let _ = command::run(dir.path(), &["domain", "add", "mail.acme.test"]).success();

    let (code, checks) = check(&dir);
    assert_eq!(code, 1);
    let expected = [
        ("MX: agents.post.test", "failed", "has no record: publish MX 10 mx.post.test."),
        ("MX: tmp.agents.post.test", "warning", "publish MX 10 mx.post.test."),
        ("SPF: agents.post.test", "failed", "publish TXT \"v=spf1 a:mx.post.test ~all\""),
        ("DKIM: ph1r._domainkey.agents.post.test", "failed", "publish TXT \"v=DKIM1; k=rsa; p="),
        ("DKIM: ph1e._domainkey.agents.post.test", "failed", "publish TXT \"v=DKIM1; k=ed25519; p="),
        ("DMARC: _dmarc.agents.post.test", "failed", "publish TXT \"v=DMARC1; p=quarantine\""),
        (
            "domain: SPF of mail.acme.test",
            "failed",
            "posthouse domain show mail.acme.test --config posthouse.toml prints",
        ),
        ("A: mx.post.test", "failed", "has no address: publish an A or AAAA record"),
        ("outbound: port", "ok", "is open"),
    ];
    expect(&checks, &expected);

    follow_advice(&dns, &checks);
    dns.address("mx.post.test", [127, 0, 0, 1].into());
    dns.import_zone(&command::run(dir.path(), &["domain", "show", "mail.acme.test", "--zone-file"]).success());
    let (code, checks) = check(&dir);
    assert_eq!(code, 0, "{checks:?}");
    // Resolvers answer for the loopback name themselves (RFC 6761 §6.3).
    expect(&checks, &[("PTR: 127.0.0.1 is localhost", "warning", "or set smtp.hostname to localhost")]);
    for begin in ["MX:", "SPF:", "DKIM:", "DMARC:", "domain:", "A:", "inbound:", "outbound:", "blocklists:"] {
        let found = checks_named(&checks, begin);
        assert!(!found.is_empty() && found.iter().all(|(status, _)| status == "ok"), "{begin} {found:?}");
    }
    assert!(checks_named(&checks, "inbound:")[0].1.contains("answers as mx.post.test"));
    let text = command::run(dir.path(), &["check"]).success();
    assert!(text.lines().all(|line| line.starts_with("ok ") || line.starts_with("warning ")), "{text}");

    // Each problem is introduced again.
    dns.remove("agents.post.test");
    dns.txt("agents.post.test", "v=spf1 ip4:192.0.2.1 -all");
    dns.mx("agents.post.test", 5, "mx.elsewhere.test");
    dns.fail("_dmarc.agents.post.test", true);
    dns.remove("mx.post.test");
    dns.address("mx.post.test", remote.address.ip());
    let (code, checks) = check(&dir);
    assert_eq!(code, 1);
    let expected = [
        ("MX: agents.post.test", "failed", "is not accepted (5 mx.elsewhere.test). Mail goes to mx.elsewhere.test"),
        (
            "SPF: agents.post.test",
            "failed",
            "is not accepted (v=spf1 ip4:192.0.2.1 -all). The record doesn't allow mx.post.test",
        ),
        ("DMARC:", "warning", "could not be looked up"),
        ("inbound:", "failed", "forward the port to this service"),
    ];
    expect(&checks, &expected);
    assert!(service.stop().success());
    assert!(checks_named(&check(&dir).1, "inbound:")[0].1.contains("the service is not running"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_silent_name_server_does_not_block_the_check() {
    let dir = ScratchDir::new();
    let silent = UdpSocket::bind("127.0.0.1:0").unwrap();
    let config = config(&silent.local_addr().unwrap().to_string(), &ReservedPort::new());
    std::fs::write(dir.path().join("posthouse.toml"), config).unwrap();
    let (_, checks) = check(&dir);
    assert!(checks_named(&checks, "MX: agents.post.test")[0].1.contains("could not be looked up"), "{checks:?}");
    assert!(checks_named(&checks, "outbound:")[0].1.contains("was not tested"), "{checks:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_check_covers_the_source_addresses() {
    let (dir, dns, port) = (ScratchDir::new(), FakeDns::default(), ReservedPort::new());
    let sources = "delivery.source_addresses = [\"127.0.0.7\", \"127.0.0.8 out8.post.test\", \"192.0.2.9\"]\n";
    let config = format!("{}{sources}", config(&name_server::serve_records(&dns).to_string(), &port));
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
            "does not resolve back to it: publish 192.0.2.9 as an A or AAAA record of mx.post.test",
        ),
        ("SPF: source address 127.0.0.8", "warning", "add it as an A or AAAA record of mx.post.test"),
        ("SPF: source address 192.0.2.9", "warning", "is not an address of mx.post.test"),
    ];
    expect(&checks, &expected);
    assert!(checks_named(&checks, "SPF: source address 127.0.0.7").is_empty(), "{checks:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_listener_behind_a_local_proxy_is_recognized_as_this_service() {
    let (dir, dns, port) = (ScratchDir::new(), FakeDns::default(), ReservedPort::new());
    let proxied = "smtp.proxy_protocol_from = [\"127.0.0.0/8\"]\n";
    let config = format!("{}{proxied}", config(&name_server::serve_records(&dns).to_string(), &port));
    let service = ServiceProcess::start(dir.path(), &config);
    let (_, checks) = check(&dir);
    expect(&checks, &[("port: smtp.listen", "ok", "is in use by the running service")]);
    assert!(service.stop().success());
}

/// Both stores are served, and a configuration names the ports of the other service: they passed for those of the own one.
#[tokio::test(flavor = "multi_thread")]
async fn the_server_of_another_store_is_not_taken_for_the_service() {
    const KEYS: [&str; 3] = ["http.listen", "smtp.listen", "submission.listen"];
    let name_server = name_server::serve_records(&FakeDns::default()).to_string();
    let ports: [[ReservedPort; 3]; 2] = std::array::from_fn(|_| std::array::from_fn(|_| ReservedPort::new()));
    let dirs = [ScratchDir::new(), ScratchDir::new()];
    let configs = [0, 1].map(|one: usize| config(&name_server, &ports[one][1]));
    // The ports of one service with the store of another.
    let listening = |store: usize, service: usize| {
        let address = |at: usize| ports[service][at].address().to_string();
        let own = configs[store].replace(&ports[store][1].address().to_string(), &address(1));
        own.replacen("127.0.0.1:0", &address(0), 1).replacen("127.0.0.1:0", &address(2), 1)
    };
    let services = [0, 1].map(|one| ServiceProcess::start(dirs[one].path(), &listening(one, one)));
    for (store, service) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        std::fs::write(dirs[store].path().join("posthouse.toml"), listening(store, service)).unwrap();
        let (_, checks) = check(&dirs[store]);
        for key in KEYS {
            let (status, text) = if store == service {
                ("ok", "is in use by the running service")
            } else {
                ("failed", "is in use by another program or the service of another store")
            };
            expect(&checks, &[(&format!("port: {key}"), status, text)]);
        }
    }
    for service in services {
        assert!(service.stop().success());
    }
}
