//! A command on another machine, or after the loss of `instance.key`, created its own key and encrypted with it: the
//! store had secrets under two keys, and `secret rotate` was refused forever.

use std::path::{Path, PathBuf};

use posthouse_store::{DatabaseUrl, Engine, Sql, Store, StoreConfig};
use posthouse_tests::{
    command::{self, CommandResult},
    dir::ScratchDir,
    postgres::Cluster,
    process::ServiceProcess,
    server::engine_of_run,
};

/// A used store without a running service.
struct Fixture {
    dir: ScratchDir,
    config: String,
    database: DatabaseUrl,
}

impl Fixture {
    fn new() -> Self {
        let dir = ScratchDir::new();
        let (url, database) = match engine_of_run() {
            Engine::Sqlite => {
                let path = dir.path().join("store.db");
                (format!("sqlite:{}", path.display()), DatabaseUrl::Sqlite(path))
            }
            Engine::Postgres => {
                let url = Cluster::shared().create_database();
                (url.clone(), DatabaseUrl::Postgres(url))
            }
        };
        let config = format!(
            "database_url = {url:?}\ndata_dir = \"data\"\nhttp.listen = \"127.0.0.1:0\"\nsmtp.listen = [\"127.0.0.1:0\"]\n\
             submission.listen = [\"127.0.0.1:0\"]\ndelivery.mode = \"capture\"\ndns.nameservers = [\"127.0.0.1:9\"]\n"
        );
        let fixture = Self { dir, config, database };
        fixture.assert_starts();
        fixture
    }

    fn assert_starts(&self) {
        assert!(ServiceProcess::start(self.dir.path(), &self.config).stop().success());
    }

    fn run(&self, arguments: &[&str]) -> CommandResult {
        command::run(self.dir.path(), arguments)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Asserts the error of the commands that encrypt or decrypt. None of them creates a key.
    fn assert_refused(&self, data_dir: &str, text: &str) {
        let key = self.file(data_dir).join("instance.key");
        let before = std::fs::read_to_string(&key).ok();
        for command in [&["domain", "add", "mail.acme.example"][..], &["secret", "rotate"], &["serve"]] {
            let result = self.run(&[command, &["--data-dir", data_dir]].concat());
            assert_eq!((result.code, result.out.as_str()), (1, ""), "{command:?}: {}", result.err);
            assert!(result.err.contains(text) && result.err.contains("from the backup"), "{command:?}: {}", result.err);
            assert_eq!(std::fs::read_to_string(&key).ok(), before, "{command:?}");
        }
        assert_eq!(self.run(&["domain", "list", "--data-dir", data_dir]).success(), "There are no domains yet.\n");
    }

    /// Deletes the store's record of its key, as in older versions.
    fn delete_key_record(&self) {
        let store = Store::open(StoreConfig::new(self.database.clone())).expect("the store can be opened");
        let sql = Sql::from_fragments("FORGET", "DELETE FROM instance WHERE name = 'instance_key_proof'".to_owned());
        let gone = store.write_blocking(move |tx| tx.exec(&sql, &[])).expect("it can be written");
        assert_eq!(gone, 1);
        store.close();
    }
}

fn write_other_key(directory: &Path) {
    std::fs::create_dir_all(directory).unwrap();
    std::fs::write(directory.join("instance.key"), format!("{}=\n", "A".repeat(43))).unwrap();
}

#[test]
fn a_machine_without_the_key_is_refused_and_creates_none() {
    let fixture = Fixture::new();
    fixture.assert_refused("elsewhere", "is missing");
    write_other_key(&fixture.file("elsewhere"));
    fixture.assert_refused("elsewhere", "another instance key");
    std::fs::copy(fixture.file("data/instance.key"), fixture.file("elsewhere/instance.key")).unwrap();
    let _ = fixture.run(&["domain", "add", "mail.acme.example", "--data-dir", "elsewhere"]).success();
    let _ = fixture.run(&["secret", "rotate"]).success();
    fixture.assert_starts();
}

#[test]
fn a_lost_key_is_not_replaced() {
    let fixture = Fixture::new();
    let key = fixture.file("data/instance.key");
    let right = std::fs::read(&key).unwrap();
    std::fs::remove_file(&key).unwrap();
    fixture.assert_refused("data", "is missing");
    write_other_key(&fixture.file("data"));
    fixture.assert_refused("data", "another instance key");
    std::fs::write(&key, right).unwrap();
    let _ = fixture.run(&["domain", "add", "mail.acme.example"]).success();
    let _ = fixture.run(&["secret", "rotate"]).success();
    fixture.assert_starts();
}

#[test]
fn a_store_without_a_key_record_checks_the_key_by_its_secrets() {
    let fixture = Fixture::new();
    fixture.delete_key_record();
    fixture.assert_refused("elsewhere", "is missing");
    write_other_key(&fixture.file("elsewhere"));
    fixture.assert_refused("elsewhere", "another instance key");
    let _ = fixture.run(&["domain", "add", "mail.acme.example"]).success();
    // The command recorded the key.
    fixture.delete_key_record();
    fixture.assert_starts();
}
