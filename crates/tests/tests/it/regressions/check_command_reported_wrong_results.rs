//! `posthouse check` succeeded with a wrong instance key, silently skipped half of its checks while the database was
//! down, and reported a missing address when no nameserver had answered.

use std::net::UdpSocket;

use posthouse_store::Engine;
use posthouse_tests::{
    command,
    dir::ScratchDir,
    postgres::{self, Cluster},
    process::ServiceProcess,
    server::engine_of_run,
};
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

/// Returns the exit code, and each check as `status check: advice`.
fn check(dir: &ScratchDir) -> (i32, Vec<String>) {
    let result = command::run(dir.path(), &["check", "--json"]);
    let report: Value = serde_json::from_str(&result.out).unwrap_or_else(|_| panic!("{}{}", result.out, result.err));
    let text = |check: &Value, member: &str| check[member].as_str().unwrap_or_default().to_owned();
    let line = |check| format!("{} {}: {}", text(check, "status"), text(check, "check"), text(check, "advice"));
    (result.code, report["checks"].as_array().unwrap().iter().map(line).collect())
}

fn assert_line(lines: &[String], begin: &str, text: &str) {
    let found: Vec<&String> = lines.iter().filter(|line| line.starts_with(begin)).collect();
    assert!(found.len() == 1 && found[0].contains(text), "{begin}: {lines:?}");
}

#[test]
fn a_wrong_instance_key_is_a_failure() {
    let dir = ScratchDir::new();
    let config = config(&format!("{}delivery.mode = \"capture\"\ndns.nameservers = [\"127.0.0.1:9\"]\n", database()));
    let key = dir.path().join("data/instance.key");
    std::fs::write(dir.path().join("posthouse.toml"), &config).unwrap();
    let (code, lines) = check(&dir);
    assert_eq!(code, 0, "{lines:?}");
    assert_line(&lines, "ok instance key: none yet", "the first start creates one");
    assert!(!key.exists(), "the check creates none");

    assert!(ServiceProcess::start(dir.path(), &config).stop().success());
    let (code, lines) = check(&dir);
    assert_eq!(code, 0, "{lines:?}");
    assert_line(&lines, "ok instance key:", "belongs to this store");

    std::fs::remove_file(&key).unwrap();
    let (code, lines) = check(&dir);
    assert_eq!(code, 1);
    assert_line(&lines, "failed instance key:", "restore it from the backup");
    assert!(!key.exists(), "the check creates none");
    let other = format!("{}=\n", "A".repeat(43));
    let table =
        [(other.as_str(), "another instance key"), ("garbage", "must hold 32 bytes"), ("", "must hold 32 bytes")];
    for (text, expected) in table {
        std::fs::write(&key, text).unwrap();
        let (code, lines) = check(&dir);
        assert_eq!(code, 1, "{text:?}");
        assert_line(&lines, "failed instance key:", expected);
    }
}

#[test]
fn without_a_database_the_skipped_checks_are_listed_and_the_others_run() {
    let dir = ScratchDir::new();
    let more = "database_url = \"postgres://nobody@127.0.0.1:9/none?connect_timeout=1\"\ndelivery.mode = \"capture\"\n";
    std::fs::write(dir.path().join("posthouse.toml"), config(more)).unwrap();
    let (code, lines) = check(&dir);
    assert_eq!(code, 1);
    assert_line(&lines, "failed database:", "check database_url");
    assert_line(
        &lines,
        "warning skipped without the database:",
        "the instance key, DNS records of the default, temporary and custom domains",
    );
    assert_line(&lines, "ok outbound:", "nothing leaves this machine");
}

#[test]
fn a_silent_name_server_is_not_reported_as_a_missing_address() {
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
    assert_line(&lines, "warning A: mx.post.test", "could not be looked up: try again; check dns.nameservers");
    assert_line(&lines, "warning blocklists:", "could not be looked up");
    assert_line(&lines, "warning DKIM:", "post.test has no keys yet: start the service");
    assert!(!lines.iter().any(|line| line.contains("has no address")), "{lines:?}");
}

/// An operator class whose order changes, as in PostgreSQL's own tests of amcheck.
const CHANGING_ORDER: &str = "CREATE EXTENSION amcheck;
    CREATE FUNCTION changing(a int4, b int4) RETURNS int LANGUAGE sql AS $$ SELECT btint4cmp($1, $2) $$;
    CREATE OPERATOR CLASS changing_ops FOR TYPE int4 USING btree AS
        OPERATOR 1 < (int4, int4), OPERATOR 2 <= (int4, int4), OPERATOR 3 = (int4, int4), OPERATOR 4 >= (int4, int4),
        OPERATOR 5 > (int4, int4), FUNCTION 1 changing(int4, int4);
    CREATE TABLE changing_order (i int4);
    INSERT INTO changing_order SELECT generate_series(1, 1000);
    CREATE INDEX damaged_index ON changing_order USING btree (i changing_ops)";

#[test]
fn a_damaged_index_of_postgresql_is_a_failure() {
    if engine_of_run() == Engine::Sqlite {
        return;
    }
    let dir = ScratchDir::new();
    let url = Cluster::shared().create_database();
    let more = format!("database_url = {url:?}\ndelivery.mode = \"capture\"\ndns.nameservers = [\"127.0.0.1:9\"]\n");
    assert!(ServiceProcess::start(dir.path(), &config(&more)).stop().success());
    let (code, lines) = check(&dir);
    assert_eq!(code, 0, "{lines:?}");
    assert_line(&lines, "warning integrity:", "the database");
    assert!(lines.iter().any(|line| line.contains("the amcheck extension is not installed")), "{lines:?}");

    postgres::execute(&url, [CHANGING_ORDER.to_owned()]);
    let (code, lines) = check(&dir);
    assert_eq!(code, 0, "{lines:?}");
    assert!(!lines.iter().any(|line| line.contains("amcheck")), "{lines:?}");

    let reversed = "CREATE OR REPLACE FUNCTION changing(a int4, b int4) RETURNS int LANGUAGE sql AS
        $$ SELECT btint4cmp($2, $1) $$";
    postgres::execute(&url, [reversed.to_owned()]);
    let (code, lines) = check(&dir);
    assert_eq!(code, 1, "{lines:?}");
    assert!(lines.iter().any(|line| line.starts_with("failed") && line.contains("damaged_index")), "{lines:?}");
}
