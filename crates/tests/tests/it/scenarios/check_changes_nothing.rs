//! `posthouse check` changes nothing: no file is created, removed or touched, and no row is written.

use std::{
    collections::BTreeMap,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use posthouse_store::{DatabaseUrl, Engine, Sql, Store, StoreConfig, Tx, migrate, p};
use posthouse_tests::{command, dir::ScratchDir, postgres::Cluster, process::ServiceProcess, server::engine_of_run};
use serde_json::Value;

/// A configuration with unused ports, and its database.
struct Installation {
    dir: ScratchDir,
    database: DatabaseUrl,
    config: String,
}

/// A file or directory as found. Without the time of its last status change: as root, SQLite sets the owner of its files
/// to what it already is.
#[derive(PartialEq, Eq, Debug)]
struct FileState {
    mode: u32,
    modified: (i64, i64),
    owner: (u32, u32),
    /// The content; empty for a directory.
    content: Vec<u8>,
}

/// Everything that a check could change.
#[derive(PartialEq, Eq, Debug)]
struct Snapshot {
    files: BTreeMap<PathBuf, FileState>,
    /// PostgreSQL: the schema, and a checksum of each table.
    tables: Vec<String>,
}

impl Installation {
    fn new() -> Self {
        let dir = ScratchDir::new();
        let (database, setting) = match engine_of_run() {
            Engine::Sqlite => (DatabaseUrl::Sqlite(dir.path().join("data/posthouse.db")), String::new()),
            Engine::Postgres => {
                let url = Cluster::shared().create_database();
                (url.parse().unwrap(), format!("database_url = {url:?}\n"))
            }
        };
        let config = format!(
            "{setting}data_dir = \"data\"\nhttp.listen = \"127.0.0.1:0\"\nsmtp.listen = [\"127.0.0.1:0\"]\n\
             submission.listen = [\"127.0.0.1:0\"]\n"
        );
        std::fs::write(dir.path().join("posthouse.toml"), &config).unwrap();
        Self { dir, database, config }
    }

    fn start(&self) -> ServiceProcess {
        ServiceProcess::start(self.dir.path(), &self.config)
    }

    fn snapshot(&self) -> Snapshot {
        let mut files = BTreeMap::new();
        collect(self.dir.path(), &mut files);
        let tables = match &self.database {
            DatabaseUrl::Sqlite(_) => Vec::new(),
            DatabaseUrl::Postgres(_) => table_states(&self.database),
        };
        Snapshot { files, tables }
    }

    /// Runs the check, asserts that it changed nothing, and returns its exit code and its lines.
    fn check(&self, when: &str) -> (i32, Vec<String>) {
        let before = self.snapshot();
        let result = command::run(self.dir.path(), &["check", "--json"]);
        let after = self.snapshot();
        assert_eq!(before.files.keys().collect::<Vec<_>>(), after.files.keys().collect::<Vec<_>>(), "{when}");
        for (path, file) in &before.files {
            assert!(after.files[path] == *file, "{when}: {} was changed", path.display());
        }
        assert_eq!(before.tables, after.tables, "{when}");
        let report: Value =
            serde_json::from_str(&result.out).unwrap_or_else(|_| panic!("{}{}", result.out, result.err));
        let text = |check: &Value, member: &str| check[member].as_str().unwrap_or_default().to_owned();
        let line = |check| format!("{} {}: {}", text(check, "status"), text(check, "check"), text(check, "advice"));
        (result.code, report["checks"].as_array().unwrap().iter().map(line).collect())
    }

    fn assert_sound(&self, when: &str) {
        let (code, lines) = self.check(when);
        assert_eq!(code, 0, "{when}: {lines:?}");
        assert!(lines.iter().any(|line| line.contains("is up to date and writable")), "{when}: {lines:?}");
        assert!(lines.iter().any(|line| line.starts_with("ok integrity:")), "{when}: {lines:?}");
        assert!(lines.iter().any(|line| line.contains("belongs to this store")), "{when}: {lines:?}");
    }

    /// Runs a statement that changes the record of migrations.
    fn change_migrations(&self, text: &str) {
        let store = Store::open(StoreConfig::new(self.database.clone())).unwrap();
        let sql = Sql::from_fragments("CHANGE", text.to_owned());
        assert_eq!(store.write_blocking(move |tx: &mut Tx| tx.exec(&sql, p![])).unwrap(), 1, "{text}");
        store.close();
    }
}

fn collect(directory: &Path, files: &mut BTreeMap<PathBuf, FileState>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let metadata = path.symlink_metadata().unwrap();
        let content = if metadata.is_file() { std::fs::read(&path).unwrap() } else { Vec::new() };
        let state = FileState {
            mode: metadata.mode(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            owner: (metadata.uid(), metadata.gid()),
            content,
        };
        if metadata.is_dir() {
            collect(&path, files);
        }
        files.insert(path, state);
    }
}

/// Returns the schema, and for each table a checksum of its rows.
fn table_states(database: &DatabaseUrl) -> Vec<String> {
    let schema = migrate::schema(database).unwrap();
    let columns = schema.lines().filter_map(|line| line.strip_prefix("column ")?.split_once('.'));
    let mut tables: Vec<String> = columns.map(|(table, _)| table.to_owned()).collect();
    tables.dedup();
    let mut states: Vec<String> = schema.lines().map(str::to_owned).collect();
    if tables.is_empty() {
        return states;
    }
    let store = Store::open(StoreConfig { read_only: true, ..StoreConfig::new(database.clone()) }).unwrap();
    for table in tables {
        let text = format!("SELECT COALESCE(md5(string_agg(t::text, ',' ORDER BY t::text)), '') FROM {table} t");
        let sql = Sql::from_fragments("CHECKSUM", text);
        let sum = store.read_blocking(move |tx: &mut Tx| tx.value::<String>(&sql, p![])).unwrap();
        states.push(format!("{table} {sum:?}"));
    }
    store.close();
    states
}

#[test]
fn before_the_first_start() {
    let installation = Installation::new();
    let (code, lines) = installation.check("without a data directory");
    assert_eq!(code, 0, "{lines:?}");
    let expected = if engine_of_run() == Engine::Sqlite { "does not exist yet" } else { "is empty" };
    assert!(lines.iter().any(|line| line.starts_with("ok database:") && line.contains(expected)), "{lines:?}");
    assert!(lines.iter().any(|line| line.starts_with("ok TLS certificate: none yet")), "{lines:?}");
    std::fs::create_dir(installation.dir.path().join("data")).unwrap();
    assert_eq!(installation.check("with an empty data directory").0, 0);
    // A directory that the command names should have a store: a typo would pass as a new installation.
    if engine_of_run() == Engine::Sqlite {
        let typo = command::run(installation.dir.path(), &["check", "--data-dir", "typo"]);
        assert_eq!(typo.code, 1, "{}", typo.out);
        assert!(typo.out.contains("there is no store in") && typo.out.contains("typo"), "{}", typo.out);
        assert!(!installation.dir.path().join("typo").exists());
    }
}

#[test]
fn while_the_service_runs_after_it_stopped_and_after_it_was_killed() {
    let installation = Installation::new();
    let service = installation.start();
    service.freeze();
    installation.assert_sound("while the service runs");
    service.kill();
    installation.assert_sound("after SIGKILL");
    assert!(installation.start().stop().success());
    installation.assert_sound("after SIGTERM");
    // Other users could read these files. A start makes them private, the check doesn't.
    let file = installation.dir.path().join("data/tls");
    std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    installation.assert_sound("with open permissions");
}

#[test]
fn a_pending_migration_is_reported_and_not_applied() {
    let installation = Installation::new();
    assert!(installation.start().stop().success());
    installation
        .change_migrations("DELETE FROM schema_migrations WHERE number = (SELECT MAX(number) FROM schema_migrations)");
    let last = migrate::MIGRATIONS.last().unwrap();
    let (code, lines) = installation.check("with a pending migration");
    assert_eq!(code, 0, "{lines:?}");
    let line = lines.iter().find(|line| line.starts_with("warning database:")).unwrap_or_else(|| panic!("{lines:?}"));
    assert!(line.contains(&format!("needs 1 migrations: {}", last.name)), "{line}");
    assert!(lines.iter().any(|line| line.starts_with("warning skipped without the database:")), "{lines:?}");
    assert!(lines.iter().any(|line| line.contains("apply the migrations, then check again")), "{lines:?}");
}

#[test]
fn a_newer_schema_is_a_failure() {
    let installation = Installation::new();
    assert!(installation.start().stop().success());
    installation.change_migrations("INSERT INTO schema_migrations (number, name) VALUES (9999, '9999_later')");
    let (code, lines) = installation.check("with a newer schema");
    assert_eq!(code, 1, "{lines:?}");
    let line = lines.iter().find(|line| line.starts_with("failed database:")).unwrap_or_else(|| panic!("{lines:?}"));
    assert!(line.contains("newer than this version") && line.contains("9999_later"), "{line}");
}
