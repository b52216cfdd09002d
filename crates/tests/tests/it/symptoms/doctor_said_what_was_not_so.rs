//! `posthouse check` was green with an instance key that opens nothing, left out half of its checks without a word while the
//! database was down, and said that a name had no address when no name server had answered.

use std::net::UdpSocket;

use posthouse_store::Engine;
use posthouse_tests::{command, dir::ScratchDir, postgres::Cluster, process::Process, server::engine_of_run};
use serde_json::Value;

fn config(more: &str) -> String {
    format!(
        "{more}data_dir = \"data\"\nhttp.listen = \"127.0.0.1:0\"\nsmtp.listen = [\"127.0.0.1:0\"]\n\
         submission.listen = [\"127.0.0.1:0\"]\n"
    )
}

fn database() -> String {
    match engine_of_run() {
        Engine::Sqlite => String::new(),
        Engine::Postgres => format!("database_url = {:?}\n", Cluster::shared().create_database()),
    }
}

/// The exit code, and each line as `status what: advice`.
fn check(dir: &ScratchDir) -> (i32, Vec<String>) {
    let ran = command::run(dir.path(), &["check", "--json"]);
    let report: Value = serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{}{}", ran.out, ran.err));
    let text = |check: &Value, member: &str| check[member].as_str().unwrap_or_default().to_owned();
    let line = |check| format!("{} {}: {}", text(check, "status"), text(check, "check"), text(check, "advice"));
    (ran.code, report["checks"].as_array().unwrap().iter().map(line).collect())
}

fn says(lines: &[String], begin: &str, text: &str) {
    let found: Vec<&String> = lines.iter().filter(|line| line.starts_with(begin)).collect();
    assert!(found.len() == 1 && found[0].contains(text), "{begin}: {lines:?}");
}

#[test]
fn an_instance_key_that_is_not_that_of_the_store_is_a_failure() {
    let dir = ScratchDir::new();
    let config = config(&format!("{}delivery.mode = \"capture\"\ndns.nameservers = [\"127.0.0.1:9\"]\n", database()));
    let key = dir.path().join("data/instance.key");
    std::fs::write(dir.path().join("posthouse.toml"), &config).unwrap();
    let (code, lines) = check(&dir);
    assert_eq!(code, 0, "{lines:?}");
    says(&lines, "ok instance key: none yet", "the first start makes one");
    assert!(!key.exists(), "the doctor makes none");

    assert!(Process::start(dir.path(), &config).stop().success());
    let (code, lines) = check(&dir);
    assert_eq!(code, 0, "{lines:?}");
    says(&lines, "ok instance key:", "is that of the store");

    std::fs::remove_file(&key).unwrap();
    let (code, lines) = check(&dir);
    assert_eq!(code, 1);
    says(&lines, "failed instance key:", "bring it back from the backup");
    assert!(!key.exists(), "the doctor makes none");
    let other = format!("{}=\n", "A".repeat(43));
    let table =
        [(other.as_str(), "another instance key"), ("garbage", "must hold 32 bytes"), ("", "must hold 32 bytes")];
    for (text, expected) in table {
        std::fs::write(&key, text).unwrap();
        let (code, lines) = check(&dir);
        assert_eq!(code, 1, "{text:?}");
        says(&lines, "failed instance key:", expected);
    }
}

#[test]
fn what_the_database_is_needed_for_is_said_and_the_rest_is_looked_at() {
    let dir = ScratchDir::new();
    let more = "database_url = \"postgres://nobody@127.0.0.1:9/none?connect_timeout=1\"\ndelivery.mode = \"capture\"\n";
    std::fs::write(dir.path().join("posthouse.toml"), config(more)).unwrap();
    let (code, lines) = check(&dir);
    assert_eq!(code, 1);
    says(&lines, "failed database:", "check database_url");
    says(&lines, "warning not looked at without the database:", "the instance key, DNS records of the domains here");
    says(&lines, "ok outbound:", "nothing leaves this machine");
}

#[test]
fn a_silent_name_server_does_not_say_that_a_name_has_no_address() {
    let dir = ScratchDir::new();
    let silent = UdpSocket::bind("127.0.0.1:0").unwrap();
    let more = format!(
        "{}smtp.hostname = \"mx.post.test\"\nmail.default_domain = \"post.test\"\ndelivery.mode = \"direct\"\n\
         dns.nameservers = [\"{}\"]\n",
        database(),
        silent.local_addr().unwrap()
    );
    std::fs::write(dir.path().join("posthouse.toml"), config(&more)).unwrap();
    let (_, lines) = check(&dir);
    says(&lines, "warning A: mx.post.test", "could not be looked up: try again; check dns.nameservers");
    says(&lines, "warning blocklists:", "could not be looked up");
    says(&lines, "warning DKIM:", "post.test has no keys yet: start the service");
    assert!(!lines.iter().any(|line| line.contains("has no address")), "{lines:?}");
}
