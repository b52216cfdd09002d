//! A command on another machine, or after `instance.key` was lost, made a key of its own and sealed with it: the store had
//! secrets under two keys, and `secret rotate` was refused for ever (operations.md, admin commands on the same store).

use std::path::{Path, PathBuf};

use posthouse_store::{DatabaseUrl, Engine, Sql, Store, StoreConfig};
use posthouse_tests::{
    command::{self, Ran},
    dir::ScratchDir,
    postgres::Cluster,
    process::Process,
    server::engine_of_run,
};

/// A store that was served once, and is not served now.
struct World {
    dir: ScratchDir,
    config: String,
    database: DatabaseUrl,
}

impl World {
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
        let world = Self { dir, config, database };
        world.serves();
        world
    }

    fn serves(&self) {
        assert!(Process::start(self.dir.path(), &self.config).stop().success());
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        command::run(self.dir.path(), arguments)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// What the commands that seal or open say; none of them leaves a key.
    fn refused(&self, data_dir: &str, text: &str) {
        let key = self.file(data_dir).join("instance.key");
        let before = std::fs::read_to_string(&key).ok();
        for command in [&["domain", "add", "mail.acme.example"][..], &["secret", "rotate"], &["serve"]] {
            let ran = self.run(&[command, &["--data-dir", data_dir]].concat());
            assert_eq!((ran.code, ran.out.as_str()), (1, ""), "{command:?}: {}", ran.err);
            assert!(ran.err.contains(text) && ran.err.contains("from the backup"), "{command:?}: {}", ran.err);
            assert_eq!(std::fs::read_to_string(&key).ok(), before, "{command:?}");
        }
        assert_eq!(self.run(&["domain", "list", "--data-dir", data_dir]).well(), "There is no domain yet.\n");
    }

    /// Takes away what the store notes of its key, as it was before there was a note.
    fn forget_note(&self) {
        let store = Store::open(StoreConfig::new(self.database.clone())).expect("the store can be opened");
        let sql = Sql::built("FORGET", "DELETE FROM instance WHERE name = 'instance_key_proof'".to_owned());
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
fn a_machine_without_the_key_is_refused_and_makes_none() {
    let world = World::new();
    world.refused("elsewhere", "is missing");
    write_other_key(&world.file("elsewhere"));
    world.refused("elsewhere", "another instance key");
    std::fs::copy(world.file("data/instance.key"), world.file("elsewhere/instance.key")).unwrap();
    let _ = world.run(&["domain", "add", "mail.acme.example", "--data-dir", "elsewhere"]).well();
    let _ = world.run(&["secret", "rotate"]).well();
    world.serves();
}

#[test]
fn a_key_that_is_lost_is_not_replaced() {
    let world = World::new();
    let key = world.file("data/instance.key");
    let right = std::fs::read(&key).unwrap();
    std::fs::remove_file(&key).unwrap();
    world.refused("data", "is missing");
    write_other_key(&world.file("data"));
    world.refused("data", "another instance key");
    std::fs::write(&key, right).unwrap();
    let _ = world.run(&["domain", "add", "mail.acme.example"]).well();
    let _ = world.run(&["secret", "rotate"]).well();
    world.serves();
}

#[test]
fn a_store_that_noted_no_key_tells_it_by_what_is_sealed() {
    let world = World::new();
    world.forget_note();
    world.refused("elsewhere", "is missing");
    write_other_key(&world.file("elsewhere"));
    world.refused("elsewhere", "another instance key");
    let _ = world.run(&["domain", "add", "mail.acme.example"]).well();
    // The command noted the key.
    world.forget_note();
    world.serves();
}
