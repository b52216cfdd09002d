//! A data directory whose database was gone or empty, with the instance key or blobs still there, started as a new store:
//! every mail to its inboxes was bounced with 550.

use std::path::PathBuf;

use posthouse_store::{DatabaseUrl, Engine, Migration, Sql, Store, StoreConfig, migrate::MIGRATIONS};
use posthouse_tests::{
    command::{self, Ran},
    dir::ScratchDir,
    postgres::Cluster,
    process::Process,
    server::engine_of_run,
};

static FORGET: Sql = Sql::constant("FORGET", "DELETE FROM instance WHERE name = 'store_id'", None);

/// A store that was served once, and is not served now.
struct World {
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

impl World {
    fn new() -> Self {
        let dir = ScratchDir::new();
        assert!(Process::start(dir.path(), &config(&database())).stop().success());
        Self { dir }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.dir.path().join("data").join(name)
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        command::run(self.dir.path(), arguments)
    }

    /// Takes the database away, so that what is left looks as if it had been lost.
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

    /// Every command that would open the store says what is wrong and how to go on, and makes nothing.
    fn is_refused(&self, why: &str) {
        let before = self.listing();
        let create = ["workspace", "create", "--name", "x", "--owner", "o@example.org"];
        for command in [&["serve"][..], &["migrate"], &create, &["workspace", "list"], &["domain", "add", "x.example"]]
        {
            let ran = self.run(command);
            assert_eq!(ran.code, 1, "{why}: {command:?}: {}{}", ran.out, ran.err);
            for text in ["gone or empty", "restore", "posthouse serve --new-store"] {
                assert!(ran.err.contains(text), "{why}: {command:?}: {}", ran.err);
            }
        }
        if engine_of_run() == Engine::Sqlite {
            assert!(self.run(&["backup", "backup.tar"]).err.contains("gone or empty"), "{why}: an empty backup");
        }
        let check = self.run(&["check", "--quick", "--json"]);
        assert!(check.code == 1 && check.out.contains("gone or empty"), "{why}: {}", check.out);
        assert_eq!(self.listing(), before, "{why}: something was made");
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
fn what_is_left_of_a_store_is_no_new_one() {
    let world = World::new();
    world.lose_database();
    world.is_refused("all but the database");
    std::fs::remove_file(world.file("store.id")).unwrap();
    world.is_refused("the key of an older version");
    std::fs::remove_file(world.file("instance.key")).unwrap();
    let blob = format!("{:064x}", 0xab);
    let folder = world.file("blobs").join("00").join("00");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(&blob), "x").unwrap();
    world.is_refused("blobs alone");
}

#[test]
fn an_embedded_database_is_gone_in_many_ways() {
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
        let world = World::new();
        world.lose_database();
        std::fs::write(world.file("posthouse.db"), bytes).unwrap();
        world.is_refused(how);
    }
    let world = World::new();
    world.lose_database();
    ["store.id", "instance.key"].iter().for_each(|name| std::fs::remove_file(world.file(name)).unwrap());
    std::fs::write(world.file("posthouse.db-wal"), vec![7; 8_192]).unwrap();
    world.is_refused("its log alone");
}

#[test]
fn a_new_store_begins_when_it_is_asked_for_and_what_was_left_is_kept() {
    let world = World::new();
    world.lose_database();
    let blob = world.file("blobs").join("00").join("00").join(format!("{:064x}", 0xab));
    std::fs::create_dir_all(blob.parent().unwrap()).unwrap();
    std::fs::write(&blob, "x").unwrap();
    let config = std::fs::read_to_string(world.dir.path().join("posthouse.toml")).unwrap();
    let started = Process::start_with(world.dir.path(), &config, &["--new-store"]);
    assert!(started.ready["first_run"].is_object(), "{}", started.ready);
    assert!(started.stop().success());
    let kept = world.listing().into_iter().filter(|(name, _)| name.starts_with("store.id.old-")).count();
    assert_eq!(kept, 1);
    let aside = std::fs::read_dir(world.file("")).unwrap().flatten();
    let aside = aside.map(|entry| entry.path()).find(|path| path.to_string_lossy().contains("blobs.old-")).unwrap();
    assert!(aside.join("00").join("00").join(format!("{:064x}", 0xab)).exists());
    let again = Process::start(world.dir.path(), &config);
    assert!(again.ready["first_run"].is_null() && again.stop().success());
}

#[test]
fn the_database_of_another_store_is_refused() {
    let (world, other) = (World::new(), World::new());
    match engine_of_run() {
        Engine::Sqlite => {
            std::fs::copy(other.file("posthouse.db"), world.file("posthouse.db")).unwrap();
        }
        Engine::Postgres => {
            std::fs::copy(other.dir.path().join("posthouse.toml"), world.dir.path().join("posthouse.toml"))
                .map(drop)
                .unwrap();
        }
    }
    let ran = world.run(&["serve"]);
    assert!(ran.code == 1 && ran.err.contains("are of different stores"), "{}", ran.err);
    let ran = world.run(&["workspace", "list"]);
    assert!(ran.code == 1 && ran.err.contains("store.id"), "{}", ran.err);
}

/// Stores of versions before the id, and second machines of a shared database, start as ever.
#[test]
fn a_store_without_an_id_gets_one_and_a_directory_without_one_joins() {
    let world = World::new();
    std::fs::remove_file(world.file("store.id")).unwrap();
    let _ = world.run(&["workspace", "list"]).well();
    assert!(world.file("store.id").exists());
    if engine_of_run() == Engine::Sqlite {
        let store = Store::open(StoreConfig::new(DatabaseUrl::Sqlite(world.file("posthouse.db")))).unwrap();
        store.write_blocking(|tx| tx.exec(&FORGET, &[]).map(drop)).unwrap();
        store.close();
        std::fs::remove_file(world.file("store.id")).unwrap();
        let _ = world.run(&["workspace", "list"]).well();
        assert!(world.file("store.id").exists());
        let backup = world.dir.path().join("backup.tar");
        let _ = world.run(&["backup", backup.to_str().unwrap()]).well();
        let _ = world.run(&["restore", backup.to_str().unwrap(), "--data-dir", "restored"]).well();
        let _ = world.run(&["workspace", "list", "--data-dir", "restored"]).well();
    }
}
