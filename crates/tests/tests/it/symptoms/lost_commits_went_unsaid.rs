//! A database whose log was cut off or removed after a crash, or that was replaced by an older copy, was served as if nothing
//! had happened: mail that had been acknowledged was gone, and nobody was told.

use std::path::PathBuf;

use posthouse_store::Engine;
use posthouse_tests::{command, dir::ScratchDir, process::Process, server::engine_of_run, smtp::SmtpClient};
use serde_json::Value;

/// Mails that are acknowledged.
const MAILS: usize = 5;

const CONFIG: &str = "data_dir = \"data\"\nhttp.listen = \"127.0.0.1:0\"\nsmtp.listen = [\"127.0.0.1:0\"]\n\
    submission.listen = [\"127.0.0.1:0\"]\ndelivery.mode = \"capture\"\ndns.nameservers = [\"127.0.0.1:9\"]\n";

fn log_of(dir: &ScratchDir) -> PathBuf {
    dir.path().join("data/posthouse.db-wal")
}

/// The warning of a start: what it expected and what it found.
fn warned(process: &Process) -> Option<(u64, u64)> {
    let lines = process.logged.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut warnings = lines.filter(|line| line["message"] == "store.went_back");
    let warning = warnings.next()?;
    assert!(warnings.next().is_none(), "once: {}", process.logged);
    assert_eq!(warning["level"], "WARN");
    let (expected, found) = (warning["expected_commits"].as_u64()?, warning["found_commits"].as_u64()?);
    assert_eq!(warning["lost_commits"].as_u64(), Some(expected - found));
    Some((expected, found))
}

/// Starts, takes mail in and is killed.
async fn crash(dir: &ScratchDir) {
    let process = Process::start(dir.path(), CONFIG);
    assert_eq!(warned(&process), None, "{}", process.logged);
    let mut smtp = SmtpClient::greeted(process.address("smtp")).await;
    for n in 0..MAILS {
        let raw = format!("From: a@elsewhere.example\r\nSubject: {n}\r\n\r\nHello.\r\n");
        smtp.mail("a@elsewhere.example", &["welcome@agents.localhost"], raw.as_bytes()).await.expect(250);
    }
    process.kill();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_that_was_cut_off_is_said_at_the_start_with_the_numbers() {
    if engine_of_run() == Engine::Postgres {
        return;
    }
    for cut in ["the last byte", "half", "removed"] {
        let dir = ScratchDir::new();
        // Its end brings what there is into the database itself.
        assert!(Process::start(dir.path(), CONFIG).stop().success());
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
        let process = Process::start(dir.path(), CONFIG);
        let (expected, found) = warned(&process).unwrap_or_else(|| panic!("{cut}: {}", process.logged));
        assert!(found < expected && expected > MAILS as u64, "{cut}: {found} of {expected}");
        process.kill();
        let process = Process::start(dir.path(), CONFIG);
        assert_eq!(warned(&process), None, "{cut}: it is said once");
        assert!(process.stop().success());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_older_copy_is_said_and_a_restored_one_is_not() {
    if engine_of_run() == Engine::Postgres {
        return;
    }
    let dir = ScratchDir::new();
    crash(&dir).await;
    let backup = dir.path().join("backup.tar");
    let _ = command::run(dir.path(), &["backup", backup.to_str().unwrap()]).well();
    let database = dir.path().join("data/posthouse.db");
    let older = std::fs::read(&database).unwrap();
    assert!(!log_of(&dir).exists(), "the command closed the database");
    crash(&dir).await;
    let _ = std::fs::remove_file(log_of(&dir));
    std::fs::write(&database, older).unwrap();
    let process = Process::start(dir.path(), CONFIG);
    assert!(warned(&process).is_some(), "{}", process.logged);
    assert!(process.stop().success());

    let _ = command::run(dir.path(), &["restore", backup.to_str().unwrap(), "--data-dir", "restored"]).well();
    let process = Process::start(dir.path(), &CONFIG.replace("\"data\"", "\"restored\""));
    assert_eq!(warned(&process), None, "{}", process.logged);
    assert!(process.stop().success());
}

/// Kills, commands beside the service and clean ends lose nothing, and nothing is said.
#[tokio::test(flavor = "multi_thread")]
async fn what_lost_nothing_is_never_warned_of() {
    if engine_of_run() == Engine::Postgres {
        return;
    }
    let dir = ScratchDir::new();
    for _ in 0..3 {
        crash(&dir).await;
    }
    let create = ["workspace", "create", "--name", "x", "--owner", "o@example.org"];
    let _ = command::run(dir.path(), &create).well();
    let process = Process::start(dir.path(), CONFIG);
    assert_eq!(warned(&process), None, "{}", process.logged);
    let _ = command::run(dir.path(), &create).well();
    assert!(process.stop().success());
    let process = Process::start(dir.path(), CONFIG);
    assert_eq!(warned(&process), None, "{}", process.logged);
    assert!(process.stop().success());
}
