//! A data directory without its database, or with an empty one, but with the instance key or blobs, started as a new
//! store, and every message to its inboxes was rejected with 550.

use std::path::PathBuf;

use posthouse_store::{DatabaseUrl, Engine, Migration, Sql, Store, StoreConfig, migrate::MIGRATIONS};
use posthouse_tests::{
    command::{self, CommandResult},
    dir::ScratchDir,
    postgres::Cluster,
    process::ServiceProcess,
    server::engine_of_run,
};

static FORGET: Sql = Sql::constant("FORGET", "DELETE FROM instance WHERE name = 'store_id'", None);

/// A used store without a running service.
struct Fixture {
    dir: ScratchDir,
}

fn database() -> String {
    match engine_of_run() {
        Engine::Sqlite => String::new(),
        Engine::Postgres => format!("database_url = {:?}\n", Cluster::shared().create_database()),
    }
}

fn config(database: &str) -> String {
    format!(
        "{database}data_dir = \"data\"\nhttp.listen = \"127.0.0.1:0\"\nsmtp.listen = [\"127.0.0.1:0\"]\n\
         submission.listen = [\"127.0.0.1:0\"]\ndelivery.mode = \"capture\"\ndns.nameservers = [\"127.0.0.1:9\"]\n"
    )
}

impl Fixture {
    fn new() -> Self {
        let dir = ScratchDir::new();
        assert!(ServiceProcess::start(dir.path(), &config(&database())).stop().success());
        Self { dir }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.dir.path().join("data").join(name)
    }

    fn run(&self, arguments: &[&str]) -> CommandResult {
        command::run(self.dir.path(), arguments)
    }

    /// Removes the database, so that the rest looks like a lost database.
    fn lose_database(&self) {
        match engine_of_run() {
            Engine::Sqlite => {
                for ending in ["", "-wal", "-shm", "-serving"] {
                    let _ = std::fs::remove_file(self.file(&format!("posthouse.db{ending}")));
                }
            }
            Engine::Postgres => std::fs::write(self.dir.path().join("posthouse.toml"), config(&database())).unwrap(),
        }
    }

    /// Asserts that every command that opens the store reports the problem and the way out, and creates nothing.
    fn assert_refused(&self, why: &str) {
        let before = self.listing();
        let restore = match engine_of_run() {
            Engine::Sqlite => "posthouse restore --config posthouse.toml FILE",
            Engine::Postgres => "restore a backup of the database",
        };
        let create = ["workspace", "create", "--name", "x", "--owner", "o@example.org"];
        for command in [&["serve"][..], &["migrate"], &create, &["workspace", "list"], &["domain", "add", "x.example"]]
        {
            let result = self.run(command);
            assert_eq!(result.code, 1, "{why}: {command:?}: {}{}", result.out, result.err);
            for text in ["missing or empty", restore, "posthouse serve --config posthouse.toml --new-store"] {
                assert!(result.err.contains(text), "{why}: {command:?}: {}", result.err);
            }
        }
        if engine_of_run() == Engine::Sqlite {
            assert!(self.run(&["backup", "backup.tar"]).err.contains("missing or empty"), "{why}: an empty backup");
        }
        let check = self.run(&["check", "--quick", "--json"]);
        assert!(check.code == 1 && check.out.contains("missing or empty"), "{why}: {}", check.out);
        assert_eq!(self.listing(), before, "{why}: something was created");
    }

    fn listing(&self) -> Vec<(String, u64)> {
        let entries = std::fs::read_dir(self.file("")).unwrap().flatten();
        let mut all: Vec<(String, u64)> = entries
            .map(|entry| (entry.file_name().into_string().unwrap(), entry.metadata().unwrap().len()))
            .filter(|(name, _)| name != "blobs")
            .collect();
        all.sort();
        all
    }
}

#[test]
fn remains_of_a_store_are_not_treated_as_a_new_store() {
    let fixture = Fixture::new();
    fixture.lose_database();
    fixture.assert_refused("all but the database");
    std::fs::remove_file(fixture.file("store.id")).unwrap();
    fixture.assert_refused("the key of an older version");
    std::fs::remove_file(fixture.file("instance.key")).unwrap();
    let blob = format!("{:064x}", 0xab);
    let folder = fixture.file("blobs").join("00").join("00");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(&blob), "x").unwrap();
    fixture.assert_refused("blobs alone");
}

#[test]
fn every_kind_of_lost_sqlite_database_is_refused() {
    if engine_of_run() == Engine::Postgres {
        return;
    }
    let database = |migrations: &'static [Migration]| {
        let dir = ScratchDir::new();
        let path = dir.path().join("a.db");
        let config = StoreConfig { migrations, ..StoreConfig::new(DatabaseUrl::Sqlite(path.clone())) };
        Store::open(config).unwrap().close();
        std::fs::read(&path).unwrap()
    };
    for (how, bytes) in [("no bytes", Vec::new()), ("no tables", database(&[])), ("no rows", database(MIGRATIONS))] {
        let fixture = Fixture::new();
        fixture.lose_database();
        std::fs::write(fixture.file("posthouse.db"), bytes).unwrap();
        fixture.assert_refused(how);
    }
    let fixture = Fixture::new();
    fixture.lose_database();
    ["store.id", "instance.key"].iter().for_each(|name| std::fs::remove_file(fixture.file(name)).unwrap());
    std::fs::write(fixture.file("posthouse.db-wal"), vec![7; 8_192]).unwrap();
    fixture.assert_refused("its log alone");
}

#[test]
fn a_new_store_starts_on_request_and_keeps_the_remains() {
    let fixture = Fixture::new();
    fixture.lose_database();
    let blob = fixture.file("blobs").join("00").join("00").join(format!("{:064x}", 0xab));
    std::fs::create_dir_all(blob.parent().unwrap()).unwrap();
    std::fs::write(&blob, "x").unwrap();
    let config = std::fs::read_to_string(fixture.dir.path().join("posthouse.toml")).unwrap();
    let started = ServiceProcess::start_with(fixture.dir.path(), &config, &["--new-store"]);
    assert!(started.ready["first_run"].is_object(), "{}", started.ready);
    assert!(started.stop().success());
    let kept = fixture.listing().into_iter().filter(|(name, _)| name.starts_with("store.id.old-")).count();
    assert_eq!(kept, 1);
    let aside = std::fs::read_dir(fixture.file("")).unwrap().flatten();
    let aside = aside.map(|entry| entry.path()).find(|path| path.to_string_lossy().contains("blobs.old-")).unwrap();
    assert!(aside.join("00").join("00").join(format!("{:064x}", 0xab)).exists());
    let again = ServiceProcess::start(fixture.dir.path(), &config);
    assert!(again.ready["first_run"].is_null() && again.stop().success());
}

#[test]
fn the_database_of_another_store_is_rejected() {
    let (fixture, other) = (Fixture::new(), Fixture::new());
    match engine_of_run() {
        Engine::Sqlite => {
            std::fs::copy(other.file("posthouse.db"), fixture.file("posthouse.db")).unwrap();
        }
        Engine::Postgres => {
            std::fs::copy(other.dir.path().join("posthouse.toml"), fixture.dir.path().join("posthouse.toml"))
                .map(drop)
                .unwrap();
        }
    }
    let result = fixture.run(&["serve"]);
    assert!(result.code == 1 && result.err.contains("are of different stores"), "{}", result.err);
    let result = fixture.run(&["workspace", "list"]);
    assert!(result.code == 1 && result.err.contains("store.id"), "{}", result.err);
}

/// Stores of versions before the id, and other machines with a shared database, start as before.
#[test]
fn a_store_without_an_id_gets_one_and_a_directory_without_one_adopts_it() {
    let fixture = Fixture::new();
    std::fs::remove_file(fixture.file("store.id")).unwrap();
    let _ = fixture.run(&["workspace", "list"]).success();
    assert!(fixture.file("store.id").exists());
    if engine_of_run() == Engine::Sqlite {
        let store = Store::open(StoreConfig::new(DatabaseUrl::Sqlite(fixture.file("posthouse.db")))).unwrap();
        store.write_blocking(|tx| tx.exec(&FORGET, &[]).map(drop)).unwrap();
        store.close();
        std::fs::remove_file(fixture.file("store.id")).unwrap();
        let _ = fixture.run(&["workspace", "list"]).success();
        assert!(fixture.file("store.id").exists());
        let backup = fixture.dir.path().join("backup.tar");
        let _ = fixture.run(&["backup", backup.to_str().unwrap()]).success();
        let _ = fixture.run(&["restore", backup.to_str().unwrap(), "--data-dir", "restored"]).success();
        let _ = fixture.run(&["workspace", "list", "--data-dir", "restored"]).success();
    }
}
