//! A database whose log was truncated or removed after a crash, or that was replaced with an older copy, was served
//! without a warning although acknowledged messages were lost.

use std::path::PathBuf;

use posthouse_store::Engine;
use posthouse_tests::{
    command, dir::ScratchDir, postgres::Cluster, process::ServiceProcess, server::engine_of_run, smtp::TestSmtpClient,
};
use serde_json::Value;

/// Number of acknowledged messages.
const MAILS: usize = 5;

const CONFIG: &str = "data_dir = \"data\"\nhttp.listen = \"127.0.0.1:0\"\nsmtp.listen = [\"127.0.0.1:0\"]\n\
    submission.listen = [\"127.0.0.1:0\"]\ndelivery.mode = \"capture\"\ndns.nameservers = [\"127.0.0.1:9\"]\n";

fn log_of(dir: &ScratchDir) -> PathBuf {
    dir.path().join("data/posthouse.db-wal")
}

/// Returns the numbers in the warning of a start: expected and found commits.
fn warning_numbers(process: &ServiceProcess) -> Option<(u64, u64)> {
    let lines = process.log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut warnings = lines.filter(|line| line["message"] == "store.commits_lost");
    let warning = warnings.next()?;
    assert!(warnings.next().is_none(), "once: {}", process.log);
    assert_eq!(warning["level"], "WARN");
    let (expected, found) = (warning["expected_commits"].as_u64()?, warning["found_commits"].as_u64()?);
    assert_eq!(warning["lost_commits"].as_u64(), Some(expected - found));
    Some((expected, found))
}

/// Starts the service, delivers messages and kills it.
async fn crash(dir: &ScratchDir) {
    deliver(dir, CONFIG).await.kill();
}

/// Starts the service and delivers messages.
async fn deliver(dir: &ScratchDir, config: &str) -> ServiceProcess {
    let process = ServiceProcess::start(dir.path(), config);
    assert_eq!(warning_numbers(&process), None, "{}", process.log);
    let mut smtp = TestSmtpClient::connect_with_ehlo(process.address("smtp")).await;
    for n in 0..MAILS {
        let raw = format!("From: a@elsewhere.example\r\nSubject: {n}\r\n\r\nHello.\r\n");
        smtp.mail("a@elsewhere.example", &["welcome@agents.localhost"], raw.as_bytes()).await.expect(250);
    }
    process
}

#[tokio::test(flavor = "multi_thread")]
async fn a_truncated_log_is_reported_at_the_start_with_the_lost_commits() {
    if engine_of_run() == Engine::Postgres {
        return;
    }
    for cut in ["the last byte", "half", "removed"] {
        let dir = ScratchDir::new();
        // The clean stop writes everything to the database file itself.
        assert!(ServiceProcess::start(dir.path(), CONFIG).stop().success());
        crash(&dir).await;
        let log = log_of(&dir);
        let bytes = std::fs::read(&log).unwrap();
        match cut {
            "the last byte" => std::fs::write(&log, &bytes[..bytes.len() - 1]).unwrap(),
            "half" => std::fs::write(&log, &bytes[..bytes.len() / 2]).unwrap(),
            _ => std::fs::remove_file(&log).unwrap(),
        }
        let check = command::run(dir.path(), &["check", "--quick", "--json"]);
        assert!(check.out.contains("commits are missing"), "{cut}: {}", check.out);
        let process = ServiceProcess::start(dir.path(), CONFIG);
        let (expected, found) = warning_numbers(&process).unwrap_or_else(|| panic!("{cut}: {}", process.log));
        assert!(found < expected && expected > MAILS as u64, "{cut}: {found} of {expected}");
        process.kill();
        let process = ServiceProcess::start(dir.path(), CONFIG);
        assert_eq!(warning_numbers(&process), None, "{cut}: warned once");
        assert!(process.stop().success());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_older_copy_is_reported_but_a_restored_backup_is_not() {
    if engine_of_run() == Engine::Postgres {
        return;
    }
    let dir = ScratchDir::new();
    crash(&dir).await;
    let backup = dir.path().join("backup.tar");
    let _ = command::run(dir.path(), &["backup", backup.to_str().unwrap()]).success();
    let database = dir.path().join("data/posthouse.db");
    let older = std::fs::read(&database).unwrap();
    assert!(!log_of(&dir).exists(), "the command closed the database");
    crash(&dir).await;
    let _ = std::fs::remove_file(log_of(&dir));
    std::fs::write(&database, older).unwrap();
    let process = ServiceProcess::start(dir.path(), CONFIG);
    assert!(warning_numbers(&process).is_some(), "{}", process.log);
    assert!(process.stop().success());

    let _ = command::run(dir.path(), &["restore", backup.to_str().unwrap(), "--data-dir", "restored"]).success();
    let process = ServiceProcess::start(dir.path(), &CONFIG.replace("\"data\"", "\"restored\""));
    assert_eq!(warning_numbers(&process), None, "{}", process.log);
    assert!(process.stop().success());
}

/// Kills, commands beside the service and clean stops lose nothing and cause no warning.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_reported_if_nothing_was_lost() {
    if engine_of_run() == Engine::Postgres {
        return;
    }
    let dir = ScratchDir::new();
    for _ in 0..3 {
        crash(&dir).await;
    }
    let create = ["workspace", "create", "--name", "x", "--owner", "o@example.org"];
    let _ = command::run(dir.path(), &create).success();
    let process = ServiceProcess::start(dir.path(), CONFIG);
    assert_eq!(warning_numbers(&process), None, "{}", process.log);
    let _ = command::run(dir.path(), &create).success();
    assert!(process.stop().success());
    let process = ServiceProcess::start(dir.path(), CONFIG);
    assert_eq!(warning_numbers(&process), None, "{}", process.log);
    assert!(process.stop().success());
}

/// PostgreSQL has many writers, so the mark counts one commit per cycle and one at the stop.
#[tokio::test(flavor = "multi_thread")]
async fn an_older_copy_in_postgresql_is_reported() {
    if engine_of_run() == Engine::Sqlite {
        return;
    }
    let dir = ScratchDir::new();
    let (database, older) = (Cluster::shared().create_database(), Cluster::shared().create_database());
    let config_of = |url: &str| format!("database_url = {url:?}\n{CONFIG}");
    assert!(deliver(&dir, &config_of(&database)).await.stop().success());
    Cluster::shared().copy_database(&database, &older);
    for _ in 0..2 {
        assert!(deliver(&dir, &config_of(&database)).await.stop().success());
    }

    std::fs::write(dir.path().join("posthouse.toml"), config_of(&older)).unwrap();
    let check = command::run(dir.path(), &["check", "--quick", "--json"]);
    assert!(check.out.contains("commits are missing"), "{}", check.out);
    let process = ServiceProcess::start(dir.path(), &config_of(&older));
    let (expected, found) = warning_numbers(&process).unwrap_or_else(|| panic!("{}", process.log));
    assert!(found > 0 && found < expected, "{found} of {expected}");
    assert!(process.stop().success());
    let process = ServiceProcess::start(dir.path(), &config_of(&older));
    assert_eq!(warning_numbers(&process), None, "warned once: {}", process.log);
    assert!(process.stop().success());
}
